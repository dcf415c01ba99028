//! The first step: where traffic comes from, how it is read, and what was understood.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, HtmlInputElement, HtmlTextAreaElement};
use yew::{html::Scope, prelude::*};

use super::{
    Consumer, Form, Msg, Source,
    controls::{Dial, choice, labelled},
    opened,
    told::Told,
};
use crate::web::widgets::{reading, segmented, switch};

/// A text longer than this is read without being shown: a browser takes seconds to lay it out.
const LONGEST_SHOWN: u32 = 100_000;

/// Bad rows that are in sight without being asked for: on a phone each is several lines high.
const SHOWN_ROWS: usize = 5;

/// Numbers that a slider goes through.
const COUNTS: &[u32] =
    &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
const RATES: &[u32] = &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
const MILLIS: &[u32] =
    &[1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 30_000, 60_000];
const SECONDS: &[u32] = &[5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];

const fn dial(
    field: &'static str,
    name: &'static str,
    unit: &'static str,
    steps: &'static [u32],
    otherwise: u32,
) -> Dial {
    Dial { field, name, unit, note: "", steps, otherwise }
}

static ARRIVALS: [Dial; 4] = [
    dial("rate", "Rate", "records/s", RATES, 50),
    dial("seconds", "For", "s", SECONDS, 60),
    dial("keys", "Keys", "", COUNTS, 500),
    Dial { note: "0: all alike; 1: Zipf", ..dial("skew", "Skew", "", &[0, 1, 2, 3], 1) },
];

static BURSTS: [Dial; 3] = [
    Dial {
        note: "1: no bursts",
        ..dial("burst-times", "Bursts", "times the rate", &[1, 2, 3, 5, 10, 20, 50], 1)
    },
    dial("burst-every", "One every", "s", SECONDS, 20),
    dial("burst-length", "Lasting", "ms", MILLIS, 2_000),
];

static FIXED: [Dial; 1] = [dial("fixed", "Each takes", "ms", MILLIS, 20)];
static UNIFORM: [Dial; 2] =
    [dial("shortest", "From", "ms", MILLIS, 10), dial("longest", "To", "ms", MILLIS, 30)];
static TAIL: [Dial; 3] = [
    dial("p50", "p50", "ms", MILLIS, 20),
    dial("p99", "p99", "ms", MILLIS, 400),
    dial("max", "Longest", "ms", MILLIS, 3_000),
];

pub(super) fn view(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let sources = [
        (Source::File, "file", "Your file"),
        (Source::Shape, "shape", "Shaped"),
        (Source::Flights, "flights", "A day of flights"),
    ];
    html! {
        <section class="consumer-step" aria-labelledby="consumer-traffic">
            <h3 id="consumer-traffic">{"Your traffic"}</h3>
            {segmented("source", "Where it comes from", &sources, consumer.source, &link.callback(Msg::Source))}
            {match consumer.source {
                Source::File => file(consumer, link),
                Source::Shape => shape(consumer, link),
                Source::Flights => html! {
                    <p class="consumer-note">
                        {"831 departures from New York’s three airports on 1 January 2013. The key is the aircraft, the work is \
                          the flight’s length, and a tick is a minute: order per key matters, because an aircraft cannot take \
                          off before it has landed."}
                    </p>
                },
            }}
            {under_way(consumer, link)}
            {refusal(consumer, Form::Traffic, link)}
            if let Some((told, picture)) = &consumer.traffic {
                {understood(told)}
                if let Some(picture) = picture { {picture.view()} }
                {odd(told)}
            }
        </section>
    }
}

/// What was said of a form as a whole, or of a field that is not in sight.
pub(super) fn refusal(consumer: &Consumer, form: Form, link: &Scope<Consumer>) -> Html {
    const SHOWN: [&str; 4] = ["", "latency", "shape", "library"];
    match consumer.complaints.get(&form) {
        Some(complaint) if complaint.is_closed => html! {
            <div class="consumer-refused" role="alert">
                <p>{complaint.error.clone()}</p>
                <button type="button" class="button" data-act="again" onclick={link.callback(|_| Msg::Again)}>{"Try again"}</button>
            </div>
        },
        Some(complaint) if SHOWN.contains(&complaint.field.as_str()) => html! {
            <pre class="consumer-refused" role="alert">{complaint.error.clone()}</pre>
        },
        _ => html! {},
    }
}

