//! The canvas: its size in device pixels, the page's colours, and news of either changing.
//!
//! Both are read when they change, not when a tick is painted.

use plotters::{
    drawing::IntoDrawingArea,
    style::{Color, RGBAColor, RGBColor},
};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{
    CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlCanvasElement, MediaQueryList,
    ResizeObserver, Window,
};
use yew::Callback;

use crate::chart::{ChartData, Palette, draw};

/// By how many CSS pixels the canvas is larger than the chart on each side: a dot at an edge is whole.
pub(super) const MARGIN: f64 = 8.0;

/// The width of the line in front, in CSS pixels.
const STROKE: f64 = 2.0;

/// A canvas that knows when it must be measured anew.
pub(super) struct Surface {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    window: Window,
    on_change: Callback<()>,
    /// `None`: to be measured.
    measured: Option<Measured>,
    observer: ResizeObserver,
    _on_resize: Closure<dyn FnMut()>,
}

/// What holds until the size, the colours or the screen change.
struct Measured {
    palette: Palette,
    /// In device pixels, as is the margin.
    stroke: u32,
    margin: u32,
    _watch: Watch,
}

impl Surface {
    /// The canvas in `panel`; `on_change` is told when it has to be painted anew.
    pub(super) fn find(panel: &Element, on_change: Callback<()>) -> Option<Surface> {
        let canvas: HtmlCanvasElement = panel.query_selector("canvas").ok()??.dyn_into().ok()?;
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let tell = on_change.clone();
        let on_resize = Closure::<dyn FnMut()>::new(move || tell.emit(()));
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok()?;
        observer.observe(&canvas);
        let window = web_sys::window()?;
        Some(Surface { canvas, context, window, on_change, measured: None, observer, _on_resize: on_resize })
    }

    /// Whether this is the canvas of `panel` still.
    pub(super) fn is_in(&self, panel: &Element) -> bool {
        panel.contains(Some(&self.canvas))
    }

    /// Size or colours are no longer what they were.
    pub(super) fn outdated(&mut self) {
        self.measured = None;
    }

    /// Paints the chart.
    pub(super) fn paint(&mut self, data: &ChartData) {
        if self.measured.is_none() {
            self.measured = self.measure();
        }
        let Some(Measured { palette, stroke, margin, .. }) = &self.measured else { return };
        let (width, height) = (self.canvas.width(), self.canvas.height());
        self.context.clear_rect(0.0, 0.0, width.into(), height.into());
        let Some(backend) = CanvasBackend::with_canvas_object(self.canvas.clone()) else { return };
        // A canvas that cannot be drawn on stays empty; its words are HTML.
        let _ = draw(&backend.into_drawing_area(), data, palette, *stroke, *margin);
    }

    fn measure(&self) -> Option<Measured> {
        let density = self.window.device_pixel_ratio();
        let size = self.canvas.get_bounding_client_rect();
        let pixels = |length: f64| (length * density).round() as u32;
        let (width, height) = (pixels(size.width()), pixels(size.height()));
        if width == 0 || height == 0 {
            return None;
        }
        self.canvas.set_width(width);
        self.canvas.set_height(height);
        // After the size, which resets it.
        self.context.set_line_join("round");
        let style = self.window.get_computed_style(&self.canvas).ok()??;
        Some(Measured {
            palette: palette(&style)?,
            stroke: pixels(STROKE).max(1),
            margin: pixels(MARGIN),
            _watch: Watch::of(&self.window, density, &self.on_change)?,
        })
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// What the window hears when the reader chooses other colours (www/theme.js).
const THEME_CHANGE: &str = "themechange";

/// Tells when the page gets other colours, or the screen another density.
struct Watch {
    window: Window,
    queries: Vec<MediaQueryList>,
    listener: Closure<dyn FnMut()>,
}

impl Watch {
    fn of(window: &Window, density: f64, on_change: &Callback<()>) -> Option<Watch> {
        let tell = on_change.clone();
        let listener = Closure::<dyn FnMut()>::new(move || tell.emit(()));
        let media = [
            "(prefers-color-scheme: dark)".to_owned(),
            "(prefers-contrast: more)".to_owned(),
            format!("(resolution: {density}dppx)"),
        ];
        let queries: Vec<_> = media.iter().filter_map(|query| window.match_media(query).ok()?).collect();
        for query in &queries {
            query.add_event_listener_with_callback("change", listener.as_ref().unchecked_ref()).ok()?;
        }
        window.add_event_listener_with_callback(THEME_CHANGE, listener.as_ref().unchecked_ref()).ok()?;
        Some(Watch { window: window.clone(), queries, listener })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let listener = self.listener.as_ref().unchecked_ref();
        for query in &self.queries {
            let _ = query.remove_event_listener_with_callback("change", listener);
        }
        let _ = self.window.remove_event_listener_with_callback(THEME_CHANGE, listener);
    }
}

/// The page's colours, from its custom properties.
fn palette(style: &CssStyleDeclaration) -> Option<Palette> {
    let color = |name: &str| hex(style.get_property_value(name).ok()?.trim());
    let mark = color("--accent")?;
    Some(Palette {
        depth: color("--flow")?,
        fill: color("--flow-soft")?,
        ghost: color("--line-2")?,
        high: mark,
        low: mark,
        ceiling: color("--ink")?,
        danger: color("--danger")?,
        ground: color("--panel")?,
        grid: color("--line-2")?,
        ink: color("--ink-2")?,
    })
}

/// "#1d1c1a".
fn hex(text: &str) -> Option<RGBAColor> {
    let value = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some(RGBColor(red, green, blue).to_rgba())
}
