// A game of seats on the page: the hand on the screen, and what its player may do.

import { act, button, disable, h, steady, t } from "/static/page.js";
import { card, fan, RoomView } from "/static/room-view.js";
import { fallenPieces, guide, piecesName, seenZones, sentence,
  zoneName } from "/static/room-words.js";
import { Chooser } from "/static/room-moves.js";

// Labels of buttons. Cards are played from the hand instead.
const LABELS = {
  pass: () => t("Pass"), pay: () => t("Pay a green gem"), buy: () => t("Buy a card (1 point)"),
  draw: () => t("Draw"),
  withdraw: () => t("Take a card back"), choose: () => t("Choose"), take: () => t("Take a piece"),
  place: () => t("I have placed it"), event: () => t("I have done it"),
  name: () => t("Say which card"),
  hero: () => t("Use your hero"),
};

/** Group moves by their kind: {pass: [...], play: [...]}. */
const grouped = (moves) =>
  moves.reduce((by, move) => ({ ...by,
    [move.split(":")[1]]: [...by[move.split(":")[1]] ?? [], move] }), {});

export class Room {
  /** `seats` is the list of seats (seats.js). */
  constructor(store, { ask, complain, seats, supply }, { table, side }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    /** @type {import("/static/seats.js").Seats} */ this.seats = seats;
    this.view = new RoomView(store);
    this.seat = h("section", { class: "card room-seat" });
    this.looking = null;
    this.behind = false; // True if the hand was received before the connection was lost.
    this.chooser = null;
    // Pieces to take into the hand in three dimensions.
    this.supply = supply;
    supply.element.hidden = true;
    table.append(this.view.turn, supply.element, this.view.element);
    side.prepend(this.seat, seats.element, this.view.players, this.view.story);
    // The whole column is redrawn, since anything above a button moves it.
    this.draw = steady(side, () => this.drawNow());
    store.listen((_, changed) => this.update(changed));
  }

  get game() { return this.store.layout?.game; }

  get known() { return this.seats.known; }

  called(player) { return this.store.players.called(player); }

  get room() { return this.store.review ? null : this.store.snapshot?.seats ?? null; }

  update(changed) {
    if (this.store.link !== "open") this.behind = true;
    else if (changed.has("seat")) this.behind = false;
    const here = Boolean(this.room && this.game?.glossary);
    document.documentElement.toggleAttribute("data-room", here);
    for (const element of [...this.view.parts, this.seat]) element.hidden = !here;
    if (!here) this.supply.element.hidden = true;
    document.documentElement.toggleAttribute("data-hand", here && this.known.mine.length > 0);
    if (!here) return;
    if (changed.has("mine")) this.seatTaken();
    if (["layout", "seats", "game.moves", "game.result", "review", "players", "players.names"]
      .some((name) => changed.has(name)))
      this.view.draw();
    else this.view.hang(); // Three dimensions may have been switched on or off.
    this.supply.fill();
    if (changed.has("seat") && this.store.seat?.step !== this.step) {
      this.step = this.store.seat?.step;
      const may = new Set([...this.room.may, ...this.store.seat?.legal ?? []]);
      if (!this.chooser?.moves.every((move) => may.has(move))) this.chooser = null;
    }
    if (["layout", "seats", "seat", "link", "watching", "game.can_take_back", "players",
      "players.names"].some((name) => changed.has(name))) this.draw();
  }

  /** Follow a change of this device's seats. */
  seatTaken() {
    const { mine } = this.known;
    // With a second seat the device is passed round.
    if (mine.length > 1 && this.held === 1) this.looking = null;
    this.held = mine.length;
    if (this.looking && !mine.includes(this.looking)) this.looking = null;
    if (mine.length === 1) [this.looking] = mine;
    this.look(this.looking);
  }

  look(player) {
    if (this.looking !== player) this.chooser = null;
    this.looking = player;
    if (player === null || this.store.seat?.player !== player) this.store.set("seat", null);
    this.ask({ type: "look", player })
      .catch((error) => error.message && this.complain(error.message));
    this.draw();
  }

  send(message) {
    this.chooser = null;
    this.seats.send(message).finally(() => this.draw());
  }

  play(move, proposed = false) {
    const player = move.split(":")[0];
    const own = this.known.mine.includes(player);
    this.passOn = own;
    this.send({ type: "seat-move", move, proposed, player: own ? player : null,
      step: own && this.store.seat ? this.store.seat.step : this.room.step });
  }

  /** Ask one question after the other; without a question, play the move. */
  choose(moves, guess = "") {
    this.chooser = null;
    const chooser = new Chooser(this.store, this.room, moves, {
      guess, done: (move, proposed) => this.play(move, proposed),
      leave: () => { this.chooser = null; this.draw(); },
    });
    if (chooser.element.childElementCount) this.chooser = chooser;
    this.draw();
  }

