// What can be pressed now, under the sentence: the next thing first, taking back always.
import { button, h, setText } from "/static/dom.js";
import { t } from "/static/i18n.js";

// What the table's hand can do for a person, by phase.
const HELP = {
  setup: () => t("Set it up for me"),
  settle: ({ shifts }) => (shifts.length && shifts.every(({ source }) => source === null) ? t("Put them on for me") : t("Push them for me")),
  fix: () => t("Put it right for me"),
};

export class Actions {
  constructor(store, { ask, complain, ownHand, ending, newGame, playAgain, learn, nextPuzzle, leaveReview, takeBackToHere }) {
    Object.assign(this, { store, ownHand, ending });
    const command = (type) => () => ask({ type }).catch((error) => complain(error.message));
    const primary = { class: "primary" };
    this.play = button("plus", t("New game"), newGame, primary);
    this.again = button("again", t("Play again"), playAgain, primary);
    this.other = button("plus", t("Another game"), newGame);
    this.goOn = button("back", "", takeBackToHere);
    this.leave = button("close", t("Back to the game"), leaveReview, { class: "primary leave" });
    this.help = button("hand", "", () => ownHand.carryOut(), primary);
    this.level = button("draw", t("Level it"), () => ask({ type: "tilt", x_deg: 0, y_deg: 0 }).catch((error) => complain(error.message)), primary);
    this.hint = button("bulb", t("Hint"), command("hint"));
    this.show = button("bulb", t("Show me"), command("hint"));
    this.learn = button("help", t("Learn in a minute"), learn);
    this.nextPuzzle = button("next", t("Next puzzle"), nextPuzzle, primary);
    this.endLesson = button("close", t("Back to the game"), command("stop-learning"));
    this.sure = button("next", t("I am sure"), command("sure"), primary);
    this.swap = button("swap", t("Swap colours"), command("swap"));
    this.takeBack = button("back", t("Take back"), command("take-back"), { class: "take-back" });
    this.element = h("div", { class: "actions" });
    store.listen(() => this.update());
  }

  update() {
    const { layout, snapshot, mayAct, review, working } = this.store;
    if (!layout || !snapshot) return;
    this.help.disabled = working;
    this.takeBack.disabled = !mayAct || !snapshot.can_take_back;
    if (review) this.offer(this.lookingBack(review), this.leave);
    else if (!mayAct || snapshot.phase === "free") this.offer();
    else if (!layout.game) this.offer(this.play);
    else if (this.leans(snapshot)) this.offer(this.level, this.takeBack);
    else if (snapshot.lesson) this.offer(this.ofLesson(snapshot), this.endLesson, snapshot.lesson.puzzle ? this.takeBack : null);
    else if (snapshot.doubting) this.offer(this.sure, this.takeBack);
    else if (snapshot.phase === "over") this.offer(this.again, this.other, this.takeBack);
    else if (snapshot.phase === "turn" && this.ending.next) this.offer(this.ending.agree, snapshot.swap_legal ? this.swap : this.hinting(snapshot), this.takeBack);
    else this.offer(this.helping(snapshot) ?? (snapshot.swap_legal ? this.swap : this.first(snapshot, layout)), this.hinting(snapshot), this.takeBack);
  }

  /** Whether the plate is held tilted, and a hand of the table could let it go. */
  leans({ phase, stillness }) { return phase === "paused" && stillness === "tilted" && this.store.handsFree; }

  /** Before the first move: how the game goes. */
  first({ moves }, { game }) { return game.lesson && moves.length === 0 ? this.learn : null; }

  /** What the table's hand can do in a lesson, and at its end a game. */
  ofLesson(snapshot) {
    const { done, steps, by_hand: others } = snapshot.lesson;
    if (snapshot.lesson.wrong) return this.show;
    if (done === steps) return snapshot.lesson.puzzle ? this.nextPuzzle : this.play;
    if (snapshot.phase !== "turn") return this.helping(snapshot);
    if (!others || !this.store.handsFree || this.ownHand.on) return null;
    setText(this.help.lastChild, t("Make this move for me"));
    return this.help;
  }

  lookingBack({ record, ply }) {
    if (record.played) return null; // it was not played
    const own = record.game.id === this.store.layout.game?.id;
    setText(this.goOn.lastChild, own ? t("Take back to here") : t("Play on from here"));
    return own && ply === record.moves.length ? null : this.goOn;
  }

  /** The table's hand, where it can help and does not work by itself. */
  helping(snapshot) {
    const words = HELP[snapshot.phase];
    const something = Object.keys(snapshot.roles).length + snapshot.shifts.length > 0;
    const engine = snapshot.phase === "settle" && snapshot.engines[snapshot.to_move]; // it plays by itself
    const alone = engine || this.ownHand.on && snapshot.phase !== "fix" && !this.ownHand.done;
    if (!this.store.handsFree || !words || !something || alone) return null;
    setText(this.help.lastChild, words(snapshot));
    return this.help;
  }

  /** Where a person is to move. */
  hinting({ phase, to_move: mover, engines, thinking, hinting }) {
    const may = this.store.layout.engine_names.length && phase === "turn" && !engines[mover] && !thinking;
    this.hint.disabled = hinting;
    return may ? this.hint : null;
  }

  offer(...actions) {
    const wanted = actions.filter(Boolean);
    const there = [...this.element.children];
    if (there.length === wanted.length && there.every((one, at) => one === wanted[at])) return;
    this.element.replaceChildren(...wanted);
  }
}
