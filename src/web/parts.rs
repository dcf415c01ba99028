//! The parts of the page that come later: what each of them holds, and how it is asked for.
//!
//! The module is one program that is cut into files when it is built (see `main.rs` and `xtask`): the first file
//! has what the first view shows, and a part's file is fetched when the reader comes near it. What is only reached
//! through a part is in that part's file, so nothing here may name a later scene except its own function.

use std::pin::Pin;

use web_sys::Element;

use super::{
    backpressure::BackpressureScene,
    consumer,
    dispatch::DispatchScene,
    rebalance::RebalanceScene,
    scene::{AnyScene, Scene},
    watermark::WatermarkScene,
};
use crate::presets::Panel;

pub use super::desk::Desk;

/// A part's file could not be fetched; asking again fetches it again.
pub use wasm_split_helpers::SplitLoaderError as Unloaded;

/// A panel's drawing and controls, of which a panel has two while two futures are compared.
#[derive(Clone, Copy)]
pub struct MakeScene(fn() -> Box<dyn AnyScene>);

/// A part on its way.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, Unloaded>>>>;

/// Fetches a panel's scene, or has it.
pub type LoadScene = fn(Panel) -> Loading<MakeScene>;

/// Fetches the section on the reader's own consumer.
pub type LoadConsumer = fn() -> Loading<MountConsumer>;

/// Fetches the desk.
pub type LoadDesk = fn() -> Loading<&'static Desk>;

/// How the parts are fetched.
#[derive(Clone, Copy)]
pub struct Load {
    /// A panel's scene.
    pub scene: LoadScene,
    /// The section on the reader's own consumer.
    pub consumer: LoadConsumer,
    /// What is done with a run besides playing it.
    pub desk: LoadDesk,
}

/// Puts the section on the reader's own consumer into its place.
#[derive(Clone, Copy, Debug)]
pub struct MountConsumer(fn(Element));

impl MountConsumer {
    /// The section.
    #[must_use]
    pub fn whole() -> MountConsumer {
        MountConsumer(consumer::mount)
    }

    pub(super) fn mount(self, place: Element) {
        (self.0)(place);
    }
}

impl MakeScene {
    /// The dispatch panel's.
    #[must_use]
    pub fn dispatch() -> MakeScene {
        MakeScene::of::<DispatchScene>()
    }

    /// The watermark panel's.
    #[must_use]
    pub fn watermark() -> MakeScene {
        MakeScene::of::<WatermarkScene>()
    }

    /// The backpressure panel's.
    #[must_use]
    pub fn backpressure() -> MakeScene {
        MakeScene::of::<BackpressureScene>()
    }

    /// The rebalance panel's.
    #[must_use]
    pub fn rebalance() -> MakeScene {
        MakeScene::of::<RebalanceScene>()
    }

    fn of<S: Scene>() -> MakeScene {
        MakeScene(|| Box::new(S::new()))
    }

    pub(super) fn make(self) -> Box<dyn AnyScene> {
        (self.0)()
    }
}

impl PartialEq for MakeScene {
    fn eq(&self, other: &MakeScene) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}
