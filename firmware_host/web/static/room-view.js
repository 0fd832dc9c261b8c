// What everybody sees in a game of seats: the platform with its zones, whose turn it is, the cards
// on the table, and the standings.
import { show } from "/static/dialogs.js";
import { h, icon, s, set, setText, t } from "/static/page.js";
import { aboutOf, cardTitle, pieceName, piecesName, sentence, titleOf, typeOf,
  zoneName } from "/static/room-words.js";

const HELD_MS = 420;
const STILL_PX = 12;
const ROW = 4; // Maximum number of cards in a row of a fan.
const HEROES = ["archivist", "pilot", "quartermaster", "warden", "navigator", "commander",
  "merchant", "courier", "champion", "anchor"];
const DRAWN = ["limit-it", "copy-it", "blindfolded", "duplicate-it", "pair-it", "spin-it",
  "mount-it", "chopsticks", "teleport-it", "guardian",
  "space-time-hole", "do-it-yourself", "keep-it", "give-it-back", "antimatter", "back",
  ...HEROES.map((name) => `hero-${name}`)];

/** Make one of the drawings in cards.svg. */
export const drawing = (name, attributes = {}) =>
  s("svg", { class: "drawing", "aria-hidden": "true", ...attributes },
    s("use", { href: `/static/cards.svg#${name}` }));

export const picture = (name) => drawing(DRAWN.includes(name) ? name : "blank");

/** Draw a troop in its owner's colour. */
export function troop(piece, attributes = {}) {
  const [owner, kind] = piece.split("-");
  return drawing(`kind-${kind}`, { class: "troop", "data-player": owner, ...attributes });
}

/** Draw pieces with their names, for an answer: "red-tank+blue-ship". */
export const piecesShown = (game, names) =>
  names.split("+").map((piece) => [troop(piece), ` ${pieceName(game, piece)} `]);

/** Make the face of a card or hero; `token` is its name in a move. */
export function face(game, token, hero = false) {
  const name = token.split("=").at(-1);
  const title = hero ? titleOf(game, `hero:${name}`) : cardTitle(game, token);
  // The longest word sets the size, because words do not break.
  const longest = Math.max(...title.split(/[\s-]/).map(({ length }) => length));
  return [picture(hero ? `hero-${name}` : name), h("strong", { "--letters": longest }, title)];
}

/** Show a card large, with its text; `lay()`, if it is given, plays it. */
export function read(game, token, lay = null, hero = false) {
  const name = token.split("=").at(-1);
  const reader = show(hero ? t("Your hero") : t("A card"), "card-read",
    h("div", { class: "big-card", "data-type": hero ? "hero" : typeOf(game, name) },
      face(game, token, hero), h("p", {}, aboutOf(game, `${hero ? "hero" : "card"}:${name}`))),
    lay ? h("footer", {},
      h("button", { type: "button", class: "primary", onclick: () => { reader.close(); lay(); } },
        hero ? t("Use it now") : t("Lay it"))) : "");
}

/** Make a card of the hand. A tap plays it if it may be played, else shows it large, as holding
 * does. */
export function card(game, token, count, lay, hero = false) {
  const name = token.split("=").at(-1);
  const kind = hero ? "hero" : "card";
  let timer = null;
  let heldAt = null; // Set after a long press, whose release is not a tap.
  let from = null;
  const open = () => read(game, token, lay, hero);
  const stop = () => clearTimeout(timer);
  const element = h("button", {
    type: "button", class: "hand-card", [`data-${kind}`]: name, "data-type": hero ? "hero"
      : typeOf(game, name), "data-may": Boolean(lay),
    "aria-description": aboutOf(game, `${kind}:${name}`),
    onclick: () => { if (heldAt) heldAt = null; else if (lay) lay(); else open(); },
    oncontextmenu: (event) => event.preventDefault(),
    onpointerdown: (event) => {
      from = event;
      heldAt = null;
      timer = setTimeout(() => { heldAt = from; open(); }, HELD_MS);
    },
    onpointermove: (event) => {
      if (from
        && Math.hypot(event.clientX - from.clientX,
          event.clientY - from.clientY) > STILL_PX) stop();
    },
    onpointerup: stop, onpointercancel: stop, onpointerleave: stop,
  }, face(game, token, hero), count > 1 ? h("b", { class: "times" }, `×${count}`) : "");
  return element;
}

/** Arrange cards in rows, as a hand holds them. */
export function fan(cards) {
  const count = Math.ceil(cards.length / ROW);
  const length = Math.ceil(cards.length / count);
  return Array.from({ length: count }, (_, nth) => {
    const row = cards.slice(nth * length, (nth + 1) * length);
    row.forEach((each, at) => each.style.setProperty("--off", at - (row.length - 1) / 2));
    return h("div", { class: "hand-cards", "--gaps": Math.max(1, row.length - 1) }, row);
  });
}

const NAME = 13; // Maximum number of letters in a line of a zone's name.
const LATEST = 12;
const HALF = 187; // Half the width of the wood around the platform.

