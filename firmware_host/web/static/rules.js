// The rules of the game on the screen, with pictures.
import { fetchJson } from "/static/dialogs.js";
import { h, isNew, refill, svgSource, t } from "/static/page.js";
import { exampleTurn } from "/static/room-view.js";

/** The rules of the game on the screen. */
export class Rules {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.element = h("div", { class: "rules" });
    this.figures = h("div", { class: "figures" });
    this.seen = false;
    store.on(["layout", "review"], () => this.draw());
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.seen = isIntersecting;
      this.illustrate();
    }).observe(this.figures);
  }

  /** Load pictures of an example turn and a winning one when the figures become visible. */
  illustrate() {
    const { lesson, name: game } = this.store.game ?? {};
    if (!this.seen || !isNew(this, "drawn", game)) return;
    refill(this.figures);
    if ("kind:tank" in (this.store.game?.glossary ?? {}))
      refill(this.figures, exampleTurn(this.store.game));
    if (lesson) this.store.got(() => fetchJson(`/api/v1/games/${game}/figures`)).then((figures) =>
      refill(this.figures, figures.map(({ picture, say }) => h("figure", {},
        h("img", { src: svgSource(picture), alt: "" }), h("figcaption", {}, say)))), () => {});
  }

  draw() {
    const { game } = this.store;
    if (game) {
      refill(this.element, h("h2", {}, game.title), h("p", { class: "aim" }, game.aim),
        game.rules.map((paragraph) => h("p", {}, paragraph)), this.figures,
        h("p", { class: "credit" }, game.credit),
        game.notice ? h("p", { class: "notice" }, game.notice) : null);
      this.illustrate();
    } else refill(this.element, h("p", { class: "hint" }, t("Start a game to read its rules.")));
  }
}
