// The slots at a board's sides: what they look like, which are open, and where a tile falls.
import { MARKS } from "/static/assist.js";
import { shown } from "/static/boards.js";
import { s } from "/static/dom.js";
import { t } from "/static/i18n.js";

const TAB_MM = { long: 24, deep: 12.500, off: 8.500 };
const LIP_TAB_MM = 9; // as deep as the lip lets it be
const REACH_MM = 38; // from the board's edge outward, a finger means the slot

/** East and north, out of the board. */
export const OUT = { left: [-1, 0], right: [1, 0], top: [0, 1], bottom: [0, -1] };

const SIDES = { left: () => t("left"), right: () => t("right"), top: () => t("top"), bottom: () => t("bottom") };

export const sideName = (side) => SIDES[side]();

/** The places along which a tile falls that enters there; none where the line is full. */
export function fall({ cells }, standing) {
  const entry = cells.findIndex((cell) => !(cell in standing));
  if (entry < 0) return [];
  const stop = cells.findIndex((cell, at) => at > entry && cell in standing);
  return cells.slice(entry, stop < 0 ? cells.length : stop);
}

/** Tabs with the slots' names around the board: on the plate's lip, or beside the board. */
export class Slots {
  constructor(store, lip) {
    this.store = store;
    this.onFelt = s("g", { class: "slots" });
    this.onLip = s("g", { class: "slots" });
    const { layout, game, frame: { west, south, east, north } } = store;
    this.tabs = game.slots.map((slot) => {
      const [dx, dy] = OUT[slot.side];
      const edge = store.centreOf(store.indexOf(slot.cells[0]));
      const far = layout.pitch_mm / 2 + TAB_MM.off;
      let x = edge.x + dx * far;
      let y = edge.y + dy * far;
      const room = { left: x - west, right: east - x, top: north - y, bottom: y - south }[slot.side];
      const outside = room < lip + TAB_MM.deep / 2;
      const deep = outside ? LIP_TAB_MM : TAB_MM.deep;
      if (outside) {
        x += dx * (room - lip / 2);
        y += dy * (room - lip / 2);
      }
      const [width, height] = dx ? [deep, TAB_MM.long] : [TAB_MM.long, deep];
      const tab = s("g", { class: "slot", "data-slot": slot.name, transform: `translate(${x} ${-y})` },
        s("title", {}, t("Let a tile fall from slot {slot}", { slot: slot.name })),
        this.reach(slot, edge, { x, y }),
        s("rect", { class: "tab", x: -width / 2, y: -height / 2, width, height, rx: 2.600 }),
        s("path", { class: "shut", d: `M${-width / 2 + 1} ${height / 2 - 1}L${width / 2 - 1} ${-height / 2 + 1}` }),
        ...Object.entries(MARKS).map(([kind, d]) => s("path", { d, class: `worth ${kind}`, transform: dx ? "translate(0 -7) scale(.7)" : "translate(8 0) scale(.7)" })),
        s("text", { y: 2.900, class: dx && outside && slot.name.length > 1 ? "tight" : null }, slot.name));
      tab.style.setProperty("--tint", slot.tint);
      const inner = layout.pitch_mm / 2 - 2.500;
      const angle = { left: 0, right: 180, top: 90, bottom: -90 }[slot.side];
      const way = s("path", { class: "way-in", d: "M-2.500 -4.500L3 0L-2.500 4.500Z", fill: slot.tint, transform: `translate(${edge.x + dx * inner} ${-(edge.y + dy * inner)}) rotate(${angle})` });
      (outside ? this.onLip : this.onFelt).append(tab);
      this.onFelt.append(way);
      return { slot, tab, way, x, y };
    });
  }

  /** What a finger may touch for a slot: more than its tab, and nothing of the board. */
  reach({ side }, edge, tab) {
    const { pitch_mm: pitch } = this.store.layout;
    const [dx, dy] = OUT[side];
    const x = edge.x + (dx * (pitch + REACH_MM)) / 2 - tab.x;
    const y = edge.y + (dy * (pitch + REACH_MM)) / 2 - tab.y;
    const [width, height] = dx ? [REACH_MM, pitch] : [pitch, REACH_MM];
    return s("rect", { class: "reach", x: x - width / 2, y: -y - height / 2, width, height });
  }

  /** The slot that a point on the plate or beside it means, null where none. */
  at(x, y) {
    const { pitch_mm: pitch } = this.store.layout;
    const found = this.tabs.find(({ slot }) => {
      const [dx, dy] = OUT[slot.side];
      const edge = this.store.centreOf(this.store.indexOf(slot.cells[0]));
      const out = (x - edge.x) * dx + (y - edge.y) * dy - pitch / 2;
      const along = Math.abs(dx ? y - edge.y : x - edge.x);
      return out > 0 && out <= REACH_MM && along <= pitch / 2;
    });
    return found?.slot ?? null;
  }

  /** Where its tab is, in mm on the plate. */
  centre(slot) { return this.tabs.find((tab) => tab.slot === slot); }

  /** Whether the player to move may let a tile fall from there now. */
  open(slot) { return this.why(slot) === null; }

  /** Why no tile may fall from there, null where one may; "" where the table says what to do. */
  why(slot) {
    const { snapshot, review } = this.store;
    const asked = snapshot.question && !snapshot.question.offer;
    if (review || snapshot.phase !== "turn" || asked || !snapshot.to_move) return "";
    if (slot.side === this.closedSide()) {
      return t("You came from the {side} last time: take another side now.", { side: sideName(slot.side) });
    }
    return fall(slot, snapshot.position).length ? null : t("Slot {slot} is full: take another one.", { slot: slot.name });
  }

  /** The side that the player to move used last. */
  closedSide() {
    const { to_move: toMove, moves } = shown(this.store);
    const players = this.store.game.players.length;
    if (!toMove || moves.length < players) return null;
    const last = moves[moves.length - players];
    return this.store.game.slots.find(({ name }) => name === last)?.side ?? null;
  }

  /** Show that this slot is meant. */
  aim(slot) { for (const each of this.tabs) each.tab.classList.toggle("aimed", each.slot === slot); }

  /** Closed: the side that the player to move used last. Full: no open cell in the line. */
  update() {
    const { to_move: toMove, cells } = shown(this.store);
    const closed = this.closedSide();
    const { waiting } = this.store;
    for (const { slot, tab, way } of this.tabs) {
      const full = slot.cells.every((cell) => cell in cells);
      const shut = slot.side === closed;
      tab.classList.toggle("waiting", waiting.includes(slot.name));
      tab.classList.toggle("closed", shut);
      tab.classList.toggle("full", full && !shut);
      tab.dataset.quality = this.store.snapshot?.quality[slot.name] ?? "";
      tab.classList.toggle("open", this.store.handsFree && this.open(slot));
      way.style.display = shut || full || !toMove ? "none" : "";
    }
  }
}
