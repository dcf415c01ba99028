//! Letters for plotters' backends: measured and, where a picture is made of pixels, drawn from one font that
//! comes with the program.
//!
//! plotters asks the system or the browser's document about text; a worker has neither. Here SVG gets real text,
//! which its viewer sets, and both kinds of picture get the same layout on every machine.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, Glyph, Point, ScaleFont};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    text_anchor::{HPos, VPos},
};

/// plotters' sizes are this much larger than a font's em.
const SIZE_PER_EM: f64 = 1.24;

/// Heights above the baseline as shares of an em, as plotters' SVG has them: what hangs from a point, and what
/// is centred on it.
const CAP: f64 = 0.76;
const HALF_X: f64 = 0.26;

/// How far a bold letter is smeared, as a share of an em.
const BOLD: f32 = 0.045;

/// A backend that lacks letters, with letters.
pub(super) struct Lettered<B> {
    inner: B,
    /// Whether the backend writes text itself.
    writes: bool,
}

impl<B> Lettered<B> {
    /// Text is handed on to a backend that `writes`, and drawn into one that does not.
    pub(super) fn new(inner: B, writes: bool) -> Lettered<B> {
        Lettered { inner, writes }
    }
}

fn font() -> Option<&'static FontRef<'static>> {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    // A font that cannot be read would show as a picture without letters, and in the tests.
    FONT.get_or_init(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()).as_ref()
}

/// The letters of a line, from x = 0 on the baseline y = 0, and where the line ends.
fn set(font: &FontRef<'_>, text: &str, em: f64) -> (Vec<Glyph>, f32) {
    let per_em = font.units_per_em().unwrap_or(1000.0);
    let scaled = font.as_scaled(em as f32 * font.height_unscaled() / per_em);
    let (mut glyphs, mut x) = (Vec::new(), 0.0);
    let mut before = None;
    for c in text.chars() {
        let id = scaled.glyph_id(c);
        x += before.map_or(0.0, |before| scaled.kern(before, id));
        glyphs.push(id.with_scale_and_position(scaled.scale(), Point { x, y: 0.0 }));
        x += scaled.h_advance(id);
        before = Some(id);
    }
    (glyphs, x)
}

/// The width of a line in pixels; `size` as plotters counts.
pub(super) fn width(text: &str, size: u32) -> i32 {
    font().map_or(0, |font| set(font, text, f64::from(size) / SIZE_PER_EM).1.ceil() as i32)
}

impl<B: DrawingBackend> Lettered<B> {
    fn letter<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        pos: BackendCoord,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some(font) = font() else { return Ok(()) };
        let (em, colour, turn) = (style.size() / SIZE_PER_EM, style.color(), style.transform());
        let (mut glyphs, width) = set(font, text, em);
        if matches!(style.style(), FontStyle::Bold) {
            let smear = BOLD * em as f32;
            let smeared = glyphs.iter().cloned().map(|mut glyph| {
                glyph.position.x += smear;
                glyph
            });
            glyphs = glyphs.iter().cloned().chain(smeared).collect();
        }
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let baseline = match style.anchor().v_pos {
            VPos::Top => CAP * em,
            VPos::Center => HALF_X * em,
            VPos::Bottom => -HALF_X * em,
        };
        let (right, bottom) = self.inner.get_size();
        let inside = |x: i32, y: i32| (0..right as i32).contains(&x) && (0..bottom as i32).contains(&y);
        for glyph in glyphs {
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            let corner =
                ((bounds.min.x + left).round() as i32, (f64::from(bounds.min.y) + baseline).round() as i32);
            let mut pixels = Vec::new();
            outline.draw(|x, y, coverage| pixels.push((x as i32, y as i32, coverage)));
            for (x, y, coverage) in pixels.into_iter().filter(|pixel| pixel.2 > 0.0) {
                let (x, y) = turn.transform(corner.0 + x, corner.1 + y);
                let (x, y) = (pos.0 + x, pos.1 + y);
                if inside(x, y) {
                    let alpha = colour.alpha * f64::from(coverage.min(1.0));
                    self.inner.draw_pixel((x, y), BackendColor { alpha, ..colour })?;
                }
            }
        }
        Ok(())
    }
}

impl<B: DrawingBackend> DrawingBackend for Lettered<B> {
    type ErrorType = B::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.inner.get_size()
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.present()
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        colour: BackendColor,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.draw_pixel(at, colour)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.draw_circle(centre, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        self.inner.fill_polygon(corners, style)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        pos: BackendCoord,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        if self.writes { self.inner.draw_text(text, style, pos) } else { self.letter(text, style, pos) }
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<B::ErrorType>> {
        let em = style.size() / SIZE_PER_EM;
        let width = font().map_or(0.0, |font| set(font, text, em).1);
        Ok((width.ceil() as u32, em.ceil() as u32))
    }
}
