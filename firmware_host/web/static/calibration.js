// The calibration (sweep) from the page: a card shows each step while the game waits and the lights
// lead.
import { act, h, isNew, setText, t } from "/static/page.js";
import { HealthMap } from "/static/sensors.js";

const STAGES = {
  lights: () => t("The lights"),
  buttons: () => t("Buttons and buzzer"),
  empty: () => t("The empty plate"),
  places: () => t("Every place"),
  edges: () => t("The tilt sensor"),
};

/** Card in place of the game's sentence: what to do now, the progress, and the ways out. */
export class CalibrationCard {
  constructor(store, box, send) {
    /** @type {Store} */ this.store = store;
    this.box = box;
    /** @type {Send} */ this.send = send;
    this.stage = h("span", { class: "phase" });
    this.count = h("span", { class: "calibration-count" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.refused = h("p", { class: "refused", role: "alert" });
    this.bar = h("progress", { "aria-label": t("How much is done") });
    this.choices = h("span", { class: "calibration-choices" });
    this.before = act("", () => this.send({ type: "calibrate", again: this.last }));
    this.stop = act(t("Back to the game"), () => {
      this.stopped = true; // After leaving on purpose, nobody is asked to continue.
      this.send({ type: "stop-calibration" });
    });
    this.goOn = act(t("Go on with the sweep"), () => this.send({ type: "calibrate" }),
      { class: "primary" });
    this.later = act(t("Later"), () => {
      this.waived = true;
      this.update();
    });
    this.card = h("section", { class: "calibration-card", "aria-label": t("Sweep") },
      h("div", { class: "calibration-head" }, this.stage, this.count),
      h("div", { class: "calibration-words" }, this.refused, this.line), this.bar,
      h("div", { class: "row" }, this.choices, this.before, this.stop, this.goOn, this.later));
    this.card.hidden = true;
    box.append(this.card);
    store.on(["plate.calibration", "layout", "link", "watching"], () => this.update());
  }

  update() {
    const info = this.store.snapshot?.plate.calibration ?? null;
    const running = Boolean(info?.running);
    this.box.classList.toggle("calibrating", running);
    this.card.classList.toggle("running", running);
    this.waived = Boolean(info) && !running && (this.waived || this.stopped);
    this.stopped = running && this.stopped;
    // Devices that may only watch get no question.
    this.card.hidden = !info || this.waived || !(running || this.store.mayAct);
    if (!info) {
      this.place = this.last = undefined;
      return;
    }
    setText(this.stage, running ? STAGES[info.stage]?.() ?? t("Sweep") : t("Sweep"));
    setText(this.count, t("{done} of {total}", info));
    this.bar.max = info.total;
    this.bar.value = info.done;
    setText(this.refused, info.refused ?? "");
    setText(this.line, running ? info.say : t("A sweep was interrupted: its results are kept."));
    this.remember(info);
    this.offer(running ? info.choices : []);
    this.before.hidden = !running || !this.last;
    setText(this.before, t("{place} again", { place: this.last ?? "" }));
    this.stop.hidden = !running;
    this.goOn.hidden = this.later.hidden = running;
  }

  /** Show the answers that are possible now. */
  offer(choices) {
    if (!isNew(this, "shown", choices)) return;
    const answer = (value) => this.send({ type: "answer-sweep", value });
    this.choices.replaceChildren(...choices.map(({ value, label }, i) =>
      act(label, () => answer(value), i ? {} : { class: "primary" })));
  }

  /** Remember the last finished place, so that people can repeat it. */
  remember({ place, stage, done }) {
    if (place !== this.place && done > (this.done ?? done) && stage === "places")
      this.last = this.place;
    if (stage !== "places") this.last = undefined;
    this.place = place;
    this.done = done;
  }
}

/** Panel under the sensor view: starts, continues or restarts a sweep, and shows what the last one
 * found. */
export class CalibrationPanel {
  constructor(store, send, sensors) {
    const start = (more = {}) => () => send({ type: "calibrate", ...more });
    this.start = act("", start(), { class: "primary" });
    this.anew = act(t("Start over"), start({ fresh: true }));
    this.parts = ["lights", "buttons", "edges", "places"]
      .map((again) => act(t("{part} again", { part: STAGES[again]() }), start({ again })));
    this.stop = act(t("Back to the game"), () => send({ type: "stop-calibration" }));
    this.health = new HealthMap(store, (place) => send({ type: "calibrate", again: place }));
    this.element = h("div", { class: "calibration-panel" }, sensors, h("h2", {}, t("Sweep")),
      this.health.element,
      h("div", { class: "row" }, this.start, this.anew, ...this.parts, this.stop));
    store.on(["plate.calibration", "layout"], () => this.update(store.snapshot?.plate.calibration));
    this.update(null);
  }

  update(info) {
    const running = Boolean(info?.running);
    const left = Boolean(info) && !running;
    setText(this.start, left ? t("Go on with the sweep ({done} of {total})", info)
      : t("Set the table up"));
    this.start.hidden = running;
    this.anew.hidden = !left;
    for (const part of this.parts) part.hidden = running || left;
    this.stop.hidden = !running;
    this.health.idle = !running;
    if (this.running && !running) this.health.look();
    this.running = running;
  }
}
