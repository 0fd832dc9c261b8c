// Playing by keyboard: a focus moves over the places, and Enter picks pieces up and puts them down.
import { nameOf, t } from "/static/page.js";
import { around } from "/static/boards.js";

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
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.presses = presses;
    this.previews = previews;
    this.hand = presses.hand;
    this.announce = announce;
    this.index = 0;
    const { stage } = plate;
    stage.tabIndex = 0;
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label",
      t("The plate. Arrow keys move over the spaces, Enter picks up and puts down."));
    stage.addEventListener("keydown", (event) => this.press(event));
    stage.addEventListener("pointerdown", () => stage.classList.remove("by-keys"));
    stage.addEventListener("focus", () => this.tell());
    stage.addEventListener("blur", () => this.previews.aim(null));
    store.on(["layout", "review"], () => this.home());
    store.on(["preview"], () => {
      const { reasons } = store.preview ?? {};
      if (reasons?.length && document.activeElement === stage)
        announce(`${store.placeName(this.index)}: ${reasons.join(" ")}`);
    });
  }

  /** Move the focus to the place nearest to the board's centre when a game begins. After a
   * reconnection it stays. */
  home() {
    const { layout, review } = this.store;
    const shown = [layout?.number, review?.record.game.id].join();
    if (shown !== this.homeOf) {
      this.homeOf = shown;
      const board = Object.values(this.store.game?.board ?? {})
        .map(({ index }) => ({ index, ...this.store.centreOf(index) }));
      const { west, south, east, north } = around(board, 0);
      const away = ({ x, y }) =>
        Math.round(Math.hypot(x - (west + east) / 2, y - (south + north) / 2));
      const [nearest] = board.sort((one, other) => away(one) - away(other));
      this.index = nearest?.index ?? 0;
    }
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
    if (key === "Enter" || key === " ") presses.act(index);
    else if (key === "Delete" || key === "Backspace") presses.clear(index);
    else if (key >= "1" && key <= "9") {
      if (store.handsFree && !hand.carried)
        hand.takeFromTray(store.game?.pieces[Number(key) - 1], this.at());
    } else return false;
    return true;
  }

  /** Return the position of the focus in mm. */
  at() { return this.store.centreOf(this.index); }

  /** Return the nearest base in that direction on a board with tracks, or undefined. */
  base(dx, dy) {
    const { store } = this;
    const from = this.at();
    return Object.values(store.game?.drawing ? store.game.board : {}).map(({ index }) => {
      const { x, y } = store.centreOf(index);
      const along = (x - from.x) * dx + (y - from.y) * dy;
      const across = Math.abs((x - from.x) * dy - (y - from.y) * dx);
      return { index, along, far: Math.hypot(along, across) + across };
    }).filter(({ along }) => along > 1).sort((one, other) => one.far - other.far)[0]?.index;
  }

  /** Move the focus to the next place in that direction, up to the plate's edge. */
  step(dx, dy) {
    const { columns, rows } = this.store.layout;
    const column = Math.max(0, Math.min(columns - 1, (this.index % columns) + dx));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(this.index / columns) + dy));
    this.index = this.base(dx, dy) ?? row * columns + column;
    const place = this.store.placeName(this.index);
    this.previews.aim(place);
    this.presses.drops.aim(this.presses.drops.into(place)); // Show what Enter would do here.
    this.plate.focusOn(this.at());
    this.hand.follow(this.at());
    this.tell();
  }

  tell() {
    const { store, index } = this;
    const place = store.placeName(index);
    const standing = store.pieceAt(index);
    const role = store.snapshot.guidance.roles[place];
    const name = place in (store.game?.board ?? { [place]: null }) ? place : t("off the board");
    const parts = [name, standing ? nameOf(standing.piece) : t("empty")];
    if (role && ROLES[role]) parts.push(ROLES[role]());
    this.announce(parts.join(", "));
  }
}
