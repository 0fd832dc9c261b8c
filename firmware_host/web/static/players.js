// Who plays which colour, by name, and how many games each has won: this browser's people keep score here.

import { h, setText } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

const LONGEST_NAME = 14;

export class Players {
  constructor(store) {
    this.store = store;
    this.read();
    store.players = this;
    addEventListener("storage", ({ key }) => { // another page of this browser has told it
      if (key !== "tiltboard.players") return;
      this.read();
      store.tell("players");
    });
    store.listen((_, changed) => {
      if (changed.has("result") || changed.has("layout")) this.count();
    });
  }

  read() {
    const kept = JSON.parse(remembered("players", "{}"));
    this.names = kept.names ?? {}; // seat -> name; a seat is a player's number in turn order
    this.wins = kept.wins ?? {}; // game -> the seats that have won it, all of them in a draw
  }

  keep() {
    remember("players", JSON.stringify({ names: this.names, wins: this.wins }));
    this.store.tell("players");
  }

  seatOf(player) {
    return this.store.game?.players.indexOf(player) ?? -1;
  }

  /** The person's name; "" where there is none, or the computer plays. */
  name(player) {
    return this.store.snapshot?.engines[player] ? "" : this.names[this.seatOf(player)] ?? "";
  }

  /** The person's name, else the colour's. */
  called(player) {
    return this.name(player) || nameOf(player);
  }

  /** Whether every player of the game is a person with a name. */
  get known() {
    return this.store.game?.players.every((player) => this.name(player)) ?? false;
  }

  rename(player, name) {
    this.names = { ...this.names, [this.seatOf(player)]: name.trim().slice(0, LONGEST_NAME) };
    this.wins = {}; // somebody else: a new match
    this.keep();
  }

  /** Everybody takes the next colour; the games they have won go with them. */
  exchange() {
    const count = this.store.game.players.length;
    const next = (seat) => (Number(seat) + 1) % count;
    const moved = Object.entries(this.names).map(([seat, name]) => [next(seat), name]);
    this.names = Object.fromEntries(moved);
    this.wins = Object.fromEntries(Object.entries(this.wins).map(([game, seats]) => [game, seats.map(next)]));
    this.keep();
  }

  /** The game's result counts once, and no longer when its last move is taken back. */
  count() {
    const { layout, snapshot } = this.store;
    const game = layout?.game;
    if (!game || !snapshot || snapshot.lesson) return;
    const { result } = snapshot;
    const winners = result?.team ?? (result?.winner ? [result.winner] : game.players);
    const seats = result ? winners.map((player) => game.players.indexOf(player)) : undefined;
    if (JSON.stringify(this.wins[game.id]) === JSON.stringify(seats)) return;
    this.wins = { ...this.wins, [game.id]: seats };
    this.keep();
  }

  /** Games won, a draw half; "" before the first of a match. */
  score(player) {
    const games = Object.values(this.wins).filter(Boolean);
    if (!games.length) return "";
    const count = this.store.game.players.length;
    const points = games.filter((seats) => seats.includes(this.seatOf(player)))
      .reduce((sum, seats) => sum + (seats.length === count ? 0.5 : 1), 0);
    return `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;
  }

  /** A nameplate: the name, which a press changes, and the games won. */
  plate(player) {
    const name = h("button", { type: "button", class: "who", title: t("Change the name"), onclick: () => this.edit(player, name) });
    const score = h("span", { class: "score", title: t("Games won") });
    const update = () => {
      setText(name, this.called(player));
      setText(score, this.score(player));
    };
    update();
    return { name, score, update };
  }

  edit(player, name) {
    const input = h("input", {
      type: "text", class: "rename", maxlength: LONGEST_NAME, value: this.names[this.seatOf(player)] ?? "",
      "aria-label": t("Name of {player}", { player: nameOf(player) }), placeholder: nameOf(player),
    });
    let open = true;
    const done = (keep) => {
      if (!open) return; // to take it away makes it lose the focus
      open = false;
      input.replaceWith(name);
      if (keep && input.value.trim() !== (this.names[this.seatOf(player)] ?? "")) this.rename(player, input.value);
    };
    input.addEventListener("blur", () => done(true));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        done(event.key === "Enter");
        name.focus();
        event.preventDefault(); // else the same key presses the button
        event.stopPropagation();
      }
    });
    name.replaceWith(input);
    input.focus();
    input.select();
  }
}
