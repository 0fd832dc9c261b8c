// Who stood how, move by move, and the moves that decided the game.
import { button, h, s, setText } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";

const WIDE = 300;
const HIGH = 90;

export class Analysis {
  constructor(store, { ask, fetchJson, review, line, complain }) {
    Object.assign(this, { store, fetchJson, review, line, complain });
    this.send = (command) => ask(command).catch((error) => complain(error.message));
    this.ask = button("bulb", t("What decided it?"), () => this.look());
    this.plot = h("div", { class: "plot" });
    this.points = h("ol", { class: "turning" });
    this.learn = h("ol", { class: "to-learn" });
    this.element = h("div", { class: "analysis", hidden: true }, this.ask, this.plot, this.points, this.learn);
    store.listen((_, changed) => {
      if (["layout", "moves", "phase", "review"].some((name) => changed.has(name))) this.update();
    });
  }

  /** The game that is looked at, or that has ended on the plate. */
  subject() {
    const { review, layout, snapshot } = this.store;
    if (review) return { game: review.record.game, moves: (review.record.played ?? review.record).moves };
    return snapshot?.phase === "over" && layout?.game ? { game: layout.game, moves: snapshot.moves } : null;
  }

  update() {
    const subject = this.subject();
    this.element.hidden = !subject || subject.game.players.length !== 2 || subject.moves.length < 2
      || !this.store.layout.engine_names.length;
    if (this.element.hidden) return;
    const key = `${subject.game.id} ${subject.moves.join(" ")}`;
    if (key !== this.key) {
      this.key = key;
      this.found = null;
      this.ask.hidden = false;
      this.plot.replaceChildren();
      this.points.replaceChildren();
      this.learn.replaceChildren();
    }
    this.mark();
  }

  async look() {
    const { key } = this;
    const { game } = this.subject();
    this.ask.disabled = true;
    setText(this.ask.lastChild, t("Thinking it over…"));
    try {
      const found = await this.fetchJson(`/api/v1/history/${game.id}/analysis`);
      if (key === this.key) this.draw(found, game);
    } catch (error) { this.complain(error.message); }
    this.ask.disabled = false;
    setText(this.ask.lastChild, t("What decided it?"));
  }

  draw(found, game) {
    this.found = found;
    this.ask.hidden = true;
    const { shares, turning } = found;
    const x = (ply) => (ply / Math.max(1, shares.length - 1)) * WIDE;
    const y = (share) => HIGH - share * HIGH;
    const line = shares.map((share, ply) => `${x(ply).toFixed(1)},${y(share).toFixed(1)}`).join(" ");
    this.now = s("line", { class: "now", y1: 0, y2: HIGH });
    const dots = turning.map(({ ply }) => s("circle", { cx: x(ply), cy: y(shares[ply]), r: 4.5 }));
    const [first, second] = game.players.map(nameOf);
    const chart = s("svg", {
      viewBox: `-5 -5 ${WIDE + 10} ${HIGH + 10}`, preserveAspectRatio: "none", role: "img",
      "aria-label": t("Above the middle {first} is ahead, below it {second}.", { first, second }),
      onclick: (event) => this.pick(event, shares.length),
    }, s("line", { class: "even", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 }), this.now,
    s("polyline", { points: line }), ...dots);
    this.plot.replaceChildren(h("span", { class: "side" }, `${first} 100 %`), chart, h("span", { class: "side" }, `${second} 100 %`));
    const cost = ({ ply }) => Math.abs(shares[ply] - shares[ply - 1]);
    const percent = (share) => `${Math.round(100 * share)} %`;
    const act = (words, does) => h("button", { type: "button", onclick: does }, words);
    const toLearn = this.store.mayAct ? found.learn : [];
    const lesson = (each) => [each?.puzzle ? act(t("A puzzle like it"), () => this.send({ type: "puzzle", game: game.name, number: each.puzzle })) : null,
      each && each.practise !== null ? act(t("Find the better move"), () => this.send({ type: "practise", game: game.id, ply: each.practise })) : null];
    this.points.replaceChildren(...(turning.length
      ? [...turning].sort((one, other) => cost(other) - cost(one)).map((point) => h("li", {}, // the dearest first
        h("button", { type: "button", class: "plain", onclick: () => this.review(point.ply - 1) }, point.say),
        h("span", { class: "hint" }, `${first}: ${percent(shares[point.ply - 1])} → ${percent(shares[point.ply])}`),
        h("div", { class: "row" },
          point.better.moves.length ? act(t("What was better"), () => this.line(point.ply, point.better)) : null,
          act(t("What followed"), () => this.line(point.ply, point.played)), lesson(toLearn.find(({ say }) => say === point.say)))))
      : [h("li", { class: "hint" }, t("No single move decided it."))]));
    this.learn.replaceChildren(...toLearn.filter(({ say }) => !turning.some((point) => point.say === say)).map((each) => h("li", {}, each.say, h("div", { class: "row" }, lesson(each)))));
    this.mark();
  }

  pick(event, count) {
    const box = event.currentTarget.getBoundingClientRect();
    this.review(Math.round(((event.clientX - box.left) / box.width) * (count - 1)));
  }

  /** Where the position that is shown stands in the plot. */
  mark() {
    if (!this.found || !this.now) return;
    const count = this.found.shares.length - 1;
    const { review } = this.store;
    const ply = review?.record.played ? review.record.from : review?.ply;
    const x = ((ply ?? count) / Math.max(1, count)) * WIDE;
    this.now.setAttribute("x1", x);
    this.now.setAttribute("x2", x);
  }
}
