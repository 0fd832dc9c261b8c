// What the page knows: the layout, the newest snapshot, and what this page itself is doing.

/** Count the pieces of a kind on places. */
export const countOf = (piece, cells) =>
  Object.values(cells).filter((each) => each === piece).length;

/** Return the changes in a group of the snapshot: "group.field" for each field, or only the name of
 * a group that can be null. */
function changes(name, before, now) {
  if (["layout", "seats", "match"].includes(name)) return [name];
  return Object.keys(now)
    .filter((field) => !before || JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map((field) => `${name}.${field}`);
}

const AGAIN_MS = 5000; // Delay between two requests to a table that does not answer.

export class Store {
  constructor() {
    /** @type {Wire.Layout | null} */ this.layout = null;
    /** @type {Wire.Snapshot | null} */ this.snapshot = null;
    this.link = "connecting"; // "connecting", "open" or "lost".
    this.watching = false; // True if this device is not paired and may only watch.
    /** @type {Review | null} */ this.review = null; // while an earlier position is looked at
    /** @type {string[]} */ this.mine = []; // players who play from this device, see seats.js
    // What the seat on the screen may see (room.js).
    /** @type {Wire.SeatView | null} */ this.seat = null;
    this.holding = null; // The piece in this page's hand (hand.js).
    this.hint = null; // {path, colour} of what somebody points at (say.js and press.js).
    this.moved = null; // Cells before and after the last move on the screen (moves.js).
    /** @type {import("/static/players.js").Players | null} */
    this.players = null; // Names and score (players.js).
    // The drawn part of the plate in mm: {west, south, east, north} (plate.js).
    /** @type {Frame | null} */ this.frame = null;
    this.preview = null; // What a move would do (press.js).
    this.falling = null; // The slot from which a tile is falling (press.js).
    this.working = false; // True while the table's own hand works (hand.js).
    this.gripped = false; // True while somebody holds the knob of the tilt (tilt.js).
    this.waiting = []; // Places and slots of presses that wait (press.js).
    this.listeners = [];
  }

  /** Call `listener(store, changed)` after each change; `changed` is a Set of names. Listeners that
   * are `early` are also called before the first snapshot.
   * @param {(store: Store, changed: Set<Change>) => void} listener */
  listen(listener, early = false) { this.listeners.push(Object.assign(listener, { early })); }

  /** Call `listener()` after a change of any of these names.
   * @param {Change[]} names */
  on(names, listener) {
    this.listen((_, changed) => names.some((name) => changed.has(name)) && listener());
  }

  /** @param {Change[]} changed */
  tell(...changed) {
    const names = new Set(changed);
    for (const listener of [...this.listeners]) if (listener.early || this.snapshot)
      listener(this, names);
  }

  /** Take a message of the server.
   * @param {Wire.Layout | Wire.SeatView | Wire.Snapshot} message */
  take(message) {
    if (message.type === "layout") {
      this.layout = message;
      this.review = null;
      this.tell("layout");
      return;
    }
    if (message.type === "seat") {
      this.set("seat", message);
      return;
    }
    const { type: _type, ...groups } = message;
    const before = this.snapshot;
    const known = "layout" in groups ? null : before; // Nothing is known yet of another game.
    this.snapshot = { ...before, ...groups };
    const changed = Object.keys(groups)
      .flatMap((name) => changes(name, known?.[name], groups[name]));
    // Listeners have not been called for these changes.
    if (!before) changed.push("layout", "link", "watching");
    this.tell("snapshot", ...changed);
  }

  set(name, value) {
    if (this[name] === value) return;
    this[name] = value;
    this.tell(name);
  }

  /** The game on the screen: the reviewed one, or the current one. */
  get game() { return this.review ? this.review.record.game : this.layout?.game ?? null; }

  /** Resolve with the first truthy result of `found()`, or with null after `patienceMs`. */
  until(found, patienceMs) {
    return new Promise((resolve) => {
      const end = (value) => {
        clearTimeout(timer);
        this.listeners = this.listeners.filter((listener) => listener !== look);
        resolve(value);
      };
      const look = () => {
        const value = found();
        if (value) end(value);
      };
      const timer = setTimeout(() => end(null), patienceMs);
      this.listen(look);
      look();
    });
  }

  /** Call `work()` until the table answers, and return its result; `missing()` is called after each
   * attempt without an answer. Throws the table's refusal. */
  async got(work, missing = () => {}) {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error.message) throw error;
      }
      missing();
      const { link } = this;
      await this.until(() => link !== "open" && this.link === "open", AGAIN_MS);
    }
  }

  /** True if this page may send requests to the table now. */
  get mayAct() { return this.link === "open" && !this.watching; }

  get handsFree() { return Boolean(this.layout?.hands) && this.mayAct && !this.review; }

  /** The player to move, if this device only has that seat and moves by naming the move; else null.
   * */
  get bySeat() {
    const { game: { to_move: mover }, guidance: { phase }, seats } = this.snapshot;
    return this.mine.includes(mover) && phase === "turn" && this.link === "open" && !seats
      && !this.review && !this.handsFree ? mover : null;
  }

  /** True if a press on the plate can play. */
  get plays() { return this.handsFree || Boolean(this.bySeat); }

  /** Return the index of a game's place, or of a plate's place outside the board. */
  indexOf(place) { return this.game?.board[place]?.index ?? this.layout.places.indexOf(place); }

  /** Return the game's name for a plate's place, or the plate's own name. */
  placeName(index) { return this.names().get(index) ?? this.layout.places[index]; }

  /** Return what people call a place of the game. */
  label(place) { return this.game?.labels[place] ?? place; }

  /** Replace the names of places in a sentence by what people call them. */
  said(sentence) {
    return Object.keys(this.game?.labels ?? {}).length
      ? sentence.replace(/-?\d+,-?\d+/g, (place) => this.label(place)) : sentence;
  }

  names() {
    if (this.namesFor !== this.game) {
      this.namesFor = this.game;
      const board = Object.entries(this.game?.board ?? {});
      this.namesKept = new Map(board.map(([name, place]) => [place.index, name]));
    }
    return this.namesKept;
  }

  centreOf(index) {
    const { columns, rows, pitch_mm: pitch } = this.layout;
    const column = index % columns;
    const row = Math.floor(index / columns);
    return { x: (column - (columns - 1) / 2) * pitch, y: (row - (rows - 1) / 2) * pitch };
  }

  /** Return the plate's place with the nearest centre, and its distance. */
  nearest(x, y) {
    const { columns, rows, pitch_mm: pitch } = this.layout;
    const clamp = (value, count) => Math.max(0, Math.min(count - 1, Math.round(value)));
    const column = clamp(x / pitch + (columns - 1) / 2, columns);
    const row = clamp(y / pitch + (rows - 1) / 2, rows);
    const index = row * columns + column;
    const centre = this.centreOf(index);
    return { index, away: Math.hypot(x - centre.x, y - centre.y), ...centre };
  }

  /** Return a point on the plate as the table takes it: a place, and the offset from its centre. */
  /** @returns {{ place: string, offset_mm: [number, number] }} */
  spot(x, y) {
    const near = this.nearest(x, y);
    return { place: this.placeName(near.index), offset_mm: [x - near.x, y - near.y] };
  }

  onPlate(x, y) {
    const { west, south, east, north } = this.frame;
    return x >= west && x <= east && y >= south && y <= north;
  }

  /** Cells and reserve on the screen: of a review, of the demo game, or of the current game. */
  get stand() {
    const { review, snapshot } = this;
    if (review) return review.record.positions[review.ply];
    const { game: { position, reserve }, learning: { attract } } = snapshot;
    if (!attract) return { cells: position, reserve };
    const left = ([piece, more]) =>
      [piece, more + countOf(piece, position) - countOf(piece, attract)];
    return { cells: attract, reserve: Object.fromEntries(Object.entries(reserve).map(left)) };
  }

  /** Return how many pieces of a kind are beside the plate; Infinity if the supply never ends. */
  inTray(piece) {
    const { snapshot, layout, review, game } = this;
    const { cells, reserve } = this.stand;
    const shown = review || snapshot.learning.attract ? cells : snapshot.plate.cells;
    const out = shown !== cells && layout.hands
      ? snapshot.plate.pieces.filter((each) => each.piece === piece).length : countOf(piece, shown);
    if (piece in reserve) return Math.max(0, reserve[piece] + countOf(piece, cells) - out);
    if (!game?.drawing || !game.players.includes(piece)) return Infinity;
    return Math.max(0, 1 - out); // Each player has one ship.
  }

  /** Return the pieces to draw: at their true positions if those are known, else where the sensors
   * see them.
   * @returns {Array<PieceDrawn>} */
  pieces() {
    const { snapshot, layout, review } = this;
    const plays = !review && snapshot.learning.attract; // The demo game.
    if (layout.hands && !review && !plays) {
      return snapshot.plate.pieces.map((p) => ({ id: String(p.id), number: p.id, piece: p.piece,
        x: p.x_mm, y: p.y_mm, z: p.z_mm }));
    }
    const cells = review ? review.record.positions[review.ply].cells
      : plays || snapshot.plate.cells;
    return Object.entries(cells).map(([place, piece]) => {
      const index = this.indexOf(place);
      const { x, y } = this.centreOf(index);
      const [east, north] = (!review && !plays && snapshot.plate.offsets[layout.places[index]])
        || [0, 0];
      return { id: `${place}-${piece}`, piece, z: 0, x: x + east, y: y + north };
    });
  }

  /** Return the piece on a plate's place, or undefined. */
  pieceAt(index) {
    return this.pieces()
      .find((p) => p.z < 15 && this.nearest(p.x, p.y).index === index
        && this.nearest(p.x, p.y).away < 15);
  }
}
