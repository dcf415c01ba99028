//! Dispatch: the shared pool and, beside it, another routing of the same log.
//!
//! This file is the panel's settings and numbers; `picture` finds each record's place, `drawing` draws it.
//! Both runs have one clock and one log, so that whatever differs is the routing's doing.

mod drawing;
mod picture;

use std::cell::Cell;

use yew::prelude::*;

use super::{
    chip::full_name,
    scene::{Counter, Effect, Scene, Stage, capitalised},
    widgets::{Slider, counted, ratio, segmented, share},
};
use crate::{
    ledger::{Event, Remark},
    player::{Inputs, Player},
    presets::{
        Start,
        dispatch::{Dispatch, LANES, MOST_KEYS, MOST_SKEW, MOST_WORKERS},
    },
    workload::{Workload, span_of_work},
    world::{
        Knob,
        config::{Intake, NullKeys, Routing},
    },
};
use drawing::Frame;
use picture::Picture;

/// The two runs, as the shell counts them.
const SHARED: usize = 0;
const CHOSEN: usize = 1;

#[derive(Default)]
pub(crate) struct DispatchScene {
    ends: Option<Ends>,
    /// The lanes that a scenario had, for when it has some again.
    lanes: Cell<Option<u32>>,
}

/// How the runs will end if nobody interferes, and of which runs that was found.
struct Ends {
    of: (Start, Inputs),
    order_breaks: [u64; 2],
}

pub(crate) enum Msg {
    Routing(Routing),
    Workers(u32),
    Keys(u32),
    Skew(u32),
}

