// Playing by keyboard: a focus moves over the places, Enter picks up and puts down.
import { nameOf, t } from "/static/page.js";
import { around, OUT, sideName } from "/static/boards.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const ROLES = {
  wrong: () => t("wrong"),
  remove: () => t("take it away"),
  lift: () => t("lift this"),
  put: () => t("put here"),
  win: () => t("winning"),
  legal: () => t("allowed"),
  last: () => t("last move"),
};

export class Keys {
  constructor(store, plate, presses, previews, announce) {
    Object.assign(this, { store, plate, presses, previews, hand: presses.hand, announce });
    this.index = 0;
    this.slot = null; // where the keys are in place of a place
    const { stage } = plate;
    stage.tabIndex = 0;
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label", t("The plate. Arrow keys move over the places, Enter picks up and puts down."));
    stage.addEventListener("keydown", (event) => this.press(event));
    stage.addEventListener("pointerdown", () => stage.classList.remove("by-keys"));
    stage.addEventListener("focus", () => this.tell());
    stage.addEventListener("blur", () => this.previews.aim(null));
    store.on(["layout", "review"], () => this.home());
    store.on(["preview"], () => {
      const { reasons } = store.preview ?? {};
      if (reasons?.length && document.activeElement === stage) announce(`${store.placeName(this.index)}: ${reasons.join(" ")}`);
    });
  }

  /** To the place nearest to the middle of the board, as a game begins; a page that comes back stays where it was. */
  home() {
    const { layout, review } = this.store;
    const shown = [layout?.number, review?.record.game.id].join();
    if (shown === this.homeOf) {
      this.plate.focusOn(this.at());
      return;
    }
    this.homeOf = shown;
    const board = Object.values(this.store.game?.board ?? {}).map(({ index }) => ({ index, ...this.store.centreOf(index) }));
    const { west, south, east, north } = around(board, 0);
    const away = ({ x, y }) => Math.round(Math.hypot(x - (west + east) / 2, y - (south + north) / 2));
    const [nearest] = board.sort((one, other) => away(one) - away(other));
    this.index = nearest?.index ?? 0;
    this.slot = null;
    this.plate.focusOn(this.at());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.store.layout) return;
    if (this.handle(event)) {
      event.preventDefault();
      this.plate.stage.classList.add("by-keys");
    }
  }

  handle({ key }) {
    const { store, hand, presses, index } = this;
    if (key in STEPS) {
      this.step(...this.plate.camera.onPlate(STEPS[key]));
      return true;
    }
    if (key === "Enter" || key === " ") {
      if (this.slot) presses.actSlot(this.slot);
      else presses.act(index);
    } else if (key === "Delete" || key === "Backspace") presses.clear(index);
    else if (key >= "1" && key <= "9") {
      const piece = store.game?.pieces[Number(key) - 1];
      if (piece) hand.choose(piece, this.at());
    } else return false;
    return true;
  }

  /** Where the keys are, in mm. */
  at() { return this.slot ? this.plate.extra.centre(this.slot) : this.store.centreOf(this.index); }

  step(dx, dy) {
    if (this.slot) this.stepFromSlot(dx, dy);
    else this.slot = this.slotBeyond(dx, dy) ?? this.stepTo(this.beside(this.index, dx, dy));
    this.aim();
    this.plate.focusOn(this.at());
    this.hand.follow(this.at());
    this.tell();
  }

  /** Show what Enter would do here. */
  aim() {
    const place = this.slot ? null : this.store.placeName(this.index);
    const { drops } = this.presses;
    this.previews.aim(place);
    drops.aim(this.slot ?? drops.into(place));
  }

  stepTo(index) {
    this.index = index;
    return null;
  }

  /** The place of the plate beside that one, itself at the edge. */
  beside(index, dx, dy) {
    const { columns, rows } = this.store.layout;
    const column = Math.max(0, Math.min(columns - 1, (index % columns) + dx));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(index / columns) + dy));
    return row * columns + column;
  }

  /** The slot that is the next thing on that side of the place, if one is. */
  slotBeyond(dx, dy) {
    const { game } = this.store;
    const place = this.store.placeName(this.index);
    return game?.slots.find(({ side, cells }) => cells[0] === place && OUT[side][0] === dx && OUT[side][1] === dy);
  }

  /** Along the side to the next slot, back to the board, or on over the plate. */
  stepFromSlot(dx, dy) {
    const { slots } = this.store.game;
    const [outX, outY] = OUT[this.slot.side];
    if (dx * outX + dy * outY === 0) {
      const next = this.store.placeName(this.beside(this.index, dx, dy));
      const slot = slots.find(({ side, cells }) => side === this.slot.side && cells[0] === next);
      if (!slot) return;
      this.slot = slot;
      this.index = this.store.indexOf(next);
      return;
    }
    const beyond = this.beside(this.index, dx, dy);
    const inward = dx === -outX && dy === -outY;
    if (!inward && beyond === this.index) return; // the plate ends there
    if (!inward) this.index = beyond;
    this.slot = null;
  }

  tell() {
    const { store, index, slot } = this;
    if (!store.snapshot) return;
    if (slot) {
      const parts = [t("Slot {slot}", { slot: slot.name }), sideName(slot.side)];
      const why = this.plate.extra.why(slot);
      if (why !== "") parts.push(why === null ? t("allowed") : t("closed"));
      this.announce(parts.join(", "));
      return;
    }
    const place = store.placeName(index);
    const standing = store.pieceAt(index);
    const role = store.snapshot.roles[place];
    const parts = [place, standing ? nameOf(standing.piece) : t("empty")];
    if (role && ROLES[role]) parts.push(ROLES[role]());
    this.announce(parts.join(", "));
  }
}
