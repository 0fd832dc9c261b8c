// The game's moves and story, stepping through them, and the analysis of what decided the game.
import { boardAt } from "/static/drawings.js";
import { looksOf, marble } from "/static/marble.js";
import { act, button, check, closed, disable, h, nameOf, opened, refill, remember, remembered, s,
  set, setText, t } from "/static/page.js";
import { partnersOf } from "/static/trays.js";

export class Moves {
  /** `ahead` is shown under the story, and `below` are the elements under the list of moves. */
  constructor(store, reviewer, pictures, ahead, ...below) {
    /** @type {Store} */ this.store = store;
    this.reviewer = reviewer;
    this.positions = []; // Cells of the current game after each number of moves.
    this.asked = 0;
    this.list = h("div", { class: "moves" });
    this.told = h("p", {});
    this.story = h("div", { class: "story" });
    this.steps = h("div",
      { class: "steps", role: "group", "aria-label": t("Step through the moves") },
      button("first", t("Start of the game"), () => reviewer.step("first")),
      button("previous", t("One move back"), () => reviewer.step(-1)),
      button("next", t("One move on"), () => reviewer.step(1)),
      button("last", t("Latest move"), () => reviewer.step("last")));
    this.element = h("div", { class: "moves-panel" }, this.story, ahead, this.list,
      h("div", { class: "stepping" }, this.steps, pictures), ...below);
    store.on(["layout"], () => {
      this.positions = [];
      // Number of moves at the last request for positions that this page has not seen.
      this.asked = 0;
    });
    store.on(["layout", "game.moves", "game.position", "review", "players"], () => this.draw());
  }

  /** Return the cells after each move. Positions that this page has not seen are requested once. */
  known(moves) {
    const { review, snapshot, layout } = this.store;
    if (review) return review.record.positions.map(({ cells }) => cells);
    if (snapshot.layout !== layout.number) return [];
    this.positions.length = moves.length;
    this.positions.push(snapshot.game.position);
    if (this.asked !== moves.length && this.positions.includes(undefined)
      && !snapshot.learning.lesson) {
      this.asked = moves.length;
      this.positions[0] ??= {};
      this.reviewer.record().then((record) => {
        record?.positions.slice(0, moves.length)
          .forEach(({ cells }, at) => { this.positions[at] = cells; });
        this.draw();
      });
    }
    return this.positions[0] ? this.positions : []; // Earlier moves of a puzzle are not stored.
  }

  draw() {
    const { store } = this;
    const { game, review, snapshot } = store;
    const moves = review ? review.record.moves : snapshot?.game.moves ?? [];
    for (const step of this.steps.querySelectorAll("button"))
      disable(step, moves.length ? "" : t("No moves yet."));
    const boards = game && snapshot && !Object.keys(game.glossary).length ? this.known(moves) : [];
    if (!moves.length || !boards.length) store.set("moved", null);
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
      ...game.players.map((player) =>
        h("span", { class: "head", title: nameOf(player) }, marble(player, game),
          players > 2 ? null : store.players.called(player))),
    ];
    moves.forEach((move, at) => {
      if (at % players === 0) cells.push(h("span", { class: "round" }, `${at / players + 1}`));
      const current = review ? review.ply === at + 1 : at === moves.length - 1;
      const kind = review?.record.played && at >= review.record.from ? "move supposed" : "move";
      cells.push(h("button",
        { type: "button", class: current ? `${kind} current` : kind, onclick: () =>
          this.reviewer.review(at + 1, true), "aria-current": current ? "step" : null },
        boards[at + 1] ? boardAt(store, boards[at + 1], boards[at]) : null, store.label(move)));
    });
    this.list.replaceChildren(...cells);
    const current = this.list.querySelector(".current");
    if (current instanceof HTMLElement)
      this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }

  /** Tell what the last move before that position did. */
  tell(boards, ply) {
    const { review, snapshot } = this.store;
    const now = boards[ply] ?? {};
    const before = boards[ply - 1] ?? now;
    const said = review ? review.record.told?.[ply - 1] ?? [] : snapshot.learning.told;
    this.store.set("moved", ply ? [before, now] : null);
    setText(this.told, this.store.said(said.length ? said.join(" ") : this.plainly(before, now)));
    this.story.replaceChildren(boardAt(this.store, now, before), this.told);
  }

  /** Describe a move without consequences: the piece, and where it came from and went. */
  plainly(before, now) {
    const { store } = this;
    const place = Object.keys(now)
      .find((each) => now[each] !== before[each] && store.game.players.includes(now[each]));
    if (!place) return ""; // No player's piece has changed: pods come from the set-up.
    const [player, label] = [store.players.called(now[place]), store.label(place)];
    const source = Object.keys(before).find((each) => before[each] === now[place] && !now[each]);
    return source ? t("{player} moves from {source} to {place}.",
      { player, source: store.label(source), place: label })
      : t("{player} drops on {place}.", { player, place: label });
  }
}

