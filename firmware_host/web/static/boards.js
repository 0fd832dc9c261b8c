// What lies on a game's board besides its places: tracks and a hole, and what ways and results
// look like there. Slots: slots.js.
import { s } from "/static/dom.js";
import { Tracks } from "/static/curves.js";

/** The position that is shown: the one being looked at, or the one that is confirmed. */
export function shown(store) {
  const { review, snapshot } = store;
  if (!review) return { ...snapshot, cells: snapshot.position };
  const { record, ply } = review;
  const over = ply === record.moves.length && record.result !== null;
  return { ...record.positions[ply], moves: record.moves.slice(0, ply), result: over ? record.result : null, places: over ? record.places : [] };
}

/** Where a drawing's point is, in mm on the plate; it counts in places from the low corner. */
export function plateMap({ columns, rows, pitch_mm: pitch }) {
  return (x, y) => ({ x: (x - (columns - 1) / 2) * pitch, y: (y - (rows - 1) / 2) * pitch });
}

/** Tracks as glowing curves, and the hole that pods are knocked into. */
export class TrackBoard {
  constructor(store) {
    this.store = store;
    const { layout, game } = store;
    const toPlate = plateMap(layout);
    this.tracks = new Tracks(game.drawing, toPlate);
    this.lines = this.tracks.whole().map((d, number) => s("path", { d, class: `track hue-${number % 4}` }));
    const beds = this.tracks.whole().map((d) => s("path", { d, class: "track-bed" }));
    this.element = s("g", { class: "tracks" }, this.stars(), this.hole(toPlate), beds, this.lines);
  }

  stars() {
    const { plate_mm: plate } = this.store.layout;
    // the golden ratio spreads them evenly, without a pattern
    return s("g", { class: "stars" }, Array.from({ length: 110 }, (_, n) => s("circle", {
      cx: (((n * 0.6180339887) % 1) - 0.5) * (plate - 26),
      cy: (((n * 0.7548776662) % 1) - 0.5) * (plate - 26),
      r: 0.35 + ((n * 0.381966) % 1) * 0.75, opacity: 0.25 + ((n * 0.2360679) % 1) * 0.6,
    })));
  }

  hole(toPlate) {
    const { hole } = this.store.game.drawing;
    if (!hole) return null;
    const { x, y } = toPlate(...hole);
    return s("g", { class: "black-hole", transform: `translate(${x} ${-y})` },
      s("circle", { r: 46, fill: "url(#disk)" }),
      s("ellipse", { rx: 34, ry: 34, class: "orbit" }), s("ellipse", { rx: 27, ry: 27, class: "orbit" }),
      s("circle", { r: 20, class: "abyss" }));
  }

  /** The tracks of the ship that is to fly; at the end, of the winner's. */
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

/** A piece's way over the board: along a track where there is one, else straight. */
export function route(store, board, path, colour, extra = "") {
  const points = path.map((place) => store.centreOf(store.indexOf(place)));
  const d = (board instanceof TrackBoard && board.tracks.between(path[0], path[path.length - 1]))
    || `M${points.map(({ x, y }) => `${x} ${-y}`).join("L")}`;
  const line = s("g", { class: `route ${extra}` },
    s("path", { d, class: "route-bed" }), s("path", { d, class: "route-line" }),
    s("circle", { cx: points[points.length - 1].x, cy: -points[points.length - 1].y, r: 15, class: "route-end" }));
  line.style.setProperty("--way", colour ?? "#ffe9b8");
  return line;
}

/** Why the game is over: winning positions with the pieces that make them, or what can be reached. */
export function resultMarks(store, board) {
  const { result, places = [], cells } = shown(store);
  if (!result) return [];
  const marks = [];
  const at = (place) => store.centreOf(store.indexOf(place));
  for (const [player, found] of Object.entries(result.positions ?? {})) {
    for (const place of found) {
      const { x, y } = at(place);
      const far = store.layout.pitch_mm;
      const d = `M${x - far} ${-y - far}L${x + far} ${-y + far}M${x - far} ${-y + far}L${x + far} ${-y - far}`;
      marks.push(s("g", { class: `decided ${player}` }, s("path", { d, class: "decided-bed" }), s("path", { d }), s("circle", { cx: x, cy: -y, r: 16.500 })));
    }
  }
  if (board instanceof TrackBoard && result.winner) {
    const ship = Object.keys(cells).find((place) => cells[place] === result.winner);
    const pods = Object.keys(cells).filter((place) => !store.game.players.includes(cells[place]));
    for (const pod of pods) {
      const d = board.tracks.between(ship, pod);
      if (!d) continue;
      const { x, y } = at(pod);
      marks.push(s("g", { class: `reached ${result.winner}` }, s("path", { d }), s("circle", { cx: x, cy: -y, r: 15.500 })));
    }
  } else if (store.review) {
    for (const place of places) {
      const { x, y } = at(place);
      marks.push(s("circle", { cx: x, cy: -y, r: 16, class: "deciding" }));
    }
  }
  return marks;
}
