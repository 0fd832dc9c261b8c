// Puts the page together.
import { Actions, Ending, Questions, Say } from "/static/say.js";
import { Ahead, Analysis, Moves, Reviewer } from "/static/moves.js";
import { Buttons, Drawer, FaultPanel, Legend, Tabs } from "/static/drawer.js";
import { CalibrationCard, CalibrationPanel } from "/static/calibration.js";
import { Connection } from "/static/connection.js";
import { Games, Help, fetchJson } from "/static/dialogs.js";
import { button, h, icon, language, languages, loadTexts, remember, remembered, setText, t,
  toggle } from "/static/page.js";
import { Cup } from "/static/cup.js";
import { Depth } from "/static/depth.js";
import { Hand, OwnHand } from "/static/hand.js";
import { Keys } from "/static/keys.js";
import { Machine, Pairing } from "/static/machine.js";
import { Doors, NewGame } from "/static/newgame.js";
import { AssistChoice } from "/static/opponents.js";
import { pictureButtons } from "/static/picture.js";
import { Pieces } from "/static/pieces.js";
import { Players } from "/static/players.js";
import { Playground, Supply } from "/static/playground.js";
import { Plate } from "/static/plate.js";
import { Pointers } from "/static/pointer.js";
import { Presses, Previews } from "/static/press.js";
import { Puzzles } from "/static/puzzles.js";
import { Room } from "/static/room.js";
import { Rules } from "/static/rules.js";
import { Seats } from "/static/seats.js";
import { SensorView } from "/static/sensors.js";
import { Sounds, Voice } from "/static/sound.js";
import { Store } from "/static/store.js";
import { Tilting, TiltPad } from "/static/tilt.js";
import { Trays } from "/static/trays.js";

const OF_THE_STEP = new Set(["take-back", "swap", "make-move", "answer", "again"]);
const BY_RULES = new Set(["put", "take", "pick-up", "set-down", "grab", "let-go"]);
const YEAR_S = 365 * 24 * 3600;
const byId = (id) => document.getElementById(id);

/** Show a short message at the foot of the page; an empty one means a lost connection.
 * @param {Store} store */
function complainOf(store, message) {
  const toast = h("p", { class: "toast" }, store.said(message) || t("The table does not answer."));
  byId("toasts").replaceChildren(toast);
  setTimeout(() => toast.remove(), 5000);
}

let awaited = 0;

/** Show that the page waits for an answer, on the page and on the pressed button. */
function waitedFor(answer) {
  const pressed = document.activeElement?.closest?.("button");
  const show = (by) => {
    awaited += by;
    document.documentElement.toggleAttribute("data-asking", awaited > 0);
    pressed?.setAttribute("aria-busy", String(by > 0));
  };
  show(1);
  answer.finally(() => show(-1)).catch(() => {}); // The caller handles the error.
  return answer;
}

function themeButton() {
  const { dataset } = document.documentElement;
  const wanted = () => (dataset.theme === "dark" ? "sun" : "moon");
  const theme = button(wanted(), t("Light or dark"), () => {
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
    remember("theme", dataset.theme);
    theme.firstChild.replaceWith(icon(wanted()));
  });
  return theme;
}

/** Make the buttons for the view: from above or the front, full screen, and turning. */
function viewButtons(camera) {
  const above = toggle("above", t("From above"), camera.above, () => {
    camera.look({ above: !camera.above });
    return camera.above;
  });
  const root = document.documentElement;
  const full = button("full", t("Full screen"), () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else root.requestFullscreen().catch(() => {});
  }, { hidden: !document.fullscreenEnabled });
  return [above, full,
    button("turn", t("Turn the plate"), () => camera.look({ turned: camera.turned + 1 }))];
}

/** Make the choice of language. A cookie stores it, so that the table's texts follow it. */
function languageChoice() {
  const choose = ({ target }) => {
    document.cookie =
      `tiltboard-language=${target.value}; path=/; max-age=${YEAR_S}; samesite=strict`;
    location.reload();
  };
  const ownName = (each) => new Intl.DisplayNames(each, { type: "language" }).of(each)
    .replace(/^./, (first) => first.toUpperCase());
  const option = (each) =>
    h("option", { value: each, lang: each, selected: each === language() }, ownName(each));
  return h("span", { class: "language", title: t("Language") },
    h("span", { class: "shown", "aria-hidden": "true" }, language().toUpperCase()),
    h("select", { "aria-label": t("Language"), onchange: choose }, languages().map(option)));
}

