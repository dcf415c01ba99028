//! A chart that the office painted, as an image: never as markup of the page.

use js_sys::Array;
use web_sys::{Blob, BlobPropertyBag, Url};
use yew::prelude::*;

/// The chart's colours, and what they are on a dark ground: as the report has them (`src/sizing/report.css`).
const DARK: [(&str, &str); 12] = [
    ("#FFFFFF", "#1D1F1E"),
    ("#1D1C1A", "#E9E6DF"),
    ("#5C5953", "#A8A49B"),
    ("#DCD8D0", "#3A3C3A"),
    ("#7A5103", "#E4B572"),
    ("#C0182C", "#FF6A62"),
    ("#174E93", "#7FB3F5"),
    ("#B45F06", "#F2A65A"),
    ("#057879", "#52C5C6"),
    ("#694FC1", "#B8A6FF"),
    ("#875562", "#F3B8C7"),
    ("#746B02", "#D8CF4A"),
];

/// An image at an address of its own, which is given back with it.
struct Image(String);

impl Image {
    fn new(svg: &str) -> Option<Image> {
        let options = BlobPropertyBag::new();
        options.set_type("image/svg+xml");
        let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&svg.into()), &options).ok()?;
        Url::create_object_url_with_blob(&blob).ok().map(Image)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // An address that was never given back only costs memory.
        let _ = Url::revoke_object_url(&self.0);
    }
}

/// A chart in light and dark.
pub(super) struct Picture {
    light: Image,
    dark: Image,
    alt: AttrValue,
}

impl Picture {
    /// The chart of this SVG; nothing where there is none.
    pub(super) fn new(svg: &str, alt: AttrValue) -> Option<Picture> {
        if svg.is_empty() {
            return None;
        }
        Some(Picture { light: Image::new(svg)?, dark: Image::new(&dark(svg))?, alt })
    }

    /// The chart. What it says is in the table beside it, too.
    pub(super) fn view(&self) -> Html {
        html! {
            <div class="consumer-chart" role="group" tabindex="0" aria-label={self.alt.clone()}>
                // The style sheet shows the one that suits the page's colours, which the reader can choose.
                <img data-ground="light" src={self.light.0.clone()} alt={self.alt.clone()} decoding="async" />
                <img data-ground="dark" src={self.dark.0.clone()} alt={self.alt.clone()} decoding="async" />
            </div>
        }
    }
}

fn dark(svg: &str) -> String {
    let mut dark = String::with_capacity(svg.len());
    let mut pieces = svg.split("=\"#");
    dark.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (color, rest) = piece.split_at_checked(6).unwrap_or((piece, ""));
        let known = DARK.iter().find(|(light, _)| light[1..].eq_ignore_ascii_case(color));
        dark.push_str("=\"#");
        dark.push_str(known.map_or(color, |(_, dark)| &dark[1..]));
        dark.push_str(rest);
    }
    dark
}
