//! Controls that all panels share: each is a function from what it shows to markup, with a typed callback.

use std::fmt::Display;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// A listener that tells what it can read off an event, and nothing where it cannot.
pub(crate) fn reading<E: 'static, T: 'static>(
    read: impl Fn(E) -> Option<T> + 'static,
    tell: Callback<T>,
) -> Callback<E> {
    Callback::from(move |event| {
        if let Some(value) = read(event) {
            tell.emit(value);
        }
    })
}

/// A whole number to drag.
pub(crate) struct Slider {
    /// Its `data-knob`.
    pub(crate) knob: &'static str,
    /// Its name for the reader.
    pub(crate) name: &'static str,
    /// The unit behind the value.
    pub(crate) unit: &'static str,
    /// What it means, in a few words.
    pub(crate) note: AttrValue,
    /// The range, both ends included.
    pub(crate) range: (u32, u32),
    /// Where it stands.
    pub(crate) value: u32,
    /// The `data-part` of the drawing that it belongs to, or nothing.
    pub(crate) part: &'static str,
}

impl Slider {
    /// The slider; `on_value` gets every value that is dragged over.
    pub(crate) fn view(self, on_value: Callback<u32>) -> Html {
        self.saying(None, on_value)
    }

    /// The slider where its value may stand for something that is no number: that word instead of it.
    pub(crate) fn saying(self, word: Option<&'static str>, on_value: Callback<u32>) -> Html {
        let Slider { knob, name, unit, note, range: (min, max), value, part } = self;
        let at = share(value.saturating_sub(min).into(), max.saturating_sub(min).into());
        let dragged = move |event: InputEvent| {
            let value = event.target_dyn_into::<HtmlInputElement>()?.value().parse::<u32>().ok()?;
            Some(value.clamp(min, max))
        };
        let oninput = reading(dragged, on_value);
        let unit = if word.is_some() { "" } else { unit };
        let shown = word.map_or_else(|| value.to_string(), str::to_owned);
        let text = format!("{shown} {unit}");
        html! {
            <label class="knob" data-part={(!part.is_empty()).then_some(part)}>
                <span class="knob-name" aria-hidden="true">{name}</span>
                <span class="knob-value" aria-hidden="true">{shown} if !unit.is_empty() { {" "}<small>{unit}</small> }</span>
                <input type="range" data-knob={knob} min={min.to_string()} max={max.to_string()} step="1"
                    value={value.to_string()} aria-label={name} aria-valuetext={text.trim_end().to_owned()} aria-description={note.clone()}
                    style={format!("--at:{at}")} {oninput} />
                <span class="knob-note">{note}</span>
            </label>
        }
    }
}

/// A list of its own: within their parent's, beside elements that have no key or are not always there, they would be
/// matched by place and not by key, and made anew.
pub(crate) fn list(elements: impl Iterator<Item = Html>) -> Html {
    elements.collect()
}

/// How much a part is of a whole, 0 to 1, as style sheets read it.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let whole = whole.max(1);
    ratio(part.min(whole), whole, 4)
}

/// A ratio in decimals, so many after the point. In whole numbers: what writes floats is 10 KB of the module.
pub(crate) fn ratio(of: u64, to: u64, places: usize) -> String {
    let unit = 10_u128.pow(places as u32);
    let to = u128::from(to.max(1));
    let rounded = (u128::from(of) * unit + to / 2) / to;
    // What writes integers of this size is another KB.
    let (whole, part) = ((rounded / unit) as u64, (rounded % unit) as u64);
    format!("{whole}.{part:0places$}")
}

/// "1 tick", "7 ticks".
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// One of a few, all in sight. `options` are the choice, its value in the markup, and its label.
pub(crate) fn segmented<T: PartialEq + Copy + 'static, L: Display>(
    knob: &'static str,
    legend: &'static str,
    options: &[(T, &'static str, L)],
    chosen: T,
    on_choice: &Callback<T>,
) -> Html {
    let option = |(choice, value, label): &(T, &'static str, L)| {
        let (choice, value) = (*choice, *value);
        let onchange = on_choice.reform(move |_: Event| choice);
        html! {
            <label>
                <input type="radio" name={knob} data-knob={knob} {value} checked={choice == chosen} {onchange} />
                <span>{label.to_string()}</span>
            </label>
        }
    };
    html! {
        <fieldset class="segmented knob-wide">
            <legend>{legend}</legend>
            {for options.iter().map(option)}
        </fieldset>
    }
}

/// On or off.
pub(crate) fn switch(
    knob: &'static str,
    name: &'static str,
    note: &'static str,
    on: bool,
    on_change: Callback<bool>,
) -> Html {
    let checked = |event: Event| Some(event.target_dyn_into::<HtmlInputElement>()?.checked());
    let onchange = reading(checked, on_change);
    html! {
        <label class="switch">
            <input type="checkbox" role="switch" data-knob={knob} checked={on} {onchange} />
            <span>{name}{" "}<small>{note}</small></span>
        </label>
    }
}

/// One of several, folded away. `options` are label and whether it is chosen.
pub(crate) fn select(
    knob: &'static str,
    name: &'static str,
    options: Vec<(String, bool)>,
    on_choice: Callback<usize>,
) -> Html {
    let index =
        |event: Event| usize::try_from(event.target_dyn_into::<HtmlSelectElement>()?.selected_index()).ok();
    let onchange = reading(index, on_choice);
    let option = |(at, (label, selected)): (usize, (String, bool))| {
        html! { <option value={at.to_string()} {selected}>{label}</option> }
    };
    html! {
        <select class="select" data-knob={knob} aria-label={name} {onchange}>
            {for options.into_iter().enumerate().map(option)}
        </select>
    }
}

/// The small pictures on buttons.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Icon {
    Play,
    Pause,
    Back,
    Step,
    Restart,
    Dice,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Icon::Play => "M6 3.5v13l10.5-6.5z",
            Icon::Pause => "M5 4h3.6v12H5zM11.4 4H15v12h-3.6z",
            Icon::Back => "M5 4h2.2v12H5zM16 4v12l-8-6z",
            Icon::Step => "M12.8 4H15v12h-2.2zM4 4v12l8-6z",
            Icon::Restart => "M10 4a6 6 0 1 1-5.7 4.1l1.9.6A4 4 0 1 0 10 6v2.6L5.8 5 10 1.4z",
            Icon::Dice => {
                "M4 3h12a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zm1 2v10h10V5zm2.8 1.6a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4zm4.4 4.4a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4z"
            }
        }
    }

    /// The picture, for eyes only.
    pub(crate) fn view(self) -> Html {
        html! {
            <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d={self.path()} fill-rule="evenodd" /></svg>
        }
    }
}

/// A button with only a picture on it. Where it does nothing it says so and keeps the focus, which a disabled
/// button would lose.
pub(crate) fn icon_button(
    act: &'static str,
    icon: Icon,
    label: &'static str,
    disabled: bool,
    onclick: Callback<MouseEvent>,
) -> Html {
    html! {
        <button type="button" class="icon-button" data-act={act} aria-label={label} title={label}
            aria-disabled={disabled.then_some("true")} {onclick}>
            {icon.view()}
        </button>
    }
}
