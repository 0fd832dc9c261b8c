// Pieces of which only places are known, without how they got there: the way from the one to the next.

const SPEED_MM_S = 380;
const LEAST_S = 0.25;
const COMES_FROM_MM = 70;
const FALLS_MM = 130;
const BEYOND_MM = 30;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Glides {
  constructor() {
    this.standing = [];
    this.going = new Map(); // id -> {piece, from, to, since, seconds, leaves}
  }

  /** `pieces`: what stands there now, [{id, piece, x, y}]. `exit({id, x, y})`: the point where what is gone has fallen
   * off or in, null where a hand has lifted it. */
  take(pieces, exit) {
    const before = new Map(this.standing.map((each) => [each.id, each]));
    const after = new Set(pieces.map(({ id }) => id));
    const gone = this.standing.filter(({ id }) => !after.has(id));
    const come = pieces.filter(({ id }) => !before.has(id));
    const known = this.standing.length > 0;
    this.standing = pieces;
    if (!known || still.matches || gone.length + come.length > 12) return; // another position altogether
    for (const each of come) {
      const sources = gone.filter(({ piece }) => piece === each.piece);
      const away = ({ x, y }) => Math.hypot(x - each.x, y - each.y);
      const [source] = sources.sort((one, other) => away(one) - away(other));
      if (source) gone.splice(gone.indexOf(source), 1);
      this.go(each, source ?? { ...each, z: COMES_FROM_MM }, each);
    }
    for (const each of gone) this.go(each, each, exit(each), true);
  }

  go({ id, piece }, from, to, leaves = false) {
    const apart = to ? Math.hypot(to.x - from.x, to.y - from.y) : 0;
    const seconds = LEAST_S + apart / SPEED_MM_S + (leaves ? 0.3 : 0);
    this.going.set(id, { piece, from, to, leaves, seconds, since: performance.now() / 1000 });
  }

  /** Where each piece that is on its way is now: id -> {piece, x, y, z, turn}; those that have arrived are forgotten. */
  now() {
    const found = new Map();
    for (const [id, { piece, from, to, leaves, seconds, since }] of this.going) {
      const share = (performance.now() / 1000 - since) / seconds;
      if (share >= 1) {
        this.going.delete(id);
        continue;
      }
      const end = to ?? from;
      const along = leaves ? Math.min(1, share * 1.6) : share * (2 - share);
      const sinks = leaves && to ? Math.max(0, share - 0.5) * 2 : 0;
      const z = !to ? COMES_FROM_MM * share : (from.z ?? 0) * (1 - share ** 2) - FALLS_MM * sinks ** 2;
      const way = Math.hypot(end.x - from.x, end.y - from.y) || 1;
      const lean = sinks * 0.8;
      const turn = [Math.cos(lean), (-Math.sin(lean) * (end.y - from.y)) / way, (Math.sin(lean) * (end.x - from.x)) / way, 0];
      found.set(id, { piece, x: from.x + (end.x - from.x) * along, y: from.y + (end.y - from.y) * along, z, turn });
    }
    return found;
  }

  /** Over the nearest edge of a plate whose half is that wide. */
  static overEdge({ x, y }, half) {
    const out = half + BEYOND_MM;
    return Math.abs(x) > Math.abs(y) ? { x: Math.sign(x) * out, y } : { x, y: Math.sign(y) * out };
  }
}
