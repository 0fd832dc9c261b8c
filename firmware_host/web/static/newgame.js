// How a game begins: the doors of the first screen, and the dialog for a new game.
import { boardFields } from "/static/boardedit.js";
import { dialog, fetchJson, open, tried } from "/static/dialogs.js";
import { button, disable, h, remember, remembered, setText, stepped, t } from "/static/page.js";
import { boardPicture, face } from "/static/drawings.js";
import { Match } from "/static/match.js";
import { beats, engineName, Opponents } from "/static/opponents.js";
import { optionField } from "/static/options.js";

const SEEN_WITHIN_MS = 10_000; // Time limit for a new game to appear on a slow network.
// Clocks to choose from, for each player.
const TIMES = [null, { minutes: 5 }, { minutes: 10 }, { minutes: 5, increment_s: 5 },
  { minutes: 10, increment_s: 10 }];

function timeSaid(time) {
  if (!time) return t("none");
  const { minutes, increment_s: more } = time;
  return more ? t("{minutes} min + {seconds} s a move", { minutes, seconds: more })
    : t("{minutes} min", { minutes });
}

/** Make a question with answers [value, label], the first one chosen; `answered(value)` is called
 * after a choice. */
function chips(question, name, answers, answered = (_value) => {}) {
  return h("fieldset", { class: "chips" }, h("legend", {}, question),
    answers.map(([value, label], at) =>
      h("label", { class: "chip" },
        h("input", { type: "radio", name, value, checked: at === 0,
          onchange: () => answered(value) }), h("span", {}, label))));
}

/** The dialog for a new game: the game and the opponent at one glance, all else under "More
 * options". */
export class NewGame {
  /** @type {Array<Wire.GameKind> | undefined} */ games;
  /** @type {((player: string) => void) | undefined} */ onSit;

  constructor(store, { ask }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.choice = h("div", { class: "game-choice", role: "radiogroup", "aria-label": t("Game") });
    this.choice.addEventListener("keydown", (event) =>
      stepped(event, this.buttons, this.buttons[this.games.indexOf(this.chosen)])?.click());
    this.aim = h("p", { class: "aim" });
    this.guide = button("help", t("Learn in a minute"), () => this.guided(this.chosen.name),
      { class: "learn" });
    this.about = h("div", { class: "game-about" });
    this.presets = h("div", { class: "presets" });
    this.special = h("p", { class: "hint" });
    this.options = h("div", { class: "options" });
    this.opponents = new Opponents(store);
    this.clock = chips(t("Clock of each player"), "clock",
      TIMES.map((time, at) => [at, timeSaid(time)]));
    this.problem = h("p", { class: "problem", role: "alert" });
    // No game is chosen yet.
    this.go = h("button", { type: "submit", class: "primary" }, t("Start"));
    disable(this.go, t("Choose a game to begin."));
    this.far = button("phone", t("Play someone elsewhere"),
      () => { this.element.close(); this.match.show(); });
    this.farMissing = h("p", { class: "hint" });
    this.more = h("details",
      { class: "more", ontoggle: ({ target }) =>
        target.open && target.scrollIntoView({ block: "start" }) },
      h("summary", {}, t("More options")), this.opponents.element, this.clock,
      this.options, this.about);
    // The table checks the options, since its errors say what would fit.
    this.form = h("form",
      { novalidate: true, onsubmit: () => this.start(),
        onchange: () => this.fields && this.drawBoard() },
      this.choice, this.aim, this.guide, this.opponents.faces, this.presets, this.special, this.far,
      this.farMissing, this.more,
      h("footer", {}, this.problem,
        h("button", { type: "button", onclick: () => this.element.close() }, t("Cancel")),
        this.go));
    this.element = dialog(t("New game"), "new-game", this.form);
    this.match = new Match(store, { ask, make: () => this.makeMatch() });
  }

  /** Start the chosen game as a match: the first player sits here, everybody else at another table.
   * */
  async makeMatch() {
    const [, ...others] = this.chosen.players[this.chosen.presets.indexOf(this.preset)] ?? [];
    await this.ask({ type: "game", game: this.chosen.name, options: this.wanted(),
      far: Object.fromEntries(others.map((player) => [player, 1])), clock: this.time });
  }