  drawNow() {
    if (!this.room || !this.game?.glossary) return;
    const { mine } = this.known;
    // The hand on the screen has done its part.
    if (this.passOn && !this.room.public.awaiting.includes(this.looking)) {
      this.passOn = false;
      if (mine.length > 1) this.looking = null;
    }
    const view = this.store.seat?.player === this.looking ? this.store.seat : null;
    const parts = [];
    if (mine.length > 1 && !view) parts.push(this.passing());
    if (view) parts.push(...this.hand(view));
    const acts = [...(view && !this.chooser ? this.seatActions(view) : []), ...this.tableActions()];
    parts.splice(view ? 1 : 0, 0, this.proposed(),
      this.chooser && !this.looking ? this.chooser.element : "",
      acts.length ? h("div", { class: "seat-actions" }, acts) : "");
    const others = this.room.public.awaiting.filter((each) => each !== "chance")
      .map((each) => this.called(each));
    if (view && others.length && !this.room.public.awaiting.includes(view.player))
      parts.splice(1, 0,
        h("p", { class: "hint waiting-for" }, t("Waiting for {who}.", { who: others.join(", ") })));
    const { element, lobby } = this.seats;
    if (lobby !== Boolean(element.compareDocumentPosition(this.view.players) & 4))
      this.view.players[lobby ? "before" : "after"](element);
    if (!lobby)
      parts.push(guide(this.store, view?.player ?? null, () => this.draw()));
    this.seat.dataset.player = view?.player ?? "";
    this.seat.classList.toggle("awaited",
      Boolean(view && this.room.public.awaiting.includes(view.player)));
    this.seat.replaceChildren(...parts);
    const heard = this.store.link === "open" && !(view && this.behind);
    for (const each of heard ? [] : this.seat.querySelectorAll("button"))
      disable(each, t("One moment, please."));
  }

  /** Ask people about the move that the sensors report or that a bot wants done: did it hold? */
  proposed() {
    const { proposal, failure, seen, sure } = this.room;
    if (!proposal || this.chooser) return "";
    if (!seen && this.store.layout.hands)
      return h("p", { class: "asked" }, t("The table's own hand does it. Watch!"));
    const [who, what, how, piece, zone, more] = proposal.split(":");
    const said = { who: this.called(who), piece: piecesName(this.game, piece ?? ""),
      zone: zoneName(this.game, zone ?? "") };
    const under = more?.startsWith("under=") && more;
    const words = what === "see"
      ? t("The table sees: {zones}. Right?", { zones: seenZones(this.game, proposal) })
      : what !== "place" ? t("{what}: right?", { what: sentence(this.store, proposal) })
        : how === "fail" ? t("It did not hold. Fallen: {pieces}. Right?",
          { ...said, pieces: fallenPieces(this.game, more) })
          : seen ? t("{piece} holds in {zone}. Right?", said)
            : under
              ? t("{who} asks for help: {piece} into {zone}, on a tower of {high}. Does it hold?",
                  { ...said, high: under.replace("under=", "") })
              : t("{who} asks for help: {piece} into {zone}. Does it hold?", said);
    return h("div", { class: "proposed" },
      h("p", { class: "asked" }, words.charAt(0).toUpperCase() + words.slice(1)),
      h("div", { class: "answers" },
        act(seen ? t("Right") : t("It holds"), () => this.play(proposal),
          { class: "primary", "data-what": "accept" }),
        failure ? act(how === "fail" ? t("Something else fell") : t("It fell or failed"),
          () => this.refuse(failure, proposal), { "data-what": "refuse" }) : ""),
      seen ? h("p", { class: "hint" },
        sure ? t("It counts in three seconds.") : t("It counts when somebody says so.")) : "");
  }

  /** Reject the reported move and let people tick what fell. */
  refuse(failure, proposal) {
    if (this.room.sure) this.ask({ type: "not-so" }).catch((error) => this.complain(error.message));
    this.choose([failure], proposal);
  }

  /** Ask for the next player on a shared device, who then sees their own hand only. */
  passing() {
    const awaited = this.room.public.awaiting;
    const order = [...this.known.mine]
      .sort((one, other) => awaited.includes(other) - awaited.includes(one));
    return h("div", { class: "passing" },
      h("p", { class: "asked" }, t("Pass it on. Who's next?")),
      h("div", { class: "answers" },
        order.map((player) =>
          act(t("I am {player}", { player: this.called(player) }), () => this.look(player),
            { "data-player": player, class: awaited.includes(player) ? "primary" : "" }))));
  }

