// The page's service worker: it stores the page's files, so that the page opens without a
// connection and says so. The server writes FILES and VERSION above (web/assets.py).

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

/** Return the table's own answer, and a stored one only if the table does not answer. */
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
