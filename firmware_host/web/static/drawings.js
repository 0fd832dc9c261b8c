// Small drawings of one hand: a game's board, and who plays.
import { around, viewBox } from "/static/boards.js";
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
  const frame = around(all, pitch * 0.7);
  const dots = all.map(({ x, y }) => `M${x} ${-y}h.1`).join("");
  const pieces = Object.entries(cells).map(([place, piece]) => {
    const { x, y } = spot(place);
    const { base, edge, light } = looksOf(piece, game);
    const fresh = before && before[place] !== piece;
    return s("circle", { cx: x, cy: -y, r: pitch * 0.43, fill: base, stroke: fresh ? "#ffe9b8" : edge ?? light, "stroke-width": pitch * (fresh ? 0.2 : 0.05) });
  });
  return s("svg", { class: "board-picture", viewBox: viewBox(frame), "aria-hidden": "true" },
    s("rect", { x: frame.west, y: -frame.north, width: "100%", height: "100%", rx: pitch * 0.5, fill: "#1b2524" }),
    s("path", { d: dots, stroke: "#475856", "stroke-width": pitch * 0.34, "stroke-linecap": "round" }), pieces);
}

/** The computer at a level as an animal; 0: a friend. */
export function face(level) {
  return s("svg", { class: "face", "aria-hidden": "true" }, s("use", { href: `#face-${level || 0}` }));
}
