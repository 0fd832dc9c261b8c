// What the page knows: the layout, the newest snapshot, and what this page itself is doing.

/** How many pieces of a kind stand on places. */
export const countOf = (piece, cells) =>
  Object.values(cells).filter((each) => each === piece).length;

/** What has changed in a group of the snapshot: "group.field" for each field, and the name of a
 * group that may be null. */
function changes(name, before, now) {
  if (["layout", "seats", "match"].includes(name)) return [name];
  return Object.keys(now)
    .filter((field) => !before || JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map((field) => `${name}.${field}`);
}

const AGAIN_MS = 5000; // between two questions to a table that does not answer

export class Store {
  constructor() {
    /** @type {Wire.Layout | null} */ this.layout = null;
    /** @type {Wire.Snapshot | null} */ this.snapshot = null;
    this.link = "connecting"; // connecting, open, lost
    this.watching = false; // this device is not paired: it may look on only
    /** @type {Review | null} */ this.review = null; // while an earlier position is looked at
    /** @type {string[]} */ this.mine = []; // players who play from this device, see seats.js
    // what the seat that is looked at may see, see room.js
    /** @type {Wire.SeatView | null} */ this.seat = null;
    this.holding = null; // what this page has in its hand, see hand.js
    this.hint = null; // {path, colour} of what somebody points at, see say.js and press.js
    this.moved = null; // the last move that is shown: cells before and after, see moves.js
    /** @type {import("/static/players.js").Players | null} */
    this.players = null; // names and score, see players.js
    // what of the plate is drawn, in mm: {west, south, east, north}, see plate.js
    /** @type {Frame | null} */ this.frame = null;
    this.preview = null; // what a move would do, see press.js
    this.falling = null; // the slot from which a tile falls just now, see press.js
    this.working = false; // whether the table's own hand was asked to work, see hand.js
    this.gripped = false; // whether the knob of the tilt is held, see tilt.js
    this.waiting = []; // places and slots of presses that wait, see press.js
    this.listeners = [];
  }

  /** Call `listener(store, changed)` after each change; `changed` is a Set of names. Nothing is
   * told before layout and snapshot are there, but to a listener that is `early`.
   * @param {(store: Store, changed: Set<Change>) => void} listener */
  listen(listener, early = false) { this.listeners.push(Object.assign(listener, { early })); }

  /** Call `listener()` after a change of any of these.
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

  /** A message of the server.
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
    const known = "layout" in groups ? null : before; // of another game nothing is known yet
    this.snapshot = { ...before, ...groups };
    const changed = Object.keys(groups)
      .flatMap((name) => changes(name, known?.[name], groups[name]));
    if (!before) changed.push("layout", "link", "watching"); // of which nobody has heard
    this.tell("snapshot", ...changed);
  }

  set(name, value) {
    if (this[name] === value) return;
    this[name] = value;
    this.tell(name);
  }

  /** The game on the plate: the one being looked at, or the one being played. */
  get game() { return this.review ? this.review.record.game : this.layout?.game ?? null; }

  /** Resolves with the first thing that `found()` finds; with null after `patienceMs`. */
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

  /** What `work()` gives, which is asked for until the table answers; `missing()` is called each
   * time that it does not. Throws what the table refuses. */
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

  /** Whether the table can be told something from here now. */
  get mayAct() { return this.link === "open" && !this.watching; }

  get handsFree() { return Boolean(this.layout?.hands) && this.mayAct && !this.review; }

  /** The player to move, where this device is a seat's and moves by naming the move. */
  get bySeat() {
    const { game: { to_move: mover }, guidance: { phase }, seats } = this.snapshot;
    return this.mine.includes(mover) && phase === "turn" && this.link === "open" && !seats
      && !this.review && !this.handsFree ? mover : null;
  }

  /** Whether a press on the plate may play. */
  get plays() { return this.handsFree || Boolean(this.bySeat); }

  /** Index of the plate place under a game's place (or a plate place outside its board). */
  indexOf(place) { return this.game?.board[place]?.index ?? this.layout.places.indexOf(place); }

  /** What a plate place is called: the game's name for it, or the plate's. */
  placeName(index) { return this.names().get(index) ?? this.layout.places[index]; }

  /** What people call a place of the game. */
  label(place) { return this.game?.labels[place] ?? place; }

  /** A sentence of the table, or of this page, with its places as people call them. */
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

  /** The plate place whose centre is nearest, and how far away it is. */
  nearest(x, y) {
    const { columns, rows, pitch_mm: pitch } = this.layout;
    const clamp = (value, count) => Math.max(0, Math.min(count - 1, Math.round(value)));
    const column = clamp(x / pitch + (columns - 1) / 2, columns);
    const row = clamp(y / pitch + (rows - 1) / 2, rows);
    const index = row * columns + column;
    const centre = this.centreOf(index);
    return { index, away: Math.hypot(x - centre.x, y - centre.y), ...centre };
  }

  /** A point on the plate as the table is told it: a place, and how far off its middle. */
  /** @returns {{ place: string, offset_mm: [number, number] }} */
  spot(x, y) {
    const near = this.nearest(x, y);
    return { place: this.placeName(near.index), offset_mm: [x - near.x, y - near.y] };
  }

  onPlate(x, y) {
    const { west, south, east, north } = this.frame;
    return x >= west && x <= east && y >= south && y <= north;
  }

  /** Cells and reserve of what is shown: the position looked at, the one of a game that plays
   * itself, or the game's. */
  get stand() {
    const { review, snapshot } = this;
    if (review) return review.record.positions[review.ply];
    const { game: { position, reserve }, learning: { attract } } = snapshot;
    if (!attract) return { cells: position, reserve };
    const left = ([piece, more]) =>
      [piece, more + countOf(piece, position) - countOf(piece, attract)];
    return { cells: attract, reserve: Object.fromEntries(Object.entries(reserve).map(left)) };
  }

  /** How many pieces of a kind lie beside the plate; Infinity where the box never runs out. */
  inTray(piece) {
    const { snapshot, layout, review, game } = this;
    const { cells, reserve } = this.stand;
    const shown = review || snapshot.learning.attract ? cells : snapshot.plate.cells;
    const out = shown !== cells && layout.hands
      ? snapshot.plate.pieces.filter((each) => each.piece === piece).length : countOf(piece, shown);
    if (piece in reserve) return Math.max(0, reserve[piece] + countOf(piece, cells) - out);
    if (!game?.drawing || !game.players.includes(piece)) return Infinity;
    return Math.max(0, 1 - out); // one ship each
  }

  /** Pieces to draw: as they lie where that is known, else as the sensors see them.
   * @returns {Array<PieceDrawn>} */
  pieces() {
    const { snapshot, layout, review } = this;
    const plays = !review && snapshot.learning.attract; // a game that plays itself
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

  /** The piece standing at a plate place, if any. */
  pieceAt(index) {
    return this.pieces()
      .find((p) => p.z < 15 && this.nearest(p.x, p.y).index === index
        && this.nearest(p.x, p.y).away < 15);
  }
}
