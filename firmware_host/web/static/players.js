// Who plays which colour by name, and how many games each has won against these opponents. This
// browser stores both.
import { h, nameOf, remember, remembered, setText, t } from "/static/page.js";
import { engineName } from "/static/opponents.js";

const MAX_LETTERS = 24;
const A_MATCH = 2; // Minimum number of games for a match, before which nobody is ahead.

export class Players {
  constructor(store, ask) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.running = null; // The game that this page has seen in progress.
    this.read();
    store.players = this;
    // Another page of this browser has changed the names.
    addEventListener("storage", ({ key }) => {
      if (key !== "tiltboard.players") return;
      this.read();
      store.tell("players");
    });
    store.on(["game.result", "layout", "review", "learning.lesson"], () => this.count());
  }

  read() {
    const { names, games } = JSON.parse(remembered("players", "{}"));
    // Kind of game -> seat -> name. A seat is a player's number in turn order.
    this.known = games ? names : {};
    // Game -> {match, won}; `won` are the winners, or everybody after a draw.
    this.games = games ?? {};
  }

  keep() {
    remember("players", JSON.stringify({ names: this.known, games: this.games }));
    this.store.tell("players");
  }

  /** Seat -> name: the one that the table knows, which phones can change, else the one that people
   * typed here for this kind of game. */
  get names() {
    const { game, layout, snapshot } = this.store;
    const known = { ...this.known[game?.name] };
    for (const [seat, player] of (game === layout?.game ? game?.players ?? [] : []).entries())
      if (this.isHere(player)) known[seat] = snapshot?.players.names[player] || known[seat];
    return known;
  }

  /** Return whether a person at this table plays as that player. */
  isHere(player) {
    const { snapshot } = this.store;
    return !snapshot?.players.engines[player] && !snapshot?.match?.far.includes(player);
  }

  seatOf(player) { return this.store.game?.players.indexOf(player) ?? -1; }

  /** The person's name, or "" for an unnamed person, a bot, or a player at another table. */
  name(player) {
    return this.isHere(player) ? this.names[this.seatOf(player)] ?? "" : "";
  }

  /** Return the name of the person or bot if it is known, else the colour's. */
  called(player) {
    const { review, snapshot } = this.store;
    return this.name(player) || (!review && snapshot?.players.names[player]) || nameOf(player);
  }

  /** Return the key under which wins count: a name, a bot's level, or the only person without a
   * name. */
  identity(player) {
    const { engines } = this.store.snapshot.players;
    if (engines[player]) return `= ${engineName(engines[player])}`;
    const unnamed = this.store.game.players.filter((each) => !engines[each] && !this.name(each));
    return this.name(player) || (unnamed.length === 1 ? "=" : `= ${this.seatOf(player)}`);
  }

  /** Key of this kind of game among these opponents, whoever begins. */
  get match() {
    const { name, players } = this.store.game;
    return JSON.stringify([name, ...players.map((player) => this.identity(player)).sort()]);
  }

  /** True if players can swap colours: each is known by more than the seat. */
  get exchanges() {
    const { engines } = this.store.snapshot.players;
    return this.store.game.players.every((player) => engines[player] || this.name(player)
      || this.identity(player) === "=");
  }

  /** Return the player whose colour this player has in the next game. */
  next(player) {
    const { players } = this.store.game;
    return players[(players.indexOf(player) + 1) % players.length];
  }

  /** Set who plays now: seat -> name. The table, too, remembers people by name, with their
   * experience and strength. */
  seat(names) {
    const { game, mayAct, mine } = this.store;
    this.known[game.name] = { ...names };
    this.keep();
    for (const player of mayAct ? game.players : mine) {
      const name = this.isHere(player) && names[this.seatOf(player)];
      this.ask({ type: "play-as", player, name: name || null }).catch(() => {});
    }
  }

  /** Give everybody the next colour. */
  exchange() {
    const { length } = this.store.game.players;
    this.seat(Object.fromEntries(Object.entries(this.names)
      .map(([seat, each]) => [(Number(seat) + 1) % length, each])));
  }

  /** Count a game once after this page has seen its end, and no longer if its last move is taken
   * back. */
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

  /** Return games won, with a draw as half; "" before there is a match. */
  score(player) {
    if (!this.store.snapshot || this.store.snapshot.learning.lesson) return "";
    const games = Object.values(this.games).filter((each) => each?.match === this.match);
    if (games.length < A_MATCH) return "";
    const [count, me] = [this.store.game.players.length, this.identity(player)];
    const points = games.filter(({ won }) => won.includes(me))
      .reduce((sum, { won }) => sum + (won.length === count ? 0.5 : 1), 0);
    return `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;
  }

  /** The score of two players and the winner of the last games, or "" before there is a match. */
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

  /** Make a nameplate with the name, which people can edit in place, and the games won. */
  plate(player) {
    const name = h("span", {
      class: "who", role: "textbox", spellcheck: "false",
      title: t("Change the name"),
      "aria-label": t("Name of {player}", { player: nameOf(player) }),
      onfocus: () => getSelection().selectAllChildren(name),
      onblur: () => {
        name.scrollLeft = 0; // Show a long name from its beginning.
        this.rename(player, name.textContent);
      },
      onkeydown: (event) => {
        event.stopPropagation(); // The plate must not receive this key.
        if (event.key === "Escape") name.textContent = this.called(player);
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        name.blur();
      },
    });
    const score = h("span", { class: "score", title: t("Games won") });
    const update = () => {
      const { mine, watching } = this.store;
      const own = !watching || mine.includes(player);
      name.setAttribute("contenteditable", own ? "plaintext-only" : "false");
      if (document.activeElement !== name) setText(name, this.called(player));
      setText(score, this.score(player));
    };
    update();
    return { name, score, update };
  }

  rename(player, typed) {
    const given = typed.trim().slice(0, MAX_LETTERS);
    if (given !== this.called(player)) this.seat({ ...this.names, [this.seatOf(player)]: given });
    else this.store.tell("players");
  }
}
