//! The third step: the runs, the five answers, and what can be taken away.

use yew::{html::Scope, prelude::*};

use super::{Answer, Consumer, Form, Msg, controls::labelled, told::Told, traffic::refusal};

/// In the order of a report.
const QUESTIONS: [(&str, &str); 5] = [
    ("workers", "How many workers pay?"),
    ("marks", "Which marks?"),
    ("drain", "How long a drain?"),
    ("crash", "What does a crash cost?"),
    ("quarantine", "How long may a poisoned record stay?"),
];

/// What is taken away of an answer.
const OF_ANSWER: [(&str, &str); 4] = [("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"), ("json", "JSON")];

type File = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Settings as files.
const SETTINGS: [File; 7] = [
    ("java", "Java properties", &[("what", "settings"), ("form", "java")]),
    ("spring", "Spring YAML", &[("what", "settings"), ("form", "spring")]),
    ("librdkafka", "librdkafka", &[("what", "settings"), ("form", "librdkafka")]),
    ("scenario", "a scenario for kwp", &[("what", "settings"), ("form", "scenario")]),
    ("skeleton-java", "Java", &[("what", "settings"), ("form", "skeleton-java")]),
    ("skeleton-go", "Go", &[("what", "settings"), ("form", "skeleton-go")]),
    ("skeleton-rust", "Rust", &[("what", "settings"), ("form", "skeleton-rust")]),
];

/// Why nothing can be answered yet.
const EARLY: &str = "They need some traffic first.";

const REPORT: &[(&str, &str)] = &[("what", "report")];
const TRACE: &[(&str, &str)] = &[("what", "trace")];

pub(super) fn view(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let is_under_way = consumer.sizing.is_some();
    let is_early = consumer.traffic.is_none() && !is_under_way;
    let (act, label) = if is_under_way { ("stop", "Stop") } else { ("size", "Answer the five questions") };
    let onclick = link.callback(move |_| if is_under_way { Msg::Stop } else { Msg::Size });
    html! {
        <section class="consumer-step" aria-labelledby="consumer-answers">
            <h3 id="consumer-answers">{"The answers"}</h3>
            <div class="consumer-go">
                <button type="button" class="button consumer-primary" data-act={act}
                    aria-disabled={is_early.then_some("true")} aria-description={is_early.then_some(EARLY)} {onclick}>{label}</button>
                if is_under_way { {progress(consumer.progress.as_ref())} }
                else if is_early { <span class="consumer-note">{EARLY}</span> }
            </div>
            <details class="consumer-more">
                <summary>{"How hard to try"}</summary>
                <div class="consumer-fields">
                    {labelled(consumer, link, Form::Sizing, ("revokes", "Revokes per drain window", "none of 300 leaking bounds the chance below 1 %"), "300")}
                    {labelled(consumer, link, Form::Sizing, ("study-seed", "Seed", "what moments and poisoned records are drawn from"), "0")}
                </div>
            </details>
            {refusal(consumer, Form::Sizing, link)}
            if consumer.is_stale {
                <p class="consumer-warning" role="note">{"What follows was found for other traffic or settings than there are now."}</p>
            }
            <div class="consumer-found" data-stale={consumer.is_stale.then_some("")}>
                if let Some(base) = &consumer.base { {as_it_is(base)} }
                {for QUESTIONS.iter().filter_map(|(name, _)| {
                    let answer = consumer.answers.get(*name)?;
                    Some(self::answer(answer, name, consumer.is_stale, link))
                })}
                if let Some(told) = &consumer.together {
                    <article class="consumer-answer" data-answer="together" aria-labelledby="consumer-answer-together">
                        <h4 id="consumer-answer-together">{"All together"}</h4>
                        <p class="consumer-sentence">{told.text("sentence")}</p>
                    </article>
                }
            </div>
            {taking(consumer, link)}
        </section>
    }
}

fn progress(told: Option<&Told>) -> Html {
    let permille = told.map_or(0.0, |told| told.number("permille"));
    let runs = told
        .map_or_else(String::new, |told| format!("{} of {} runs", told.number("done"), told.number("jobs")));
    html! {
        <span class="consumer-progress">
            <progress max="1000" value={permille.to_string()} aria-label="Runs" />
            <span>{runs}</span>
        </span>
    }
}

