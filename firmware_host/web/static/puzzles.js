// The puzzles of a game in the dialog for a new one; this browser remembers which were solved.

import { button, h } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

const solved = () => new Set(JSON.parse(remembered("puzzles", "[]")));

export class Puzzles {
  /** `solve(game, number)` begins one. */
  constructor(store, { fetchJson, solve }) {
    Object.assign(this, { store, fetchJson, solve });
    store.listen((_, changed) => {
      if (changed.has("lesson") || changed.has("layout")) this.note();
    });
  }

  /** The one that is being solved, if it is solved. */
  note() {
    const { layout, snapshot } = this.store;
    const { puzzle, done, steps, wrong } = snapshot?.lesson ?? {};
    if (!puzzle || wrong || done < steps || !layout?.game) return;
    remember("puzzles", JSON.stringify([...solved().add(`${layout.game.name} ${puzzle}`)]));
  }

  /** How many there are of a game, and today's. */
  async of(game) {
    this.known ??= await this.fetchJson("/api/v1/puzzles");
    return this.known.find((each) => each.game === game);
  }

  /** What is shown of a game's puzzles; nothing where it has none. */
  async element(game) {
    const found = await this.of(game);
    if (!found) return null;
    const done = solved();
    const called = ({ kind, turns }) => (kind === "save" ? t("Do not fall into it") : turns === 1 ? t("Win at once") : t("Win in two"));
    const one = (puzzle, at) => {
      const is = done.has(`${game} ${at + 1}`);
      const name = `${at + 1}: ${called(puzzle)}`;
      return h("button", {
        type: "button", class: is ? "solved" : "", title: called(puzzle), "aria-label": is ? t("{name}, solved", { name }) : name,
        onclick: () => this.solve(game, at + 1),
      }, is ? `${at + 1} \u2713` : String(at + 1));
    };
    const kinds = [...new Set(found.puzzles.map(called))];
    return h("div", { class: "puzzles" },
      button("bulb", t("Puzzle of the day"), () => this.solve(game, found.daily)),
      h("details", {}, h("summary", {}, t("All puzzles")), ...kinds.map((kind) => h("div", { class: "row", role: "group", "aria-label": kind },
        h("span", {}, kind), ...found.puzzles.map((puzzle, at) => (called(puzzle) === kind ? one(puzzle, at) : null))))));
  }
}
