// The card over the plate: what to do next, the buttons for it, and ways to end a game.
import { shown } from "/static/boards.js";
import { face, moodOf } from "/static/drawings.js";
import { looksOf, marble } from "/static/marble.js";
import { button, disable, h, icon, isNew, nameOf, pips, refill, setText, stepped,
  t } from "/static/page.js";
import { partnersOf } from "/static/trays.js";

const SURE_MS = 4000; // Time limit for the second, confirming press.

export class Ending {
  constructor(store, send) {
    /** @type {Store} */ this.store = store;
    /** @type {Send} */ this.send = send;
    this.sure = false;
    this.draw = button("draw", t("Offer a draw"),
      () => send({ type: "offer-draw", player: this.person }));
    this.agree = button("draw", "", () => send({ type: "offer-draw", player: this.next }),
      { class: "primary" });
    this.resign = button("flag", "", () => this.giveUp());
    this.element = h("div", { class: "ending" },
      h("div", { class: "row" }, this.draw, this.resign));
    store.on(["layout"], () => { this.sure = false; });
    store.listen(() => this.update());
  }

  /** Return whether a person plays it from this page. */
  here(player) {
    const { mine, mayAct, snapshot: { players: { engines }, match } } = this.store;
    return mayAct ? !engines[player] && !match?.far.includes(player) : mine.includes(player);
  }

  /** The person who may end the game: the player to move, or one who waits for a bot. */
  get person() {
    const { snapshot, game } = this.store;
    const mover = snapshot.game.to_move;
    return this.here(mover) ? mover : game.players.find((player) => this.here(player));
  }

  /** The person who can agree to a draw, or null. Bots answer themselves. */
  get next() {
    const { snapshot, game } = this.store;
    const offers = snapshot.players.draw_offers;
    if (!offers.length) return null;
    const sides = game.teams.length ? game.teams : game.players.map((player) => [player]);
    const open = sides.filter((side) => !side.some((each) => offers.includes(each)));
    return open.flat().find((player) => this.here(player));
  }

  update() {
    const { snapshot, game, review, link } = this.store;
    const goesOn = Boolean(game && snapshot?.game.to_move) && !snapshot.game.result
      && !snapshot.learning.lesson && !snapshot.seats;
    this.element.hidden = !goesOn || Boolean(review) || link !== "open" || !this.person;
    if (this.element.hidden) return;
    // Another person has not pressed yet. A bot's move between the two presses changes nothing.
    if (isNew(this, "asked", [this.person])) this.sure = false;
    const { players } = this.store;
    const { guidance: { phase }, players: { draw_offers: offers } } = snapshot;
    if (this.next)
      setText(this.agree.lastChild, t("{player} agrees", { player: players.called(this.next) }));
    setText(this.resign.lastChild,
      this.sure ? t("{player} resigns?", { player: players.called(this.person) }) : t("Resign"));
    this.resign.classList.toggle("sure", this.sure);
    const sides = game.teams.length || game.players.length;
    this.resign.hidden = sides > 2;
    for (const each of [this.resign, this.draw])
      disable(each, phase === "settle" ? t("Finish this move first.") : "");
    this.draw.hidden = offers.length > 0;
  }

  giveUp() {
    if (this.sure) {
      this.sure = false;
      this.send({ type: "resign", player: this.person });
      return;
    }
    this.sure = true;
    this.update();
    setTimeout(() => {
      this.sure = false;
      this.update();
    }, SURE_MS);
  }
}

// Labels for the help of the table's hand, by phase.
/** @type {Record<string, (guidance: Wire.GuidanceGroup) => string>} */
const HELP = {
  setup: () => t("Set it up for me"),
  settle: ({ shifts }) =>
    (shifts.length && shifts.every(({ source }) => source === null) ? t("Put them on for me")
      : t("Push them for me")),
  fix: () => t("Fix it for me"),
};

