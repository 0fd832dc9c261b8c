// Presses that come while the move before is still being carried out wait until that is done.

const SEEN_WITHIN_MS = 3000; // a hand, four scans and a slow network
const TWICE_MS = 400; // the second press of a double click

export class Waiting {
  constructor(store) {
    this.store = store;
    this.presses = []; // {mark, act}, the first one next
    this.playing = false;
    this.starting = false; // while a press that waited begins
    this.last = {}; // {mark, at, made} of the newest press: when, and after how many moves
    store.on(["layout", "review", "link"], () => this.keep([]));
    store.on(["layout"], () => { this.last = {}; }); // a double click is of one game
    store.listen(() => this.look());
  }

  get busy() { return this.playing || this.starting || Boolean(this.store.falling) || ["settle", "setup"].includes(this.store.snapshot?.phase); }

  /** Now, or in its turn as soon as the table is ready. `mark`: the place or slot that is drawn as
   * waiting; pressed once more it is forgotten. A double click is one press. */
  press(mark, act) {
    const { last } = this;
    const at = window.event?.timeStamp ?? performance.now(); // a slow page hears of a press late
    this.last = { mark, at, made: this.store.snapshot?.moves.length };
    if (mark === last.mark && this.last.made === last.made && this.last.at - last.at < TWICE_MS) return;
    const others = this.presses.filter((each) => each.mark !== mark);
    if (others.length < this.presses.length) this.keep(others);
    else if (this.busy || others.length) this.keep([...others, { mark, act }]);
    else act();
  }

  keep(presses) {
    if (presses.length + this.presses.length === 0) return;
    this.presses = presses;
    this.store.set("waiting", presses.map(({ mark }) => mark));
  }

  look() {
    if (this.presses.length === 0 || this.busy) return;
    const [{ act }, ...others] = this.presses;
    const { phase } = this.store.snapshot;
    this.starting = true; // what it tells the page brings us here again
    act();
    this.starting = false;
    this.keep(phase === "turn" ? others : []); // else something must be put right first
  }

  /** Busy until the table has seen what `act` does; it resolves to whether it was done. */
  async play(act) {
    const { store } = this;
    const said = ({ phase, moves, question }) => JSON.stringify([phase, moves.length, question?.ask]);
    const before = said(store.snapshot);
    this.playing = true;
    try {
      if (await act()) await store.until(() => said(store.snapshot) !== before, SEEN_WITHIN_MS);
    } finally {
      this.playing = false;
      this.look();
    }
  }
}
