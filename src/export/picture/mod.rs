//! A run as a picture that stands alone: on a slide, in a report, beside an incident.
//!
//! SVG, whose text is text, and PNG; white ground, the page's colours in light. What is on it is a [`Scene`] of
//! plain shapes, plotters' chart of records in flight, or graphs of what a sweep found; all are painted by plotters on either backend.

mod attempts;
mod depth;
mod gantt;
mod grid;
mod lettered;
mod panel;
mod plot;
mod scene;

pub use depth::{Recorder, chart_alone};
pub use panel::{Subject, compose, draw};
pub use plot::{Graph, Hue, Line, Plot, Scale};
pub use scene::{Area, Held, Rgb, Role, Scene, Shape};

use std::{error::Error, fmt};

use plotters::{
    backend::{BitMapBackend, SVGBackend},
    coord::Shift,
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea},
    element::Rectangle,
    prelude::DrawingBackend,
    style::{Color, RGBColor},
};

use crate::chart::ChartData;
use lettered::Lettered;

/// Pixels from left to right, at a size that is sharp on a dense screen and in print.
pub const WIDTH: u32 = 1600;

/// Which kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shapes and text.
    Svg,
    /// Pixels.
    Png,
}

/// A picture, composed and not yet painted.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Pixels from top to bottom.
    pub height: u32,
    /// Records in flight over time, if it is about them.
    pub chart: Option<Chart>,
    /// Graphs of a sweep, if it is about one.
    pub plot: Option<Plot>,
    /// Everything else.
    pub scene: Scene,
}

/// A chart of records in flight, and where it is.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// What stands above it; empty where the scene says it.
    pub title: String,
    /// What to draw.
    pub data: ChartData,
    /// Pixels from the top of the picture to the top of the chart.
    pub top: u32,
}

/// A picture that could not be made: a fault of the drawing library, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpaintable(String);

impl fmt::Display for Unpaintable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the picture cannot be drawn: {}", self.0)
    }
}

impl Error for Unpaintable {}

impl From<Plot> for Picture {
    fn from(plot: Plot) -> Picture {
        Picture { height: plot.height(), plot: Some(plot), ..Picture::default() }
    }
}

/// Paints it.
///
/// # Errors
/// If the drawing library fails.
pub fn paint(kind: Kind, picture: &Picture) -> Result<Vec<u8>, Unpaintable> {
    let size = (WIDTH, picture.height);
    match kind {
        Kind::Svg => {
            let mut text = String::new();
            let backend = Lettered::new(SVGBackend::with_string(&mut text, size), true);
            on(&backend.into_drawing_area(), picture, true)?;
            Ok(text.into_bytes())
        }
        Kind::Png => {
            let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
            let backend = Lettered::new(BitMapBackend::with_buffer(&mut pixels, size), false);
            on(&backend.into_drawing_area(), picture, false)?;
            encode(&pixels, size).map_err(|error| Unpaintable(error.to_string()))
        }
    }
}

/// `joins` says whether the backend can join the pieces of a thick line.
fn on<B: DrawingBackend>(
    area: &DrawingArea<Lettered<B>, Shift>,
    picture: &Picture,
    joins: bool,
) -> Result<(), Unpaintable> {
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| Unpaintable(error.to_string());
    let corner = (WIDTH as i32, i32::try_from(picture.height).unwrap_or(i32::MAX));
    area.draw(&Rectangle::new([(0, 0), corner], RGBColor(255, 255, 255).filled())).map_err(failed)?;
    if let Some(Chart { title, data, top }) = &picture.chart {
        let part = area.clone().shrink((0, *top as i32), (WIDTH, depth::HEIGHT));
        depth::on(&part, data, title, joins).map_err(failed)?;
    }
    if let Some(plot) = &picture.plot {
        plot::on(area, plot, joins).map_err(failed)?;
    }
    picture.scene.paint(area).map_err(failed)?;
    area.present().map_err(failed)
}

fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