/** The buttons under the sentence: the next step first, and always Take back. */
export class Actions {
  constructor(store, { send, ownHand, ending, cup, newGame, playAgain, learn, nextPuzzle,
    leaveReview, takeBackToHere }) {
    /** @type {Store} */ this.store = store;
    this.ownHand = ownHand;
    this.ending = ending;
    this.cup = cup;
    const command = (type, asks = () => null) => () =>
      send(store.mayAct ? { type } : { type, player: asks() });
    const mover = () => store.bySeat;
    const primary = { class: "primary" };
    this.play = button("plus", t("New game"), newGame, primary);
    this.again = button("again", t("Play again"), () => playAgain(false), primary);
    this.swapped = button("swap", t("Swap colours"), () => playAgain(true));
    this.other = button("plus", t("Another game"), newGame);
    this.goOn = button("back", "", takeBackToHere);
    this.leave = button("close", t("Back to the game"), leaveReview, { class: "primary leave" });
    this.help = button("hand", "", () => ownHand.carryOut(), primary);
    this.level = button("draw", t("Level it"),
      () => send({ type: "tilt", x_deg: 0, y_deg: 0 }), primary);
    this.hint = button("bulb", t("Hint"), command("hint", mover));
    this.show = button("bulb", t("Show me"), command("hint"));
    this.learn = button("help", t("Learn in a minute"), learn, { class: "learn" });
    this.nextPuzzle = button("next", t("Next puzzle"), nextPuzzle, primary);
    this.endLesson = button("close", t("Back to the game"), command("stop-learning"));
    this.sure = button("next", t("I am sure"), command("sure"), primary);
    this.swap = button("swap", t("Swap colours"), command("swap", mover));
    this.takeBack = button("back", t("Take back"), command("take-back", () => this.taker),
      { class: "take-back" });
    this.element = h("div", { class: "actions" });
    store.listen(() => this.update());
  }

  update() {
    const { layout, snapshot, mayAct, review, working } = this.store;
    disable(this.help, working ? t("One moment, please.") : "");
    disable(this.takeBack, this.store.link !== "open" ? t("The table does not answer.")
      : snapshot.game.can_take_back ? "" : t("There is no move to take back."));
    // Not while something is wrong.
    const swap = (mayAct || this.store.bySeat) && snapshot.game.swap_legal
      && snapshot.guidance.phase === "turn" ? this.swap : null;
    if (review) this.offer(this.lookingBack(review), this.leave);
    else if (snapshot.guidance.phase === "free") this.offer();
    else if (!mayAct) this.offer(...this.ofSeat(snapshot, swap));
    else if (!layout.game) this.offer(this.play);
    else if (this.leans(snapshot)) this.offer(this.level, this.takeBack);
    else if (snapshot.learning.lesson)
      this.offer(this.ofLesson(snapshot), this.endLesson,
        snapshot.learning.lesson.puzzle ? this.takeBack : null);
    else if (snapshot.learning.doubting) this.offer(this.sure, this.takeBack);
    else if (snapshot.guidance.phase === "over")
      this.offer(...(this.cup.next ? [this.cup.next, this.again, this.cup.standings]
        : [this.again, this.store.players.exchanges && this.swapped, this.other]), this.takeBack);
    else if (snapshot.guidance.phase === "turn" && this.ending.next)
      this.offer(this.ending.agree, swap ?? this.hinting(snapshot), this.takeBack);
    else this.offer(this.helping(snapshot) ?? swap ?? this.first(snapshot, layout),
      this.hinting(snapshot), this.takeBack);
  }

  /** The buttons of a device that only has seats.
   * @param {Wire.Snapshot} snapshot */
  ofSeat(snapshot, swap) {
    if (!this.store.mine.length) return [];
    if (snapshot.guidance.phase === "over" && !snapshot.learning.lesson) return [this.again];
    return [this.ending.next ? this.ending.agree : null, swap,
      this.store.bySeat ? this.hinting(snapshot) : null, this.taker ? this.takeBack : null];
  }

  /** The player of this device whose move can be taken back: the one that is being made, or the
   * last move of a person, with the bots' answers to it. */
  get taker() {
    const { game: { players }, mine, snapshot } = this.store;
    const { game: { moves, to_move: mover }, guidance: { phase } } = snapshot;
    const last = moves.map((_, ply) => players[ply % players.length])
      .findLast((player) => !snapshot.players.engines[player]);
    const player = phase === "settle" ? mover : last;
    return mine.includes(player) && !snapshot.seats ? player : null;
  }

  /** Return whether the plate is held tilted and the table's hand could level it.
   * @param {Wire.Snapshot} snapshot */
  leans({ guidance, plate }) {
    return guidance.phase === "paused" && plate.stillness === "tilted" && this.store.handsFree;
  }

  /** Return the button for the lesson before the first move.
   * @param {Wire.Snapshot} snapshot */
  first({ game: { moves } }, { game }) {
    return game.lesson && moves.length === 0 ? this.learn : null;
  }

