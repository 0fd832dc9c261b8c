// Pieces as pictures: a glossy ball in its colour with a mark, so that colour is not the only cue.

import { s } from "/static/dom.js";

const LOOKS = {
  red: { light: "#ff9a84", base: "#d23b33", deep: "#6a0d12", mark: "#ffeede", shape: "dot" },
  blue: { light: "#93c5ff", base: "#2f70d2", deep: "#0e2a66", mark: "#eaf4ff", shape: "ring" },
  white: { light: "#ffffff", base: "#ece6d9", deep: "#8d836f", mark: "#4d4436", shape: "bar" },
  green: { light: "#a5e6a6", base: "#2e9a56", deep: "#0b4224", mark: "#effbea", shape: "cross" },
  black: { light: "#8b8f98", base: "#34373d", deep: "#0c0d10", mark: "#e6e8ec", shape: "bar" },
};
const BY_CLASS = ["red", "blue", "white", "green"];
const STRANGE = { light: "#c9c3ba", base: "#8a847b", deep: "#3b3732", mark: "#ffffff", shape: "ask" };

const MARKS = {
  dot: () => [s("circle", { r: 13, class: "filled" })],
  ring: () => [s("circle", { r: 15 })],
  bar: () => [s("path", { d: "M-18 0H18" })],
  cross: () => [s("path", { d: "M-14-14 14 14M14-14-14 14" })],
  ask: () => [s("path", { d: "M-9-8a9 9 0 1 1 13 8c-3 2-4 3-4 8M0 17v1" })],
};

function stops(...pairs) {
  return pairs.map(([offset, colour, opacity = 1]) =>
    s("stop", { offset, "stop-color": colour, "stop-opacity": opacity }));
}

function symbol(name, look) {
  const body = s("radialGradient", { id: `body-${name}`, cx: 0.5, cy: 0.5, r: 0.5, fx: 0.36, fy: 0.28 },
    stops([0, look.light], [0.45, look.base], [0.92, look.deep], [1, look.deep]));
  const ball = [
    s("circle", { r: 49, fill: `url(#body-${name})` }),
    s("circle", { r: 49, fill: "url(#bounce)" }),
    s("g", { class: `mark ${look.shape}`, color: look.mark }, MARKS[look.shape]()),
    s("ellipse", {
      cx: -13, cy: -25, rx: 22, ry: 13, fill: "url(#gloss)", transform: "rotate(-28 -13 -25)",
    }),
  ];
  return [body, s("symbol", { id: `marble-${name}`, viewBox: "-50 -50 100 100" }, ball)];
}

/** The shared drawings; once per page, before the first marble. */
export function drawSprite() {
  const shared = [
    s("radialGradient", { id: "gloss" }, stops([0, "#fff", 0.95], [0.5, "#fff", 0.5], [1, "#fff", 0])),
    s("radialGradient", { id: "bounce", cx: 0.66, cy: 0.84, r: 0.42 },
      stops([0, "#fff", 0.34], [0.5, "#fff", 0.1], [1, "#fff", 0])),
  ];
  const looks = Object.entries({ ...LOOKS, unknown: STRANGE });
  const marbles = looks.flatMap(([name, look]) => symbol(name, look));
  document.body.append(s("svg", { class: "sprite", "aria-hidden": "true" },
    s("defs", {}, shared, marbles)));
}

/** Which drawing a piece of this game has: its own, else by its class. */
export function lookOf(piece, game) {
  if (piece in LOOKS) return piece;
  return BY_CLASS[game?.pieces.indexOf(piece) ?? -1] ?? "unknown";
}

export function marble(piece, game) {
  return s("svg", { class: "ball", viewBox: "0 0 100 100", "aria-hidden": "true" },
    s("use", { href: `#marble-${lookOf(piece, game)}`, width: 100, height: 100 }));
}

/** The mark alone, for a place where such a piece is wanted. */
export function outline(piece, game) {
  const name = lookOf(piece, game);
  const look = LOOKS[name] ?? STRANGE;
  return s("g", { class: "ghost", color: look.base },
    s("circle", { r: 12.500, class: "ghost-rim" }),
    s("g", { class: `mark ${look.shape}`, transform: "scale(.26)", color: look.mark },
      MARKS[look.shape]()));
}
