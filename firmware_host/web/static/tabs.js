// Panels of which one shows at a time, as the ARIA pattern for tabs asks.
import { h } from "/static/dom.js";

export class Tabs {
  /** `panels`: [name, label, element]; `onChoose(name)` after a person has chosen one. `extra`: its element's classes. */
  constructor(panels, first, onChoose, extra = "card") {
    this.onChoose = onChoose;
    this.list = h("div", { role: "tablist", class: "tabs" });
    this.panels = new Map();
    for (const [name, label, content] of panels) {
      const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => this.choose(name) }, label);
      const panel = h("div", { role: "tabpanel", tabindex: 0, id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "panel" }, content);
      this.list.append(tab);
      this.panels.set(name, { tab, panel });
    }
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", { class: `tabbed ${extra}` }, this.list, ...[...this.panels.values()].map(({ panel }) => panel));
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

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const names = [...this.panels.keys()];
    const next = names[(names.indexOf(this.chosen) + step + names.length) % names.length];
    this.choose(next);
    this.panels.get(next).tab.focus();
    event.preventDefault();
  }
}