  /** Return the button for the next step of a lesson, or for a game after it.
   * @param {Wire.Snapshot} snapshot */
  ofLesson(snapshot) {
    const { done, steps, by_hand: others } = snapshot.learning.lesson;
    if (snapshot.learning.lesson.wrong) return this.show;
    if (done === steps) return snapshot.learning.lesson.puzzle ? this.nextPuzzle : this.play;
    if (snapshot.guidance.phase !== "turn") return this.helping(snapshot);
    if (!others || !this.store.handsFree || this.ownHand.on) return null;
    setText(this.help.lastChild, t("Make this move for me"));
    return this.help;
  }

  lookingBack({ record, ply }) {
    if (record.played) return null; // This line was not played.
    const own = record.game.id === this.store.layout.game?.id;
    setText(this.goOn.lastChild, own ? t("Take back to here") : t("Play on from here"));
    return own && ply === record.moves.length ? null : this.goOn;
  }

  /** Return the button for the table's hand, if it can help and does not work unasked.
   * @param {Wire.Snapshot} snapshot */
  helping(snapshot) {
    const { game, guidance: { phase, roles, shifts }, players } = snapshot;
    const words = HELP[phase];
    const something = Object.keys(roles).length + shifts.length > 0;
    // The bot's own hand is at work.
    const engine = phase === "settle" && players.engines[game.to_move];
    const alone = engine || (this.ownHand.on && phase !== "fix");
    if (!this.store.handsFree || !words || !something || alone) return null;
    setText(this.help.lastChild, words(snapshot.guidance));
    return this.help;
  }

  /** Return the button for a hint while a person is to move.
   * @param {Wire.Snapshot} snapshot */
  hinting({ game: { to_move: mover }, guidance, learning, match, players }) {
    const may = this.store.layout.engine_names.length && guidance.phase === "turn"
      && !players.engines[mover] && !match?.far.includes(mover) && !players.thinking;
    disable(this.hint, learning.hinting ? t("Thinking…") : "");
    return may ? this.hint : null;
  }

  offer(...actions) {
    const wanted = actions.filter(Boolean);
    const there = [...this.element.children];
    if (there.length === wanted.length && there.every((one, at) => one === wanted[at])) return;
    this.element.replaceChildren(...wanted);
  }
}

// The sentence about the next step, the result, faults, and the connection.
const PHASES = {
  setup: () => t("Set up"),
  turn: () => t("Your turn"),
  settle: () => t("Finish the move"),
  fix: () => t("Fix the board"),
  paused: () => t("Paused"),
  over: () => t("The end"),
  free: () => t("Playground"),
};

/** @param {Wire.Snapshot} snapshot */
function phaseOf({ guidance: { phase }, seats: room }) {
  if (room && phase === "turn") return t("Round {round}", { round: room.public.round });
  return PHASES[phase]?.() ?? phase;
}

/** Let paper in the winner's colour rain over the page, unless people want no motion. */
function celebrate(colour) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const paper = h("div", { class: "confetti", "aria-hidden": "true" },
    Array.from({ length: 80 }, (_, at) =>
      h("i", { "--c": at % 3 ? colour : "var(--accent)", "--x": `${Math.random() * 100}%` })));
  document.body.append(paper);
  for (const each of paper.children)
    each.animate({ translate: ["0 -3vh", `${Math.random() * 30 - 15}vw 103vh`],
      rotate: ["0deg", `${Math.random() * 1800}deg`] },
    { duration: 1400 + Math.random() * 1600, easing: "ease-in", fill: "both" });
  setTimeout(() => paper.remove(), 3000);
}

export class Say {
  /** @type {string | undefined} */ playedKey;
  /** @type {string | undefined} */ playedSay;

  /** `actions` is the row of buttons; `learn()` begins the game's lesson. Faults are shown in
   * `side`, because above the sentence they would push it onto the plate. */
  constructor(store, box, side, actions, learn, voice, ownHand) {
    /** @type {Store} */ this.store = store;
    this.voice = voice;
    this.ownHand = ownHand;
    this.ask = button("help", t("Learn in a minute"), learn,
      { class: "plain quiet ask-how", hidden: true });
    this.phase = h("span", { class: "phase" });
    this.steps = h("span", { hidden: true }); // Progress of a lesson.
    this.mover = h("span", { class: "mover" });
    this.line = h("p", { class: "line", "aria-live": "polite" });
    this.tally = h("div", { class: "tally" });
    this.card = h("div", { class: "say-card" }, this.mover,
      h("div", { class: "say-words" }, this.phase, this.steps, this.tally, this.line),
      this.ask, actions);
    this.faults = h("div", { class: "faults", "aria-live": "polite" });
    this.link = h("div", { class: "link-lost", role: "status" });
    box.replaceChildren(this.link, this.card); // The program's name was there during loading.
    side.prepend(this.faults);
    store.listen(() => this.update(), true);
    store.on(["pointed"],
      () => this.card.animate({ transform: ["scale(1)", "scale(1.025)", "scale(1)"] }, 260));
  }

