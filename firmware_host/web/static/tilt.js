// Hands that tilt the plate of a simulated table, and how it leans.
import { h, language, s, t } from "/static/page.js";

const STEEPEST_DEG = 12;
const TILT_EVERY_MS = 80;

export class TiltPad {
  constructor(store, send) {
    Object.assign(this, { store, tell: send });
    this.at = { x: 0, y: 0 };
    this.sentAt = 0;
    this.knob = s("circle", { r: 12, class: "knob" });
    this.bubble = s("circle", { r: 7, class: "bubble" });
    this.pad = s("svg", {
      class: "tilt-pad", viewBox: "-60 -60 120 120", tabindex: 0, role: "application",
      "aria-label": t("Tilt the plate with the arrow keys; Home levels it."),
    },
    s("circle", { r: 56, class: "dish" }), s("circle", { r: 37, class: "degrees" }),
    s("circle", { r: 18, class: "degrees" }), s("path", { class: "degrees", d: "M-56 0H56M0-56V56" }),
    this.bubble, this.knob);
    this.asked = s("circle", { r: 10, class: "asked", visibility: "hidden" });
    this.bubble.before(this.asked);
    this.keep = h("input", { type: "checkbox" });
    this.reading = h("output", { class: "reading" });
    this.level = h("button", { type: "button", onclick: () => this.set(0, 0) }, t("Level"));
    const bump = h("button", { type: "button", onclick: () => send({ type: "bump" }) }, t("Knock on the table"));
    this.spins = h("div", { class: "row" }, ...[["↺", 1], ["↻", -1]].map(([sign, turns]) => h("button", {
      type: "button", onclick: () => send({ type: "spin-plate", turns }),
    }, t("Spin {sign}", { sign }))));
    this.hands = h("div", { class: "tilt-hands" },
      h("p", { class: "hint" }, t("Push the knob to where the plate should go down.")),
      h("label", { class: "check" }, this.keep, t("Keep it tilted")),
      h("div", { class: "row" }, this.level, bump), this.spins);
    this.element = h("div", { class: "tilt-panel" }, this.pad, h("div", { class: "tilt-side" }, this.reading, this.hands));
    this.listenToPointer();
    this.pad.addEventListener("keydown", (event) => this.key(event));
    store.listen((_, changed) => this.update(changed));
  }

  update(changed) {
    const { snapshot, layout, handsFree } = this.store;
    if (!snapshot || !layout) return;
    this.hands.hidden = !layout.hands;
    this.spins.hidden = !layout.spins;
    this.pad.classList.toggle("fixed", !handsFree);
    const limit = (value) => Math.max(-52, Math.min(52, (value / STEEPEST_DEG) * 50));
    const put = (circle, [x, y]) => {
      circle.setAttribute("cx", limit(y));
      circle.setAttribute("cy", limit(x));
    };
    if (changed.has("layout") || changed.has("phase")) this.letGo();
    if (changed.has("lean_deg")) {
      this.asked.setAttribute("visibility", snapshot.lean_deg ? "visible" : "hidden");
      put(this.asked, snapshot.lean_deg ?? [0, 0]);
    }
    if (!changed.has("tilt_deg") && !changed.has("stillness")) return;
    const [x, y] = snapshot.tilt_deg;
    put(this.bubble, [x, y]);
    const degrees = (value) => (Object.is(value, -0) ? 0 : value)
      .toLocaleString(language(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    this.reading.textContent = t("{x}° about east, {y}° about north", { x: degrees(x), y: degrees(y) });
  }

  listenToPointer() {
    const { pad } = this;
    pad.addEventListener("pointerdown", (event) => {
      if (!this.store.handsFree) return;
      event.preventDefault();
      pad.setPointerCapture(event.pointerId);
      this.pointer = event.pointerId;
      const { at } = this;
      this.grip = { x: event.clientX, y: event.clientY, at, half: pad.getBoundingClientRect().width / 2 };
      this.store.set("gripped", true);
    });
    pad.addEventListener("pointermove", (event) => { if (this.pointer === event.pointerId) this.point(event); });
    const end = (event) => {
      if (this.pointer !== event.pointerId) return;
      this.pointer = null;
      this.store.set("gripped", false);
      if (!this.keep.checked) this.set(0, 0);
    };
    pad.addEventListener("pointerup", end);
    pad.addEventListener("pointercancel", end);
  }

  /** As far from where the knob was as the pointer is from where it took it, wherever the pad is by now. */
  point({ clientX, clientY }) {
    const { x, y, at, half } = this.grip;
    const per = (1.2 * STEEPEST_DEG) / half;
    this.set(at.x + (clientY - y) * per, at.y + (clientX - x) * per);
  }

  /** Another game levels the plate, and so does leaving the playground: the knob is where the plate is. */
  letGo() {
    const { phase } = this.store.snapshot;
    const playing = `${this.store.layout.game?.id} ${phase === "free"}`;
    if (playing === this.playing) return;
    if (this.playing && this.pointer == null) this.hold(0, 0);
    this.playing = playing;
  }

  /** Show the knob there. */
  hold(x, y) {
    this.at = { x, y };
    this.knob.setAttribute("cx", (y / STEEPEST_DEG) * 50);
    this.knob.setAttribute("cy", (x / STEEPEST_DEG) * 50);
  }

  key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const { key } = event;
    if (!this.store.handsFree) return;
    if (key === "Home") this.set(0, 0);
    else if (steps[key]) this.set(this.at.x + steps[key][0], this.at.y + steps[key][1]);
    else return;
    event.preventDefault();
  }

  /** Degrees about east and about north. Sent at a steady pace, the last one always. */
  set(x, y) {
    const limit = (value) => Math.max(-STEEPEST_DEG, Math.min(STEEPEST_DEG, value));
    this.hold(limit(x), limit(y));
    if (this.timer) return;
    const wait = Math.max(0, this.sentAt + TILT_EVERY_MS - performance.now());
    this.timer = setTimeout(() => this.send(), wait);
  }

  send() {
    this.timer = null;
    this.sentAt = performance.now();
    this.tell({ type: "tilt", x_deg: this.at.x, y_deg: this.at.y });
  }
}
