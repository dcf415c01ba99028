//! The second step: settings, pasted or a library's, what was understood of them, and what is to be said.

use web_sys::HtmlTextAreaElement;
use yew::{html::Scope, prelude::*};

use super::{
    Consumer, Form, Msg,
    controls::{choice, id, labelled},
    told::Told,
    traffic::refusal,
};
use crate::web::widgets::reading;

/// Libraries whose defaults can be taken: what the office calls them, and what they call themselves.
const LIBRARIES: [(&str, &str); 12] = [
    ("", "the client whose names are used"),
    ("-", "the engine here"),
    ("java", "plain Java client"),
    ("spring", "Spring for Apache Kafka"),
    ("parallel-consumer", "Confluent Parallel Consumer"),
    ("decaton", "Decaton"),
    ("smallrye", "SmallRye Reactive Messaging"),
    ("librdkafka", "librdkafka"),
    ("karafka", "Karafka"),
    ("kafkaflow", "KafkaFlow"),
    ("sarama", "Sarama"),
    ("franz-go", "franz-go"),
];

/// What can be filled in by hand: the setting, its name, what it counts.
const BY_HAND: [(&str, &str, &str); 7] = [
    ("kwp.workers", "Workers", "threads on the partition"),
    ("max.poll.records", "Records per poll", "at most"),
    ("kwp.intake.high", "High mark", "pause at so many in flight"),
    ("kwp.intake.low", "Low mark", "resume at so many"),
    ("kwp.commit.interval.ms", "Commit every", "ms"),
    ("kwp.drain.ms", "Drain window", "ms"),
    ("kwp.quarantine.after.ms", "Quarantine after", "ms"),
];

const PLACEHOLDER: &str = "max.poll.records=500\nmax.poll.interval.ms=300000\nkwp.workers=16";

pub(super) fn view(consumer: &Consumer, link: &Scope<Consumer>) -> Html {
    let libraries: Vec<_> = LIBRARIES.map(|(id, name)| (AttrValue::from(id), AttrValue::from(name))).into();
    let now = consumer.settings.as_ref().map(|told| told.get("now"));
    let by_hand = |&(field, name, note): &(&'static str, &'static str, &'static str)| {
        let placeholder = now.as_ref().map_or_else(AttrValue::default, |now| now.text(field));
        labelled(consumer, link, Form::Settings, (field, name, note), &placeholder)
    };
    let typed = |event: Event| {
        let text = event.target_dyn_into::<HtmlTextAreaElement>()?.value();
        Some(Msg::Field(Form::Settings, "text", text))
    };
    let drafted = |event: InputEvent| {
        let text = event.target_dyn_into::<HtmlTextAreaElement>()?.value();
        Some(Msg::Draft(Form::Settings, "text", text))
    };
    let (onchange, oninput) =
        (reading(typed, link.callback(|msg| msg)), reading(drafted, link.callback(|msg| msg)));
    let text = consumer.draft(Form::Settings, "text").unwrap_or(consumer.field(Form::Settings, "text"));
    html! {
        <section class="consumer-step" aria-labelledby="consumer-settings">
            <h3 id="consumer-settings">{"Your settings"}</h3>
            <div class="consumer-two">
                <div class="consumer-paste">
                    {choice(consumer, link, Form::Settings, ("library", "What is left open is as in"), &libraries)}
                    <div class="consumer-field">
                        <label for={id("text")}>{"Over them, your own"}</label>
                        <textarea class="field consumer-text" id={id("text")} rows="7" spellcheck="false" autocomplete="off"
                            data-knob="text" placeholder={PLACEHOLDER}
                            value={text.to_owned()} {onchange} {oninput} />
                        <span class="knob-note">
                            {"Properties, YAML, JSON, code, or variables of the environment. Names that begin with kwp. are for what no client has a name for."}
                        </span>
                    </div>
                </div>
                <fieldset class="consumer-hand">
                    <legend>{"Over all of it, by hand"}</legend>
                    {for BY_HAND.iter().map(by_hand)}
                </fieldset>
            </div>
            {refusal(consumer, Form::Settings, link)}
            if let Some(told) = &consumer.settings { {understood(told)} }
        </section>
    }
}

fn understood(told: &Told) -> Html {
    let verdicts = told.list("verdicts");
    let verdict = |verdict: &Told| {
        html! { <li data-weight={verdict.at(0).words()}>{verdict.at(1).words()}</li> }
    };
    let rows = told.list("rows");
    html! {
        <>
            if !told.get("library").at(1).words().is_empty() {
                <p class="consumer-note">{told.get("library").at(0).words()}{": "}{told.get("library").at(1).words()}</p>
            }
            if told.is("wrong") { <pre class="consumer-refused" role="alert">{told.text("wrong")}</pre> }
            if !verdicts.is_empty() {
                <ul class="consumer-verdicts" aria-label="Verdicts">{for verdicts.iter().map(verdict)}</ul>
            }
            {mentions("No sense in these", &told.list("invalid"), true)}
            {mentions("Decided elsewhere", &told.list("open"), true)}
            {mentions("Not understood", &told.list("unknown"), true)}
            {for told.list("notes").iter().map(|note| html! { <p class="consumer-note">{note.words()}</p> })}
            if !rows.is_empty() {
                <details class="consumer-more">
                    <summary>{format!("What was understood: {}", rows.len())}</summary>
                    <div class="consumer-frame" role="region" aria-label="Settings that were understood" tabindex="0">
                        <table class="table">
                            <thead><tr>
                                <th scope="col">{"setting"}</th><th scope="col">{"value"}</th>
                                <th scope="col">{"what it means"}</th><th scope="col">{"from"}</th>
                            </tr></thead>
                            <tbody>{for rows.iter().map(|row| html! {
                                <tr>
                                    <th scope="row"><code>{row.at(0).words()}</code></th>
                                    <td>{row.at(1).words()}</td>
                                    <td>{row.at(2).words()}</td>
                                    <td>{row.at(3).words()}</td>
                                </tr>
                            })}</tbody>
                        </table>
                    </div>
                    {mentions("Without effect here", &told.list("without"), false)}
                </details>
            }
        </>
    }
}

/// Names of the text that are not used.
fn mentions(what: &'static str, list: &[Told], with_lines: bool) -> Html {
    if list.is_empty() {
        return html! {};
    }
    let mention = |mention: &Told| {
        let hint = mention.at(2).words();
        html! {
            <li>
                <code>{mention.at(1).words()}</code>
                if with_lines { <small>{" line "}{mention.at(0).words()}</small> }
                if !hint.is_empty() { {": "}{hint} }
            </li>
        }
    };
    html! {
        <div class="consumer-mentions"><b>{what}</b><ul>{for list.iter().map(mention)}</ul></div>
    }
}
