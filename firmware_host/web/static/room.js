// A game of seats on the page: who sits where, the hand of the seat that is looked at, what it may do.

import { fetchJson } from "/static/dialogs.js";
import { button, h } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { guide } from "/static/room-guide.js";
import { Chooser } from "/static/room-moves.js";
import { RoomView } from "/static/room-view.js";
import { aboutOf, cardTitle, fallenPieces, piecesName, seenZones, sentence, titleOf, typeOf, zoneName } from "/static/room-words.js";

const SEATS = "/api/v1/seats";
const REOPENS_WITHIN_MS = 10_000;
const LEVELS = [["easy", () => t("easy")], ["medium", () => t("medium")], ["hard", () => t("hard")]];
const levelName = (level) => LEVELS.find(([value]) => value === level)?.[1]() ?? level;
// What is pressed at once, and what leads to a question; cards and what is played come from the hand.
const LABELS = {
  pass: () => t("Pass"), pay: () => t("Pay a green gem"), buy: () => t("Buy a card (1 point)"), draw: () => t("Draw"),
  withdraw: () => t("Take a card back"), choose: () => t("Choose"), take: () => t("Take a piece"),
  place: () => t("I have placed it"), event: () => t("I have done it"), name: () => t("Say which card"),
  hero: () => t("Use your hero"),
};