/** @param {Store} store */
function header(store, sounds, dialogs, handle, door, doors) {
  const title = h("span", { class: "game-title" });
  const sound = toggle(sounds.on ? "sound" : "silent", t("Sound"), sounds.on, () => {
    sound.firstChild.replaceWith(icon(sounds.toggle() ? "sound" : "silent"));
    return sounds.on;
  }, { class: "plain quiet" });
  store.on(["layout", "review"], () => {
    if (store.snapshot) document.documentElement.dataset.layout = String(store.snapshot.layout);
    setText(title, store.game?.title ?? store.layout?.title ?? "");
    document.title = store.game ? `${store.game.title} – tiltboard` : "tiltboard";
  });
  const shows = (name, label, shown) => button(name, label, () => shown.show(), { class: "plain" });
  const begin = shows("plus", t("New game"), dialogs.newGame);
  store.on(["watching"], () => { begin.hidden = store.watching; });
  byId("bar").append(h("h1", {}, doors.handle), title, h("nav", { "aria-label": t("Table") },
    begin, shows("list", t("Games"), dialogs.games), door,
    handle, shows("help", t("Help"), dialogs.help), languageChoice(), sound));
}

function build() {
  const store = new Store();
  const connection = new Connection((message) =>
    (message.type === "poses" ? depth.poses.take(message.frames) : store.take(message)), (link) => {
    if (link === store.link) return;
    store.set("link", link);
    if (link === "open") attend();
  });
  /** Send a request, tied to the game and step on this screen if it depends on them: the table
   * refuses it once the game has moved on. */
  const ask = (message) => {
    const { layout, snapshot } = store;
    const meant = OF_THE_STEP.has(message.type) && !message.game && layout?.game?.id > 0
      && !snapshot.seats && { game: layout.game.id, step: snapshot.game.step };
    return waitedFor(connection.ask({ ...message, ...meant }));
  };
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  const announce = (words) => { spoken.textContent = store.said(words); };
  const complain = (message) => complainOf(store, message);
  /** Send a request, and show a refusal to the person. */
  const send = (message) => ask(message).catch((error) => complain(error.message));
  document.body.append(spoken);

  const reviewer = new Reviewer(store, { fetchJson, ask, complain });
  // The moves panel has the buttons to step.
  store.on(["review"], () => store.review && tabs.show("moves"));
  const players = new Players(store, ask);
  const solve = (game, number, tactic = false) => send({ type: "puzzle", game, number, tactic });
  const puzzles = new Puzzles(store,
    { fetchJson, solve, learn: (game) => learn(game), ask, complain,
      guided: (game) => dialogs.newGame.guided(game) });
  const nextPuzzle = () => {
    const { name } = store.layout.game;
    const { puzzle, tactic } = store.snapshot.learning.lesson;
    return puzzles.of(name)
      .then(({ puzzles: all, tactics }) => (tactic && tactics[tactic]
        ? solve(name, tactics[tactic], true) : solve(name, (puzzle % all.length) + 1)),
      (error) => complain(error.message));
  };
  /** The first touch of a page ends the demo game; on the plate it does nothing else. */
  for (const touch of ["pointerdown", "keydown"]) {
    addEventListener(touch, (event) => {
      if (!store.snapshot?.learning.attract || !store.mayAct) return;
      ask({ type: "touch" }).catch(() => {});
      if (byId("table").contains(/** @type {Node} */ (event.target))) event.stopPropagation();
    }, true);
  }
  const dialogs = {
    newGame: new NewGame(store, { ask }),
    games: new Games(store, { ask, review: (record, ply) => reviewer.look(record, ply) }),
    help: new Help(store, { learn: (game) => learn(game), puzzles: () => tabs.choose("learn"),
      rules: new Rules(store).element }),
  };
  const newGame = () => dialogs.newGame.show();
  /** Begin a game, with the options of the current one if it is of the same kind. */
  const begin = (name, more) => {
    remember("begun", "yes");
    const entries = name === store.layout.game?.name
      ? Object.entries(store.layout.game.options) : [];
    // A board from a file is sent as text.
    const own = ([, value]) => value && typeof value === "object" && !Array.isArray(value);
    return send({
      type: "game", game: name, options: Object.fromEntries(entries.filter((each) => !own(each))),
      boards: Object.fromEntries(entries.filter(own)
        .map(([key, board]) => [key, JSON.stringify(board)])), ...more,
    });
  };
  /** Play the same game again; `swap` exchanges the colours. The game of a cup is played anew. */
  const playAgain = (swap) => {
    if (!store.mayAct) return send({ type: "again", player: store.mine[0] });
    const { engines, clock, assist } = store.snapshot.players;
    const after = (player) => (swap ? players.next(player) : player);
    if (swap) players.exchange();
    if (cup.next) return cup.again();
    return begin(store.layout.game.name, {
      engines: Object.fromEntries(Object.entries(engines)
        .map(([player, { engine, level, follows }]) =>
          [after(player), { engine, level, follows }])),
      assist: Object.fromEntries(Object.entries(assist)
        .map(([player, amount]) => [after(player), amount])),
      clock: clock && { minutes: clock.minutes, increment_s: clock.increment_s },
    });
  };
  const learn = (game = store.layout.game.name) => send({ type: "learn", game });
  const ownHand = new OwnHand(store, { ask, complain, putBack: () => hand.putBack() });
  const ending = new Ending(store, send);
  const cup = new Cup(store, { ask, players });
  const actions = new Actions(store, {
    send, ownHand, ending, cup, newGame, playAgain, learn: () => learn(), nextPuzzle,
    leaveReview: () => reviewer.leave(), takeBackToHere: () => reviewer.takeBackToHere(),
  });
  const voice = new Voice();
  new Say(store, byId("say"), byId("side"), actions.element, () => learn(), voice, ownHand);
  new CalibrationCard(store, byId("say"), send);
  /** Send what a hand of this page does. While the table does the rest, only legal actions are
   * possible. */
  const handAsk = (message) =>
    ask(ownHand.on && BY_RULES.has(message.type) ? { ...message, if_legal: true } : message);
  const tilting = new Tilting(store, send);
  const plate = new Plate(store, byId("stage"));
  const pieces = new Pieces(store, plate);
  const depth = new Depth(store, plate, pieces,
    { ask: handAsk, complain, tilting, onTurn: () => attend() });
  const hand = new Hand(store, plate, pieces, { ask: handAsk, complain });
  const presses = new Presses(store, plate, hand, { ask, complain, announce });
  const previews = new Previews(store, plate, fetchJson);
  new Keys(store, plate, presses, previews, announce);
  new Trays(store, byId("trays"), new Pointers(store, plate, hand, presses, previews));
  const calibration = new CalibrationPanel(store, send, new SensorView(store).element);
  const ahead = new Ahead(store, () => attend());
  const moves = new Moves(store, reviewer, pictureButtons(store, plate), ahead.element,
    ending.element, dialogs.newGame.match.handle, new AssistChoice(store, send).element).element;
  moves.append(new Analysis(store, reviewer, { send, fetchJson, complain }).element);
  const tabs = new Tabs([["moves", t("Moves"), moves],
    ["rules", t("Rules"), new Rules(store).element], ["learn", t("Learn"), puzzles.element]],
  remembered("tab", "moves"), (name) => {
    remember("tab", name);
    if (name === "learn") puzzles.fill();
  });
  if (tabs.chosen === "learn") puzzles.fill();
  const parts = new Tabs([
    ["tilt", t("Tilt"), new TiltPad(store, send, tilting).element],
    ["faults", t("Faults"), new FaultPanel(store, send).element],
    ["lights", t("Lights"), new Legend(store, fetchJson).element],
    ["sensors", t("Sensors"), calibration.element],
  ], remembered("part", "tilt"), (name) => {
    remember("part", name);
    attend();
  }, "parts");
  const sounds = new Sounds(store);
  const drawer = new Drawer([...viewButtons(plate.camera), depth.handle, themeButton(),
    voice.button(), sounds.slider()],
  [new Buttons(store, { send, ownHand }).element, parts.element], () => attend());
  /** Ask for sensor readings, poses and the judgement of who is ahead only while they are shown. */
  const attend = () => {
    const looks = drawer.open && parts.chosen === "sensors";
    const breaks = drawer.open && parts.chosen === "faults";
    ask({ type: "watch", sensors: looks || breaks || playground.open,
      poses: depth.on && Boolean(store.layout.hands), ahead: ahead.on && store.mayAct })
      .catch(() => {});
    if (looks) calibration.health.look();
  };
  store.on(["watching"], attend);
  const playground = new Playground(store, depth, { send, onTurn: () => attend() }, byId("side"));
  const questions = new Questions(store, send);
  const doors = new Doors(store,
    { begin, learn, playFreely: () => playground.turn(true), another: newGame,
      cup: () => cup.show() });
  doors.handle.append(h("img", { src: "/static/icon.svg", alt: "", width: 30, height: 30 }),
    "tiltboard");
  doors.onCall = () => drawer.close(); // The drawer would hide the doors.
  byId("side").append(questions.element, doors.element, tabs.element, drawer.element);
  const seats = new Seats(store, { ask, complain, reconnect: () => connection.reopen() });
  new Room(store, { ask, complain, seats, supply: new Supply(store, depth, send) },
    { table: byId("table"), side: byId("side") });
  dialogs.newGame.onSit = (player) => seats.sit({ player });
  header(store, sounds, dialogs, drawer.handle, playground.door, doors);
  // A seat's code allows as much as pairing, so the other offers depend on it.
  seats.sitByAddress()
    .then(() => new Pairing(store, byId("bar").querySelector("nav")).offer())
    .then(({ machine }) => { if (machine) dialogs.help.machine = new Machine(); });
  document.body.prepend(h("a", { class: "skip", href: "#stage" }, t("To the plate")));
  store.tell("link");
}

// Service workers exist only over HTTPS and on this machine.
navigator.serviceWorker?.register("/worker.js").catch(() => {});
await loadTexts().catch(() => {});
build();