// Who is ahead during the game, shown on request.
export class Ahead {
  /** `onTurn()` is called after people have switched it on or off. */
  constructor(store, onTurn) {
    /** @type {Store} */ this.store = store;
    this.on = remembered("ahead", "no") === "yes";
    this.told = h("span", {});
    this.bar = h("div", { class: "shares" }, h("i", {}));
    this.element = h("div", { class: "ahead", hidden: true },
      check(t("Show who is ahead"), this.on, (on) => {
        remember("ahead", on ? "yes" : "no");
        this.on = on;
        onTurn();
        this.draw();
      }), this.told, this.bar);
    store.on(["layout", "learning.ahead", "players.may_assist", "game.moves",
      "game.result", "review", "watching", "link", "players"], () => this.draw());
  }

  draw() {
    const { game, snapshot, review, mayAct, players } = this.store;
    const [first, ...others] = game?.players ?? [];
    const other = others.find((player) => !partnersOf(game, first).includes(player));
    const sides = game?.teams.length || game?.players.length;
    this.element.hidden = sides !== 2 || !snapshot.players.may_assist || !snapshot.game.moves.length
      || Boolean(review || snapshot.game.result) || !mayAct;
    const shares = this.on && snapshot.learning.ahead;
    this.bar.hidden = !shares;
    const said = (player) => `${players.called(player)} ${Math.round(100 * shares[player])} %`;
    setText(this.told, shares ? `${said(first)} · ${said(other)}` : this.on ? "…" : "");
    if (!shares) return;
    this.bar.style.background = looksOf(other, game).base;
    const share = /** @type {HTMLElement} */ (this.bar.firstChild);
    share.style.background = looksOf(first, game).base;
    share.style.width = `${100 * shares[first]}%`;
  }
}

// Looking at earlier positions of this or another game, without a change at the table.
export class Reviewer {
  constructor(store, { fetchJson, ask, complain }) {
    /** @type {Store} */ this.store = store;
    this.fetchJson = fetchJson;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    const looking = { close: () => this.leave() };
    store.listen(() => (store.review ? opened : closed)(looking));
    addEventListener("keydown", (event) => {
      if (/** @type {Element} */ (event.target).closest("input, textarea, dialog")) return;
      if (event.key === ",") this.step(-1);
      else if (event.key === ".") this.step(1);
      else if (event.key === "Escape") this.leave();
    });
  }

  look(record, ply) { this.store.set("review", { record, ply }); }

  /** Show how the game could have continued instead of move number `ply`, as a game to step
   * through. */
  async line(ply, { moves, positions }) {
    const record = await this.record();
    if (!record) return;
    const played = record.played ?? record;
    const before = ply - 1;
    this.look({ ...played, played, from: before, result: null, places: [],
      moves: [...played.moves.slice(0, before), ...moves],
      positions: [...played.positions.slice(0, ply), ...positions] }, ply);
  }

  leave() { this.store.set("review", null); }

  /** Continue the game on the screen from the position shown. */
  async takeBackToHere() {
    const { record, ply } = this.store.review;
    try {
      if (record.game.id !== this.store.layout.game?.id) {
        await this.ask({ type: "resume", game: record.game.id });
      }
      if (ply < record.moves.length)
        await this.ask({ type: "take-back", game: record.game.id, to: ply });
      this.leave();
    } catch (error) { this.complain(error.message); }
  }

  /** Show the position after move number `ply` of the game on the screen. */
  async review(ply, within = false) {
    const found = await this.record();
    const record = found?.played && !within ? found.played : found;
    if (record) this.look(record, Math.max(0, Math.min(record.moves.length, ply)));
  }

  async step(by) {
    const { review, snapshot } = this.store;
    const count = review ? review.record.moves.length : snapshot?.game.moves.length ?? 0;
    const now = review ? review.ply : count;
    const wanted = { first: 0, last: count }[by] ?? now + by;
    const own = !review || review.record.game.id === this.store.layout.game?.id;
    if (own && !review?.record.played && wanted >= count && (by === "last" || wanted > count))
      this.leave();
    else await this.review(wanted, true);
  }

  async record() {
    const { review, layout } = this.store;
    if (review) return review.record;
    // Lessons are not stored.
    if (!layout?.game || this.store.snapshot.learning.lesson) return null;
    return this.fetchJson(`/api/v1/history/${layout.game.id}`)
      .catch((error) => this.complain(error.message));
  }
}

// The course of the game move by move, and the moves that decided it.
const WIDE = 300;
const HIGH = 90;

export class Analysis {
  constructor(store, reviewer, { send, fetchJson, complain }) {
    /** @type {Store} */ this.store = store;
    this.reviewer = reviewer;
    /** @type {Send} */ this.send = send;
    this.fetchJson = fetchJson;
    this.complain = complain;
    this.ask = button("bulb", t("What decided it?"), () => this.look());
    this.body = h("div", {});
    this.element = h("div", { class: "analysis", hidden: true }, this.ask, this.body);
    store.on(["layout", "game.moves", "guidance.phase", "review"], () => this.update());
  }

