//! The reader's own consumer: traffic in, settings in, five answers out.
//!
//! Everything that takes time is done by the office (`office::consumer`), in a worker of its own. Here is what the
//! reader has filled in, what the office has told last, and the markup of both. A newer request takes an older one's
//! place, there and here: what is told for an older one is not shown.

mod answers;
mod controls;
mod picture;
mod settings;
mod talk;
mod told;
mod traffic;

use std::collections::BTreeMap;

use gloo_timers::callback::Timeout;
use js_sys::Array;
use web_sys::{Blob, Element, File};
use yew::prelude::*;

use picture::Picture;
use talk::{Heard, Talk};
use told::Told;

/// After the last letter of settings that are typed or pasted, before they count.
const SETTLED_MS: u32 = 600;

/// Between two messages to a reader who listens.
const BETWEEN_MS: f64 = 1_000.0;

const CLOSED: &str = "The part of the page that computes could not be loaded, or stopped. Is the network there? Try again; nothing that was filled in is lost.";

/// What a field belongs to, and a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    Traffic,
    Settings,
    Sizing,
}

/// Where traffic comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File,
    Shape,
    Flights,
}

/// What the reader does, and what the office tells.
pub(crate) enum Msg {
    Source(Source),
    Field(Form, &'static str, String),
    /// Something is being typed, and does not count yet.
    Draft(Form, &'static str, String),
    /// Nobody has typed for a while: what is there counts.
    Settle(Form, &'static str),
    /// A file was chosen or dropped; or a text pasted, which is too long to be shown.
    Open(Blob, String),
    /// Files are held over the place where they can be dropped, or not any more.
    Over(bool),
    /// A text was pasted.
    Paste(String),
    Size,
    Stop,
    /// Once more, after the worker was gone.
    Again,
    Take(&'static [(&'static str, &'static str)]),
    TakeOf(&'static str, String),
    Heard(Heard),
}

/// What was said of a form that will not do.
struct Complaint {
    field: String,
    error: AttrValue,
    /// Whether it is no fault of the form's, and asking again may help.
    is_closed: bool,
}

/// An answer, with its chart.
struct Answer {
    told: Told,
    picture: Option<Picture>,
}

/// The component.
pub(crate) struct Consumer {
    talk: Option<Talk>,
    asked: u32,
    source: Source,
    fields: BTreeMap<(Form, &'static str), String>,
    /// What is being typed: shown, so that nothing that is told meanwhile takes it away.
    drafts: BTreeMap<(Form, &'static str), String>,
    /// When settings that are typed count.
    settling: Option<Timeout>,
    /// What was pasted last, where it is short.
    pasted: String,
    /// What was opened last, so that it can be read in another way.
    file: Option<(Blob, String)>,
    is_over: bool,
    /// The request that brings traffic, the newest one.
    bringing: u32,
    /// Whether traffic is on its way; and, when it is shaped, whether a slider has moved since.
    is_bringing: bool,
    moved: bool,
    reading: Option<Told>,
    titles: Vec<Told>,
    traffic: Option<(Told, Option<Picture>)>,
    settings: Option<Told>,
    complaints: BTreeMap<Form, Complaint>,
    /// The request that sizes, while it is under way.
    sizing: Option<u32>,
    progress: Option<Told>,
    base: Option<Told>,
    together: Option<Told>,
    answers: BTreeMap<String, Answer>,
    /// Whether the answers are for other traffic or settings than there are now.
    is_stale: bool,
    /// Whether there is a report to take away.
    is_done: bool,
    said: AttrValue,
    said_at: f64,
    saved: AttrValue,
}

impl Consumer {
    /// What is in a field.
    fn field(&self, form: Form, field: &'static str) -> &str {
        self.fields.get(&(form, field)).map_or("", String::as_str)
    }

    /// What is being typed into a field.
    fn draft(&self, form: Form, field: &'static str) -> Option<&str> {
        self.drafts.get(&(form, field)).map(String::as_str)
    }

    /// What is wrong with a field.
    fn complaint(&self, form: Form, field: &str) -> Option<AttrValue> {
        let complaint = self.complaints.get(&form)?;
        (complaint.field == field).then(|| complaint.error.clone())
    }

    /// Asks the office; the request's number, or nothing when there is no office.
    fn ask(&mut self, ctx: &Context<Self>, act: &str, form: Form, more: &[(&str, &str)]) -> Option<u32> {
        if self.talk.is_none() {
            self.talk = Talk::open(&ctx.link().callback(Msg::Heard));
            // A new session knows nothing of the settings.
            if form != Form::Settings && self.fields.keys().any(|(own, _)| *own == Form::Settings) {
                self.ask(ctx, "settings", Form::Settings, &[]);
            }
        }
        self.asked = self.asked.wrapping_add(1);
        let fields = self.fields.iter().filter(|((own, _), _)| *own == form);
        let fields = fields.map(|((_, name), text)| (*name, text.as_str())).chain(more.iter().copied());
        let file = self.file.as_ref().map(|(file, _)| file).filter(|_| act == "open");
        let asked = self.talk.as_ref().is_some_and(|talk| talk.ask(self.asked, act, fields, file));
        if !asked {
            self.complain(form, String::new(), CLOSED.into());
        }
        asked.then_some(self.asked)
    }

    fn complain(&mut self, form: Form, field: String, error: AttrValue) {
        let is_closed = error == CLOSED;
        self.complaints.insert(form, Complaint { field, error, is_closed });
    }

    /// Has traffic brought.
    fn bring(&mut self, ctx: &Context<Self>, act: &str, more: &[(&str, &str)]) {
        self.complaints.remove(&Form::Traffic);
        self.outdate();
        self.saved = AttrValue::default();
        self.reading = None;
        if let Some(id) = self.ask(ctx, act, Form::Traffic, more) {
            (self.bringing, self.is_bringing, self.moved) = (id, true, false);
        }
    }

    fn open(&mut self, ctx: &Context<Self>) {
        let Some((file, name)) = self.file.clone() else { return };
        let size = format!("{:.0}", file.size());
        self.bring(ctx, "open", &[("name", &name), ("size", &size)]);
    }

    /// Draws traffic anew; a slider that moves on while that is done is heard when it is.
    fn shape(&mut self, ctx: &Context<Self>) {
        if self.is_bringing {
            self.moved = true;
        } else {
            self.bring(ctx, "shape", &[]);
        }
    }

    fn tune(&mut self, ctx: &Context<Self>) {
        self.complaints.remove(&Form::Settings);
        self.outdate();
        self.ask(ctx, "settings", Form::Settings, &[]);
    }

    /// What was found out is about something else now; what is under way is dropped by the office.
    fn outdate(&mut self) {
        self.is_stale = self.base.is_some() || !self.answers.is_empty();
        self.is_done = false;
        if self.sizing.take().is_some() {
            self.progress = None;
            self.say("Stopped: the traffic or the settings have changed.".into(), true);
        }
    }

    fn change(&mut self, ctx: &Context<Self>, form: Form, field: &'static str, text: String) {
        if (field, text.as_str()) == ("hash-keys", "on") && self.field(form, "salt").is_empty() {
            self.fields.insert((form, "salt"), salt());
        }
        self.drafts.remove(&(form, field));
        if (form, self.field(form, field)) == (Form::Settings, text.as_str()) {
            // It has counted since it settled.
            return;
        }
        self.fields.insert((form, field), text);
        match (form, self.source) {
            (Form::Traffic, Source::Shape) => self.shape(ctx),
            (Form::Traffic, Source::File) => self.open(ctx),
            (Form::Traffic, Source::Flights) => {}
            (Form::Settings, _) => self.tune(ctx),
            (Form::Sizing, _) => {
                self.complaints.remove(&Form::Sizing);
            }
        }
    }

    fn turn_to(&mut self, ctx: &Context<Self>, source: Source) {
        self.source = source;
        match source {
            Source::Shape => self.shape(ctx),
            Source::Flights => self.bring(ctx, "flights", &[]),
            Source::File if self.file.is_some() => self.open(ctx),
            Source::File => {
                self.bring(ctx, "stop", &[]);
                (self.is_bringing, self.traffic) = (false, None);
            }
        }
    }

    fn size(&mut self, ctx: &Context<Self>) {
        self.complaints.remove(&Form::Sizing);
        self.sizing = self.ask(ctx, "size", Form::Sizing, &[]);
        if self.sizing.is_some() {
            (self.progress, self.base, self.is_stale, self.is_done) = (None, None, false, false);
            self.answers.clear();
            self.together = None;
            self.saved = AttrValue::default();
            self.say("The runs have begun.".into(), true);
        }
    }

    fn hear(&mut self, ctx: &Context<Self>, heard: Heard) -> bool {
        match heard {
            Heard::Show(id, told) => self.show(ctx, id, told),
            Heard::Saved(result) => {
                self.saved = result.unwrap_or_else(|error| error).into();
                true
            }
            Heard::Closed => {
                self.talk = None;
                let form = if self.sizing.take().is_some() { Form::Sizing } else { Form::Traffic };
                (self.is_bringing, self.reading, self.progress) = (false, None, None);
                (self.is_stale, self.is_done) = (!self.answers.is_empty(), false);
                self.traffic = None;
                self.complain(form, String::new(), CLOSED.into());
                true
            }
        }
    }

    fn show(&mut self, ctx: &Context<Self>, id: u32, told: Told) -> bool {
        let (of_traffic, of_sizing) = (id >= self.bringing, self.sizing.is_some_and(|own| id >= own));
        match told.text("kind").as_str() {
            "reading" if of_traffic && self.is_bringing => {
                let text = format!("{} rows of {} read.", told.text("rows"), told.text("name"));
                self.say(text.into(), false);
                self.reading = Some(told);
            }
            "traffic" if of_traffic => self.brought(ctx, told),
            "offered" if of_traffic => self.offer(ctx, &told),
            "settings" => {
                self.complaints.remove(&Form::Settings);
                self.settings = Some(told);
            }
            "refused" => self.refuse(ctx, of_traffic, &told),
            "progress" if of_sizing => {
                let quarter = |told: &Told| (told.number("permille") / 250.0) as u32;
                if self.progress.as_ref().map(quarter) != Some(quarter(&told)) {
                    self.say(format!("{} % of the runs are done.", 25 * quarter(&told)).into(), false);
                }
                self.progress = Some(told);
            }
            "base" if of_sizing => self.base = Some(told),
            "together" if of_sizing => self.together = Some(told),
            "answer" if of_sizing => {
                let picture = Picture::new(&told.text("svg"), told.text("alt"));
                self.answers.insert(told.text("question").to_string(), Answer { told, picture });
            }
            "done" if of_sizing => {
                (self.sizing, self.progress, self.is_done) = (None, None, true);
                self.say("All questions are answered.".into(), true);
            }
            "stopped" => {
                if self.sizing.take().is_some() {
                    (self.progress, self.is_done) = (None, !self.answers.is_empty());
                    self.say("Stopped. What was found so far stays.".into(), true);
                }
                if told.is("reading") {
                    self.traffic = None;
                    self.say("Stopped reading.".into(), true);
                }
            }
            _ => return false,
        }
        true
    }

    fn brought(&mut self, ctx: &Context<Self>, told: Told) {
        let was_reading = self.reading.take().is_some();
        self.is_bringing = false;
        self.titles = told.list("titles");
        // What is last said of a file is what came of it.
        self.say(format!("{} records of traffic are there.", told.number("records")).into(), was_reading);
        let alt = "Chart. How many records arrive over time.";
        let picture = Picture::new(&told.text("svg"), alt.into());
        self.traffic = Some((told, picture));
        if self.moved {
            self.shape(ctx);
        }
    }

    /// Settings that go well with traffic are taken where the reader has none.
    fn offer(&mut self, ctx: &Context<Self>, told: &Told) {
        if self.fields.keys().all(|(form, _)| *form != Form::Settings) {
            for (field, name) in [("text", "settings"), ("library", "library")] {
                self.fields.insert((Form::Settings, field), told.text(name).to_string());
            }
            self.tune(ctx);
        }
    }

    fn refuse(&mut self, ctx: &Context<Self>, of_traffic: bool, told: &Told) {
        let form = match told.text("about").as_str() {
            "traffic" if of_traffic => Form::Traffic,
            "traffic" => return,
            "settings" => Form::Settings,
            _ => Form::Sizing,
        };
        self.complain(form, told.text("field").to_string(), told.text("error"));
        match form {
            Form::Traffic => {
                (self.is_bringing, self.reading, self.traffic) = (false, None, None);
                self.titles = told.list("titles");
                if self.moved {
                    self.shape(ctx);
                }
            }
            // What cannot be sized is not under way; and what was said of other settings is not of these.
            Form::Settings => (self.settings, self.sizing, self.progress) = (None, None, None),
            Form::Sizing => (self.sizing, self.progress) = (None, None),
        }
    }

    /// Says something to a reader who listens: at most so often, unless it matters.
    fn say(&mut self, text: AttrValue, matters: bool) {
        let now = js_sys::Date::now();
        if matters || now - self.said_at >= BETWEEN_MS {
            (self.said, self.said_at) = (text, now);
        }
    }
}

impl Component for Consumer {
    type Message = Msg;
    type Properties = ();

    fn create(_: &Context<Self>) -> Consumer {
        Consumer {
            talk: None,
            asked: 0,
            source: Source::File,
            fields: BTreeMap::new(),
            drafts: BTreeMap::new(),
            settling: None,
            pasted: String::new(),
            file: None,
            is_over: false,
            bringing: 0,
            is_bringing: false,
            moved: false,
            reading: None,
            titles: Vec::new(),
            traffic: None,
            settings: None,
            complaints: BTreeMap::new(),
            sizing: None,
            progress: None,
            base: None,
            together: None,
            answers: BTreeMap::new(),
            is_stale: false,
            is_done: false,
            said: AttrValue::default(),
            said_at: 0.0,
            saved: AttrValue::default(),
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Source(source) => self.turn_to(ctx, source),
            Msg::Field(form, field, text) => self.change(ctx, form, field, text),
            Msg::Draft(form, field, text) => {
                self.drafts.insert((form, field), text);
                if (form, field) == (Form::Settings, "text") {
                    let link = ctx.link().clone();
                    let settle = move || link.send_message(Msg::Settle(form, field));
                    self.settling = Some(Timeout::new(SETTLED_MS, settle));
                }
                return false;
            }
            Msg::Settle(form, field) => match self.drafts.get(&(form, field)).cloned() {
                Some(text) => self.change(ctx, form, field, text),
                None => return false,
            },
            Msg::Over(is_over) => {
                if self.is_over == is_over {
                    return false;
                }
                self.is_over = is_over;
            }
            Msg::Open(file, name) => {
                (self.is_over, self.source, self.file) = (false, Source::File, Some((file, name)));
                self.titles.clear();
                self.pasted.clear();
                for column in ["time-column", "key-column", "work-column"] {
                    self.fields.remove(&(Form::Traffic, column));
                }
                self.open(ctx);
            }
            // What was taken when it was pasted is there once more when its field is left.
            Msg::Paste(text) if text == self.pasted => return false,
            Msg::Paste(text) => match Blob::new_with_str_sequence(&Array::of1(&text.as_str().into())) {
                Ok(blob) => {
                    Component::update(self, ctx, Msg::Open(blob, "pasted.csv".to_owned()));
                    self.pasted = text;
                }
                Err(_) => self.complain(
                    Form::Traffic,
                    String::new(),
                    "The browser did not hand over the text.".into(),
                ),
            },
            Msg::Size if self.traffic.is_none() => return false,
            Msg::Size => self.size(ctx),
            Msg::Again => self.turn_to(ctx, self.source),
            Msg::Stop => {
                self.ask(ctx, "stop", Form::Sizing, &[]);
                (self.is_bringing, self.reading) = (false, None);
            }
            Msg::Take(fields) => {
                self.ask(ctx, "take", Form::Sizing, fields);
            }
            Msg::TakeOf(what, question) => {
                self.ask(ctx, "take", Form::Sizing, &[("what", what), ("question", &question)]);
            }
            Msg::Heard(heard) => return self.hear(ctx, heard),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        html! {
            <div class="panel consumer" data-part="consumer">
                {traffic::view(self, link)}
                {settings::view(self, link)}
                {answers::view(self, link)}
                <div class="visually-hidden" role="status" data-said="">{self.said.clone()}</div>
            </div>
        }
    }
}

/// Puts it in its place.
pub(super) fn mount(place: Element) {
    place.set_inner_html("");
    yew::Renderer::<Consumer>::with_root(place).render();
}

/// A salt that nobody can guess; an empty one where the browser has no dice.
fn salt() -> String {
    let mut bytes = [0; 12];
    let crypto = web_sys::window().and_then(|window| window.crypto().ok());
    match crypto.map(|crypto| crypto.get_random_values_with_u8_array(&mut bytes)) {
        Some(Ok(_)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        _ => String::new(),
    }
}

/// A file as what is opened, with its name.
fn opened(file: File) -> Msg {
    let name = file.name();
    Msg::Open(file.into(), name)
}
