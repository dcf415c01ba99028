//! Plain shapes in pixels, and how they are painted.
//!
//! A picture is composed as a list of these, which tests can count, before any backend sees it. Lines that are
//! upright or level are bars of whole pixels: a stroke could lie half on one row and half on the next.

use plotters::{
    coord::Shift,
    drawing::{DrawingArea, DrawingAreaErrorKind},
    element::{PathElement, Rectangle, Text},
    prelude::DrawingBackend,
    style::{
        Color, FontStyle, RGBColor, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::lettered;

/// A colour of the page in light.
pub type Rgb = (u8, u8, u8);

/// Text.
pub(super) const INK: Rgb = (0x1d, 0x1c, 0x1a);
/// Quieter text.
pub(super) const QUIET: Rgb = (0x5c, 0x59, 0x53);
/// Hairlines.
pub(super) const HAIR: Rgb = (0xdc, 0xd8, 0xd0);
/// Sunken surfaces.
pub(super) const WELL: Rgb = (0xf0, 0xed, 0xe6);
/// The accent: the watermark.
pub(super) const ACCENT: Rgb = (0x7c, 0x26, 0x73);
/// What is wrong.
pub(super) const DANGER: Rgb = (0xc0, 0x18, 0x2c);
/// Time: the window of a drain.
pub(super) const TIME: Rgb = (0x7a, 0x51, 0x03);
/// The same, quiet.
pub(super) const TIME_SOFT: Rgb = (0xef, 0xe9, 0xe2);
/// The ground.
pub(super) const PAPER: Rgb = (0xff, 0xff, 0xff);

/// A key's colours: the fill, text on it, text and outline on white, the quiet fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hue {
    pub(super) fill: Rgb,
    pub(super) on_fill: Rgb,
    pub(super) text: Rgb,
    pub(super) soft: Rgb,
}

const fn hue(fill: u32, on_fill: u32, text: u32, soft: u32) -> Hue {
    Hue { fill: rgb(fill), on_fill: rgb(on_fill), text: rgb(text), soft: rgb(soft) }
}

const fn rgb(hex: u32) -> Rgb {
    ((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// `--key-0` to `--key-7` of `www/style.css`.
const HUES: [Hue; 8] = [
    hue(0x174e93, 0xffffff, 0x174e93, 0xd8e2ef),
    hue(0xf0982a, 0x1d1c1a, 0x8e5500, 0xfcdcbd),
    hue(0x057879, 0xffffff, 0x056e6f, 0xd4e4e4),
    hue(0x7860d4, 0xffffff, 0x694fc1, 0xe1dff9),
    hue(0xf0e34e, 0x1d1c1a, 0x746b02, 0xf6f1aa),
    hue(0x62a5de, 0x1d1c1a, 0x21679b, 0xd0e4f6),
    hue(0x522d16, 0xffffff, 0x522d16, 0xe7e0dc),
    hue(0xf3b8c7, 0x1d1c1a, 0x875362, 0xfad9e1),
];

/// `--key-none`.
const KEYLESS: Hue = hue(0x6f6c66, 0xffffff, 0x5c5953, 0xe6e3dd);

/// The colours of a key, by its number in the log.
pub(super) fn hue_of(key: Option<crate::ids::KeyId>) -> Hue {
    key.map_or(KEYLESS, |id| HUES[id.0 as usize % HUES.len()])
}

/// A rectangle: left, top, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Pixels from the left.
    pub x: i32,
    /// Pixels from the top.
    pub y: i32,
    /// Its width.
    pub w: i32,
    /// Its height.
    pub h: i32,
}

/// Where a text is held: what is given is its left end, its middle or its right end, half way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// At the left end.
    Left,
    /// In the middle.
    Middle,
    /// At the right end.
    Right,
}

/// One shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A filled rectangle; what it stands for, for whoever counts.
    Box(Area, Rgb, Role),
    /// A stroke between two points, so many pixels wide.
    Stroke((i32, i32), (i32, i32), Rgb, u32),
    /// A line of text: where, how it is held, its size, whether it is bold.
    Text((i32, i32), Held, String, u32, Rgb, bool),
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An attempt on a worker.
    Attempt,
    /// The part of an attempt that was too late.
    Late,
    /// A record of the log.
    Cell,
    /// Anything else.
    Ground,
}

/// Shapes, the first at the bottom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The shapes.
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub(super) fn fill(&mut self, area: Area, colour: Rgb, role: Role) {
        self.shapes.push(Shape::Box(area, colour, role));
    }

    /// The outline of a rectangle, within it.
    pub(super) fn frame(&mut self, Area { x, y, w, h }: Area, colour: Rgb, width: i32) {
        for area in [
            Area { x, y, w, h: width },
            Area { x, y: y + h - width, w, h: width },
            Area { x, y, w: width, h },
            Area { x: x + w - width, y, w: width, h },
        ] {
            self.fill(area, colour, Role::Ground);
        }
    }

    pub(super) fn stroke(&mut self, from: (i32, i32), to: (i32, i32), colour: Rgb, width: u32) {
        self.shapes.push(Shape::Stroke(from, to, colour, width));
    }

    /// Slanted lines across a rectangle.
    pub(super) fn hatch(&mut self, Area { x, y, w, h }: Area, colour: Rgb) {
        const GAP: i32 = 9;
        for start in (GAP..w + h).step_by(GAP as usize) {
            // From the left or lower edge up to the upper or right one.
            let from = if start <= h { (x, y + start) } else { (x + start - h, y + h) };
            let to = if start <= w { (x + start, y) } else { (x + w, y + start - w) };
            self.stroke(from, to, colour, 2);
        }
    }

    /// Dashes straight down.
    pub(super) fn dashes(&mut self, x: i32, (top, bottom): (i32, i32), colour: Rgb, width: i32) {
        for y in (top..bottom).step_by(12) {
            self.fill(Area { x: x - width / 2, y, w: width, h: (bottom - y).min(7) }, colour, Role::Ground);
        }
    }

    pub(super) fn text(&mut self, at: (i32, i32), held: Held, text: &str, size: u32, colour: Rgb) {
        self.shapes.push(Shape::Text(at, held, text.to_owned(), size, colour, false));
    }

    pub(super) fn bold(&mut self, at: (i32, i32), held: Held, text: &str, size: u32, colour: Rgb) {
        self.shapes.push(Shape::Text(at, held, text.to_owned(), size, colour, true));
    }

    /// Words, as many a line as fit between `x` and `right`; the height that they took.
    pub(super) fn paragraph(&mut self, (x, y): (i32, i32), right: i32, text: &str, size: u32) -> i32 {
        let pitch = size as i32 * 5 / 4;
        let (mut line, mut below) = (String::new(), 0);
        for word in text.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && x + width(&longer, size) > right {
                self.text((x, y + below), Held::Left, &line, size, QUIET);
                below += pitch;
                line = word.to_owned();
            } else {
                line = longer;
            }
        }
        self.text((x, y + below), Held::Left, &line, size, QUIET);
        below + pitch
    }

    /// How many boxes have this role.
    #[must_use]
    pub fn count(&self, wanted: Role) -> usize {
        self.shapes.iter().filter(|shape| matches!(shape, Shape::Box(_, _, role) if *role == wanted)).count()
    }

    /// The texts, in the order in which they are painted.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(_, _, text, ..) => Some(text.as_str()),
            _ => None,
        })
    }

    pub(super) fn paint<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let solid = |(r, g, b): Rgb| ShapeStyle::from(RGBColor(r, g, b)).filled();
        for shape in &self.shapes {
            match shape {
                Shape::Box(Area { w, h, .. }, ..) if *w <= 0 || *h <= 0 => {}
                Shape::Box(Area { x, y, w, h }, colour, _) => {
                    area.draw(&Rectangle::new([(*x, *y), (x + w, y + h)], solid(*colour)))?;
                }
                Shape::Stroke(from, to, colour, width) => {
                    let style = solid(*colour).stroke_width(*width);
                    area.draw(&PathElement::new([*from, *to], style))?;
                }
                Shape::Text(at, held, text, size, (r, g, b), bold) => {
                    let across = match held {
                        Held::Left => HPos::Left,
                        Held::Middle => HPos::Center,
                        Held::Right => HPos::Right,
                    };
                    let weight = if *bold { FontStyle::Bold } else { FontStyle::Normal };
                    let colour = RGBColor(*r, *g, *b).to_rgba();
                    let style = TextStyle::from(("sans-serif", *size, weight))
                        .color(&colour)
                        .pos(Pos::new(across, VPos::Center));
                    area.draw(&Text::new(text.as_str(), *at, style))?;
                }
            }
        }
        Ok(())
    }
}

/// The width of a text in pixels.
pub(super) fn width(text: &str, size: u32) -> i32 {
    lettered::width(text, size)
}
