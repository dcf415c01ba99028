// Starts the page's WebAssembly module, and says so in every panel's place when that cannot be, or when the
// module stops later. Plain script without dependencies: it must run where nothing else does.
//
// trunk writes <meta name="page-module" content="./GLUE.js" data-wasm="./MODULE.wasm"> (see Trunk.toml);
// the mount points are the elements with class "mount". A notice is
//
//   <div class="boot-notice" role="alert" data-boot="unsupported|unloaded|stopped">
//     <p>what happened</p>
//     <button type="button" data-act="reload">Reload the opening state</button>
//   </div>
//
// While loading, <html> carries data-boot="loading"; then "running", or the notice's word.
(() => {
  "use strict";

  const SENTENCES = {
    unsupported:
      "This simulation needs WebAssembly, which this browser lacks or has switched off. The article reads well without it.",
    unloaded:
      "The simulation could not be loaded: the network failed, or a file of the page is missing. The article reads well without it.",
    stopped:
      "The simulation met a fault of its own and stopped. What it showed is gone; the opening state is one click away.",
  };
  const root = document.documentElement;
  const state = (word) => root.setAttribute("data-boot", word);

  // The opening state has no fragment: a link's state may be what stopped the simulation.
  function reload() {
    history.replaceState(null, "", location.pathname + location.search);
    location.reload();
  }

  function notice(word) {
    const box = document.createElement("div");
    box.className = "boot-notice";
    box.setAttribute("role", "alert");
    box.setAttribute("data-boot", word);
    const sentence = document.createElement("p");
    sentence.textContent = SENTENCES[word];
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("data-act", "reload");
    button.textContent = "Reload the opening state";
    button.addEventListener("click", reload);
    box.append(sentence, button);
    return box;
  }

  // Before the module has drawn anything, the notice stands above what the article shows without it; later it
  // takes the place of a drawing that nobody updates any more.
  function giveUp(word) {
    const now = root.getAttribute("data-boot");
    if (now in SENTENCES) return;
    state(word);
    for (const mount of document.querySelectorAll(".mount")) {
      if (word === "stopped") mount.replaceChildren();
      mount.prepend(notice(word));
    }
  }

  // A panic in the module is a trap, and a trap reaches the window as a WebAssembly.RuntimeError, from an event
  // listener as an error and from a promise as a rejection.
  function trapped(error) {
    return typeof WebAssembly === "object" && error instanceof WebAssembly.RuntimeError;
  }
  window.addEventListener("error", (event) => trapped(event.error) && giveUp("stopped"));
  window.addEventListener("unhandledrejection", (event) => trapped(event.reason) && giveUp("stopped"));

  async function start() {
    if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiate !== "function") {
      giveUp("unsupported");
      return;
    }
    state("loading");
    try {
      const meta = document.querySelector('meta[name="page-module"]');
      const address = (path) => new URL(path, document.baseURI).href;
      const glue = await import(address(meta.content));
      await glue.default({ module_or_path: address(meta.dataset.wasm) });
      if (root.getAttribute("data-boot") === "loading") state("running");
    } catch (error) {
      console.error(error);
      giveUp(trapped(error) ? "stopped" : "unloaded");
    }
  }
  start();
})();
