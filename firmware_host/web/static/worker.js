// The page's service worker: keeps its files, so that it opens, and says that the table is away,
// where the table cannot be reached. FILES and VERSION stand above: the server writes them
// (web/assets.py).

const PAGE = "/";
const TEXTS = "/api/v1/texts";

addEventListener("install", (event) => {
  const files = [PAGE, TEXTS, ...FILES.map((name) => `/static/${name}`)];
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(files))
    .then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (names) =>
    Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(old).then(() => clients.claim()));
});

/** The table's own answer, as long as it gives one: what is kept is never in its way. */
async function answered(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true, ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}

addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const ours = pathname === PAGE || pathname === TEXTS || pathname.startsWith("/static/");
  if (event.request.method === "GET" && origin === location.origin && ours)
    event.respondWith(answered(event.request));
});
