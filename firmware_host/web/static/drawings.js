// Small drawings in one style: the board of a game, and faces for people and bots.
import { around, viewBox } from "/static/boards.js";
import { s } from "/static/page.js";
import { looksOf, marble } from "/static/marble.js";

/** Positions of the pieces in a game's picture by their form, in turn-order of the colours, in
 * cells of a box of 100 by 100. */
const STAND = {
  ball: [[1, 1], [3, 1], [2, 2], [1, 3], [2, 3], [4, 2]],
  stone: [[1, 1], [2, 1], [2, 2], [3, 3], [1, 3], [3, 2]],
  tile: [[1, 4], [2, 4], [2, 3], [3, 4], [4, 2], [4, 3]],
  ship: [[0, 3], [3, 0.500], [2, 4], [4, 3], [1, 1]], platform: [[2, 2]],
};

const at = (cell) => 18 + 16 * cell;

/** Draw a game's board in play. `looks` are those of some of its pieces. */
export function boardPicture(looks) {
  const game = { looks, pieces: Object.keys(looks) };
  const [first] = game.pieces;
  const form = looks[first]?.form in STAND ? looks[first].form : "ball";
  const size = form === "platform" ? 84 : 19;
  const standing = STAND[form].map(([x, y], n) =>
    marble(form === "ship" && n > 1 ? game.pieces.at(-1) : game.pieces[n % game.pieces.length],
      game, { x: at(x) - size / 2, y: at(y) - size / 2, width: size, height: size }));
  return s("svg", { class: "board-picture", viewBox: "0 0 100 100", "aria-hidden": "true" },
    s("use", { href: `#board-${form === "stone" ? "ball" : form}` }), standing);
}

/** Draw a position as a small picture. Pieces that have changed since `before` have a bright rim.
 * @param {Store} store */
export function boardAt(store, cells, before) {
  const { game, layout: { pitch_mm: pitch } } = store;
  const spot = (place) => store.centreOf(store.indexOf(place));
  const all = Object.keys(game.board).map(spot);
  const frame = around(all, pitch * 0.7);
  const dots = all.map(({ x, y }) => `M${x} ${-y}h.1`).join("");
  const pieces = Object.entries(cells).map(([place, piece]) => {
    const { x, y } = spot(place);
    const { base } = looksOf(piece, game);
    const fresh = before && before[place] !== piece;
    return s("circle", { cx: x, cy: -y, r: pitch * 0.43, fill: base,
      stroke: fresh ? "#ffe9b8" : "#fff8", "stroke-width": pitch * (fresh ? 0.2 : 0.05) });
  });
  return s("svg", { class: "board-picture", viewBox: viewBox(frame), "aria-hidden": "true" },
    s("rect", { x: frame.west, y: -frame.north, width: "100%", height: "100%", rx: pitch * 0.5,
      fill: "#1b2524" }),
    s("path", { d: dots, stroke: "#475856", "stroke-width": pitch * 0.34,
      "stroke-linecap": "round" }), pieces);
}

/** Draw the animal of a bot's level, in a mood if it has one; level 0 is a friend. */
export function face(level, mood = "") {
  return s("svg", { class: "face", "aria-hidden": "true" },
    s("use", { href: `#face-${level || 0}` }), mood ? s("use", { href: `#mood-${mood}` }) : null);
}

/** Return the mood of a bot in the game: "glad", "sad", "thinking" or "".
 * @param {Store} store */
export function moodOf({ snapshot, review }, player) {
  const { game: { result }, players: { thinking } } = snapshot;
  if (review || !result?.winner) return !review && thinking === player ? "thinking" : "";
  return (result.team ?? [result.winner]).includes(player) ? "glad" : "sad";
}
