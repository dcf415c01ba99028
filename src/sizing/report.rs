//! The whole report as one HTML file that needs nothing else: no script, no request, charts as inline SVG.

use std::fmt::Write;

use super::{
    metric::Metric,
    study::Answer,
    subject::{Base, Subject},
    table::{Cell, Table, counted, markup},
};
use crate::{
    export::picture::{Kind, Unpaintable, paint},
    ledger::{escaped, grouped},
    world::config::{CommitOffset, Intake, Quarantine, RetryAt, Routing, Then},
};

/// What is in a report.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// What was sized.
    pub subject: &'r Subject,
    /// What comes of it as it is.
    pub base: &'r Base,
    /// The answers, in the order in which they are to stand.
    pub answers: &'r [Answer],
    /// Lines beside the settings: where they come from, what was odd about the files.
    pub notes: &'r [String],
    /// What the recommended workers and marks come to together ([`super::Combined`]).
    pub together: Option<String>,
}

const STYLE: &str = include_str!("report.css");

impl Report<'_> {
    /// The file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn html(&self) -> Result<String, Unpaintable> {
        let title = markup(&escaped(self.subject.name()));
        let mut html = String::new();
        let _ = write!(
            html,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{title}: sized</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n"
        );
        let _ = writeln!(html, "<p class=\"lead\">{}</p>", markup(&self.lead()));
        for warning in self.warnings() {
            let _ = writeln!(html, "<p class=\"warning\" role=\"note\">{}</p>", markup(&warning));
        }
        for note in self.notes {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", markup(&escaped(note)));
        }
        html.push_str("</header>\n");
        self.summary(&mut html);
        self.as_it_is(&mut html);
        for answer in self.answers {
            section(&mut html, answer, self.subject)?;
        }
        html.push_str(FOOT);
        Ok(html)
    }

    /// What to know before reading any answer: what goes wrong as it is, and that the traffic flatters.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let troubles = self.base.troubles(self.subject);
        troubles.into_iter().chain(self.subject.flattery()).collect()
    }

    /// What the traffic is, in a sentence.
    fn lead(&self) -> String {
        let (log, load) = (self.subject.setup().log(), self.subject.workload());
        let unit = self.subject.unit();
        let keys = load.keys.iter().filter(|load| load.records > 0).count() as u64;
        let span = unit.span(self.subject.arrivals_span());
        let over = if load.arrivals { format!(" over {span}") } else { String::new() };
        let (short, long) = self.subject.span_of_work();
        let hot = self.subject.hottest().map_or(String::new(), |(key, work)| {
            let share = Cell::share(work, load.total.work).shown(unit);
            format!("; {key} has the most, {} ({share})", unit.span(work))
        });
        format!(
            "{}{over}, {}. Together {} of work, from {} to {} a record{hot}.",
            counted(log.len(), "record"),
            counted(keys, "key"),
            unit.span(load.total.work),
            unit.span(short),
            unit.span(long),
        )
    }

    /// The first sentence of every answer.
    fn summary(&self, html: &mut String) {
        html.push_str("<section>\n<h2>In short</h2>\n<ul class=\"short\">\n");
        for answer in self.answers {
            let (name, title) = (answer.question().name(), answer.question().title());
            let sentence = answer.sentences().first().map_or("", String::as_str);
            let _ = writeln!(html, "<li><a href=\"#{name}\">{}</a> {}</li>", markup(title), markup(sentence));
        }
        if let Some(together) = &self.together {
            let _ = writeln!(html, "<li><b>All together</b> {}</li>", markup(together));
        }
        html.push_str("</ul>\n</section>\n");
    }

    /// The settings, and what comes of them.
    fn as_it_is(&self, html: &mut String) {
        let unit = self.subject.unit();
        html.push_str("<section>\n<h2>As it is</h2>\n<div class=\"frame\" tabindex=\"0\">\n<table class=\"pairs\">\n<tbody>\n");
        for (name, value) in settings(self.subject, unit) {
            let _ =
                writeln!(html, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", markup(name), markup(&value));
        }
        html.push_str("</tbody>\n</table>\n</div>\n<div class=\"frame\" tabindex=\"0\">\n");
        html.push_str(&self.measured().html(unit));
        html.push_str("</div>\n</section>\n");
    }

    /// The run as it is, in numbers.
    #[must_use]
    pub fn measured(&self) -> Table {
        const SHOWN: [&str; 9] = [
            "throughput",
            "p50",
            "p99",
            "max",
            "peak_in_flight",
            "peak_lag",
            "pauses",
            "order_breaks",
            "unfinished",
        ];
        let metrics: Vec<Metric> = SHOWN.iter().filter_map(|name| Metric::named(name).ok()).collect();
        let heads: Vec<(&'static str, &'static str)> = [("run", "run")]
            .into_iter()
            .chain(metrics.iter().map(|metric| (metric.name, metric.head)))
            .collect();
        let mut table = Table::with(&heads);
        let mut add = |name: &str, measure| {
            let cells = metrics.iter().map(|metric| metric.of(measure));
            table.rows.push([Cell::Text(name.to_owned())].into_iter().chain(cells).collect());
        };
        if self.subject.workload().arrivals {
            add("as the records arrive", &self.base.measure);
        }
        add("from a backlog", &self.base.catching_up);
        table
    }
}

