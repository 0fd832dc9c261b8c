// Who plays which colour, by name, and how many games each has won against these opponents: kept by
// this browser.
import { h, nameOf, remember, remembered, setText, t } from "/static/page.js";
import { engineName } from "/static/opponents.js";

const LONGEST_NAME = 24;
const A_MATCH = 2; // games: before, nobody is ahead

export class Players {
  constructor(store, ask) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.running = null; // the game that this page has seen go on
    this.read();
    store.players = this;
    addEventListener("storage", ({ key }) => { // another page of this browser has told it
      if (key !== "tiltboard.players") return;
      this.read();
      store.tell("players");
    });
    store.on(["game.result", "layout", "review", "learning.lesson"], () => this.count());
  }

  read() {
    const { names, games } = JSON.parse(remembered("players", "{}"));
    // kind of game -> seat -> name; a seat is a player's number in turn order
    this.known = games ? names : {};
    this.games = games ?? {}; // game -> {match, won: who won it, all of them in a draw}
  }

  keep() {
    remember("players", JSON.stringify({ names: this.known, games: this.games }));
    this.store.tell("players");
  }

  /** Seat -> name: what this page was told for the kind of game that is shown, else whom the
   * table knows to play. */
  get names() {
    const { game, layout, snapshot } = this.store;
    const now = game === layout?.game ? snapshot : null;
    const seated = (game?.players ?? []).map((player) =>
      (now?.players.engines[player] || now?.match?.far.includes(player)
        ? undefined : now?.players.names[player]));
    return { ...seated, ...this.known[game?.name] };
  }

  seatOf(player) { return this.store.game?.players.indexOf(player) ?? -1; }

  /** The person's name; "" where there is none, or the computer plays, or another table. */
  name(player) {
    const { snapshot } = this.store;
    return snapshot?.players.engines[player] || snapshot?.match?.far.includes(player) ? ""
      : this.names[this.seatOf(player)] ?? "";
  }

  /** The name of the person or the bot, as far as page or table know it, else the colour's. */
  called(player) {
    const { review, snapshot } = this.store;
    return this.name(player) || (!review && snapshot?.players.names[player]) || nameOf(player);
  }

  /** Whose wins count together: a name, the computer at its level, the one person without a
   * name. */
  identity(player) {
    const { engines } = this.store.snapshot.players;
    if (engines[player]) return `= ${engineName(engines[player])}`;
    const unnamed = this.store.game.players.filter((each) => !engines[each] && !this.name(each));
    return this.name(player) || (unnamed.length === 1 ? "=" : `= ${this.seatOf(player)}`);
  }

  /** This kind of game among these opponents, whoever begins. */
  get match() {
    const { name, players } = this.store.game;
    return JSON.stringify([name, ...players.map((player) => this.identity(player)).sort()]);
  }

  /** Whether colours are exchanged for another game: who has none but his seat stays there. */
  get exchanges() {
    const { engines } = this.store.snapshot.players;
    return this.store.game.players.every((player) => engines[player] || this.name(player)
      || this.identity(player) === "=");
  }

  /** The player whose colour that one's player has in the next game. */
  next(player) {
    const { players } = this.store.game;
    return players[(players.indexOf(player) + 1) % players.length];
  }

  /** Who plays now: seat -> name. The table remembers people by name, too: what they have tried
   * and how strong they are. */
  seat(names) {
    const { game, mayAct } = this.store;
    this.known[game.name] = { ...names };
    this.keep();
    for (const player of mayAct ? game.players : [])
      this.ask({ type: "play-as", player, name: this.name(player) || null }).catch(() => {});
  }

  /** Everybody takes the next colour. */
  exchange() {
    const { length } = this.store.game.players;
    this.seat(Object.fromEntries(Object.entries(this.names)
      .map(([seat, each]) => [(Number(seat) + 1) % length, each])));
  }

  /** A game counts once, if it was seen to end, and no longer when its last move is taken back. */
  count() {
    const { layout, snapshot, review } = this.store;
    const game = layout?.game;
    if (!game || review || snapshot?.layout !== layout.number || snapshot.learning.lesson) return;
    const { game: { result }, players: { engines } } = snapshot;
    if (!result) this.running = game.id;
    if (this.running !== game.id) return;
    const winners = result?.team ?? (result?.winner ? [result.winner] : game.players);
    const people = game.players.some((player) => !engines[player]);
    const ended = result && people
      ? { match: this.match, won: winners.map((player) => this.identity(player)) } : undefined;
    if (JSON.stringify(this.games[game.id]) === JSON.stringify(ended)) return;
    const [level] = Object.values(engines).map((each) => each.level);
    if (ended && level && winners.length === 1)
      remember(`level-${game.name}`,
        String(Math.max(1, Math.min(10, level + (engines[winners[0]] ? -1 : 1)))));
    this.games = { ...this.games, [game.id]: ended };
    this.keep();
  }

  /** Games won, a draw half; "" before there is a match. */
  score(player) {
    if (!this.store.snapshot || this.store.snapshot.learning.lesson) return "";
    const games = Object.values(this.games).filter((each) => each?.match === this.match);
    if (games.length < A_MATCH) return "";
    const [count, me] = [this.store.game.players.length, this.identity(player)];
    const points = games.filter(({ won }) => won.includes(me))
      .reduce((sum, { won }) => sum + (won.length === count ? 0.5 : 1), 0);
    return `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;
  }

  /** How two stand against each other, and who has won the last ones; "" before there is a
   * match. */
  get told() {
    const { players } = this.store.game;
    const [one, other] = players.map((player) => this.score(player));
    if (players.length !== 2 || !one) return "";
    const ended = Object.values(this.games).filter((each) => each?.match === this.match)
      .map(({ won }) => (won.length === 1 ? won[0] : "")).reverse();
    const times = ended.findIndex((each) => each !== ended[0]);
    const row = times < 0 ? ended.length : times;
    const player = players.find((each) => this.identity(each) === ended[0]);
    const score = `${this.called(players[0])} ${one} : ${other} ${this.called(players[1])}`;
    return player && row > 1
      ? `${score}. ${t("{player} has won {times} in a row.",
        { player: this.called(player), times: row })}` : score;
  }

  /** Results of this browser by game and people: [kind of game, [name, points], [name, points]]. */
  get matches() {
    const found = new Map();
    for (const { match, won } of Object.values(this.games).filter(Boolean)) {
      const [game, ...who] = JSON.parse(match);
      if (who.length !== 2) continue;
      const points = found.get(match)?.slice(1).map(([, each]) => each) ?? [0, 0];
      const name = (each) => (each === "=" ? t("You") : each.replace(/^= /, ""));
      found.set(match,
        [game,
          ...who.map((each, at) =>
            [name(each), points[at] + (won.includes(each) ? 1 / won.length : 0)])]);
    }
    return [...found.values()];
  }

  /** A nameplate: the name, which is changed where it stands, and the games won. */
  plate(player) {
    const name = h("span", {
      class: "who", contenteditable: "plaintext-only", role: "textbox", spellcheck: "false",
      title: t("Change the name"),
      "aria-label": t("Name of {player}", { player: nameOf(player) }),
      onfocus: () => getSelection().selectAllChildren(name),
      onblur: () => {
        name.scrollLeft = 0; // a long one is read from its beginning
        this.rename(player, name.textContent.trim().slice(0, LONGEST_NAME));
      },
      onkeydown: (event) => {
        event.stopPropagation(); // it is no key of the plate's
        if (event.key === "Escape") name.textContent = this.called(player);
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        name.blur();
      },
    });
    const score = h("span", { class: "score", title: t("Games won") });
    const update = () => {
      if (document.activeElement !== name) setText(name, this.called(player));
      setText(score, this.score(player));
    };
    update();
    return { name, score, update };
  }

  rename(player, given) {
    if (given !== this.called(player)) this.seat({ ...this.names, [this.seatOf(player)]: given });
    else this.store.tell("players");
  }
}
