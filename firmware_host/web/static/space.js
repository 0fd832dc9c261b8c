// The plate and its pieces in three dimensions from any side. Pieces, wood and shadows are drawn
// over the page's flat plate, which keeps its felt, lights and names.
import { bodyOf, cellOf, MARK_COUNT, marksPicture, peg, pegOf, post, slab, troopOf,
  wall } from "/static/bodies.js";
import { formOf, looksOf } from "/static/marble.js";
import { dot, looking, minus, perspective, Solids, through, turned, unit } from "/static/solids.js";

const RADIUS = 14;
const HEIGHT = 15;
const TOUCHED_MM = 15; // Radius around a piece's centre in which a press takes it.
const SURFACE = 20; // Height of the plate's surface above its pivot.
const GROUND = -170;
const THICK = 12;
const SLOPE = 0.24; // Slope of the picture's upper edge as seen from the eye.
const ASIDE = 1.16; // Usual pitch of the view for flat boards, for high pieces, and from above.
const UPRIGHT = 0.95;
const ABOVE = 1.5;
const HIGH = 10; // Room in height for pieces, so that they are visible as a whole.
const TOWER = 50;
const AROUND = 5; // Margin around the frame.
const BESIDE = 21; // Margin for fingers that point at a slot.
const FULL_MT = 14;
const NOISE = 4; // Of 255.
const STILL_MS = 200;
const TILT_S = 0.05; // Time constant of the drawn tilt.
// Frames that take longer are drawn with fewer pixels.
const SLOW_MS = matchMedia("(pointer: coarse)").matches ? 36 : 24;
const COARSE = 0.7; // Below this share of the pixels everything is drawn more simply.
const COARSEST = 0.35;
const PEGS = [0.62, 0.6, 0.56];
const WOOD = [0.43, 0.27, 0.15];
const STEEL = [0.3, 0.3, 0.34];
const DARK = [0.17, 0.1, 0.03];
const LIGHT = unit([-0.6, -0.12, 0.78]);
const GLIDE_S = 0.1; // Time constant of pieces that glide, of which only the places are known.
const ARRIVED_MM = 0.3;
const COMES_FROM_MM = 70;
const FEW = 6; // If more pieces come together, the position has changed and nothing glides.
const still = matchMedia("(prefers-reduced-motion: reduce)");

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

/** Return a matrix for a style sheet: y points down, distances are multiplied by `scale` and
 * drawings by `size`, seen from `depth` before the screen. */
function css(m, scale, size = 1, depth = 0) {
  const more = size / scale;
  return String(new DOMMatrix().translate(0, 0, depth).scale(scale, -scale, scale).multiply(m)
    .scale(more, -more, more));
}

const upright = ({ x, y, z }) => [x, y, z + HEIGHT / 2, 1, 0, 0, 0];

const standsOn = ([x, y, z], [underX, underY, underZ]) => z - underZ > HEIGHT / 2
  && z - underZ < 1.5 * HEIGHT && Math.hypot(x - underX, y - underY) < RADIUS;

/** Return how far the centre of a ball is above that of the disc inside it, for any attitude: both
 * touch the same ground. */
function raised([, x, y]) {
  const up = 1 - 2 * (x * x + y * y);
  return RADIUS - RADIUS * Math.sqrt(Math.max(0, 1 - up * up)) - (HEIGHT / 2) * Math.abs(up);
}

export class Space {
  /** Called during a replay with its progress from 0 to 1, and at its end. */
  /** @type {((share: number) => void) | undefined} */ onReplay;
  /** @type {(() => void) | undefined} */ onReplayed;

