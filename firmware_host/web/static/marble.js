// Pieces as pictures: each kind has a colour and a mark, so that colour is not the only cue
// (drawings.svg).
import { s } from "/static/page.js";

/** Signs on pieces that are wrong, must move, or decide the game. */
export const SIGNS = { wrong: "!", remove: "×", lift: "↑", win: "★" };

// Transformation of the mark on each form; null: the form has no mark.
const FORMS = { ball: "", stone: "scale(1 .86)", tile: "translate(0 -4) scale(1.1 .95)",
  ship: "translate(0 1) scale(.45)", pod: null, platform: null };

const LOOKS = {
  red: { base: "#d23b33", mark: "#ffeede", shape: "dot" },
  blue: { base: "#2f70d2", mark: "#eaf4ff", shape: "ring" },
  white: { base: "#ece6d9", mark: "#4d4436", shape: "bar" },
  green: { base: "#2e9a56", mark: "#effbea", shape: "cross" },
  yellow: { base: "#e2c42e", mark: "#3a2e04", shape: "diamond" },
  black: { base: "#26292f", mark: "#f0c9de", shape: "diamond" },
  slate: { base: "#3a4152", mark: "#f0dd6a", shape: "bar" },
  unknown: { base: "#8a847b", mark: "#ffffff", shape: "ask" },
};
const BY_CLASS = ["red", "blue", "white", "green"];

/** Return the name of a piece's colours in this game: its own, or that of its magnet class. */
function paintOf(piece, game) {
  const paint = game?.looks?.[piece]?.paint ?? piece;
  return paint in LOOKS ? paint : BY_CLASS[game?.pieces.indexOf(piece)] ?? "unknown";
}

/** Return a piece's colour, its mark's colour, and the mark's shape. */
export const looksOf = (piece, game) => LOOKS[paintOf(piece, game)];

export function formOf(piece, game) {
  const form = game?.looks?.[piece]?.form;
  return form in FORMS ? form : "ball";
}

const marked = (shape, transform) => s("use", { href: `#mark-${shape}`, transform });

export function marble(piece, game, attributes = {}) {
  const [form, paint] = [formOf(piece, game), paintOf(piece, game)];
  const { base, mark, shape } = LOOKS[paint];
  return s("svg", { class: `ball ${form}`, "data-paint": paint, viewBox: "-50 -50 100 100",
    "aria-hidden": "true", color: mark, "--base": base, ...attributes },
  s("use", { href: `#${form}` }), FORMS[form] === null ? null : marked(shape, FORMS[form]));
}

/** Draw the outline that shows where a piece is wanted. */
export function outline(piece, game) {
  const { base, shape, mark } = looksOf(piece, game);
  const rim = formOf(piece, game) === "tile"
    ? s("rect", { x: -13, y: -13, width: 26, height: 26, rx: 4, class: "ghost-rim" })
    : s("circle", { r: formOf(piece, game) === "pod" ? 10.500 : 12.500, class: "ghost-rim" });
  return s("g", { class: "ghost", color: base }, rim,
    s("g", { color: mark }, marked(shape, "scale(.26)")));
}
