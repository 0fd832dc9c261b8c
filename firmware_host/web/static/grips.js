// Hands in three dimensions: each finger or mouse button tilts the plate, turns the view or, where
// pieces move freely, carries a piece. Presses in a game are in pointer.js and press.js.

import { paced } from "/static/page.js";

const SEND_MS = 45;
const OVER_MM = 10; // Clearance between a carried piece and whatever is below.
const LOWEST_MM = 24;
const REACH_MM = 48; // The hand rises when it comes nearer than this to a piece.
const DEGREES_A_PIXEL = 0.19;
const KEY_DEG = 2;
const HEIGHT = 15;
const DRAG_PX = 6;
const RIM = 0.88; // Fraction of half the plate from which outwards a hand spins the plate.
const SEEN_WITHIN_MS = 10_000; // Time limit for a new piece to appear on a slow network.
const ABOVE_FINGER_PX = 46; // The piece is drawn above the finger, which would cover it.

export class Grips {
  constructor(store, space, poses, stage, { ask, complain, tilting }) {
    /** @type {Store} */ this.store = store;
    this.space = space;
    this.poses = poses;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.tilting = tilting;
    this.pushes = false;
    this.sticks = false; // True if pieces are held between two chopsticks.
    this.fingers = new Map(); // Pointer id -> its current action.
    const { canvas } = space;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("wheel", (event) => space.shown && this.wheel(event),
      { passive: false });
    canvas.addEventListener("keydown", (event) => {
      event.stopPropagation(); // The stage would move its focus over the places.
      tilting.key(event, KEY_DEG);
    });
    // The playground takes arrow keys wherever the focus is.
    addEventListener("keydown", (event) => {
      const free = store.snapshot?.guidance.phase === "free" && space.shown
        && !event.defaultPrevented;
      /** @type {any} */ const { target } = event;
      if (free && !target.closest("dialog, select, [type=range], [role=tab]"))
        tilting.key(event, KEY_DEG);
    });
    addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"])
      addEventListener(end, (event) => this.up(event));
  }

  say(message) {
    return this.ask(message).catch((error) => error.message && this.complain(error.message));
  }

  down(event) {
    const { canvas, replay } = this.space;
    if (replay) this.space.skip();
    if (replay || this.fingers.has(event.pointerId)) return;
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const looks = event.button !== 0 || event.shiftKey;
    const piece = !looks && this.store.handsFree
      ? this.space.pick(event.clientX, event.clientY) : null;
    if (piece) this.grab(event.pointerId, piece, this.space.ray(event.clientX, event.clientY));
    else this.hold(event, looks);
  }

  /** Start to tilt the plate at that point, or to turn the view if the press misses the plate. */
  hold({ pointerId, clientX, clientY }, looks = !this.store.handsFree) {
    const start = { x: clientX, y: clientY };
    const on = this.space.meets(this.space.ray(clientX, clientY), 0);
    const takes = !looks && on && this.store.onPlate(on.x, on.y);
    const rim = this.store.layout.spins && on
      && Math.max(Math.abs(on.x), Math.abs(on.y)) > (RIM * this.store.layout.plate_mm) / 2;
    if (takes && rim) this.fingers.set(pointerId, this.spinning(this.bearing(clientX, clientY)));
    else this.fingers.set(pointerId,
      takes ? { does: "tilt", start, from: this.tilting.at }
        : { does: "look", start, yaw: this.space.yaw, pitch: this.space.pitch });
  }

  grab(pointer, { number: id, pose }, ray) {
    const [x, y, z] = pose;
    const at = this.space.meets(ray, z) ?? { x, y };
    this.poses.heldId = id;
    const low = this.pushes ? 0 : Math.max(0, z - HEIGHT / 2);
    this.take(pointer, { id, plane: z, off: { x: x - at.x, y: y - at.y }, at: [x, y, low] }, id);
  }

  /** Take a piece into a hand that then carries it; call `then()` when the hand has it. */
  take(pointer, held, what, then = null) {
    const finger = { does: "carry", ...held };
    this.fingers.set(pointer, finger);
    finger.send = paced(SEND_MS, () => {
      if (finger.id === null || finger.over) return;
      /** @type {Wire.Carry} */
      const carried = { type: "carry", piece: finger.id, at_mm: finger.at };
      // A refusal means that the piece has slipped out of the chopsticks.
      if (this.sticks) this.ask(carried).catch(() => this.letGo(finger));
      else this.say(carried);
    });
    finger.ready = this.ask({ type: "grab", what, at_mm: finger.at, sticks: this.sticks })
      .then(() => then?.(finger));
    finger.ready.catch((error) => {
      this.fingers.delete(pointer);
      this.complain(error.message);
    });
  }

  /** Prepare to take a piece that is dragged out of its tray into the hand. */
  offer(event, piece) {
    this.justDragged = false;
    if (event.button !== 0 || !this.store.handsFree || !this.space.shown) return;
    this.fingers.set(event.pointerId,
      { does: "take", piece, start: { x: event.clientX, y: event.clientY },
        above: event.pointerType === "touch" ? ABOVE_FINGER_PX : 0 });
  }