fn file(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let ondragover = link.batch_callback(|event: DragEvent| {
        event.prevent_default();
        Some(Msg::Over(true))
    });
    let ondragleave = link.callback(|_: DragEvent| Msg::Over(false));
    let ondrop = reading(dropped, link.callback(|msg| msg));
    let chosen = |event: Event| {
        let input = event.target_dyn_into::<HtmlInputElement>()?;
        let file = input.files()?.get(0)?;
        // The same file can be chosen again, after it was put right.
        input.set_value("");
        Some(opened(file))
    };
    let onchange = reading(chosen, link.callback(|msg| msg));
    let name = consumer.file.as_ref().map(|(_, name)| name.clone());
    html! {
        <>
            <div class="consumer-drop" data-over={consumer.is_over.then_some("")} {ondragover} {ondragleave} {ondrop}>
                <label class="button consumer-choose">{"Choose a CSV file"}
                    <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,text/csv,text/plain"
                        data-act="open-traffic" {onchange} />
                </label>
                <p>{"or drop it here. A header names the columns, "}<code>{"time,key,work"}</code>{" or others; a row is a \
                    record. It is read in this browser and goes nowhere else."}</p>
                if let Some(name) = name { <p class="consumer-name">{"Open: "}<b>{name}</b></p> }
            </div>
            <details class="consumer-more">
                <summary>{"Paste rows instead"}</summary>
                {pasting(link)}
            </details>
            {how(consumer, link)}
        </>
    }
}

fn pasting(link: &Scope<Consumer>) -> Html {
    let pasted = |event: Event| {
        let area = event.target_dyn_into::<HtmlTextAreaElement>()?;
        let event = event.dyn_into::<ClipboardEvent>().ok()?;
        let text = event.clipboard_data()?.get_data("text/plain").ok()?;
        if text.len() as u32 > LONGEST_SHOWN {
            event.prevent_default();
        } else if !area.value().is_empty() {
            // A piece of a text: all of it counts when it is done.
            return None;
        }
        Some(Msg::Paste(text))
    };
    let onpaste = reading(pasted, link.callback(|msg| msg));
    let typed = |event: Event| {
        let text = event.target_dyn_into::<HtmlTextAreaElement>()?.value();
        (!text.trim().is_empty()).then_some(Msg::Paste(text))
    };
    let onchange = reading(typed, link.callback(|msg| msg));
    html! {
        <textarea class="field consumer-text" rows="6" spellcheck="false" aria-label="Rows with a header, as CSV"
            data-knob="pasted" placeholder={"time,key,work\n2024-05-01T09:00:00.000Z,account-17,24\n2024-05-01T09:00:00.120Z,account-3,310"}
            {onchange} {onpaste} />
    }
}

/// How the file is to be read.
fn how(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let units: Vec<(AttrValue, AttrValue)> = [
        ("", "by its title, or ms"),
        ("ms", "milliseconds"),
        ("s", "seconds"),
        ("us", "microseconds"),
        ("ns", "nanoseconds"),
        ("ticks", "ticks"),
    ]
    .map(|(value, name)| (value.into(), name.into()))
    .into();
    let columns = |what: &str| {
        let guess = AttrValue::from("guessed from its name");
        let titles = consumer.titles.iter();
        let titles = titles.map(|title| (format!("={}", title.at(0).words()).into(), title.at(1).words()));
        let mut options: Vec<(AttrValue, AttrValue)> =
            [("".into(), guess)].into_iter().chain(titles).collect();
        if what != "time" {
            options.push(("-".into(), if what == "key" { "none: no keys" } else { "none: drawn" }.into()));
        }
        options
    };
    let box_of = |field: &'static str| {
        link.callback(move |on: bool| Msg::Field(Form::Traffic, field, if on { "on" } else { "" }.to_owned()))
    };
    let form = Form::Traffic;
    let is_hashed = consumer.field(form, "hash-keys") == "on";
    let is_drawn = consumer.field(form, "work-column") == "-";
    html! {
        <>
            <div class="consumer-fields">
                {choice(consumer, link, form, ("time-column", "Time is in column"), &columns("time"))}
                {choice(consumer, link, form, ("key-column", "Key"), &columns("key"))}
                {choice(consumer, link, form, ("work-column", "Work"), &columns("work"))}
                {choice(consumer, link, form, ("time-unit", "Numbers of time count"), &units)}
                {choice(consumer, link, form, ("work-unit", "Numbers of work count"), &units)}
                {labelled(consumer, link, form, ("tick", "A tick is", "the resolution of the simulation"), "1ms")}
                {labelled(consumer, link, form, ("most-rows", "Rows at most", "the first ones are read"), "1,000,000")}
            </div>
            if is_drawn { {latency(consumer, link)} }
            <div class="consumer-hash">
                {switch("hash-keys", "Hash the keys", "as they are read: pseudonyms, not anonymous", is_hashed, box_of("hash-keys"))}
                if is_hashed {
                    {labelled(consumer, link, form, ("salt", "Salt", "the secret: with it, guesses can be tested"), "")}
                }
            </div>
        </>
    }
}

fn shape(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let even = consumer.field(Form::Traffic, "arrivals") == "even";
    let arrivals = link.callback(|even: bool| {
        Msg::Field(Form::Traffic, "arrivals", if even { "even" } else { "random" }.to_owned())
    });
    let kinds = [(false, "random", "at random"), (true, "even", "evenly")];
    html! {
        <>
            <div class="knobs">
                {for ARRIVALS.iter().map(|dial| dial.view(consumer, link))}
            </div>
            <div class="knobs">
                {segmented("arrivals", "They arrive", &kinds, even, &arrivals)}
                {for BURSTS.iter().map(|dial| dial.view(consumer, link))}
            </div>
            {latency(consumer, link)}
        </>
    }
}

