// The seats of a game: who plays from which device, and the codes that bring a phone to a seat.

import { fetchJson, show } from "/static/dialogs.js";
import { act, h, isNew, nameOf, paced, refill, remember, remembered, steady,
  svgSource, t } from "/static/page.js";
import { letIn } from "/static/machine.js";

const SEATS = "/api/v1/seats";
const REOPENS_WITHIN_MS = 10_000;
/** @type {Array<[string, () => string]>} */
const LEVELS = [["easy", () => t("easy")], ["medium", () => t("medium")],
  ["hard", () => t("hard")]];
const levelName = (level) => LEVELS.find(([value]) => value === level)?.[1]() ?? level;

export class Seats {
  /** `reconnect()` opens a new connection, with the cookie of a seat. */
  constructor(store, { ask, complain, reconnect }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.reconnect = reconnect;
    this.element = h("section", { class: "card room-seats", hidden: true });
    /** @type {Wire.SeatsState} */ this.known = { players: [], mine: [], away: [], codes: {},
      pictures: {}, address: "", at_table: false, closed: false };
    this.draw = steady(this.element, () => this.drawNow());
    // Opening a page changes several things within a moment.
    this.refreshSoon = paced(200, () => this.refresh());
    store.listen((_, changed) => this.update(changed));
    addEventListener("hashchange", () => this.sitByAddress());
  }

  /** The seats as everybody may know them. */
  get seats() {
    const { seats, players: { phones } } = this.store.snapshot;
    return seats?.seats ?? this.known.players.map((player) =>
      ({ player, taken: phones.includes(player), computer: null, shut: false }));
  }

  get free() { return this.seats.filter((seat) => !seat.taken && !seat.computer); }

  /** True on the phone of one person who sat down with a code. It shows only that seat. */
  get own() {
    return this.known.mine.length === 1
      && (!this.known.at_table || remembered("seat-by-code", "no") === "yes");
  }

  /** True while a game of cards waits for people. */
  get lobby() {
    const { snapshot } = this.store;
    return Boolean(snapshot?.seats) && this.free.length > 0 && !this.own
      && !snapshot.game.result;
  }

  update(changed) {
    const { snapshot, link } = this.store;
    const reopened = changed.has("link") && link === "open";
    if (reopened || changed.has("layout") || isNew(this, "taken",
      [snapshot.seats?.seats, snapshot.players.phones])) this.refreshSoon();
    if (["layout", "seats", "players.phones", "players.names", "players", "watching", "link",
      "game.result", "review", "learning.lesson"]
      .some((name) => changed.has(name))) this.draw();
  }

  async refresh() {
    const asked = this.asked = (this.asked ?? 0) + 1;
    // The next change asks again.
    const known = await fetchJson(SEATS).catch(() => this.known);
    if (asked < this.asked) return; // A newer answer has already arrived.
    this.known = known;
    this.store.mine = known.mine;
    this.store.tell("mine");
    this.draw();
  }

  /** Take a seat. Resolves to whether that worked. */
  sit(body) {
    return fetchJson(SEATS, body).then(() => {
      remember("seat-by-code", body.code ? "yes" : "no");
      this.reconnect();
      return this.refresh();
    }).then(() => true, (error) => this.complain(error.message));
  }

  /** Take all free seats with this device, which people then pass round. */
  async sitAll() {
    for (const { player } of this.free) if (!await this.sit({ player })) return;
  }

