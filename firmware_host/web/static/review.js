// Looking at earlier positions, of this game or of another, without touching the table.
import { closed, opened } from "/static/back.js";

export class Reviewer {
  constructor(store, { fetchJson, ask, complain }) {
    Object.assign(this, { store, fetchJson, ask, complain });
    this.review = this.review.bind(this);
    this.step = this.step.bind(this);
    this.line = this.line.bind(this);
    this.record = this.record.bind(this);
    const looking = { close: () => this.leave() };
    store.listen(() => (store.review ? opened : closed)(looking));
    addEventListener("keydown", (event) => {
      if (event.target.closest("input, textarea, dialog")) return;
      if (event.key === ",") this.step(-1);
      else if (event.key === ".") this.step(1);
      else if (event.key === "Escape") this.leave();
    });
  }

  look(record, ply) {
    this.store.set("review", { record, ply });
  }

  /** How the game would have gone on instead of its move number `ply`: stepped through as a game is. */
  async line(ply, { moves, positions }) {
    const record = await this.record();
    if (!record) return;
    const played = record.played ?? record;
    const before = ply - 1;
    this.look({ ...played, played, from: before, result: null, places: [], moves: [...played.moves.slice(0, before), ...moves], positions: [...played.positions.slice(0, ply), ...positions] }, ply);
  }

  leave() { this.store.set("review", null); }

  /** The game that is looked at goes on from the position that is shown. */
  async takeBackToHere() {
    const { record, ply } = this.store.review;
    try {
      if (record.game.id !== this.store.layout.game?.id) {
        await this.ask({ type: "resume", game: record.game.id });
      }
      if (ply < record.moves.length) await this.ask({ type: "take-back", game: record.game.id, to: ply });
      this.leave();
    } catch (error) { this.complain(error.message); }
  }

  /** Show the position after move number `ply` of the game that is looked at, or played. */
  async review(ply, within = false) {
    const found = await this.record();
    const record = found?.played && !within ? found.played : found;
    if (record) this.look(record, Math.max(0, Math.min(record.moves.length, ply)));
  }

  async step(by) {
    const { review, snapshot } = this.store;
    const count = review ? review.record.moves.length : snapshot?.moves.length ?? 0;
    const now = review ? review.ply : count;
    const wanted = { first: 0, last: count }[by] ?? now + by;
    const own = !review || review.record.game.id === this.store.layout.game?.id;
    if (own && !review?.record.played && wanted >= count && (by === "last" || wanted > count)) this.leave();
    else await this.review(wanted, true);
  }

  async record() {
    const { review, layout } = this.store;
    if (review) return review.record;
    if (!layout?.game || this.store.snapshot.lesson) return null; // which is nowhere kept
    try {
      return await this.fetchJson(`/api/v1/history/${layout.game.id}`);
    } catch (error) {
      this.complain(error.message);
      return null;
    }
  }
}
