// What a move would do, shown while somebody points at its place: by mouse, keys, or a finger that stays.

export class Previews {
  /** `fetchJson(path)` asks the table, which says null to what is no move. */
  constructor(store, plate, fetchJson) {
    Object.assign(this, { store, plate, fetchJson });
    this.place = null; // what is pointed at
    this.known = new Map(); // move -> what it would do, in this position
    this.asking = false;
    store.on(["moves", "layout", "review", "phase", "to_move"], () => this.forget());
  }

  forget() {
    this.known = new Map();
    this.store.set("preview", null);
    if (this.place) this.look();
  }

  /** Show what a move to that place would do; null: nothing is pointed at any more. */
  aim(place) {
    if (place === this.place) return;
    this.place = place;
    if (!this.isMove(place)) this.store.set("preview", null);
    else this.look();
  }

  isMove(place) {
    const { store } = this;
    const { snapshot, review, game } = store;
    const asked = snapshot?.question && !snapshot.question.offer;
    if (!place || !game || review || asked || store.falling || snapshot.phase !== "turn") return false;
    const { position, roles, to_move: mover } = snapshot;
    if (game.slots.length) return false; // a place does not tell the slot, see drops.js
    if (!(place in position)) return roles[place] === "legal";
    const ship = Object.keys(position).find((at) => position[at] === mover);
    return !game.players.includes(position[place]) && Boolean(this.plate.extra?.tracks?.joined(ship, place));
  }

  /** One question at a time: who sweeps over the board asks for the last place. */
  async look() {
    const { place, known } = this;
    if (!this.isMove(place)) return;
    if (known.has(place)) {
      this.store.set("preview", known.get(place));
      return;
    }
    if (this.asking) return;
    this.asking = true;
    const found = await this.fetchJson(`/api/v1/preview/${encodeURIComponent(place)}`).catch(() => null);
    this.asking = false;
    if (known === this.known && this.isMove(place)) known.set(place, found);
    this.look();
  }
}
