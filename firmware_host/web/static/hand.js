// A person's hand: mouse, finger or keys pick a piece up, carry it, and put it down.

import { Drops } from "/static/drops.js";
import { t, nameOf } from "/static/i18n.js";
import { sideName } from "/static/slots.js";
import { Waiting } from "/static/waiting.js";

const DRAG_FROM_PX = 6;
const SNAP_MM = 14;
const CARRY_MM = 26;
const ABOVE_FINGER_PX = 46; // what a finger drags must not be under it
const TRAY = "in-hand";

export class Hand {
  /** `ask(message)` asks the table; `complain(text)` and `announce(text)` tell the person. */
  constructor(store, plate, pieces, { ask, complain, announce }) {
    Object.assign(this, { store, plate, pieces, ask, complain, announce });
    this.carried = null; // {id, piece, number, x, y, home, offset}
    this.puts = 0;
    this.pressed = null; // a pointer that is down and has not moved far
    this.waiting = new Waiting(store);
    this.drops = new Drops(store, plate, {
      ask, complain, put: (piece, x, y) => this.putFromTray(piece, x, y),
    });
    const { stage } = plate;
    stage.addEventListener("pointerdown", (event) => this.down(event));
    addEventListener("pointermove", (event) => this.move(event));
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("pointercancel", () => this.cancel());
    addEventListener("keydown", (event) => event.key === "Escape" && this.putBack());
    store.listen((_, changed) => {
      if (changed.has("layout") || changed.has("link")) this.drop();
      else if (changed.has("review")) this.putBack();
    });
  }

  // Pointers