  /** The chosen clock as the table takes it, or null. */
  get time() {
    /** @type {HTMLInputElement} */ const chosen = this.clock.querySelector(":checked");
    return this.clock.hidden ? null : TIMES[chosen.value];
  }

  /** Check whether this table can reach others, then offer them or say what is missing. */
  async reach() {
    this.reached = null;
    this.offerFar();
    this.reached = await fetchJson("/api/v1/far").catch(() => null);
    this.offerFar();
  }

  offerFar() {
    const { reached, chosen } = this;
    const missing = reached?.missing ?? "";
    // A game of seats needs one platform for everybody.
    this.far.hidden = !reached || Boolean(missing) || Boolean(chosen?.seated);
    setText(this.farMissing, missing);
    this.farMissing.hidden = !missing || Boolean(chosen?.seated);
    this.opponents.reach(Boolean(reached) && !missing);
  }

  show() {
    open(this.element);
    this.reach();
    return tried(this.problem, async () => {
      this.games ??= await fetchJson("/api/v1/games");
      if (!this.chosen) this.offer();
    });
  }

  /** Show the games, and choose the one of last time or the one on the plate. */
  offer() {
    this.choice.hidden = this.games.length < 2;
    this.buttons = this.games.map((game) =>
      h("button", { type: "button", role: "radio", onclick: () => this.pick(game) },
        boardPicture(game.emblem), h("strong", {}, game.credit.title)));
    this.choice.replaceChildren(...this.buttons);
    const last = JSON.parse(remembered("new-game", "{}"));
    const named = (wanted) => this.games.find(({ name }) => name === wanted);
    this.opponents.level = last.level ?? 0;
    this.pick(named(last.game) ?? named(this.store.layout?.game?.name) ?? this.games[0]);
    for (const [question, answer] of Object.entries(last.choices ?? {}))
      if (this.preset?.choices[question] !== answer) this.prefer(question, answer);
  }

  pick(game) {
    if (!game) return;
    this.chosen = game;
    disable(this.go, "");
    this.problem.textContent = "";
    this.buttons.forEach((each, at) => {
      each.setAttribute("aria-checked", String(this.games[at] === game));
      each.tabIndex = this.games[at] === game ? 0 : -1;
    });
    const { credit, rules } = game;
    const by = credit.year ? `${credit.designer}, ${credit.year}` : credit.designer;
    this.aim.textContent = game.aim;
    this.offerFar();
    this.guide.hidden = !game.seated; // The lessons of the other games are under Learn.
    this.about.replaceChildren(
      h("p", { class: "credit" }, t("by {designer}", { designer: by })),
      h("details", {}, h("summary", {}, t("Rules in short")), ...rules.map((p) => h("p", {}, p))),
      ...(credit.notice ? [h("p", { class: "notice" }, credit.notice)] : []));
    this.showOptions(game);
    this.showPresets(game);
  }

  /** Show the options that the presets do not ask already. Boards can always be drawn or come from
   * a file. */
  showOptions({ options, presets }) {
    const asked = (option) => {
      if (option.kind === "board" || !presets.length
        || !presets.every((preset) => option.name in preset.options)) return false;
      const offered = new Set(presets.map((preset) => preset.options[option.name]));
      // The presets offer every value.
      return offered.size === (option.kind === "int" ? option.high - option.low + 1
        : option.choices?.length);
    };
    const places = options.filter(({ kind }) => kind === "places");
    const board = boardFields(places);
    this.fields = options.filter((option) => !asked(option))
      .map((option) => board[places.indexOf(option)] ?? optionField(option, this.store.layout));
    this.options.replaceChildren(...this.fields.map(({ element }) => element));
  }

  /** Show each question of the presets with its answers. */
  showPresets({ presets }) {
    const questions = Object.keys(presets[0]?.choices ?? {});
    this.presets.replaceChildren(...questions.map((question) => {
      // Numbers are sorted.
      const answers = [...new Set(presets.map(({ choices }) => choices[question]))]
        .sort((one, other) => one - other || 0);
      const asked = chips(question, question, answers.map((answer) => [answer, answer]),
        (answer) => this.prefer(question, answer));
      asked.hidden = answers.length < 2;
      return asked;
    }));
    this.take(presets[0]);
  }

