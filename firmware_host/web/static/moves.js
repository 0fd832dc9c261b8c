// The moves of the game, and stepping through them.
import { button, h } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { marble } from "/static/marble.js";

export class Moves {
  /** `below`: what else can be done about the game. */
  constructor(store, { review, step }, ...below) {
    this.store = store;
    this.review = review;
    this.list = h("div", { class: "moves" });
    this.steps = h("div", { class: "steps", role: "group", "aria-label": t("Step through the moves") },
      button("first", t("Start of the game"), () => step("first")),
      button("previous", t("One move back"), () => step(-1)),
      button("next", t("One move on"), () => step(1)),
      button("last", t("Latest move"), () => step("last")));
    this.element = h("div", { class: "moves-panel" }, this.list, this.steps, ...below);
    store.listen((_, changed) => {
      if (["layout", "moves", "review", "players"].some((name) => changed.has(name))) this.draw();
    });
  }

  draw() {
    const { store } = this;
    const { game, review, snapshot } = store;
    const moves = review ? review.record.moves : snapshot?.moves ?? [];
    for (const step of this.steps.children) step.disabled = moves.length === 0;
    if (!game || moves.length === 0) {
      this.list.replaceChildren(h("p", { class: "aim" }, game?.aim ?? ""));
      return;
    }
    const players = game.players.length;
    this.list.style.setProperty("--players", players);
    const cells = [
      h("span", { class: "round" }),
      ...game.players.map((player) => h("span", { class: "head", title: nameOf(player) }, marble(player, game), players > 2 ? null : store.players.called(player))),
    ];
    moves.forEach((move, at) => {
      if (at % players === 0) cells.push(h("span", { class: "round" }, `${at / players + 1}`));
      const current = review ? review.ply === at + 1 : at === moves.length - 1;
      const kind = review?.record.played && at >= review.record.from ? "move supposed" : "move";
      cells.push(h("button", { type: "button", class: current ? `${kind} current` : kind, onclick: () => this.review(at + 1, true), "aria-current": current ? "step" : null }, store.label(move)));
    });
    this.list.replaceChildren(...cells);
    const current = this.list.querySelector(".current");
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }
}