export class Room {
  /** `reconnect()` opens the connection anew, with the cookie of a seat. */
  constructor(store, { ask, complain, reconnect, supply }, { table, side }) {
    Object.assign(this, { store, ask, complain, reconnect });
    this.view = new RoomView(store);
    this.seat = h("section", { class: "card room-seat" });
    this.seats = h("section", { class: "card room-seats" });
    this.known = { players: [], mine: [], codes: {}, at_table: false };
    this.looking = null;
    this.behind = false; // the hand is from before the connection was lost
    this.chooser = null;
    this.supply = supply; // what is taken into the hand where the platform is drawn in three dimensions
    this.view.element.prepend(supply.element);
    table.append(this.view.element);
    side.prepend(this.seat, this.seats);
    this.pressed = false; // a button that is drawn anew while it is held down hears no click
    for (const element of [this.seat, this.seats]) element.addEventListener("pointerdown", ({ target }) => { this.pressed = Boolean(target.closest("button")); });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => this.pressed && setTimeout(() => this.released()));
    store.listen((_, changed) => this.update(changed));
    this.sitByAddress();
    addEventListener("hashchange", () => this.sitByAddress());
  }

  get game() {
    return this.store.layout?.game;
  }

  get room() {
    return this.store.review ? null : this.store.snapshot?.room ?? null;
  }

  update(changed) {
    if (this.store.link !== "open") this.behind = true;
    else if (changed.has("seat")) this.behind = false;
    const here = Boolean(this.room && this.game?.glossary);
    document.documentElement.toggleAttribute("data-room", here);
    for (const element of [this.view.element, this.seat, this.seats]) element.hidden = !here;
    if (!here) return;
    if (changed.has("layout") || (changed.has("link") && this.store.link === "open")) this.refresh();
    const key = JSON.stringify(this.room.seats);
    if (key !== this.seatsKey) {
      this.seatsKey = key;
      this.refresh();
    }
    if (["layout", "room", "moves", "result", "review"].some((name) => changed.has(name))) this.view.draw();
    this.supply.fill();
    if (changed.has("seat") && this.store.seat?.step !== this.step) {
      this.step = this.store.seat?.step;
      const may = new Set([...this.room.may, ...this.store.seat?.legal ?? []]);
      if (!this.chooser?.moves.every((move) => may.has(move))) this.chooser = null;
    }
    if (["layout", "room", "seat", "link", "watching", "can_take_back"].some((name) => changed.has(name))) this.draw();
  }

  async refresh() {
    const asked = this.asked = (this.asked ?? 0) + 1;
    const known = await fetchJson(SEATS).catch(() => this.known); // asked again when the table answers
    if (asked < this.asked) return; // answers may come in another order
    this.known = known;
    const { mine } = this.known;
    if (mine.length > 1 && this.held === 1) this.looking = null; // from now on it is passed round
    this.held = mine.length;
    if (this.looking && !mine.includes(this.looking)) this.looking = null;
    if (mine.length === 1) [this.looking] = mine;
    this.look(this.looking);
  }

  look(player) {
    if (this.looking !== player) this.chooser = null;
    this.looking = player;
    if (player === null || this.store.seat?.player !== player) this.store.set("seat", null);
    this.ask({ type: "look", player }).catch((error) => error.message && this.complain(error.message));
    this.draw();
  }

  async sit(body) {
    try {
      const answer = await fetch(SEATS, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      });
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.error);
      this.reconnect();
      await this.refresh();
      return true;
    } catch (error) {
      this.complain(error.message);
      return false;
    }
  }

  /** http://table/#seat=123456 */
  async sitByAddress() {
    const [, code] = location.hash.match(/^#seat=(\d{6})$/) ?? [];
    if (!code) return;
    history.replaceState(null, "", location.pathname);
    await this.sit({ code });
  }

  async send(message) {
    this.chooser = null;
    await this.store.until(() => this.store.link === "open", REOPENS_WITHIN_MS); // this device may just have sat down
    this.ask(message).catch((error) => this.complain(error.message)).finally(() => this.draw());
  }

  play(move, proposed = false) {
    const player = move.split(":")[0];
    const own = this.known.mine.includes(player);
    this.send({ type: "seat-move", move, proposed, player: own ? player : null, step: own && this.store.seat ? this.store.seat.step : this.room.step });
  }

  /** One question after the other, unless there is nothing to ask. */
  choose(moves, guess = "") {
    this.chooser = null;
    const chooser = new Chooser(this.game, this.room, moves, {
      guess, done: (move, proposed) => this.play(move, proposed),
      leave: () => { this.chooser = null; this.draw(); },
    });
    if (chooser.element.childElementCount) this.chooser = chooser;
    this.draw();
  }

  released() {
    this.pressed = false;
    this.draw();
  }

  draw() {
    if (!this.room || !this.game?.glossary || this.pressed) return;
    this.drawSeats();
    const { mine } = this.known;
    const view = this.store.seat?.player === this.looking ? this.store.seat : null;
    const parts = [];
    if (mine.length > 1 && !view) parts.push(this.passing());
    if (view) parts.push(...this.hand(view));
    parts.unshift(this.proposed());
    parts.push(this.tableActions(), guide(this.room.public, () => this.draw()));
    this.seat.dataset.player = view?.player ?? "";
    this.seat.classList.toggle("awaited", Boolean(view && this.room.public.awaiting.includes(view.player)));
    this.seat.replaceChildren(...parts);
    if (this.store.link === "open" && !(view && this.behind)) return;
    for (const each of this.seat.querySelectorAll("button")) each.disabled = true; // nobody would hear it
  }

  /** What the sensors saw, or what a computer player asks hands to do: people say how it went. */
  proposed() {
    const { proposal, failure, seen, sure } = this.room;
    if (!proposal || this.chooser) return "";
    const [who, what, how, piece, zone, more] = proposal.split(":");
    const said = { who: nameOf(who), piece: piecesName(this.game, piece ?? ""), zone: zoneName(this.game, zone ?? "") };
    const under = more?.startsWith("under=") && more;
    const words = what === "see" ? t("The table sees it so now: {zones}. Right?", { zones: seenZones(this.game, proposal) })
      : what !== "place" ? t("{what}: right?", { what: sentence(this.game, proposal) })
      : how === "fail" ? t("{piece} did not hold. What fell: {pieces}. Right? Else say what happened.", { ...said, pieces: fallenPieces(this.game, more) })
      : seen ? t("{piece} lies in {zone}, and nothing fell. Right? Else say what happened.", said)
        : under ? t("{who} would like {piece} in {zone}, on a tower of {count}. Place it for him. Does it hold?", { ...said, count: under.replace("under=", "") })
          : t("{who} would like {piece} in {zone}. Place it for him. Does it hold?", said);
    return h("div", { class: "proposed" }, h("p", { class: "asked" }, words.charAt(0).toUpperCase() + words.slice(1)), h("div", { class: "answers" },
      h("button", { type: "button", class: "primary", "data-what": "accept", onclick: () => this.play(proposal) }, seen ? t("Right") : t("It holds")),
      failure ? h("button", { type: "button", "data-what": "refuse", onclick: () => this.refuse(failure, proposal) }, how === "fail" ? t("Something else fell") : t("It fell, or it failed")) : ""),
      seen ? h("p", { class: "hint" }, sure ? t("It counts in three seconds.") : t("It counts when somebody says so.")) : "");
  }

  /** It is no longer taken as right by itself, and people tick what fell. */
  refuse(failure, proposal) {
    if (this.room.sure) this.ask({ type: "not-so" }).catch((error) => this.complain(error.message));
    this.choose([failure], proposal);
  }

  /** Several seats on one device: it is passed round, and each looks at his own hand. */
  passing() {
    const awaited = this.room.public.awaiting;
    const order = [...this.known.mine].sort((one, other) => awaited.includes(other) - awaited.includes(one));
    return h("div", { class: "passing" }, h("p", { class: "asked" }, t("Pass the device round. Who looks at his hand?")),
      h("div", { class: "answers" }, order.map((player) => h("button", {
        type: "button", "data-player": player, class: awaited.includes(player) ? "primary" : "",
        onclick: () => this.look(player),
      }, t("I am {player}", { player: nameOf(player) })))));
  }

  hand(view) {
    const { game } = this;
    const by = {};
    for (const move of view.legal) (by[move.split(":")[1]] ??= []).push(move);
    const head = h("h2", {}, t("{player}: your hand", { player: nameOf(view.player) }));
    const cover = this.known.mine.length > 1
      ? h("button", { type: "button", onclick: () => this.look(null) }, t("Hide it, and pass the device on")) : "";
    if (this.chooser) return [head, this.chooser.element, cover];
    const plays = (card) => (by.play ?? []).filter((move) => move.split(":")[2].split("=")[0] === card);
    const counts = new Map();
    for (const card of view.hand) counts.set(card, (counts.get(card) ?? 0) + 1);
    const paper = view.hand.includes("?");
    const cards = paper ? [...new Set((by.play ?? []).map((move) => move.split(":")[2].split("=")[0]))].map((card) => [card, 1]) : [...counts];
    const also = (what) => ["pass", "buy", "hero", "withdraw"].includes(what); // what is asked for comes first
    const asked = Object.entries(by).filter(([what]) => what !== "play" && what !== "keep").sort(([one], [other]) => also(one) - also(other));
    const actions = asked.map(([what, moves]) =>
      h("button", { type: "button", "data-what": what, class: also(what) ? "" : "primary", onclick: () => this.choose(moves) },
        what === "hero" ? t("Use your hero: {hero}", { hero: titleOf(game, `hero:${moves[0].split(":")[2]}`) }) : LABELS[what]?.() ?? what));
    const inForce = this.room.public.turn?.challenges ?? [];
    return [head,
      inForce.length ? h("ul", { class: "forced" }, inForce.map((name) => h("li", {}, h("strong", {}, cardTitle(game, name)), ` ${aboutOf(game, `card:${name}`)}`))) : "",
      view.drawn.length ? h("div", { class: "drawn" }, h("p", { class: "asked" }, t("Keep one of these two:")),
        h("div", { class: "hand-cards" }, view.drawn.map((card, at) => this.card(card, 1, () => this.play(`${view.player}:keep:${at + 1}`))))) : "",
      view.shut ? h("p", { class: "hint" }, t("Another device has seen these cards. You will, once the others agree.")) : "",
      h("div", { class: "seat-actions" }, actions),
      view.hero && view.hero !== "?" ? h("p", { class: "hint hero" }, h("strong", {}, titleOf(game, `hero:${view.hero}`)), ` ${aboutOf(game, `hero:${view.hero}`)}`) : "",
      h("div", { class: "hand-cards" }, cards.map(([card, count]) => this.card(card, count, plays(card).length ? () => this.choose(plays(card)) : null))),
      cover];
  }

  card(name, count, onclick) {
    const { game } = this;
    return h("button", {
      type: "button", class: "hand-card", "data-card": name, "data-type": typeOf(game, name), disabled: !onclick, onclick,
    }, h("strong", {}, cardTitle(game, name), count > 1 ? ` × ${count}` : ""), h("span", {}, aboutOf(game, `card:${name}`)));
  }

  /** What concerns the table and no single seat: dice, cards to be dealt, the count of five. */
  tableActions() {
    const may = this.store.mayAct || (this.store.link === "open" && this.known.mine.length > 0);
    if (!may || this.chooser) return this.chooser && !this.looking ? this.chooser.element : "";
    const stems = this.room.may.filter((move) => move.startsWith("chance:"));
    const rolls = stems.length > 0 && stems[0] !== "chance:shuffle" && stems[0] !== "chance:heroes";
    const parts = [];
    if (stems.length) {
      parts.push(h("button", { type: "button", class: "primary", "data-what": "chance", onclick: () => this.play("chance") },
        rolls ? t("Roll the dice") : t("Shuffle and deal")));
    }
    if (rolls) parts.push(h("button", { type: "button", onclick: () => this.choose(stems) }, t("We rolled our own dice")));
    if (this.room.may.includes("table:time") && this.room.counting === null) {
      parts.push(h("button", { type: "button", "data-what": "count", onclick: () => this.send({ type: "count" }) }, t("Count to five")));
    }
    if (this.store.snapshot.can_take_back) {
      parts.push(button("back", t("Take back"), () => this.send({ type: "take-back" }), { "data-what": "take-back" }));
    }
    const covered = this.room.seats.filter(({ player, shut }) => shut && !this.known.mine.includes(player));
    for (const { player } of this.known.at_table || this.known.mine.length ? covered : []) {
      parts.push(h("button", { type: "button", "data-uncover": player, onclick: () => this.send({ type: "open-hand", player }) },
        t("Let {who} see the cards there", { who: nameOf(player) })));
    }
    return parts.length ? h("div", { class: "seat-actions" }, parts) : "";
  }

  drawSeats() {
    const { players, mine, codes, at_table: here } = this.known;
    const mayAct = this.store.mayAct;
    const away = mine.length > 0 && !here; // a phone whose person has just sat down needs the list no more
    const open = away === this.away ? this.seats.querySelector("details")?.open ?? mine.length === 0 : !away && mine.length === 0;
    this.away = away;
    const typing = this.seats.querySelector("input");
    if (typing && document.activeElement === typing) return;
    const rows = players.map((player) => {
      const seat = this.room.seats.find((each) => each.player === player);
      const free = seat && !seat.taken && !seat.computer;
      return h("li", { "data-player": player }, h("strong", {}, nameOf(player)),
        h("span", {}, mine.includes(player) ? t("sits here") : seat?.computer ? t("computer, {level}", { level: levelName(seat.computer) })
          : free ? codes[player] ? h("span", {}, t("code"), " ", h("b", { class: "seat-code" }, codes[player])) : t("free") : t("taken")),
        h("span", { class: "row" },
          free && here ? h("button", { type: "button", "data-sit": player, onclick: () => this.sit({ player }) }, t("Sit here")) : "",
          free && mayAct ? this.levels(player) : "",
          seat?.computer && mayAct ? h("button", { type: "button", onclick: () => this.send({ type: "seat-computer", player, level: null }) }, t("Free it")) : "",
          seat?.taken && (mayAct || mine.includes(player)) ? h("button", { type: "button", "data-free": player, onclick: () => this.send({ type: "stand-up", player }) }, t("Free it")) : ""));
    });
    this.seats.replaceChildren(h("details", { open }, h("summary", {}, t("Seats")),
      h("ul", { class: "seat-list" }, rows), here ? "" : this.codeForm()));
  }

  levels(player) {
    const choice = h("select", {
      "aria-label": t("Computer"), onchange: () => choice.value && this.send({ type: "seat-computer", player, level: choice.value }),
    }, h("option", { value: "" }, t("Computer…")), LEVELS.map(([value, label]) => h("option", { value }, label())));
    return choice;
  }

  codeForm() {
    const code = h("input", {
      type: "text", inputmode: "numeric", maxlength: 6, autocomplete: "off", "aria-label": t("Code of your seat"), placeholder: "000000",
    });
    const send = (event) => {
      event.preventDefault();
      code.blur();
      this.sit({ code: code.value.trim() });
    };
    return h("form", { class: "row code-form", onsubmit: send }, code, h("button", { type: "submit", class: "primary" }, t("Sit down")));
  }
}
