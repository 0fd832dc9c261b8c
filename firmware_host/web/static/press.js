// The meaning of a press, by pointer or key: a place, a piece or a slot plays the move that belongs
// to it.
import { fall, OUT } from "/static/boards.js";
import { nameOf, t } from "/static/page.js";

export class Presses {
  /** `ask(message)` sends to the table; `complain(text)` and `announce(text)` tell the person. */
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

  /** Handle a press at a point of the plate, on a piece there, or on a tray. `free` is explained at
   * putDownAt. */
  tap({ piece, tray }, at, free) {
    const { hand, store } = this;
    const slot = this.drops.at(at.x, at.y);
    const on = store.onPlate(at.x, at.y);
    if (hand.carried) {
      if (tray) hand.remove();
      else this.putDownAt(at, free);
    } else if (tray) hand.takeFromTray(tray, at);
    // A falling tile can cover the slot.
    else if (slot && (!piece || store.falling)) this.pressSlot(slot);
    else if (store.bySeat && on) this.name(store.placeName(store.nearest(at.x, at.y).index));
    else if (piece?.number) this.tapPiece(piece, at);
    else if (on) this.tapPlace(store.nearest(at.x, at.y));
  }

  /** Put the piece that belongs on an empty place. */
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

  /** Fly the ship to a pod, or pick up any other piece. */
  tapPiece(piece, at) {
    if (this.mayFlyTo(piece)) this.waiting.press(this.hand.placeOf(piece), () => this.flyTo(piece));
    else this.hand.pickUp(piece, at);
  }

