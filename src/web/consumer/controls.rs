//! Fields that are texts for the office to read: a complaint of the office's is shown at its field.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{html::Scope, prelude::*};

use super::{Consumer, Form, Msg};
use crate::web::widgets::reading;

/// A number with a slider that goes through round values.
pub(super) struct Dial {
    pub(super) field: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) note: &'static str,
    /// What the slider goes through, rising.
    pub(super) steps: &'static [u32],
    /// Where it stands when nobody has moved it.
    pub(super) otherwise: u32,
}

impl Dial {
    pub(super) fn view(&self, consumer: &Consumer, link: &Scope<Consumer>) -> Html {
        let Dial { field, name, unit, note, steps, otherwise } = *self;
        let shown = match consumer.field(Form::Traffic, field) {
            "" => otherwise.to_string(),
            text => text.to_owned(),
        };
        let value = shown.parse::<u32>().unwrap_or(otherwise);
        let at = steps.iter().rposition(|&step| step <= value).unwrap_or(0);
        let top = steps.len().saturating_sub(1);
        let slid = move |event: InputEvent| {
            let at = event.target_dyn_into::<HtmlInputElement>()?.value().parse::<usize>().ok()?;
            Some(Msg::Field(Form::Traffic, field, steps.get(at)?.to_string()))
        };
        let oninput = reading(slid, link.callback(|msg| msg));
        let text = format!("{shown} {unit}");
        let described = format!("{unit} {note}").trim().to_owned();
        html! {
            <div class="knob consumer-dial">
                <label class="knob-name" for={id(field)}>{name}</label>
                <span class="knob-value">
                    {text_input(consumer, link, Form::Traffic, field, &shown, "", described)}{" "}<small>{unit}</small>
                </span>
                <input type="range" min="0" max={top.to_string()} step="1" value={at.to_string()}
                    aria-label={format!("{name}, slider")} aria-valuetext={text.trim_end().to_owned()}
                    data-slide={field} style={format!("--at:{:.4}", at as f64 / top.max(1) as f64)} {oninput} />
                if !note.is_empty() { <span class="knob-note">{note}</span> }
                {complaint(consumer, Form::Traffic, field)}
            </div>
        }
    }
}

/// A text in one line; what is typed counts when it is done.
pub(super) fn text_input(
    consumer: &Consumer,
    link: &Scope<Consumer>,
    form: Form,
    field: &'static str,
    value: &str,
    placeholder: &str,
    note: impl Into<AttrValue>,
) -> Html {
    let typed = move |event: Event| {
        Some(Msg::Field(form, field, event.target_dyn_into::<HtmlInputElement>()?.value()))
    };
    let drafted = move |event: InputEvent| {
        Some(Msg::Draft(form, field, event.target_dyn_into::<HtmlInputElement>()?.value()))
    };
    let (onchange, oninput) =
        (reading(typed, link.callback(|msg| msg)), reading(drafted, link.callback(|msg| msg)));
    let value = consumer.draft(form, field).unwrap_or(value);
    let is_wrong = consumer.complaint(form, field).is_some();
    html! {
        <input class="field" type="text" inputmode="text" autocomplete="off" spellcheck="false" id={id(field)}
            data-knob={field} value={value.to_owned()} placeholder={placeholder.to_owned()}
            aria-description={note.into()} aria-invalid={is_wrong.then_some("true")}
            aria-describedby={is_wrong.then(|| format!("{}-wrong", id(field)))} {onchange} {oninput} />
    }
}

/// A labelled text in one line.
pub(super) fn labelled(
    consumer: &Consumer,
    link: &Scope<Consumer>,
    form: Form,
    (field, name, note): (&'static str, &'static str, &'static str),
    placeholder: &str,
) -> Html {
    html! {
        <div class="consumer-field">
            <label for={id(field)}>{name}</label>
            {text_input(consumer, link, form, field, consumer.field(form, field), placeholder, note)}
            if !note.is_empty() { <span class="knob-note">{note}</span> }
            {complaint(consumer, form, field)}
        </div>
    }
}

/// One of several, folded away; `options` are values and what they are called.
pub(super) fn choice(
    consumer: &Consumer,
    link: &Scope<Consumer>,
    form: Form,
    (field, name): (&'static str, &'static str),
    options: &[(AttrValue, AttrValue)],
) -> Html {
    let chosen = move |event: Event| {
        Some(Msg::Field(form, field, event.target_dyn_into::<HtmlSelectElement>()?.value()))
    };
    let onchange = reading(chosen, link.callback(|msg| msg));
    let now = consumer.field(form, field);
    html! {
        <div class="consumer-field">
            <label for={id(field)}>{name}</label>
            <select class="select" id={id(field)} data-knob={field} {onchange}>
                {for options.iter().map(|(value, label)| html! {
                    <option value={value.clone()} selected={value.as_str() == now}>{label.clone()}</option>
                })}
            </select>
            {complaint(consumer, form, field)}
        </div>
    }
}

/// What is wrong with a field.
fn complaint(consumer: &Consumer, form: Form, field: &'static str) -> Html {
    match consumer.complaint(form, field) {
        Some(reason) => html! {
            <span class="consumer-wrong" id={format!("{}-wrong", id(field))} role="alert">{reason}</span>
        },
        None => html! {},
    }
}

/// The id of a field's element.
pub(super) fn id(field: &str) -> String {
    format!("consumer-{field}")
}
