// Pieces as pictures: each kind in its colour with a mark, so that colour is not the only cue.
import { s } from "/static/page.js";
import { FORMS, markOf, stops } from "/static/forms.js";

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
