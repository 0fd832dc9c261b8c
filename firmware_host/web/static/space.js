// The plate and its pieces in three dimensions, from wherever one looks: pieces, wood and shadows are drawn over the
// page's own flat plate, which keeps its felt, its lights and its names.
import { BODIES, bodyOf, cellOf, MARK_COUNT, marksPicture, peg, pegOf, post, shadeOf, slab, WALL } from "/static/bodies.js";
import { formOf, looksOf } from "/static/marble.js";
import { after, attitude, back, looking, minus, moved, perspective, through, times, turned, unit } from "/static/matrices.js";
import { Solids } from "/static/solids.js";

const RADIUS = 14;
const HEIGHT = 15;
const SURFACE = 20; // of the plate above its pivot
const GROUND = -120;
const THICK = 12;
const ANGLE = 0.62; // of view, up and down
const ASIDE = 0.72; // how far down one looks, in a narrow window, and from above
const NARROWLY = 0.95;
const ABOVE = 1.5;
const AWAY = 1.6; // of the eye, times the width that is seen
const SQUARE = 1.2; // a window not so wide is looked at from farther away
const LOOKED_AT = [0, 0, -12];
const FULL_MT = 14;
const NOISE = 4; // of 255
const STILL_MS = 200;
const NARROW_PX = 500; // a narrower window shows the board alone, from higher up
const TILT_S = 0.05; // in which the drawn tilt follows the sensor's
const SLOW_MS = matchMedia("(pointer: coarse)").matches ? 36 : 24; // a frame that takes longer is drawn with fewer pixels
const COARSE = 0.7; // with a smaller share of the pixels all is drawn more simply
const COARSEST = 0.35;
const PEGS = [0.62, 0.6, 0.56];
const WOOD = [0.43, 0.27, 0.15];
const STEEL = [0.3, 0.3, 0.34];
const DARK = [0.17, 0.1, 0.03];
const LIGHT = unit([-0.6, -0.12, 0.78]);
const LEVEL = [1, 0, 0, 0];
const QUARTER = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

/** As a style sheet has it: y down, ways times `scale`, what is drawn times `size`, seen from `depth` before the screen. */
function css(m, scale, size = 1, depth = 0) {
  const turn = [m[0], -m[1], m[2], 0, -m[4], m[5], -m[6], 0, m[8], -m[9], m[10], 0].map((each) => each * size);
  const all = [...turn, scale * m[12], -scale * m[13], scale * m[14] + depth, 1];
  return `matrix3d(${all.map((each) => each.toFixed(5)).join()})`;
}