  /** Take the preset with that answer that otherwise differs least from the current one. */
  prefer(question, answer) {
    const alike = ({ choices }) =>
      Object.keys(choices).filter((q) => choices[q] === this.preset.choices[q]).length;
    const [best] = this.chosen.presets.filter(({ choices }) => choices[question] === answer)
      .sort((one, other) => alike(other) - alike(one));
    this.take(best);
  }

  take(preset) {
    this.preset = preset;
    setText(this.special, preset?.about ?? "");
    this.special.hidden = !preset?.about;
    const options = preset?.options ?? {};
    for (const field of this.fields) {
      const { name, for_players: players } = field.option;
      field.write(options[name]);
      field.element.hidden = players !== null && options.players !== undefined
        && options.players !== players;
    }
    this.drawBoard();
    for (const input of this.presets.querySelectorAll("input"))
      input.checked = preset.choices[input.name] === input.value;
    const players = this.chosen.players[this.chosen.presets.indexOf(preset)] ?? [];
    this.opponents.show(players, { looks: this.chosen.looks }, this.chosen.waits,
      this.chosen.seated);
    // Clocks are for two sides.
    this.clock.hidden = ![2, 4].includes(players.length) || this.chosen.seated;
  }

  /** Adapt the board to tap on to the chosen shape. */
  drawBoard() {
    const chosen = this.wanted();
    const usual = Object.fromEntries(this.fields.map(({ option }) =>
      [option.name, option.default ?? undefined]));
    for (const { reads } of this.fields) reads?.({ ...usual, ...chosen });
  }

  /** Return the options as they are in the form. */
  wanted() {
    const options = { ...this.preset?.options };
    for (const { option: { name }, element, read } of this.fields ?? []) {
      const value = element.hidden ? undefined : read();
      if (value === undefined) delete options[name];
      else options[name] = value;
    }
    return options;
  }

  /** Begin a short round of a game of seats against a bot, with a word for each step. */
  async guided(name) {
    remember("room-guide", "");
    const done = await tried(this.problem, async () => {
      await this.ask({ type: "game", game: name,
        options: { mode: "battle", players: 2, rounds: 1 } });
      await this.seat({ red: null, blue: "easy" }, "red");
    });
    if (done) this.element.close();
  }

  /** Seat bots in a game of seats: {player: level}, null for no bot. `sits` is the player of this
   * page. */
  async seat(computers, sits = null) {
    const { store } = this;
    if (!this.chosen?.seated && !Object.keys(computers).length) return;
    await store.until(() => store.snapshot.seats && Object.keys(computers)
      .every((each) => store.layout.game?.players.includes(each)), SEEN_WITHIN_MS);
    // Devices that have left do not keep their seats.
    const { away } = await fetchJson("/api/v1/seats");
    for (const player of away) await this.ask({ type: "stand-up", player });
    const seats = Object.fromEntries((store.snapshot.seats?.seats ?? [])
      .map((seat) => [seat.player, seat]));
    for (const [player, level] of Object.entries(computers)) {
      if ((seats[player]?.computer ?? null) === level) continue;
      if (level && seats[player]?.taken) await this.ask({ type: "stand-up", player });
      await this.ask({ type: "seat-computer", player, level });
    }
    if (sits) this.onSit?.(sits);
  }

  async start() {
    const options = this.wanted();
    const boards = Object.fromEntries(this.fields.map(({ option, file }) => [option.name, file?.()])
      .filter(([, content]) => content !== undefined));
    const unread = Object.values(boards).some((content) => !content.trim())
      ? t("Choose the board's file first.") : "";
    const shown = this.fields.filter(({ element }) => !element.hidden);
    this.problem.textContent = unread
      || (shown.map(({ problem }) => problem?.() ?? "").find(Boolean) ?? "");
    this.more.open ||= Boolean(this.problem.textContent);
    if (this.problem.textContent) return;
    const { computers, sits, ...engines } = this.opponents.read();
    const done = await tried(this.problem, async () => {
      await this.ask({ type: "game", game: this.chosen.name, options, boards, ...engines,
        clock: this.time });
      remember("begun", "yes");
      remember("new-game",
        JSON.stringify({ game: this.chosen.name, choices: this.preset?.choices,
          level: this.opponents.level }));
      await this.seat(computers, sits);
    });
    if (done) this.element.close();
  }
}

