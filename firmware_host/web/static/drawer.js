// The drawer "The table": what concerns the table itself and not the game, out of the way of play.
import { closed, opened } from "/static/back.js";
import { button, h } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

export class Drawer {
  /** `tools`: buttons under its title; `onTurn(open)` after it has been opened or closed. */
  constructor(tools, contents, onTurn) {
    this.onTurn = onTurn;
    this.element = h("section", { class: "card drawer", id: "drawer", "aria-label": t("The table"), hidden: true },
      h("header", {}, h("h2", {}, t("The table")), button("close", t("Close"), () => this.close(), { class: "plain quiet" })),
      h("div", { class: "tools" }, ...tools), ...contents);
    this.handle = button("table", t("The table"), () => this.turn(this.element.hidden), { class: "plain", "aria-expanded": false, "aria-controls": "drawer" });
    // on a phone it would lie over the trays of whoever comes back
    if (remembered("drawer", "shut") === "open" && matchMedia("(min-width: 821px)").matches) this.show(true);
    this.element.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
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
    this.onTurn(open);
  }
}
