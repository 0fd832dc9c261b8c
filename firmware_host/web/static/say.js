// What to do next, in one sentence; the result; what is broken; whether the table is there.
import { button, h, icon, setText } from "/static/dom.js";
import { shown } from "/static/boards.js";
import { marble } from "/static/marble.js";
import { nameOf, t } from "/static/i18n.js";
import { partnersOf } from "/static/trays.js";

const PHASES = {
  setup: () => t("Set up"),
  turn: () => t("Your turn"),
  settle: () => t("Carry it out"),
  fix: () => t("Put it right"),
  paused: () => t("Paused"),
  over: () => t("The end"),
  free: () => t("Playground"),
};

function phaseOf({ phase, room }) {
  if (room && phase === "turn") return t("Round {round}", { round: room.public.round });
  return PHASES[phase]?.() ?? phase;
}

export class Say {
  /** `actions`: the row of what can be pressed now; `learn()` begins the lesson of the game. Faults stand
   * in `side`: over the sentence they would push it onto the plate. */
  constructor(store, box, side, actions, learn, voice, ownHand) {
    Object.assign(this, { store, voice, ownHand });
    this.ask = button("help", t("Learn in a minute"), learn, { class: "plain quiet ask-how", hidden: true });
    this.phase = h("span", { class: "phase" });
    this.mover = h("span", { class: "mover" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.tally = h("div", { class: "tally" });
    this.card = h("div", { class: "say-card" }, this.mover, h("div", { class: "say-words" }, this.phase, this.tally, this.line), this.ask, actions);
    this.faults = h("div", { class: "faults", "aria-live": "polite" });
    this.link = h("div", { class: "link-lost", role: "status" });
    box.append(this.link, this.card);
    side.prepend(this.faults);
    store.listen((_, changed) => {
      this.update();
      if (changed.has("pointed")) this.card.animate({ transform: ["scale(1)", "scale(1.025)", "scale(1)"] }, 260);
    });
  }

  update() {
    const { layout, snapshot, review, link } = this.store;
    const lost = link === "lost";
    this.link.hidden = !lost;
    setText(this.link, lost ? t("The table does not answer. Trying again…") : "");
    document.documentElement.dataset.link = link;
    document.documentElement.toggleAttribute("data-looking-back", Boolean(review));
    this.card.hidden = lost && !snapshot; // nothing is known of the game
    const lit = Object.values(snapshot?.roles ?? {}).filter((role) => role === "legal").length;
    document.documentElement.toggleAttribute("data-pointed-at", lit > 0 && lit < 3); // a hint's place, or a lesson's
    if (!layout || !snapshot) {
      this.tell(lost ? "" : t("Looking for the table…"));
      return;
    }
    this.showFaults(review ? snapshot.faults : this.unsaid(snapshot), snapshot.dimmed);
    if (review) this.showReview(review);
    else this.showGame(snapshot, layout);
  }

  showGame(snapshot, layout) {
    const { phase, result } = snapshot;
    this.card.dataset.phase = layout.game ? phase : "none";
    this.card.parentElement.toggleAttribute("data-far", snapshot.to_move === layout.game?.players[1] && !Object.keys(snapshot.engines).length);
    this.card.toggleAttribute("data-thinking", Boolean(snapshot.thinking));
    const computer = snapshot.engines[snapshot.to_move] && (snapshot.thinking ? t("Thinking…") : phase === "settle" && t("The computer plays"));
    const what = computer || (layout.game ? phaseOf(snapshot) : t("Welcome"));
    const partners = phase === "turn" ? partnersOf(layout.game, snapshot.to_move) : [];
    const whose = partners.length ? t("{what}, with {partner}", { what, partner: partners.map(nameOf).join(" ") }) : what;
    const person = this.store.players.name(result?.winner ?? snapshot.to_move);
    const shown = this.lessonOf(snapshot) ?? (person ? `${person} · ${whose}` : whose);
    setText(this.phase, this.store.watching ? t("You are watching") : shown);
    this.ask.hidden = !layout.game?.lesson || Boolean(snapshot.lesson) || !this.store.mayAct;
    this.tell(snapshot.attract ? t("A game plays itself. Touch anything, and it is your turn.") : this.words(snapshot));
    const winner = result ? result.winner : snapshot.to_move;
    this.showBall(winner, Boolean(result?.winner || result?.team));
    this.count();
  }

  /** How far a lesson has come, if it is one. */
  lessonOf({ lesson }) {
    if (!lesson) return null;
    const { done, steps, puzzle, wrong } = lesson;
    if (puzzle) return done === steps && !wrong ? t("Solved!") : t("Puzzle {number}", { number: puzzle });
    return done === steps ? t("You can play it now!") : t("Learn: step {step} of {steps}", { step: done + 1, steps });
  }

  words({ question, say, phase, draw_offers: offers, result, room }) {
    const { game, handsFree, falling, players } = this.store;
    if (question && !falling) return question.say;
    const free = ["heroes", "deal"].includes(room?.public.phase) ? room.seats.filter((seat) => !seat.taken && !seat.computer) : [];
    if (free.length) return t("The cards are dealt once every seat is taken. Still free: {seats}.", { seats: free.map(({ player }) => nameOf(player)).join(", ") });
    if (offers.length && !result) {
      return `${say} ${t("{players}: a draw is offered. Who plays on declines.", { players: offers.map((each) => players.called(each)).join(", ") })}`;
    }
    if (phase === "settle") return this.played() ?? say;
    const slots = phase === "turn" && handsFree && game?.slots.length && !this.store.snapshot.lesson;
    return slots ? `${say} ${t("Or press a slot.")}` : say;
  }

  /** What the computer plays, where the table's own hand carries it out: no order to the reader. */
  played() {
    const { snapshot: { engines, to_move: mover, shifts, moves }, handsFree } = this.store;
    if (!engines[mover] || !handsFree || !this.ownHand.on) return null;
    const key = `${this.store.layout.number} ${moves.length} ${mover}`;
    const { source, target } = shifts.find((each) => each.source === null && each.target) ?? (shifts.every((each) => each.target) ? shifts[0] : null) ?? {};
    if (key !== this.playedKey && target) {
      const where = { player: nameOf(mover), source: this.store.label(source ?? ""), place: this.store.label(target) };
      [this.playedKey, this.playedSay] = [key, source ? t("{player} moves from {source} to {place}.", where) : t("{player} drops on {place}.", where)];
    }
    if (key !== this.playedKey) return null;
    return this.playedSay;
  }

  /** A long sentence is set smaller, so that the plate keeps its room. */
  tell(words) {
    setText(this.line, this.store.said(words));
    this.voice.say(this.store.said(words));
    this.line.toggleAttribute("data-long", words.length > 80);
    this.line.toggleAttribute("data-longer", words.length > 115);
  }

  showReview({ record, ply }) {
    this.card.dataset.phase = "review";
    setText(this.phase, record.played && ply > record.from ? t("What if?") : t("Looking back"));
    const move = record.moves[ply - 1];
    const mover = ply > 0 ? record.positions[ply - 1].to_move : record.positions[0].to_move;
    this.tell(ply === 0
      ? t("The start of the game.")
      : t("Move {number} of {count}: {player} {move}", { number: ply, count: record.moves.length, player: mover ? this.store.players.called(mover) : "", move: this.store.label(move ?? "") }));
    this.showBall(mover, false);
    this.count();
  }

  /** What decided the game, in figures. */
  count() {
    const { result } = shown(this.store);
    const key = JSON.stringify([result, this.store.game?.id]);
    if (key === this.counted) return;
    this.counted = key;
    const figure = (piece, text) => h("span", {}, marble(piece, this.store.game), text);
    const figures = Object.entries(result?.positions ?? {}).map(([player, found]) => figure(player, found.length === 1 ? t("1 position") : t("{count} positions", { count: found.length })));
    if (result?.margin !== undefined) {
      figures.push(figure(this.store.game.pieces.find((piece) => !this.store.game.players.includes(piece)), result.margin === 1
        ? t("1 pod still in reach") : t("{count} pods still in reach", { count: result.margin })));
    }
    this.tally.replaceChildren(...figures);
    this.tally.hidden = figures.length === 0;
  }

  showBall(piece, won) {
    const ball = `${this.store.game?.name}-${piece}-${won}`;
    if (this.ball === ball) return;
    this.ball = ball;
    this.mover.replaceChildren(...(piece ? [marble(piece, this.store.game)] : []), ...(won ? [icon("trophy")] : []));
    this.mover.hidden = !piece && !won;
  }

  /** Faults that the sentence itself does not tell. */
  unsaid({ faults, say }) {
    return faults.filter(({ problem }) => !say.includes(problem));
  }

  showFaults(faults, dimmed) {
    // A cable that is out takes several parts with it: that is said once.
    const lines = [...new Map(faults.map(({ problem, remedy }) => [problem, remedy]))];
    if (dimmed < 1) {
      const percent = Math.round(dimmed * 100);
      lines.push([t("The lights are dimmed to {percent} % to spare the supply.", { percent }), ""]);
    }
    const key = JSON.stringify(lines);
    if (key === this.faultsShown) return;
    this.faultsShown = key;
    this.faults.replaceChildren(...lines.map(([problem, remedy]) => h("p", {}, h("strong", {}, problem), remedy ? ` ${remedy}` : "")));
  }
}
