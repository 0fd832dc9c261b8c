// Calibration from the page: the game waits, a card says each step, and the lights lead.

import { h, setText } from "/static/dom.js";
import { HealthMap } from "/static/health.js";
import { t } from "/static/i18n.js";

const STAGES = {
  empty: () => t("The empty plate"),
  places: () => t("Every place"),
  kinds: () => t("Kinds of pieces"),
  edges: () => t("The tilt sensor"),
};

const act = (label, onclick, extra = {}) => h("button", { type: "button", onclick, ...extra }, label);

/** In the place of the game's sentence: what to do now, how far it is, and the ways out. */
export class CalibrationCard {
  constructor(store, box, { ask, complain }) {
    this.store = store;
    this.box = box;
    this.send = (message) => ask(message).catch((error) => complain(error.message));
    this.stage = h("span", { class: "phase" });
    this.count = h("span", { class: "calibration-count" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.refused = h("p", { class: "refused", role: "alert" });
    this.bar = h("progress", { "aria-label": t("How much is done") });
    this.confirm = act("", () => this.send({ type: "confirm-calibration" }), { class: "primary" });
    this.before = act("", () => this.send({ type: "calibrate", again: this.last }));
    this.stop = act(t("Back to the game"), () => {
      this.stopped = true; // whoever left on purpose is not asked to go on
      this.send({ type: "stop-calibration" });
    });
    this.goOn = act(t("Go on calibrating"), () => this.send({ type: "calibrate" }), { class: "primary" });
    this.later = act(t("Later"), () => {
      this.waived = true;
      this.update();
    });
    this.card = h("section", { class: "calibration-card", "aria-label": t("Calibration") },
      h("div", { class: "calibration-head" }, this.stage, this.count),
      h("div", { class: "calibration-words" }, this.refused, this.line), this.bar,
      h("div", { class: "row" }, this.confirm, this.before, this.stop, this.goOn, this.later));
    this.card.hidden = true;
    box.append(this.card);
    store.listen((_, changed) => {
      if (["calibration", "layout", "link"].some((name) => changed.has(name))) this.update();
    });
  }

  update() {
    const info = this.store.snapshot?.calibration ?? null;
    const running = Boolean(info?.running);
    this.box.classList.toggle("calibrating", running);
    this.card.classList.toggle("running", running);
    if (!info) {
      this.card.hidden = true;
      this.place = this.last = undefined;
      this.waived = false;
      return;
    }
    if (running) this.waived = false;
    else if (this.stopped) this.waived = true;
    this.stopped = running && this.stopped;
    this.card.hidden = !running && this.waived;
    setText(this.stage, running ? STAGES[info.stage]?.() ?? t("Calibration") : t("Calibration"));
    setText(this.count, t("{done} of {total}", info));
    this.bar.max = info.total;
    this.bar.value = info.done;
    setText(this.refused, info.refused ?? "");
    setText(this.line, running ? info.say
      : t("A calibration was interrupted. What is done is kept."));
    this.remember(info);
    this.confirm.hidden = !running || !info.confirm;
    setText(this.confirm, info.confirm ?? "");
    this.before.hidden = !running || !this.last;
    setText(this.before, t("{place} again", { place: this.last ?? "" }));
    this.stop.hidden = !running;
    this.goOn.hidden = this.later.hidden = running;
  }

  /** The place that was done last, so that it can be done again. */
  remember({ place, stage, done }) {
    if (place !== this.place && done > (this.done ?? done) && stage === "places") this.last = this.place;
    if (stage !== "places") this.last = undefined;
    this.place = place;
    this.done = done;
  }
}

/** Below the sensor view: begin, go on or begin anew; and what the last calibration found. */
export class CalibrationPanel {
  constructor(store, { ask, complain }, sensors) {
    const send = (message) => ask(message).catch((error) => complain(error.message));
    const start = (more = {}) => () => send({ type: "calibrate", ...more });
    this.start = act("", start(), { class: "primary" });
    this.anew = act(t("Begin anew"), start({ fresh: true }));
    this.edges = act(t("The tilt sensor again"), start({ again: "edges" }));
    this.stop = act(t("Back to the game"), () => send({ type: "stop-calibration" }));
    this.health = new HealthMap(store, (place) => send({ type: "calibrate", again: place }));
    this.element = h("div", { class: "calibration-panel" }, sensors,
      h("h3", {}, t("Calibration")), this.health.element,
      h("div", { class: "asks" }, this.start, this.anew, this.edges, this.stop));
    store.listen((_, changed) => {
      if (changed.has("calibration") || changed.has("layout")) this.update(store.snapshot?.calibration);
    });
    this.update(null);
  }

  update(info) {
    const running = Boolean(info?.running);
    const left = Boolean(info) && !running;
    setText(this.start, left ? t("Go on calibrating ({done} of {total})", info) : t("Calibrate the table"));
    this.start.hidden = running;
    this.anew.hidden = !left;
    this.edges.hidden = running || left || !this.health.mounted;
    this.stop.hidden = !running;
    this.health.idle = !running;
    if (this.running && !running) this.look();
    this.running = running;
  }

  /** Fetch the account: when the panel comes into view, and when a calibration has ended. */
  async look() {
    await this.health.look();
    this.edges.hidden = this.running || !this.anew.hidden || !this.health.mounted;
  }
}
