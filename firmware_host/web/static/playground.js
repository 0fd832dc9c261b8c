// The playground has no rules: tilt, stack, knock and push pieces, and see what the table measures.
import { marble } from "/static/marble.js";
import { button, check, h, nameOf, setText, t } from "/static/page.js";
import { troop } from "/static/room-view.js";
import { pieceName } from "/static/room-words.js";
import { SensorView } from "/static/sensors.js";

const G = 9.81;
/** @type {Array<[string, () => string]>} */
const AXES = [["x", () => t("east")], ["y", () => t("north")], ["z", () => t("up")]];

export class Playground {
  /** `onTurn()` is called after the playground has opened or closed, because other data must be
   * watched then. */
  constructor(store, depth, { send, onTurn }, side) {
    /** @type {Store} */ this.store = store;
    this.depth = depth;
    /** @type {Send} */ this.send = send;
    this.onTurn = onTurn;
    this.door = button("play", t("Playground"), () => this.turn(!this.open),
      { class: "plain", "aria-pressed": false });
    this.supply = new Supply(store, depth, send);
    this.element = this.panel();
    side.prepend(this.element);
    store.listen((_, changed) => this.update(changed));
  }

  /** True while the table is played with freely. */
  get open() { return this.store.snapshot?.guidance.phase === "free"; }

  turn(on) {
    this.send({ type: "play-freely", on });
  }

  panel() {
    this.field = true; // True if magnetism is shown.
    this.views = h("div", { class: "free-views" },
      check(t("Push instead of lifting"), false, (on) => { this.depth.grips.pushes = on; }),
      check(t("With chopsticks"), false, (on) => { this.depth.grips.sticks = on; }),
      this.depth.tilting.choice(),
      check(t("Show magnetism"), this.field, (on) => { this.field = on; this.showField(); }));
    this.hint = h("p", { class: "hint" });
    this.log = h("ol", { class: "free-log", "aria-label": t("What the table has seen") });
    this.felt = h("div", { class: "free-motion" });
    this.bars = new Map();
    for (const [what, title, full] of [["force_m_s2", t("Force (m/s²)"), 2 * G],
      ["rate_rad_s", t("Turning (rad/s)"), 3]]) {
      const rows = AXES.map(([axis, name]) => {
        const bar = h("i", {});
        const value = h("output", {});
        this.bars.set(`${what}-${axis}`, { bar, value, full });
        return h("div", { class: "bar" }, h("span", {}, name()),
          h("div", { class: "of" }, bar), value);
      });
      this.felt.append(h("div", {}, h("h3", {}, title), ...rows));
    }
    return h("section", { class: "card playground", hidden: true, "aria-label": t("Playground") },
      h("header", {}, h("h2", {}, t("Playground")),
        button("close", t("Leave"), () => this.turn(false), { class: "leave" })),
      this.hint, this.supply.element, this.views,
      h("h3", {}, t("What the table has seen")), this.log, this.felt,
      new SensorView(this.store).map);
  }

  update(changed) {
    const { snapshot, layout, mayAct } = this.store;
    this.door.hidden = !mayAct || !layout?.game;
    if (changed.has("layout") || changed.has("snapshot")) this.show();
    if (!this.open) return;
    this.supply.fill();
    if (changed.has("learning.happened")) this.tell(snapshot.learning.happened);
    if (changed.has("plate.sensors")) this.feel(snapshot.plate.sensors?.motion);
  }

  show() {
    const { open } = this;
    if (this.wasOpen === open) return;
    this.wasOpen = open;
    document.documentElement.toggleAttribute("data-free", open);
    this.element.hidden = !open;
    this.door.setAttribute("aria-pressed", String(open));
    this.onTurn();
    this.showField();
    if (!open) return;
    this.views.hidden = !this.depth.on;
    setText(this.hint, this.depth.on
      ? t("Drag a piece to carry it, the plate to tilt it, the table to look around. Arrow keys "
        + "tilt too.")
      : t("Drag the pieces; this browser draws the plate flat."));
    this.tell(this.store.snapshot.learning.happened);
  }

