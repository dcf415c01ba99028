//! Lines over a range of settings: what a sweep found.
//!
//! Graphs stand one above the other. Every line is named where it ends, so that a print in grey can be read too, and
//! above the graph, at the left, where a narrow screen begins.
//! Scales are worked out in integers before plotters sees them; a logarithm here is a straight line within each
//! doubling, which is the same on every machine.

use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::{
        Shift,
        cartesian::Cartesian2d,
        combinators::{BindKeyPoints, WithKeyPoints},
        types::RangedCoordi32,
    },
    drawing::{DrawingArea, DrawingAreaErrorKind},
    element::{Circle, EmptyElement, PathElement, Rectangle, Text},
    prelude::DrawingBackend,
    series::LineSeries,
    style::{
        Color, FontStyle, RGBColor, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::{
    WIDTH,
    scene::{DANGER, HAIR, INK, PAPER, QUIET, Rgb, TIME, width},
};

/// Pixels from the top of a graph to its bottom.
const GRAPH_HEIGHT: u32 = 520;

/// Pixels of the title above the graphs.
const TITLE: u32 = 76;

/// Steps from one end of a scale to the other.
const STEPS: i32 = 100_000;

/// Room at the right for the names of lines, and at the left for the numbers.
const NAMES: u32 = 300;
const NUMBERS: u32 = 150;

const LETTERS: u32 = 21;

/// A row of the names above a graph, the pixels that a row may take, and the sample of a line before its name.
const LEGEND_ROW: i32 = 28;
const LEGEND_WIDTH: i32 = 640;
const SAMPLE: i32 = 34;

/// Graphs, one above the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plot {
    /// What stands above them.
    pub title: String,
    /// From top to bottom.
    pub graphs: Vec<Graph>,
}

/// A graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// What the y axis shows, in words.
    pub title: String,
    /// From left to right.
    pub x: Scale,
    /// From the bottom up.
    pub y: Scale,
    /// The lines, the first at the bottom.
    pub lines: Vec<Line>,
    /// Places on the x axis that have a name.
    pub marks: Vec<(u64, String)>,
    /// Values on the y axis that have a name.
    pub limits: Vec<(u64, String)>,
}

/// A scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// What is along it.
    pub label: String,
    /// Whether equal distances are equal ratios; 0 lies one doubling below 1.
    pub logarithmic: bool,
    /// The values at its ends.
    pub ends: (u64, u64),
    /// Values and what to print beside them.
    pub ticks: Vec<(u64, String)>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(u64, u64)>,
    /// Which of the colours it has.
    pub hue: Hue,
    /// Whether it is broken and thin: a bound, or something to compare with.
    pub dashed: bool,
}

/// A line's colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // colours
pub enum Hue {
    #[default]
    Blue,
    Orange,
    Teal,
    Violet,
    Red,
    Grey,
    Brown,
    Olive,
}

impl Hue {
    /// All but the one for what is wrong and the one for what is beside the point.
    pub const LINES: [Hue; 6] = [Hue::Blue, Hue::Orange, Hue::Teal, Hue::Violet, Hue::Brown, Hue::Olive];

    fn rgb(self) -> Rgb {
        match self {
            Hue::Blue => (0x17, 0x4e, 0x93),
            Hue::Orange => (0xb4, 0x5f, 0x06),
            Hue::Teal => (0x05, 0x78, 0x79),
            Hue::Violet => (0x69, 0x4f, 0xc1),
            Hue::Red => DANGER,
            Hue::Grey => QUIET,
            Hue::Brown => (0x87, 0x55, 0x62),
            Hue::Olive => (0x74, 0x6b, 0x02),
        }
    }
}

impl Plot {
    /// Pixels from top to bottom.
    #[must_use]
    pub fn height(&self) -> u32 {
        TITLE + self.graphs.iter().map(Graph::height).sum::<u32>()
    }
}

impl Graph {
    fn height(&self) -> u32 {
        GRAPH_HEIGHT + self.legend().1 as u32
    }