  /** `pieces` are those that the page draws (pieces.js). Throws an Error if there is no WebGL 2. */
  constructor(store, plate, pieces, poses, canvas) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.pieces = pieces;
    this.poses = poses;
    this.canvas = canvas;
    this.zoom = 1;
    this.showsField = false;
    this.replay = null; // {clip, at, speed} during a replay.
    this.pace = 0; // Recent average time of a frame in ms.
    this.sharp = 1; // The fraction of the screen's pixels, each way, that this machine can draw.
    this.lean = [0, 0];
    this.names = new Map(); // Number -> piece, including removed ones, which a replay shows.
    this.furnish();
    this.face();
    // A phone drops the context of a page in the background.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.furnish();
      this.feel([]);
      this.wake();
    });
    pieces.onDrawn = () => this.wake();
    poses.listeners.push(() => this.wake());
    store.listen((_, changed) => this.update(changed));
    new ResizeObserver(() => this.wake()).observe(canvas);
    this.update(new Set(["layout"]));
  }

  /** Load everything that the graphics chip stores. */
  furnish() {
    this.solids = new Solids(this.canvas);
    this.solids.texture("marks", marksPicture());
    this.felt = null;
  }

  get shown() {
    return this.canvas.clientWidth > 0;
  }

  update(changed) {
    const { snapshot } = this.store;
    if (changed.has("layout") || changed.has("review")) this.feel([]);
    if (changed.has("camera")) this.face();
    const felt = this.showsField && changed.has("plate.sensors")
      && this.feel(snapshot.plate.sensors?.field_mt ?? []);
    if (["layout", "review", "plate.pieces", "plate.cells", "learning.attract"]
      .some((name) => changed.has(name)))
      for (const { number, piece } of this.store.pieces()) this.names.set(number, piece);
    // With poses the table itself reports the movement.
    const swung = this.plate.leans !== this.swungTo && !this.poses.newest;
    this.swungTo = this.plate.leans;
    if (felt || swung || ["layout", "review", "camera", "frame"].some((name) => changed.has(name)))
      this.wake();
  }

  /** True if the movement of pieces is unknown, so that they glide. */
  get gliding() {
    const { layout, review, snapshot } = this.store;
    return !layout.hands || review || snapshot.learning.attract;
  }

  /** Move the drawn pieces toward their places; new ones come from above. */
  glide(seconds) {
    const drawn = [...this.pieces.drawn.values()];
    // A new position does not glide.
    const another = drawn.filter(({ shown }) => !shown).length > FEW;
    const share = still.matches || another || !this.gliding ? 1 : 1 - Math.exp(-seconds / GLIDE_S);
    this.glides = false;
    for (const each of drawn) {
      const wanted = this.pieces.wanted.get(each.id);
      const from = each.shown ?? { ...wanted, z: wanted.z + COMES_FROM_MM };
      each.shown = Object.fromEntries(["x", "y", "z"]
        .map((axis) => [axis, from[axis] + (wanted[axis] - from[axis]) * share]));
      this.glides ||= Object.entries(each.shown)
        .some(([axis, at]) => Math.abs(wanted[axis] - at) > ARRIVED_MM);
    }
  }

  /** Load the field for the shader, with south in red and north in green. Returns whether it
   * changed by more than noise. */
  feel(field) {
    const { columns, rows, places } = this.store.layout;
    const bytes = new Uint8Array(4 * columns * rows);
    places.forEach((_, index) => {
      const share = Math.min(1, Math.abs(field[index] ?? 0) / FULL_MT);
      bytes[4 * index + (field[index] < 0 ? 1 : 0)] = 255 * share;
    });
    if (this.felt?.length === bytes.length
      && bytes.every((each, at) => Math.abs(each - this.felt[at]) <= NOISE)) return false;
    this.felt = bytes;
    this.solids.texture("field", { width: columns, height: rows, bytes });
    return true;
  }

  // Drawing

  wake() {
    this.wokenAt = performance.now();
    this.rests = false;
    if (this.asked || !this.shown) return;
    this.asked = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = null;
    if (!this.shown) return;
    const seconds = (now - (this.drawnAt ?? now)) / 1000;
    if (this.drawnAt !== undefined && !this.rests) this.keepPace(now - this.drawnAt);
    this.drawnAt = now;
    const state = this.state(seconds);
    if (state) this.draw(state);
    const moves = this.replay || this.swings || this.glides
      || this.poses.shown < (this.poses.newest?.t ?? 0) - 1e-4
      || now - this.wokenAt < STILL_MS;
    // At rest there is time for every pixel.
    const again = moves || (this.sharp < 1 && !this.rests);
    this.rests = !moves;
    if (!again) this.drawnAt = undefined;
    else if (!this.asked) this.asked = requestAnimationFrame((at) => this.frame(at));
  }

  /** Draw coarser on a machine without a graphics chip, so that it keeps up. */
  keepPace(ms) {
    this.pace += (Math.min(ms, 4 * SLOW_MS) - this.pace) * 0.2;
    if (this.pace < SLOW_MS || this.sharp <= COARSEST) return;
    this.sharp = Math.max(COARSEST, this.sharp * 0.8);
    this.pace = 0;
  }

  /** Return what is visible now: a replay, the table's poses, or what else is known. */
  state(seconds) {
    const { store, poses } = this;
    const { layout, review } = store;
    poses.advance(Math.min(0.1, seconds));
    if (this.replay) {
      const { clip, speed } = this.replay;
      this.replay.at += seconds * speed;
      this.onReplay?.((this.replay.at - clip.start) / (clip.end - clip.start));
      if (this.replay.at < clip.end) return this.recorded(poses.at(this.replay.at, clip.frames));
      this.replay = null;
      this.onReplayed?.();
    }
    this.swings = false;
    const live = layout.hands && poses.newest ? poses.at(poses.shown) : null;
    const pieces = new Map();
    this.glide(seconds);
    for (const { id, shown } of this.pieces.drawn.values()) {
      const { number, piece, role } = this.pieces.wanted.get(id);
      const told = review || this.pieces.overrides.has(id) ? null : live?.pieces.get(number);
      pieces.set(id, { number, piece, role, pose: told ?? upright(shown) });
    }
    return { attitude: live?.attitude ?? this.swing(seconds), pieces };
  }

  /** End the replay. */
  skip() {
    this.replay.at = this.replay.clip.end;
  }

  /** Add the wall and the pegs between sliding tiles. */
  addLanes(tilted) {
    const { lanes } = this.plate;
    if (!lanes) return;
    const { pegs, ...inside } = lanes;
    const one = this.solids.kind("peg", () => peg(pegOf(this.store.layout.pitch_mm)));
    for (const { x, y } of pegs) one.add(tilted.translate(x, y, SURFACE), PEGS, PEGS, -1, 0.3);
    this.solids.kind(`wall ${Object.values(inside)}`, () => wall(inside))
      .add(tilted.translate(0, 0, SURFACE), WOOD);
  }

  recorded({ attitude: angles, pieces }) {
    /** @type {Array<[string, any]>} */
    const named = [...pieces]
      .map(([number, pose]) =>
        [String(number), { number, piece: this.names.get(number) ?? "unknown", pose }]);
    return { attitude: angles, pieces: new Map(named) };
  }

  /** Return the drawn tilt in rad, which follows the sensor's without its noise and steps. */
  swing(seconds) {
    const { x = 0, y = 0 } = this.plate.leans ?? {};
    const share = Math.min(1, seconds / TILT_S);
    this.lean = [x, y].map((each, at) => this.lean[at] + (each - this.lean[at]) * share);
    this.swings = Math.abs(this.lean[0] - x) + Math.abs(this.lean[1] - y) > 0.02;
    return [...this.lean.map((degrees) => (degrees * Math.PI) / 180), 0];
  }

  lookOf(piece) {
    const { base, mark, shape } = looksOf(piece, this.store.game);
    return { form: troopOf(piece) ?? formOf(piece, this.store.game), base: rgb(base),
      ink: rgb(mark), cell: troopOf(piece) ? -1 : cellOf(shape) };
  }

  // The eye

  /** Turn to the side and height that the page's buttons say. */
  face() {
    this.yaw = (-Math.PI / 2) * (1 + this.plate.camera.turned);
    this.ownPitch = null;
    this.zoom = 1;
  }

  /** Pitch of the view in rad. */
  get pitch() {
    const usual = this.towers || this.store.game?.drawing ? UPRIGHT : ASIDE;
    return this.ownPitch ?? (this.plate.camera.above ? ABOVE : usual);
  }

  turnTo(yaw, pitch) {
    this.yaw = yaw;
    this.ownPitch = Math.max(0.12, Math.min(ABOVE, pitch));
    this.plate.camera.facing(Math.round(-yaw / (Math.PI / 2) - 1));
    this.wake();
  }

  /** True if pieces can be stacked. */
  get towers() {
    const { guidance, seats } = this.store.snapshot;
    return guidance.phase === "free" || Boolean(seats);
  }

  /** Return the eye, as near as the whole frame stays visible from its side. */
  look() {
    const { clientWidth, clientHeight } = this.canvas;
    const { west, south, east, north } = this.store.frame;
    const aspect = clientWidth / Math.max(1, clientHeight);
    const flat = Math.cos(this.pitch);
    const toEye = [Math.cos(this.yaw) * flat, Math.sin(this.yaw) * flat, Math.sin(this.pitch)];
    const axes = looking(toEye, [0, 0, 0]);
    const beside = this.store.game?.slots.length ? BESIDE : AROUND;
    const heights = [SURFACE - THICK, SURFACE + (this.towers ? TOWER : HIGH)];
    const corners = [west - beside, east + beside]
      .flatMap((x) => [south - AROUND, north + AROUND]
        .flatMap((y) => heights.map((z) => through(axes, [x, y, z], 0))));
    // Fit the corners between two edges of the picture, along that axis of the eye.
    const fit = (axis, slope) => {
      const [over, under] = [1, -1]
        .map((side) => Math.max(...corners.map((at) => side * at[axis] + slope * at[2])));
      return { middle: (over - under) / 2, away: (over + under) / 2 / slope };
    };
    const [across, up] = [fit(0, SLOPE * aspect), fit(1, SLOPE)];
    const middle = through(axes, [(west + east) / 2, (south + north) / 2, SURFACE], 0);
    const way = minus([across.middle, up.middle, Math.max(across.away, up.away)], middle)
      .map((each) => each / this.zoom);
    const from = through(axes.inverse(), middle.map((each, axis) => each + way[axis]), 0);
    const view = looking(from, minus(from, toEye));
    const focus = clientHeight / 2 / SLOPE;
    const away = way[2];
    return { from, view, aspect, focus, scale: focus / away,
      eye: perspective(SLOPE, aspect, away / 10, away * 4).multiply(view) };
  }

  draw(state) {
    const { layout } = this.store;
    this.solids.fit(matchMedia("(pointer: coarse)").matches ? 1.5 : 2,
      this.rests ? 1 : this.sharp, COARSE);
    const sight = this.look();
    const [a, b, c] = state.attitude.map((angle) => (angle * 180) / Math.PI);
    const tilted = new DOMMatrix().rotateAxisAngle(1, 0, 0, a).rotateAxisAngle(0, 1, 0, b)
      .rotateAxisAngle(0, 0, 1, c);
    this.shownState = { ...state, tilted };
    this.setUnder(sight, tilted);
    const { frame } = this.store;
    const slabOf = (faces) =>
      this.solids.kind(`${faces} ${Object.values(frame)}`,
        () => slab(frame, SURFACE - THICK, SURFACE, faces), faces === "top");
    this.solids.kind("foot", () => post(60, 14))
      .add(new DOMMatrix().translate(0, 0, GROUND + 7), STEEL, STEEL, -1, 0.4);
    this.solids.kind("post", () => post(9, 110, 12))
      .add(new DOMMatrix().translate(0, 0, GROUND / 2 - 6), STEEL, STEEL, -1, 0.5);
    for (const faces of ["others", "top"]) slabOf(faces).add(tilted, WOOD);
    this.addLanes(tilted);
    const poses = [...state.pieces.values()].map(({ pose }) => pose);
    for (const { piece, role, pose } of state.pieces.values()) {
      const { form, base, ink, cell } = this.lookOf(piece);
      const sign = role ? cellOf(role) : -1;
      const shape = form === "ball" && poses.some((other) => standsOn(other, pose))
        ? "under" : form;
      const [x, y, z, ...turn] = pose;
      const place = tilted.translate(x, y, z + SURFACE + (shape === "ball" ? raised(turn) : 0))
        .multiply(turned(...turn));
      this.solids.kind(shape, () => bodyOf(shape))
        .add(place, base, sign < 0 ? ink : DARK, sign < 0 ? cell : sign, 0.45);
    }
    this.solids.draw({
      eye: sight.eye, from: sight.from, light: LIGHT, reach: layout.plate_mm * 0.75,
      grid: [layout.columns, layout.rows],
      pitch: layout.pitch_mm, seen: this.showsField ? 1 : 0, count: MARK_COUNT,
    });
  }

  /** Place the page's own plate exactly under what is drawn here. */
  setUnder({ view, focus, scale }, tilted) {
    const { scene, tiltBox } = this.plate;
    // The plate is drawn larger and scaled down, because a layer in perspective is too coarse at
    // its own size.
    const coarse = this.sharp < COARSE;
    const { west, south, east, north } = this.store.frame;
    const finer = coarse ? 1 : 2;
    const u = `${(scale * finer).toFixed(4)}px`;
    const placed = [u, focus, css(view, scale, 1 / finer, focus),
      css(tilted.translate((west + east) / 2, (south + north) / 2, SURFACE), scale * finer)];
    if (this.placed?.every((each, at) => each === placed[at])) return;
    if (u !== this.placed?.[0] || focus !== this.placed?.[1]) {
      scene.style.setProperty("--u", u);
      scene.style.perspective = `${focus}px`;
      scene.classList.toggle("coarse", coarse);
    }
    this.placed = placed;
    [, , scene.firstChild.style.transform, tiltBox.style.transform] = placed;
  }

  /** Make the page's plate flat again. */
  leave() {
    const { scene, tiltBox } = this.plate;
    scene.style.removeProperty("--u");
    scene.style.perspective = "";
    for (const each of [scene.firstChild, tiltBox]) each.style.transform = "";
    this.placed = null;
  }

  // What is under the pointer

  /** Return the ray through a point of the screen, in the plate's axes with its surface at z = 0.
   * */
  ray(clientX, clientY) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const { from, view, aspect } = this.look();
    const right = (((clientX - left) / width) * 2 - 1) * SLOPE * aspect;
    const up = (1 - ((clientY - top) / height) * 2) * SLOPE;
    const way = unit(through(view.inverse(), [right, up, -1], 0));
    const level = (this.shownState?.tilted ?? new DOMMatrix()).inverse();
    return { from: minus(through(level, from), [0, 0, SURFACE]), way: through(level, way, 0) };
  }

  /** Return where a ray meets the height `z` over the plate, or null if that is behind the eye. */
  meets({ from, way }, z) {
    const far = (z - from[2]) / way[2];
    return far > 0 && Number.isFinite(far)
      ? { x: from[0] + way[0] * far, y: from[1] + way[1] * far } : null;
  }

  /** Return the nearest piece under a point of the screen as {id, number, pose}, or null. */
  pick(clientX, clientY) {
    const { from, way } = this.ray(clientX, clientY);
    let found = null;
    for (const [id, { number, pose }] of this.shownState?.pieces ?? []) {
      const away = minus(pose.slice(0, 3), from);
      const along = dot(away, way);
      const within = TOUCHED_MM ** 2 - dot(away, away) + along * along;
      const far = along - Math.sqrt(Math.max(0, within));
      if (along > 0 && within > 0 && (!found || far < found.far)) found = { id, number, pose, far };
    }
    return found;
  }
}