/// How long the work of a record takes.
fn latency(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let kind = match consumer.field(Form::Traffic, "latency") {
        "" => "long-tail",
        kind => kind,
    };
    let kinds = [
        ("fixed", "fixed", "fixed"),
        ("uniform", "uniform", "uniform"),
        ("long-tail", "long-tail", "long tail"),
    ];
    let chosen = kinds.iter().find(|(own, ..)| *own == kind).map_or("long-tail", |(own, ..)| own);
    let on_kind = link.callback(|kind: &'static str| Msg::Field(Form::Traffic, "latency", kind.to_owned()));
    let dials: &[Dial] = match chosen {
        "fixed" => &FIXED,
        "uniform" => &UNIFORM,
        _ => &TAIL,
    };
    html! {
        <div class="knobs">
            {segmented("latency", "Work of a record", &kinds, chosen, &on_kind)}
            {for dials.iter().map(|dial| dial.view(consumer, link))}
        </div>
    }
}

/// A file on its way.
fn under_way(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let Some(told) = consumer.reading.as_ref().filter(|_| consumer.is_bringing) else { return html! {} };
    let (bytes, size) = (told.number("bytes"), told.number("size").max(1.0));
    html! {
        <div class="consumer-progress">
            <progress max="1" value={format!("{:.3}", bytes / size)} aria-label="The file, read so far" />
            <span>{told.text("rows")}{" rows"}</span>
            <button type="button" class="button" data-act="stop-reading" onclick={link.callback(|_| Msg::Stop)}>{"Cancel"}</button>
        </div>
    }
}

/// What the traffic is.
fn understood(told: &Told) -> Html {
    let column = |column: &Told| {
        let is_plain = column.text("name") == column.text("what");
        let guessed = if column.is("guessed") && !is_plain { " (guessed)" } else { "" };
        html! { <span>{column.text("what")}{": "}<b>{column.text("name")}</b>{guessed}</span> }
    };
    let columns = told.list("columns");
    html! {
        <div class="consumer-understood" data-records={told.number("records").to_string()}>
            if told.is("flatters") {
                {for told.list("warnings").iter().take(1).map(|warning| html! { <p class="consumer-warning" role="note">{warning.words()}</p> })}
            }
            <dl class="consumer-pairs">
                {for told.list("pairs").iter().map(|pair| html! {
                    <div><dt>{pair.at(0).words()}</dt><dd>{pair.at(1).words()}</dd></div>
                })}
            </dl>
            if !columns.is_empty() { <p class="consumer-columns">{for columns.iter().map(column)}</p> }
        </div>
    }
}

/// What was odd about it.
fn odd(told: &Told) -> Html {
    let bad = told.list("bad");
    let warnings = told.list("warnings").into_iter().skip(usize::from(told.is("flatters")));
    let more = told.number("more");
    html! {
        <>
            {for warnings.map(|warning| html! { <p class="consumer-warning" role="note">{warning.words()}</p> })}
            if !bad.is_empty() {
                <p class="consumer-note">
                    {format!("{} of {} rows were skipped.", told.text("skipped"), told.text("rows"))}
                </p>
                if bad.len() > SHOWN_ROWS {
                    <details class="consumer-more">
                        <summary>{format!("Which rows: {}", bad.len())}</summary>
                        {table(&bad)}
                    </details>
                } else {
                    {table(&bad)}
                }
                if more > 0.0 { <p class="consumer-note">{format!("and {more} more")}</p> }
            }
            {for told.list("notes").iter().map(|note| html! { <p class="consumer-note">{note.words()}</p> })}
        </>
    }
}

/// Rows that are not as they should be.
fn table(bad: &[Told]) -> Html {
    let row = |row: &Told| {
        let column = row.at(1).words();
        html! {
            <tr>
                <th scope="row">{row.at(0).words()}</th>
                <td>{if column.is_empty() { "whole row".into() } else { column }}</td>
                <td>{row.at(2).words()}</td>
                <td>{row.at(3).words()}</td>
            </tr>
        }
    };
    html! {
        <div class="consumer-frame" role="region" aria-label="Rows that are not as they should be" tabindex="0">
            <table class="table">
                <thead><tr>
                    <th scope="col">{"line"}</th><th scope="col">{"column"}</th>
                    <th scope="col">{"what is wrong"}</th><th scope="col">{"what was done"}</th>
                </tr></thead>
                <tbody>{for bad.iter().map(row)}</tbody>
            </table>
        </div>
    }
}

fn dropped(event: DragEvent) -> Option<Msg> {
    event.prevent_default();
    // The page opens scenarios that are dropped elsewhere.
    event.stop_propagation();
    let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
    Some(file.map_or(Msg::Over(false), opened))
}
