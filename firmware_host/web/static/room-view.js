// A game of seats as everybody sees it: the platform with its zones, who has what, and what is in force.

import { h, icon, s, setText } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { aboutOf, cardTitle, pieceName, sentence, titleOf, zoneName } from "/static/room-words.js";

const [INNER, OUTER] = [34, 150];
const RIM = 160; // where the zones' names are written, around the platform
const NAME = 13; // letters of a name's line
const LATEST = 12;
const MARKS = { tank: "▬", fighter: "▲", ship: "●" };

function point(radius, turn) {
  const angle = ((turn - 0.5) / 8) * 2 * Math.PI - Math.PI / 2;
  return `${(radius * Math.cos(angle)).toFixed(1)} ${(radius * Math.sin(angle)).toFixed(1)}`;
}

/** A zone's wedge; zone 1 is at the top, and they go clockwise. */
function wedge(at) {
  return `M${point(INNER, at)}L${point(OUTER, at)}A${OUTER} ${OUTER} 0 0 1 ${point(OUTER, at + 1)}`
    + `L${point(INNER, at + 1)}A${INNER} ${INNER} 0 0 0 ${point(INNER, at)}Z`;
}

/** A zone's name along the rim, on two lines where it is long, and never upside down. */
function rimName(name, at) {
  const breaks = [...name.matchAll(/ /g)].map(({ index }) => [name.slice(0, index), name.slice(index + 1)]);
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  const lines = name.length <= NAME || !breaks.length ? [name]
    : breaks.reduce((best, each) => (longest(each) < longest(best) ? each : best));
  const low = at > 2 && at < 6;
  return lines.flatMap((line, nth) => {
    const radius = low ? RIM + 9 + 13 * nth : RIM + 13 * (lines.length - 1 - nth);
    const [from, to] = low ? [at + 1, at] : [at, at + 1];
    const id = `rim-${at}-${nth}`;
    return [s("path", { id, class: "arc", d: `M${point(radius, from)}A${radius} ${radius} 0 0 ${low ? 0 : 1} ${point(radius, to)}` }),
      s("text", { class: "name" }, s("textPath", {
        href: `#${id}`, startOffset: "50%", ...(line.length > NAME + 4 ? { textLength: 118, lengthAdjust: "spacingAndGlyphs" } : {}),
      }, line))];
  });
}

export class RoomView {
  constructor(store) {
    this.store = store;
    this.platform = s("svg", { class: "platform", viewBox: "-187 -187 374 374", role: "img" });
    this.turn = h("div", { class: "room-turn" });
    this.players = h("div", { class: "room-players" });
    this.latest = h("ol", { class: "room-latest", "aria-label": t("What happened") });
    this.credit = h("p", { class: "hint room-credit" });
    this.element = h("div", { class: "room-view" }, h("div", { class: "room-board" }, this.platform, this.turn),
      h("div", { class: "room-beside" }, this.players, this.latest), this.credit);
  }

  draw() {
    const { game, snapshot } = this.store;
    const { room } = snapshot;
    this.drawPlatform(game, room);
    this.drawTurn(game, room);
    this.drawPlayers(game, room);
    const moves = snapshot.moves.slice(-LATEST).reverse();
    this.latest.replaceChildren(...moves.map((move) => h("li", {}, sentence(game, move))));
    setText(this.credit, t("{title}, by {designers}. {notice}", { title: game.title, designers: game.credit, notice: game.notice }));
  }

  drawPlatform(game, room) {
    const { turn } = room.public;
    const wanted = turn?.zone;
    const zones = Object.keys(game.board).sort().flatMap((zone, at) => {
      const towers = room.zones[zone] ?? [];
      const lit = wanted === zone || wanted === "any";
      const angle = (at / 8) * 2 * Math.PI - Math.PI / 2;
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      const words = towers.map((tower) => tower.split("+").map((piece) => pieceName(game, piece)).join(" + "));
      return s("g", { class: lit ? "zone lit" : "zone", "data-zone": zone },
        s("title", {}, [zoneName(game, zone), ...words].join("\n")),
        s("path", { d: wedge(at) }),
        rimName(titleOf(game, `zone:${zone}`), at),
        s("text", { x: x * 48, y: y * 48, class: "number" }, zone),
        towers.map((tower, nth) => this.tower(tower, ...this.spot(x, y, nth, towers.length))));
    });
    this.platform.replaceChildren(s("circle", { r: 154, class: "rim" }), ...zones, s("circle", { r: INNER - 2, class: "hub" }));
    this.platform.setAttribute("aria-label", Object.entries(room.zones).map(([zone, towers]) =>
      `${zoneName(game, zone)}: ${towers.join(", ")}`).join("; ") || t("The platform is empty."));
  }

