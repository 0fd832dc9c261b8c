// The dialog for a new game: which one, and with which options.

import { dialog, fetchJson } from "/static/dialogs.js";
import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { emblem } from "/static/marble.js";
import { optionField } from "/static/options.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class NewGame {
  constructor(store, { ask }) {
    Object.assign(this, { store, ask });
    this.choice = h("div", { class: "game-choice", role: "radiogroup", "aria-label": t("Game") });
    this.choice.addEventListener("keydown", (event) => this.key(event));
    this.about = h("div", { class: "game-about" });
    this.options = h("div", { class: "options" });
    this.problem = h("p", { class: "problem", role: "alert" });
    const start = h("button", { type: "submit", class: "primary" }, t("Start"));
    // what does not fit is said by the table, in words that say what would
    this.form = h("form", { novalidate: true, onsubmit: (event) => this.start(event) },
      this.choice, this.about, this.options,
      h("footer", {}, this.problem,
        h("button", { type: "button", onclick: () => this.element.close() }, t("Cancel")), start));
    this.element = dialog(t("New game"), "new-game", this.form);
  }

  async show() {
    this.problem.textContent = "";
    this.element.showModal();
    try {
      this.games ??= await fetchJson("/api/v1/games");
    } catch {
      this.problem.textContent = t("The table does not answer.");
      return;
    }
    if (!this.chosen) this.offer();
  }

  /** The games to choose from; the one on the plate is chosen. */
  offer() {
    this.choice.hidden = this.games.length < 2;
    this.buttons = this.games.map((game) => h("button", {
      type: "button", role: "radio", onclick: () => this.pick(game),
    }, emblem(game.name), game.credit.title));
    this.choice.replaceChildren(...this.buttons);
    this.pick(this.games.find(({ name }) => name === this.store.layout?.game?.name) ?? this.games[0]);
  }

  pick(game) {
    if (!game) return;
    this.chosen = game;
    this.problem.textContent = "";
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-checked", this.games[at] === game);
      button.tabIndex = this.games[at] === game ? 0 : -1;
    });
    const { credit, rules } = game;
    const by = credit.year ? `${credit.designer}, ${credit.year}` : credit.designer;
    this.about.replaceChildren(
      h("p", { class: "credit" }, t("by {designer}", { designer: by })),
      h("details", {}, h("summary", {}, t("Rules in short")), ...rules.map((p) => h("p", {}, p))),
      ...(credit.notice ? [h("p", { class: "notice" }, credit.notice)] : []));
    this.fields = game.options.map((option) => optionField(option));
    // what has a value of its own comes first; the rest is for special boards
    const [usual, special] = [true, false].map((wanted) =>
      this.fields.filter((field) => field.usual === wanted).map(({ element }) => element));
    this.more = h("details", { class: "more" }, h("summary", {}, t("More options")), ...special);
    this.options.replaceChildren(...usual, ...(special.length ? [this.more] : []));
  }

  key(event) {
    const step = STEPS[event.key];
    if (!step) return;
    const at = this.games.indexOf(this.chosen) + step + this.games.length;
    this.pick(this.games[at % this.games.length]);
    this.buttons[at % this.games.length].focus();
    event.preventDefault();
  }

  async start(event) {
    event.preventDefault();
    const options = {};
    const boards = {};
    for (const { name, read, file } of this.fields ?? []) {
      const [value, content] = [read(), file?.()];
      if (value !== undefined) options[name] = value;
      if (content !== undefined) boards[name] = content;
    }
    if (Object.values(boards).some((content) => !content.trim())) {
      this.problem.textContent = t("Choose the board's file first.");
      return;
    }
    try {
      await this.ask({ type: "new-game", game: this.chosen.name, options, boards });
      this.element.close();
    } catch (error) {
      this.problem.textContent = error.message || t("The table does not answer.");
    }
  }
}