  update() {
    const { layout, snapshot, review, link } = this.store;
    const lost = link === "lost";
    this.link.hidden = !lost;
    setText(this.link, lost ? t("The table does not answer. Trying again…") : "");
    document.documentElement.dataset.link = link;
    document.documentElement.toggleAttribute("data-looking-back", Boolean(review));
    this.card.hidden = lost && !snapshot; // Nothing is known of the game.
    const lit = Object.values(snapshot?.guidance.roles ?? {})
      .filter((role) => role === "legal").length;
    // One or two places are those of a hint or a lesson.
    document.documentElement.toggleAttribute("data-pointed-at", lit > 0 && lit < 3);
    if (!layout || !snapshot) {
      this.tell(lost ? "" : t("Looking for the table…"));
      return;
    }
    const { guidance, plate } = snapshot;
    this.showFaults(review ? guidance.faults : this.unsaid(guidance), plate.dimmed);
    if (review) this.showReview(review);
    else this.showGame(snapshot, layout);
  }

  /** @param {Wire.Snapshot} snapshot */
  showGame(snapshot, layout) {
    const { game: { result, to_move: mover }, guidance: { phase }, players } = snapshot;
    const { lesson } = snapshot.learning;
    this.card.dataset.phase = layout.game ? phase : "none";
    this.card.parentElement.toggleAttribute("data-far",
      mover === layout.game?.players[1] && !Object.keys(players.engines).length);
    this.card.toggleAttribute("data-thinking", Boolean(players.thinking));
    const computer = players.engines[mover]
      && (players.thinking ? t("Thinking…") : phase === "settle" && t("The bot plays"));
    const who = result?.winner ?? mover;
    const far = snapshot.match?.far.includes(who);
    const what = computer
      || (far && phase === "turn" ? t("Far away") : layout.game ? phaseOf(snapshot) : t("Welcome"));
    const partners = (phase === "turn" ? partnersOf(layout.game, mover) : [])
      .map((player) => this.store.players.called(player));
    const whose = partners.length
      ? t("{what}, with {partner}", { what, partner: partners.join(" ") }) : what;
    this.steps.hidden = !lesson || Boolean(lesson.puzzle);
    if (lesson) refill(this.steps, pips(lesson.done, lesson.steps));
    const stage = this.lessonOf(lesson) ?? whose;
    setText(this.phase, this.ofSeat() ?? stage);
    this.ask.hidden = !layout.game?.lesson || Boolean(lesson) || !this.store.mayAct;
    this.tell(snapshot.learning.attract ? t("Demo game. Touch anything to play.")
      : this.words(snapshot));
    const winner = result ? result.winner ?? result.team?.[0] : mover;
    this.showBall(winner, Boolean(result?.winner || result?.team));
    this.count();
  }

  /** Say who looks on, on a device that may not act for everybody; null on one that may. */
  ofSeat() {
    const { watching, mine, bySeat } = this.store;
    if (!watching) return null;
    return bySeat ? t("Your turn") : mine.length
      ? t("You are {player}", { player: mine.map(nameOf).join(", ") }) : t("You are watching");
  }

  /** Say how far a lesson has come, or return null.
   * @param {Wire.LessonProgress | null} lesson */
  lessonOf(lesson) {
    if (!lesson) return null;
    const { done, steps, puzzle, tactic, wrong } = lesson;
    if (puzzle && done === steps && !wrong) return t("Solved!");
    if (tactic) return t("Tactics {number}", { number: tactic });
    if (puzzle) return t("Puzzle {number}", { number: puzzle });
    return done === steps ? t("You can play it now!")
      : t("Learn: step {step} of {steps}", { step: done + 1, steps });
  }