  down(event) {
    if (event.button !== 0 || !this.store.handsFree || this.pressed) return;
    const marble = event.target.closest?.(".marble");
    this.pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, marble };
    if (marble || this.carried) event.preventDefault();
  }

  /** A finger or the mouse on a tray's marble. */
  downOnTray(event, piece) {
    if (event.button !== 0 || !this.store.handsFree || this.pressed) return;
    event.preventDefault();
    this.pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, tray: piece };
  }

  move(event) {
    const { pressed } = this;
    if (pressed && event.pointerId === pressed.id && !pressed.dragging) {
      const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      if (far < DRAG_FROM_PX) return;
      pressed.dragging = true;
      if (!this.carried) this.startDrag(pressed);
    }
    if (!this.carried) {
      if (event.pointerType === "mouse" && !pressed) this.hover(event);
      return;
    }
    if (pressed ? event.pointerId === pressed.id : event.pointerType === "mouse") {
      this.carryTo(event.clientX, event.clientY, event);
    }
  }

  /** The mouse over a slot shows where its tile would fall. */
  hover({ clientX, clientY, target }) {
    if (!this.plate.extra?.at) return;
    const over = this.plate.stage.contains(target) && !target.closest?.(".marble");
    const at = this.plate.map().toPlane(clientX, clientY);
    this.drops.aim(over ? this.drops.at(at.x, at.y) : null);
  }

  startDrag({ marble, tray, x, y }) {
    const at = this.plate.map().toPlane(x, y);
    if (tray) this.takeFromTray(tray, at);
    else if (marble?.dataset.number) this.pickUp(marble, at);
  }

  up(event) {
    const { pressed } = this;
    if (!pressed || event.pointerId !== pressed.id) return;
    if (pressed.dragging) {
      if (this.carried) this.putDownAt(event.clientX, event.clientY, event);
      this.pressed = null;
      return;
    }
    this.pressed = null;
    this.tap(pressed, event);
  }

  tap({ marble, tray }, event) {
    const at = this.plate.map().toPlane(event.clientX, event.clientY);
    if (this.carried) {
      if (tray) this.remove();
      else this.putDownAt(event.clientX, event.clientY, event);
    } else if (tray) this.takeFromTray(tray, at);
    else if (marble?.dataset.number) this.tapPiece(marble, at);
    else if (this.drops.at(at.x, at.y)) this.pressSlot(this.drops.at(at.x, at.y));
    else if (this.store.onPlate(at.x, at.y)) this.tapPlace(this.store.nearest(at.x, at.y));
  }

  /** A tap on an empty place puts the piece that belongs there now. */
  tapPlace({ index, away, x, y }) {
    const { store } = this;
    const name = store.placeName(index);
    const spot = store.game?.board[name];
    if (away > store.layout.pitch_mm / 2 || !spot) return;
    const role = store.snapshot.roles[name];
    if (role === "put") this.putFromTray(this.pieceFor(name), x, y);
    else if (spot.blocked) this.complain(t("Nothing can stand on {place}.", { place: name }));
    else {
      this.waiting.press(name, () => {
        if (store.snapshot.roles[name] === "legal") this.play(this.pieceFor(name), x, y);
        else this.point();
      });
    }
  }

  /** A tap on a pod flies the ship there; on any other piece it picks that up. */
  tapPiece(element, at) {
    const piece = this.store.pieces().find(({ number }) => number === Number(element.dataset.number));
    if (piece && this.mayFlyTo(piece)) this.waiting.press(element.dataset.place, () => this.flyTo(piece));
    else this.pickUp(element, at);
  }

  mayFlyTo({ piece }) {
    const { phase } = this.store.snapshot;
    return piece === "pod" && Boolean(this.plate.extra?.tracks) && (phase === "turn" || phase === "settle");
  }

  flyTo(pod) {
    const { store } = this;
    const to = this.placeOf(pod);
    const ships = store.pieces().filter(({ piece }) => piece === store.snapshot.to_move);
    const ship = ships.find((each) => this.plate.extra.tracks.joined(this.placeOf(each), to));
    if (!ship) {
      this.complain(t("The ship flies along one track: it cannot reach {place}.", { place: to }));
      return;
    }
    this.lift(ship);
    this.waiting.play(() => this.putDown(pod));
  }

  placeOf({ x, y }) {
    return this.store.placeName(this.store.nearest(x, y).index);
  }

  pressSlot(slot) {
    this.waiting.press(slot.name, () => {
      const why = this.plate.extra.why(slot);
      if (why === null) this.drops.drop(slot);
      else if (why) this.complain(why);
      else this.point();
    });
  }

  /** What to do instead is said above. */
  point() {
    this.announce(this.store.snapshot.say);
    this.store.tell("pointed");
  }

  play(piece, x, y) {
    return this.waiting.play(() => this.putFromTray(piece, x, y));
  }

  cancel() {
    const { pressed } = this;
    this.pressed = null;
    if (pressed?.dragging) this.putBack();
  }

  // What a hand does

  pieceFor(place) {
    const { snapshot } = this.store;
    return snapshot.piece_for[place] ?? snapshot.to_move;
  }

  pickUp(element, at) {
    const number = Number(element.dataset.number);
    const piece = this.store.pieces().find((p) => p.number === number);
    if (!piece) return;
    this.lift(piece, { x: piece.x - at.x, y: piece.y - at.y });
  }

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

  carryTo(clientX, clientY, event) {
    const raised = event?.pointerType === "touch" && this.pressed?.dragging ? ABOVE_FINGER_PX : 0;
    const at = this.plate.map().toPlane(clientX, clientY - raised);
    this.carried.x = at.x + this.carried.offset.x;
    this.carried.y = at.y + this.carried.offset.y;
    if (this.carried.id === TRAY) this.drops.aim(this.slotUnder());
    this.show();
  }

  /** The slot into which the tile that is carried would go, if its owner is to move. */
  slotUnder() {
    const { piece, x, y } = this.carried;
    const slot = piece === this.store.snapshot.to_move ? this.drops.at(x, y) : null;
    return slot && this.drops.open(slot) ? slot : null;
  }

  show() {
    const { id, piece, x, y } = this.carried;
    const { index, away } = this.store.nearest(x, y);
    this.plate.aimAt(away <= SNAP_MM + 4 && this.store.onPlate(x, y) ? index : null);
    this.pieces.override(id, { piece, x, y, z: CARRY_MM, held: true });
  }

  /** Where it would come to stand: a place's centre when near, unless Shift or Alt keeps it free. */
  landing({ x, y }, event) {
    const near = this.store.nearest(x, y);
    const free = event?.shiftKey || event?.altKey;
    return near.away <= SNAP_MM + 4 && !free ? near : { x, y };
  }

  putDownAt(clientX, clientY, event) {
    this.carryTo(clientX, clientY, event);
    const { id, x, y } = this.carried;
    const slot = id === TRAY ? this.slotUnder() : null;
    if (slot) {
      this.letGo();
      this.drops.drop(slot);
    } else if (!this.store.onPlate(x, y)) this.remove();
    else this.waiting.play(() => this.putDown(this.landing(this.carried, event)));
  }

  /** Resolves to whether it stands there. */
  putDown({ x, y }) {
    const { id, number, piece, home, lifting } = this.carried;
    this.letGo();
    if (id === TRAY) return this.putFromTray(piece, x, y);
    this.pieces.override(id, { piece, x, y, z: 0 });
    const struck = this.struck(number, home, { x, y });
    return lifting.then(() => struck && this.ask({ type: "take", what: struck.number }))
      .then(() => this.ask({ type: "set-down", piece: number, ...this.store.spot(x, y) }))
      .then(() => this.pieces.release(id))
      .then(() => true, (error) => this.springBack(id, error));
  }

  /** What a ship knocks into the hole where it lands: the pod on a base of its track. */
  struck(number, home, { x, y }) {
    const { store } = this;
    const [from, to] = [home, { x, y }].map((at) => this.placeOf(at));
    if (!this.plate.extra?.tracks?.joined(from, to)) return null;
    return store.pieces().find((p) => !store.game.players.includes(p.piece) && p.number !== number
      && Math.hypot(p.x - x, p.y - y) < SNAP_MM) ?? null;
  }

  /** The table's hand has put it back where it was, if its game is still played. */
  springBack(id, error) {
    if (!this.pieces.overrides.has(id)) return;
    this.pieces.forget(id);
    this.complain(error.message);
  }

  /** Whether something stands there, which is said. */
  taken(x, y) {
    const { index, away } = this.store.nearest(x, y);
    const standing = away < SNAP_MM && this.store.pieceAt(index);
    if (standing) {
      const place = this.store.placeName(index);
      this.complain(t("{piece} is on {place} already: take it off first.", { piece: nameOf(standing.piece), place }));
    }
    return Boolean(standing);
  }

  /** What a swap takes away: the marble on which the other player's is put. */
  replaced(piece, x, y) {
    const { snapshot } = this.store;
    const standing = snapshot.swap_legal && this.store.pieceAt(this.store.nearest(x, y).index);
    return standing && piece === snapshot.to_move && standing.piece !== piece ? standing : null;
  }

  /** Resolves to whether the table's hand has put it there. */
  async putFromTray(piece, x, y) {
    if (!piece || this.store.inTray(piece) === 0) return false;
    this.puts += 1;
    const id = `put-${this.puts}`;
    const replaced = this.replaced(piece, x, y);
    if (!replaced && this.taken(x, y)) return false;
    this.pieces.override(id, { piece, x, y, z: 0 });
    try {
      if (replaced) await this.ask({ type: "take", what: replaced.number });
      await this.ask({ type: "put", piece, ...this.store.spot(x, y) });
    } catch (error) {
      this.springBack(id, error);
      return false;
    }
    this.pieces.release(id);
    return true;
  }

  remove() {
    const { id, number, piece, x, y, lifting } = this.carried;
    this.letGo();
    if (id === TRAY) return;
    this.pieces.override(id, { piece, x, y, z: 0, gone: true });
    lifting.then(() => this.ask({ type: "take", what: number }))
      .then(() => this.pieces.release(id))
      .catch((error) => this.springBack(id, error));
  }

  putBack() {
    if (!this.carried) return;
    if (this.carried.id === TRAY) this.drop();
    else this.putDown(this.carried.home);
  }

  /** Forget what is held: the table lets go by itself when a page leaves or a game begins. */
  drop() {
    this.pressed = null;
    if (this.carried) this.letGo();
  }

  letGo() {
    this.drops.aim(null);
    this.plate.aimAt(null);
    this.pieces.forget(this.carried.id);
    this.carried = null;
    this.store.set("holding", null);
  }

  // Keys: see keys.js

  /** Enter on a place: put down what is held, pick up what stands there, or put a new one. */
  act(index) {
    if (!this.store.handsFree) return;
    const { x, y } = this.store.centreOf(index);
    const name = this.store.placeName(index);
    if (this.carried) {
      const what = nameOf(this.carried.piece);
      this.putDown({ x, y });
      this.announce(t("{piece} put on {place}.", { piece: what, place: name }));
      return;
    }
    const standing = this.store.pieceAt(index);
    if (standing && this.mayFlyTo(standing)) {
      this.waiting.press(name, () => this.flyTo(standing));
      return;
    }
    if (standing) {
      this.lift(standing);
      const piece = nameOf(standing.piece);
      this.announce(t("{piece} picked up from {place}.", { piece, place: name }));
      return;
    }
    const piece = this.pieceFor(name);
    if (!piece) return;
    this.play(piece, x, y);
    this.announce(t("{piece} put on {place}.", { piece: nameOf(piece), place: name }));
  }

  /** Enter on a slot: a tile falls from there, the one that is held or a new one. */
  actSlot(slot) {
    if (!this.store.handsFree) return;
    if (this.carried && this.carried.id !== TRAY) {
      this.announce(t("A piece from the plate does not go into a slot."));
      return;
    }
    if (this.carried) this.letGo();
    if (this.drops.open(slot)) {
      const path = this.drops.path(slot);
      this.announce(t("Slot {slot}, {side}: the tile falls to {place}.", {
        slot: slot.name, side: sideName(slot.side), place: path[path.length - 1],
      }));
    }
    this.pressSlot(slot);
  }

  /** Delete: what is held, or stands there, leaves the plate. */
  clear(index) {
    if (!this.store.handsFree) return;
    const standing = this.store.pieceAt(index);
    if (!this.carried && standing) this.lift(standing);
    if (this.carried) this.remove();
  }

  /** Take a piece of that kind into the hand, over a point of the plate. */
  choose(piece, at) {
    if (!this.store.handsFree || this.carried) return;
    this.takeFromTray(piece, at);
  }

  /** The keys moved to a point on the plate: what is held moves along. */
  follow({ x, y }) {
    if (!this.carried) return;
    Object.assign(this.carried, { x, y });
    this.show();
  }
}
