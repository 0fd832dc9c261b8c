// What to do next, in one sentence; the result; what is broken; whether the table is there.

import { button, h, icon, setText } from "/static/dom.js";
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
  constructor(store, box, { newGame, leaveReview }) {
    this.store = store;
    this.newGame = newGame;
    this.phase = h("span", { class: "phase" });
    this.mover = h("span", { class: "mover" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.actions = h("div", { class: "say-actions" });
    this.card = h("div", { class: "say-card" }, this.mover,
      h("div", { class: "say-words" }, this.phase, this.line), this.actions);
    this.faults = h("div", { class: "faults", "aria-live": "polite" });
    this.link = h("div", { class: "link-lost", role: "status" });
    this.play = button("plus", t("New game"), newGame, { class: "primary" });
    this.leave = button("close", t("Back to the game"), leaveReview, { class: "primary" });
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
    setText(this.line, snapshot.say);
    const winner = result ? result.winner : snapshot.to_move;
    this.showBall(winner, Boolean(result));
    this.offer(!layout.game || phase === "over" ? this.play : null);
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
    this.offer(this.leave);
  }

  showBall(piece, won) {
    const shown = `${piece}-${won}`;
    if (this.shown === shown) return;
    this.shown = shown;
    this.mover.replaceChildren(...(piece ? [marble(piece, this.store.game)] : []),
      ...(won ? [icon("trophy")] : []));
    this.mover.hidden = !piece && !won;
  }

  offer(action) {
    if (this.actions.firstChild === action) return;
    this.actions.replaceChildren(...(action ? [action] : []));
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
