// Playing by keyboard: a focus moves over the places, Enter picks up and puts down.

import { t, nameOf } from "/static/i18n.js";

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
  constructor(store, plate, hand, announce) {
    Object.assign(this, { store, plate, hand, announce });
    this.index = 0;
    const { stage } = plate;
    stage.tabIndex = 0;
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label",
      t("The plate. Arrow keys move over the places, Enter picks up and puts down."));
    stage.addEventListener("keydown", (event) => this.press(event));
    stage.addEventListener("pointerdown", () => stage.classList.remove("by-keys"));
    stage.addEventListener("focus", () => this.tell());
    store.listen((_, changed) => {
      if (changed.has("layout") || changed.has("review")) this.home();
    });
  }

  home() {
    const board = Object.values(this.store.game?.board ?? {});
    this.index = board.length ? board[Math.floor(board.length / 2)].index : 0;
    this.plate.focusOn(this.index);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.store.layout) return;
    if (this.handle(event)) {
      event.preventDefault();
      this.plate.stage.classList.add("by-keys");
    }
  }

  handle({ key }) {
    const { store, hand, index } = this;
    if (key in STEPS) {
      this.step(...STEPS[key]);
      return true;
    }
    if (key === "Enter" || key === " ") hand.act(index);
    else if (key === "Delete" || key === "Backspace") hand.clear(index);
    else if (key >= "1" && key <= "9") {
      const piece = store.game?.pieces[Number(key) - 1];
      if (piece) hand.choose(piece, index);
    } else return false;
    return true;
  }

  step(dx, dy) {
    const { columns, rows } = this.store.layout;
    const column = Math.max(0, Math.min(columns - 1, (this.index % columns) + dx));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(this.index / columns) + dy));
    this.index = row * columns + column;
    this.plate.focusOn(this.index);
    this.hand.follow(this.index);
    this.tell();
  }

  tell() {
    const { store, index } = this;
    if (!store.snapshot) return;
    const place = store.placeName(index);
    const standing = store.pieceAt(index);
    const role = store.snapshot.roles[place];
    const parts = [place, standing ? nameOf(standing.piece) : t("empty")];
    if (role && ROLES[role]) parts.push(ROLES[role]());
    this.announce(parts.join(", "));
  }
}
