// Small drawings of one hand: a game's board, and who plays.
import { s } from "/static/page.js";
import { looksOf, marble } from "/static/marble.js";

const SIDES = [["#e2574c", 1, 0], ["#4f9be8", 1, 1], ["#59b26b", 0, 0], ["#e2c42e", 0, 1]];
const CELLS = [0, 1, 2, 3, 4];

/** Where pieces of each form stand in the picture, in turn, each in a box of 100 by 100. */
const STAND = {
  ball: [[1, 1], [3, 1], [2, 2], [1, 3], [2, 3], [4, 2]], stone: [[1, 1], [2, 1], [2, 2], [3, 3], [1, 3], [3, 2]],
  tile: [[1, 4], [2, 4], [2, 3], [3, 4], [4, 2], [4, 3]], ship: [[0, 3], [3, 0.500], [2, 4], [4, 3], [1, 1]], platform: [[2, 2]],
};

const at = (cell) => 18 + 16 * cell;

/** What lies on the board besides its pieces. */
function ground(form) {
  if (form === "platform") return [];
  if (form === "ship") {
    const tracks = [["#8fd3ff", "M12 72C30 20 70 10 86 34S64 88 50 84 20 60 34 26"], ["#ffc58f", "M14 30C40 44 70 50 86 72"]];
    return [s("circle", { cx: 52, cy: 48, r: 8, fill: "#000", stroke: "#ffd9a0" }), ...tracks.map(([stroke, d]) => s("path", { d, stroke, fill: "none", "stroke-width": 2.500 }))];
  }
  const cells = CELLS.flatMap((x) => CELLS.map((y) => s("rect", { x: at(x) - 7.500, y: at(y) - 7.500, width: 15, height: 15, rx: 3, fill: "#33413f" })));
  const slots = SIDES.flatMap(([fill, upright, far]) => CELLS.map((cell) => {
    const [x, y] = upright ? [at(cell), far ? 97 : 3] : [far ? 97 : 3, at(cell)];
    return s("rect", { x: x - 4, y: y - 2.500, width: 8, height: 5, rx: 1.500, fill, transform: upright ? null : `rotate(90 ${x} ${y})` });
  }));
  return form === "tile" ? [...cells, ...slots] : cells;
}

/** A game as a picture of its board in play. `looks`: of some of its pieces. */
export function boardPicture(looks) {
  const game = { looks, pieces: Object.keys(looks) };
  const [first] = game.pieces;
  const form = looks[first]?.form in STAND ? looks[first].form : "ball";
  const size = form === "platform" ? 84 : 19;
  const standing = STAND[form].map(([x, y], n) => {
    const piece = marble(form === "ship" && n > 1 ? game.pieces.at(-1) : game.pieces[n % game.pieces.length], game);
    for (const [name, value] of Object.entries({ x: at(x) - size / 2, y: at(y) - size / 2, width: size, height: size })) piece.setAttribute(name, value);
    return piece;
  });
  return s("svg", { class: "board-picture", viewBox: "0 0 100 100", "aria-hidden": "true" },
    s("rect", { width: 100, height: 100, rx: 9, fill: "#b67c43" }), s("rect", { x: 6, y: 6, width: 88, height: 88, rx: 4, fill: "#1b2524" }), ground(form), standing);
}

/** A position as a small picture; what has changed since `before` has a bright rim. */
export function boardAt(store, cells, before) {
  const { game, layout: { pitch_mm: pitch } } = store;
  const spot = (place) => store.centreOf(store.indexOf(place));
  const all = Object.keys(game.board).map(spot);
  const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => -y)];
  const frame = { x: Math.min(...xs) - pitch * 0.7, y: Math.min(...ys) - pitch * 0.7, width: Math.max(...xs) - Math.min(...xs) + pitch * 1.4, height: Math.max(...ys) - Math.min(...ys) + pitch * 1.4 };
  const dots = all.map(({ x, y }) => `M${x} ${-y}h.1`).join("");
  const pieces = Object.entries(cells).map(([place, piece]) => {
    const { x, y } = spot(place);
    const { base, edge, light } = looksOf(piece, game);
    const fresh = before && before[place] !== piece;
    return s("circle", { cx: x, cy: -y, r: pitch * 0.43, fill: base, stroke: fresh ? "#ffe9b8" : edge ?? light, "stroke-width": pitch * (fresh ? 0.2 : 0.05) });
  });
  return s("svg", { class: "board-picture", viewBox: Object.values(frame).join(" "), "aria-hidden": "true" },
    s("rect", { ...frame, rx: pitch * 0.5, fill: "#1b2524" }),
    s("path", { d: dots, stroke: "#475856", "stroke-width": pitch * 0.34, "stroke-linecap": "round" }), pieces);
}