impl Scene for DispatchScene {
    type Msg = Msg;
    const LABEL: &'static str = "Simulation: dispatch";
    const TRY: &'static str =
        "press play and watch the completion lanes for red arcs; then set the skew to 3 and add workers.";
    const BADGES: &'static [&'static str] = &[
        "one key, one worker",
        "a key's records complete in offset order",
        "no worker idles beside a record it may run",
        "every polled record is in exactly one state",
    ];

    fn new() -> Self {
        DispatchScene::default()
    }

    fn judged(&self, start: &Start) -> Vec<(usize, &'static str)> {
        match start {
            // What was brought comes first, so that nobody takes the other run's faults for its own.
            Start::Brought(..) => vec![(CHOSEN, "The opened run"), (SHARED, "The shared pool beside it")],
            _ => vec![(SHARED, title(Routing::Shared)), (CHOSEN, chosen_title(routing_of(start)))],
        }
    }

    fn update(&mut self, msg: Msg, stage: &Stage<'_, Msg>) -> Effect {
        let start = stage.start.clone();
        match (msg, start) {
            (Msg::Routing(routing), start) => Effect::Rewrite(start.turned(&[Knob::Routing(routing)])),
            (Msg::Workers(workers), start) => {
                let turned = [Knob::Workers(workers)];
                // Nothing is left to work on: the reader means the run that comes next.
                let over = stage.players.iter().all(Player::is_over);
                if over { Effect::Restart(start.turned(&turned)) } else { Effect::Turn(turned.into()) }
            }
            (Msg::Keys(keys), Start::Dispatch(preset)) => {
                Effect::Restart(Start::Dispatch(Dispatch { keys, ..began_anew(stage, preset) }))
            }
            (Msg::Skew(skew), Start::Dispatch(preset)) => {
                Effect::Restart(Start::Dispatch(Dispatch { skew, ..began_anew(stage, preset) }))
            }
            (Msg::Keys(_) | Msg::Skew(_), _) => Effect::None,
        }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let lanes = self.lanes(stage.start);
        let routings = [
            (Routing::Keyed, "keyed", "keyed".to_owned()),
            (Routing::Serial, "serial", "serial".to_owned()),
            (Routing::Lanes(lanes), "lanes", counted(lanes.into(), "lane", "lanes")),
            (Routing::Shared, "shared", "shared".to_owned()),
        ];
        html! {
            <>
                {segmented("routing", "Beside the shared pool", &routings, routing_of(stage.start), &stage.on(Msg::Routing))}
                {workers_slider(workers(stage)).view(stage.on(Msg::Workers))}
                if let Start::Dispatch(preset) = stage.start {
                    {keys_slider(preset.keys).view(stage.on(Msg::Keys))}
                    {skew_slider(preset.skew, stage).view(stage.on(Msg::Skew))}
                }
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let [Some(shared), Some(chosen)] =
            [SHARED, CHOSEN].map(|run| stage.players.get(run).map(Picture::of))
        else {
            return html! {};
        };
        let lanes = shared.lanes.len();
        let slots = shared.slots.len().max(chosen.slots.len());
        let columns = lanes.max(slots).max(LEAST_COLUMNS);
        let rows = lanes.max(slots).max(chosen.trays.len()).max(LEAST_ROWS);
        let frame = Frame { rows, columns, playing: stage.playing };
        html! {
            <div class="pools">
                {drawing::pool(&shared, title(Routing::Shared), "shared", frame)}
                {drawing::pool(&chosen, chosen_title(routing_of(stage.start)), "chosen", frame)}
            </div>
        }
    }

    fn below(&self, stage: &Stage<'_, Msg>) -> Html {
        let load = Workload::of(stage.world(SHARED).log());
        let pictures: Vec<_> = stage.players.iter().map(Picture::of).collect();
        let most = stage.players.first().map_or(1, picture::most_workers);
        let bounds = pictures.iter().map(|picture| bound(picture, &load, most));
        let bounds: Vec<u64> = bounds.collect();
        let scale =
            scale(routing_of(stage.start), &pictures, &load, bounds.iter().copied().max().unwrap_or(0));
        let titles = [title(Routing::Shared), chosen_title(routing_of(stage.start))];
        let said = |bound: u64| (load.endless == 0).then_some(bound);
        let bars = pictures.iter().zip(titles).zip(bounds);
        let bars = bars.map(|((picture, title), bound)| pace(picture, title, said(bound), scale));
        html! {
            <>
                <div class="rates">{for bars}</div>
                {for stage.players.get(SHARED).map(|player| notes(player, &load, most))}
            </>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let (shared, chosen) = (stage.ledger(SHARED).counters(), stage.ledger(CHOSEN).counters());
        let total = stage.world(CHOSEN).log().len();
        let [shared_ticks, ticks] =
            [SHARED, CHOSEN].map(|run| stage.players.get(run).map_or(0, picture::elapsed));
        let [breaks, overlaps, finished, taken, letters] = own_labels(routing_of(stage.start));
        let mut counters = vec![
            Counter::wrong("shared-order-breaks", "order breaks, shared pool", shared.order_breaks)
                .of_part("order-break"),
            Counter::wrong("shared-overlaps", "overlaps, shared pool", shared.overlaps),
            Counter::wrong("order-breaks", breaks, chosen.order_breaks).of_part("order-break"),
            Counter::wrong("overlaps", overlaps, chosen.overlaps),
            Counter::plain("finished", finished, chosen.completed).with_unit(format!("of {total}")),
            Counter::plain("shared-ticks", "ticks taken, shared pool", shared_ticks),
            Counter::plain("ticks", taken, ticks),
        ];
        if shared.quarantined + chosen.quarantined > 0 {
            counters.extend([
                Counter::plain("shared-dead-letters", "dead letters, shared pool", shared.quarantined),
                Counter::plain("dead-letters", letters, chosen.quarantined),
            ]);
        }
        counters
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        let named = |run, name| {
            let sentence = order_break(stage, run).or_else(|| stage.sentence(run));
            sentence.map(|(sentence, bad)| (format!("{name}: {}", of_one_consumer(&sentence)), bad))
        };
        let shared = named(SHARED, title(Routing::Shared)).filter(|&(_, bad)| bad);
        let chosen = named(CHOSEN, chosen_title(routing_of(stage.start)));
        if chosen.as_ref().is_some_and(|&(_, bad)| bad) { chosen } else { shared.or(chosen) }
    }

    fn live(&self, _stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        let Some(ends) = &self.ends else { return Vec::new() };
        let quote = |name, number: u64| (name, number.to_string(), number > 0);
        vec![
            quote("dispatch.shared-order-breaks", ends.order_breaks[SHARED]),
            quote("dispatch.keyed-order-breaks", ends.order_breaks[CHOSEN]),
        ]
    }

    fn drawn(&mut self, stage: &Stage<'_, Msg>, _panel: &web_sys::Element) {
        self.look_ahead(stage);
    }
}

/// Room for so many rows and columns at least, so that the drawing keeps its size for most settings.
const LEAST_ROWS: usize = 6;
const LEAST_COLUMNS: usize = 6;

impl DispatchScene {
    /// The lanes on offer: a scenario's own, if it has or had some.
    fn lanes(&self, start: &Start) -> u32 {
        if let (Start::Brought(..), Routing::Lanes(own)) = (start, routing_of(start)) {
            self.lanes.set(Some(own));
        }
        self.lanes.get().filter(|_| matches!(start, Start::Brought(..))).unwrap_or(LANES)
    }

    /// Plays both runs to their ends, unless that is known.
    fn look_ahead(&mut self, stage: &Stage<'_, Msg>) {
        let Some(acts) = stage.players.first().map(Player::acts) else { return };
        if self.ends.as_ref().is_some_and(|ends| (&ends.of.0, &ends.of.1) == (stage.start, acts)) {
            return;
        }
        let of = (stage.start.clone(), acts.clone());
        let mut order_breaks = [0; 2];
        for ((run, player), breaks) in stage.players.iter().enumerate().zip(&mut order_breaks) {
            let mut ahead = quoted(stage.start, run, player);
            ahead.play_out();
            *breaks = ahead.run().ledger().counters().order_breaks;
        }
        self.ends = Some(Ends { of, order_breaks });
    }
}

fn chosen_title(routing: Routing) -> &'static str {
    match routing {
        Routing::Shared => "Shared pool, once more",
        routing => title(routing),
    }
}