  hand(view) {
    const { game } = this;
    const by = grouped(view.legal);
    const hero = view.hero && view.hero !== "?" ? view.hero : null;
    const head = h("h2", {},
      h("span", {}, t("{player}: your hand", { player: this.called(view.player) })),
      h("span", { class: "mine" },
        `★ ${this.room.public.points[view.player]}  ◆ ${this.room.public.gems[view.player]}`));
    const cover = this.known.mine.length > 1
      ? act(t("Hide my cards and pass on"), () => this.look(null), { class: "cover" }) : "";
    if (this.chooser) return [head, this.chooser.element, cover];
    const laid = (move) => move.split(":")[2].split("=")[0];
    const plays = (name) => (by.play ?? []).filter((move) => laid(move) === name);
    // The table does not know cards of paper, so the legal moves name them.
    const held = view.hand.includes("?") ? new Set((by.play ?? []).map(laid)) : view.hand;
    const shown = [...new Set(held)]
      .map((name) => card(game, name, [...held].filter((each) => each === name).length,
        plays(name).length ? () => this.choose(plays(name)) : null));
    if (hero) {
      const used = this.room.public.used.includes(view.player);
      const spent = card(game, hero, 1, by.hero ? () => this.choose(by.hero) : null, true);
      spent.dataset.what = "hero";
      spent.toggleAttribute("data-used", used);
      shown.push(spent);
    }
    return [head,
      view.drawn.length
        ? h("div", { class: "drawn" }, h("p", { class: "asked" }, t("Keep one of these two:")),
            fan(view.drawn.map((name, at) =>
              card(game, name, 1, () => this.play(`${view.player}:keep:${at + 1}`))))) : "",
      view.hint ? h("p", { class: "room-hint" },
        h("strong", {},
          sentence(this.store, view.hint.move.replace(":place:ok:", ":place:meant:"))),
        " ", view.hint.why) : "",
      view.shut ? h("p", { class: "hint" },
        t("Another device has seen these cards. You will, once the others agree.")) : "",
      h("div", { class: "fans" }, fan(shown)), cover];
  }

  /** Make the buttons of this seat other than its cards, the most urgent first. */
  seatActions(view) {
    // The table's own hand does these.
    const hands = this.store.layout.hands ? { place: t("Place it"), event: t("Do it") } : {};
    const rank = (what) => ["pass", "withdraw", "buy"].indexOf(what);
    return Object.entries(grouped(view.legal))
      .filter(([what]) => !["play", "keep", "hero"].includes(what)
        && !(what in hands && this.room.proposal))
      .sort(([one], [other]) => rank(one) - rank(other))
      .map(([what, moves]) =>
        act(hands[what] ?? LABELS[what]?.() ?? what, () => this.choose(moves),
          { "data-what": what, class: rank(what) > 0 ? "" : "primary" }))
      .concat(view.shut || view.hint || !this.room.public.awaiting.includes(view.player) ? []
        : button("bulb", t("Hint"),
            () => this.send({ type: "seat-hint", player: view.player, step: view.step }),
            { "data-what": "hint" }));
  }

  /** Make the buttons of the whole table: dice, deals, the count of five. A phone shows them to the
   * player whose turn it is. */
  tableActions() {
    const may = this.store.mayAct || (this.store.link === "open" && this.known.mine.length > 0);
    if (!may || this.chooser) return [];
    const { mine } = this.known;
    const { to_move: mover, moves, can_take_back: back } = this.store.snapshot.game;
    const turn = mine.includes(mover);
    const { own, free } = this.seats;
    const stems = this.room.may.filter((move) => move.startsWith("chance:"));
    const deals = stems[0] === "chance:shuffle" || stems[0] === "chance:heroes";
    const computer = this.room.seats.find(({ player }) => player === mover)?.computer && !deals;
    const parts = [];
    if (!(deals && free.length) && stems.length && (!own || turn || (deals && computer))
      && !computer) {
      const label = deals ? t("Shuffle and deal") : turn || mine.length ? t("Roll the dice")
        : t("Roll for {player}", { player: this.called(mover ?? "") });
      parts.push(act(label, () => this.play("chance"),
        { class: turn || deals ? "primary" : "", "data-what": "chance" }));
      if (!deals && !this.store.layout.hands)
        parts.push(act(t("We rolled our own dice"), () => this.choose(stems)));
    }
    if (this.room.may.includes("table:time") && this.room.counting === null
      && (!own || turn || !this.room.public.awaiting.includes(mine[0]))) {
      parts.push(act(t("Count to five"), () => this.send({ type: "count" }),
        { "data-what": "count" }));
    }
    const doer = moves.findLast((move) => /:(place|event|take):/.test(move))?.split(":")[0];
    if (back && (!own || mine.includes(doer))) {
      parts.push(button("back", t("Take back"), () => this.send({ type: "take-back" }),
        { "data-what": "take-back" }));
    }
    const covered = this.room.seats.filter(({ player, shut }) => shut && !mine.includes(player)
      && (this.known.at_table || mine.length));
    return [...parts,
      ...covered.map(({ player }) =>
        act(t("Let {who} see the cards there", { who: this.called(player) }),
          () => this.send({ type: "open-hand", player }), { "data-uncover": player }))];
  }
}
