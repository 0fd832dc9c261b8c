// Calibration from the page: the game waits, and the sentence above and the lights lead.

import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";

export class Calibration {
  /** `sensors`: the view under which its buttons stand. */
  constructor({ ask, complain }, sensors) {
    const send = (message) => ask(message).catch((error) => complain(error.message));
    this.place = h("input", {
      type: "text", size: 4, maxlength: 3, autocapitalize: "none",
      "aria-label": t("Only this place"), title: t("Only this place, for example d4"),
    });
    const start = h("button", { type: "button", onclick: () => send(this.wanted()) }, t("Calibrate"));
    const stop = h("button", {
      type: "button", onclick: () => send({ type: "stop-calibration" }),
    }, t("Back to the game"));
    this.element = h("div", {}, sensors, h("div", { class: "asks" }, start, this.place, stop));
  }

  /** The whole table, or the place that was typed. */
  wanted() {
    const place = this.place.value.trim().toLowerCase();
    return place ? { type: "calibrate", again: place } : { type: "calibrate" };
  }
}
