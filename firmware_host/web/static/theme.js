// Runs before anything is drawn, so that the page does not flash in the wrong colours.
"use strict";
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("tiltboard.theme");
  } catch {
    // a browser that keeps nothing for this page: its own preference counts
  }
  const light = matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = chosen || (light ? "light" : "dark");
}
