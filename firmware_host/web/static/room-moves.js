// Turns the legal moves of a seat into a few buttons, one question at a time.

import { act, h, t } from "/static/page.js";
import { piecesShown } from "/static/room-view.js";
import { cardTitle, pieceName, titleOf, zoneName } from "/static/room-words.js";

const rest = (words, from) => words.slice(from).join(":");

// Order of the questions for each kind of move: [part of the move, question, label of an answer].
const QUESTIONS = {
  place: (game) => [
    [([, names]) => names, () => t("Which piece?"), (names) => piecesShown(game, names)],
    [([,, zone]) => zone, () => t("Which zone?"), (zone) => zoneName(game, zone)],
    [([how,,, under]) => (how === "ok" ? under ?? "ok" : how), () => t("How did it go?"), outcome],
  ],
  event: (game, called) => [
    [([, zone, piece]) => `${piece}@${zone}`, () => t("Which piece?"),
      (found) => standing(game, found)],
    [([how]) => how, () => t("How did it go?"), outcome],
    [([how, , , to]) => (how === "ok" ? to ?? "" : ""), () => t("Where does it go?"),
      (to) => (game.players.includes(to) ? called(to) : zoneName(game, to))],
    [(words) => rest(words, 4), () => t("On top of what?"), outcome],
  ],
  take: (game) =>
    [[([zone, piece]) => `${piece}@${zone}`, () => t("Which piece?"),
      (found) => standing(game, found)]],
  play: (game, called) => [
    [([token]) => token, () => t("Which card do you choose?"), (token) => cardTitle(game, token)],
    [([, ...more]) => more.join(":"), () => t("For what?"), (what) => argument(game, called, what)],
  ],
  hero: (game, called) => [
    [([name]) => name, () => t("Which hero?"), (name) => titleOf(game, `hero:${name}`)],
    [([, ...more]) => more.join(":"), () => t("For what?"), (what) => argument(game, called, what)],
  ],
  withdraw: (game) =>
    [[([token]) => token, () => t("Which card?"), (token) => cardTitle(game, token)]],
  name: (game) =>
    [[([card]) => card, () => t("Which card do you choose?"), (card) => cardTitle(game, card)]],
  draw: (game) => [
    [([side]) => side, () => t("From which pile?"), side],
    [([, card]) => card ?? "", () => t("Which card is it?"), (card) => cardTitle(game, card)],
  ],
  buy: () => [[([which]) => which, () => t("From which pile?"), side]],
  choose: () =>
    [[([what]) => what, () => t("What counts?"),
      (what) => (what === "rest" ? t("The other cards") : t("Blindfolded!"))]],
  roll: (game) => [
    [([kind]) => kind, () => t("What does the troop die show?"),
      (kind) => titleOf(game, `kind:${kind}`)],
    [([, zone]) => zone, () => t("What does the zone die show?"), (zone) => zoneName(game, zone)],
  ],
  troop: (game) =>
    [[([kind]) => kind, () => t("What does the troop die show?"),
      (kind) => titleOf(game, `kind:${kind}`)]],
  zone: (game) =>
    [[([zone]) => zone, () => t("What does the zone die show?"), (zone) => zoneName(game, zone)]],
};

const side = (which) => (which === "left" ? t("Left pile") : t("Right pile"));
const argument = (game, called, what) => (game.players.includes(what) ? called(what)
  : ["left", "right"].includes(what) ? side(what) : cardTitle(game, what));

function standing(game, found) {
  const [piece, zone] = found.split("@");
  return t("{piece} in zone {zone}", { piece: pieceName(game, piece), zone });
}

function outcome(how) {
  if (how === "ok" || how === "") return t("It holds");
  if (how === "fail") return t("It fell or failed");
  return t("It holds, on a tower of {count}", { count: how.replace("under=", "") });
}

const onTop = (how) =>
  (how === "ok" ? t("On the platform")
    : t("On a tower of {count}", { count: how.replace("under=", "") }));

