// Drawings on a game's board other than its places: tracks, slots, ways and results.
import { s, t } from "/static/page.js";

/** Return the assist's mark for a move of that quality. Its shape is different for each quality, so
 * nobody needs to see colours. */
export const worthMark = (worth, transform) =>
  s("use", { href: `#worth-${worth}`, class: `worth ${worth}`, transform });

/** Return the smallest rectangle that contains `points`, widened by `margin` on each side, in mm.
 * */
export function around(points, margin) {
  const [xs, ys] = ["x", "y"].map((axis) => points.map((point) => point[axis]));
  return { west: Math.min(...xs) - margin, south: Math.min(...ys) - margin,
    east: Math.max(...xs) + margin, north: Math.max(...ys) + margin };
}

/** Return the SVG view box for a rectangle of the plate. */
export const viewBox = ({ west, south, east, north }) =>
  `${west} ${-north} ${east - west} ${north - south}`;

const CLOSE_MM = 5; // Maximum distance between sampled points of a track.

/** `toPlate(x, y)` converts a point of the drawing to mm on the plate. */
export class Tracks {
  constructor(drawing, toPlate) {
    this.toPlate = toPlate;
    this.tracks =
      drawing.tracks.map((points, number) => ({ points, places: drawing.places[number] }));
  }

  point([x, y]) {
    const at = this.toPlate(x, y);
    return `${at.x.toFixed(2)} ${(-at.y).toFixed(2)}`;
  }

  /** Return the SVG path along a track between its places number `from` and `to`, in either
   * direction. */
  stretch({ points }, from, to) {
    const along = points.slice(3 * Math.min(from, to), 3 * Math.max(from, to) + 1);
    const [first, ...rest] = from > to ? along.reverse() : along;
    return `M${this.point(first)}C${rest.map((p) => this.point(p)).join(" ")}`;
  }

  whole() { return this.tracks.map((track) => this.stretch(track, 0, track.places.length - 1)); }

  /** Return points along all tracks in mm on the plate, close enough together to measure their
   * extent. */
  along() {
    return this.whole().flatMap((d) => {
      const path = s("path", { d });
      const steps = Math.ceil(path.getTotalLength() / CLOSE_MM);
      return Array.from({ length: steps + 1 }, (_, at) => path.getPointAtLength(at * CLOSE_MM))
        .map(({ x, y }) => ({ x, y: -y }));
    });
  }

  through(place) {
    return this.tracks.map(({ places }) => places.includes(place));
  }

  joined(a, b) {
    return a !== b && this.tracks.some(({ places }) => places.includes(a) && places.includes(b));
  }

  /** Return the shortest path along one track from `a` to `b`, or null if no track joins them. */
  between(a, b) {
    if (!this.joined(a, b)) return null;
    const ways = this.tracks.map((track) =>
      [track, track.places.indexOf(a), track.places.indexOf(b)])
      .filter(([, from, to]) => from >= 0 && to >= 0);
    return this.stretch(...ways.reduce((best, way) =>
      (Math.abs(way[1] - way[2]) < Math.abs(best[1] - best[2]) ? way : best)));
  }
}

/** Return the position on the screen: the reviewed one, or the one that the table has confirmed.
 * @param {Store} store */
export function shown(store) {
  const { review, snapshot } = store;
  if (!review) {
    const { position: cells, to_move, moves, result } = snapshot.game;
    return { cells, to_move, moves, result };
  }
  const { record, ply } = review;
  const over = ply === record.moves.length && record.result !== null;
  return { ...record.positions[ply], moves: record.moves.slice(0, ply),
    result: over ? record.result : null, places: over ? record.places : [] };
}

/** Return a function that converts a drawing's coordinates (in places, from the low corner) to mm
 * on the plate. */
export function plateMap({ columns, rows, pitch_mm: pitch }) {
  return (x, y) => ({ x: (x - (columns - 1) / 2) * pitch, y: (y - (rows - 1) / 2) * pitch });
}

/** Return the nearest side of a rectangle to a point in it: its direction east and north, and its
 * distance. */
export function nearestSide({ x, y }, { west, south, east, north }) {
  const sides = [[-1, 0, x - west], [1, 0, east - x], [0, -1, y - south], [0, 1, north - y]];
  return sides.reduce((nearest, side) => (side[2] < nearest[2] ? side : nearest));
}

