// Pieces as pictures: each kind in its colour with a mark, so that colour is not the only cue. Each is drawn in a box
// from -50 to 50, and made a symbol of.
import { s } from "/static/page.js";

export const MARKS = {
  dot: "M-13 0a13 13 0 1 0 26 0a13 13 0 1 0-26 0z",
  ring: "M-15 0a15 15 0 1 0 30 0a15 15 0 1 0-30 0z",
  bar: "M-18 0H18",
  cross: "M-14-14 14 14M14-14-14 14",
  diamond: "M0-17 17 0 0 17-17 0Z",
  ask: "M-9-8a9 9 0 1 1 13 8c-3 2-4 3-4 8M0 17v1",
};

/** What is said of a piece that stands where it should not, or decides the game. */
export const SIGNS = { wrong: "!", remove: "×", lift: "↑", win: "★" };

/** A piece's second sign beside its colour. */
function markOf(look, transform = null) {
  return s("g", { class: `mark ${look.shape}`, color: look.mark, transform }, s("path", { d: MARKS[look.shape] }));
}

/** Of a gradient: [offset, colour, opacity] each. */
export function stops(...pairs) {
  return pairs.map(([offset, colour, opacity = 1]) => s("stop", { offset, "stop-color": colour, "stop-opacity": opacity }));
}

function gloss(cx, cy, rx, ry) {
  return s("ellipse", { cx, cy, rx, ry, fill: "url(#gloss)", transform: `rotate(-28 ${cx} ${cy})` });
}

function ball(id, look) {
  return [
    s("radialGradient", { id, cx: 0.5, cy: 0.5, r: 0.5, fx: 0.36, fy: 0.28 }, stops([0, look.light], [0.45, look.base], [0.92, look.deep], [1, look.deep])),
    s("circle", { r: 49, fill: `url(#${id})` }), s("circle", { r: 49, fill: "url(#bounce)" }),
    markOf(look), gloss(-13, -25, 22, 13),
  ];
}

/** A polished stone, seen as the plate is: from the front and above. */
function stone(id, look) {
  return [
    s("radialGradient", { id, cx: 0.5, cy: 0.5, r: 0.62, fx: 0.38, fy: 0.24 }, stops([0, look.light], [0.55, look.base], [1, look.deep])),
    s("path", { d: "M-48 2a48 41 0 0 0 96 0v7a48 41 0 0 1-96 0z", fill: look.deep }),
    s("ellipse", { rx: 48, ry: 42, fill: `url(#${id})`, stroke: look.edge ?? look.deep, "stroke-width": 2 }),
    markOf(look, "scale(1 .86)"), gloss(-15, -22, 20, 10),
  ];
}

/** A square tile with a bevel. */
function tile(id, look) {
  return [
    s("linearGradient", { id, x1: 0, y1: 0, x2: 0.7, y2: 1 }, stops([0, look.light], [0.4, look.base], [1, look.deep])),
    s("rect", { x: -48, y: -38, width: 96, height: 86, rx: 13, fill: look.deep }),
    s("path", { d: "M-46 34a12 12 0 0 0 10 11h72a12 12 0 0 0 10-11", fill: "none", stroke: "#0006", "stroke-width": 3 }),
    s("rect", { x: -48, y: -44, width: 96, height: 81, rx: 13, fill: `url(#${id})` }),
    s("rect", { x: -38, y: -35, width: 76, height: 63, rx: 8, fill: look.base, stroke: look.light, "stroke-opacity": 0.75, "stroke-width": 2.500 }),
    markOf(look, "translate(0 -4) scale(1.1 .95)"),
  ];
}

/** A rocket on its fins; the mark is its window. */
function ship(id, look) {
  return [
    s("linearGradient", { id, x1: 0, y1: 0, x2: 1, y2: 0 }, stops([0, look.deep], [0.3, look.base], [0.46, look.light], [0.7, look.base], [1, look.deep])),
    s("path", { d: "M-17 14C-34 18-38 34-36 48c8-9 14-11 22-12zM17 14C34 18 38 34 36 48c-8-9-14-11-22-12z", fill: look.base, stroke: look.deep, "stroke-width": 2 }),
    s("path", { d: "M-13 35H13L9 46H-9z", fill: "#3a3f49" }),
    s("path", { d: "M0-50C15-36 23-17 23 2c0 13-3 24-8 35h-30c-5-11-8-22-8-35 0-19 8-38 23-52z", fill: `url(#${id})` }),
    s("path", { d: "M0-50c9 8 15 18 19 29-11 5-27 5-38 0 4-11 10-21 19-29z", fill: "#fff", "fill-opacity": 0.28 }),
    s("circle", { cy: 1, r: 14.500, fill: "#10151f", stroke: look.mark, "stroke-width": 3.500 }),
    look.shape === "dot" ? s("circle", { cy: 1, r: 6.500, fill: look.mark }) : s("circle", { cy: 1, r: 6.500, fill: "none", stroke: look.mark, "stroke-width": 3 }),
    s("path", { d: "M0 20V47", stroke: look.deep, "stroke-width": 6, "stroke-linecap": "round" }),
  ];
}

/** A small dark pod with a belt. */
function pod(id, look) {
  return [
    s("radialGradient", { id, cx: 0.5, cy: 0.5, r: 0.5, fx: 0.36, fy: 0.28 }, stops([0, look.light], [0.4, look.base], [0.9, look.deep], [1, look.deep])),
    s("circle", { cy: 8, r: 37, fill: `url(#${id})`, stroke: look.edge, "stroke-width": 2.500 }),
    s("path", { d: "M-35 13C-20 26 20 26 35 13", fill: "none", stroke: look.mark, "stroke-width": 5, "stroke-opacity": 0.85 }),
    gloss(-10, -10, 16, 9),
  ];
}