    /// Where the name of each line stands above the graph, and the pixels that all of them take. One line needs none.
    fn legend(&self) -> (Vec<(i32, i32)>, i32) {
        if self.lines.len() < 2 {
            return (Vec::new(), 0);
        }
        let (mut places, mut x, mut row) = (Vec::new(), 0, 0);
        for line in &self.lines {
            let length = SAMPLE + 8 + width(&line.name, LETTERS) + 30;
            if x > 0 && x + length > LEGEND_WIDTH {
                (x, row) = (0, row + 1);
            }
            places.push((x, row * LEGEND_ROW));
            x += length;
        }
        (places, (row + 1) * LEGEND_ROW)
    }

    /// Whether a line would hide one that is drawn before it.
    fn coincides(&self, nth: usize) -> bool {
        self.hidden_by(nth) > 0
    }

    /// How many lines before it a line would hide.
    fn hidden_by(&self, nth: usize) -> usize {
        let own = &self.lines[nth];
        let same = |other: &Line| {
            let points = other.points.iter().zip(&own.points).filter(|(one, own)| one == own).count();
            !other.dashed && points * 4 >= own.points.len() * 3
        };
        if own.points.len() > 1 { self.lines[..nth].iter().filter(|line| same(line)).count() } else { 0 }
    }
}

impl Scale {
    /// Where a value lies, in steps.
    fn at(&self, value: u64) -> i32 {
        let (low, high) = (self.place(self.ends.0), self.place(self.ends.1));
        let length = (high - low).max(1);
        let steps = (self.place(value) - low).saturating_mul(STEPS.into()) / length;
        i32::try_from(steps.clamp(0, STEPS.into())).unwrap_or(STEPS)
    }

    fn place(&self, value: u64) -> i128 {
        match (self.logarithmic, value) {
            (false, value) => value.into(),
            (true, 0) => -(1 << 20),
            (true, value) => {
                let doublings = value.ilog2();
                let rest = i128::from(value - (1 << doublings));
                (i128::from(doublings) << 20) + ((rest << 20) >> doublings)
            }
        }
    }
}

type Axis = WithKeyPoints<RangedCoordi32>;
type Context<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn solid((r, g, b): Rgb) -> ShapeStyle {
    ShapeStyle::from(RGBColor(r, g, b)).filled()
}

fn letters(size: u32, (r, g, b): Rgb, bold: bool, across: HPos, up: VPos) -> TextStyle<'static> {
    let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
    let color = RGBColor(r, g, b).to_backend_color();
    TextStyle { color, ..TextStyle::from(("sans-serif", size, weight)) }.pos(Pos::new(across, up))
}

/// Draws all of it; `joins` says whether the backend can join the pieces of a thick line.
pub(super) fn on<B: DrawingBackend>(area: &DrawingArea<B, Shift>, plot: &Plot, joins: bool) -> Drawn<B> {
    let title = letters(30, INK, true, HPos::Left, VPos::Center);
    area.draw(&Text::new(plot.title.as_str(), (28, TITLE as i32 / 2), title))?;
    let mut top = TITLE;
    for graph in &plot.graphs {
        let part = area.clone().shrink((0, top), (WIDTH, graph.height()));
        draw(&part, graph, joins)?;
        top += graph.height();
    }
    Ok(())
}

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>, graph: &Graph, joins: bool) -> Drawn<B> {
    let bold = letters(LETTERS + 2, INK, true, HPos::Left, VPos::Center);
    area.draw(&Text::new(graph.title.as_str(), (28, 16), bold))?;
    let (places, room) = graph.legend();
    for (line, (x, y)) in graph.lines.iter().zip(places) {
        let (x, y) = (28 + x, 46 + y);
        let style = solid(line.hue.rgb()).stroke_width(if line.dashed { 2 } else { 4 });
        let pieces = if line.dashed { [(0, 13), (20, 33)] } else { [(0, 17), (17, SAMPLE)] };
        for (from, to) in pieces {
            area.draw(&PathElement::new([(x + from, y), (x + to, y)], style))?;
        }
        let name = letters(LETTERS, line.hue.rgb(), false, HPos::Left, VPos::Center);
        area.draw(&Text::new(line.name.as_str(), (x + SAMPLE + 8, y), name))?;
    }
    let axis = |scale: &Scale| {
        let keys: Vec<i32> = scale.ticks.iter().map(|(value, _)| scale.at(*value)).collect();
        (0..STEPS).with_key_points(keys)
    };
    let name_of = |scale: &Scale, at: i32| {
        let tick = scale.ticks.iter().find(|(value, _)| scale.at(*value) == at);
        tick.map_or(String::new(), |(_, name)| name.clone())
    };
    let mut chart = ChartBuilder::on(area)
        .margin_top(66 + room)
        .margin_right(NAMES)
        .margin_left(10)
        .margin_bottom(6)
        .x_label_area_size(72)
        .y_label_area_size(NUMBERS)
        .build_cartesian_2d(axis(&graph.x), axis(&graph.y))?;
    let small = |up| letters(LETTERS, QUIET, false, HPos::Center, up);
    let rgb = |(r, g, b): Rgb| RGBColor(r, g, b);
    let (x_name, y_name) = (|at: &i32| name_of(&graph.x, *at), |at: &i32| name_of(&graph.y, *at));
    chart
        .configure_mesh()
        .x_desc(graph.x.label.as_str())
        .x_label_formatter(&x_name)
        .y_label_formatter(&y_name)
        .label_style(small(VPos::Center))
        .axis_desc_style(small(VPos::Center))
        .axis_style(rgb(QUIET))
        .bold_line_style(rgb(HAIR))
        .light_line_style(rgb(HAIR).mix(0.0))
        .draw()?;
    limits(&mut chart, graph)?;
    marks(&mut chart, graph)?;
    // What is thin and broken comes on top, where it hides nothing; so does what would hide another.
    let (thin, thick): (Vec<usize>, Vec<usize>) =
        (0..graph.lines.len()).partition(|&nth| graph.lines[nth].dashed || graph.coincides(nth));
    for nth in thick.into_iter().chain(thin) {
        draw_line(&mut chart, graph, nth, joins)?;
    }
    names(&mut chart, graph)
}