const FOOT: &str = "<footer>\n<h2>How to read this</h2>\n\
    <p>Every number is of a simulated consumer of one partition that had these records and these settings: a worker \
    does one record at a time, and polls, commits and starting an attempt take no time. What a real consumer loses to \
    those comes on top. The runs are the same on every machine, every time.</p>\n\
    <p>Time in the system is counted from a record's arrival to its first completion or its dead letter; from a backlog, \
    from its first poll. p99: 99 of a hundred records were in the system no longer (nearest rank). \
    The chance that is given with a number of revokes is the one-sided upper 95 % bound of Clopper and Pearson; none of n \
    seen is about 3 in n.</p>\n\
    <p>Made by kwp, the Keyed Worker Pool.</p>\n</footer>\n</main>\n</body>\n</html>\n";

fn section(html: &mut String, answer: &Answer, subject: &Subject) -> Result<(), Unpaintable> {
    let (name, title) = (answer.question().name(), answer.question().title());
    let _ = writeln!(html, "<section id=\"{name}\">\n<h2>{}</h2>", markup(title));
    for (nth, sentence) in answer.sentences().iter().enumerate() {
        let class = if nth == 0 { " class=\"answer\"" } else { "" };
        let _ = writeln!(html, "<p{class}>{}</p>", markup(sentence));
    }
    if let Some(plot) = answer.plot() {
        let alt = format!("Chart. {}", plot.title);
        let svg = paint(Kind::Svg, &plot.into())?;
        let svg = String::from_utf8_lossy(&svg);
        let _ = writeln!(
            html,
            "<figure role=\"img\" aria-label=\"{}\">\n{}\n</figure>",
            markup(&alt),
            inline(&svg)
        );
    }
    let rows = answer.table();
    let open = if rows.rows.len() <= 16 { " open" } else { "" };
    let _ = writeln!(
        html,
        "<details{open}><summary>The numbers</summary>\n<div class=\"frame\" tabindex=\"0\">\n{}</div>\n</details>\n</section>",
        rows.html(subject.unit())
    );
    Ok(())
}

/// The drawing alone, as wide as there is room.
fn inline(svg: &str) -> String {
    let start = svg.find("<svg").unwrap_or(0);
    let Some((head, body)) = svg[start..].split_once('>') else { return String::new() };
    let number = |name: &str| {
        let rest = head.split_once(&format!(" {name}=\""))?.1;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let (width, height) = (number("width").unwrap_or_default(), number("height").unwrap_or_default());
    format!("<svg viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">{body}")
}

/// The settings in words.
fn settings(subject: &Subject, unit: super::unit::Unit) -> Vec<(&'static str, String)> {
    let knobs = subject.knobs();
    let or = |value: Option<u64>, none: &str| value.map_or(none.to_owned(), |ticks| unit.span(ticks));
    let routing = match knobs.routing {
        Routing::Keyed => "keyed mailboxes".to_owned(),
        Routing::Shared => "a shared pool: no order per key".to_owned(),
        Routing::Serial => "serial: one record at a time".to_owned(),
        Routing::Lanes(lanes) => format!("{} lanes by hash of the key", grouped(lanes.into())),
    };
    let intake = match knobs.intake {
        Intake::Pause { high, low } => {
            format!("pauses at {} in flight, resumes at {}", grouped(high), grouped(low))
        }
        Intake::Unbounded => "unbounded".to_owned(),
        Intake::Block => "blocks: polls again when a batch is done".to_owned(),
    };
    let offset = match knobs.commit_offset {
        CommitOffset::Watermark => "the watermark",
        CommitOffset::Highest => "the highest finished offset, which loses records",
    };
    let map = if knobs.ack_map { "with" } else { "without" };
    let commit = subject.commits().words(|ticks| unit.span(ticks)).unwrap_or_else(|| {
        format!("every {}: {offset}, {map} acknowledgement map", unit.span(knobs.commit_every))
    });
    let quarantine = match knobs.quarantine {
        None => "never".to_owned(),
        Some(Quarantine { after, then: Then::Continue }) => {
            format!("after {}, its key goes on", unit.span(after))
        }
        Some(Quarantine { after, then: Then::Park }) => {
            format!("after {}, its key is parked", unit.span(after))
        }
    };
    let retry = match knobs.retry_at {
        RetryAt::Head => "at the head of its mailbox",
        RetryAt::Tail => "at the tail of its mailbox, which breaks the key's order",
    };
    vec![
        ("workers", grouped(knobs.concurrency().into())),
        ("routing", routing),
        ("records per poll", grouped(knobs.poll)),
        ("intake", intake),
        (
            "heap ceiling",
            knobs.heap_ceiling.map_or("none".to_owned(), |records| format!("{} records", grouped(records))),
        ),
        ("max.poll.interval", or(knobs.max_poll_interval, "none")),
        ("commit", commit),
        ("retry", format!("after {}, {retry}", unit.span(knobs.retry_delay))),
        ("quarantine", quarantine),
        ("drain window", unit.span(knobs.drain)),
    ]
}