/** Write a zone's name along the rim, in two lines if it is long, and never upside down. */
function rimName(name, low) {
  const breaks = [...name.matchAll(/ /g)]
    .map(({ index }) => [name.slice(0, index), name.slice(index + 1)]);
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  const lines = name.length <= NAME || !breaks.length ? [name]
    : breaks.reduce((best, each) => (longest(each) < longest(best) ? each : best));
  return lines.map((line, nth) => s("text", { class: "name" }, s("textPath", {
    href: low ? `#low-${nth}` : `#rim-${lines.length - 1 - nth}`, startOffset: "50%",
    ...(line.length > NAME + 4 ? { textLength: 118, lengthAdjust: "spacingAndGlyphs" } : {}),
  }, line)));
}

/** Return where the nth tower of a zone is drawn, in rows across its wedge. */
function spot(x, y, nth, count) {
  const row = nth < 2 ? 0 : 1;
  const inRow = row === 0 ? Math.min(2, count) : Math.min(3, count - 2);
  const across = ((row === 0 ? nth : (nth - 2) % 3) - (inRow - 1) / 2) * 36;
  const out = (count === 1 ? 105 : 84) + row * 42;
  return [x * out - y * across, y * out + x * across + 6];
}

const drawTower = (tower, x, y) =>
  s("g", { class: "tower" }, tower.split("+").map((piece, level) =>
    s("g", { class: "piece" },
      troop(piece, { x: x - 19, y: y - 22 - level * 15, width: 38, height: 35 }))));

/** Return the drawing of a platform: its zones with their towers. The zone `wanted` is lit. */
function platform(game, zones, wanted) {
  const universe = titleOf(game, "zone:1") && game.options.face === "universe";
  const wedges = Object.keys(game.board).sort().flatMap((zone, at) => {
    const towers = zones[zone] ?? [];
    const angle = (at / 8) * 2 * Math.PI - Math.PI / 2;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    return s("g",
      { class: wanted === zone || wanted === "any" ? "zone lit" : "zone", "data-zone": zone },
      s("title", {}, [zoneName(game, zone), ...towers.map((tower) => piecesName(game, tower))]
        .join("\n")),
      s("g", { transform: `rotate(${45 * at})` }, s("use", { class: "wedge", href: "#zone" }),
        rimName(titleOf(game, `zone:${zone}`), at > 2 && at < 6)),
      universe
        ? s("use", { href: `/static/cards.svg#zone-${zone}`, x: x * 118 - 26, y: y * 118 - 26,
            width: 52, height: 52 }) : null,
      s("text", { x: x * 50, y: y * 50, class: "number" }, zone),
      towers.map((tower, nth) => drawTower(tower, ...spot(x, y, nth, towers.length))));
  });
  return [s("use", { href: "#sky" }), ...wedges, s("circle", { r: 32, class: "hub" })];
}

const emptyPlatform = (about = {}) => s("svg", { class: "platform", role: "img",
  viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, ...about });

/** Draw a turn for the rules: a piece that holds on another one. */
export function exampleTurn(game) {
  const say = t("Red rolls a tank and zone 3. The tank holds on Blue's fighter: two points.");
  const drawn = emptyPlatform({ "aria-label": say });
  drawn.append(...platform(game, { 3: ["blue-fighter+red-tank"], 6: ["red-ship"] }, "3"));
  return h("figure", {}, drawn, h("figcaption", {}, say));
}