  /** Sit down by an address like http://table/#seat=123456. */
  async sitByAddress() {
    const [, code] = location.hash.match(/^#seat=(\d{6})$/) ?? [];
    if (!code) return;
    history.replaceState(null, "", location.pathname);
    await this.sit({ code });
  }

  async send(message) {
    // This device may just have sat down and still be reconnecting.
    await this.store.until(() => this.store.link === "open", REOPENS_WITHIN_MS);
    return this.ask(message).catch((error) => this.complain(error.message));
  }

  /** Draw the seats: prominent while a seat of a card game is free, else closed. */
  drawNow() {
    const { store: { snapshot, review, mayAct }, known: { mine, at_table: here } } = this;
    const cards = Boolean(snapshot?.seats);
    const reached = cards || !here || this.known.closed || this.known.address;
    this.element.hidden = !this.known.players.length || !reached
      || Boolean(review || snapshot?.learning.lesson);
    if (this.element.hidden) return;
    if (this.element.querySelector("input:focus")) return;
    const { free, own, lobby } = this;
    if (!isNew(this, "drawn", [this.known, this.seats, mayAct, lobby,
      this.store.players.names])) return;
    this.element.classList.toggle("lobby", lobby);
    const rows = this.seats.filter(({ player }) => !own || mine.includes(player))
      .map((seat) => this.row(seat, cards));
    const rest = h("div", { class: "row" },
      lobby && here ? act(t("We'll share this device"), () => this.sitAll(),
        { class: mine.length ? "" : "primary", "data-what": "round" }) : null,
      lobby && mayAct && mine.length
        ? act(t("Bots play the rest"),
            () => free.forEach(({ player }) => this.seatBot(player, "easy")),
            { class: "primary", "data-what": "fill" }) : null,
      this.known.closed ? letIn((error) => this.complain(error.message)) : null);
    const parts = [
      here && this.known.address ? h("p", { class: "hint" }, cards
        ? t("Scan a code to play on your phone, or sit here. The phone must be in the same "
          + "network: {address}", { address: this.known.address })
        : t("Scan a code to play that colour from your phone. The phone must be in the same "
          + "network: {address}", { address: this.known.address })) : null,
      rest, cards || !this.known.closed ? h("ul", { class: "seat-list" }, rows) : null,
      here || own ? null : this.codeForm()];
    const open = this.element.querySelector("details")?.open;
    refill(this.element, lobby || (cards && !mine.length && !here)
      ? [h("h2", {}, t("Who plays?")), ...parts]
      : h("details", { open }, h("summary", {}, own ? t("Your seat")
          : cards ? t("Seats") : t("Play from a phone")),
        ...parts));
  }

  row({ player, taken, computer }, cards) {
    const { mine, codes, pictures, at_table: here } = this.known;
    const { mayAct } = this.store;
    const free = !taken && !computer;
    const { players } = this.store;
    const state = mine.includes(player) ? h("input", { type: "text", value: players.name(player),
      placeholder: t("Your name"), "aria-label": t("Name of {player}", { player: nameOf(player) }),
      onchange: ({ target }) => { target.blur(); players.rename(player, target.value); } })
      : computer ? t("bot, {level}", { level: levelName(computer) })
        : free ? t("free") : t("taken");
    return h("li", { "data-player": player },
      h("strong", {}, players.called(player)),
      free && pictures[player]
        ? h("img", { class: "seat-qr", src: svgSource(pictures[player]),
            alt: t("QR code of {player}'s seat", { player: players.called(player) }) }) : null,
      h("span", { class: "seat-state" }, free && pictures[player]
        ? h("b", { class: "seat-code" }, codes[player]) : state),
      h("span", { class: "row" },
        cards && free && here
          ? act(t("Sit here"), () => this.sit({ player }), { "data-sit": player }) : null,
        cards && free && mayAct ? this.levels(player) : null,
        computer && mayAct ? act(t("Free this seat"), () => this.seatBot(player, null)) : null,
        taken && (mayAct || mine.includes(player))
          ? act(t("Free this seat"), () => this.leave(player, cards), { "data-free": player })
          : null));
  }

  seatBot(player, level) { this.send({ type: "seat-computer", player, level }); }

  /** Free a seat after a question. */
  leave(player, cards) {
    const go = () => { asked.close(); this.send({ type: "stand-up", player }); };
    const asked = show(t("Free the seat of {player}?",
      { player: this.store.players.called(player) }), "free-seat",
    h("p", {}, this.known.mine.includes(player)
      ? t("You leave the game. Somebody else can then sit down.")
      : cards ? t("That phone loses its hand of cards. Ask the person first.")
        : t("That phone can then only look on. Ask the person first.")),
    h("footer", {}, act(t("Cancel"), () => asked.close()),
      act(t("Free this seat"), go, { class: "primary", "data-what": "free" })));
  }

  levels(player) {
    return h("select", { "aria-label": t("Bot"),
      onchange: ({ target: { value } }) => value && this.seatBot(player, value) },
    h("option", { value: "" }, t("Bot…")),
    LEVELS.map(([value, label]) => h("option", { value }, label())));
  }

  codeForm() {
    const code = h("input",
      { type: "text", inputmode: "numeric", maxlength: 6, autocomplete: "off",
        "aria-label": t("Code of your seat"), placeholder: "000000" });
    const send = () => {
      code.blur();
      this.sit({ code: code.value.trim() });
    };
    return h("form", { class: "row code-form", onsubmit: send }, code,
      h("button", { type: "submit", class: "primary" }, t("Sit down")));
  }
}
