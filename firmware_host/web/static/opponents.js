// Who plays in a new game: friends or a bot by its face, or for each player a person with assist, a
// bot or another engine.
import { h, nameOf, setText, t } from "/static/page.js";
import { face } from "/static/drawings.js";
import { marble } from "/static/marble.js";

const OURS = "tiltboard";
// Strengths of bots in games of seats, with the level whose animal represents each.
const EASE = { easy: 1, medium: 5, hard: 9 };
const easeOf = (level) => Object.keys(EASE)[Math.floor((level - 1) / 4)];

/** Names of the levels, the weakest first. */
export const levels = () =>
  [t("mouse"), t("hedgehog"), t("rabbit"), t("squirrel"), t("cat"), t("fox"), t("owl"), t("wolf"),
    t("eagle"), t("dragon")];

/** Return what a bot is called: "cat, level 5". */
export function engineName({ engine = OURS, level = 5 }) {
  return engine === OURS
    ? t("{animal}, level {level}", { animal: levels()[level - 1], level }) : engine;
}

/** Return how strong that level is. */
export const beats = (level) =>
  (level < 3 ? t("for the first games") : level < 5 ? t("beats most children")
    : level < 8 ? t("beats most adults") : t("hardly ever loses"));

/** Names of the amounts of assist, none first. */
const amounts = () =>
  [t("no assist"), t("warned of bad moves"), t("good and bad moves shown"),
    t("the best move shown too")];

export class Opponents {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.seated = false; // True if the game is one of seats.
    this.far = false; // True if other tables can be reached.
    this.level = 0; // Level of the bot against one person, or 0 for no bot.
    // Player -> the value of their field, kept when another game is chosen.
    this.wanted = new Map();
    this.element = h("fieldset", { class: "opponents", hidden: true },
      h("legend", {}, t("Each player")));
    this.said = h("p", { class: "hint" });
    this.even = h("input", { type: "checkbox" });
    this.evenly = h("label", {}, this.even,
      h("span", {}, t("Even things up: the weaker player starts and gets hints")));
    this.choice = h("div", { class: "who-plays" },
      ...[0, ...levels().keys()]
        .map((_, level) => h("label", { class: "who-face", title: this.nameOf(level) },
          h("input", { type: "radio", name: "who", value: level, "aria-label": this.nameOf(level),
            onchange: () => this.choose(level) }), face(level),
          h("span", {}, level ? levels()[level - 1] : t("us")))));
    this.faces = h("fieldset", { class: "chips", hidden: true }, h("legend", {}, t("Who plays?")),
      this.choice, this.said);
  }

  nameOf(level) {
    if (!level) return t("Everyone here, sharing this screen");
    if (!this.seated) return `${engineName({ level })}: ${beats(level)}`;
    return `${levels()[level - 1]}: ${{ easy: t("easy"), medium: t("medium"),
      hard: t("hard") }[easeOf(level)]}`;
  }

  /** Choose a face. It replaces the choices for single players. */
  choose(level) {
    this.level = level;
    this.wanted.clear();
    for (const select of this.element.querySelectorAll("select")) select.value = "";
    this.tell();
  }

  tell() {
    const chosen = this.seated && this.level ? EASE[easeOf(this.level)] : this.level;
    this.choice.querySelectorAll("input").forEach((input, level) => {
      input.checked = level === chosen && !this.wanted.size;
      input.setAttribute("aria-label", this.nameOf(level));
      input.parentElement.title = this.nameOf(level);
      input.parentElement.hidden = this.seated && level && !Object.values(EASE).includes(level);
    });
    setText(this.said, this.wanted.size ? t("As chosen for each player.")
      : this.nameOf(chosen));
  }

  /** Ask who plays as each of `players`, whose pieces `looks` draws. `seated`: the game is one of
   * seats. */
  show(players, looks, waits = [], seated = false) {
    this.asked = [players, looks, waits, seated];
    this.waits = waits;
    this.seated = seated;
    const engines = this.store.layout?.engine_names ?? [];
    this.element.hidden = this.faces.hidden = (!engines.length && !seated) || players.length < 2;
    const rows = players.map((player) =>
      this.row(player, looks, engines.filter((name) => name !== OURS), players.length));
    this.element.replaceChildren(this.element.firstChild, ...rows,
      ...(seated ? [] : [this.evenly]));
    this.tell();
  }

  /** Note whether other tables can be reached. */
  reach(far) {
    if (far === this.far) return;
    this.far = far;
    if (this.asked) this.show(...this.asked);
  }

  row(player, looks, others, count) {
    const { seated } = this;
    const option = (value, label) =>
      h("option", { value, selected: (this.wanted.get(player) ?? "") === value }, label);
    const group = (label, ...options) => h("optgroup", { label }, options);
    const select = h("select", {
      "aria-label": nameOf(player), "data-player": player,
      onchange: () => {
        this.wanted.set(player, select.value);
        this.tell();
      },
    }, option("", t("A person")),
    seated ? [t("Bot, easy"), t("Bot, medium"), t("Bot, hard")]
      .map((label, at) => option(Object.keys(EASE)[at], label)) : [
      group(t("A person with assist"),
        ...amounts().slice(1).map((label, at) => option(`assist ${at + 1}`, label))),
      group(t("Bots"), option(`${OURS} follows`, t("Matches its opponent")),
        ...levels().map((animal, at) => option(`${OURS} ${at + 1}`, this.called(at, animal)))),
      this.far ? group(t("Far away"),
        ...[t("At another table"), t("At a third table"), t("At a fourth table")]
          .slice(0, count - 1).map((label, at) => option(`far ${at + 1}`, label))) : null,
      others.length ? group(t("Other engines"), ...others.map((name) => option(`${name} 10`, name)))
        : null]);
    return h("label", {},
      h("span", { class: "who" }, seated ? null : marble(player, looks), nameOf(player)), select);
  }

  /** Return a level's label, with its time for a move if that is noticeable. */
  called(at, animal) {
    const label = t("Bot {level}: {animal}", { level: at + 1, animal });
    const wait = this.waits?.[at] ?? 0;
    return wait < 0.1 ? label
      : t("{level}, {seconds} s a move", { level: label, seconds: Number(wait.toPrecision(1)) });
  }

  /** Return the choices as the table takes them. Against a bot the person's colour is drawn by lot.
   * */
  read() {
    const [engines, assist, computers, far] = [{}, {}, {}, {}];
    const { seated } = this;
    const selects = this.element.hidden ? [] : [...this.element.querySelectorAll("select")];
    if (this.level && !this.wanted.size) {
      const mine = seated ? 0 : Math.floor(Math.random() * selects.length);
      selects.forEach(({ dataset: { player } }, at) => {
        if (seated) computers[player] = at === mine ? null : easeOf(this.level);
        else if (at !== mine) engines[player] = { engine: OURS, level: this.level };
      });
      return { engines, assist, computers, sits: seated ? selects[mine].dataset.player : null };
    }
    for (const { dataset: { player }, value } of selects) {
      const [engine, level] = value.split(" ");
      if (seated) computers[player] = engine || null;
      else if (engine === "far") far[player] = Number(level);
      else if (engine === "assist") assist[player] = Number(level);
      else if (level === "follows") engines[player] = { engine, follows: true };
      else if (engine) engines[player] = { engine, level: Number(level) };
    }
    return { engines, assist, computers, even: this.even.checked && !seated, far };
  }
}