export class RoomView {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.platform = emptyPlatform();
    this.turn = h("section", { class: "room-turn", "aria-label": t("This turn") });
    this.players = h("section", { class: "card room-players", "aria-label": t("Players") });
    this.latest = h("ol", { class: "room-latest", "aria-label": t("What happened") });
    this.credit = h("p", { class: "hint room-credit" });
    this.element = h("div", { class: "room-view" }, this.platform);
    this.story = h("section", { class: "room-story" }, this.latest, this.credit);
    this.parts = [this.element, this.turn, this.players, this.story];
  }

  draw() {
    const { game, snapshot } = this.store;
    const { seats: room } = snapshot;
    this.drawPlatform(game, room);
    this.drawTurn(game, room);
    this.drawPlayers(game, room);
    const moves = snapshot.game.moves.slice(-LATEST).reverse();
    this.latest.replaceChildren(...moves.map((move) =>
      h("li", { "data-player": move.split(":")[0] }, sentence(this.store, move))));
    setText(this.credit,
      t("{title}, by {designers}. {notice}",
        { title: game.title, designers: game.credit, notice: game.notice }));
  }

  /** Hang the platform on the plate if that is drawn in three dimensions, else show it alone. */
  hang() {
    const slot = document.documentElement.hasAttribute("data-space")
      && document.querySelector(".surface .zones");
    const far = this.store.layout.plate_mm / 2;
    if (slot) set(this.platform, { x: -far, y: -far, width: 2 * far, height: 2 * far });
    if (this.platform.parentNode !== (slot || this.element))
      (slot || this.element).prepend(this.platform);
  }

  drawPlatform(game, room) {
    this.platform.replaceChildren(...platform(game, room.zones, room.public.turn?.zone));
    this.platform.setAttribute("aria-label", Object.entries(room.zones).map(([zone, towers]) =>
      `${zoneName(game, zone)}: ${towers.map((tower) => piecesName(game, tower)).join(", ")}`)
      .join("; ") || t("The platform is empty."));
    this.hang();
  }

  drawTurn(game, room) {
    const { turn, piles, round, deferred } = room.public;
    const owner = this.store.snapshot.game.to_move;
    const called = (player) => this.store.players.called(player);
    const doer = turn?.doer ?? owner;
    const laid = (turn?.cards ?? [])
      .map(([who, token]) => [who, token, turn.challenges.includes(token.split("=").at(-1))]);
    const copied = (turn?.challenges ?? [])
      .filter((name) => !laid.some(([, token]) => token.split("=").at(-1) === name))
      .map((name) => ["", name, true]);
    const later = Object.entries(deferred)
      .flatMap(([who, tokens]) => tokens.map((token) => [who, token, false]));
    const shown = (each, more) =>
      each.map(([who, token, counts]) =>
        h("li", { "data-player": who, class: counts ? "laid" : "laid later" },
          h("button", { type: "button", onclick: () => read(game, token) }, face(game, token),
            h("em", {}, who ? more(called(who)) : t("copied")))));
    const kinds = (turn?.troop ?? [])
      .map((kind) => (kind === "any" ? h("b", { class: "any" }, "?") : troop(`${owner}-${kind}`)));
    const kindWords = (turn?.troop ?? [])
      .map((kind) => (kind === "any" ? t("any troop") : titleOf(game, `kind:${kind}`))).join(" + ");
    const zone = turn?.zone;
    const mine = h("p", { class: "whose" }, doer ? h("strong", {}, called(doer)) : "",
      h("span", {}, turn && doer !== owner ? t("places for {owner}", { owner: called(owner) })
        : t("Round {round} of {rounds}", { round, rounds: game.options.rounds })));
    this.turn.dataset.player = doer ?? "";
    this.turn.replaceChildren(mine,
      zone || kinds.length ? h("div", { class: "dice" },
        kinds.length ? h("span", { class: "die", title: kindWords }, kinds, h("em", {}, kindWords))
          : "",
        zone ? h("span", { class: "die zone-die" }, h("b", {}, zone === "any" ? "?" : zone),
          h("em", {}, zone === "any" ? t("any zone") : titleOf(game, `zone:${zone}`))) : "") : "",
      room.counting === null ? ""
        : h("b", { class: "counting", role: "timer",
            "aria-label": t("Seconds left: {left}", { left: room.counting }) }, room.counting),
      laid.length + copied.length + later.length
        ? h("ul", { class: "laid-cards", "aria-label": t("Cards on the table") },
            shown([...laid, ...copied], (who) => who),
            shown(later, (who) => t("{who}: next turn", { who }))) : "",
      h("div", { class: "piles" },
        [["left", t("Left pile")], ["right", t("Right pile")], ["discard", t("Used cards")]]
          .map(([name, label]) =>
            h("span", { class: name, title: label }, drawing("back"), h("b", {}, piles[name]),
              h("em", {}, label)))));
  }

  drawPlayers(game, room) {
    const { points, gems, troops, hands, heroes, used, awaiting } = room.public;
    const { to_move: owner, result } = this.store.snapshot.game;
    const most = Math.max(...Object.values(points));
    const ahead = game.players.filter((player) => points[player] === most);
    const rows = game.players.map((player) => {
      const seat = room.seats.find((each) => each.player === player);
      const waits = awaiting.includes(player);
      const hero = heroes[player];
      const first = result ? result.winners?.includes(player)
        : ahead.length < game.players.length && ahead.includes(player);
      return h("div",
        { class: ["room-player", waits ? "waits" : "", player === owner ? "owner" : "",
          result && first ? "winner" : ""].join(" "), "data-player": player },
        h("strong", { class: "who" }, this.store.players.called(player),
          first ? h("span", { title: result ? t("Won") : t("Ahead") }, icon("trophy")) : ""),
        h("span", { class: "points", title: t("Points") }, `★ ${points[player]}`),
        h("span", { class: "marks",
          title: t("Troops left: {left}", { left: (troops[player] ?? []).length }) },
        (troops[player] ?? []).map((piece) => troop(piece))),
        h("span", { class: "cards", title: t("Cards in the hand") }, drawing("back"),
          (hands[player] ?? []).length),
        h("span", { class: "gems", title: t("Green gems") }, `◆ ${gems[player]}`),
        h("span", { class: "state" }, [
          // A new number of players can precede their seats.
          seat?.computer ? t("bot") : seat?.taken ? "" : t("free seat"),
          hero && hero !== "?"
            ? titleOf(game, `hero:${hero}`) + (used.includes(player) ? " ✓" : "") : "",
          waits ? t("to act") : ""].filter(Boolean).join(" · ")));
    });
    this.players.replaceChildren(...rows);
  }
}
