// A page for spectators: a club's evening with each table as a small board, rounds and standings,
// or one table by its link.
import { around, TrackBoard, viewBox } from "/static/boards.js";
import { h, loadTexts, nameOf, s, set, setText, t, toggle } from "/static/page.js";
import { smallBoard } from "/static/picture.js";
import { Store } from "/static/store.js";

const MARGIN_MM = 14;
const RATIO = 1.28; // Height of a card divided by its width.

const key = location.pathname.match(/^\/look\/([\w-]+)$/)?.[1] ?? null;
const boards = new Map(); // Number -> layout.
const tables = new Map(); // Id -> {card, store, parts}.
/** @type {HTMLElement} */ const main = document.querySelector("#boards");
/** @type {HTMLElement} */ const evening = document.querySelector("#evening");
let title = null;
let link = null;

/** Return the part of the plate that the game uses, in mm.
 * @param {Store} store */
function frameOf(store) {
  const at = Object.values(store.game.board).map(({ index }) => store.centreOf(index));
  return around(at, store.layout.pitch_mm / 2 + MARGIN_MM);
}

/** @param {Store} store */
function rings(store, marks) {
  return Object.entries(marks).filter(([place]) => place in store.game.board)
    .map(([place, kind]) => {
      const { x, y } = store.centreOf(store.indexOf(place));
      return s("circle", { cx: x, cy: -y, r: 16, class: `ring ${kind}` });
    });
}

/** @param {Store} store */
function draw(store, seen) {
  const tracks = store.game.drawing ? new TrackBoard(store) : null;
  tracks?.update();
  return s("svg",
    { viewBox: viewBox(store.frame), class: "small", role: "img",
      "aria-label": store.said(seen.say ?? "") },
    smallBoard(store, seen.cells ?? {}, tracks ? [tracks.element] : []),
    rings(store, seen.marks ?? {}));
}

/** Return the player's name for people: the person with the colour, or the colour. */
function called(player, names = {}) {
  return names[player] ? `${names[player]} (${nameOf(player)})` : nameOf(player);
}

function stateOf({ seen, online }) {
  if (seen.over) return seen.winner
    ? t("{player} has won.", { player: called(seen.winner, seen.names) }) : t("The game is over.");
  if (!online) return t("This table is away.");
  return seen.to_move ? t("{player} to move", { player: called(seen.to_move, seen.names) }) : "";
}

function show(message) {
  const { id, seen } = message;
  let table = tables.get(id);
  if (!table) {
    const parts = Object.fromEntries(["table", "game", "state", "say"]
      .map((name) => [name, h(name === "table" ? "h2" : "p", { class: name })]));
    parts.board = h("div", { class: "board" });
    const card = h("article", { "data-table": id }, h("header", {}, parts.table, parts.game),
      parts.board, parts.state, parts.say);
    table = { card, parts, store: new Store() };
    tables.set(id, table);
  }
  const { card, parts, store } = table;
  store.layout = boards.get(message.board);
  store.snapshot = {
    game: { position: seen.cells ?? {}, result: seen.over ? { winner: seen.winner ?? null } : null,
      to_move: seen.to_move ?? null, moves: [] },
    guidance: { roles: {} }, learning: { quality: {} } };
  store.frame = frameOf(store);
  setText(parts.table, seen.table);
  setText(parts.game,
    `${store.game.title}${seen.ply ? ` · ${t("Move {number}", { number: seen.ply })}` : ""}`);
  setText(parts.state, stateOf(message));
  setText(parts.say, store.said(seen.say ?? ""));
  parts.board.replaceChildren(draw(store, seen));
  card.classList.toggle("over", Boolean(seen.over));
  card.classList.toggle("away", !message.online);
  arrange();
}

/** Sort the tables by name. In projector mode make them as large as they all fit. */
function arrange() {
  const ordered = [...tables.values()].map(({ card, parts }) => [parts.table.textContent, card]);
  ordered.sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }));
  ordered.forEach(([, card], at) => main.children[at] !== card
    && main.insertBefore(card, main.children[at] ?? null));
  setText(title, key ? t("Looking on") : t("Tables: {number}", { number: tables.size }));
  main.dataset.empty = tables.size ? ""
    : key ? t("This table is offline. It appears here when it returns.")
      : t("No table has sent its game yet.");
  const { clientWidth: width, clientHeight: height } = main;
  let columns = 1;
  while (columns < tables.size
    && (width / columns) * RATIO * Math.ceil(tables.size / columns) > height) columns += 1;
  set(main, { "--columns": columns, "--rows": Math.max(1, Math.ceil(tables.size / columns)) });
}

function hang({ title: name, rounds, standings, problem }) {
  const current = Math.max(0, rounds.findIndex((games) => games.some(([, , won]) => won === null)));
  const at = rounds.length && rounds.every((games) => games.every(([, , won]) => won !== null))
    ? rounds.length - 1 : current;
  const game = ([first, second, won]) =>
    h("tr", {}, h("td", { class: won === first ? "won" : "" }, first),
      h("td", { class: won !== null && won === second ? "won" : "" }, second ?? t("bye")),
      h("td", {}, won === "=" ? "½" : won ?? "…"));
  const round = (games, number) =>
    h("details", { open: number === at },
      h("summary", {}, t("Round {number}", { number: number + 1 })),
      h("table", {}, games.map(game)));
  const line = ({ name: player, points, opponents }, number) =>
    h("tr", {}, h("td", {}, `${number + 1}.`), h("td", {}, player), h("td", {}, points),
      h("td", { class: "hint" }, opponents));
  evening.hidden = false;
  evening.replaceChildren(h("h2", {}, name || t("The evening")),
    ...(problem ? [h("p", { class: "problem" }, problem)] : []),
    ...rounds.map(round), h("h3", {}, t("Standings")),
    h("table", { class: "standings" }, standings.map(line)));
  arrange();
}

function take(message) {
  if (message.type === "board") boards.set(message.layout.number, message.layout);
  else if (message.type === "table") show(message);
  else if (message.type === "evening") hang(message.sheet);
  else if (message.type === "gone") {
    tables.get(message.id)?.card.remove();
    tables.delete(message.id);
    arrange();
  }
}

function listen() {
  const source = new EventSource(key ? `/events/${key}` : "/events");
  source.onopen = () => { link.hidden = true; };
  source.onerror = () => {
    link.hidden = false; // The browser reconnects, unless the server has refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
  source.onmessage = ({ data }) => take(JSON.parse(data));
}

await loadTexts();
title = h("span", { class: "game-title" });
link = h("span", { class: "hint", role: "status" },
  t("The connection is lost. Trying again…"));
link.hidden = true;
const projector = toggle("full", t("Projector"), false, () => {
  const on = document.body.classList.toggle("projector");
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
  arrange();
  return on;
});
document.querySelector("#bar")
  .append(h("h1", {}, h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }),
    "tiltboard"), title, link, h("nav", {}, projector));
document.body.classList.toggle("one", key !== null);
addEventListener("resize", arrange);
arrange();
listen();
