// The page without a network. The build writes two lines above these: VERSION, which changes with any file of the
// site, and FILES, all of them.
//
// One version is one cache. A visitor who has it gets everything from it, and nothing from anywhere else; a newer
// version is fetched whole, beside it, and takes over when the reader says so (www/offline.js) or no tab is left.

// Other sites may live on the same host.
const OURS = `kwp ${new URL(registration.scope).pathname} `;
const CACHE = OURS + VERSION;

addEventListener("install", (event) => {
  // Past the browser's own cache, which may hold files of another version under the same name.
  const files = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  const forget = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(OURS) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
  };
  event.waitUntil(forget());
});

addEventListener("message", (event) => event.data === "take over" && skipWaiting());

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(registration.scope)) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  // The page is one document, whatever its address asks it to show.
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
