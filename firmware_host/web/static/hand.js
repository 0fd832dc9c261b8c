// A person's hand: the piece that it holds, carries and puts down. Pointers are in pointer.js, and
// the meaning of a press in press.js.
import { remember, remembered } from "/static/page.js";

const SNAP_MM = 14;
const CARRY_MM = 26;
const TRAY = "in-hand";

export class Hand {
  /** `ask(message)` sends to the table; `complain(text)` shows a text to the person. */
  constructor(store, plate, pieces, { ask, complain }) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.pieces = pieces;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.carried = null; // {id, piece, number, x, y, home, offset}.
    this.puts = 0;
    addEventListener("keydown", (event) => event.key === "Escape" && this.putBack());
    store.listen((_, changed) => {
      if (changed.has("layout") || changed.has("link")) this.drop();
      else if (changed.has("review")) this.putBack();
    });
  }

  get fromTray() { return this.carried?.id === TRAY; }

  /** Pick a piece up at its current position, gripped at that point. */
  pickUp({ number }, at) {
    const piece = this.store.pieces().find((each) => each.number === number);
    if (piece) this.lift(piece, { x: piece.x - at.x, y: piece.y - at.y });
  }

  /** @param {PieceDrawn} piece */
  lift({ id, number, piece, x, y }, offset = { x: 0, y: 0 }) {
    this.hold({ id, number, piece, x, y, home: { x, y }, offset });
    this.carried.lifting = this.ask({ type: "pick-up", piece: number });
    const mine = this.carried;
    this.carried.lifting.catch((error) => {
      if (this.carried === mine) this.drop();
      this.complain(error.message);
    });
  }

  takeFromTray(piece, at) {
    if (!piece || this.store.inTray(piece) === 0) return;
    this.hold({ id: TRAY, piece, x: at.x, y: at.y, offset: { x: 0, y: 0 } });
  }

  hold(carried) {
    this.carried = carried;
    this.store.set("holding", carried.piece);
    this.show();
  }

  /** Carry the piece to a point of the plate, keeping the grip. */
  carryTo({ x, y }) {
    this.follow({ x: x + this.carried.offset.x, y: y + this.carried.offset.y });
  }

  show() {
    const { id, piece, x, y } = this.carried;
    this.plate.aimAt(this.store.onPlate(x, y) ? this.landing({ x, y }).index : null);
    this.pieces.override(id, { piece, x, y, z: CARRY_MM, held: true });
  }

  /** Return where the piece would land: the nearest place, or that point if none is near. */
  landing({ x, y }) {
    const near = this.store.nearest(x, y);
    return near.away <= this.store.layout.pitch_mm * Math.SQRT1_2 ? near : { x, y, index: null };
  }

  /** Put the piece down. Resolves to whether it stands there. */
  putDown({ x, y }) {
    const { id, number, piece, home, lifting } = this.carried;
    this.letGo();
    if (id === TRAY) return this.putFromTray(piece, x, y);
    const struck = this.struck(number, home, { x, y });
    return this.carryOut(id, { piece, x, y, z: 0 }, lifting,
      struck && { type: "take", what: struck.number },
      { type: "set-down", piece: number, ...this.store.spot(x, y) });
  }

  /** Show an action now and let the table's hand do it. If the table refuses, the piece returns to
   * where it was. Resolves to whether it was done. */
  async carryOut(id, shown, lifting, ...messages) {
    this.pieces.override(id, shown);
    try {
      await lifting;
      for (const message of messages.filter(Boolean)) await this.ask(message);
    } catch (error) {
      if (this.pieces.overrides.has(id)) this.complain(error.message);
      this.pieces.forget(id);
      return false;
    }
    this.pieces.release(id);
    return true;
  }

  /** Return the pod that a ship would knock into the hole at its landing place, or null. */
  struck(number, home, { x, y }) {
    const { store } = this;
    const [from, to] = [home, { x, y }].map((at) => this.placeOf(at));
    if (!this.plate.extra?.tracks?.joined(from, to)) return null;
    return store.pieces()
      .find((p) => !store.game.players.includes(p.piece) && p.number !== number
        && Math.hypot(p.x - x, p.y - y) < SNAP_MM) ?? null;
  }

  placeOf({ x, y }) { return this.store.placeName(this.store.nearest(x, y).index); }

  /** Return the marble that a swap replaces, or null. */
  replaced(piece, x, y) {
    const { snapshot } = this.store;
    const standing = snapshot.game.swap_legal && this.store.pieceAt(this.store.nearest(x, y).index);
    return standing && piece === snapshot.game.to_move && standing.piece !== piece
      ? standing : null;
  }

  /** Let the table's hand put a piece there. Resolves to whether it has. */
  async putFromTray(piece, x, y, from = null) {
    if (!piece || this.store.inTray(piece) === 0) return false;
    this.puts += 1;
    const id = `put-${this.puts}`;
    const replaced = this.replaced(piece, x, y);
    if (from) this.pieces.fallFrom(id, { piece, ...from, z: 0 });
    return this.carryOut(id, { piece, x, y, z: 0 }, null,
      replaced && { type: "take", what: replaced.number },
      { type: "put", piece, ...this.store.spot(x, y) });
  }

  remove() {
    const { id, number, piece, x, y, lifting } = this.carried;
    this.letGo();
    if (id === TRAY) return;
    this.carryOut(id, { piece, x, y, z: 0, gone: true }, lifting, { type: "take", what: number });
  }

  putBack() {
    if (this.fromTray) this.drop();
    return this.carried ? this.putDown(this.carried.home) : null;
  }

  /** Forget the held piece: the table releases it itself when a page leaves or a game begins. */
  drop() { if (this.carried) this.letGo(); }

  letGo() {
    this.plate.aimAt(null);
    this.pieces.forget(this.carried.id);
    this.carried = null;
    this.store.set("holding", null);
  }

  /** Move the held piece along with the keys. */
  follow({ x, y }) {
    if (!this.carried) return;
    Object.assign(this.carried, { x, y });
    this.show();
  }
}