/// What the chosen run's numbers are called: order breaks, overlaps, records finished, ticks, dead letters.
fn own_labels(routing: Routing) -> [&'static str; 5] {
    macro_rules! labels {
        ($run:literal) => {
            [
                concat!("order breaks, ", $run),
                concat!("overlaps, ", $run),
                concat!("records finished, ", $run),
                concat!("ticks taken, ", $run),
                concat!("dead letters, ", $run),
            ]
        };
    }
    match routing {
        Routing::Keyed => labels!("mailboxes"),
        Routing::Serial => labels!("serial"),
        Routing::Lanes(_) => labels!("lanes"),
        Routing::Shared => labels!("shared again"),
    }
}

/// Ticks that a whole bar stands for, the same in both runs: more than the bound, so that its mark has room
/// behind it, and where only one worker is used, all the work.
fn scale(routing: Routing, pictures: &[Picture<'_>], load: &Workload, bound: u64) -> u64 {
    let foreseen = match routing {
        Routing::Serial => load.total.work,
        Routing::Keyed | Routing::Lanes(_) | Routing::Shared => bound,
    };
    let taken = pictures.iter().map(|picture| picture.elapsed).max().unwrap_or(0);
    taken.max(foreseen.saturating_add(foreseen / 4)).max(1)
}

/// The run whose end the article quotes: where it speaks of mailboxes and there are none, what mailboxes
/// would make of the same log.
fn quoted(start: &Start, run: usize, player: &Player) -> Player {
    let mailboxes = |preset: &Dispatch| preset.player(player.setup().log().clone(), Routing::Keyed).ok();
    match start {
        Start::Dispatch(preset) if run == CHOSEN && preset.routing == Routing::Shared => mailboxes(preset),
        _ => None,
    }
    .unwrap_or_else(|| player.clone())
}

/// The routing beside the shared pool.
fn routing_of(start: &Start) -> Routing {
    match start {
        Start::Brought(_, brought) => brought.setup.knobs().routing,
        Start::Dispatch(preset) => preset.routing,
        Start::Watermark(_) | Start::Backpressure(_) | Start::Rebalance(_) => Routing::Keyed,
    }
}

/// The settings that another log begins with: the workers there are now.
fn began_anew(stage: &Stage<'_, Msg>, preset: Dispatch) -> Dispatch {
    Dispatch { workers: workers(stage), ..preset }
}

fn title(routing: Routing) -> &'static str {
    match routing {
        Routing::Keyed => "Keyed mailboxes",
        Routing::Shared => "Shared pool",
        Routing::Serial => "Serial",
        Routing::Lanes(_) => "Hash lanes",
    }
}