/** Draws tracks as glowing curves, and the hole that swallows pods. */
export class TrackBoard {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    const { layout, game } = store;
    const toPlate = plateMap(layout);
    this.tracks = new Tracks(game.drawing, toPlate);
    this.lines = this.tracks.whole()
      .map((d, number) => s("path", { d, class: `track hue-${number % 4}` }));
    const beds = this.tracks.whole().map((d) => s("path", { d, class: "track-bed" }));
    const hole = game.drawing.hole && toPlate(...game.drawing.hole);
    this.element = s("g", { class: "tracks" },
      s("use",
        { class: "stars", href: "#stars", transform: `scale(${(layout.plate_mm - 26) / 100})` }),
      hole ? s("use", { class: "black-hole", href: "#black-hole", x: hole.x, y: -hole.y }) : null,
      beds, this.lines);
  }

  /** Highlight the tracks of the ship to move or, at the end, of the winner's ship. */
  update() {
    const { cells, to_move: toMove, result } = shown(this.store);
    const owner = result ? result.winner : toMove;
    const ship = Object.keys(cells).find((place) => cells[place] === owner);
    const live = this.tracks.through(ship);
    this.lines.forEach((line, number) => {
      line.classList.toggle("live", live[number]);
      line.classList.toggle("dimmed", Boolean(ship) && !live[number]);
      line.dataset.owner = live[number] ? owner : "";
    });
  }
}

/** Draw the way of a piece over the board: along a track if one joins both ends, else straight.
 * @param {Store} store */
export function route(store, board, path, colour, extra = "") {
  const points = path.map((place) => store.centreOf(store.indexOf(place)));
  const d = (board instanceof TrackBoard && board.tracks.between(path[0], path[path.length - 1]))
    || `M${points.map(({ x, y }) => `${x} ${-y}`).join("L")}`;
  return s("g", { class: `route ${extra}`, "--way": colour ?? "#ffe9b8" },
    s("path", { d, class: "route-bed" }), s("path", { d, class: "route-line" }),
    s("circle", { cx: points[points.length - 1].x, cy: -points[points.length - 1].y, r: 15,
      class: "route-end" }));
}

/** Return marks for the reason why the game is over: winning positions with their pieces, or the
 * pods that the winner's ship can reach.
 * @param {Store} store */
export function resultMarks(store, board) {
  const { result, places = [], cells } = shown(store);
  if (!result) return [];
  const marks = [];
  const at = (place) => store.centreOf(store.indexOf(place));
  for (const [player, found] of Object.entries(result.positions ?? {})) {
    for (const place of found) {
      const { x, y } = at(place);
      const far = store.layout.pitch_mm;
      const [west, east, north, south] = [x - far, x + far, -y - far, -y + far];
      const d = `M${west} ${north}L${east} ${south}M${west} ${south}L${east} ${north}`;
      marks.push(s("g", { class: `decided ${player}` }, s("path", { d, class: "decided-bed" }),
        s("path", { d }), s("circle", { cx: x, cy: -y, r: 16.500 })));
    }
  }
  if (board instanceof TrackBoard && result.winner) {
    const ship = Object.keys(cells).find((place) => cells[place] === result.winner);
    const pods = Object.keys(cells).filter((place) => !store.game.players.includes(cells[place]));
    for (const pod of pods) {
      const d = board.tracks.between(ship, pod);
      if (!d) continue;
      const { x, y } = at(pod);
      marks.push(s("g", { class: `reached ${result.winner}` }, s("path", { d }),
        s("circle", { cx: x, cy: -y, r: 15.500 })));
    }
  } else if (store.review) {
    for (const place of places) {
      const { x, y } = at(place);
      marks.push(s("circle", { cx: x, cy: -y, r: 16, class: "deciding" }));
    }
  }
  return marks;
}

// Slots at the sides of a board: how they look, which of them are open, and where a tile falls.
const TAB_MM = { long: 24, deep: 12.500, off: 8.500 };
const LIP_TAB_MM = 9; // The depth that fits on the lip.
const REACH_MM = 38; // A touch this far outside the board's edge still means the slot.

/** Direction out of the board for each side, east and north. */
export const OUT = { left: [-1, 0], right: [1, 0], top: [0, 1], bottom: [0, -1] };

const SIDES = { left: () => t("left"), right: () => t("right"), top: () => t("top"),
  bottom: () => t("bottom") };

/** Return the places through which a tile falls from that slot, or [] if its line is full. */
export function fall({ cells }, standing) {
  const entry = cells.findIndex((cell) => !(cell in standing));
  if (entry < 0) return [];
  const stop = cells.findIndex((cell, at) => at > entry && cell in standing);
  return cells.slice(entry, stop < 0 ? cells.length : stop);
}