  move(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    const { clientX, clientY } = event;
    if (finger.does === "carry") this.carry(finger, clientX, clientY - (finger.above ?? 0));
    else if (finger.does === "take") this.takeOut(event.pointerId, finger, clientX, clientY);
    else if (finger.does === "spin") this.spin(finger, clientX, clientY);
    else {
      const [dx, dy] = [clientX - finger.start.x, clientY - finger.start.y];
      if (finger.does === "look")
        this.space.turnTo(finger.yaw - dx * 0.008, finger.pitch + dy * 0.006);
      else this.lean(finger.from, dx, dy);
    }
  }

  takeOut(pointer, { piece, start, above }, clientX, clientY) {
    if (Math.hypot(clientX - start.x, clientY - start.y) < DRAG_PX) return;
    this.justDragged = true;
    const over = document.elementFromPoint(clientX, clientY) === this.space.canvas;
    const at = over && this.space.meets(this.space.ray(clientX, clientY - above), LOWEST_MM);
    if (!at) return;
    const known = new Set(this.store.pieces().map(({ number }) => number));
    this.take(pointer, { id: null, above, plane: LOWEST_MM, off: { x: 0, y: 0 },
      at: [at.x, at.y, LOWEST_MM] }, piece, async (finger) => {
      const fresh = () => this.store.pieces()
        .find((one) => one.piece === piece && !known.has(one.number));
      finger.id = (await this.store.until(fresh, SEEN_WITHIN_MS))?.number ?? null;
      finger.send(); // The pointer may have moved since.
    });
  }

  /** Carry the piece over whatever is below, or push it along the plate. */
  carry(finger, clientX, clientY) {
    if (finger.over) return;
    const at = this.space.meets(this.space.ray(clientX, clientY), finger.plane);
    if (!at) return;
    const half = this.store.layout.plate_mm / 2 + 40;
    const [x, y] = [at.x + finger.off.x, at.y + finger.off.y]
      .map((each) => Math.max(-half, Math.min(half, each)));
    finger.at = [x, y, this.pushes ? 0 : this.height(finger.id, x, y) + (finger.raised ?? 0)];
    finger.send();
  }

  height(id, x, y) {
    let top = LOWEST_MM;
    for (const [number, pose] of this.poses.newest?.pieces ?? [])
      if (number !== id && Math.hypot(pose[0] - x, pose[1] - y) < REACH_MM)
        top = Math.max(top, pose[2] + HEIGHT / 2 + OVER_MM);
    return top;
  }

  up(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    this.fingers.delete(event.pointerId);
    if (finger.does === "carry") this.letGo(finger);
    else if (finger.does === "tilt") this.tilting.letGo();
  }

  letGo(finger) {
    if (finger.over) return;
    finger.over = true;
    const say = (message) => (this.sticks ? this.ask(message).catch(() => {}) : this.say(message));
    finger.ready.then(async () => {
      await say({ type: "carry", piece: finger.id, at_mm: finger.at });
      this.poses.heldId = null;
      await say({ type: "let-go", piece: finger.id });
    }, () => {});
  }

  wheel(event) {
    event.preventDefault();
    const carrying = [...this.fingers.values()].find(({ does }) => does === "carry");
    if (carrying) {
      carrying.raised = Math.max(0, Math.min(150, (carrying.raised ?? 0) - event.deltaY / 8));
      this.carry(carrying, event.clientX, event.clientY);
      return;
    }
    this.space.zoom = Math.max(0.5, Math.min(3, this.space.zoom * 1.0015 ** -event.deltaY));
    this.space.wake();
  }

  // Tilting and turning the plate

  /** Tilt the plate: the side toward which the pointer is dragged goes down. */
  lean(from, dx, dy) {
    const { yaw } = this.space;
    const east = -Math.sin(yaw) * dx + Math.cos(yaw) * dy;
    const north = Math.cos(yaw) * dx + Math.sin(yaw) * dy;
    this.tilting.set(from.x - north * DEGREES_A_PIXEL, from.y + east * DEGREES_A_PIXEL);
  }

  /** Return the direction from the plate's centre, in turns, relative to the plate itself. */
  bearing(clientX, clientY) {
    const on = this.space.meets(this.space.ray(clientX, clientY), 0);
    return on
      && (Math.atan2(on.y, on.x) + (this.space.shownState?.attitude[2] ?? 0)) / (2 * Math.PI);
  }

  spinning(at) {
    const finger = { does: "spin", at, turns: 0 };
    finger.send = paced(SEND_MS * 2, () => {
      this.say({ type: "spin-plate", turns: finger.turns });
      finger.turns = 0;
    });
    return finger;
  }

  /** Turn the plate with the finger. */
  spin(finger, clientX, clientY) {
    const at = this.bearing(clientX, clientY);
    if (at === null) return;
    const by = at - finger.at;
    finger.turns += by - Math.round(by);
    finger.at = at;
    finger.send();
  }
}
