// The lesson and puzzles of each game. This browser remembers which were solved, and the table what
// named people have done.
import { button, h, pips, remember, remembered, t } from "/static/page.js";
import { boardPicture } from "/static/drawings.js";
import { engineName } from "/static/opponents.js";

const solved = () => new Set(JSON.parse(remembered("puzzles", "[]")));
const called = ({ kind, turns }) =>
  (kind === "save" ? t("Avoid the trap") : turns === 1 ? t("Win immediately")
    : turns === 2 ? t("Win in two") : t("Win in {turns} turns", { turns }));

export class Puzzles {
  /** @type {Array<Wire.GameKind> | undefined} */ games;
  /** @type {Array<Wire.GamePuzzles> | undefined} */ known;

  /** `solve(game, number, tactic)` begins a puzzle, `learn(game)` the lesson, and `guided(game)` a
   * guided round. */
  constructor(store, { fetchJson, solve, learn, guided, ask, complain }) {
    /** @type {Store} */ this.store = store;
    this.fetchJson = fetchJson;
    this.solve = solve;
    this.learn = learn;
    this.guided = guided;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.element = h("div", { class: "learning" });
    store.on(["learning.lesson", "layout"], () => this.note());
  }

  /** Remember the current lesson or puzzle if it is solved. */
  note() {
    const { layout, snapshot } = this.store;
    const { puzzle, done, steps, wrong } = snapshot?.learning.lesson ?? {};
    if (!steps || wrong || done < steps || !layout?.game) return;
    remember("puzzles",
      JSON.stringify([...solved().add(`${layout.game.name} ${puzzle || "lesson"}`)]));
    if (this.element.childElementCount) this.fill();
  }

  /** Return the puzzles of a game and today's number. */
  async of(game) {
    this.known ??= await this.fetchJson("/api/v1/puzzles");
    return this.known.find((each) => each.game === game);
  }

  /** Fill the panel as it becomes visible. Answers that are missing now are shown when the table
   * answers. */
  fill() {
    const missing = () =>
      this.element.replaceChildren(h("p", { class: "hint" }, t("The table does not answer.")));
    return this.store.got(() => this.draw(),
      () => this.element.querySelector(".puzzles") ?? missing());
  }

  async draw() {
    this.games ??= await this.fetchJson("/api/v1/games");
    const open = [...this.element.querySelectorAll("details")].map((each) => each.open);
    const parts = await Promise.all(this.games.map((game) => this.ofGame(game)));
    this.element.replaceChildren(...parts, ...this.results(), ...await this.people());
    this.element.querySelectorAll("details").forEach((each, at) => { each.open = open[at]; });
  }

  async ofGame({ name: game, credit, emblem, lesson, seated }) {
    const [found, done] = [await this.of(game), solved()];
    const tick = (what) => (done.has(`${game} ${what}`) ? " \u2713" : "");
    const one = (puzzle, at) => {
      const name = `${at + 1}: ${called(puzzle)}`;
      return h("button", {
        type: "button", class: tick(at + 1) ? "solved" : "", title: called(puzzle),
        "aria-label": tick(at + 1) ? t("{name}, solved", { name }) : name,
        onclick: () => this.solve(game, at + 1),
      }, `${at + 1}${tick(at + 1)}`);
    };
    const kinds = [...new Set(found?.puzzles.map(called))];
    const tactics = found?.tactics ?? [];
    const learnt = tactics.every((each) => done.has(`${game} ${each}`)) ? " \u2713" : "";
    const puzzles = found ? [
      tactics.length ? button("help", `${t("Tactics")}${learnt}`,
        () => this.solve(game, tactics[0], true)) : null,
      button("bulb", `${t("Puzzle of the day")}${tick(found.daily)}`,
        () => this.solve(game, found.daily)),
      h("details", {},
        h("summary", {}, t("All puzzles"),
          pips(found.puzzles.filter((_, at) => done.has(`${game} ${at + 1}`)).length,
            found.puzzles.length)),
        ...kinds.map((kind) => h("div", { class: "row", role: "group", "aria-label": kind },
          h("span", {}, kind),
          ...found.puzzles.map((puzzle, at) =>
            (called(puzzle) === kind ? one(puzzle, at) : null))))),
    ] : [];
    return h("section", { class: "puzzles", "aria-label": credit.title }, boardPicture(emblem),
      h("h2", {}, credit.title),
      lesson ? button("help", `${t("The lesson")}${tick("lesson")}`, () => this.learn(game))
        : seated ? button("help", t("The lesson"), () => this.guided(game)) : null, ...puzzles);
  }

  /** Show who has won how often against whom in this browser. */
  results() {
    const found = this.store.players.matches.map(([game, ...sides]) =>
      h("p", {},
        h("strong", {}, this.games.find(({ name }) => name === game)?.credit.title ?? game),
        ` ${sides.map(([name, points]) => `${name} ${points}`).join(" : ")}`));
    return found.length
      ? [h("details", { class: "person results" }, h("summary", {}, t("Results")), ...found)] : [];
  }

  /** Show what the people whom the table knows have done; nothing on a page that may only watch. */
  async people() {
    const known = this.store.mayAct ? await this.fetchJson("/api/v1/people").catch(() => []) : [];
    return known.map(({ name, progress, puzzles_there: there }) =>
      h("details", { class: "person" }, h("summary", {}, name),
        ...this.games.filter((game) => progress[game.name])
          .map((game) => this.done(game.credit.title, progress[game.name], there[game.name])),
        button("close", t("Forget {name}", { name }),
          () => this.ask({ type: "forget", name })
            .then(() => this.fill(), (error) => this.complain(error.message)))));
  }

  done(title, { rating, games, beaten, openings, puzzles }, there) {
    const parts = [games
      ? t("plays like {engine}", { engine: engineName({ level: Math.round(rating) }) }) : null,
    beaten ? t("has beaten {engine}", { engine: engineName({ level: beaten }) }) : null,
    openings.length ? t("openings tried: {tried}", { tried: openings.length }) : null,
    there ? t("puzzles solved: {solved} of {there}", { solved: puzzles.length, there }) : null];
    return h("p", {}, h("strong", {}, title), ` ${parts.filter(Boolean).join(" \u00b7 ")}`);
  }
}