  showField() {
    if (!this.depth.space) return;
    this.depth.space.showsField = this.open && this.field;
    this.depth.space.wake();
  }

  tell(happened) {
    const newest = [...happened].reverse();
    this.log.replaceChildren(...newest.map(({ number, say, happening }) =>
      h("li", { "data-number": number, "data-happening": happening }, say)));
  }

  feel(motion) {
    this.felt.hidden = !motion;
    if (!motion) return;
    for (const [what, values] of Object.entries(motion)) {
      AXES.forEach(([axis], at) => {
        const { bar, value, full } = this.bars.get(`${what}-${axis}`) ?? {};
        if (!bar) return;
        const share = Math.max(-1, Math.min(1, values[at] / full));
        bar.style.left = `${50 + Math.min(0, share) * 50}%`;
        bar.style.width = `${Math.abs(share) * 50}%`;
        setText(value, values[at].toFixed(2));
      });
    }
  }
}

// Pieces to take where hands move them freely: dragged over the plate, dropped, or stacked.
const DROP_MM = 60;
const APART_MM = 30;
const IN_LINE_MM = 10; // Maximum distance between pieces of one tower.

export class Supply {
  constructor(store, depth, send) {
    /** @type {Store} */ this.store = store;
    this.depth = depth;
    /** @type {Send} */ this.send = send;
    this.tray = h("div", { class: "free-tray" });
    this.title = h("h3", {});
    this.element = h("div", { class: "free-hands" }, this.title, this.tray,
      h("div", { class: "row" },
        button("above", t("Add to the tower"), () => this.stack()),
        button("hand", t("Bump the table"), () => this.send({ type: "bump" })),
        button("draw", t("Level"), () => depth.tilting.level())));
  }

  /** Fill the tray with the game's pieces; in a game of seats, with those that may be placed now.
   * */
  fill() {
    const { game, layout, snapshot } = this.store;
    const { glossary = {}, pieces = [] } = game ?? {};
    const seated = "kind:tank" in glossary;
    const { phase, turn, troops } = snapshot.seats?.public ?? {};
    const held = phase === "place" ? [...new Set(troops[snapshot.game.to_move])] : [];
    const asked = held.filter((piece) => turn.troop.includes(piece.split("-")[1]));
    const offered = seated ? (asked.length ? asked : held) : pieces;
    this.element.hidden = !layout.hands || !offered.length;
    setText(this.title, seated ? t("Drag it into the zone") : t("Drop one"));
    if (this.offered === offered.join()) return;
    this.offered = offered.join();
    this.tray.replaceChildren(...offered.map((piece) => {
      const one = h("button",
        { type: "button", "data-piece": piece, onclick: () => this.drop(piece) },
        seated ? troop(piece) : marble(piece, game),
        h("span", {}, seated ? pieceName(game, piece) : nameOf(piece)));
      one.addEventListener("pointerdown", (event) => this.depth.grips?.offer(event, piece));
      return one;
    }));
  }

  /** Drop a piece on the free place nearest to the centre. */
  drop(piece) {
    if (this.depth.grips?.justDragged || this.store.snapshot.seats) return;
    const { store } = this;
    const taken = store.pieces();
    const free = store.layout.places.map((_, index) => ({ index, ...store.centreOf(index) }))
      .filter(({ x, y }) => taken.every((other) => Math.hypot(other.x - x, other.y - y) > APART_MM))
      .sort((one, other) => Math.hypot(one.x, one.y) - Math.hypot(other.x, other.y))[0];
    if (free)
      this.send({ type: "drop", piece, place: store.layout.places[free.index], from_mm: DROP_MM });
  }

  /** Stack a piece on the highest one that leaves room for a hand, or begin a tower. */
  stack() {
    const pieces = this.store.pieces();
    const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
    const roomy = pieces.filter((one) =>
      pieces.every((other) => apart(one, other) < IN_LINE_MM || apart(one, other) > APART_MM));
    const [top] = roomy.sort((one, other) => other.z - one.z);
    if (top) this.send({ type: "stack", piece: top.piece, ...this.store.spot(top.x, top.y) });
    else this.drop(this.offered.split(",")[0]);
  }
}
