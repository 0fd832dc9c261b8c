// Cards, heroes and troops of a game of seats as pictures, and the card that is held to be read.

import { dialog, open } from "/static/dialogs.js";
import { h, s } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { aboutOf, cardTitle, pieceName, titleOf, typeOf } from "/static/room-words.js";

const HELD_MS = 420;
const STILL_PX = 12;
const ROW = 5; // cards of a fan; more are fanned in a second row
const HEROES = ["archivist", "pilot", "quartermaster", "warden", "navigator", "commander", "merchant", "courier", "champion", "anchor"];
const DRAWN = ["limit-it", "copy-it", "blindfolded", "duplicate-it", "pair-it", "spin-it", "mount-it", "chopsticks", "teleport-it", "guardian",
  "space-time-hole", "do-it-yourself", "keep-it", "give-it-back", "antimatter", "back", ...HEROES.map((name) => `hero-${name}`)];

/** One of the drawings in cards.svg. */
export const drawing = (name, attributes = {}) =>
  s("svg", { class: "drawing", "aria-hidden": "true", ...attributes }, s("use", { href: `/static/cards.svg#${name}` }));

export const picture = (name) => drawing(DRAWN.includes(name) ? name : "blank");

/** A troop, as what it is, in its owner's colour. */
export function troop(piece, attributes = {}) {
  const [owner, kind] = piece.split("-");
  return drawing(`kind-${kind}`, { class: "troop", "data-player": owner, ...attributes });
}

/** Pieces with their pictures, for an answer: "red-tank+blue-ship". */
export const piecesShown = (game, names) => names.split("+").map((piece) => [troop(piece), ` ${pieceName(game, piece)} `]);

/** A card or hero's face: `token` as it is laid. */
export function face(game, token, hero = false) {
  const name = token.split("=").at(-1);
  return [picture(hero ? `hero-${name}` : name), h("strong", {}, hero ? titleOf(game, `hero:${name}`) : cardTitle(game, token))];
}

let reader = null;

/** A card as large as it can be, with what it does; `lay()`, where it may be laid now. */
export function read(game, token, lay = null, hero = false) {
  const name = token.split("=").at(-1);
  reader?.remove();
  reader = dialog(hero ? t("Your hero") : t("A card"), "card-read", h("div", { class: "big-card", "data-type": hero ? "hero" : typeOf(game, name) },
    face(game, token, hero), h("p", {}, aboutOf(game, `${hero ? "hero" : "card"}:${name}`))),
  lay ? h("footer", {}, h("button", { type: "button", class: "primary", onclick: () => { reader.close(); lay(); } }, hero ? t("Use it now") : t("Lay it"))) : "");
  open(reader);
}

/** A card in the hand: a tap lays it where it may be laid, and else reads it; so does holding it. */
export function card(game, token, count, lay, hero = false) {
  const name = token.split("=").at(-1);
  const kind = hero ? "hero" : "card";
  let timer = null;
  let heldAt = null; // where it was held until it was shown: the release is no tap
  let from = null;
  const show = () => read(game, token, lay, hero);
  const stop = () => clearTimeout(timer);
  const element = h("button", {
    type: "button", class: "hand-card", [`data-${kind}`]: name, "data-type": hero ? "hero" : typeOf(game, name), "data-may": Boolean(lay),
    "aria-description": aboutOf(game, `${kind}:${name}`),
    onclick: () => { if (heldAt) heldAt = null; else if (lay) lay(); else show(); },
    oncontextmenu: (event) => event.preventDefault(),
    onpointerdown: (event) => {
      from = event;
      heldAt = null;
      timer = setTimeout(() => { heldAt = from; show(); }, HELD_MS);
    },
    onpointermove: (event) => { if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > STILL_PX) stop(); },
    onpointerup: stop, onpointercancel: stop, onpointerleave: stop,
  }, face(game, token, hero), count > 1 ? h("b", { class: "times" }, `×${count}`) : "");
  return element;
}

/** Cards as a hand holds them. */
export function fan(cards) {
  const rows = cards.length > ROW ? [cards.slice(0, Math.ceil(cards.length / 2)), cards.slice(Math.ceil(cards.length / 2))] : [cards];
  return rows.filter((row) => row.length).map((row) => {
    row.forEach((each, at) => each.style.setProperty("--off", at - (row.length - 1) / 2));
    const element = h("div", { class: "hand-cards" }, row);
    element.style.setProperty("--gaps", Math.max(1, row.length - 1));
    return element;
  });
}