/// Level lines, each with its name above its left end.
fn limits<B: DrawingBackend>(chart: &mut Context<'_, B>, graph: &Graph) -> Drawn<B> {
    for (value, name) in &graph.limits {
        let y = graph.y.at(*value);
        let length = chart.backend_coord(&(STEPS, y)).0 - chart.backend_coord(&(0, y)).0;
        let bar = Rectangle::new([(0, -1), (length, 1)], solid(DANGER));
        let name =
            Text::new(name.clone(), (8, -6), letters(LETTERS, DANGER, false, HPos::Left, VPos::Bottom));
        chart.draw_series([EmptyElement::at((0, y)) + bar + name])?;
    }
    Ok(())
}

/// Upright lines, each with its name at the top.
fn marks<B: DrawingBackend>(chart: &mut Context<'_, B>, graph: &Graph) -> Drawn<B> {
    for (value, name) in &graph.marks {
        let x = graph.x.at(*value);
        let height = chart.backend_coord(&(x, 0)).1 - chart.backend_coord(&(x, STEPS)).1;
        // Beyond the middle its name is on the other side.
        let (across, shift) = if x > STEPS * 2 / 3 { (HPos::Right, -8) } else { (HPos::Left, 8) };
        let bar = Rectangle::new([(-1, 0), (1, height)], solid(TIME));
        let name = Text::new(name.clone(), (shift, -18), letters(LETTERS, TIME, false, across, VPos::Center));
        chart.draw_series([EmptyElement::at((x, STEPS)) + bar + name])?;
    }
    Ok(())
}

fn draw_line<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    graph: &Graph,
    nth: usize,
    joins: bool,
) -> Drawn<B> {
    let line = &graph.lines[nth];
    let broken = line.dashed || graph.coincides(nth);
    let style = solid(line.hue.rgb()).stroke_width(if line.dashed { 2 } else { 4 });
    let points: Vec<(i32, i32)> = line.points.iter().map(|&(x, y)| (graph.x.at(x), graph.y.at(y))).collect();
    if broken {
        // Of several that lie on each other each has its own pieces.
        let turns = match line.dashed {
            true => (0, 2),
            false => {
                let most = (0..graph.lines.len()).map(|nth| graph.hidden_by(nth)).max().unwrap_or(1);
                (graph.hidden_by(nth) as i64, most as i64 + 1)
            }
        };
        dashes(chart, &points, turns, style)?;
    } else if joins {
        chart.draw_series(LineSeries::new(points.clone(), style))?;
    } else {
        chart.draw_series(points.windows(2).map(|piece| PathElement::new(piece.to_vec(), style)))?;
    }
    // A dot for each setting that was tried, unless there are so many that they would be a band.
    if !broken && points.len() <= 40 {
        let ground = solid(PAPER);
        let dot = |&at: &(i32, i32)| {
            EmptyElement::at(at) + Circle::new((0, 0), 8, ground) + Circle::new((0, 0), 6, style)
        };
        chart.draw_series(points.iter().map(dot))?;
    }
    Ok(())
}

