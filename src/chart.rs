//! Records in flight over time, drawn by plotters on whatever backend there is: a canvas of the page, a
//! picture file of the command line.
//!
//! [`draw`] draws lines and nothing else, which is quick enough for every tick; labels are HTML's business on
//! the page. A picture that stands alone takes [`draw_with_axes`].

use plotters::{
    chart::{ChartBuilder, ChartContext, MeshStyle},
    coord::{
        Shift,
        cartesian::Cartesian2d,
        types::{RangedCoordu32, RangedCoordu64},
    },
    drawing::{DrawingArea, DrawingAreaErrorKind},
    element::{Circle, EmptyElement, PathElement, Polygon, Rectangle, Text},
    prelude::DrawingBackend,
    series::LineSeries,
    style::{
        Color, RGBAColor, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

/// One point of a line: a tick, and records.
pub type Point = (u64, u32);

/// What to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartData {
    /// The last tick on the x axis.
    pub last_tick: u64,
    /// The most records on the y axis.
    pub top: u32,
    /// Records in flight.
    pub depth: Vec<Point>,
    /// The same under other settings, to compare.
    pub ghosts: Vec<Vec<Point>>,
    /// The high mark, in as many pieces as it was in force.
    pub high: Vec<Vec<Point>>,
    /// The low mark.
    pub low: Vec<Vec<Point>>,
    /// The heap ceiling.
    pub ceiling: Vec<Vec<Point>>,
    /// Ticks at which the owner was evicted: notches on the x axis.
    pub evictions: Vec<u64>,
    /// Where the process died: a cross.
    pub deaths: Vec<Point>,
    /// The same under the other settings.
    pub ghost_deaths: Vec<Point>,
    /// Where the line has got to: a dot.
    pub now: Option<Point>,
}

/// The colours, by role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Records in flight.
    pub depth: RGBAColor,
    /// The area below them.
    pub fill: RGBAColor,
    /// The same under other settings.
    pub ghost: RGBAColor,
    /// The high mark.
    pub high: RGBAColor,
    /// The low mark.
    pub low: RGBAColor,
    /// The heap ceiling.
    pub ceiling: RGBAColor,
    /// What is wrong: evictions and deaths.
    pub danger: RGBAColor,
    /// What lies behind the chart: a rim around the dot.
    pub ground: RGBAColor,
    /// Lines of the grid.
    pub grid: RGBAColor,
    /// Axes and text.
    pub ink: RGBAColor,
}

/// What a drawing may run into: whatever its backend may.
pub type DrawError<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

type Context<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordu64, RangedCoordu32>>;

/// Draws the lines, `margin` pixels away from the edges of `area`, where a dot has its other half; `stroke` is
/// the lines' width in pixels.
///
/// # Errors
/// If the backend fails.
pub fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    data: &ChartData,
    palette: &Palette,
    stroke: u32,
    margin: u32,
) -> Result<(), DrawError<B>> {
    let mut chart = ChartBuilder::on(area).margin(margin).build_cartesian_2d(x_axis(data), y_axis(data))?;
    level(&mut chart, (0, data.last_tick), 0, palette.grid, stroke.div_ceil(2))?;
    lines(&mut chart, data, palette, stroke, true)
}

/// How a picture that stands alone is finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// The size of the letters in pixels.
    pub letters: u32,
    /// Whether the backend can join the pieces of a thick line. plotters' bitmap cannot: it draws spikes.
    pub joins: bool,
}

/// Draws the lines with axes, a grid, a title and the names of the marks.
///
/// # Errors
/// If the backend fails.
pub fn draw_with_axes<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    data: &ChartData,
    palette: &Palette,
    frame: &Frame<'_>,
) -> Result<(), DrawError<B>> {
    let size = frame.letters;
    let text = |pixels: u32| TextStyle::from(("sans-serif", pixels)).color(&palette.ink);
    let mut chart = ChartBuilder::on(area)
        .margin(size)
        .caption(frame.title, text(size * 4 / 3))
        .x_label_area_size(size * 5 / 2)
        .y_label_area_size(size * 7 / 2)
        .build_cartesian_2d(x_axis(data), y_axis(data))?;
    let mut mesh: MeshStyle<'_, '_, _, _, B> = chart.configure_mesh();
    mesh.x_desc("tick")
        .y_desc("records in flight")
        .label_style(text(size))
        .axis_desc_style(text(size))
        .axis_style(palette.ink)
        .bold_line_style(palette.grid)
        .light_line_style(palette.grid.mix(0.0))
        .draw()?;
    lines(&mut chart, data, palette, 3, frame.joins)?;
    for (name, pieces, colour) in marks(data, palette) {
        let Some(&(tick, value)) = pieces.last().and_then(|piece| piece.last()) else { continue };
        let above = Pos::new(HPos::Right, VPos::Bottom);
        let style = TextStyle::from(("sans-serif", size)).color(&colour).pos(above);
        let name = Text::new(format!("{name} {value}"), (0, -4), style);
        chart.draw_series([EmptyElement::at((tick, value)) + name])?;
    }
    Ok(())
}

