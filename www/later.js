// Parts of the article that come when the reader is near: a `[data-later]` holds a link to a page of this site, and
// that page's `[data-part]` takes its place, with the style and the script that the page marks as going along. Without
// script, or where it cannot be fetched, the link stays.
(() => {
  "use strict";

  // A style sheet or a script of that page, for this one. What fails to load is done without.
  function bringAlong(tag) {
    const own = document.createElement(tag.localName);
    for (const { name, value } of tag.attributes) own.setAttribute(name, value);
    return new Promise((done) => {
      own.onload = own.onerror = done;
      document.head.append(own);
    });
  }

  async function bring(place) {
    const { href } = place.querySelector("a");
    try {
      const answer = await fetch(href);
      if (!answer.ok) throw new Error(`${href}: ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = page.querySelector("[data-part]");
      // There they lead to this page; here they lead to a place in it.
      for (const link of part.querySelectorAll('a[href^="./#"]')) link.setAttribute("href", link.getAttribute("href").slice(2));
      await Promise.all([...page.querySelectorAll("link[data-along]")].map(bringAlong));
      place.replaceWith(...part.childNodes);
      page.querySelectorAll("script[data-along]").forEach(bringAlong);
    } catch (error) {
      console.warn(error);
    }
  }

  // About the distance at which a panel comes (src/web/approach.rs).
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) come(target);
    },
    { rootMargin: "150% 0px" },
  );
  function come(place) {
    near.unobserve(place);
    if (!coming.has(place)) bring(place);
    coming.add(place);
  }
  const coming = new Set();
  const places = document.querySelectorAll("[data-later]");
  for (const place of places) near.observe(place);
  // Too late for that sheet of paper, which says so; in time for the next.
  window.addEventListener("beforeprint", () => places.forEach(come));
})();
