// The playground: no rules. Tilt, stack, knock and push what lies on the plate, and see what the table feels.
import { button, h, setText, t } from "/static/page.js";
import { SensorView } from "/static/sensors.js";
import { Supply } from "/static/supply.js";

const G = 9.81;
const AXES = [["x", () => t("east")], ["y", () => t("north")], ["z", () => t("up")]];

export class Playground {
  /** `onTurn()` after it has opened or closed, which changes what is to be watched. */
  constructor(store, depth, { send, onTurn }, side) {
    Object.assign(this, { store, depth, send, onTurn });
    this.door = button("play", t("Playground"), () => this.turn(!this.open), { class: "plain", "aria-pressed": false });
    this.supply = new Supply(store, depth, send);
    this.element = this.panel();
    side.prepend(this.element);
    store.listen((_, changed) => this.update(changed));
  }

  /** Whether the table is played with freely now. */
  get open() { return this.store.snapshot?.phase === "free"; }

  turn(on) {
    this.send({ type: "play-freely", on });
  }

  panel() {
    this.field = h("input", { type: "checkbox", checked: true, onchange: () => this.showField() });
    this.keeps = this.check(t("Keep it tilted"), (on) => this.depth.grips.keepTilted(on));
    this.views = h("div", { class: "free-views" },
      this.check(t("Push instead of lifting"), (on) => { this.depth.grips.pushes = on; }),
      this.check(t("With chopsticks"), (on) => { this.depth.grips.sticks = on; }),
      this.keeps,
      h("label", { class: "check" }, this.field, t("Show the field")));
    this.hint = h("p", { class: "hint" });
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
    return h("section", { class: "card playground", hidden: true, "aria-label": t("Playground") },
      h("header", {}, h("h2", {}, t("Playground")), button("close", t("Leave"), () => this.turn(false), { class: "leave" })),
      this.hint, this.supply.element, this.views,
      h("h3", {}, t("What the table has seen")), this.log, this.felt, new SensorView(this.store).map);
  }

  check(label, onChange) {
    const input = h("input", { type: "checkbox", onchange: () => onChange(input.checked) });
    return h("label", { class: "check" }, input, label);
  }

  update(changed) {
    const { snapshot, layout, mayAct } = this.store;
    this.door.hidden = !mayAct || !layout?.game;
    if (!snapshot || !layout) return;
    if (changed.has("phase") || changed.has("layout") || changed.has("snapshot")) this.show();
    if (!this.open) return;
    this.supply.fill();
    if (changed.has("happened")) this.tell(snapshot.happened);
    if (changed.has("sensors")) this.feel(snapshot.sensors?.motion);
  }

  show() {
    const { open } = this;
    if (this.wasOpen === open) return;
    this.wasOpen = open;
    document.documentElement.toggleAttribute("data-free", open);
    this.element.hidden = !open;
    this.door.setAttribute("aria-pressed", open);
    this.onTurn();
    this.showField();
    if (!open) {
      this.depth.grips?.levelled();
      this.keeps.firstChild.checked = false;
      return;
    }
    this.views.hidden = !this.depth.on;
    setText(this.hint, this.depth.on
      ? t("Drag a piece to carry it, the plate to tilt it, the table to look around. Arrow keys tilt too.")
      : t("Drag the pieces; this browser draws the plate flat."));
    this.tell(this.store.snapshot.happened);
  }

  showField() {
    if (!this.depth.space) return;
    this.depth.space.showsField = this.open && this.field.checked;
    this.depth.space.wake();
  }

  tell(happened) {
    const newest = [...happened].reverse();
    this.log.replaceChildren(...newest.map(({ number, say, happening }) => h("li", { "data-number": number, "data-happening": happening }, say)));
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