/// The run as things are.
fn as_it_is(base: &Told) -> Html {
    html! {
        <div class="consumer-answer" data-answer="base">
            <h4>{"As it is"}</h4>
            {table(base, "The run as it is")}
        </div>
    }
}

fn answer(answer: &Answer, question: &'static str, is_stale: bool, link: &Scope<Consumer>) -> Html {
    let Answer { told, picture } = answer;
    let is_complete = told.is("complete");
    let sentences = told.list("sentences");
    let title = told.text("title");
    let take = |&(what, name): &(&'static str, &'static str)| {
        let onclick = link.callback(move |_| Msg::TakeOf(what, question.to_owned()));
        html! {
            <button type="button" class="tool" data-take={what} aria-label={format!("{title} as {name}")} {onclick}>{name}</button>
        }
    };
    html! {
        <article class="consumer-answer" data-answer={question} data-complete={is_complete.then_some("")} key={question}
            aria-labelledby={format!("consumer-answer-{question}")}>
            <h4 id={format!("consumer-answer-{question}")}>{title.clone()}</h4>
            {for sentences.iter().take(1).map(|sentence| html! { <p class="consumer-sentence">{sentence.words()}</p> })}
            if let Some(picture) = picture { {picture.view()} }
            {for sentences.iter().skip(1).map(|sentence| html! { <p>{sentence.words()}</p> })}
            <details class="consumer-more">
                <summary>{format!("The numbers: {} rows", told.list("rows").len())}</summary>
                {table(told, &title)}
            </details>
            if !is_complete {
                <p class="consumer-note">{format!("So far: {} of {} runs.", told.number("done"), told.number("jobs"))}</p>
            } else if !is_stale {
                <p class="consumer-take"><span>{"Take away:"}</span>{for OF_ANSWER.iter().map(take)}</p>
            }
        </article>
    }
}

fn table(told: &Told, name: &str) -> Html {
    let marked = told.place("marked");
    let row = |(at, row): (usize, &Told)| {
        let cells = row.all();
        let is_now = marked == Some(at);
        html! {
            <tr data-now={is_now.then_some("")}>
                {for cells.iter().enumerate().map(|(nth, cell)| match nth {
                    0 => html! { <th scope="row">{cell.words()} if is_now { <small>{" (now)"}</small> }</th> },
                    _ => html! { <td>{cell.words()}</td> },
                })}
            </tr>
        }
    };
    html! {
        <div class="consumer-frame" role="region" aria-label={format!("{name}, the numbers")} tabindex="0">
            <table class="table consumer-table">
                <thead><tr>{for told.list("heads").iter().map(|head| html! { <th scope="col">{head.words()}</th> })}</tr></thead>
                <tbody>{for told.list("rows").iter().enumerate().map(row)}</tbody>
            </table>
        </div>
    }
}

/// What can be taken away.
fn taking(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    if consumer.traffic.is_none() {
        return html! {};
    }
    let take = |&(name, label, fields): &File| {
        html! {
            <button type="button" class="tool" data-take={name} onclick={link.callback(move |_| Msg::Take(fields))}>{label}</button>
        }
    };
    html! {
        <div class="consumer-taking">
            <h4>{"Take it with you"}</h4>
            <p>
                if consumer.is_done {
                    <button type="button" class="button" data-take="report" onclick={link.callback(|_| Msg::Take(REPORT))}>{"The whole report"}</button>
                    {" one HTML file that needs nothing else, as kwp size writes it. "}
                }
                <button type="button" class="tool" data-take="trace" onclick={link.callback(|_| Msg::Take(TRACE))}>{"The traffic as a trace"}</button>
                {" for "}<code>{"kwp size"}</code>{"."}
            </p>
            <p><span>{"The settings as "}</span>{for SETTINGS[..4].iter().map(take)}</p>
            <p><span>{"A consumer to begin with in "}</span>{for SETTINGS[4..].iter().map(take)}</p>
            <p role="status" class="consumer-note">{consumer.saved.clone()}</p>
        </div>
    }
}
