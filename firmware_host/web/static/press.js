// What a press means, by pointer or key: a place, a piece or a slot plays the move that belongs there.
import { Drops } from "/static/drops.js";
import { nameOf, t } from "/static/page.js";
import { sideName } from "/static/boards.js";
import { Waiting } from "/static/waiting.js";

export class Presses {
  /** `ask(message)` asks the table; `complain(text)` and `announce(text)` tell the person. */
  constructor(store, plate, hand, { ask, complain, announce, ownHand }) {
    Object.assign(this, { store, plate, hand, ask, complain, announce, ownHand });
    this.waiting = new Waiting(store);
    this.drops = new Drops(store, plate, { ask, complain, put: (...from) => hand.putFromTray(...from) });
    store.on(["holding"], () => !hand.carried && this.drops.aim(null));
  }

  /** A press at a point of the plate, on a piece there, or on a tray's. `free`: see putDownAt. */
  tap({ marble, tray }, at, free) {
    const { hand } = this;
    const slot = this.drops.at(at.x, at.y);
    if (hand.carried) {
      if (tray) hand.remove();
      else this.putDownAt(at, free);
    } else if (tray) hand.takeFromTray(tray, at);
    else if (slot && (!marble || this.store.falling)) this.pressSlot(slot); // what falls may be drawn over it
    else if (marble?.dataset.number) this.tapPiece(marble, at);
    else if (this.store.onPlate(at.x, at.y)) this.tapPlace(this.store.nearest(at.x, at.y));
  }

  /** A tap on an empty place puts the piece that belongs there now. */
  tapPlace({ index, away, x, y }) {
    const { store } = this;
    const name = store.placeName(index);
    const spot = store.game?.board[name];
    if (away > store.layout.pitch_mm / 2 || !spot) return;
    const role = store.snapshot.roles[name];
    if (role === "put") this.hand.putFromTray(this.pieceFor(name), x, y);
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
    else this.hand.pickUp(element, at);
  }

  mayFlyTo({ piece }) {
    const { phase } = this.store.snapshot;
    return piece === "pod" && Boolean(this.plate.extra?.tracks) && (phase === "turn" || phase === "settle");
  }

  flyTo(pod) {
    const { store } = this;
    const to = this.hand.placeOf(pod);
    const ships = store.pieces().filter(({ piece }) => piece === store.snapshot.to_move);
    const ship = ships.find((each) => this.plate.extra.tracks.joined(this.hand.placeOf(each), to));
    if (!ship) {
      this.complain(t("The ship flies along one track: it cannot reach {place}.", { place: to }));
      return;
    }
    if (this.ownHand.on && store.snapshot.phase === "turn") {
      this.waiting.play(() => this.make(to)); // both pieces at once
      return;
    }
    this.hand.lift(ship);
    this.waiting.play(() => this.hand.putDown(pod));
  }

  /** A move that the table's own hand carries out; resolves to whether it is one. */
  make(move) {
    return this.ask({ type: "make-move", move }).then(() => true, (error) => {
      this.complain(error.message);
      return false;
    });
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

  play(piece, x, y) { return this.waiting.play(() => this.hand.putFromTray(piece, x, y)); }

  /** The slot into which the tile that is carried would go, if its owner is to move. */
  slotUnder() {
    const { piece, x, y } = this.hand.carried;
    const slot = piece === this.store.snapshot.to_move ? this.drops.at(x, y) : null;
    return slot && this.drops.open(slot) ? slot : null;
  }

  /** What is carried is put down there, or falls from the slot there. `free`: off the places' middles too. */
  putDownAt(at, free) {
    const { hand } = this;
    hand.carryTo(at);
    const { x, y } = hand.carried;
    const slot = hand.fromTray ? this.slotUnder() : null;
    if (slot) {
      hand.letGo();
      this.drops.drop(slot);
    } else if (!this.store.onPlate(x, y)) hand.remove();
    else this.waiting.play(() => hand.putDown(free ? { x, y } : hand.landing({ x, y })));
  }

  pieceFor(place) {
    const { snapshot } = this.store;
    return snapshot.piece_for[place] ?? snapshot.to_move;
  }

  // Keys: see keys.js

  /** Enter on a place: put down what is held, pick up what stands there, or put a new one. */
  act(index) {
    if (!this.store.handsFree) return;
    const { x, y } = this.store.centreOf(index);
    const name = this.store.placeName(index);
    const { hand } = this;
    if (hand.carried) {
      const what = nameOf(hand.carried.piece);
      hand.putDown({ x, y });
      this.announce(t("{piece} put on {place}.", { piece: what, place: name }));
      return;
    }
    const standing = this.store.pieceAt(index);
    if (standing && this.mayFlyTo(standing)) {
      this.waiting.press(name, () => this.flyTo(standing));
      return;
    }
    if (standing) {
      hand.lift(standing);
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
    const { hand } = this;
    if (hand.carried && !hand.fromTray) {
      this.announce(t("A piece from the plate does not go into a slot."));
      return;
    }
    if (hand.carried) hand.letGo();
    if (this.drops.open(slot)) {
      const path = this.drops.path(slot);
      this.announce(t("Slot {slot}, {side}: the tile falls to {place}.", { slot: slot.name, side: sideName(slot.side), place: path[path.length - 1] }));
    }
    this.pressSlot(slot);
  }

  /** Delete: what is held, or stands there, leaves the plate. */
  clear(index) {
    if (!this.store.handsFree) return;
    const standing = this.store.pieceAt(index);
    if (!this.hand.carried && standing) this.hand.lift(standing);
    if (this.hand.carried) this.hand.remove();
  }
}
