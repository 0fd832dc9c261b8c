// A tray for each player: whose turn it is, and the pieces that wait beside the plate.

import { h, setText } from "/static/dom.js";
import { marble } from "/static/marble.js";
import { nameOf, t } from "/static/i18n.js";

const MOST_DRAWN = 25; // more only cover each other
const OF_A_BOX = 9;

export class Trays {
  constructor(store, box, hand) {
    Object.assign(this, { store, box, hand });
    this.trays = new Map();
    store.listen((_, changed) => this.update(changed));
  }

  update(changed) {
    const { store } = this;
    if (!store.layout || !store.snapshot) return;
    if (changed.has("layout") || changed.has("review")) this.build();
    const parts = ["layout", "review", "snapshot", "holding"];
    if (parts.some((name) => changed.has(name))) this.fill();
  }

  build() {
    const game = this.store.game;
    if (this.builtFor === game) return;
    this.builtFor = game;
    this.trays.clear();
    // a piece kind each: where they are not the players themselves, the kinds have the trays
    for (const piece of game?.pieces ?? []) this.trays.set(piece, this.tray(piece));
    this.box.replaceChildren(...[...this.trays.values()].map(({ element }) => element));
    this.box.dataset.count = this.trays.size;
  }

  tray(piece) {
    const name = h("span", { class: "who" }, nameOf(piece));
    const count = h("span", { class: "count" });
    const turn = h("span", { class: "turn" });
    const trough = h("div", { class: "trough" });
    const { drawing, players } = this.store.game;
    const single = drawing && players.includes(piece); // a ship each
    const element = h("section", { class: single ? "tray single" : "tray", "data-piece": piece },
      h("div", { class: "nameplate" },
        h("div", { class: "badge-ball" }, marble(piece, this.store.game)), name, turn, count),
      trough);
    trough.addEventListener("pointerdown", (event) => this.hand.downOnTray(event, piece));
    return { element, count, turn, trough, drawn: -1 };
  }

  fill() {
    const { store } = this;
    const { snapshot, review, game } = store;
    const toMove = review ? review.record.positions[review.ply].to_move : snapshot.to_move;
    const result = review ? null : snapshot.result;
    for (const [piece, tray] of this.trays) {
      const there = Math.max(0, store.inTray(piece) - (store.holding === piece && this.fromTray() ? 1 : 0));
      if (there !== tray.drawn) {
        tray.drawn = there;
        const balls = Array.from({ length: Number.isFinite(there) ? Math.min(there, MOST_DRAWN) : OF_A_BOX }, () =>
          h("div", { class: "waiting" }, marble(piece, game)));
        tray.trough.replaceChildren(...balls);
      }
      setText(tray.count, this.counted(piece, there));
      tray.element.classList.toggle("to-move", toMove === piece);
      tray.element.classList.toggle("movable", store.handsFree);
      const won = result && (result.winner === piece || result.team?.includes(piece));
      tray.element.classList.toggle("won", Boolean(won));
      setText(tray.turn, won ? t("wins") : toMove === piece ? t("to move") : "");
    }
  }

  counted(piece, there) {
    const { review, snapshot, game } = this.store;
    if (there === 1) return t("1 left");
    if (there === 0 && game.drawing) return t("on the board");
    if (Number.isFinite(there)) return t("{count} left", { count: there });
    const cells = review ? review.record.positions[review.ply].cells : snapshot.position;
    if (game.players.includes(piece) || !Object.values(cells).includes(piece)) return t("plenty");
    const gone = Object.keys(game.board).length - Object.keys(cells).length;
    return t("{count} in the hole", { count: gone });
  }

  fromTray() {
    return this.hand.carried?.id === "in-hand";
  }
}
