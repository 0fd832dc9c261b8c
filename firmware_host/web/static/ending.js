// Ways to end a game before its rules do: to resign, and a draw that every side offers. `agree` is for the
// sentence, which tells of the offer.
import { button, h, setText } from "/static/dom.js";
import { t } from "/static/i18n.js";

const SURE_MS = 4000; // the second press must come within

export class Ending {
  constructor(store, { ask, complain }) {
    Object.assign(this, { store, ask, complain });
    this.sure = false;
    this.draw = button("draw", t("Offer a draw"), () => this.send("offer-draw", this.person));
    this.agree = button("draw", "", () => this.send("offer-draw", this.next), { class: "primary" });
    this.resign = button("flag", "", () => this.giveUp());
    this.element = h("div", { class: "ending" }, h("div", { class: "row" }, this.draw, this.resign));
    store.listen((_, changed) => {
      if (["moves", "layout"].some((name) => changed.has(name))) this.sure = false;
      this.update();
    });
  }

  /** The person who may end it: the player to move, or somebody who waits for the computer. */
  get person() {
    const { snapshot: { to_move: mover, engines }, game } = this.store;
    return engines[mover] ? game.players.find((player) => !engines[player]) : mover;
  }

  /** Whom an offer of a draw waits for; nobody where only computers are left, which answer by themselves. */
  get next() {
    const { snapshot: { draw_offers: offers, engines }, game } = this.store;
    if (!offers.length) return null;
    const sides = game.teams.length ? game.teams : game.players.map((player) => [player]);
    const open = sides.filter((side) => !side.some((each) => offers.includes(each)));
    return open.flat().find((player) => !engines[player]);
  }

  update() {
    const { snapshot, game, review, mayAct } = this.store;
    const goesOn = Boolean(game && snapshot?.to_move) && !snapshot.result && !game.glossary?.length && !snapshot.lesson;
    this.element.hidden = !goesOn || review || !mayAct || !this.person;
    if (this.element.hidden) return;
    const { players } = this.store;
    const { draw_offers: offers, phase } = snapshot;
    if (this.next) setText(this.agree.lastChild, t("{player} agrees", { player: players.called(this.next) }));
    setText(this.resign.lastChild, this.sure ? t("{player} resigns?", { player: players.called(this.person) }) : t("Resign"));
    this.resign.classList.toggle("sure", this.sure);
    const sides = game.teams.length || game.players.length;
    this.resign.hidden = sides > 2;
    this.resign.disabled = phase === "settle";
    this.draw.disabled = this.resign.disabled || offers.length > 0;
  }

  giveUp() {
    if (this.sure) {
      this.sure = false;
      this.send("resign", this.person);
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
