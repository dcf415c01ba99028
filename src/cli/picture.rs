//! `kwp run --chart`: records in flight over time as an SVG or a PNG.
//!
//! A PNG needs letters, and the machine may have no fonts: one comes with the program.

use std::{io, path::Path, sync::Once};

use plotters::{
    backend::{BitMapBackend, SVGBackend},
    drawing::{DrawingArea, IntoDrawingArea},
    prelude::DrawingBackend,
    style::{Color, FontStyle, RGBAColor, RGBColor, register_font},
};

use super::file::replace;
use crate::{
    chart::{ChartData, Frame, Palette, Point, draw_with_axes},
    ledger::escaped,
    run::Run,
    world::config::Intake,
};

/// Pixels, at a size that is sharp on a dense screen and in print.
const SIZE: (u32, u32) = (1600, 800);

/// Points of a line at most: neighbours are drawn together beyond it.
const MOST_POINTS: usize = 2048;

/// Which kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Svg,
    Png,
}

impl Kind {
    /// The kind that the file's name says.
    pub(super) fn of(path: &Path) -> Result<Kind, String> {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(Kind::Svg),
            Some("png") => Ok(Kind::Png),
            _ => {
                let name = escaped(&path.display().to_string());
                Err(format!("{name}: a chart's name must end in .svg or .png"))
            }
        }
    }
}

/// Takes down a run tick by tick, in bounded memory: every so often twice as many ticks share an entry.
#[derive(Default)]
pub(super) struct Recorder {
    /// Ticks per entry are 2 to this power.
    shift: u32,
    entries: Vec<Entry>,
    last_tick: u64,
    top: u32,
    /// The most in flight after any poll so far.
    peak: u32,
}

/// What some neighbouring ticks had in common.
#[derive(Clone, Copy)]
struct Entry {
    least: u32,
    most: u32,
    high: Option<u32>,
    low: Option<u32>,
    ceiling: Option<u32>,
}

impl Recorder {
    /// The end of a tick.
    pub(super) fn record(&mut self, run: &Run) {
        let (world, tick) = (run.world(), run.now().0.saturating_sub(1));
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let peak = small(run.ledger().counters().peak_in_flight);
        let depth = match world.owner() {
            Some((_, session)) => small(session.in_flight()),
            // What ran it out of memory was never there at the end of a tick.
            None if peak > self.peak => peak,
            None => 0,
        };
        self.peak = peak;
        let (high, low) = match world.knobs().intake {
            Intake::Pause { high, low } => (Some(small(high)), Some(small(low))),
            Intake::Unbounded | Intake::Block => (None, None),
        };
        let ceiling = world.knobs().heap_ceiling.map(small);
        self.last_tick = tick;
        self.top = self.top.max(depth);
        let here = (tick >> self.shift) as usize;
        if let Some(entry) = self.entries.get_mut(here) {
            entry.least = entry.least.min(depth);
            entry.most = entry.most.max(depth);
            return;
        }
        self.entries.push(Entry { least: depth, most: depth, high, low, ceiling });
        if self.entries.len() >= MOST_POINTS {
            self.shift += 1;
            let pair = |pair: &[Entry]| Entry {
                least: pair.iter().map(|entry| entry.least).min().unwrap_or(0),
                most: pair.iter().map(|entry| entry.most).max().unwrap_or(0),
                ..pair[0]
            };
            self.entries = self.entries.chunks(2).map(pair).collect();
        }
    }

    /// What to draw. Marks far above everything that happened are left out.
    pub(super) fn chart(&self) -> ChartData {
        let marks = |mark: fn(&Entry) -> Option<u32>| self.pieces(mark);
        let (high, low, ceiling) =
            (marks(|entry| entry.high), marks(|entry| entry.low), marks(|entry| entry.ceiling));
        let highest = [&high, &ceiling].into_iter().flatten().flatten().map(|point| point.1);
        let near = highest.filter(|&mark| mark <= self.top.saturating_mul(4).max(16)).max().unwrap_or(0);
        let top = self.top.max(near);
        let top = top.saturating_add(top / 10).saturating_add(1);
        let within = |pieces: Vec<Vec<Point>>| {
            pieces.into_iter().filter(|piece| piece.iter().all(|point| point.1 <= top)).collect()
        };
        let mut depth = Vec::new();
        for (at, entry) in (0u64..).zip(&self.entries) {
            let tick = at << self.shift;
            depth.push((tick, entry.most));
            if entry.least != entry.most {
                depth.push((tick, entry.least));
            }
        }
        ChartData {
            last_tick: self.last_tick,
            top,
            depth,
            high: within(high),
            low: within(low),
            ceiling: within(ceiling),
            ..ChartData::default()
        }
    }

    /// A mark as pieces of horizontal lines, each for as long as it was in force.
    fn pieces(&self, mark: fn(&Entry) -> Option<u32>) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        let mut current = None;
        for (at, entry) in (0u64..).zip(&self.entries) {
            let (tick, value) = (at << self.shift, mark(entry));
            if value != current {
                if let (Some(old), Some(piece)) = (current, pieces.last_mut()) {
                    piece.push((tick, old));
                }
                pieces.extend(value.map(|value| vec![(tick, value)]));
                current = value;
            }
        }
        if let (Some(value), Some(piece)) = (current, pieces.last_mut()) {
            piece.push((self.last_tick, value));
        }
        pieces
    }
}

/// Draws the chart and writes it, all of it or nothing.
pub(super) fn write(kind: Kind, path: &Path, data: &ChartData, title: &str) -> io::Result<()> {
    register_letters();
    let title: String = escaped(title).chars().take(80).collect();
    let content = match kind {
        Kind::Svg => {
            let mut text = String::new();
            draw(SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), data, &title, true)?;
            text.into_bytes()
        }
        Kind::Png => {
            let mut pixels = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
            draw(BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area(), data, &title, false)?;
            encode(&pixels)?
        }
    };
    replace(path, &content)
}

fn draw<B: DrawingBackend>(
    area: DrawingArea<B, plotters::coord::Shift>,
    data: &ChartData,
    title: &str,
    joins: bool,
) -> io::Result<()> {
    let failed =
        |error: plotters::drawing::DrawingAreaErrorKind<B::ErrorType>| io::Error::other(error.to_string());
    area.fill(&RGBColor(255, 255, 255)).map_err(failed)?;
    draw_with_axes(&area, data, &palette(), &Frame { title, letters: 24, joins }).map_err(failed)?;
    area.present().map_err(failed)
}

fn palette() -> Palette {
    let solid = |r, g, b| -> RGBAColor { RGBColor(r, g, b).to_rgba() };
    Palette {
        depth: solid(0, 90, 160),
        fill: solid(0, 90, 160).mix(0.0),
        ghost: solid(170, 170, 170),
        high: solid(213, 94, 0),
        low: solid(0, 130, 100),
        ceiling: solid(180, 0, 30),
        danger: solid(180, 0, 30),
        ground: solid(255, 255, 255),
        grid: solid(225, 228, 232),
        ink: solid(50, 55, 60),
    }
}

fn register_letters() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that cannot be read would show as a picture without letters, and in the tests.
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}

fn encode(pixels: &[u8]) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
