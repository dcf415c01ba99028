// Parts of the article that come when the reader is near: a `[data-later]` holds a link to a page of this site, and
// that page's content takes its place. Without script, or where it cannot be fetched, the link stays.
(() => {
  "use strict";

  async function bring(place) {
    const { href } = place.querySelector("a");
    try {
      const answer = await fetch(href);
      if (!answer.ok) throw new Error(`${href}: ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceWith(...page.body.childNodes);
    } catch (error) {
      console.warn(error);
    }
  }

  // About the distance at which a panel comes (src/web/approach.rs).
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        bring(target);
      }
    },
    { rootMargin: "150% 0px" },
  );
  for (const place of document.querySelectorAll("[data-later]")) near.observe(place);
})();
