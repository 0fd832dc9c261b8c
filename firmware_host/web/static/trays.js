// A tray for each player, with the name, whose turn it is, and the pieces beside the plate.
import { h, isNew, nameOf, setText, t } from "/static/page.js";
import { face, moodOf } from "/static/drawings.js";
import { marble } from "/static/marble.js";
import { countOf } from "/static/store.js";

const MAX_DRAWN = 25; // More pieces would only cover each other.
const OF_A_BOX = 9;
const LOW_S = 30;

/** Return the other players of that player's team. */
export const partnersOf = (game, player) =>
  (game?.teams.find((team) => team.includes(player)) ?? []).filter((each) => each !== player);

export class Trays {
  constructor(store, box, pointers) {
    /** @type {Store} */ this.store = store;
    this.box = box;
    this.pointers = pointers;
    this.trays = new Map();
    store.on(["layout", "review"], () => this.build());
    store.on(["layout", "review", "snapshot", "holding", "players"], () => this.fill());
  }

  build() {
    const game = this.store.game;
    if (this.builtFor === game) return;
    this.builtFor = game;
    this.trays.clear();
    // Each kind of piece has a tray; in most games those are the players.
    for (const piece of game?.pieces ?? []) this.trays.set(piece, this.tray(piece));
    this.box.replaceChildren(...[...this.trays.values()].map(({ element }) => element));
    this.box.dataset.count = this.trays.size;
  }

  tray(piece) {
    const player = this.store.game.players.includes(piece);
    const plate = player ? this.store.players.plate(piece) : null;
    const name = plate?.name ?? h("span", { class: "who" }, nameOf(piece));
    const played = h("span", { class: "played-by" });
    const count = h("span", { class: "number" });
    const turn = h("span", { class: "turn" });
    const figure = h("span", { class: "figure", role: "img" });
    const clock = h("span", { class: "clock", role: "timer", title: t("Time left") });
    const trough = h("div", { class: "trough" });
    const { drawing, players } = this.store.game;
    const single = drawing && players.includes(piece); // Each player has one ship.
    const element = h("section", { class: single ? "tray single" : "tray", "data-piece": piece },
      h("div", { class: "nameplate" },
        h("div", { class: "badge-ball" }, marble(piece, this.store.game)), name,
        plate?.score ?? null, played, this.partners(piece), turn, clock, figure,
        h("span", { class: "count" }, count,
          h("span", { class: "words" }, ` ${t("on the board")}`))),
      trough);
    trough.addEventListener("pointerdown", (event) => this.pointers.downOnTray(event, piece));
    return { element, count, turn, clock, figure, played, trough, plate, drawn: -1 };
  }

  /** Draw the player's partners. */
  partners(piece) {
    const { game } = this.store;
    const others = partnersOf(game, piece);
    return others.length
      ? h("span", { class: "partners" }, h("span", { class: "words" }, t("with")),
          ...others.map((other) =>
            h("span", { class: "badge-ball", role: "img", "aria-label": nameOf(other) },
              marble(other, game))))
      : null;
  }

  fill() {
    const { store } = this;
    const { snapshot, review, game } = store;
    const toMove = review ? review.record.positions[review.ply].to_move : snapshot.game.to_move;
    const result = review ? null : snapshot.game.result;
    for (const [piece, tray] of this.trays) {
      const there = Math.max(0,
        store.inTray(piece) - (store.holding === piece && this.pointers.hand.fromTray ? 1 : 0));
      if (there !== tray.drawn) {
        tray.drawn = there;
        const balls = Array.from({ length: Number.isFinite(there) ? Math.min(there, MAX_DRAWN)
          : OF_A_BOX }, () => h("div", { class: "waiting" }, marble(piece, game)));
        tray.trough.replaceChildren(...balls);
      }
      tray.plate?.update();
      setText(tray.count, this.counted(piece));
      const engine = review ? null : snapshot.players.engines[piece];
      const assist = review ? 0 : snapshot.players.assist[piece];
      const match = review ? null : snapshot.match;
      const played = engine?.level ? t("level {level}", engine) : engine ? engine.engine
        : match?.far.includes(piece) ? t("Far away") : assist ? t("with assist") : "";
      const mood = moodOf(store, piece);
      if (isNew(tray, "shown", [played, engine?.level, mood]))
        tray.played.replaceChildren(...(engine?.level ? [face(engine.level, mood)] : []), played);
      this.showFigure(tray.figure, review ? undefined : snapshot.players.figures[piece]);
      this.showClock(tray.clock, review ? null : snapshot.players.clock, piece);
      tray.element.classList.toggle("to-move", toMove === piece);
      tray.element.classList.toggle("movable", store.handsFree);
      const won = result && (result.winner === piece || result.team?.includes(piece));
      tray.element.classList.toggle("won", Boolean(won));
      setText(tray.turn, won ? t("wins") : toMove === piece ? t("to move") : "");
    }
  }

  /** Show what the game counts during play. */
  showFigure(element, figure) {
    element.hidden = figure === undefined;
    if (element.hidden) return;
    setText(element, `${this.store.game.drawing ? "↗" : "★"} ${figure}`);
    element.title = this.store.game.figure;
    element.setAttribute("aria-label", `${this.store.game.figure}: ${figure}`);
  }

  showClock(element, clock, piece) {
    const left = clock?.left_s[piece];
    element.hidden = left === undefined;
    if (element.hidden) return;
    setText(element, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
    element.classList.toggle("running", clock.running === piece);
    element.classList.toggle("low", left <= LOW_S);
  }

  counted(piece) {
    const { game, stand: { cells, reserve } } = this.store;
    const on = countOf(piece, cells);
    if (piece in reserve) return t("{on} of {all}", { on, all: on + reserve[piece] });
    const single = game.drawing && game.players.includes(piece);
    return on && !single ? String(on) : "";
  }
}