/// Pieces of equal length in pixels along a line: of every so many one, the first or a later one.
fn dashes<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    points: &[(i32, i32)],
    (turn, turns): (i64, i64),
    style: ShapeStyle,
) -> Drawn<B> {
    const DASH: i64 = 14;
    let (width, height) = {
        let (left, bottom) = chart.backend_coord(&(0, 0));
        let (right, top) = chart.backend_coord(&(STEPS, STEPS));
        (i64::from(right - left).max(1), i64::from(bottom - top).max(1))
    };
    let mut begun = 0;
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|(x, y)| (i64::from(x), i64::from(y)));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let pixels = (dx.abs() * width / i64::from(STEPS) + dy.abs() * height / i64::from(STEPS)).max(1);
        let at = |pixel: i64| ((from.0 + dx * pixel / pixels) as i32, (from.1 + dy * pixel / pixels) as i32);
        let mut pixel = 0;
        while pixel < pixels {
            let rest = DASH - begun % DASH;
            let next = (pixel + rest).min(pixels);
            if (begun / DASH) % turns == turn {
                chart.draw_series([PathElement::new(vec![at(pixel), at(next)], style)])?;
            }
            begun += next - pixel;
            pixel = next;
        }
    }
    Ok(())
}

/// The names of the lines at the right edge, as high as their last points, moved apart where they would touch.
fn names<B: DrawingBackend>(chart: &mut Context<'_, B>, graph: &Graph) -> Drawn<B> {
    let pitch = LETTERS as i32 + 5;
    let bottom = chart.backend_coord(&(STEPS, 0)).1;
    let top = chart.backend_coord(&(STEPS, STEPS)).1;
    let mut names: Vec<(i32, &Line, i32)> = Vec::new();
    for line in &graph.lines {
        let Some(&(_, y)) = line.points.last() else { continue };
        let end = graph.y.at(y);
        names.push((chart.backend_coord(&(STEPS, end)).1, line, end));
    }
    names.sort_by_key(|(y, ..)| *y);
    let mut free = top;
    for (y, ..) in &mut names {
        *y = (*y).max(free);
        free = *y + pitch;
    }
    let mut free = bottom - 6;
    for (y, ..) in names.iter_mut().rev() {
        *y = (*y).min(free);
        free = *y - pitch;
    }
    for (y, line, end) in names {
        // From the edge on: a leader within the graph would be read as data.
        let from = chart.backend_coord(&(STEPS, end)).1;
        let style = letters(LETTERS, line.hue.rgb(), !line.dashed, HPos::Left, VPos::Center);
        let name = fitting(&line.name);
        let leader = PathElement::new([(4, 0), (14, y - from)], solid(line.hue.rgb()).stroke_width(1));
        let text = Text::new(name, (20, y - from), style);
        chart.draw_series([EmptyElement::at((STEPS, end)) + leader + text])?;
    }
    Ok(())
}

/// As much of a name as there is room for.
fn fitting(name: &str) -> String {
    let mut name = name.to_owned();
    while width(&name, LETTERS + 2) > NAMES as i32 - 30 && name.chars().count() > 2 {
        name.pop();
        name.pop();
        name.push('…');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_keep_their_ends_and_their_order() {
        for logarithmic in [false, true] {
            for ends in [(0, 1), (1, 4096), (0, 1_000_003), (7, u64::MAX)] {
                let scale = Scale { logarithmic, ends, ..Scale::default() };
                assert_eq!((scale.at(ends.0), scale.at(ends.1)), (0, STEPS));
                let values = (0..100).map(|nth| ends.0 + (ends.1 - ends.0) / 100 * nth);
                assert!(values.map(|value| scale.at(value)).is_sorted());
            }
        }
        let scale = Scale { logarithmic: true, ends: (1, 256), ..Scale::default() };
        assert_eq!([1, 2, 4, 16, 64].map(|value| scale.at(value)), [0, 1, 2, 4, 6].map(|n| n * STEPS / 8));
    }
}