/** Asks questions until one move is left, and passes it to `done(move, proposed)`. `proposed` means
 * that other hands carry it out, which is always so at a table with `hands`. `leave()` closes the
 * questions. */
export class Chooser {
  constructor(store, room, moves, { done, leave, guess = "" }) {
    const { game, layout: { hands } } = store;
    /** @type {Store} */ this.store = store;
    this.game = game;
    this.room = room;
    this.moves = moves;
    this.done = done;
    this.leave = leave;
    this.guess = guess.split(":fell=")[1]?.split("+") ?? []; // Pieces that are ticked at first.
    this.answers = [];
    this.proposed = Boolean(hands && ["place", "event"].includes(moves[0].split(":")[1])
      && moves.length > 1);
    this.element = h("div", { class: "chooser" });
    this.next();
  }

  next() {
    const what = this.moves[0].split(":")[1];
    const questions = QUESTIONS[what]?.(this.game, (who) => this.store.players.called(who)) ?? [];
    let moves = this.moves;
    for (const [at, [part, ask, label]] of questions.entries()) {
      const answers = [...new Set(moves.map((move) => part(move.split(":").slice(2))))];
      // Success comes before failure.
      answers.sort((one, other) => Number(one === "fail") - Number(other === "fail"));
      const answered = this.answers[at] ?? (answers.length === 1 ? answers[0] : undefined);
      if (answered === undefined) {
        const told = answers.includes("fail");
        // The question is only on what it stands, since others will say whether it held.
        const stands = this.proposed && told;
        const offered = stands ? answers.filter((value) => value !== "fail") : answers;
        const answer = (value) => { this.answers[at] = value; this.next(); };
        if (this.proposed && offered.length === 1) answer(offered[0]);
        else {
          this.show(stands ? t("On top of what?") : ask(),
            h("div", { class: offered.length > 6 ? "answers many" : "answers" },
              offered.map((value) =>
                act(stands ? onTop(value) : label(value), () => answer(value))),
              told && what === "place"
              && !stands ? act(t("Place it for me"),
                    () => { this.proposed = true; this.next(); }) : null));
        }
        return;
      }
      this.answers[at] = answered;
      moves = moves.filter((move) => part(move.split(":").slice(2)) === answered);
    }
    const [move] = moves;
    if (move.split(":")[2] === "fail") this.askFallen(move);
    else this.done(move, this.proposed);
  }

  show(question, ...answers) {
    this.element.replaceChildren(h("p", { class: "asked" }, question), ...answers,
      act(t("Back"), () => this.leave(), { class: "plain" }));
  }

  /** Ask what fell, with a box to tick for each piece that could have. */
  askFallen(move) {
    const words = move.split(":");
    const [held, from] = words[1] === "place" ? [words[3].split("+"), null]
      : [[words[4]], words[3]];
    const there = Object.entries(this.room.zones).flatMap(([zone, towers]) =>
      towers.flatMap((tower) => tower.split("+")).map((piece) => `${piece}@${zone}`));
    if (from) there.splice(there.indexOf(`${held[0]}@${from}`), 1);
    const boxes = [...held.map((piece) =>
      [piece, t("{piece}, just now", { piece: pieceName(this.game, piece) })]),
    ...there.map((found) => [found, standing(this.game, found)])].map(([value, label]) =>
      h("label", { class: "check" },
        h("input", { type: "checkbox", value, checked: this.guess.includes(value) }), label));
    const finish = () => {
      const fell = boxes.map((box) => box.querySelector("input")).filter((box) => box.checked)
        .map((box) => box.value);
      this.done(fell.length ? `${move}:fell=${fell.join("+")}` : move);
    };
    this.show(t("What fell off the platform? Tick it."), h("div", { class: "fallen" }, boxes),
      act(t("That is all"), finish, { class: "primary" }));
  }
}