/// The marks: name, pieces, colour.
fn marks<'d>(data: &'d ChartData, palette: &Palette) -> [(&'static str, &'d Vec<Vec<Point>>, RGBAColor); 3] {
    [
        ("low mark", &data.low, palette.low),
        ("high mark", &data.high, palette.high),
        ("heap ceiling", &data.ceiling, palette.ceiling),
    ]
}

fn x_axis(data: &ChartData) -> std::ops::Range<u64> {
    0..data.last_tick.max(1)
}

fn y_axis(data: &ChartData) -> std::ops::Range<u32> {
    0..data.top.max(1)
}

fn lines<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    data: &ChartData,
    palette: &Palette,
    stroke: u32,
    joins: bool,
) -> Result<(), DrawError<B>> {
    let thin = stroke.div_ceil(2);
    if let [(from, _), .., (to, _)] = data.depth[..] {
        let below = corners(&data.depth).into_iter().chain([(to, 0), (from, 0)]);
        chart.draw_series([Polygon::new(below.collect::<Vec<_>>(), palette.fill)])?;
    }
    for (_, pieces, colour) in marks(data, palette) {
        for piece in pieces {
            if let (Some(&(from, value)), Some(&(to, _))) = (piece.first(), piece.last()) {
                level(chart, (from, to), value, colour, thin)?;
            }
        }
    }
    for ghost in &data.ghosts {
        line(chart, ghost, palette.ghost, thin, joins)?;
    }
    line(chart, &data.depth, palette.depth, stroke, joins)?;
    crosses(chart, &data.ghost_deaths, palette.ghost, stroke, thin)?;
    notches(chart, &data.evictions, palette.danger, stroke)?;
    crosses(chart, &data.deaths, palette.danger, stroke, stroke + thin)?;
    dot(chart, data.now, palette, stroke)
}

fn line<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    points: &[Point],
    colour: RGBAColor,
    width: u32,
    joins: bool,
) -> Result<(), DrawError<B>> {
    let (points, style) = (corners(points), ShapeStyle::from(colour).stroke_width(width));
    if joins {
        chart.draw_series(LineSeries::new(points, style))?;
    } else {
        chart.draw_series(points.windows(2).map(|piece| PathElement::new(piece.to_vec(), style)))?;
    }
    Ok(())
}

/// The points at which the line bends. plotters rounds each point to a whole pixel, so that a straight line
/// through many would not look straight.
fn corners(points: &[Point]) -> Vec<Point> {
    let rise = |from: Point, to: Point, run: (Point, Point)| {
        (i128::from(to.1) - i128::from(from.1)) * (i128::from(run.1.0) - i128::from(run.0.0))
    };
    let mut corners: Vec<Point> = Vec::with_capacity(points.len());
    for &point in points {
        if let [.., before, last] = corners[..]
            && rise(before, last, (last, point)) == rise(last, point, (before, last))
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

/// A horizontal line of whole pixels: a stroke could lie half on one row and half on the next.
fn level<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    (from, to): (u64, u64),
    value: u32,
    colour: RGBAColor,
    width: u32,
) -> Result<(), DrawError<B>> {
    let length = chart.backend_coord(&(to, value)).0 - chart.backend_coord(&(from, value)).0;
    let bar = Rectangle::new([(0, 0), (length, width as i32)], ShapeStyle::from(colour).filled());
    chart.draw_series([EmptyElement::at((from, value)) + bar])?;
    Ok(())
}

fn notches<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    ticks: &[u64],
    colour: RGBAColor,
    stroke: u32,
) -> Result<(), DrawError<B>> {
    let (unit, style) = (stroke as i32, ShapeStyle::from(colour).filled());
    let notch = || Rectangle::new([(-unit / 2, -4 * unit), (unit - unit / 2, 3 * unit)], style);
    chart.draw_series(ticks.iter().map(|&tick| EmptyElement::at((tick, 0)) + notch()))?;
    Ok(())
}

fn crosses<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    points: &[Point],
    colour: RGBAColor,
    stroke: u32,
    width: u32,
) -> Result<(), DrawError<B>> {
    let (arm, style) = (stroke as i32 * 5 / 2, ShapeStyle::from(colour).stroke_width(width));
    let bar = |rise: i32| PathElement::new([(-arm, -rise), (arm, rise)], style);
    chart.draw_series(points.iter().map(|&point| EmptyElement::at(point) + bar(arm) + bar(-arm)))?;
    Ok(())
}

fn dot<B: DrawingBackend>(
    chart: &mut Context<'_, B>,
    at: Option<Point>,
    palette: &Palette,
    stroke: u32,
) -> Result<(), DrawError<B>> {
    let disc =
        |radius: u32, colour: RGBAColor| Circle::new((0, 0), radius, ShapeStyle::from(colour).filled());
    let discs = |point: Point| {
        EmptyElement::at(point) + disc(3 * stroke, palette.ground) + disc(2 * stroke, palette.depth)
    };
    chart.draw_series(at.map(discs))?;
    Ok(())
}