  /** Make a move by its name; the table carries it out or guides it. */
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
    if (ship) this.make(to); // The ship and the pod move together.
    else this.complain(t("Choose a space on the ship's track. It cannot reach {place}.",
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

  /** Draw attention to the sentence, which says what to do instead. */
  point() {
    this.announce(this.store.snapshot.guidance.say);
    this.store.tell("pointed");
  }

  play(piece, x, y) { return this.waiting.play(() => this.hand.putFromTray(piece, x, y)); }

  /** Return the slot into which the carried tile would go if its owner is to move, else null. */
  slotUnder() {
    const { piece, x, y } = this.hand.carried;
    const slot = piece === this.store.snapshot.game.to_move ? this.drops.at(x, y) : null;
    return slot && this.store.handsFree && this.plate.extra.open(slot) ? slot : null;
  }

  /** Put the carried piece down at a point, or drop it into the slot there. `free` allows points
   * between the places. */
  putDownAt(at, free) {
    const { hand } = this;
    hand.carryTo(at);
    const { x, y } = hand.carried;
    const slot = hand.fromTray ? this.slotUnder() : null;
    if (slot) {
      hand.letGo();
      this.pressSlot(slot); // The slot's turn comes after a tile that is still falling.
    } else if (!this.store.onPlate(x, y)) hand.remove();
    else this.waiting.play(() => hand.putDown(free ? { x, y } : hand.landing({ x, y })));
  }

  pieceFor(place) {
    const { snapshot } = this.store;
    return snapshot.guidance.piece_for[place] ?? snapshot.game.to_move;
  }

  // Actions of the keyboard (keys.js)

  /** Enter on a place: put down the held piece, pick up the one there, or put a new one. */
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

  /** Delete: remove the held piece, or the one on that place, from the plate. */
  clear(index) {
    if (!this.store.handsFree) return;
    const standing = this.store.pieceAt(index);
    if (!this.hand.carried && standing) this.hand.lift(standing);
    if (this.hand.carried) this.hand.remove();
  }
}

// Presses during a move wait until that move is done.
const SEEN_WITHIN_MS = 3000; // Time for a hand, four scans and a slow network.
const TWICE_MS = 400; // Maximum time between the two presses of a double click.

class Waiting {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.presses = []; // Waiting presses {mark, act}, the next one first.
    this.playing = false;
    this.starting = false; // True while a waiting press begins.
    // {mark, at, made} of the newest press: its place, its time, and the number of moves then.
    this.last = {};
    store.on(["layout", "review", "link"], () => this.keep([]));
    store.on(["layout"], () => { this.last = {}; }); // A double click belongs to one game.
    store.listen(() => this.look());
  }

  get busy() {
    const { guidance: { phase, faults }, plate: { stillness } } = this.store.snapshot;
    // The table reads the board and asks for nothing.
    const reads = phase === "paused" && stillness !== "tilted" && !faults.length;
    return this.playing || this.starting || Boolean(this.store.falling) || reads
      || phase === "settle" || phase === "setup";
  }

  /** Act now, or as soon as the table is ready. `mark` is the place or slot that is drawn as
   * waiting; a second press on it cancels. A double click is one press. */
  press(mark, act) {
    const { last } = this;
    // A slow page receives a press late, so its own time stamp counts.
    const at = window.event?.timeStamp ?? performance.now();
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
    this.starting = true; // Acting changes the store, which calls this method again.
    act();
    this.starting = false;
    this.keep(phase === "turn" ? others : []); // Otherwise people must correct something first.
  }

  /** Stay busy until the table has seen the result of `act`. Resolves to whether it was done. */
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

// Dropping a tile into a slot: the hand puts it where it lands, and the question about its side is
// answered.
const FALLEN_WITHIN_MS = 8000; // Time for a hand, a reading that settles, and a slow network.

class Drops {
  /** `put(piece, x, y)` puts a new piece on the plate and resolves to whether it did. */
  constructor(store, plate, { ask, complain, put }) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.put = put;
    this.over = null; // The slot under the pointer, open or not.
    this.aimed = null;
    store.listen((_, changed) => this.aim(changed.has("layout") ? null : this.over));
  }

  /** Return the slot at a point of the plate, or null. */
  at(x, y) { return this.plate.extra?.at?.(x, y) ?? null; }

  /** Return the only open slot from which a tile enters or else lands there; null if there is none
   * or several. */
  into(place) {
    const open = (this.store.game?.slots ?? []).filter((slot) => this.open(slot));
    const entering = open.filter((slot) => this.path(slot)[0] === place);
    const found = entering.length ? entering
      : open.filter((slot) => this.path(slot).at(-1) === place);
    return found.length === 1 ? found[0] : null;
  }

  open(slot) { return this.store.plays && !this.store.falling && this.plate.extra.open(slot); }

  path(slot) { return fall(slot, this.store.snapshot.game.position); }

  /** Show where a tile would fall from that slot; null: nothing is pointed at. */
  aim(slot) {
    this.over = slot;
    const meant = slot && this.open(slot) ? slot : null;
    if (meant === this.aimed) return;
    this.aimed = meant;
    this.plate.extra?.aim?.(meant);
    this.store.set("hint", meant && { path: this.path(meant), colour: meant.tint });
  }

  /** Make a whole move. If the table refuses, its guidance takes over. */
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

// Previews: what a move would do, while somebody points at its place by mouse, keys or a resting
// finger.
export class Previews {
  /** `fetchJson(path)` asks the table, which answers null if there is no such move. */
  constructor(store, plate, fetchJson) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.fetchJson = fetchJson;
    this.place = null; // The place that is pointed at.
    this.known = new Map(); // Move -> its preview in this position.
    this.asking = false;
    store.on(["game.moves", "layout", "review", "guidance.phase", "game.to_move"],
      () => this.forget());
  }

  forget() {
    this.known = new Map();
    this.store.set("preview", null);
    if (this.place) this.look();
  }

  /** Show the preview of a move to that place; null: nothing is pointed at. */
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
    // Two slots can lead to one place, so the player drags the tile.
    if (game.slots.length) return false;
    if (!(place in position)) return roles[place] === "legal";
    const ship = Object.keys(position).find((at) => position[at] === mover);
    return !game.players.includes(position[place])
      && Boolean(this.plate.extra?.tracks?.joined(ship, place));
  }

  /** Fetch one preview at a time; after a sweep over the board only the last place is asked for. */
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
