// Letting a tile fall from a slot: it is put where it lands, and the side answered.
import { OUT, fall } from "/static/boards.js";

const SEEN_WITHIN_MS = 8000; // a hand, a reading that settles, and a slow network

export class Drops {
  /** `put(piece, x, y)` has a new piece put on the plate and resolves to whether it was. */
  constructor(store, plate, { ask, complain, put }) {
    Object.assign(this, { store, plate, ask, complain, put });
    this.over = null; // the slot that is pointed at, open or not
    this.aimed = null;
    store.listen((_, changed) => this.aim(changed.has("layout") ? null : this.over));
  }

  /** The slot at a point of the plate, null where there is none. */
  at(x, y) { return this.plate.extra?.at?.(x, y) ?? null; }

  /** The only open slot from which a tile would come in, or else land, there; null where there are more. */
  into(place) {
    const open = (this.store.game?.slots ?? []).filter((slot) => this.open(slot));
    const entering = open.filter((slot) => this.path(slot)[0] === place);
    const found = entering.length ? entering : open.filter((slot) => this.path(slot).at(-1) === place);
    return found.length === 1 ? found[0] : null;
  }

  open(slot) { return this.store.handsFree && !this.store.falling && this.plate.extra.open(slot); }

  path(slot) { return fall(slot, this.store.snapshot.position); }

  /** Show where a tile would fall from there; null: nothing is meant any more. */
  aim(slot) {
    this.over = slot;
    const meant = slot && this.open(slot) ? slot : null;
    if (meant === this.aimed) return;
    this.aimed = meant;
    this.plate.extra?.aim?.(meant);
    this.store.set("hint", meant && { path: this.path(meant), colour: meant.tint });
  }

  /** One whole move. What the table does not take is left to its guidance. */
  async drop(slot) {
    if (!this.open(slot)) return;
    const { store } = this;
    const { to_move: piece, moves } = store.snapshot;
    const path = this.path(slot);
    const [enters, lands] = [path[0], path.at(-1)].map((place) => store.centreOf(store.indexOf(place)));
    const [east, north] = OUT[slot.side].map((out) => out * store.layout.pitch_mm);
    this.aim(null);
    store.set("falling", slot);
    try {
      if (!await this.put(piece, lands.x, lands.y, { x: enters.x + east, y: enters.y + north })) return;
      const done = () => store.snapshot.moves.length > moves.length || store.snapshot.phase === "settle";
      const asked = () => store.snapshot.question?.choices.some(({ value }) => value === slot.side);
      const other = () => !["turn", "settle"].includes(store.snapshot.phase);
      await store.until(() => done() || asked() || other(), SEEN_WITHIN_MS);
      if (asked()) {
        await this.ask({ type: "answer", value: slot.side });
        await store.until(done, SEEN_WITHIN_MS);
      }
    } catch (error) {
      this.complain(error.message);
    } finally { store.set("falling", null); }
  }
}
