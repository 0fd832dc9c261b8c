// Hands that tilt the plate of a simulated table, and a display of its tilt.
import { check, h, language, paced, s, set, t } from "/static/page.js";

const STEEPEST_DEG = 30;
const ON_PAD_DEG = 12; // Tilt at the rim of the pad.
const TILT_EVERY_MS = 80;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The tilt by hands, from the pad, the plate in space or keys, in degrees about east and about
 * north. */
export class Tilting {
  constructor(store, send) {
    /** @type {Store} */ this.store = store;
    this.at = { x: 0, y: 0 };
    this.kept = false;
    this.send = paced(TILT_EVERY_MS,
      () => send({ type: "tilt", x_deg: this.at.x, y_deg: this.at.y }));
    store.on(["layout", "guidance.phase"], () => this.levelled());
  }

  set(x, y, steepest = STEEPEST_DEG) {
    const steep = Math.max(1, Math.hypot(x, y) / steepest);
    this.hold(x / steep, y / steep);
    this.send();
  }

  hold(x, y) {
    this.at = { x, y };
    this.store.tell("tilting");
  }

  level() { this.set(0, 0); }

  /** Level the plate after a hand has released it, unless people keep it tilted. */
  letGo() { if (!this.kept) this.level(); }

  /** Follow the table, which levels the plate for another game and at the end of the playground. */
  levelled() {
    const { snapshot, layout, gripped } = this.store;
    const playing = snapshot && layout
      && `${layout.game?.id} ${snapshot.guidance.phase === "free"}`;
    if (this.playing && playing !== this.playing && !gripped) {
      this.kept = false;
      this.hold(0, 0);
    }
    this.playing = playing;
  }

  /** Tilt by an arrow key of that many degrees; Home levels the plate. */
  key(event, degrees, steepest) {
    if (!this.store.handsFree) return;
    const [x, y] = STEPS[event.key] ?? [];
    if (event.key === "Home") this.level();
    else if (x !== undefined) this.set(this.at.x + x * degrees, this.at.y + y * degrees, steepest);
    else return;
    event.preventDefault();
  }

  /** Make the check box for a plate that stays tilted when it is released. */
  choice() {
    const box = check(t("Keep it tilted"), false, (on) => {
      this.kept = on;
      this.letGo();
    });
    this.store.on(["tilting"], () => { box.querySelector("input").checked = this.kept; });
    return box;
  }
}

export class TiltPad {
  constructor(store, send, tilting) {
    /** @type {Store} */ this.store = store;
    this.tilting = tilting;
    this.knob = s("circle", { r: 12, class: "knob" });
    this.bubble = s("circle", { r: 7, class: "bubble" });
    this.pad = s("svg", {
      class: "tilt-pad", viewBox: "-60 -60 120 120", tabindex: 0, role: "application",
      "aria-label": t("Tilt the plate with the arrow keys; Home levels it."),
      onkeydown: (event) => tilting.key(event, 1, ON_PAD_DEG),
      onpointerdown: (event) => this.take(event), onlostpointercapture: () => this.letGo(),
      onpointermove: (event) => this.pad.hasPointerCapture(event.pointerId) && this.point(event),
    },
    s("circle", { r: 56, class: "dish" }), s("circle", { r: 37, class: "degrees" }),
    s("circle", { r: 18, class: "degrees" }),
    s("path", { class: "degrees", d: "M-56 0H56M0-56V56" }),
    this.bubble, this.knob);
    this.asked = s("circle", { r: 10, class: "asked", visibility: "hidden" });
    this.bubble.before(this.asked);
    this.reading = h("output", { class: "reading" });
    const level = h("button", { type: "button", onclick: () => tilting.level() }, t("Level"));
    const bump = h("button", { type: "button", onclick: () => send({ type: "bump" }) },
      t("Bump the table"));
    this.spins = h("div", { class: "row" },
      ...[["↺", 1], ["↻", -1]].map(([sign, turns]) => h("button", {
        type: "button", onclick: () => send({ type: "spin-plate", turns }),
      }, t("Spin {sign}", { sign }))));
    this.hands = h("div", { class: "tilt-hands" },
      h("p", { class: "hint" }, t("Drag the knob towards the side that should dip.")),
      tilting.choice(), h("div", { class: "row" }, level, bump), this.spins);
    this.element = h("div", { class: "tilt-panel" }, this.pad,
      h("div", { class: "tilt-side" }, this.reading, this.hands));
    store.listen((_, changed) => this.update(changed));
  }

  update(changed) {
    const { snapshot, layout, handsFree } = this.store;
    this.hands.hidden = !layout.hands;
    this.spins.hidden = !layout.spins;
    this.pad.classList.toggle("fixed", !handsFree);
    const limit = (value) => Math.max(-52, Math.min(52, (value / ON_PAD_DEG) * 50));
    const put = (circle, [x, y]) => set(circle, { cx: limit(y), cy: limit(x) });
    put(this.knob, [this.tilting.at.x, this.tilting.at.y]);
    if (changed.has("guidance.lean_deg")) {
      this.asked.setAttribute("visibility", snapshot.guidance.lean_deg ? "visible" : "hidden");
      put(this.asked, snapshot.guidance.lean_deg ?? [0, 0]);
    }
    if (!changed.has("plate.tilt_deg") && !changed.has("plate.stillness")) return;
    const [x, y] = snapshot.plate.tilt_deg;
    put(this.bubble, [x, y]);
    const degrees = (value) => (Object.is(value, -0) ? 0 : value)
      .toLocaleString(language(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    this.reading.textContent = t("{x}° north–south, {y}° east–west",
      { x: degrees(x), y: degrees(y) });
  }

  take(event) {
    if (!this.store.handsFree) return;
    event.preventDefault();
    this.pad.setPointerCapture(event.pointerId);
    this.grip = { x: event.clientX, y: event.clientY, at: this.tilting.at,
      half: this.pad.getBoundingClientRect().width / 2 };
    this.store.set("gripped", true);
  }

  letGo() {
    this.store.set("gripped", false);
    this.tilting.letGo();
  }

  /** Move the knob as far as the pointer has moved since it took the knob, even if the pad has
   * moved. */
  point({ clientX, clientY }) {
    const { x, y, at, half } = this.grip;
    const per = (1.2 * ON_PAD_DEG) / half;
    this.tilting.set(at.x + (clientY - y) * per, at.y + (clientX - x) * per, ON_PAD_DEG);
  }
}