/** A platform on its pivot, leaning, with towers of blocks. */
function platform(id, look) {
  const block = (x, y, colour) => s("rect", { x, y, width: 17, height: 14, rx: 2.500, fill: colour, stroke: "#0008", "stroke-width": 1.500 });
  return [
    s("linearGradient", { id, x1: 0, y1: 0, x2: 0, y2: 1 }, stops([0, look.light], [0.5, look.base], [1, look.deep])),
    s("path", { d: "M0 14 15 46H-15z", fill: look.deep, stroke: look.edge, "stroke-width": 2 }),
    s("g", { transform: "rotate(-11 0 14)" },
      block(-38, -6, "#d9503f"), block(-38, -20, "#3b7ddd"), block(-38, -34, "#e9cf3c"),
      block(-9, -6, "#35a05e"), block(-9, -20, "#d9503f"), block(22, -6, "#3b7ddd"),
      s("rect", { x: -48, y: 8, width: 96, height: 10, rx: 5, fill: `url(#${id})`, stroke: look.edge, "stroke-width": 2 })),
  ];
}

const FORMS = { ball, stone, tile, ship, pod, platform };

const LOOKS = {
  red: { light: "#ff9a84", base: "#d23b33", deep: "#6a0d12", mark: "#ffeede", shape: "dot" },
  blue: { light: "#93c5ff", base: "#2f70d2", deep: "#0e2a66", mark: "#eaf4ff", shape: "ring" },
  white: { light: "#ffffff", base: "#ece6d9", deep: "#8d836f", mark: "#4d4436", shape: "bar" },
  green: { light: "#a5e6a6", base: "#2e9a56", deep: "#0b4224", mark: "#effbea", shape: "cross" },
  yellow: { light: "#fff3a0", base: "#e2c42e", deep: "#7a6208", mark: "#3a2e04", shape: "diamond" },
  black: { light: "#767b85", base: "#26292f", deep: "#08090b", mark: "#f0c9de", shape: "diamond", edge: "#6d727c" },
  slate: { light: "#a9b2c6", base: "#3a4152", deep: "#0a0c12", mark: "#f0dd6a", shape: "bar", edge: "#8e99b5" },
};
const BY_CLASS = ["red", "blue", "white", "green"];
const STRANGE = { light: "#c9c3ba", base: "#8a847b", deep: "#3b3732", mark: "#ffffff", shape: "ask" };

// Which paints a form is drawn in; the others are marbles.
const DRAWN = {
  ball: ["red", "blue", "white", "green", "yellow", "black", "slate", "unknown"],
  stone: ["white", "black"],
  tile: ["red", "blue"],
  ship: ["red", "blue"],
  pod: ["slate"],
  platform: ["slate"],
};

/** The shared drawings; once per page, before the first piece. */
export function drawSprite() {
  const shared = [
    s("radialGradient", { id: "gloss" }, stops([0, "#fff", 0.95], [0.5, "#fff", 0.5], [1, "#fff", 0])),
    s("radialGradient", { id: "bounce", cx: 0.66, cy: 0.84, r: 0.42 }, stops([0, "#fff", 0.34], [0.5, "#fff", 0.1], [1, "#fff", 0])),
  ];
  const symbols = Object.entries(DRAWN).flatMap(([form, names]) => names.map((name) => {
    const [paint, ...drawing] = FORMS[form](`paint-${form}-${name}`, LOOKS[name] ?? STRANGE);
    return [paint, s("symbol", { id: `${form}-${name}`, viewBox: "-50 -50 100 100" }, drawing)];
  })).flat();
  document.body.append(s("svg", { class: "sprite", "aria-hidden": "true" }, s("defs", {}, shared, symbols)));
}

/** Which colours a piece of this game has: its own, else by its class. */
function lookOf(piece, game) {
  const paint = game?.looks?.[piece]?.paint ?? piece;
  if (paint in LOOKS) return paint;
  return BY_CLASS[game?.pieces.indexOf(piece) ?? -1] ?? "unknown";
}

/** Its colours: light, base, deep, and of its mark. */
export function looksOf(piece, game) { return LOOKS[lookOf(piece, game)] ?? STRANGE; }

export function formOf(piece, game) {
  const form = game?.looks?.[piece]?.form;
  return DRAWN[form]?.includes(lookOf(piece, game)) ? form : "ball";
}

export function marble(piece, game) {
  const form = formOf(piece, game);
  return s("svg", { class: `ball ${form}`, viewBox: "0 0 100 100", "aria-hidden": "true" }, s("use", { href: `#${form}-${lookOf(piece, game)}`, width: 100, height: 100 }));
}

/** What a piece leaves of itself where it is wanted. */
export function outline(piece, game) {
  const look = LOOKS[lookOf(piece, game)] ?? STRANGE;
  const rim = formOf(piece, game) === "tile"
    ? s("rect", { x: -13, y: -13, width: 26, height: 26, rx: 4, class: "ghost-rim" })
    : s("circle", { r: formOf(piece, game) === "pod" ? 10.500 : 12.500, class: "ghost-rim" });
  return s("g", { class: "ghost", color: look.base }, rim, markOf(look, "scale(.26)"));
}
