// What to do next, in one sentence; the result; what is broken; whether the table is there.

import { button, h, icon, setText } from "/static/dom.js";
import { shown } from "/static/boards.js";
import { marble } from "/static/marble.js";
import { nameOf, t } from "/static/i18n.js";

const PHASES = {
  setup: () => t("Set up"),
  turn: () => t("Your turn"),
  settle: () => t("Carry it out"),
  fix: () => t("Put it right"),
  paused: () => t("Paused"),
  over: () => t("The end"),
};

export class Say {
  constructor(store, box, { newGame, leaveReview, takeBackToHere }) {
    this.store = store;
    this.phase = h("span", { class: "phase" });
    this.mover = h("span", { class: "mover" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.tally = h("div", { class: "tally" });
    this.actions = h("div", { class: "say-actions row" });
    this.card = h("div", { class: "say-card" }, this.mover,
      h("div", { class: "say-words" }, this.phase, this.line, this.tally), this.actions);
    this.faults = h("div", { class: "faults", "aria-live": "polite" });
    this.link = h("div", { class: "link-lost", role: "status" });
    this.play = button("plus", t("New game"), newGame, { class: "primary" });
    this.goOn = button("back", "", takeBackToHere);
    this.leave = button("close", t("Back to the game"), leaveReview, { class: "primary leave" });
    box.append(this.link, this.faults, this.card);
    store.listen(() => this.update());
  }

  update() {
    const { layout, snapshot, review, link } = this.store;
    const lost = link === "lost";
    this.link.hidden = !lost;
    setText(this.link, lost ? t("The table does not answer. Trying again…") : "");
    document.documentElement.dataset.link = link;
    if (!layout || !snapshot) {
      setText(this.line, lost ? "" : t("Looking for the table…"));
      return;
    }
    this.showFaults(snapshot.faults, snapshot.dimmed);
    if (review) this.showReview(review);
    else this.showGame(snapshot, layout);
  }

  showGame(snapshot, layout) {
    const { phase, result } = snapshot;
    this.card.dataset.phase = layout.game ? phase : "none";
    setText(this.phase, layout.game ? PHASES[phase]?.() ?? phase : t("Welcome"));
    const asked = snapshot.question && !snapshot.question.offer;
    setText(this.line, asked ? snapshot.question.ask : snapshot.say);
    const winner = result ? result.winner : snapshot.to_move;
    this.showBall(winner, Boolean(result));
    this.offer(...(!layout.game || phase === "over" ? [this.play] : []));
    this.count();
  }

  showReview({ record, ply }) {
    this.card.dataset.phase = "review";
    setText(this.phase, t("Looking back"));
    const move = record.moves[ply - 1];
    const mover = ply > 0 ? record.positions[ply - 1].to_move : record.positions[0].to_move;
    setText(this.line, ply === 0
      ? t("The start of the game.")
      : t("Move {number} of {count}: {player} {move}", {
        number: ply, count: record.moves.length, player: mover ? nameOf(mover) : "", move,
      }));
    this.showBall(mover, false);
    const own = record.game.id === this.store.layout.game?.id;
    setText(this.goOn.lastChild, own ? t("Take back to here") : t("Play on from here"));
    this.offer(...(own && ply === record.moves.length ? [] : [this.goOn]), this.leave);
    this.count();
  }

  /** What decided the game, in figures. */
  count() {
    const { result } = shown(this.store);
    const key = JSON.stringify([result, this.store.game?.id]);
    if (key === this.counted) return;
    this.counted = key;
    const figure = (piece, text) => h("span", {}, marble(piece, this.store.game), text);
    const figures = Object.entries(result?.positions ?? {}).map(([player, found]) => figure(player,
      found.length === 1 ? t("1 position") : t("{count} positions", { count: found.length })));
    if (result?.margin !== undefined) {
      figures.push(figure("pod", result.margin === 1
        ? t("1 pod still in reach") : t("{count} pods still in reach", { count: result.margin })));
    }
    this.tally.replaceChildren(...figures);
    this.tally.hidden = figures.length === 0;
  }

  showBall(piece, won) {
    const ball = `${this.store.game?.name}-${piece}-${won}`;
    if (this.ball === ball) return;
    this.ball = ball;
    this.mover.replaceChildren(...(piece ? [marble(piece, this.store.game)] : []),
      ...(won ? [icon("trophy")] : []));
    this.mover.hidden = !piece && !won;
  }

  offer(...actions) {
    const there = [...this.actions.children];
    if (there.length === actions.length && there.every((one, at) => one === actions[at])) return;
    this.actions.replaceChildren(...actions);
  }

  showFaults(faults, dimmed) {
    const lines = faults.map(({ problem, remedy }) => [problem, remedy]);
    if (dimmed < 1) {
      const percent = Math.round(dimmed * 100);
      lines.push([t("The lights are dimmed to {percent} % to spare the supply.", { percent }), ""]);
    }
    const key = JSON.stringify(lines);
    if (key === this.faultsShown) return;
    this.faultsShown = key;
    this.faults.replaceChildren(...lines.map(([problem, remedy]) =>
      h("p", {}, h("strong", {}, problem), remedy ? ` ${remedy}` : "")));
  }
}