  /** Where the nth tower of a zone is drawn: in rows across its wedge. */
  spot(x, y, nth, count) {
    const row = nth < 2 ? 0 : 1;
    const inRow = row === 0 ? Math.min(2, count) : Math.min(3, count - 2);
    const across = ((row === 0 ? nth : (nth - 2) % 3) - (inRow - 1) / 2) * 32;
    const out = 84 + row * 42;
    return [x * out - y * across, y * out + x * across + 6];
  }

  tower(tower, x, y) {
    return s("g", { class: "tower" }, tower.split("+").map((piece, level) => {
      const [owner, kind] = piece.split("-");
      const at = y - level * 9;
      return s("g", { "data-player": owner, class: "piece" },
        s("rect", { x: x - 13, y: at - 6, width: 26, height: 11, rx: 3 }),
        s("text", { x, y: at + 3 }, MARKS[kind] ?? "?"));
    }));
  }

  drawTurn(game, room) {
    const { turn, piles, round, deferred } = room.public;
    const facts = [t("Round {round} of {rounds}", { round, rounds: game.options.rounds })];
    if (turn?.zone) facts.push(zoneName(game, turn.zone));
    if (turn?.troop.length) facts.push(turn.troop.map((kind) => (kind === "any" ? t("any troop") : titleOf(game, `kind:${kind}`))).join(" + "));
    facts.push(t("Piles: {left} and {right}, used: {discard}", piles));
    const laid = (turn?.cards ?? []).map(([who, token]) => h("li", { "data-player": who, class: "laid" },
      h("strong", {}, cardTitle(game, token)), ` ${aboutOf(game, `card:${token.split("=").at(-1)}`)} `, h("em", {}, nameOf(who))));
    const later = Object.entries(deferred).flatMap(([who, tokens]) => tokens.map((token) =>
      h("li", { "data-player": who, class: "laid later" }, t("{who}'s next turn: {card}", { who: nameOf(who), card: cardTitle(game, token) }))));
    const inForce = (turn?.challenges ?? []).map((name) => titleOf(game, `card:${name}`)).join(" + ");
    this.turn.replaceChildren(h("p", { class: "facts" }, facts.join(" · ")),
      inForce ? h("p", { class: "in-force" }, t("In force: {cards}", { cards: inForce })) : "",
      laid.length + later.length ? h("ul", { class: "laid-cards" }, laid, later) : "");
  }

  drawPlayers(game, room) {
    const { points, gems, troops, hands, heroes, used, awaiting } = room.public;
    const { to_move: owner, result } = this.store.snapshot;
    const rows = game.players.map((player) => {
      const seat = room.seats.find((each) => each.player === player);
      const waits = awaiting.includes(player);
      const hero = heroes[player];
      const cards = (hands[player] ?? []).length;
      const winner = result?.winners?.includes(player);
      const marks = (troops[player] ?? []).map((piece) => {
        const [of, kind] = piece.split("-");
        return h("span", { class: "mark", "data-player": of, title: pieceName(game, piece) }, MARKS[kind]);
      });
      return h("div", { class: ["room-player", waits ? "waits" : "", player === owner ? "owner" : "", winner ? "winner" : ""].join(" "), "data-player": player },
        h("strong", { class: "who" }, nameOf(player), winner ? icon("trophy") : ""),
        h("span", { class: "points", title: t("Points") }, `★ ${points[player]}`),
        h("span", { class: "cards", title: t("Cards in the hand") }, `🂠 ${cards}`),
        h("span", { class: "gems", title: t("Green gems") }, `◆ ${gems[player]}`),
        h("span", { class: "marks", title: t("Troops left") }, marks),
        h("span", { class: "state" }, [
          seat?.computer ? t("computer") : seat?.taken ? "" : t("free seat"), // none yet where the number of players has just changed
          hero && hero !== "?" ? titleOf(game, `hero:${hero}`) + (used.includes(player) ? " ✓" : "") : "",
          waits ? t("is awaited") : ""].filter(Boolean).join(" · ")));
    });
    this.players.replaceChildren(...rows);
  }
}
