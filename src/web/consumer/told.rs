//! What the office has told: an object out of JSON, read by name where it is shown.
//!
//! The page has no other use for it than to show it, so nothing is gained by types for each kind; what is missing
//! reads as nothing.

use js_sys::{Array, JSON, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use yew::AttrValue;

/// An object, a list, a text, a number, or nothing.
#[derive(Clone)]
pub(crate) struct Told(JsValue);

impl Told {
    /// Reads JSON.
    pub(super) fn parse(text: &str) -> Option<Told> {
        JSON::parse(text).ok().map(Told)
    }

    /// What is there under a name.
    pub(super) fn get(&self, name: &str) -> Told {
        Told(Reflect::get(&self.0, &name.into()).unwrap_or(JsValue::UNDEFINED))
    }

    /// What is at a place of a list.
    pub(super) fn at(&self, place: u32) -> Told {
        self.0.dyn_ref::<Array>().map_or(Told(JsValue::UNDEFINED), |list| Told(list.get(place)))
    }

    /// Itself as a text.
    pub(super) fn words(&self) -> AttrValue {
        self.0.as_string().unwrap_or_default().into()
    }

    /// The text under a name.
    pub(super) fn text(&self, name: &str) -> AttrValue {
        self.get(name).words()
    }

    /// The number under a name.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.get(name).count()
    }

    /// Itself as a number.
    pub(super) fn count(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }

    /// The place under a name, if there is one.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.get(name).0.as_f64().map(|place| place as usize)
    }

    /// Whether the flag under a name is set.
    pub(super) fn is(&self, name: &str) -> bool {
        self.get(name).0.is_truthy()
    }

    /// The list under a name.
    pub(super) fn list(&self, name: &str) -> Vec<Told> {
        self.get(name).all()
    }

    /// Itself as a list.
    pub(super) fn all(&self) -> Vec<Told> {
        self.0.dyn_ref::<Array>().map_or_else(Vec::new, |list| list.iter().map(Told).collect())
    }
}
