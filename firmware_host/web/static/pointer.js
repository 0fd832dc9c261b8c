// Mouse and fingers on the plate and the trays: what they press, drag, or only point at.
import { t } from "/static/page.js";

const DRAG_FROM_PX = 6;
const ABOVE_FINGER_PX = 46; // A dragged piece is drawn above the finger, which would cover it.
const LOOK_MS = 500; // A finger that rests this long on a preview only looks at it.

export class Pointers {
  constructor(store, plate, hand, presses, previews) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.hand = hand;
    this.presses = presses;
    this.previews = previews;
    this.pressed = null; // What is pressed: {id, x, y, piece, tray, dragging}.
    this.second = null; // A second finger, which counts only as half of a pinch.
    this.shownAt = null; // Time since when a preview of a press is shown.
    plate.stage.addEventListener("pointerdown", (event) => this.downOnPlate(event));
    plate.stage.addEventListener("contextmenu", (event) => event.preventDefault());
    plate.stage.addEventListener("pointerleave", () => this.aim(null));
    addEventListener("pointermove", (event) => this.move(event));
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("pointercancel", (event) => this.cancel(event));
    store.on(["layout", "link"], () => { this.pressed = null; });
    store.on(["hint", "preview"],
      () => { this.shownAt = store.hint || store.preview ? performance.now() : null; });
  }

  downOnPlate(event) {
    const { solid } = this.plate;
    // Hands in space handle this press (grips.js).
    if (event.target === solid?.space.canvas) return;
    if (solid?.space.replay) {
      solid.space.skip();
      return;
    }
    if (solid && event.button !== 0) solid.grips.hold(event, true);
    const id = solid ? solid.space.pick(event.clientX, event.clientY)?.id
      : event.target.closest?.(".marble")?.dataset.id;
    const piece = id && this.store.handsFree && this.store.pieces().find((each) => each.id === id);
    this.down(event, { piece }, piece || this.hand.carried || solid);
  }

  down(event, on, keep) {
    if (event.button !== 0 || !this.store.plays || (on.tray && this.store.bySeat)) return;
    if (this.pressed) {
      if (!this.pressed.turns) this.second = event.pointerId;
      return;
    }
    this.pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, ...on };
    if (keep) event.preventDefault();
    if (!on.tray && !this.hand.carried) this.aim(event);
  }

  /** Press a piece in a tray. */
  downOnTray(event, tray) {
    this.down(event, { tray }, true);
  }

  move(event) {
    const { pressed, hand } = this;
    if (pressed && event.pointerId === pressed.id && !pressed.dragging) {
      const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      if (far < DRAG_FROM_PX) return;
      pressed.dragging = true;
      if (!hand.carried) this.startDrag(pressed, event);
    }
    const means = pressed ? event.pointerId === pressed.id : event.pointerType === "mouse";
    if (pressed?.turns || !means) return;
    if (!hand.carried) this.aim(event);
    else {
      hand.carryTo(this.point(event));
      this.previews.aim(hand.carried.piece === this.store.snapshot.game.to_move
        ? hand.placeOf(hand.carried) : null);
      if (hand.fromTray) this.presses.drops.aim(this.presses.slotUnder());
    }
  }

  /** Return the point of the plate that is meant: above a finger that drags a piece. */
  point({ clientX, clientY, pointerType }) {
    const raised = pointerType === "touch" && this.pressed?.dragging && this.hand.carried
      ? ABOVE_FINGER_PX : 0;
    return this.plate.toPlane(clientX, clientY - raised);
  }

  /** Show what a press here would do; null: nothing is pointed at. */
  aim(event) {
    const { previews, presses: { drops } } = this;
    const over = event && this.store.layout && this.plate.stage.contains(event.target);
    const at = over ? this.point(event) : null;
    const place = at && this.store.onPlate(at.x, at.y) ? this.hand.placeOf(at) : null;
    previews.aim(place);
    drops.aim(at && (drops.at(at.x, at.y) ?? drops.into(place)));
  }

  startDrag(pressed, event) {
    const { piece, tray, x, y } = pressed;
    const at = this.plate.toPlane(x, y);
    if (tray) this.hand.takeFromTray(tray, at);
    else if (piece?.number) this.hand.pickUp(piece, at);
    else if (this.plate.solid) {
      this.plate.solid.grips.hold({ pointerId: event.pointerId, clientX: x, clientY: y });
      pressed.turns = true;
      this.aim(null);
    }
  }

  up(event) {
    const { pressed, hand } = this;
    if (event.pointerId === this.second) {
      this.second = null;
      this.presses.complain(t("One finger at a time: that press did not count."));
    }
    if (!pressed || event.pointerId !== pressed.id) return;
    const at = this.point(event);
    const free = event.shiftKey || event.altKey;
    this.pressed = null;
    const looked = event.pointerType === "touch" && this.shownAt !== null
      && event.timeStamp - this.shownAt > LOOK_MS;
    if (event.pointerType === "touch") this.aim(null);
    if (hand.carried && pressed.dragging) this.presses.putDownAt(at, free);
    else if (hand.carried || pressed.tray || !(looked || this.left(pressed, at)))
      this.presses.tap(pressed, at, free);
  }

  /** Return whether a drag without a piece has left the slot or place where it began. */
  left({ dragging, turns, piece, x, y }, at) {
    const meant = (point) =>
      this.presses.drops.at(point.x, point.y)?.name ?? this.hand.placeOf(point);
    return dragging && (turns || piece || meant(this.plate.toPlane(x, y)) !== meant(at));
  }

  cancel({ pointerId }) {
    const { pressed } = this;
    if (pointerId === this.second) this.second = null;
    if (pointerId !== pressed?.id) return;
    this.pressed = null;
    this.aim(null);
    if (pressed?.dragging) this.hand.putBack();
  }
}