/// The first order break of the tick executed last: it says more than the overlap that led to the next one.
fn order_break(stage: &Stage<'_, Msg>, run: usize) -> Option<(String, bool)> {
    let is_break = |event: &&Event| matches!(event.remark, Some(Remark::OrderBreak { .. }));
    let event = stage.events_now(run).iter().find(is_break)?;
    Some((capitalised(&event.telling(stage.world(run).log())), true))
}

/// The number of workers as the next tick has it.
fn workers(stage: &Stage<'_, Msg>) -> u32 {
    stage.players.first().map_or(1, |player| player.knobs().workers)
}

fn workers_slider(value: u32) -> Slider {
    let note = "one record at a time each".into();
    Slider {
        knob: "workers",
        name: "Workers",
        unit: "threads",
        note,
        range: (1, MOST_WORKERS),
        value,
        part: "worker",
    }
}

fn keys_slider(value: u32) -> Slider {
    let note = "another log: starts again".into();
    Slider { knob: "keys", name: "Keys", unit: "", note, range: (1, MOST_KEYS), value, part: "" }
}

fn skew_slider(value: u32, stage: &Stage<'_, Msg>) -> Slider {
    let world = stage.world(SHARED);
    let load = Workload::of(world.log());
    let note = load.hottest(NullKeys::Mailbox).map(|(key, hottest)| {
        let share = 100 * hottest.work / load.total.work.max(1);
        format!("key {} has {share}% of the work", full_name(world.log(), key))
    });
    let note = note.unwrap_or_default().into();
    Slider { knob: "skew", name: "Skew", unit: "", note, range: (0, MOST_SKEW), value, part: "" }
}

/// A sentence about the only consumer there is, without its name: that is a key's letter too.
fn of_one_consumer(sentence: &str) -> String {
    let renamed = [("A's worker", "Worker"), ("A ", "The consumer ")]
        .into_iter()
        .find_map(|(name, role)| sentence.strip_prefix(name).map(|rest| format!("{role}{rest}")));
    renamed.unwrap_or_else(|| sentence.to_owned())
}

/// The ticks that a run takes at least: the shared pool, if it were to keep every key's order; any other, with the
/// mailboxes that its routing gives to records without a key too.
fn bound(picture: &Picture<'_>, load: &Workload, most: u32) -> u64 {
    let knobs = picture.world.knobs();
    let has_one_for_all = knobs.routing != Routing::Shared && knobs.null_keys == NullKeys::Mailbox;
    load.bound(most, if has_one_for_all { NullKeys::Mailbox } else { NullKeys::Spread })
}

