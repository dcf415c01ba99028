//! The canvas: its size in device pixels, the page's colours, and news of either changing.
//!
//! Both are read when they change, not when a tick is painted.

use plotters::{drawing::IntoDrawingArea, style::RGBColor};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{
    CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlCanvasElement, MediaQueryList,
    ResizeObserver, Window,
};
use yew::Callback;

use crate::chart::{ChartData, Palette, draw};

/// A canvas that knows when it must be measured anew.
pub(super) struct Surface {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    window: Window,
    on_change: Callback<()>,
    /// The colours at this size and on this screen; `None`: to be measured.
    measured: Option<(Palette, Watch)>,
    observer: ResizeObserver,
    _on_resize: Closure<dyn FnMut()>,
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
    pub(super) fn paint(&mut self, data: &ChartData<'_>) {
        if self.measured.is_none() {
            self.measured = self.measure();
        }
        let Some((palette, _)) = &self.measured else { return };
        let (width, height) = (self.canvas.width(), self.canvas.height());
        self.context.clear_rect(0.0, 0.0, width.into(), height.into());
        let Some(backend) = CanvasBackend::with_canvas_object(self.canvas.clone()) else { return };
        // A canvas that cannot be drawn on stays empty; its words are HTML.
        let _ = draw(&backend.into_drawing_area(), data, palette);
    }

    fn measure(&self) -> Option<(Palette, Watch)> {
        let density = self.window.device_pixel_ratio();
        let size = self.canvas.get_bounding_client_rect();
        let [width, height] = [size.width(), size.height()].map(|length| (length * density).round() as u32);
        if width == 0 || height == 0 {
            return None;
        }
        self.canvas.set_width(width);
        self.canvas.set_height(height);
        // After the size, which resets it.
        self.context.set_line_join("round");
        let style = self.window.get_computed_style(&self.canvas).ok()??;
        Some((palette(&style, density)?, Watch::of(&self.window, density, &self.on_change)?))
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Tells when the page gets other colours, or the screen another density.
struct Watch {
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
        Some(Watch { queries, listener })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for query in &self.queries {
            let _ = query.remove_event_listener_with_callback("change", self.listener.as_ref().unchecked_ref());
        }
    }
}

/// The page's colours, from its custom properties.
fn palette(style: &CssStyleDeclaration, density: f64) -> Option<Palette> {
    let color = |name: &str| hex(style.get_property_value(name).ok()?.trim());
    Some(Palette {
        line: color("--flow")?,
        fill: color("--flow-soft")?,
        ghost: color("--line-2")?,
        mark: color("--accent")?,
        ceiling: color("--ink")?,
        axis: color("--line-2")?,
        danger: color("--danger")?,
        ground: color("--panel")?,
        density,
    })
}

/// "#1d1c1a".
fn hex(text: &str) -> Option<RGBColor> {
    let value = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some(RGBColor(red, green, blue))
}
