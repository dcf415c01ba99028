//! Two short mains: the page on wasm32, the command line elsewhere.

/// Mounts the panels; `www/boot.js` has loaded the module by now.
#[cfg(target_arch = "wasm32")]
fn main() {
    keyed_worker_pool::web::start();
}

/// The command line.
#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    keyed_worker_pool::cli::main()
}
