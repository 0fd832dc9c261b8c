// What can be broken on a simulated table, and mended again.

import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";

const NAMES = [
  "sensor-dead", "sensor-stuck", "sensor-drift", "sensor-noisy", "sensor-swapped", "weak-magnet",
  "i2c-nack", "i2c-stuck", "wrong-id", "chip-reset", "imu-axis-dead", "spi-silent",
  "lights-brownout", "button-bounce", "scan-stall", "disk-full", "node-unplugged",
];

export class FaultPanel {
  constructor(store, { ask, complain }) {
    this.broken = new Map();
    Object.assign(this, { ask, complain });
    this.name = h("select", { "aria-label": t("Fault") }, ...NAMES.map((name) => h("option", {}, name)));
    this.target = h("input", {
      "aria-label": t("Target"), placeholder: t("d4, if it needs one"), maxlength: 40,
      autocomplete: "off",
    });
    this.list = h("ul", { class: "broken" });
    const form = h("form", { class: "row breaking" },
      this.name, this.target, h("button", { type: "submit" }, t("Break it")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("break", this.name.value, this.target.value.split(/[\s,]+/).filter(Boolean));
    });
    this.hint = h("p", { class: "hint" });
    this.element = h("div", { class: "fault-panel" }, form, this.list, this.hint);
    store.listen((_, changed) => {
      if (!changed.has("layout")) return;
      form.hidden = !store.layout.hands;
      this.hint.textContent = store.layout.hands
        ? t("Something breaks on the simulated table. A place, axis or button is named beside it.")
        : t("On a real table things break by themselves.");
    });
  }

  async send(type, fault, targets) {
    try {
      await this.ask({ type, fault, targets });
    } catch (error) {
      this.complain(error.message);
      return;
    }
    const key = [fault, ...targets].join(" ");
    if (type === "mend") this.broken.delete(key);
    else if (fault !== "chip-reset") this.broken.set(key, [fault, targets]);
    this.list.replaceChildren(...[...this.broken].map(([words, [name, chosen]]) =>
      h("li", { class: "bad" }, h("span", {}, words),
        h("button", { type: "button", onclick: () => this.send("mend", name, chosen) }, t("Mend")))));
  }
}
