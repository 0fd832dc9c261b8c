// Who plays in a new game: for each player a person, the computer at a level, or another engine.

import { amounts } from "/static/assist.js";
import { h } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { marble } from "/static/marble.js";

const OURS = "tiltboard";

/** The levels as children call them, the weakest first. */
export const levels = () => [
  t("mouse"), t("hedgehog"), t("rabbit"), t("squirrel"), t("cat"),
  t("fox"), t("owl"), t("wolf"), t("eagle"), t("dragon"),
];

/** What a seat is called: "cat, level 5". */
export function engineName({ engine = OURS, level = 5 }) {
  return engine === OURS ? t("{animal}, level {level}", { animal: levels()[level - 1], level }) : engine;
}

export class Opponents {
  constructor(store) {
    this.store = store;
    this.wanted = new Map(); // player -> the value of his field, kept from game to game
    this.element = h("fieldset", { class: "opponents", hidden: true }, h("legend", {}, t("Who plays?")));
  }

  /** Ask about `players` of a game, whose pieces `looks` draws. */
  show(players, looks, waits = []) {
    this.waits = waits;
    const engines = this.store.layout?.engine_names ?? [];
    this.element.hidden = !engines.length || players.length < 2;
    const rows = players.map((player) => this.row(player, looks, engines.filter((name) => name !== OURS)));
    this.element.replaceChildren(this.element.firstChild, ...rows);
  }

  row(player, looks, others) {
    const option = (value, label) => h("option", { value, selected: this.wanted.get(player) === value }, label);
    const computers = levels().map((animal, at) => option(`${OURS} ${at + 1}`, this.called(at, animal)));
    const select = h("select", {
      "aria-label": nameOf(player), "data-player": player,
      onchange: () => this.wanted.set(player, select.value),
    }, option("", t("A person")),
    h("optgroup", { label: t("A person with assist") }, ...amounts().slice(1).map((label, at) => option(`assist ${at + 1}`, label))),
    h("optgroup", { label: t("The computer") }, option(`${OURS} follows`, t("As strong as who plays against it")), ...computers),
    others.length ? h("optgroup", { label: t("Other engines") }, ...others.map((name) => option(`${name} 10`, name))) : null);
    return h("label", {}, h("span", { class: "who" }, marble(player, looks), nameOf(player)), select);
  }

  /** A level, and how long it thinks where that is noticed. */
  called(at, animal) {
    const label = t("Computer {level}: {animal}", { level: at + 1, animal });
    const wait = this.waits?.[at] ?? 0;
    return wait < 0.1 ? label : t("{level}, {seconds} s a move", { level: label, seconds: Number(wait.toPrecision(1)) });
  }

  /** As the table is told it. */
  read() {
    const [engines, assist] = [{}, {}];
    for (const { dataset: { player }, value } of this.element.hidden ? [] : this.element.querySelectorAll("select")) {
      const [engine, level] = value.split(" ");
      if (engine === "assist") assist[player] = Number(level);
      else if (level === "follows") engines[player] = { engine, follows: true };
      else if (engine) engines[player] = { engine, level: Number(level) };
    }
    return { engines, assist };
  }
}