// The table's own hand, which does what the lights ask for, also unasked if people want that.
const ASKING = new Set(["setup", "settle", "fix"]);
const LEAVES = new Set(["wrong", "remove", "lift"]);
const TO_READ_MS = 3500; // Time to read, in a lesson, what the other side is about to do.

export class OwnHand {
  /** `ask(message)` sends to the table, `complain(text)` shows a text to the person, `putBack()`
   * returns the held piece. */
  constructor(store, { ask, complain, putBack }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.putBack = putBack;
    this.on = remembered("own-hand", "on") === "on";
    this.tried = new Set(); // Requests that were already tried, until the table asks for nothing.
    store.listen(() => this.look());
  }

  toggle() {
    this.on = !this.on;
    remember("own-hand", this.on ? "on" : "off");
    this.store.tell("own-hand");
  }

  /** Return what the table asks for now as a text to compare, or null. */
  asked() {
    const { snapshot, handsFree, holding, layout } = this.store;
    if (!handsFree || !snapshot || !layout.game || holding) return null;
    const { phase, shifts, roles } = snapshot.guidance;
    // In a lesson the hand makes the other side's moves.
    const others = phase === "turn" && snapshot.learning.lesson?.by_hand;
    if (!others && !ASKING.has(phase)) return null;
    const something = shifts.length || Object.values(roles).some((role) => LEAVES.has(role));
    return something ? JSON.stringify([layout.number, phase, shifts, roles]) : null;
  }

  look() {
    const asked = this.asked();
    if (asked === null) this.tried.clear();
    if (!this.on || this.store.falling || this.store.working || asked === null
      || this.tried.has(asked) || this.due?.asked === asked) return;
    clearTimeout(this.due?.timer);
    const { phase } = this.store.snapshot.guidance;
    const wait = phase === "turn" ? TO_READ_MS : 0;
    const timer = setTimeout(() => {
      this.due = null;
      if (this.on && this.asked() === asked) this.carryOut();
    }, wait);
    this.due = { asked, timer };
  }

  /** Do everything that the table asks for now. */
  async carryOut() {
    if (this.store.working) return;
    this.tried.add(this.asked()); // If the table then sees something else, it says what to do.
    this.store.set("working", true);
    try {
      await this.putBack();
      await this.ask({ type: "carry-out" });
    } catch (error) { this.complain(error.message); }
    this.store.set("working", false);
  }
}