  /** Return the game on the screen, or the one that has ended on the plate. */
  subject() {
    const { review, layout, snapshot } = this.store;
    if (review)
      return { game: review.record.game, moves: (review.record.played ?? review.record).moves };
    return snapshot?.guidance.phase === "over" && layout?.game
      ? { game: layout.game, moves: snapshot.game.moves } : null;
  }

  update() {
    const subject = this.subject();
    this.element.hidden = !subject || subject.game.players.length !== 2 || subject.moves.length < 2
      || !this.store.layout.engine_names.length;
    if (this.element.hidden) return;
    const key = `${subject.game.id} ${subject.moves.join(" ")}`;
    if (key !== this.key) {
      this.key = key;
      this.found = null;
      this.ask.hidden = false;
      refill(this.body);
    }
    this.mark();
  }

  async look() {
    const { key } = this;
    const { game } = this.subject();
    disable(this.ask, t("Thinking it over…"));
    setText(this.ask.lastChild, t("Thinking it over…"));
    try {
      const found = await this.fetchJson(`/api/v1/history/${game.id}/analysis`);
      if (key === this.key) this.draw(found, game);
    } catch (error) { this.complain(error.message); }
    disable(this.ask, "");
    setText(this.ask.lastChild, t("What decided it?"));
  }

  draw(found, game) {
    this.found = found;
    this.ask.hidden = true;
    const { shares, turning } = found;
    const x = (ply) => (ply / Math.max(1, shares.length - 1)) * WIDE;
    const y = (share) => HIGH - share * HIGH;
    const line = shares.map((share, ply) => `${x(ply).toFixed(1)},${y(share).toFixed(1)}`)
      .join(" ");
    this.now = s("line", { class: "now", y1: 0, y2: HIGH });
    const dots = turning.map(({ ply }) => s("circle", { cx: x(ply), cy: y(shares[ply]), r: 4.5 }));
    const [first, second] = game.players.map(nameOf);
    const chart = s("svg", {
      viewBox: `-5 -5 ${WIDE + 10} ${HIGH + 10}`, preserveAspectRatio: "none", role: "img",
      "aria-label": t("Above the middle {first} is ahead, below it {second}.", { first, second }),
      onclick: (event) => this.pick(event, shares.length),
    }, s("line", { class: "even", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 }), this.now,
    s("polyline", { points: line }), ...dots);
    const cost = ({ ply }) => Math.abs(shares[ply] - shares[ply - 1]);
    const percent = (share) => `${Math.round(100 * share)} %`;
    const toLearn = this.store.mayAct ? found.learn : [];
    const lesson = (each) =>
      [each?.puzzle ? act(t("A puzzle like it"),
        () => this.send({ type: "puzzle", game: game.name, number: each.puzzle })) : null,
      each && each.practise !== null
        ? act(t("Find the better move"),
            () => this.send({ type: "practise", game: game.id, ply: each.practise })) : null];
    const points = turning.length
      // The most expensive mistake comes first.
      ? [...turning].sort((one, other) => cost(other) - cost(one)).map((point) => h("li", {},
          act(this.store.said(point.say), () => this.reviewer.review(point.ply - 1),
            { class: "plain" }),
          h("span", { class: "hint" },
            `${first}: ${percent(shares[point.ply - 1])} → ${percent(shares[point.ply])}`),
          h("div", { class: "row" },
            point.better.moves.length
              ? act(t("What was better"), () => this.reviewer.line(point.ply, point.better)) : null,
            act(t("What followed"), () => this.reviewer.line(point.ply, point.played)),
            lesson(toLearn.find(({ say }) => say === point.say)))))
      : h("li", { class: "hint" }, t("No single move decided it."));
    refill(this.body,
      h("div", { class: "plot" }, h("span", { class: "side" }, `${first} 100 %`), chart,
        h("span", { class: "side" }, `${second} 100 %`)), h("ol", { class: "turning" }, points),
      h("ol", { class: "to-learn" },
        toLearn.filter(({ say }) => !turning.some((point) => point.say === say))
          .map((each) => h("li", {}, this.store.said(each.say),
            h("div", { class: "row" }, lesson(each))))));
    this.mark();
  }

  pick(event, count) {
    const box = event.currentTarget.getBoundingClientRect();
    this.reviewer.review(Math.round(((event.clientX - box.left) / box.width) * (count - 1)));
  }

  /** Mark the position on the screen in the plot. */
  mark() {
    if (!this.found || !this.now) return;
    const count = this.found.shares.length - 1;
    const { review } = this.store;
    const ply = review?.record.played ? review.record.from : review?.ply;
    const x = ((ply ?? count) / Math.max(1, count)) * WIDE;
    set(this.now, { x1: x, x2: x });
  }
}
