// Runs before anything is drawn, so that the page does not flash in the wrong colours.
"use strict";
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("tiltboard.theme");
  } catch {
    // The browser stores nothing for this page, so the preference of the system counts.
  }
  const light = matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = chosen || (light ? "light" : "dark");
}
