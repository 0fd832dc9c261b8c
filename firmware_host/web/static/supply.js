// Pieces to take into the hand where they are moved freely: dragged over the plate, let fall, or stacked.

import { button, h, nameOf, setText, t } from "/static/page.js";
import { marble } from "/static/marble.js";
import { troop } from "/static/room-view.js";
import { pieceName } from "/static/room-words.js";

const DROP_MM = 60;
const APART_MM = 30;
const IN_LINE_MM = 10; // of one tower

export class Supply {
  constructor(store, depth, send) {
    Object.assign(this, { store, depth, send });
    this.tray = h("div", { class: "free-tray" });
    this.title = h("h3", {});
    this.element = h("div", { class: "free-hands" }, this.title, this.tray,
      h("div", { class: "row" },
        button("above", t("Stack one"), () => this.stack()),
        button("hand", t("Knock on the table"), () => this.send({ type: "bump" })),
        button("draw", t("Level"), () => (depth.on ? depth.grips.level() : this.send({ type: "tilt", x_deg: 0, y_deg: 0 })))));
  }

  /** The kinds of pieces that the game's trays hold; in a game of seats, those that may be placed now. */
  fill() {
    const { game, layout, snapshot } = this.store;
    const { glossary = {}, pieces = [] } = game ?? {};
    const seated = "kind:tank" in glossary;
    const { phase, turn, troops } = snapshot.room?.public ?? {};
    const held = phase === "place" ? [...new Set(troops[snapshot.to_move])] : [];
    const asked = held.filter((piece) => turn.troop.includes(piece.split("-")[1]));
    const offered = seated ? (asked.length ? asked : held) : pieces;
    this.element.hidden = !layout.hands || !offered.length;
    setText(this.title, seated ? t("Drag it into the zone") : t("Let one fall"));
    if (this.offered === offered.join()) return;
    this.offered = offered.join();
    this.tray.replaceChildren(...offered.map((piece) => {
      const one = h("button", { type: "button", "data-piece": piece, onclick: () => this.drop(piece) },
        seated ? troop(piece) : marble(piece, game), h("span", {}, seated ? pieceName(game, piece) : nameOf(piece)));
      one.addEventListener("pointerdown", (event) => this.depth.grips?.offer(event, piece));
      return one;
    }));
  }

  /** On the free place nearest to the middle. */
  drop(piece) {
    if (this.depth.grips?.justDragged || this.store.snapshot.room) return;
    const { store } = this;
    const taken = store.pieces();
    const free = store.layout.places.map((_, index) => ({ index, ...store.centreOf(index) }))
      .filter(({ x, y }) => taken.every((other) => Math.hypot(other.x - x, other.y - y) > APART_MM))
      .sort((one, other) => Math.hypot(one.x, one.y) - Math.hypot(other.x, other.y))[0];
    if (free) this.send({ type: "drop", piece, place: store.layout.places[free.index], from_mm: DROP_MM });
  }

  /** One more on the highest that stands where a hand has room beside it; else the first of a tower. */
  stack() {
    const pieces = this.store.pieces();
    const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
    const roomy = pieces.filter((one) => pieces.every((other) => apart(one, other) < IN_LINE_MM || apart(one, other) > APART_MM));
    const [top] = roomy.sort((one, other) => other.z - one.z);
    if (top) this.send({ type: "stack", piece: top.piece, ...this.store.spot(top.x, top.y) });
    else this.drop(this.offered.split(",")[0]);
  }
}
