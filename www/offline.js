// Keeps the page for the next visit, with or without a network: www/sw.js does it, and is asked to when the reader
// first does something, so that the first view loads nothing for it.
//
// A newer version waits until the reader takes it. Everything a panel shows is in the address, so taking it loses
// nothing; every open tab takes it together, and no tab ever mixes two versions.
(() => {
  "use strict";

  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  const SIGNS = ["pointermove", "pointerdown", "wheel", "keydown", "touchstart"];

  function offer(worker) {
    if (document.querySelector(".newer")) return;
    const line = document.createElement("p");
    line.className = "newer";
    line.setAttribute("role", "status");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Take it";
    button.addEventListener("click", () => worker.postMessage("take over"));
    line.append("A newer version of this page is ready. ", button);
    document.body.append(line);
  }

  async function keep() {
    for (const sign of SIGNS) window.removeEventListener(sign, keep);
    const container = navigator.serviceWorker;
    const controlled = Boolean(container.controller);
    container.addEventListener("controllerchange", () => controlled && location.reload());
    try {
      const registration = await container.register("./sw.js");
      if (registration.waiting && controlled) offer(registration.waiting);
      registration.addEventListener("updatefound", () => {
        const worker = registration.installing;
        worker?.addEventListener("statechange", () => {
          if (worker.state === "installed" && controlled) offer(worker);
        });
      });
    } catch (error) {
      // A host without it, a reader who forbids it: the page works as long as there is a network.
      console.info("The page is not kept for later:", error.message);
    }
  }

  for (const sign of SIGNS) window.addEventListener(sign, keep, { passive: true });
})();
