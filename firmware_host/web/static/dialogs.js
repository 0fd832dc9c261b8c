// Dialogs: the list of games, and help. The dialog for a new game is in newgame.js.
import { button, closed, h, language, nameOf, opened, refill, t } from "/static/page.js";

/** Make a modal dialog with a title and a close button. Escape, Back and a press on the backdrop
 * close it. */
export function dialog(title, name, ...content) {
  const close = button("close", t("Close"), () => element.close(), { class: "plain" });
  const element = h("dialog", { class: `dialog ${name}`, "aria-label": title },
    h("header", {}, h("h2", {}, title), close), ...content);
  element.addEventListener("pointerdown",
    (event) => { if (event.target === element) element.close(); });
  element.addEventListener("close", () => closed(element));
  document.body.append(element);
  return element;
}

export function open(element) {
  element.showModal();
  opened(element);
}

/** Show a dialog that is removed when it closes. */
export function show(title, name, ...content) {
  const element = dialog(title, name, ...content);
  element.addEventListener("close", () => element.remove());
  open(element);
  return element;
}

const ANSWER_MS = 65000; // The table never needs this long.
const nobodyAnswers = () => { throw new Error(""); };

/** Return the table's JSON answer; with `body`, send that. Throws the table's sentence if it
 * refuses. */
export async function fetchJson(path, body) {
  const told = body && { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body) };
  const answer = await fetch(path, { ...told, signal: AbortSignal.timeout(ANSWER_MS) })
    .catch(nobodyAnswers);
  const value = await answer.json().catch(nobodyAnswers);
  if (!answer.ok) throw new Error(value.error);
  return value;
}

/** Run `work()` and return whether it succeeded; show an error in `problem`. */
export async function tried(problem, work) {
  problem.textContent = "";
  try {
    await work();
  } catch (error) { problem.textContent = error.message || t("The table does not answer."); }
  return !problem.textContent;
}

export class Games {
  constructor(store, { ask, review }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.review = review;
    this.list = h("div", { class: "game-list" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.text = h("textarea",
      { rows: 4, spellcheck: "false", "aria-label": t("A game as text"),
        placeholder: t("… or paste its text here") });
    const read =
      async ({ target }) => {
        if (target.files[0]) this.text.value = await target.files[0]
          .text();
      };
    const file = h("input",
      { type: "file", accept: ".txt,text/plain", "aria-label": t("An exported game"),
        onchange: read });
    const bring = h("button", { type: "button", onclick: () => this.bring() },
      t("Import and play on"));
    this.element = dialog(t("Games"), "games", this.list,
      h("details", { class: "import" }, h("summary", {}, t("Import a game")),
        h("div", {}, h("p", { class: "hint" }, t("A file that Export has made:")), file,
          this.text, bring)),
      this.problem);
  }

  show() {
    this.list.replaceChildren(); // Remove the list of the last time.
    open(this.element);
    return tried(this.problem, async () => {
      const stored = await fetchJson("/api/v1/history");
      // Hide games without a move, which nobody wants to continue.
      const games = stored.filter(({ id, moves }) => moves > 0
        || id === this.store.layout?.game?.id);
      this.list.replaceChildren(...(games.length ? games.map((game) => this.line(game))
        : [h("p", { class: "hint" }, t("No games yet."))]));
    });
  }

  line(game) {
    const { id, title, started, moves, result } = game;
    const current = this.store.layout?.game?.id === id;
    const end = result
      ? result.team ? t("{player} won", { player: result.team.map(nameOf).join(", ") })
        : result.winner ? t("{player} won", { player: nameOf(result.winner) }) : t("drawn")
      : t("not finished");
    const when = new Date(started.replace(" ", "T"))
      .toLocaleString(language(), { dateStyle: "medium", timeStyle: "short" });
    const count = moves === 1 ? t("1 move") : t("{count} moves", { count: moves });
    return h("article", { class: current ? "current" : "" },
      h("div", {}, h("strong", {}, `${title} ${id}`), h("span", {}, `${when} · ${count} · ${end}`)),
      h("div", { class: "row" },
        h("button",
          { type: "button", onclick: () =>
            this.then(() => fetchJson(`/api/v1/history/${id}`)
              .then((record) => this.review(record, record.moves.length))) }, t("View")),
        current ? null
          : h("button", { type: "button",
              onclick: () => this.then(() => this.ask({ type: "resume", game: id })) },
            t("Play on")),
        h("a", { class: "button", href: `/api/v1/history/${id}/export`,
          download: `game-${id}.txt` }, t("Export"))));
  }

  bring() {
    const text = this.text.value;
    if (text.trim()) this.then(() => this.ask({ type: "import", text }));
    else this.problem.textContent = t("Choose a file first, or paste the game's text.");
  }

  async then(work) { if (await tried(this.problem, work)) this.element.close(); }
}

export class Help {
  /** @type {import("/static/machine.js").Machine | undefined} */ machine;

  constructor(store, { learn, puzzles, rules }) {
    /** @type {Store} */ this.store = store;
    this.learn = learn;
    this.puzzles = puzzles;
    this.ways = h("div", { class: "row" });
    const keys = [
      ["← ↑ → ↓", t("move over the spaces")],
      ["Enter", t("pick up, put down, or put a new piece of the player to move")],
      ["1 – 4", t("take that player's piece into the hand")],
      ["Delete", t("take the piece off the plate")],
      ["Esc", t("put back what is in the hand")],
      [", and .", t("step back and on through the moves")],
    ];
    const ways = [
      t("Drag a piece from its tray onto the plate, or tap a lit space."),
      t("Drag pieces over the plate to push them; drag them off the plate to take them away."),
      t("A piece snaps to the nearest space. Hold Shift to put it anywhere."),
      t("If the board has slots at its edge, press one to drop a tile."),
      t(
        "Lights and arrows show what follows from a move. Do it yourself, or let the table's "
        + "hand do it."),
    ];
    this.element = dialog(t("Help"), "help", rules, this.ways,
      h("h3", {}, t("Mouse and finger")), h("ul", {}, ways.map((way) => h("li", {}, way))),
      h("h3", {}, t("Keys")),
      h("p", { class: "hint" }, t("Press Tab until the plate has the focus.")),
      h("dl", { class: "keys" },
        keys.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])));
  }

  show() {
    const { game } = this.store;
    const go = (name, label, act) => button(name, label, () => { this.element.close(); act(); });
    refill(this.ways, game?.lesson ? go("help", t("The lesson"), () => this.learn(game.name))
      : null, go("bulb", t("Puzzles"), this.puzzles),
    this.machine ? go("table", t("This table"), () => this.machine.show()) : null);
    open(this.element);
  }
}
