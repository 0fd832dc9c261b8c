// What a press means, by pointer or key: a place, a piece or a slot plays the move that belongs
// there.
import { fall, OUT } from "/static/boards.js";
import { nameOf, t } from "/static/page.js";

export class Presses {
  /** `ask(message)` asks the table; `complain(text)` and `announce(text)` tell the person. */
  constructor(store, plate, hand, { ask, complain, announce }) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.hand = hand;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.announce = announce;
    this.waiting = new Waiting(store);
    this.drops = new Drops(store, plate,
      { ask, complain, put: (...from) => hand.putFromTray(...from) });
    store.on(["holding"], () => !hand.carried && this.drops.aim(null));
  }

  /** A press at a point of the plate, on a piece there, or on a tray's. `free`: see putDownAt. */
  tap({ piece, tray }, at, free) {
    const { hand, store } = this;
    const slot = this.drops.at(at.x, at.y);
    const on = store.onPlate(at.x, at.y);
    if (hand.carried) {
      if (tray) hand.remove();
      else this.putDownAt(at, free);
    } else if (tray) hand.takeFromTray(tray, at);
    // what falls may be drawn over it
    else if (slot && (!piece || store.falling)) this.pressSlot(slot);
    else if (store.bySeat && on) this.name(store.placeName(store.nearest(at.x, at.y).index));
    else if (piece?.number) this.tapPiece(piece, at);
    else if (on) this.tapPlace(store.nearest(at.x, at.y));
  }

  /** A tap on an empty place puts the piece that belongs there now. */
  tapPlace({ index, away, x, y }) {
    const { store } = this;
    const name = store.placeName(index);
    const spot = store.game?.board[name];
    if (away > store.layout.pitch_mm / 2 || !spot) return;
    const role = store.snapshot.guidance.roles[name];
    if (role === "put") this.hand.putFromTray(this.pieceFor(name), x, y);
    else if (spot.blocked) this.complain(t("Nothing can stand on {place}.", { place: name }));
    else {
      this.waiting.press(name, () => {
        if (store.snapshot.guidance.roles[name] === "legal") this.play(this.pieceFor(name), x, y);
        else this.point();
      });
    }
  }

  /** A tap on a pod flies the ship there; on any other piece it picks that up. */
  tapPiece(piece, at) {
    if (this.mayFlyTo(piece)) this.waiting.press(this.hand.placeOf(piece), () => this.flyTo(piece));
    else this.hand.pickUp(piece, at);
  }

  /** A move by its name, which the table carries out, or has carried out. */
  name(move) {
    const { store } = this;
    this.waiting.press(move, () => {
      if (!store.snapshot.game.legal.includes(move)) this.point();
      else this.make(move);
    });
  }

  make(move) {
    return this.waiting.play(() =>
      this.ask({ type: "make-move", move, player: this.store.bySeat })
        .then(() => true, (error) => this.complain(error.message)));
  }

  mayFlyTo({ piece }) {
    const { phase } = this.store.snapshot.guidance;
    return piece === "pod" && Boolean(this.plate.extra?.tracks)
      && (phase === "turn" || phase === "settle");
  }

  flyTo(pod) {
    const { store } = this;
    const to = this.hand.placeOf(pod);
    const ships = store.pieces().filter(({ piece }) => piece === store.snapshot.game.to_move);
    const ship = ships.find((each) => this.plate.extra.tracks.joined(this.hand.placeOf(each), to));
    if (ship) this.make(to); // both pieces at once
    else this.complain(t("The ship flies along one track: it cannot reach {place}.",
      { place: to }));
  }

  pressSlot(slot) {
    this.waiting.press(slot.name, () => {
      const why = this.plate.extra.why(slot);
      if (why === null && this.store.bySeat) this.make(slot.name);
      else if (why === null) this.drops.drop(slot);
      else if (why) this.complain(why);
      else this.point();
    });
  }

  /** What to do instead is said above. */
  point() {
    this.announce(this.store.snapshot.guidance.say);
    this.store.tell("pointed");
  }

  play(piece, x, y) { return this.waiting.play(() => this.hand.putFromTray(piece, x, y)); }

  /** The slot into which the tile that is carried would go, if its owner is to move. */
  slotUnder() {
    const { piece, x, y } = this.hand.carried;
    const slot = piece === this.store.snapshot.game.to_move ? this.drops.at(x, y) : null;
    return slot && this.store.handsFree && this.plate.extra.open(slot) ? slot : null;
  }

  /** What is carried is put down there, or falls from the slot there. `free`: off the places'
   * middles too. */
  putDownAt(at, free) {
    const { hand } = this;
    hand.carryTo(at);
    const { x, y } = hand.carried;
    const slot = hand.fromTray ? this.slotUnder() : null;
    if (slot) {
      hand.letGo();
      this.pressSlot(slot); // in its turn: the tile before may be falling yet
    } else if (!this.store.onPlate(x, y)) hand.remove();
    else this.waiting.play(() => hand.putDown(free ? { x, y } : hand.landing({ x, y })));
  }

  pieceFor(place) {
    const { snapshot } = this.store;
    return snapshot.guidance.piece_for[place] ?? snapshot.game.to_move;
  }

  // Keys: see keys.js

  /** Enter on a place: put down what is held, pick up what stands there, or put a new one. */
  act(index) {
    if (this.store.bySeat) this.name(this.store.placeName(index));
    if (!this.store.handsFree) return;
    const at = this.store.centreOf(index);
    const place = this.store.placeName(index);
    const { carried } = this.hand;
    const standing = this.store.pieceAt(index);
    if (standing && !carried) {
      this.tapPiece(standing, standing);
      if (this.hand.carried)
        this.announce(t("{piece} picked up from {place}.",
          { piece: nameOf(standing.piece), place }));
      return;
    }
    const piece = carried?.piece ?? this.pieceFor(place);
    if (!piece) return;
    if (carried) this.hand.putDown(at);
    else this.play(piece, at.x, at.y);
    this.announce(t("{piece} put on {place}.", { piece: nameOf(piece), place }));
  }

  /** Delete: what is held, or stands there, leaves the plate. */
  clear(index) {
    if (!this.store.handsFree) return;
    const standing = this.store.pieceAt(index);
    if (!this.hand.carried && standing) this.hand.lift(standing);
    if (this.hand.carried) this.hand.remove();
  }
}