/// The ticks that a run has taken, against the ticks that keeping order takes at least, if that can be said; and
/// how fast it is.
fn pace(picture: &Picture<'_>, title: &'static str, bound: Option<u64>, scale: u64) -> Html {
    let ticks = picture.elapsed;
    let rate = ratio(picture.work_done, ticks, 2);
    let mut style = format!("--value:{}", share(ticks, scale));
    if let Some(bound) = bound {
        style += &format!(";--bound:{}", share(bound, scale));
    }
    let so_far = if picture.is_done() { "" } else { " so far" };
    html! {
        <p class="rate" data-rate={rate.clone()} data-ticks={ticks.to_string()} data-bound={bound.map(|bound| bound.to_string())}>
            <span class="rate-name">{format!("Ticks taken{so_far}, {}", lower(title))}</span>
            <span class="rate-value"><b>{ticks}</b>{for bound.map(|bound| against(picture, bound))}</span>
            <span class="meter" aria-hidden="true" {style} />
            <span class="rate-speed">{format!("Throughput{so_far}: {rate} ticks of work per tick")}</span>
        </p>
    }
}

/// What the bound says of a run: to the shared pool, what it would have to take to keep order.
fn against(picture: &Picture<'_>, bound: u64) -> String {
    let sooner = if picture.is_done() { bound.saturating_sub(picture.elapsed) } else { 0 };
    if picture.world.knobs().routing != Routing::Shared {
        // Attempts that were ended by hand, and dead letters, may take less.
        return if sooner > 0 { String::new() } else { format!(" of at least {bound}") };
    }
    match sooner {
        0 => format!("; whatever keeps order takes at least {bound}"),
        _ if picture.order_breaks > 0 => format!(
            "; whatever keeps order takes at least {bound}, and it finished {sooner} sooner by breaking it"
        ),
        _ if picture.overlaps > 0 => format!(
            "; one record of a key at a time takes at least {bound}, and it finished {sooner} sooner by overlapping"
        ),
        _ => String::new(),
    }
}

/// Where the bound comes from, and what else is fixed.
fn notes(player: &Player, load: &Workload, most: u32) -> Html {
    let (knobs, log) = (player.knobs(), player.setup().log());
    let total = load.total.work;
    let share = total.div_ceil(u64::from(most));
    let bound = load.bound(most, NullKeys::Spread);
    let turned = if most > knobs.workers { " (the most there were)" } else { "" };
    let hottest = load
        .hottest(NullKeys::Spread)
        .map(|(key, load)| format!("; hottest key {}: {}", full_name(log, key), load.work));
    let keyless = match (load.keyless.records, knobs.null_keys) {
        (0, _) => String::new(),
        (_, NullKeys::Mailbox) => format!(" Records without a key share a mailbox: {}.", load.keyless.work),
        (_, NullKeys::Spread) => " Records without a key wait for none.".to_owned(),
    };
    let work = span_of_work(log).map(|(low, high)| match low == high {
        true => format!(" of {}", counted(high, "tick", "ticks")),
        false => format!(" of {low} to {high} ticks"),
    });
    let intake = match knobs.intake {
        Intake::Pause { high, low } => format!("; intake pauses at {high} in flight and resumes at {low}"),
        Intake::Unbounded | Intake::Block => String::new(),
    };
    let (ticks, workers) = (counted(total, "tick", "ticks"), counted(most.into(), "worker", "workers"));
    html! {
        <div class="rate-notes drawing-label">
            if load.endless == 0 {
                <p class="bound">
                    <strong>{format!("Whatever keeps each key in order takes at least {}. ", counted(bound, "tick", "ticks"))}</strong>
                    {format!("{ticks} of work / {workers}{turned} = {share}{}.{keyless}", hottest.unwrap_or_default())}
                </p>
            }
            <p>
                {format!("{}{}; a poll brings up to {}{intake}. ", counted(log.len(), "record", "records"), work.unwrap_or_default(), knobs.poll)}
                {"A bar at a mailbox: a worker is in it, so it is closed to the others."}
            </p>
        </div>
    }
}

/// A title within a sentence.
fn lower(title: &str) -> String {
    title.to_ascii_lowercase()
}
