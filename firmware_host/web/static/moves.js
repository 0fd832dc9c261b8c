// The story of the game: what the last move did, and every move with its board, which can be stepped through.
import { button, h, setText } from "/static/dom.js";
import { boardAt } from "/static/drawings.js";
import { nameOf, t } from "/static/i18n.js";
import { marble } from "/static/marble.js";

export class Moves {
  /** `below`: what else can be done about the game. */
  constructor(store, { review, step, record }, picture, ...below) {
    Object.assign(this, { store, review, record });
    this.positions = []; // of the game on the plate: cells after so many moves
    this.list = h("div", { class: "moves" });
    this.told = h("p", {});
    this.story = h("div", { class: "story" });
    this.steps = h("div", { class: "steps", role: "group", "aria-label": t("Step through the moves") },
      button("first", t("Start of the game"), () => step("first")),
      button("previous", t("One move back"), () => step(-1)),
      button("next", t("One move on"), () => step(1)),
      button("last", t("Latest move"), () => step("last")));
    this.element = h("div", { class: "moves-panel" }, this.story, this.list, h("div", { class: "stepping" }, this.steps, picture), ...below);
    store.listen((_, changed) => {
      if (changed.has("layout")) this.positions = [];
      if (["layout", "moves", "position", "review", "players"].some((name) => changed.has(name))) this.draw();
    });
  }

  /** The cells after each move. Those before this page came are asked for once. */
  known(moves) {
    const { review, snapshot, layout } = this.store;
    if (review) return review.record.positions.map(({ cells }) => cells);
    if (snapshot.layout !== layout.number) return [];
    this.positions.length = moves.length;
    this.positions.push(snapshot.position);
    if (moves.length && !this.positions[0] && !snapshot.lesson) {
      this.positions[0] = {};
      this.record().then((record) => {
        record?.positions.slice(0, moves.length).forEach(({ cells }, at) => { this.positions[at] = cells; });
        this.draw();
      });
    }
    return this.positions[0] ? this.positions : []; // a puzzle's earlier moves are kept nowhere
  }

  draw() {
    const { store } = this;
    const { game, review, snapshot } = store;
    const moves = review ? review.record.moves : snapshot?.moves ?? [];
    for (const step of this.steps.children) step.disabled = moves.length === 0;
    const boards = game && snapshot && !Object.keys(game.glossary).length ? this.known(moves) : [];
    this.story.hidden = !game || moves.length === 0 || !boards.length;
    if (!game || moves.length === 0) {
      this.list.replaceChildren(h("p", { class: "aim" }, game?.aim ?? ""));
      return;
    }
    if (!this.story.hidden) this.tell(boards, review ? review.ply : moves.length);
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
      cells.push(h("button", { type: "button", class: current ? `${kind} current` : kind, onclick: () => this.review(at + 1, true), "aria-current": current ? "step" : null },
        boards[at + 1] ? boardAt(store, boards[at + 1], boards[at]) : null, store.label(move)));
    });
    this.list.replaceChildren(...cells);
    const current = this.list.querySelector(".current");
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }

  /** What the move before that position did. */
  tell(boards, ply) {
    const { review, snapshot } = this.store;
    const now = boards[ply] ?? {};
    const before = boards[ply - 1] ?? now;
    const said = review ? review.record.told?.[ply - 1] ?? [] : snapshot.told;
    setText(this.told, this.store.said(said.length ? said.join(" ") : this.plainly(before, now)));
    this.story.replaceChildren(boardAt(this.store, now, before), this.told);
  }

  /** A move that had no consequences: which piece has come where. */
  plainly(before, now) {
    const { store } = this;
    const place = Object.keys(now).find((each) => now[each] !== before[each]);
    if (!place) return "";
    const [player, label] = [store.players.called(now[place]), store.label(place)];
    const source = Object.keys(before).find((each) => before[each] === now[place] && !now[each]);
    return source ? t("{player} moves from {source} to {place}.", { player, source: store.label(source), place: label }) : t("{player} drops on {place}.", { player, place: label });
  }
}