// Presses that come while the move before is still being carried out wait until that is done.
const SEEN_WITHIN_MS = 3000; // a hand, four scans and a slow network
const TWICE_MS = 400; // the second press of a double click

class Waiting {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.presses = []; // {mark, act}, the first one next
    this.playing = false;
    this.starting = false; // while a press that waited begins
    this.last = {}; // {mark, at, made} of the newest press: when, and after how many moves
    store.on(["layout", "review", "link"], () => this.keep([]));
    store.on(["layout"], () => { this.last = {}; }); // a double click is of one game
    store.listen(() => this.look());
  }

  get busy() {
    const { guidance: { phase, faults }, plate: { stillness } } = this.store.snapshot;
    // the board is being read: nothing is asked of anybody
    const reads = phase === "paused" && stillness !== "tilted" && !faults.length;
    return this.playing || this.starting || Boolean(this.store.falling) || reads
      || phase === "settle" || phase === "setup";
  }

  /** Now, or in its turn as soon as the table is ready. `mark`: the place or slot that is drawn as
   * waiting; pressed once more it is forgotten. A double click is one press. */
  press(mark, act) {
    const { last } = this;
    const at = window.event?.timeStamp ?? performance.now(); // a slow page hears of a press late
    this.last = { mark, at, made: this.store.snapshot?.game.moves.length };
    if (mark === last.mark && this.last.made === last.made && this.last.at - last.at < TWICE_MS)
      return;
    const others = this.presses.filter((each) => each.mark !== mark);
    if (others.length < this.presses.length) this.keep(others);
    else if (this.busy || others.length) this.keep([...others, { mark, act }]);
    else act();
  }

  keep(presses) {
    if (presses.length + this.presses.length === 0) return;
    this.presses = presses;
    this.store.set("waiting", presses.map(({ mark }) => mark));
  }

  look() {
    if (this.presses.length === 0 || this.busy) return;
    const [{ act }, ...others] = this.presses;
    const { phase } = this.store.snapshot.guidance;
    this.starting = true; // what it tells the page brings us here again
    act();
    this.starting = false;
    this.keep(phase === "turn" ? others : []); // else something must be put right first
  }

  /** Busy until the table has seen what `act` does; it resolves to whether it was done. */
  async play(act) {
    const { store } = this;
    const said = ({ game, guidance }) =>
      JSON.stringify([guidance.phase, game.moves.length, guidance.question?.ask]);
    const before = said(store.snapshot);
    this.playing = true;
    try {
      if (await act()) await store.until(() => said(store.snapshot) !== before, SEEN_WITHIN_MS);
    } finally {
      this.playing = false;
      this.look();
    }
  }
}

// Letting a tile fall from a slot: it is put where it lands, and the side answered.
const FALLEN_WITHIN_MS = 8000; // a hand, a reading that settles, and a slow network