export class Space {
  /** `pieces`: what the page draws of them (pieces.js). Throws where there is no WebGL 2. */
  constructor(store, plate, pieces, poses, canvas) {
    Object.assign(this, { store, plate, pieces, poses, canvas });
    this.glides = new Glides();
    this.zoom = 1;
    this.showsField = false;
    this.replay = null; // {clip, at, speed} while one is shown
    this.pace = 0; // ms a frame, lately
    this.sharp = 1; // the share of the screen's pixels, each way, that this machine can draw
    this.lean = [0, 0];
    this.looks = new Map();
    this.names = new Map(); // number -> piece, also of those that are gone: a replay shows them
    this.furnish();
    this.face();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault()); // a phone put it aside
    canvas.addEventListener("webglcontextrestored", () => {
      this.furnish();
      this.build();
      this.wake();
    });
    pieces.onDrawn = () => this.wake();
    poses.listeners.push(() => this.wake());
    store.listen((_, changed) => this.update(changed));
    new ResizeObserver(() => this.wake()).observe(canvas);
    this.update(new Set(["layout"]));
  }

  /** Everything that the graphics chip keeps. */
  furnish() {
    this.solids = new Solids(this.canvas);
    this.bodies = new Map(BODIES.map((form) => [form, this.solids.kind(bodyOf(form), { shade: shadeOf(form) })]));
    this.foot = this.solids.kind(post(60, 14));
    this.post = this.solids.kind(post(9, 110, 12));
    this.peg = this.solids.kind(peg(pegOf(this.store.layout?.pitch_mm ?? 35)));
    this.beams = new Map(); // half its length -> a wall
    this.solids.texture("marks", marksPicture());
    this.half = null;
    this.felt = null;
  }

  get shown() {
    return this.canvas.clientWidth > 0;
  }

  update(changed) {
    const { layout, snapshot } = this.store;
    if (!layout || !snapshot) return;
    if (changed.has("layout") || changed.has("review")) this.build();
    if (changed.has("camera")) this.face();
    const felt = this.showsField && changed.has("sensors") && this.feel(snapshot.sensors?.field_mt ?? []);
    if (["layout", "review", "pieces", "cells", "attract"].some((name) => changed.has(name))) this.follow();
    if (changed.has("shifts")) this.leaving = new Set(snapshot.shifts.filter(({ target }) => target === null).map(({ source }) => source));
    const swung = this.plate.leans !== this.swungTo && !this.poses.newest; // else it is told how it moves
    this.swungTo = this.plate.leans;
    if (felt || swung || ["layout", "review", "camera"].some((name) => changed.has(name))) this.wake();
  }

  build() {
    const half = this.store.layout.plate_mm / 2;
    if (half !== this.half) {
      this.half = half;
      this.board = this.solids.kind(slab(half, SURFACE - THICK, SURFACE));
      this.top = this.solids.kind(slab(half, 0, SURFACE, true), { casts: false, through: true });
    }
    this.looks.clear();
    this.feel([]);
  }

  /** What came, went or moved without anybody telling how. */
  follow() {
    const { store } = this;
    const { layout, review, game } = store;
    for (const { number, piece } of store.pieces()) this.names.set(number, piece);
    if (layout.hands && !review && !store.snapshot.attract) {
      this.glides.standing = [];
      return;
    }
    const hole = game?.drawing?.hole;
    const middle = hole && { x: (hole[0] - (layout.columns - 1) / 2) * layout.pitch_mm, y: (hole[1] - (layout.rows - 1) / 2) * layout.pitch_mm };
    const falls = ({ id, piece }) => review || this.leaving?.has(id.slice(0, -piece.length - 1));
    this.glides.take(store.pieces(), (each) => (falls(each) ? middle ?? Glides.overEdge(each, this.half) : null));
    this.wake();
  }

  /** South in red, north in green of the picture, as the shader reads it. Whether it is more than noise. */
  feel(field) {
    const { columns, rows, places } = this.store.layout;
    const bytes = new Uint8Array(4 * columns * rows);
    places.forEach((_, index) => {
      const share = Math.min(1, Math.abs(field[index] ?? 0) / FULL_MT);
      bytes[4 * index + (field[index] < 0 ? 1 : 0)] = 255 * share;
    });
    if (this.felt?.length === bytes.length && bytes.every((each, at) => Math.abs(each - this.felt[at]) <= NOISE)) return false;
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
    if (state && this.board) this.draw(state);
    const moves = this.replay || this.swings || this.glides.going.size || this.poses.shown < (this.poses.newest?.t ?? 0) - 1e-4
      || now - this.wokenAt < STILL_MS;
    const again = moves || (this.sharp < 1 && !this.rests); // at rest there is time for every pixel
    this.rests = !moves;
    if (!again) this.drawnAt = undefined;
    else if (!this.asked) this.asked = requestAnimationFrame((at) => this.frame(at));
  }

  /** A machine without a graphics chip draws coarser, and so keeps up. */
  keepPace(ms) {
    this.pace += (Math.min(ms, 4 * SLOW_MS) - this.pace) * 0.2;
    if (this.pace < SLOW_MS || this.sharp <= COARSEST) return;
    this.sharp = Math.max(COARSEST, this.sharp * 0.8);
    this.pace = 0;
  }

  /** What is to be seen now: a replay, the table as it moves, or what is known where it tells no more. */
  state(seconds) {
    const { store, poses } = this;
    const { layout, snapshot, review } = store;
    poses.advance(Math.min(0.1, seconds));
    if (this.replay) {
      const { clip, speed } = this.replay;
      this.replay.at += seconds * speed;
      this.onReplay?.((this.replay.at - clip.start) / (clip.end - clip.start));
      if (this.replay.at < clip.end) return this.recorded(poses.at(this.replay.at, clip.frames));
      this.replay = null;
      this.onReplayed?.();
    }
    if (!snapshot) return null;
    this.swings = false;
    const live = layout.hands && poses.newest ? poses.at(poses.shown) : null;
    const going = this.glides.now();
    const pieces = new Map();
    for (const [id, { number, piece, role, x, y, z }] of this.pieces.wanted) {
      const glides = going.get(id);
      const told = review || this.pieces.overrides.has(id) ? null : live?.pieces.get(number);
      const pose = told ?? this.upright(glides ?? { x, y, z });
      pieces.set(id, { number, piece, role, pose });
      going.delete(id);
    }
    for (const [id, each] of going) pieces.set(id, { piece: each.piece, pose: this.upright(each) });
    return { attitude: live?.attitude ?? this.swing(seconds), pieces };
  }

  /** Somebody has seen enough of the replay. */
  skip() {
    this.replay.at = this.replay.clip.end;
  }

  /** Between tiles that slide. */
  addLanes(tilted, tilt) {
    const { lanes } = this.plate;
    if (!lanes) return;
    const { pegs, west, east, south, north } = lanes;
    for (const { x, y } of pegs) this.peg.add(through(tilted, [x, y, SURFACE]), tilt, PEGS, PEGS, -1, 0.3);
    const [middleX, middleY, out] = [(west + east) / 2, (south + north) / 2, WALL.thick / 2];
    const beam = (long, at, turn) => {
      const half = long / 2 + WALL.thick;
      if (!this.beams.has(half)) this.beams.set(half, this.solids.kind(slab(half, 0, WALL.high, false, out)));
      this.beams.get(half).add(through(tilted, [...at, SURFACE]), after(tilt, turn), WOOD);
    };
    for (const y of [south - out, north + out]) beam(east - west, [middleX, y], LEVEL);
    for (const x of [west - out, east + out]) beam(north - south, [x, middleY], QUARTER);
  }

  upright({ x, y, z, turn = LEVEL }) {
    return [x, y, z + HEIGHT / 2, ...turn];
  }

  recorded({ attitude: angles, pieces }) {
    const named = [...pieces].map(([number, pose]) => [String(number), { number, piece: this.names.get(number) ?? "unknown", pose }]);
    return { attitude: angles, pieces: new Map(named) };
  }

  /** The tilt that the sensor tells, without its noise and its steps. */
  swing(seconds) {
    const { x = 0, y = 0 } = this.plate.leans ?? {};
    const share = Math.min(1, seconds / TILT_S);
    this.lean = [x, y].map((each, at) => this.lean[at] + (each - this.lean[at]) * share);
    this.swings = Math.abs(this.lean[0] - x) + Math.abs(this.lean[1] - y) > 0.02;
    return [...this.lean.map((degrees) => (degrees * Math.PI) / 180), 0];
  }

  lookOf(piece) {
    if (!this.looks.has(piece)) {
      const { base, mark, shape } = looksOf(piece, this.store.game);
      const troop = this.bodies.get(`troop-${piece.split("-")[1]}`);
      this.looks.set(piece, {
        body: troop ?? this.bodies.get(formOf(piece, this.store.game)), base: rgb(base), ink: rgb(mark), cell: troop ? -1 : cellOf(shape),
      });
    }
    return this.looks.get(piece);
  }

  // The eye

  /** From the side and the height that the page's buttons say. */
  face() {
    this.yaw = (-Math.PI / 2) * (1 + this.plate.camera.turned);
    this.ownPitch = null;
    this.zoom = 1;
  }

  /** How far down one looks. */
  get pitch() {
    const usual = this.canvas.clientWidth < NARROW_PX ? NARROWLY : ASIDE;
    return this.ownPitch ?? (this.plate.camera.above ? ABOVE : usual);
  }

  turnTo(yaw, pitch) {
    this.yaw = yaw;
    this.ownPitch = Math.max(0.12, Math.min(ABOVE, pitch));
    this.plate.camera.facing(Math.round(-yaw / (Math.PI / 2) - 1));
    this.wake();
  }

  /** The eye goes round the middle of what is played on; farther where the window is narrow. */
  look() {
    const { clientWidth, clientHeight } = this.canvas;
    const { camera } = this.plate;
    const { west, south, east, north } = clientWidth < NARROW_PX ? camera.looked() : camera.plate();
    const aspect = clientWidth / Math.max(1, clientHeight);
    const away = (Math.max(east - west, north - south) * AWAY * Math.max(1, SQUARE / aspect)) / this.zoom;
    const flat = Math.cos(this.pitch) * away;
    const at = [(west + east) / 2, (south + north) / 2, 0].map((each, axis) => each + LOOKED_AT[axis]);
    const from = [at[0] + Math.cos(this.yaw) * flat, at[1] + Math.sin(this.yaw) * flat, at[2] + Math.sin(this.pitch) * away];
    const view = looking(from, at);
    const focus = clientHeight / 2 / Math.tan(ANGLE / 2);
    return { from, view, aspect, focus, scale: focus / away, eye: times(perspective(ANGLE, aspect, away / 10, away * 4), view) };
  }

  draw(state) {
    const { layout } = this.store;
    this.solids.fit(matchMedia("(pointer: coarse)").matches ? 1.5 : 2, this.rests ? 1 : this.sharp, COARSE);
    const sight = this.look();
    const tilt = attitude(state.attitude);
    const tilted = turned(...tilt);
    this.shownState = { ...state, tilted };
    this.setUnder(sight, tilted);
    this.foot.add([0, 0, GROUND + 7], LEVEL, STEEL, STEEL, -1, 0.4);
    this.post.add([0, 0, GROUND / 2 - 6], LEVEL, STEEL, STEEL, -1, 0.5);
    this.board.add([0, 0, 0], tilt, WOOD);
    this.top.add([0, 0, 0], tilt, WOOD);
    this.addLanes(tilted, tilt);
    for (const { piece, role, pose: [x, y, z, ...turn] } of state.pieces.values()) {
      const { body, base, ink, cell } = this.lookOf(piece);
      const sign = role ? cellOf(role) : -1;
      body.add(through(tilted, [x, y, z + SURFACE]), after(tilt, turn), base, sign < 0 ? ink : DARK, sign < 0 ? cell : sign, 0.45);
    }
    this.solids.draw({
      eye: sight.eye, from: sight.from, light: LIGHT, reach: layout.plate_mm * 0.75, grid: [layout.columns, layout.rows],
      pitch: layout.pitch_mm, seen: this.showsField ? 1 : 0, count: MARK_COUNT,
    });
  }

  /** The page's own plate, exactly under what is drawn here. */
  setUnder({ view, focus, scale }, tilted) {
    const { scene, tiltBox } = this.plate;
    // drawn larger than it is seen: a layer in perspective is drawn at its own size, which is too coarse
    const coarse = this.sharp < COARSE;
    const finer = coarse ? 1 : 2;
    const u = `${(scale * finer).toFixed(4)}px`;
    const placed = [u, focus, css(view, scale, 1 / finer, focus), css(times(tilted, moved(0, 0, SURFACE)), scale * finer)];
    if (this.placed?.every((each, at) => each === placed[at])) return;
    if (u !== this.placed?.[0] || focus !== this.placed?.[1]) {
      scene.style.setProperty("--u", u);
      scene.style.perspective = `${focus}px`;
      scene.classList.toggle("coarse", coarse);
    }
    this.placed = placed;
    [, , scene.firstChild.style.transform, tiltBox.style.transform] = placed;
  }

  /** The plate of the page is flat again. */
  leave() {
    const { scene, tiltBox } = this.plate;
    scene.style.removeProperty("--u");
    scene.style.perspective = "";
    for (const each of [scene.firstChild, tiltBox]) each.style.transform = "";
    this.placed = null;
  }

  // What is under the mouse

  /** The ray through a point of the screen, in the plate's own axes with its surface at z = 0. */
  ray(clientX, clientY) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const { from, view, aspect } = this.look();
    const tall = Math.tan(ANGLE / 2);
    const right = (((clientX - left) / width) * 2 - 1) * tall * aspect;
    const up = (1 - ((clientY - top) / height) * 2) * tall;
    const way = unit(back(view, [right, up, -1], 0));
    const tilted = this.shownState?.tilted ?? moved(0, 0, 0);
    return { from: minus(back(tilted, from), [0, 0, SURFACE]), way: back(tilted, way, 0) };
  }

  /** Where a ray meets the height `z` over the plate; null: nowhere before the eye. */
  meets({ from, way }, z) {
    const far = (z - from[2]) / way[2];
    return far > 0 && Number.isFinite(far) ? { x: from[0] + way[0] * far, y: from[1] + way[1] * far } : null;
  }

  /** Whether that point of the plate's plane is on the plate. */
  onPlate(at) {
    return Boolean(at) && Math.max(Math.abs(at.x), Math.abs(at.y)) < this.half;
  }

  /** The nearest piece under a point of the screen: {id, number, pose}, or null. */
  pick(clientX, clientY) {
    const { from, way } = this.ray(clientX, clientY);
    let found = null;
    for (const [id, { number, pose }] of this.shownState?.pieces ?? []) {
      const model = times(moved(...pose.slice(0, 3)), turned(...pose.slice(3)));
      const far = hit(back(model, from), back(model, way, 0));
      if (far !== null && (!found || far < found.far)) found = { id, number, pose, far };
    }
    return found;
  }
}

