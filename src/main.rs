//! Two short mains: the page on wasm32, the command line elsewhere.

/// Mounts the panels; `www/boot.js` has loaded the module by now.
#[cfg(target_arch = "wasm32")]
fn main() {
    keyed_worker_pool::web::start(parts::LOAD);
}

/// Where the page's module is cut: what only one of these functions reaches is a file of its own, fetched when the
/// function is first called. They are here and not in the library because whoever links them exports them, and the
/// page's second module and the tests have no use for the panels.
#[cfg(target_arch = "wasm32")]
mod parts {
    use std::future::ready;

    use keyed_worker_pool::{
        presets::Panel,
        web::parts::{Desk, Load, Loading, MakeScene, MountConsumer, Unloaded},
    };
    use wasm_split_helpers::wasm_split;

    pub(super) const LOAD: Load =
        Load { scene, consumer: || Box::pin(consumer()), desk: || Box::pin(desk()) };

    fn scene(panel: Panel) -> Loading<MakeScene> {
        match panel {
            // The article begins with it.
            Panel::Dispatch => Box::pin(ready(Ok(MakeScene::dispatch()))),
            Panel::Watermark => Box::pin(watermark()),
            Panel::Backpressure => Box::pin(backpressure()),
            Panel::Rebalance => Box::pin(rebalance()),
        }
    }

    #[wasm_split(desk, fallible)]
    fn desk() -> Result<&'static Desk, Unloaded> {
        Ok(Desk::whole())
    }

    #[wasm_split(consumer, fallible)]
    fn consumer() -> Result<MountConsumer, Unloaded> {
        Ok(MountConsumer::whole())
    }

    #[wasm_split(watermark, fallible)]
    fn watermark() -> Result<MakeScene, Unloaded> {
        Ok(MakeScene::watermark())
    }

    #[wasm_split(backpressure, fallible)]
    fn backpressure() -> Result<MakeScene, Unloaded> {
        Ok(MakeScene::backpressure())
    }

    #[wasm_split(rebalance, fallible)]
    fn rebalance() -> Result<MakeScene, Unloaded> {
        Ok(MakeScene::rebalance())
    }
}

/// The command line.
#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    keyed_worker_pool::cli::main()
}