class Drops {
  /** `put(piece, x, y)` has a new piece put on the plate and resolves to whether it was. */
  constructor(store, plate, { ask, complain, put }) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.put = put;
    this.over = null; // the slot that is pointed at, open or not
    this.aimed = null;
    store.listen((_, changed) => this.aim(changed.has("layout") ? null : this.over));
  }

  /** The slot at a point of the plate, null where there is none. */
  at(x, y) { return this.plate.extra?.at?.(x, y) ?? null; }

  /** The only open slot from which a tile would come in, or else land, there; null where there
   * are more. */
  into(place) {
    const open = (this.store.game?.slots ?? []).filter((slot) => this.open(slot));
    const entering = open.filter((slot) => this.path(slot)[0] === place);
    const found = entering.length ? entering
      : open.filter((slot) => this.path(slot).at(-1) === place);
    return found.length === 1 ? found[0] : null;
  }

  open(slot) { return this.store.plays && !this.store.falling && this.plate.extra.open(slot); }

  path(slot) { return fall(slot, this.store.snapshot.game.position); }

  /** Show where a tile would fall from there; null: nothing is meant any more. */
  aim(slot) {
    this.over = slot;
    const meant = slot && this.open(slot) ? slot : null;
    if (meant === this.aimed) return;
    this.aimed = meant;
    this.plate.extra?.aim?.(meant);
    this.store.set("hint", meant && { path: this.path(meant), colour: meant.tint });
  }

  /** One whole move. What the table does not take is left to its guidance. */
  async drop(slot) {
    if (!this.open(slot)) return;
    const { store } = this;
    const { to_move: piece, moves } = store.snapshot.game;
    const path = this.path(slot);
    const [enters, lands] = [path[0], path.at(-1)]
      .map((place) => store.centreOf(store.indexOf(place)));
    const [east, north] = OUT[slot.side].map((out) => out * store.layout.pitch_mm);
    this.aim(null);
    store.set("falling", slot);
    try {
      if (!await this.put(piece, lands.x, lands.y, { x: enters.x + east, y: enters.y + north }))
        return;
      const done = () => store.snapshot.game.moves.length > moves.length
        || store.snapshot.guidance.phase === "settle";
      const asked = () => store.snapshot.guidance.question?.choices
        .some(({ value }) => value === slot.side);
      const other = () => !["turn", "settle"].includes(store.snapshot.guidance.phase);
      await store.until(() => done() || asked() || other(), FALLEN_WITHIN_MS);
      if (asked()) {
        await this.ask({ type: "answer", value: slot.side });
        await store.until(done, FALLEN_WITHIN_MS);
      }
    } catch (error) {
      this.complain(error.message);
    } finally { store.set("falling", null); }
  }
}

// What a move would do, shown while somebody points at its place: by mouse, keys, or a finger that
// stays.
export class Previews {
  /** `fetchJson(path)` asks the table, which says null to what is no move. */
  constructor(store, plate, fetchJson) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.fetchJson = fetchJson;
    this.place = null; // what is pointed at
    this.known = new Map(); // move -> what it would do, in this position
    this.asking = false;
    store.on(["game.moves", "layout", "review", "guidance.phase", "game.to_move"],
      () => this.forget());
  }

  forget() {
    this.known = new Map();
    this.store.set("preview", null);
    if (this.place) this.look();
  }

  /** Show what a move to that place would do; null: nothing is pointed at any more. */
  aim(place) {
    if (place === this.place) return;
    this.place = place;
    if (!this.isMove(place)) this.store.set("preview", null);
    else this.look();
  }

  isMove(place) {
    const { store } = this;
    const { snapshot, review, game } = store;
    const asked = snapshot?.guidance.question && !snapshot.guidance.question.offer;
    if (!place || !game || review || asked || store.falling || snapshot.guidance.phase !== "turn")
      return false;
    const { game: { position, to_move: mover }, guidance: { roles } } = snapshot;
    // Two slots may lead to one place, so the player drags the tile.
    if (game.slots.length) return false;
    if (!(place in position)) return roles[place] === "legal";
    const ship = Object.keys(position).find((at) => position[at] === mover);
    return !game.players.includes(position[place])
      && Boolean(this.plate.extra?.tracks?.joined(ship, place));
  }

  /** One question at a time: who sweeps over the board asks for the last place. */
  async look() {
    const { place, known } = this;
    if (!this.isMove(place)) return;
    if (known.has(place)) {
      this.store.set("preview", known.get(place));
      return;
    }
    if (this.asking) return;
    this.asking = true;
    const found = await this.fetchJson(`/api/v1/preview/${encodeURIComponent(place)}`)
      .catch(() => null);
    this.asking = false;
    if (known === this.known && this.isMove(place)) known.set(place, found);
    this.look();
  }
}
