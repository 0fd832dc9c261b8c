// The playground: no rules. Tilt, stack, knock and push what lies on the plate, and see what the table feels.

import { button, h, s, setText } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { marble } from "/static/marble.js";
import { Grips } from "/static/grips.js";
import { Poses } from "/static/poses.js";
import { SensorView } from "/static/sensors.js";
import { Space } from "/static/space.js";

const DROP_MM = 60;
const G = 9.81;
const AXES = [["x", () => t("east")], ["y", () => t("north")], ["z", () => t("up")]];

export class Playground {
  /** `onTurn()` after it has opened or closed, which changes what is to be watched. */
  constructor(store, { ask, complain, onTurn }, { table, side }) {
    Object.assign(this, { store, ask, complain, onTurn });
    this.poses = new Poses();
    this.canvas = h("canvas", { class: "space", tabindex: 0, "aria-label": t("The plate in three dimensions") });
    this.slides = s("svg", { class: "slides", "aria-hidden": "true" });
    this.room = h("div", { id: "space", hidden: true }, this.canvas, this.slides);
    table.insertBefore(this.room, table.querySelector("#trays"));
    try {
      this.space = new Space(store, this.poses, this.canvas);
      this.space.onDrawn = () => this.drawSlides();
      this.grips = new Grips(store, this.space, this.poses, { ask, complain });
    } catch {
      this.space = null; // the flat view shows it
      this.canvas.replaceWith();
    }
    this.door = button("play", t("Playground"), () => this.turn(!this.open), { class: "plain", "aria-pressed": false });
    this.element = this.panel();
    side.prepend(this.element);
    store.listen((_, changed) => this.update(changed));
  }

  /** Whether the table is played with freely now. */
  get open() {
    return this.store.snapshot?.phase === "free";
  }

  turn(on) {
    this.ask({ type: "play-freely", on }).catch((error) => this.complain(error.message));
  }

  panel() {
    const command = (message) => this.ask(message).catch((error) => this.complain(error.message));
    this.tray = h("div", { class: "free-tray" });
    this.hands = h("div", { class: "free-hands" }, h("h3", {}, t("Let one fall")), this.tray,
      h("div", { class: "row" },
        button("above", t("Stack one"), () => this.stack()),
        button("hand", t("Knock on the table"), () => command({ type: "bump" })),
        button("draw", t("Level"), () => this.grips?.level() ?? command({ type: "tilt", x_deg: 0, y_deg: 0 }))));
    this.views = h("div", { class: "free-views", hidden: !this.space },
      this.check(t("Push instead of lifting"), false, (on) => { this.grips.pushes = on; }),
      this.check(t("Keep it tilted"), false, (on) => this.grips.keepTilted(on)),
      this.check(t("Show the field"), true, (on) => {
        this.space.showsField = on;
        this.space.wake();
      }));
    this.again = button("again", t("The last fall again"), () => this.replay(), { disabled: true });
    this.slow = h("input", { type: "checkbox", checked: true });
    this.falls = h("div", { class: "row", hidden: !this.space }, this.again,
      h("label", { class: "check" }, this.slow, t("In slow motion")));
    this.log = h("ol", { class: "free-log", "aria-label": t("What the table has seen") });
    this.felt = h("div", { class: "free-motion" });
    this.bars = new Map();
    for (const [what, title, full] of [["force_m_s2", t("Force (m/s²)"), 2 * G], ["rate_rad_s", t("Turning (rad/s)"), 3]]) {
      const rows = AXES.map(([axis, name]) => {
        const bar = h("i", {});
        const value = h("output", {});
        this.bars.set(`${what}-${axis}`, { bar, value, full });
        return h("div", { class: "bar" }, h("span", {}, name()), h("div", { class: "of" }, bar), value);
      });
      this.felt.append(h("div", {}, h("h3", {}, title), ...rows));
    }
    const hint = this.space
      ? t("Drag a piece to carry it, the plate to tilt it, the table to look around. Arrow keys tilt too.")
      : t("Drag the pieces; this browser draws the plate flat.");
    return h("section", { class: "card playground", hidden: true, "aria-label": t("Playground") },
      h("header", {}, h("h2", {}, t("Playground")),
        button("close", t("Leave"), () => this.turn(false), { class: "leave" })),
      h("p", { class: "hint" }, hint), this.hands, this.views, this.falls,
      h("h3", {}, t("What the table has seen")), this.log, this.felt, new SensorView(this.store).map);
  }

