// The browser's Back closes what lies over the plate before it leaves the page.

const over = []; // what is open, each with close(), the last one on top
let leaving = false; // our own step back is under way

const step = () => history.pushState({ over: true }, "");

/** It has been opened. */
export function opened(layer) {
  if (over.includes(layer)) return;
  over.push(layer);
  if (!leaving && !history.state?.over) step();
}

/** It has been closed, in whatever way: then Back has nothing to close there. */
export function closed(layer) {
  const at = over.indexOf(layer);
  if (at < 0) return;
  over.splice(at, 1);
  if (over.length || leaving || !history.state?.over) return;
  leaving = true;
  history.back();
}

addEventListener("popstate", () => {
  if (!leaving && !history.state?.over) over.pop()?.close();
  leaving = false;
  if (over.length && !history.state?.over) step();
});
