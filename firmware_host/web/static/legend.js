// What the lights mean, and the game's rules in short.

import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";

const ROLES = [
  ["legal", () => t("You may put or lift a piece here.")],
  ["put", () => t("A piece is wanted here.")],
  ["lift", () => t("Lift this piece; it goes on elsewhere.")],
  ["remove", () => t("Take this piece off the board.")],
  ["wrong", () => t("This does not belong here.")],
  ["last", () => t("The last move.")],
  ["win", () => t("These won the game.")],
];

export class Legend {
  constructor() {
    this.element = h("ul", { class: "legend" }, ROLES.map(([role, words]) =>
      h("li", {}, h("span", { class: `lamp ${role}` }), h("span", {}, words()))));
  }
}

export class Rules {
  constructor(store) {
    this.store = store;
    this.element = h("div", { class: "rules" });
    store.listen((_, changed) => {
      if (changed.has("layout") || changed.has("review")) this.draw();
    });
  }

  draw() {
    const { game } = this.store;
    if (!game) {
      this.element.replaceChildren(h("p", { class: "hint" }, t("Start a game to read its rules.")));
      return;
    }
    this.element.replaceChildren(
      h("h3", {}, game.title), h("p", { class: "credit" }, game.credit),
      ...game.rules.map((paragraph) => h("p", {}, paragraph)),
      ...(game.notice ? [h("p", { class: "notice" }, game.notice)] : []));
  }
}
