// The table's own hand: it does what the lights ask for, by itself if that is wanted.
import { remember, remembered } from "/static/page.js";

const ASKING = new Set(["setup", "settle", "fix"]);
const LEAVES = new Set(["wrong", "remove", "lift"]);
const TO_READ_MS = 3500; // what the other side is about to do in a lesson
const AFTER_A_MISTAKE_MS = 4000; // longer than the board of before takes to count as a takeback

export class OwnHand {
  /** `ask(message)` asks the table, `complain(text)` tells the person. */
  constructor(store, { ask, complain }) {
    Object.assign(this, { store, ask, complain });
    this.on = remembered("own-hand", "on") === "on";
    this.mistaken = false; // what is wrong was done by this page's hand
    this.tried = new Set(); // what was asked for when it began to work, since anything is asked
    store.listen((_, changed) => {
      if (changed.has("holding") && store.holding) this.mistaken = true;
      const right = changed.has("phase") && store.snapshot.phase === "turn";
      if (right || changed.has("moves") || changed.has("layout")) this.mistaken = false;
      this.look();
    });
  }

  toggle() {
    this.on = !this.on;
    remember("own-hand", this.on ? "on" : "off");
    this.store.tell("own-hand");
  }

  /** What is asked for now, as a text to compare; null where nothing is. */
  asked() {
    const { snapshot, handsFree, holding, layout } = this.store;
    if (!handsFree || !snapshot || !layout.game || holding) return null;
    const { shifts, roles, lesson } = snapshot;
    const others = snapshot.phase === "turn" && lesson?.by_hand; // whose move it makes in a lesson
    if (!others && !ASKING.has(snapshot.phase)) return null;
    const something = shifts.length || Object.values(roles).some((role) => LEAVES.has(role));
    return something ? JSON.stringify([layout.number, snapshot.phase, shifts, roles]) : null;
  }

  look() {
    const asked = this.asked();
    if (asked === null) this.tried.clear();
    if (!this.on || this.store.falling || this.store.working || asked === null || this.tried.has(asked) || this.due?.asked === asked) return;
    clearTimeout(this.due?.timer);
    const { phase } = this.store.snapshot;
    const wait = this.mistaken && phase === "fix" ? AFTER_A_MISTAKE_MS : phase === "turn" ? TO_READ_MS : 0;
    const timer = setTimeout(() => {
      this.due = null;
      if (this.on && this.asked() === asked) this.carryOut();
    }, wait);
    this.due = { asked, timer };
  }

  /** All of it, now. */
  async carryOut() {
    if (this.store.working) return;
    this.tried.add(this.asked()); // where the table sees it otherwise, it says what to do
    this.store.set("working", true);
    try {
      await this.ask({ type: "carry-out" });
    } catch (error) { this.complain(error.message); }
    this.store.set("working", false);
  }
}