const both = (draw) => [draw(-1), draw(1)];
const EARS = {
  round: (fur, inner) => both((x) => [s("circle", { cx: x * 29, cy: -24, r: 17, fill: fur }), s("circle", { cx: x * 29, cy: -24, r: 9, fill: inner })]).flat(),
  small: (fur) => both((x) => s("circle", { cx: x * 24, cy: -22, r: 9, fill: fur })),
  long: (fur, inner) => both((x) => [s("ellipse", { cx: x * 14, cy: -30, rx: 9, ry: 19, fill: fur }), s("ellipse", { cx: x * 14, cy: -28, rx: 4, ry: 13, fill: inner })]).flat(),
  sharp: (fur, inner) => both((x) => [s("path", { d: `M${x * 36} 2 ${x * 34}-44 ${x * 6}-24z`, fill: fur }), s("path", { d: `M${x * 30}-10 ${x * 30}-33 ${x * 15}-22z`, fill: inner })]).flat(),
  horns: (fur, inner) => both((x) => s("path", { d: `M${x * 10}-22q${x * 4}-20 ${x * 24}-24q${x * -6} 14 ${x * -4} 26z`, fill: inner })),
  quills: (fur, inner) => [s("path", { d: "M-44 22-50 4-40-4-46-20-32-22-32-38-18-34-8-48 2-36 14-46 20-34 34-38 34-22 46-20 42-4 50 4 44 22z", fill: inner })],
};
const MUZZLES = {
  nose: (light) => [s("ellipse", { cy: 20, rx: 16, ry: 12, fill: light }), s("ellipse", { cy: 13, rx: 5.500, ry: 4, fill: "#2b1c16" })],
  mask: (light) => [s("path", { d: "M-34 8Q-16 2 0 14 16 2 34 8 28 36 0 36-28 36-34 8z", fill: light }), s("ellipse", { cy: 16, rx: 6, ry: 4.500, fill: "#2b1c16" })],
  beak: (light) => [...both((x) => s("circle", { cx: x * 15, cy: -3, r: 13, fill: light })), s("path", { d: "M-7 8H7L0 22z", fill: "#eaa32c" })],
  hook: () => [s("path", { d: "M-11 6Q0-2 11 6 10 20-2 30 0 20-8 18z", fill: "#eeb02e" }), ...both((x) => s("path", { d: `M${x * 26}-16 ${x * 6}-9`, stroke: "#5b4636", "stroke-width": 4 }))],
  nostrils: (light) => [s("ellipse", { cy: 20, rx: 20, ry: 12, fill: light }), ...both((x) => s("circle", { cx: x * 7, cy: 17, r: 2.500, fill: "#16331c" }))],
};
const FACES = [ // the weakest first: fur, inner ear or what is like it, light of the muzzle
  ["round", "nose", "#aaa3ad", "#f0b9c0", "#e6e1e6"], ["quills", "nose", "#d8b48a", "#6b4c37", "#f2dcc0"], ["long", "nose", "#c9b7a4", "#f1c3c0", "#f6efe6"],
  ["sharp", "nose", "#b5602e", "#7d3a18", "#f4dcc0"], ["sharp", "nose", "#4b4a52", "#e39a9a", "#8f8d97"], ["sharp", "mask", "#e0762b", "#5b2a10", "#fdf3e6"],
  ["sharp", "beak", "#8a6446", "#5d4029", "#f3e2c4"], ["sharp", "mask", "#7d8894", "#46505a", "#e5eaee"], ["small", "hook", "#efe7d6", "#7b5a3c", ""], ["horns", "nostrils", "#3f9a58", "#e7d9a8", "#8fd19e"],
];

/** The computer at a level as an animal; 0: a friend. */
export function face(level) {
  const [ears, muzzle, fur, inner, light] = FACES[level - 1] ?? [];
  const friends = [[-15, "#e8b98f", "#d5533f"], [17, "#a9714b", "#3f7fd2"]].map(([x, skin, shirt]) => s("g", {},
    s("path", { d: `M${x - 22} 46q2-32 22-32t22 32z`, fill: shirt }), s("circle", { cx: x, cy: -8, r: 17, fill: skin }), s("path", { d: `M${x - 17}-8a17 17 0 0 1 34 0q-17-10-34 0z`, fill: "#3a281d" })));
  const drawn = level ? [EARS[ears](fur, inner), s("ellipse", { cy: 6, rx: 36, ry: 33, fill: fur, stroke: "#2b1c1640", "stroke-width": 2 }), MUZZLES[muzzle](light),
    both((x) => s("circle", { cx: x * 14, cy: -3, r: 5, fill: "#1c1310" })), both((x) => s("circle", { cx: x * 14 + 2, cy: -5, r: 1.600, fill: "#fff" }))] : friends;
  return s("svg", { class: "face", viewBox: "-50 -50 100 100", "aria-hidden": "true" }, drawn.flat());
}