// Assist: how much each player sees of the value of their moves during the game.
export class AssistChoice {
  constructor(store, send) {
    /** @type {Store} */ this.store = store;
    /** @type {Send} */ this.send = send;
    this.rows = h("div", { class: "assisted" });
    this.element = h("details", { class: "assist", hidden: true },
      h("summary", {}, t("Assist")), this.rows);
    store.on(["layout", "players.engines", "players.assist", "players.asks_if_sure",
      "players.may_assist", "review", "game.result", "players"], () => this.draw());
  }

  draw() {
    const { layout, snapshot, review, mayAct, players } = this.store;
    const people = (layout?.game?.players ?? [])
      .filter((player) => !snapshot?.players.engines[player]);
    this.element.hidden = !snapshot?.players.may_assist || !people.length
      || Boolean(review || snapshot.game.result) || !mayAct;
    if (this.element.hidden || this.rows.contains(document.activeElement)) return;
    this.rows.replaceChildren(...people.map((player) => {
      const grant = (more) =>
        this.send({ type: "assist", player, amount: Number(select.value), ...more });
      const select = h("select", { "data-assist": player, onchange: () => grant({}) },
        amounts().map((label, amount) => h("option",
          { value: amount, selected: (snapshot.players.assist[player] ?? 0) === amount }, label)));
      const sure = h("input",
        { type: "checkbox", checked: snapshot.players.asks_if_sure.includes(player),
          onchange: () => grant({ sure: sure.checked }) });
      return h("div", {}, h("label", {}, h("span", {}, players?.called(player) ?? nameOf(player)),
        select), h("label", { class: "sure" }, sure, t("Ask me if I am sure after a bad move")));
    }));
  }
}
