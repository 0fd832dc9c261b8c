// The drawer "The table" and its panels.
import { act, button, closed, disable, h, icon, isNew, opened, remember, remembered, stepped,
  t } from "/static/page.js";

export class Tabs {
  /** `panels` are [name, label, element]; `onChoose(name)` is called after a person has chosen one;
   * `extra` is the class of the element. */
  constructor(panels, first, onChoose, extra = "card") {
    this.onChoose = onChoose;
    this.list = h("div", { role: "tablist", class: "tabs" });
    this.panels = new Map();
    for (const [name, label, content] of panels) {
      const tab = h("button",
        { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`,
          onclick: () => this.choose(name) }, label);
      const panel = h("div",
        { role: "tabpanel", tabindex: 0, id: `panel-${name}`, "aria-labelledby": `tab-${name}`,
          class: "panel" }, content);
      this.list.append(tab);
      this.panels.set(name, { tab, panel });
    }
    this.list.addEventListener("keydown",
      (event) => /Left|Right/.test(event.key)
        && stepped(event, [...this.list.children], this.panels.get(this.chosen).tab).click());
    this.element = h("div", { class: `tabbed ${extra}` }, this.list,
      ...[...this.panels.values()].map(({ panel }) => panel));
    this.show(this.panels.has(first) ? first : panels[0][0]);
  }

  show(chosen) {
    this.chosen = chosen;
    for (const [name, { tab, panel }] of this.panels) {
      tab.setAttribute("aria-selected", name === chosen);
      tab.tabIndex = name === chosen ? 0 : -1;
      panel.hidden = name !== chosen;
    }
  }

  choose(name) {
    this.show(name);
    this.onChoose(name);
  }
}

// The drawer "The table" holds what concerns the table rather than the game.
export class Drawer {
  /** `tools` are buttons under the title; `onTurn(open)` is called after the drawer has opened or
   * closed. */
  constructor(tools, contents, onTurn) {
    this.onTurn = onTurn;
    this.element = h("section",
      { class: "card drawer", id: "drawer", "aria-label": t("The table"), hidden: true },
      h("header", {}, h("h2", {}, t("The table")),
        button("close", t("Close"), () => this.close(), { class: "plain quiet" })),
      h("div", { class: "tools" }, ...tools), ...contents);
    this.handle = button("table", t("The table"), () => this.turn(this.element.hidden),
      { class: "plain", "aria-expanded": false, "aria-controls": "drawer" });
    // On a phone a reopened drawer would cover the trays.
    if (remembered("drawer", "shut") === "open" && matchMedia("(min-width: 821px)").matches)
      this.show(true);
    this.element.addEventListener("keydown",
      (event) => { if (event.key === "Escape") this.close(); });
  }

  get open() { return !this.element.hidden; }

  show(open) {
    this.element.hidden = !open;
    this.handle.setAttribute("aria-expanded", open);
    document.documentElement.toggleAttribute("data-drawer", open);
  }

  close() { this.turn(false); }

  turn(open) {
    if (open === this.open) return;
    this.show(open);
    (open ? opened : closed)(this);
    remember("drawer", open ? "open" : "shut");
    (open ? this.element.querySelector("button") : this.handle).focus({ preventScroll: true });
    if (open) this.element.scrollIntoView({ block: "nearest" });
    this.onTurn(open);
  }
}

// The panel's two buttons, and the switch for the table's own hand.
const LONG_PRESS_S = 2;
const SHORT_PRESS_S = 0.15;

/** Make a push-button: a click is a short press, and a ring fills until a held press is long. */
function pushButton(name, label, send) {
  let since = null;
  const element = h("button",
    { type: "button", class: `push ${name}`, "--long": `${LONG_PRESS_S}s` },
    h("span", { class: "cap" }), h("span", { class: "label" }, label));
  const press = (held) => send({ type: "press", button: name, held_s: held });
  const end = (counts) => {
    if (since === null) return;
    const held = Math.min(10, (performance.now() - since) / 1000);
    since = null;
    element.classList.remove("down");
    if (counts) press(held < 0.5 ? SHORT_PRESS_S : held);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || element.disabled) return;
    element.setPointerCapture(event.pointerId);
    since = performance.now();
    element.classList.add("down");
  });
  element.addEventListener("pointerup", () => end(true));
  element.addEventListener("pointercancel", () => end(false));
  element.addEventListener("click", (event) => {
    // A click without a pointer comes from the keyboard.
    if (event.detail === 0) press(SHORT_PRESS_S);
  });
  return element;
}

export class Buttons {
  constructor(store, { send, ownHand }) {
    /** @type {Store} */ this.store = store;
    this.ownHand = ownHand;
    this.pushes = h("div", { class: "pushes" }, pushButton("confirm", t("Confirm"), send),
      pushButton("back", t("Back"), send));
    this.byItself = h("input", { type: "checkbox", onchange: () => ownHand.toggle() });
    this.element = h("div", { class: "controls" }, this.pushes,
      h("label", { class: "own-hand" }, this.byItself, icon("hand"),
        h("span", { class: "label" }, t("The table does the rest"))));
    store.listen(() => this.update());
  }

  update() {
    const { layout, watching } = this.store;
    this.element.hidden = watching || !layout.hands;
    const why = idleBecause(this.store);
    for (const push of this.pushes.querySelectorAll("button")) disable(push, why);
    this.byItself.checked = this.ownHand.on;
  }
}

// The meaning of the lights, as the table describes it.
const STEP_S = 0.25; // Duration of one level of a light pattern.

/** Animate the lamp as the light on the plate: its levels in turn, or a smooth swing. */
function goLike(lamp, levels, breath) {
  if (levels.length < 2 || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    lamp.style.opacity = levels[0];
    return;
  }
  const frames = breath
    ? [levels[0], levels[1], levels[0]].map((opacity) => ({ opacity, easing: "ease-in-out" }))
    : [...levels, levels[0]].map((opacity) => ({ opacity, easing: "step-end" }));
  const duration = 1000 * (breath ?? levels.length * STEP_S);
  lamp.animate(frames, { duration, iterations: Infinity });
}

export class Legend {
  constructor(store, fetchJson) {
    this.element = h("ul", { class: "legend" });
    store.got(() => fetchJson("/api/v1/legend")).then((entries) => this.draw(entries), () => {});
  }

  draw(entries) {
    this.element.replaceChildren(...entries.map(({ meaning, rhythm, colour, levels,
      breath_s: breath }) => {
      const lamp = h("span", { class: colour ? "lamp" : "lamp of-the-piece", "--c": colour });
      goLike(lamp, levels, breath);
      return h("li", {}, h("span", { class: "socket" }, lamp),
        h("span", {}, h("strong", {}, meaning), h("span", { class: "hint" }, rhythm)));
    }));
  }
}

/** Return why this page's hands can do nothing now, or "" if they can.
 * @param {Store} store */
const idleBecause = (store) =>
  (store.handsFree ? "" : store.review ? t("Go back to the game first.")
    : t("The table does not answer."));

// Faults that people can cause on a simulated table and repair again, as the table lists them.
export class FaultPanel {
  constructor(store, send) {
    /** @type {Store} */ this.store = store;
    /** @type {Send} */ this.send = send;
    this.fault = h("select", { "aria-label": t("Fault"), onchange: () => this.chosen() });
    this.targets = h("span", { class: "targets row" });
    this.list = h("ul", { class: "broken", "aria-label": t("What is broken") });
    this.form = h("form",
      { class: "breaking",
        onsubmit: () =>
          send({ type: "fault", name: this.fault.value,
            targets: [...this.targets.querySelectorAll("select")].map(({ value }) => value) }) },
      this.fault,
      this.targets, h("button", { type: "submit" }, t("Break it")));
    this.hint = h("p", { class: "hint" });
    this.element = h("div", { class: "fault-panel" }, this.form, this.list, this.hint);
    store.on(["layout"], () => this.offer());
    store.on(["plate.broken", "link", "review", "plate.sensors"], () => this.draw());
  }

  /** Offer the faults that are possible at this table. */
  offer() {
    const { hands, breakable } = this.store.layout;
    this.form.hidden = !hands;
    this.hint.textContent = hands
      ? t("Break a part of the simulated table and watch it cope. Everyone sees it.")
      : t("On a real table things break without your help.");
    if (!isNew(this, "offered", [breakable, this.store.layout.game?.id])) return;
    this.fault.replaceChildren(...breakable.map(({ fault, said }) =>
      h("option", { value: fault }, said)));
    this.chosen();
  }

  /** Show a field for each target of the chosen fault. */
  chosen() {
    const { breakable, places } = this.store.layout;
    const { count = 0, choices = [] } = breakable.find(({ fault }) => fault === this.fault.value)
      ?? {};
    const offered = choices.length ? choices
      : places.map((_, index) => this.store.placeName(index));
    this.targets.replaceChildren(...Array.from({ length: count },
      () => h("select", { "aria-label": choices.length ? t("Which") : t("Place") },
        offered.map((one) => h("option", {}, one)))));
  }

  nameOf(name) { return this.store.layout.breakable.find(({ fault }) => fault === name).said; }

  draw() {
    const { broken = [], sensors } = this.store.snapshot?.plate ?? {};
    const told = (targets) => targets.map((place) => sensors?.masked[place] ?? "").join(" ").trim();
    const said = broken.map(({ targets }) => told(targets));
    if (!isNew(this, "drawn", [broken, said, this.store.link, Boolean(this.store.review)])) return;
    this.list.replaceChildren(...broken.map(({ fault, targets }, at) => h("li", { class: "bad" },
      h("span", {}, this.nameOf(fault),
        targets.length ? h("strong", {}, ` ${targets.join(", ")}`) : null,
        said[at] ? h("span", { class: "hint" }, ` ${said[at]}`) : null),
      act(t("Repair"), () => this.send({ type: "heal", name: fault, targets }),
        { "data-heals": fault }))));
    for (const each of this.list.querySelectorAll("button")) disable(each, idleBecause(this.store));
  }
}