  check(label, checked, onChange) {
    const input = h("input", { type: "checkbox", checked, onchange: () => onChange(input.checked) });
    return h("label", { class: "check" }, input, label);
  }

  update(changed) {
    const { snapshot, layout, mayAct } = this.store;
    this.door.hidden = !mayAct || !layout?.game;
    if (!snapshot || !layout) return;
    if (changed.has("phase") || changed.has("layout") || changed.has("snapshot")) this.show();
    if (!this.open) return;
    if (changed.has("layout") || !this.tray.children.length) this.fill();
    if (changed.has("happened")) this.tell(snapshot.happened);
    if (changed.has("sensors")) this.feel(snapshot.sensors?.motion);
    this.again.disabled = !this.poses.clip;
  }

  show() {
    const { open } = this;
    if (this.wasOpen === open) return;
    this.wasOpen = open;
    document.documentElement.toggleAttribute("data-free", open);
    document.documentElement.toggleAttribute("data-space", open && Boolean(this.space));
    this.element.hidden = !open;
    this.room.hidden = !open || !this.space;
    this.door.setAttribute("aria-pressed", open);
    this.onTurn();
    if (open) {
      this.tell(this.store.snapshot.happened);
      this.space?.wake();
    }
  }

  /** The kinds of pieces that the game's trays hold. */
  fill() {
    const { game, layout } = this.store;
    this.hands.hidden = !layout.hands;
    this.tray.replaceChildren(...(game?.pieces ?? []).map((piece) => {
      const one = h("button", { type: "button", "data-piece": piece, onclick: () => this.drop(piece) },
        marble(piece, game), h("span", {}, nameOf(piece)));
      this.grips?.offer(one, piece);
      return one;
    }));
  }

  /** On the free place nearest to the middle. */
  drop(piece) {
    if (this.grips?.justDragged) return;
    const { store } = this;
    const taken = store.pieces();
    const free = store.layout.places.map((_, index) => ({ index, ...store.centreOf(index) }))
      .filter(({ x, y }) => taken.every((other) => Math.hypot(other.x - x, other.y - y) > 30))
      .sort((one, other) => Math.hypot(one.x, one.y) - Math.hypot(other.x, other.y))[0];
    if (!free) return;
    this.ask({ type: "drop", piece, place: store.placeName(free.index), from_mm: DROP_MM }).catch((error) => this.complain(error.message));
  }

  /** One more on the highest that stands. */
  stack() {
    const [top] = this.store.pieces().sort((one, other) => other.z - one.z);
    if (!top) return;
    this.ask({ type: "stack", piece: top.piece, ...this.store.spot(top.x, top.y) }).catch((error) => this.complain(error.message));
  }

  replay() {
    const { clip } = this.poses;
    if (!clip || this.space.replay) return;
    this.space.replay = { clip, at: clip.start, speed: this.slow.checked ? 0.25 : 1 };
    this.room.toggleAttribute("data-replay", true);
    this.space.onReplayed = () => this.room.toggleAttribute("data-replay", false);
    this.space.wake();
  }

  tell(happened) {
    const newest = [...happened].reverse();
    this.log.replaceChildren(...newest.map(({ number, say, happening }) =>
      h("li", { "data-number": number, "data-happening": happening }, say)));
  }

  /** The ways of pieces that slid, as the sensors followed them, over the picture. */
  drawSlides() {
    const { left, top } = this.canvas.getBoundingClientRect();
    const tracks = this.space.replay ? [] : this.store.snapshot?.tracks ?? [];
    this.slides.replaceChildren(...tracks.map(({ path_mm: path, at_mm: now }) => s("polyline", {
      class: "slide",
      points: [...path, now].map(([x, y]) => {
        const at = this.space.screen(x, y);
        return `${(at.x - left).toFixed(1)},${(at.y - top).toFixed(1)}`;
      }).join(" "),
    })));
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