  /** @param {Wire.Snapshot} snapshot */
  words({ game: { result, to_move: mover }, guidance, learning, match, players: playing, seats }) {
    const { game, handsFree, falling, players } = this.store;
    const { question, say, phase, roles } = guidance;
    const { draw_offers: offers, engines } = playing;
    if (question && !falling) return question.say;
    const free = ["heroes", "deal"].includes(seats?.public.phase)
      ? seats.seats.filter((seat) => !seat.taken && !seat.computer) : [];
    if (free.length)
      return t("The cards are dealt once every seat is taken. Still free: {seats}.",
        { seats: free.map(({ player }) => nameOf(player)).join(", ") });
    if (offers.length && !result) {
      return `${say} ${t("{players} offers a draw. To decline, just play on.",
        { players: offers.map((each) => players.called(each)).join(", ") })}`;
    }
    if (phase === "settle") return this.played() ?? say;
    // These pieces are of the game before, so they are only cleared.
    const lit = Object.values(roles);
    if (phase === "setup" && handsFree && this.ownHand.on && lit.length
      && lit.every((role) => ["remove", "wrong"].includes(role))) return t("Clearing the board…");
    const slots = phase === "turn" && handsFree && game?.slots.length && !learning.lesson
      && !engines[mover] && !match?.far.includes(mover);
    return slots ? `${say} ${t("Or tap a slot.")}` : say;
  }

  /** Tell what a bot plays while the table's own hand carries it out, since the reader has nothing
   * to do. */
  played() {
    const { snapshot, handsFree } = this.store;
    const { game: { to_move: mover, moves }, guidance: { shifts }, players } = snapshot;
    if (!players.engines[mover] || !handsFree || !this.ownHand.on) return null;
    const key = `${this.store.layout.number} ${moves.length} ${mover}`;
    const { source, target } = shifts.find((each) => each.source === null && each.target)
      ?? (shifts.every((each) => each.target) ? shifts[0] : null) ?? {};
    if (key !== this.playedKey && target) {
      const where = { player: this.store.players.called(mover),
        source: this.store.label(source ?? ""), place: this.store.label(target) };
      [this.playedKey, this.playedSay] = [key,
        source ? t("{player} moves from {source} to {place}.", where)
          : t("{player} drops on {place}.", where)];
    }
    if (key !== this.playedKey) return null;
    return this.playedSay;
  }

  /** Show a sentence; long ones are smaller, so that the plate keeps its room. */
  tell(words) {
    setText(this.line, this.store.said(words));
    this.voice.say(this.store.said(words));
    this.line.toggleAttribute("data-long", words.length > 80);
    this.line.toggleAttribute("data-longer", words.length > 115);
  }

  showReview({ record, ply }) {
    this.card.dataset.phase = "review";
    this.steps.hidden = true;
    setText(this.phase, record.played && ply > record.from ? t("What if?") : t("Reviewing"));
    const move = record.moves[ply - 1];
    const mover = ply > 0 ? record.positions[ply - 1].to_move : record.positions[0].to_move;
    this.tell(ply === 0
      ? t("The start of the game.")
      : t("Move {number} of {count}: {player} {move}",
          { number: ply, count: record.moves.length,
            player: mover ? this.store.players.called(mover) : "",
            move: this.store.label(move ?? "") }));
    this.showBall(mover, false);
    this.count();
  }

  /** Show the figures that decided the game. */
  count() {
    const { result } = shown(this.store);
    const told = result && !this.store.review && this.store.players.told;
    if (!isNew(this, "counted", [result, this.store.game?.id, told])) return;
    const figure = (piece, text) => h("span", {}, marble(piece, this.store.game), text);
    const figures = Object.entries(result?.positions ?? {})
      .map(([player, found]) =>
        figure(player, found.length === 1 ? t("1 position")
          : t("{count} positions", { count: found.length })));
    if (result?.margin !== undefined) {
      figures.push(figure(this.store.game.pieces.find((piece) =>
        !this.store.game.players.includes(piece)), result.margin === 1
        ? t("1 pod still in reach") : t("{count} pods still in reach", { count: result.margin })));
    }
    if (told) figures.push(h("span", {}, told));
    this.tally.replaceChildren(...figures);
    this.tally.hidden = figures.length === 0;
  }

