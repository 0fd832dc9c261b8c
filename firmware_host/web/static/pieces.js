// The pieces on the plate, including the one that this page holds.
import { h, set, setText } from "/static/page.js";
import { formOf, marble, SIGNS } from "/static/marble.js";

/** Pair each of `come` with the nearest of `left` of its kind, which is removed from `left`;
 * undefined if none is left. */
export function paired(come, left) {
  return come.map((each) => {
    const away = ({ x, y }) => Math.hypot(x - each.x, y - each.y);
    const [nearest] = left.filter(({ piece }) => piece === each.piece)
      .sort((one, other) => away(one) - away(other));
    if (nearest) left.splice(left.indexOf(nearest), 1);
    return [each, nearest];
  });
}

// A piece that was put down is drawn there at most this long before the table confirms it.
const KEEP_MS = 1500;

export class Pieces {
  constructor(store, plate) {
    /** @type {Store} */ this.store = store;
    this.box = plate.pieces;
    this.drawn = new Map(); // Id -> {id, element, piece, x, y}.
    this.overrides = new Map(); // Id -> {piece, x, y, z, held, until}.
    this.wanted = new Map(); // Id -> {piece, x, y, z, number, role} of everything that is drawn.
    this.onDrawn = () => {};
    store.on(["layout"], () => this.clear()); // Pieces must not fly from one game into the next.
    store.on(["layout", "plate.pieces", "plate.cells", "guidance.roles", "review", "game.result",
      "learning.attract"],
    () => this.draw());
  }

  clear() {
    this.overrides.clear();
    for (const { element } of this.drawn.values()) element.remove();
    this.drawn.clear();
  }

  /** Draw a piece where this page has it rather than where the table reports it. */
  override(id, where) {
    this.overrides.set(id, where);
    this.draw();
  }

  /** Draw the piece at its start; it then falls to where it is drawn next. */
  fallFrom(id, where) {
    this.override(id, where);
    // Reading the layout makes the browser draw the start first.
    this.elementOf(id).getBoundingClientRect();
    this.elementOf(id).classList.add("falls");
  }

  /** Keep an accepted piece drawn in its new place until a snapshot shows it there. */
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

  /** Move drawn pieces that are known by their place only: one that left and one of its kind that
   * came are the same. */
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

  /** Hide the table's own copy of a piece from a tray, which has no number here yet. */
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