// The usual game, if none for two players is on the plate.
const USUAL = { name: "momentum", players: ["red", "blue"] };

/** The first screen, shown before a browser's first game and after a press on the table's name. */
export class Doors {
  /** @type {(() => void) | undefined} */ onCall;

  /** `begin(name, more)` begins a game; `learn(name)`, `playFreely()`, `another()` and `cup()` open
   * the rest. */
  constructor(store, { begin, learn, playFreely, another, cup }) {
    /** @type {Store} */ this.store = store;
    this.begin = begin;
    this.called = false; // True after somebody has asked for the doors.
    const door = (drawn, title, about, act) =>
      h("button", { type: "button", class: "door", onclick: () => { this.leave(); act(); } }, drawn,
        h("strong", {}, title), h("span", {}, about));
    this.aim = h("p", { class: "aim" });
    this.picture = h("span", {});
    this.computer = door(face(1), t("Play a bot"), "", () => this.playTheComputer());
    this.element = h("section",
      { class: "card doors", "aria-label": t("How to begin"), hidden: true },
      h("div", { class: "three" },
        door(h("span", { class: "face" }, "?"), t("Learn in a minute"), t("The table shows you."),
          () => learn(this.learning())),
        this.computer,
        door(face(0), t("Two of us here"), t("You take turns."), () => this.two())),
      h("div", { class: "about" }, this.picture, this.aim),
      h("div", { class: "row" },
        button("play", t("Tilt and stack"), () => { this.leave(); playFreely(); }),
        button("list", t("Another game"), () => { this.leave(); another(); }),
        button("trophy", t("Family cup"), cup)));
    this.handle = h("button",
      { type: "button", class: "plain brand", title: t("How to begin"),
        onclick: () => {
          this.called = Boolean(this.element.hidden);
          if (this.called) this.onCall?.();
          this.update();
          if (this.called) this.element.querySelector("button").focus();
        } });
    store.listen((_, changed) => {
      // The doors stay while the first touch ends the demo game.
      if (store.snapshot?.learning.attract) this.called = true;
      // Moves hide the doors, but not those that end a lesson from which they were opened.
      else if (changed.has("game.moves") && !this.element.hidden) this.called = false;
      this.update();
    });
  }

  /** Kind and players of the game that the doors begin. */
  get kind() {
    const { game } = this.store;
    return game?.players.length === 2 && !Object.keys(game.glossary).length ? game : USUAL;
  }

  /** Level of the bot in the last game of that kind. */
  get level() { return Number(remembered(`level-${this.kind.name}`, "1")); }

  learning() { return this.store.game?.lesson ? this.store.game.name : USUAL.name; }

  update() {
    const { snapshot, game, review, mayAct } = this.store;
    const begun = snapshot?.match || (game && snapshot?.game.moves.length)
      || remembered("begun", "");
    const shown = Boolean(snapshot && mayAct && !review && !snapshot.learning.lesson
      && !["free", "over"].includes(snapshot.guidance.phase)
      && (this.called || (!begun && !snapshot.seats)));
    this.element.hidden = !(shown || (this.called && snapshot?.guidance.phase === "over"));
    document.documentElement.toggleAttribute("data-doors", !this.element.hidden);
    if (this.element.hidden || this.shownFor === game?.id) return;
    this.shownFor = game?.id;
    this.computer.firstChild.replaceWith(face(this.level));
    setText(this.computer.lastChild, `${engineName({ level: this.level })}: ${beats(this.level)}`);
    setText(this.aim, game?.aim ?? "");
    this.picture.replaceChildren(...(game ? [boardPicture(game.looks)] : []));
  }

  /** Hide the doors after a choice. */
  leave() {
    remember("begun", "yes");
    this.called = false;
    this.update();
  }

  /** Begin a game against the bot, with colours drawn by lot. */
  playTheComputer() {
    const { name, players } = this.kind;
    const computer = players[Math.floor(Math.random() * 2)];
    this.begin(name,
      { engines: { [computer]: { engine: "tiltboard",
        level: this.level } } });
  }

  two() {
    const { snapshot, game } = this.store;
    const ready = game && game === this.kind && !snapshot.game.moves.length
      && !Object.keys(snapshot.players.engines).length;
    if (!ready) this.begin(this.kind.name, {});
  }
}