  showBall(piece, won) {
    const { review, snapshot } = this.store;
    const level = review ? 0 : snapshot.players.engines[piece]?.level;
    const mood = level ? moodOf(this.store, piece) : "";
    if (!isNew(this, "ball", [this.store.game?.id, piece, won, level, mood])) return;
    refill(this.mover, level ? face(level, mood)
      : piece && marble(piece, this.store.game), won ? icon("trophy") : null);
    this.mover.hidden = !piece && !won;
    const { players, game } = this.store;
    if (won && !level && players.running === game.id) celebrate(looksOf(piece, game).base);
  }

  /** Return the faults that the sentence does not mention. */
  unsaid({ faults, say }) {
    return faults.filter(({ problem }) => !say.includes(problem));
  }

  showFaults(faults, dimmed) {
    // A loose cable makes several parts fail, but is reported once.
    const lines = [...new Map(faults.map(({ problem, remedy, part }) =>
      [problem, [problem, remedy, part]])).values()];
    if (dimmed < 1) {
      const percent = Math.round(dimmed * 100);
      lines.push([t("The lights shine at {percent} % to spare the power supply.", { percent })]);
    }
    if (!isNew(this, "faultsShown", lines)) return;
    this.faults.replaceChildren(...lines.map(([problem, remedy, part]) =>
      h("p", { class: part === "far" ? "calm" : "" }, h("strong", {}, this.store.said(problem)),
        remedy ? ` ${this.store.said(remedy)}` : "")));
  }
}

// The table's question beside the plate, with answers to press by mouse, finger or key.
const FEW = 8; // A longer list of answers scrolls.

export class Questions {
  constructor(store, send) {
    /** @type {Store} */ this.store = store;
    /** @type {Send} */ this.send = send;
    this.line = h("p", { class: "asked" });
    this.element = h("section",
      { class: "card question", "aria-live": "polite", hidden: true }, this.line);
    this.element.addEventListener("keydown",
      (event) => this.buttons && stepped(event, this.buttons, document.activeElement));
    store.on(["guidance.question", "layout", "review", "link", "watching", "falling", "gripped"],
      () => this.draw());
  }

  draw() {
    const { snapshot, review, falling, mayAct } = this.store;
    const question = review || falling ? null : snapshot?.guidance.question ?? null;
    const asked = question ? JSON.stringify([question.ask, question.choices]) : "";
    // Otherwise whatever the pointer holds would move away.
    const stays = !question && this.store.gripped;
    this.element.classList.toggle("stays", Boolean(stays));
    if (asked !== this.asked && !stays) this.open(question, asked);
    this.buttons?.forEach((each, at) => {
      each.classList.toggle("at", !question?.offer && at === question?.at);
      disable(each, mayAct ? "" : t("The table does not answer."));
    });
  }

  open(question, asked) {
    this.asked = asked;
    const held = this.element.contains(document.activeElement);
    this.store.set("hint", null);
    this.element.hidden = !question;
    if (!question) {
      this.buttons = null;
      this.element.replaceChildren(this.line);
      if (held) document.getElementById("stage").focus();
      return;
    }
    setText(this.line, this.store.said(question.ask));
    this.element.classList.toggle("offer", Boolean(question.offer));
    this.element.classList.toggle("many", question.choices.length > FEW);
    this.element.setAttribute("aria-label", this.store.said(question.ask));
    this.buttons = question.choices.map((choice) => this.button(choice));
    this.element.replaceChildren(this.line, ...this.buttons);
    const stage = document.getElementById("stage");
    const idle = document.activeElement === document.body || document.activeElement === stage;
    if (held || (idle && !question.offer)) this.buttons[question.at].focus({ preventScroll: true });
  }

  button({ value, label, colour, path }) {
    return h("button", {
      type: "button", class: "choice", "data-value": value,
      onclick: () => this.send({ type: "answer", value }),
      onpointerenter: () => this.point(path, colour), onpointerleave: () => this.point(null),
      onfocus: () => this.point(path, colour), onblur: () => this.point(null),
    }, h("span", { class: "swatch", "--tint": colour }, icon(this.arrow(path))),
    h("span", {}, this.store.said(label.charAt(0).toUpperCase() + label.slice(1))));
  }

  /** Return the direction in which it falls. */
  arrow(path) {
    if (path.length < 2) return "next";
    const [a, b] = [path[0], path[path.length - 1]]
      .map((p) => this.store.centreOf(this.store.indexOf(p)));
    if (a.x !== b.x) return b.x > a.x ? "east" : "west";
    return b.y > a.y ? "north" : "south";
  }

  point(path, colour) {
    this.store.set("hint", path?.length > 1 ? { path, colour } : null);
  }
}
