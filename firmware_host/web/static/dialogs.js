// The dialogs: a new game with every option, the list of games, and help.

import { button, h } from "/static/dom.js";
import { t, nameOf } from "/static/i18n.js";

/** A modal dialog with a title and a close button; closed by Escape and by its backdrop. */
export function dialog(title, name, ...content) {
  const close = button("close", t("Close"), () => element.close(), { class: "plain" });
  const element = h("dialog", { class: `dialog ${name}`, "aria-label": title },
    h("header", {}, h("h2", {}, title), close), ...content);
  element.addEventListener("pointerdown", (event) => {
    if (event.target === element) element.close();
  });
  document.body.append(element);
  return element;
}

async function fetchJson(path) {
  const answer = await fetch(path);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

export class NewGame {
  constructor({ ask }) {
    this.ask = ask;
    this.choice = h("div", { class: "game-choice", role: "radiogroup", "aria-label": t("Game") });
    this.about = h("div", { class: "game-about" });
    this.options = h("div", { class: "options" });
    this.problem = h("p", { class: "problem", role: "alert" });
    const start = h("button", { type: "submit", class: "primary" }, t("Start"));
    this.form = h("form", { onsubmit: (event) => this.start(event) },
      this.choice, this.about, this.options, this.problem,
      h("footer", {}, h("button", { type: "button", onclick: () => this.element.close() }, t("Cancel")), start));
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
    if (!this.chosen) this.pick(this.games[0]);
  }

  pick(game) {
    if (!game) return;
    this.chosen = game;
    this.choice.hidden = this.games.length < 2;
    this.choice.replaceChildren(...this.games.map((one) => h("button", {
      type: "button", role: "radio", "aria-checked": one === game, onclick: () => this.pick(one),
    }, one.credit.title)));
    const { credit, rules } = game;
    const by = credit.year ? `${credit.designer}, ${credit.year}` : credit.designer;
    this.about.replaceChildren(
      h("h3", {}, credit.title), h("p", { class: "credit" }, by),
      h("details", {}, h("summary", {}, t("Rules in short")), ...rules.map((p) => h("p", {}, p))),
      ...(credit.notice ? [h("p", { class: "notice" }, credit.notice)] : []));
    this.fields = game.options.map((option) => this.field(option));
    // what has a value of its own comes first; the rest is for special boards
    const [usual, special] = [true, false].map((wanted) =>
      this.fields.filter((field) => field.usual === wanted).map(({ element }) => element));
    this.more = h("details", { class: "more" }, h("summary", {}, t("More options")), ...special);
    this.options.replaceChildren(...usual, ...(special.length ? [this.more] : []));
  }

  /** One option's input, and how to read it: undefined where it is not set. */
  field(option) {
    const { name, kind, help, default: usual, low, high, choices = [] } = option;
    const id = `option-${name}`;
    const label = h("strong", {}, name.replaceAll("_", " "));
    if (kind === "bool") {
      const input = h("input", { type: "checkbox", id, checked: Boolean(usual) });
      const element = h("div", { class: "option bool" }, input,
        h("label", { for: id }, label, ` ${help}`));
      const read = () => (input.checked === usual ? undefined : input.checked);
      return { element, name, read, usual: true };
    }
    if (choices.length) {
      const input = h("select", { id }, usual ? null : h("option", { value: "" }, "–"),
        ...choices.map((choice) => h("option", { value: choice }, choice)));
      input.value = usual ?? "";
      const element = h("div", { class: "option" },
        h("label", { for: id }, label, ` ${help}`), input);
      const read = () => (input.value === (usual ?? "") ? undefined : input.value);
      return { element, name, read, usual: true };
    }
    const number = kind === "int";
    const input = h("input", {
      type: number ? "number" : "text", id, min: low, max: high, placeholder: number ? "–" : "a1 b2",
      value: usual === null || usual === undefined ? "" : [usual].flat().join(" "),
      autocomplete: "off", spellcheck: "false",
    });
    const range = low !== null && high !== null
      ? h("span", { class: "range" }, ` ${low}–${high}`) : null;
    const element = h("div", { class: "option" },
      h("label", { for: id }, label, ` ${help}`, range), input);
    const read = () => this.read(input.value.trim(), number, usual);
    return { element, name, read, usual: input.value !== "" };
  }

  read(text, number, usual) {
    if (text === "") return undefined;
    const value = number ? Number(text) : text.split(/\s+/);
    return JSON.stringify(value) === JSON.stringify(usual) ? undefined : value;
  }

  async start(event) {
    event.preventDefault();
    const options = {};
    for (const { name, read } of this.fields ?? []) {
      const value = read();
      if (value !== undefined) options[name] = value;
    }
    try {
      await this.ask({ type: "new-game", game: this.chosen.name, options });
      this.element.close();
    } catch (error) {
      this.problem.textContent = error.message || t("The table does not answer.");
      this.problem.scrollIntoView({ block: "nearest" });
    }
  }
}

export class Games {
  constructor(store, { ask, review }) {
    Object.assign(this, { store, ask, review });
    this.list = h("div", { class: "game-list" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", "aria-label": t("A game as text") });
    const bring = h("button", { type: "button", onclick: () => this.bring() }, t("Import and play on"));
    this.element = dialog(t("Games"), "games", this.problem, this.list,
      h("details", {}, h("summary", {}, t("Import a game")), this.text, bring));
  }

  async show() {
    this.problem.textContent = "";
    this.element.showModal();
    try {
      const games = await fetchJson("/api/v1/history");
      this.list.replaceChildren(...(games.length
        ? games.map((game) => this.line(game))
        : [h("p", { class: "hint" }, t("No games yet."))]));
    } catch (error) {
      this.problem.textContent = error.message || t("The table does not answer.");
    }
  }

  line(game) {
    const { id, title, started, moves, result } = game;
    const current = this.store.layout?.game?.id === id;
    const end = result
      ? result.winner ? t("{player} won", { player: nameOf(result.winner) }) : t("drawn")
      : t("not finished");
    const count = moves === 1 ? t("1 move") : t("{count} moves", { count: moves });
    return h("article", { class: current ? "current" : "" },
      h("div", {}, h("strong", {}, `${title} ${id}`), h("span", {}, `${started} · ${count} · ${end}`)),
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => this.look(id) }, t("Look at it")),
        current ? null : h("button", { type: "button", onclick: () => this.resume(id) }, t("Play on")),
        h("a", { class: "button", href: `/api/v1/history/${id}/export`, download: `game-${id}.txt` }, t("Export"))));
  }

  async resume(game) {
    await this.try(this.ask({ type: "resume", game }));
  }

  async bring() {
    await this.try(this.ask({ type: "import", text: this.text.value }));
  }

  async look(id) {
    await this.try(fetchJson(`/api/v1/history/${id}`).then((record) => this.review(record, record.moves.length)));
  }

  async try(work) {
    try {
      await work;
      this.element.close();
    } catch (error) {
      this.problem.textContent = error.message || t("The table does not answer.");
    }
  }
}

export class Help {
  constructor() {
    const keys = [
      ["← ↑ → ↓", t("move over the places")],
      ["Enter", t("pick up, put down, or put a new piece of the player to move")],
      ["1 – 4", t("take that player's piece into the hand")],
      ["Delete", t("take the piece off the plate")],
      ["Esc", t("put back what is in the hand")],
      [", and .", t("step back and on through the moves")],
    ];
    const ways = [
      t("Drag a piece from its tray onto the plate, or tap a lit place."),
      t("Drag pieces over the plate to push them; drag them off the plate to take them away."),
      t("A piece snaps to the nearest place. Hold Shift to put it anywhere."),
      t("When lights and arrows show what follows from a move, do it yourself, or let the table's hand do it."),
    ];
    this.element = dialog(t("Help"), "help",
      h("h3", {}, t("Mouse and finger")), h("ul", {}, ways.map((way) => h("li", {}, way))),
      h("h3", {}, t("Keys")),
      h("p", { class: "hint" }, t("Press Tab until the plate has the focus.")),
      h("dl", { class: "keys" }, keys.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])));
  }

  show() {
    this.element.showModal();
  }
}

export { fetchJson };