/** How far along a ray a disc about z is met; null: not at all. */
function hit(from, way) {
  const far = [];
  for (const end of [-HEIGHT / 2, HEIGHT / 2]) {
    const t = (end - from[2]) / way[2];
    if (Math.hypot(from[0] + way[0] * t, from[1] + way[1] * t) <= RADIUS) far.push(t);
  }
  const a = way[0] ** 2 + way[1] ** 2;
  const b = from[0] * way[0] + from[1] * way[1];
  const root = b * b - a * (from[0] ** 2 + from[1] ** 2 - RADIUS ** 2);
  if (a > 0 && root >= 0) {
    const t = (-b - Math.sqrt(root)) / a;
    if (Math.abs(from[2] + way[2] * t) <= HEIGHT / 2) far.push(t);
  }
  const before = far.filter((t) => t > 0);
  return before.length ? Math.min(...before) : null;
}

// Pieces of which only places are known, without how they got there: the way from the one to the next.
const SPEED_MM_S = 380;
const LEAST_S = 0.25;
const COMES_FROM_MM = 70;
const FALLS_MM = 130;
const BEYOND_MM = 30;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Glides {
  constructor() {
    this.standing = [];
    this.going = new Map(); // id -> {piece, from, to, since, seconds, leaves}
  }

  /** `pieces`: what stands there now, [{id, piece, x, y}]. `exit({id, x, y})`: the point where what is gone has fallen
   * off or in, null where a hand has lifted it. */
  take(pieces, exit) {
    const before = new Map(this.standing.map((each) => [each.id, each]));
    const after = new Set(pieces.map(({ id }) => id));
    const gone = this.standing.filter(({ id }) => !after.has(id));
    const come = pieces.filter(({ id }) => !before.has(id));
    const known = this.standing.length > 0;
    this.standing = pieces;
    if (!known || still.matches || gone.length + come.length > 12) return; // another position altogether
    for (const each of come) {
      const sources = gone.filter(({ piece }) => piece === each.piece);
      const away = ({ x, y }) => Math.hypot(x - each.x, y - each.y);
      const [source] = sources.sort((one, other) => away(one) - away(other));
      if (source) gone.splice(gone.indexOf(source), 1);
      this.go(each, source ?? { ...each, z: COMES_FROM_MM }, each);
    }
    for (const each of gone) this.go(each, each, exit(each), true);
  }

  go({ id, piece }, from, to, leaves = false) {
    const apart = to ? Math.hypot(to.x - from.x, to.y - from.y) : 0;
    const seconds = LEAST_S + apart / SPEED_MM_S + (leaves ? 0.3 : 0);
    this.going.set(id, { piece, from, to, leaves, seconds, since: performance.now() / 1000 });
  }

  /** Where each piece that is on its way is now: id -> {piece, x, y, z, turn}; those that have arrived are forgotten. */
  now() {
    const found = new Map();
    for (const [id, { piece, from, to, leaves, seconds, since }] of this.going) {
      const share = (performance.now() / 1000 - since) / seconds;
      if (share >= 1) {
        this.going.delete(id);
        continue;
      }
      const end = to ?? from;
      const along = leaves ? Math.min(1, share * 1.6) : share * (2 - share);
      const sinks = leaves && to ? Math.max(0, share - 0.5) * 2 : 0;
      const z = !to ? COMES_FROM_MM * share : (from.z ?? 0) * (1 - share ** 2) - FALLS_MM * sinks ** 2;
      const way = Math.hypot(end.x - from.x, end.y - from.y) || 1;
      const lean = sinks * 0.8;
      const turn = [Math.cos(lean), (-Math.sin(lean) * (end.y - from.y)) / way, (Math.sin(lean) * (end.x - from.x)) / way, 0];
      found.set(id, { piece, x: from.x + (end.x - from.x) * along, y: from.y + (end.y - from.y) * along, z, turn });
    }
    return found;
  }

  /** Over the nearest edge of a plate whose half is that wide. */
  static overEdge({ x, y }, half) {
    const out = half + BEYOND_MM;
    return Math.abs(x) > Math.abs(y) ? { x: Math.sign(x) * out, y } : { x, y: Math.sign(y) * out };
  }
}
