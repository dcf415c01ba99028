// What must be decided before the page is painted: its colours, and whether it is one panel in somebody else's page.
//
// Colours follow the system until the reader chooses; the choice is remembered. On <html>, data-theme="light|dark" is
// the choice, and nothing stands for the system. The button that turns it is shown only where this script runs.
//
// `?panel=NAME` leaves one panel of the article, without its text, for a frame: data-embed="NAME". The frame's host is
// told how high the panel is, whenever that changes: { type: "kwp-height", panel, height } in CSS pixels.
(() => {
  "use strict";

  const root = document.documentElement;
  const CHOICES = { system: "as the system", light: "light", dark: "dark" };

  function remembered() {
    try {
      return localStorage.getItem("theme");
    } catch {
      // Storage can be forbidden; then a choice lasts as long as the page.
      return null;
    }
  }

  function remember(choice) {
    try {
      if (choice === "system") localStorage.removeItem("theme");
      else localStorage.setItem("theme", choice);
    } catch {
      // See above.
    }
  }

  let choice = "system";

  function choose(next) {
    choice = Object.hasOwn(CHOICES, next ?? "") ? next : "system";
    if (choice === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", choice);
    // The browser's own frame around the page.
    for (const meta of document.querySelectorAll('meta[name="theme-color"]')) {
      const scheme = meta.media.includes("dark") ? "dark" : "light";
      meta.dataset.own ??= meta.content;
      const other = document.querySelector(`meta[name="theme-color"][media*="${choice}"]`);
      meta.content = choice === "system" || scheme === choice ? meta.dataset.own : (other?.dataset.own ?? other?.content);
    }
    const button = document.querySelector(".theme");
    if (button) {
      button.querySelector("span").textContent = CHOICES[choice];
      button.hidden = false;
    }
    // For what draws with these colours on a canvas.
    window.dispatchEvent(new Event("themechange"));
  }

  choose(remembered());
  window.addEventListener("storage", (event) => event.key === "theme" && choose(event.newValue));

  const wanted = new URLSearchParams(location.search).get("panel");
  const embedded = ["dispatch", "watermark", "backpressure", "rebalance"].includes(wanted ?? "") ? wanted : null;
  if (embedded) root.setAttribute("data-embed", embedded);

  document.addEventListener("DOMContentLoaded", () => {
    choose(choice);
    document.querySelector(".theme")?.addEventListener("click", () => {
      const names = Object.keys(CHOICES);
      const next = names[(names.indexOf(choice) + 1) % names.length];
      remember(next);
      choose(next);
      document.getElementById("theme-told").textContent = `Colours: ${CHOICES[next]}.`;
    });
    if (!embedded) return;
    // For who listens, the frame has the article's title and the panel's; and the way home is a landmark.
    const titles = ["h1", `#${embedded}-title`].map((title) => document.querySelector(title));
    for (const title of titles) title.className = "visually-hidden";
    document.querySelector("main").prepend(titles[0]);
    const home = document.createElement("footer");
    home.className = "embed-home";
    const link = document.createElement("a");
    link.textContent = "The Keyed Worker Pool: the whole article";
    link.target = "_blank";
    link.rel = "noopener";
    // With the run as it is shown by then.
    const point = () => (link.href = `${location.pathname}${location.hash || `#${embedded}`}`);
    for (const sign of ["pointerdown", "focus", "mouseenter"]) link.addEventListener(sign, point);
    point();
    home.append(link);
    document.body.append(home);
    if (window.parent === window) return;
    const tell = () => {
      const height = Math.ceil(document.body.getBoundingClientRect().height);
      window.parent.postMessage({ type: "kwp-height", panel: embedded, height }, "*");
    };
    new ResizeObserver(tell).observe(document.body);
  });
})();
