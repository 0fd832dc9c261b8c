// Ways to end a game before its rules do: to resign, and a draw that every side offers.

import { button, h, setText } from "/static/dom.js";
import { t } from "/static/i18n.js";

const SURE_MS = 4000; // the second press must come within

export class Ending {
  constructor(store, { ask, complain }) {
    Object.assign(this, { store, ask, complain });
    this.sure = false;
    this.offered = h("p", { class: "hint", "aria-live": "polite" });
    this.draw = button("draw", "", () => this.send("offer-draw", this.next()));
    this.resign = button("flag", "", () => this.giveUp());
    this.element = h("div", { class: "ending" }, this.offered, h("div", { class: "row" }, this.draw, this.resign));
    store.listen((_, changed) => {
      if (["moves", "layout"].some((name) => changed.has(name))) this.sure = false;
      this.update();
    });
  }

  /** Who offers a draw next: the player to move, then those who have not agreed yet. */
  next() {
    const { snapshot: { draw_offers: offers, to_move: mover }, game } = this.store;
    const sides = game.teams.length ? game.teams : game.players.map((player) => [player]);
    const open = sides.filter((side) => !side.some((each) => offers.includes(each)));
    return (open.find((side) => offers.length === 0 && side.includes(mover)) ?? open[0])?.find(
      (each) => offers.length || each === mover) ?? mover;
  }

  update() {
    const { snapshot, game, review, mayAct } = this.store;
    const goesOn = Boolean(game && snapshot?.to_move) && !snapshot.result && !game.glossary?.length && !snapshot.lesson;
    this.element.hidden = !goesOn || review || !mayAct;
    if (this.element.hidden) return;
    const { players } = this.store;
    const { draw_offers: offers, to_move: mover, phase } = snapshot;
    const names = offers.map((each) => players.called(each)).join(", ");
    setText(this.offered, offers.length ? t("{players}: a draw is offered. Who plays on declines.", { players: names }) : "");
    setText(this.draw.lastChild, offers.length
      ? t("{player} agrees", { player: players.called(this.next()) }) : t("Offer a draw"));
    setText(this.resign.lastChild, this.sure ? t("{player} resigns?", { player: players.called(mover) }) : t("Resign"));
    this.resign.classList.toggle("sure", this.sure);
    const sides = game.teams.length || game.players.length;
    this.resign.hidden = sides > 2;
    this.draw.disabled = this.resign.disabled = phase === "settle";
  }

  giveUp() {
    if (this.sure) {
      this.sure = false;
      this.send("resign", this.store.snapshot.to_move);
      return;
    }
    this.sure = true;
    this.update();
    setTimeout(() => {
      this.sure = false;
      this.update();
    }, SURE_MS);
  }

  send(type, player) {
    this.ask({ type, player }).catch((error) => this.complain(error.message));
  }
}
