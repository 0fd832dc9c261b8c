// A family cup: three to eight people play each other once at one table. This browser stores the
// cup.
import { dialog, fetchJson, open, show, tried } from "/static/dialogs.js";
import { act, button, h, refill, remember, remembered, setText, t } from "/static/page.js";

// Minimum and maximum number of names, and letters of a name.
const [FEWEST, MOST, LONGEST] = [3, 8, 24];

/** Return all pairs of players by number. Everybody meets everybody once, and plays once in a round
 * (the circle method). */
export function meetings(count) {
  const seats = [...Array(count + (count % 2)).keys()];
  const found = [];
  for (let round = 1; round < seats.length; round += 1) {
    for (let at = 0; at < seats.length / 2; at += 1) {
      const pair = [seats[at], seats.at(-1 - at)];
      // Reversing every other pair gives both players the first move equally often.
      if (Math.max(...pair) < count) found.push(round % 2 ? pair : pair.reverse());
    }
    seats.splice(1, 0, seats.pop());
  }
  return found;
}

export class Cup {
  /** @type {Array<Wire.GameKind> | undefined} */ games;

  constructor(store, { ask, players }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.players = players;
    // {game, names, ids}: `ids` are the ids of the pairs' games that have begun.
    this.cup = JSON.parse(remembered("cup", "null"));
    this.body = h("div", { class: "cup" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.element = dialog(t("Family cup"), "family-cup", this.body, this.problem);
    this.standings = button("list", t("Standings"), () => this.show());
    this.onwards = button("trophy", "", () => this.proceed(), { class: "primary" });
  }

  /** Index of the cup's game that is on the plate, or -1. */
  get at() { return this.cup?.ids.indexOf(this.store.layout?.game?.id) ?? -1; }

  /** Points of each pair's first player, from 0 to 1, or null before their game. */
  get won() {
    const { names, ids } = this.cup;
    return meetings(names.length).map(([first], at) => {
      const winners = this.players.games[ids[at]]?.won;
      return !winners ? null : winners.length > 1 ? 0.5 : Number(winners[0] === names[first]);
    });
  }

  /** Label that says who plays next. */
  get said() {
    const { names } = this.cup;
    const [one, other] = (meetings(names.length)[this.won.indexOf(null)] ?? []).map((each) =>
      names[each]);
    return one ? t("Next: {one} v {other}", { one, other }) : t("Family cup");
  }

  /** The button for the cup's next game, or null if the current game is not of the cup. */
  get next() {
    if (this.at < 0) return null;
    setText(this.onwards.lastChild, this.said);
    return this.onwards;
  }

  proceed() {
    const next = this.won.indexOf(null);
    return next < 0 ? this.show() : this.play(next);
  }

  again() { return this.play(this.at); }

  keep(cup) {
    this.cup = cup;
    remember("cup", JSON.stringify(cup));
  }

  show() {
    open(this.element);
    return tried(this.problem, async () => {
      this.games ??= await fetchJson("/api/v1/games");
      this.draw();
    });
  }

  draw() { this.body.replaceChildren(...(this.cup ? this.table() : this.beginning())); }

  beginning() {
    const games = this.games.filter(({ seated }) => !seated);
    const game = h("select", { "aria-label": t("Game") },
      games.map(({ name, credit }) =>
        h("option", { value: name, selected: name === this.store.layout?.game?.name },
          credit.title)));
    const board = h("select", { "aria-label": t("Board") });
    const chosen = () => games.find(({ name }) => name === game.value);
    const boards = () => refill(board, chosen().presets.map(({ choices }, at) =>
      (chosen().players[at].length === 2
        ? h("option", { value: at }, Object.values(choices).at(-1)) : null)));
    game.addEventListener("change", boards);
    boards();
    const names = Array.from({ length: MOST },
      (_, at) => h("input",
        { type: "text", maxlength: LONGEST, "aria-label": t("Name {number}", { number: at + 1 }),
          placeholder: t("Name {number}", { number: at + 1 }) }));
    const start = () => {
      const given = names.map(({ value }) => value.trim()).filter(Boolean);
      const fits = given.length >= FEWEST && new Set(given).size === given.length;
      this.problem.textContent = fits ? "" : t("Three to eight different names, please.");
      if (!fits) return;
      this.keep({ game: game.value, options: chosen().presets[board.value].options, names: given,
        ids: [] });
      this.draw();
    };
    return [h("form", { novalidate: true, onsubmit: start },
      h("p", {}, t("Everyone plays everyone. One point for a win, half a point for a draw.")),
      h("div", { class: "row" }, game, board),
      h("div", { class: "names" }, names),
      h("button", { type: "submit", class: "primary" }, t("Start")))];
  }

  table() {
    const { won, cup: { names } } = this;
    const pairs = meetings(names.length);
    const rows = names.map((name, who) => {
      const results = pairs.flatMap((pair, at) =>
        (won[at] === null || !pair.includes(who) ? [] : [pair[0] === who ? won[at] : 1 - won[at]]));
      return { name, played: results.length, points: results.reduce((sum, each) => sum + each, 0) };
    }).sort((one, other) => other.points - one.points);
    const said = pairs.map(([one, other], nth) =>
      h("li", {}, `${names[one]} – ${names[other]}`,
        h("b", {}, won[nth] === null ? "" : won[nth] === 0.5 ? "½ : ½"
          : `${won[nth]} : ${1 - won[nth]}`)));
    return [
      h("table", {},
        h("thead", {}, h("tr", {},
          [t("Name"), t("Games"), t("Points")].map((each) => h("th", { scope: "col" }, each)))),
        h("tbody", {},
          rows.map(({ name, played, points }) =>
            h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, played),
              h("td", {}, points))))),
      !won.includes(null) ? h("p", { class: "aim" },
        t("{players} won the cup!",
          { players: rows.filter(({ points }) => points === rows[0].points).map(({ name }) => name)
            .join(", ") }))
        : button("play", this.said, () => this.proceed(), { class: "primary" }),
      h("ol", { class: "meetings" }, said),
      button("close", t("End the cup"), () => this.askToEnd())];
  }

  askToEnd() {
    const end = () => { asked.close(); this.keep(null); this.draw(); };
    const asked = show(t("End the cup?"), "end-cup", h("p", {}, t("Its results are deleted.")),
      h("footer", {}, act(t("Cancel"), () => asked.close()),
        act(t("End the cup"), end, { class: "primary" })));
  }

  async play(at) {
    const { game, names, options = {} } = this.cup;
    const [one, other] = meetings(names.length)[at];
    const done = await tried(this.problem, async () => {
      const before = this.store.layout?.game?.id;
      await this.ask({ type: "game", game, options, boards: {} });
      await this.store.until(() => this.store.layout.game?.id !== before, 10_000);
      this.keep({ ...this.cup, ids: this.cup.ids.toSpliced(at, 1, this.store.layout.game.id) });
      this.players.seat([names[one], names[other]]);
      remember("begun", "yes");
    });
    if (done) this.element.close();
    else if (!this.element.open) this.show();
  }
}
