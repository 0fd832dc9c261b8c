// What of the plate is drawn, and from where it is seen: the playing area, from the front or above, from any side.
import { plateMap } from "/static/boards.js";
import { Tracks } from "/static/curves.js";
import { remember, remembered } from "/static/prefs.js";

const AROUND_MM = 15; // from the outermost places' edges to the plate's drawn edge: felt and lip
const QUARTERS = 4;

export class Camera {
  /** `scene`: the element that the plate's style sheet reads its distances from. */
  constructor(store, scene) {
    Object.assign(this, { store, scene });
    this.above = remembered("above", "no") === "yes";
    this.turned = Number(remembered("turned", "0")) % QUARTERS;
    this.whole = false; // in three dimensions all of the plate is drawn, whatever is looked at
    store.listen((_, changed) => {
      if (["layout", "review", "pieces", "cells", "roles", "calibration"].some((name) => changed.has(name))) this.frame();
    });
  }

  lookFromAbove(above) {
    this.above = above;
    remember("above", above ? "yes" : "no");
    this.frame();
    this.store.tell("camera");
  }

  /** A quarter turn on, as if one sat at the next side of the table. */
  turn() {
    this.turned = (this.turned + 1) % QUARTERS;
    remember("turned", String(this.turned));
    this.frame();
    this.store.tell("camera");
  }

  /** Somebody has walked round the table, to that side of it. */
  facing(quarter) {
    const turned = ((quarter % QUARTERS) + QUARTERS) % QUARTERS;
    if (turned === this.turned) return;
    this.turned = turned;
    this.frame();
  }

  /** What is to be seen, in mm: the board, or the plate. */
  looked() { return (this.store.snapshot.phase !== "free" && this.board()) || this.plate(); }

  /** What the arrow keys mean on the plate, where it is turned: columns east, rows north. */
  onPlate([dx, dy]) { return [[dx, dy], [dy, -dx], [-dx, -dy], [-dy, dx]][this.turned]; }

  /** All of the board; all of the plate while anything lies beside the board. */
  frame() {
    const { store, scene } = this;
    if (!store.layout || !store.snapshot) return;
    const frame = (!this.whole && this.board()) || this.plate();
    if (JSON.stringify(frame) !== JSON.stringify(store.frame)) store.set("frame", frame);
    const { west, south, east, north } = store.frame;
    const sizes = [east - west, north - south];
    const [wide, high] = this.turned % 2 ? [...sizes].reverse() : sizes;
    const style = {
      "--east": sizes[0], "--north": sizes[1], "--mid-x": (west + east) / 2, "--mid-y": (south + north) / 2,
      "--wide-mm": wide, "--high-mm": high, "--turned": `${-90 * this.turned}deg`,
    };
    for (const [name, value] of Object.entries(style)) scene.style.setProperty(name, value);
    scene.classList.toggle("from-above", this.above);
    document.documentElement.toggleAttribute("data-flat", this.above);
  }

  plate() {
    const half = this.store.layout.plate_mm / 2;
    return { west: -half, south: -half, east: half, north: half };
  }

  /** Around the game's board, in mm; null without one, or where something is to be seen beside it. */
  board() {
    const { store } = this;
    const { snapshot, game } = store;
    const board = Object.values(game?.board ?? {}).map(({ index }) => index);
    const inside = new Set(board);
    const lit = [...Object.keys(snapshot.roles), ...Object.keys(snapshot.piece_for)].map((place) => store.indexOf(place));
    const lying = store.pieces().filter(({ z }) => z < 5).map(({ x, y }) => store.nearest(x, y).index);
    if (!board.length || snapshot.calibration?.running) return null;
    if (!store.review && [...lit, ...lying].some((index) => !inside.has(index))) return null;
    const around = store.layout.pitch_mm / 2 + AROUND_MM;
    const tracks = game.drawing ? new Tracks(game.drawing, plateMap(store.layout)).along() : [];
    const edge = this.plate().east;
    const [[west, east], [south, north]] = ["x", "y"].map((axis) => {
      const of = board.map((index) => store.centreOf(index)[axis]);
      const drawn = tracks.map((point) => point[axis]); // a track may swing out beyond its places
      return [Math.min(Math.min(...of) - around, Math.max(-edge, Math.min(...drawn) - AROUND_MM)), Math.max(Math.max(...of) + around, Math.min(edge, Math.max(...drawn) + AROUND_MM))];
    });
    return { west, south, east, north };
  }
}
