// The marbles on the plate, where they lie, and the one that this page holds.
import { h, set, setText } from "/static/page.js";
import { formOf, marble, SIGNS } from "/static/marble.js";

/** From which of `left` each of `come` has come: the nearest of its kind, which is taken out of
 * `left`; else undefined. */
export function paired(come, left) {
  return come.map((each) => {
    const away = ({ x, y }) => Math.hypot(x - each.x, y - each.y);
    const [nearest] = left.filter(({ piece }) => piece === each.piece)
      .sort((one, other) => away(one) - away(other));
    if (nearest) left.splice(left.indexOf(nearest), 1);
    return [each, nearest];
  });
}

const KEEP_MS = 1500; // a piece just put down stays drawn there until the table says so, at most

export class Pieces {
  constructor(store, plate) {
    /** @type {Store} */ this.store = store;
    this.box = plate.pieces;
    this.drawn = new Map(); // id -> {id, element, piece, x, y}
    this.overrides = new Map(); // id -> {piece, x, y, z, held, until}
    this.wanted = new Map(); // id -> {piece, x, y, z, number, role}: all that is drawn
    this.onDrawn = () => {};
    store.on(["layout"], () => this.clear()); // nothing flies from one game into the next
    store.on(["layout", "plate.pieces", "plate.cells", "guidance.roles", "review", "game.result",
      "learning.attract"],
    () => this.draw());
  }

  clear() {
    this.overrides.clear();
    for (const { element } of this.drawn.values()) element.remove();
    this.drawn.clear();
  }

  /** Draw a piece where this page has it, whatever the table says. */
  override(id, where) {
    this.overrides.set(id, where);
    this.draw();
  }

  /** It starts there; where it is drawn next, it falls to. */
  fallFrom(id, where) {
    this.override(id, where);
    this.elementOf(id).getBoundingClientRect(); // drawn there first
    this.elementOf(id).classList.add("falls");
  }

  /** Put down and accepted: keep it drawn there until a snapshot shows it there. */
  release(id) {
    const where = this.overrides.get(id);
    if (!where) return;
    where.until = performance.now() + KEEP_MS;
    setTimeout(() => this.draw(), KEEP_MS + 50);
    this.draw();
  }

  forget(id) {
    this.overrides.delete(id);
    this.draw();
  }

  draw() {
    const { store } = this;
    const lying = store.pieces();
    this.expire(lying);
    const wanted = new Map(lying.map((p) => [p.id, p]));
    for (const [id, where] of this.overrides) {
      if (where.gone) wanted.delete(id);
      else {
        const own = wanted.get(id);
        if (!own) this.hideTwin(wanted, where);
        wanted.set(id, { ...own, id, ...where });
      }
    }
    this.follow(wanted);
    for (const [id, drawn] of this.drawn) {
      if (wanted.get(id)?.piece === drawn.piece) continue;
      drawn.element.remove();
      this.drawn.delete(id);
    }
    for (const [id, piece] of wanted) this.place(id, piece);
    this.wanted = wanted;
    this.onDrawn();
  }

  /** Of pieces that only have places: one that has left its place and one of its kind that has
   * come are the same. */
  follow(wanted) {
    const left = [...this.drawn.values()]
      .filter(({ id, piece }) => wanted.get(id)?.piece !== piece);
    const come = [...wanted.values()]
      .filter(({ id, number }) => number === undefined && !this.drawn.has(id));
    for (const [{ id }, drawn] of paired(come, left)) {
      if (!drawn) continue;
      this.drawn.delete(drawn.id);
      this.drawn.set(id, drawn);
      drawn.id = id;
      drawn.element.dataset.id = id;
      drawn.element.classList.add("glides");
    }
  }

  elementOf(id) { return this.drawn.get(id)?.element ?? null; }

  /** A piece from a tray has no number here yet; the table may show it already. */
  hideTwin(wanted, { piece, x, y }) {
    for (const [id, other] of wanted) {
      const near = Math.hypot(other.x - x, other.y - y) < 10;
      if (near && other.piece === piece && !this.overrides.has(id)) wanted.delete(id);
    }
  }

  expire(lying) {
    const now = performance.now();
    for (const [id, where] of this.overrides) {
      if (where.until === undefined) continue;
      const there = lying.some((p) => p.piece === where.piece && p.z < 1
        && Math.hypot(p.x - where.x, p.y - where.y) < 10);
      const left = where.gone && !lying.some((p) => p.id === id);
      if (now > where.until || (where.gone ? left : there)) this.overrides.delete(id);
    }
  }

  place(id, where) {
    const { piece, x, y, z, held = false, number } = where;
    let drawn = this.drawn.get(id);
    if (!drawn) {
      const element = h("div",
        { class: "marble", "data-piece": piece, "data-form": formOf(piece, this.store.game),
          "data-id": id },
        h("div", { class: "shade" }),
        h("div", { class: "stand" }, marble(piece, this.store.game), h("span", { class: "tag" })));
      this.box.append(element);
      drawn = { id, element, piece };
      this.drawn.set(id, drawn);
    }
    Object.assign(drawn, { x, y });
    const { element } = drawn;
    if (number !== undefined) element.dataset.number = number;
    const stands = z < 15 && this.store.onPlate(x, y);
    const place = stands ? this.store.placeName(this.store.nearest(x, y).index) : "";
    element.dataset.place = place;
    where.role = (!this.store.review && this.store.snapshot.guidance.roles[place]) || "";
    element.dataset.role = where.role;
    setText(element.querySelector(".tag"), SIGNS[where.role] ?? "");
    element.classList.toggle("held", held);
    element.classList.toggle("lifted", z > 5);
    set(element, { "--x": x.toFixed(2), "--y": (-y).toFixed(2), "--z": z.toFixed(2) });
  }
}