/** Draws tabs with the slots' names around the board, on the plate's lip or beside the board. */
export class Slots {
  constructor(store, lip) {
    /** @type {Store} */ this.store = store;
    this.onFelt = s("g", { class: "slots" });
    this.onLip = s("g", { class: "slots" });
    const { layout, game, frame: { west, south, east, north } } = store;
    this.tabs = game.slots.map((slot) => {
      const [dx, dy] = OUT[slot.side];
      const edge = store.centreOf(store.indexOf(slot.cells[0]));
      const far = layout.pitch_mm / 2 + TAB_MM.off;
      let x = edge.x + dx * far;
      let y = edge.y + dy * far;
      const room = { left: x - west, right: east - x, top: north - y,
        bottom: y - south }[slot.side];
      const outside = room < lip + TAB_MM.deep / 2;
      const deep = outside ? LIP_TAB_MM : TAB_MM.deep;
      if (outside) {
        x += dx * (room - lip / 2);
        y += dy * (room - lip / 2);
      }
      const [width, height] = dx ? [deep, TAB_MM.long] : [TAB_MM.long, deep];
      const tab = s("g", { class: "slot", "data-slot": slot.name, "--tint": slot.tint,
        transform: `translate(${x} ${-y})` },
      s("title", {}, t("Let a tile fall from slot {slot}", { slot: slot.name })),
      s("rect", { class: "tab", x: -width / 2, y: -height / 2, width, height, rx: 2.600 }),
      s("path", { class: "shut",
        d: `M${-width / 2 + 1} ${height / 2 - 1}L${width / 2 - 1} ${-height / 2 + 1}` }),
      ["best", "good", "bad"]
        .map((worth) =>
          worthMark(worth, dx ? "translate(0 -7) scale(.7)" : "translate(8 0) scale(.7)")),
      s("text", { y: 2.900, class: dx && outside && slot.name.length > 1 ? "tight" : null },
        slot.name));
      const inner = layout.pitch_mm / 2 - 2.500;
      const angle = { left: 0, right: 180, top: 90, bottom: -90 }[slot.side];
      const [inX, inY] = [edge.x + dx * inner, -(edge.y + dy * inner)];
      const way = s("path", { class: "way-in", d: "M-2.500 -4.500L3 0L-2.500 4.500Z",
        fill: slot.tint, transform: `translate(${inX} ${inY}) rotate(${angle})` });
      (outside ? this.onLip : this.onFelt).append(tab);
      this.onFelt.append(way);
      return { slot, tab, way };
    });
  }

  /** Return the slot at a point on or beside the plate, or null. */
  at(x, y) {
    const { pitch_mm: pitch } = this.store.layout;
    const found = this.tabs.find(({ slot }) => {
      const [dx, dy] = OUT[slot.side];
      const edge = this.store.centreOf(this.store.indexOf(slot.cells[0]));
      const out = (x - edge.x) * dx + (y - edge.y) * dy - pitch / 2;
      const along = Math.abs(dx ? y - edge.y : x - edge.x);
      return out > 0 && out <= REACH_MM && along <= pitch / 2;
    });
    return found?.slot ?? null;
  }

  /** Return whether the player to move may drop a tile from that slot now. */
  open(slot) { return this.why(slot) === null; }

  /** Return why no tile may fall from that slot, null if one may, or "" if the table's own sentence
   * explains it. */
  why(slot) {
    const { snapshot, review } = this.store;
    const asked = snapshot.guidance.question && !snapshot.guidance.question.offer;
    if (review || snapshot.guidance.phase !== "turn" || asked || !snapshot.game.to_move) return "";
    if (slot.side === this.closedSide()) {
      return t("Choose another side. Last time you came from the {side}.",
        { side: SIDES[slot.side]() });
    }
    return fall(slot, snapshot.game.position).length ? null
      : t("Choose another slot. Slot {slot} is full.", { slot: slot.name });
  }

  /** Return the side that the player to move used last, which is closed now. */
  closedSide() {
    const { to_move: toMove, moves } = shown(this.store);
    const players = this.store.game.players.length;
    if (!toMove || moves.length < players) return null;
    const last = moves[moves.length - players];
    return this.store.game.slots.find(({ name }) => name === last)?.side ?? null;
  }

  /** Highlight the slot that somebody points at; null: none. */
  aim(slot) {
    for (const each of this.tabs) each.tab.classList.toggle("aimed", each.slot === slot);
  }

  /** Mark each slot as closed (the player to move used that side last), full (no open cell in its
   * line) or open. */
  update() {
    const { to_move: toMove, cells } = shown(this.store);
    const closed = this.closedSide();
    const { waiting } = this.store;
    for (const { slot, tab, way } of this.tabs) {
      const full = slot.cells.every((cell) => cell in cells);
      const shut = slot.side === closed;
      tab.classList.toggle("waiting", waiting.includes(slot.name));
      tab.classList.toggle("closed", shut);
      tab.classList.toggle("full", full && !shut);
      tab.dataset.quality = this.store.snapshot?.learning.quality[slot.name] ?? "";
      tab.classList.toggle("open", this.store.plays && this.open(slot));
      way.style.display = shut || full || !toMove ? "none" : "";
    }
  }
}
