// What can be broken on a simulated table, and mended again: what the table says it can be.
import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";

const NAMES = {
  "sensor-dead": () => t("A sensor feels nothing"),
  "sensor-stuck": () => t("A sensor is stuck"),
  "sensor-drift": () => t("A sensor drifts"),
  "sensor-noisy": () => t("A sensor is noisy"),
  "sensor-swapped": () => t("Two sensors are swapped"),
  "weak-magnet": () => t("A piece has a weak magnet"),
  "magnet-turned": () => t("A piece's magnet is the wrong way round"),
  "i2c-nack": () => t("No chip of a bus answers"),
  "i2c-stuck": () => t("A bus is stuck"),
  "wrong-id": () => t("Another chip than expected"),
  "chip-reset": () => t("A chip starts again"),
  "imu-axis-dead": () => t("An axis of the tilt sensor is dead"),
  "spi-silent": () => t("The converter is silent"),
  "lights-brownout": () => t("The lights lose their power"),
  "button-bounce": () => t("A button bounces"),
  "ground-shift": () => t("The lights shift the sensors' ground"),
  "supply-sag": () => t("The lights pull the supply down"),
  "lights-heat": () => t("The lights warm the sensors"),
  "lights-pulsed": () => t("The lights are switched in phase"),
  "rails-field": () => t("The lights' rails are felt"),
  "lights-gaps": () => t("The lights' line has gaps"),
  "lights-level": () => t("The lights misread their line"),
  "line-noise": () => t("The plate's cable is noisy"),
  "node-reenumerated": () => t("The plate's USB drops out"),
  "scan-pauses": () => t("The computer pauses now and then"),
  "scan-stall": () => t("The computer is too busy"),
  "disk-full": () => t("The disk is full"),
  "node-unplugged": () => t("The plate's cable is pulled"),
};

const nameOf = (fault) => NAMES[fault]?.() ?? fault;

export class FaultPanel {
  constructor(store, { ask, complain }) {
    Object.assign(this, { store, ask, complain });
    this.fault = h("select", { "aria-label": t("Fault"), onchange: () => this.chosen() });
    this.targets = h("span", { class: "targets row" });
    this.list = h("ul", { class: "broken", "aria-label": t("What is broken") });
    this.form = h("form", { class: "breaking" }, this.fault, this.targets, h("button", { type: "submit" }, t("Break it")));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const named = this.wanted();
      const unknown = named.find((each) => !this.known(each));
      if (unknown !== undefined) {
        this.complain(unknown ? t("There is no place {place}.", { place: unknown }) : t("Say where: the name of a place, such as {place}.", { place: store.layout.places[0] }));
      } else this.send("fault", this.fault.value, named);
    });
    this.hint = h("p", { class: "hint" });
    this.element = h("div", { class: "fault-panel" }, this.form, this.list, this.hint);
    store.listen((_, changed) => {
      if (changed.has("layout")) this.offer();
      if (changed.has("broken") || changed.has("link")) this.draw();
    });
  }

  /** What this table can have. */
  offer() {
    const { hands, breakable } = this.store.layout;
    this.form.hidden = !hands;
    this.hint.textContent = hands
      ? t("Something breaks on the simulated table, for every page. See what it says, and mend it.")
      : t("On a real table things break by themselves.");
    if (JSON.stringify(breakable) === this.offered) return;
    this.offered = JSON.stringify(breakable);
    this.fault.replaceChildren(...breakable.map(({ fault }) => h("option", { value: fault }, nameOf(fault))));
    this.chosen();
  }

  /** A field for each target that the fault takes. */
  chosen() {
    const kind = this.store.layout.breakable.find(({ fault }) => fault === this.fault.value);
    this.targets.replaceChildren(...Array.from({ length: kind?.count ?? 0 }, () => (kind.choices.length
      ? h("select", { "aria-label": t("Which") }, ...kind.choices.map((one) => h("option", {}, one)))
      : h("input", { type: "text", "aria-label": t("Place"), placeholder: t("place"), size: 5, maxlength: 12, autocomplete: "off", autocapitalize: "none", spellcheck: "false" }))));
  }

  wanted() {
    return [...this.targets.children].map(({ value }) => value.trim());
  }

  known(target) {
    const { breakable } = this.store.layout;
    return this.store.indexOf(target) >= 0 || breakable.some(({ choices }) => choices.includes(target));
  }

  draw() {
    const { broken = [] } = this.store.snapshot ?? {};
    const key = JSON.stringify([broken, this.store.link]);
    if (key === this.drawn) return;
    this.drawn = key;
    const idle = !this.store.handsFree;
    this.list.replaceChildren(...broken.map(({ fault, targets }) => h("li", { class: "bad" },
      h("span", {}, nameOf(fault), targets.length ? h("strong", {}, ` ${targets.join(", ")}`) : null),
      h("button", { type: "button", disabled: idle, onclick: () => this.send("heal", fault, targets) }, t("Mend")))));
  }

  async send(type, name, targets) {
    await this.ask({ type, name, targets }).catch((error) => this.complain(error.message));
  }
}
