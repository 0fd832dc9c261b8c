// The plate and its pieces in three dimensions, from wherever one looks.

import { looksOf } from "/static/marble.js";
import {
  Solids, attitude, back, box, disc, dot, looking, minus, moved, perspective, through, times, turned, unit,
} from "/static/solids.js";

const RADIUS = 14;
const HEIGHT = 15;
const SURFACE = 20; // of the plate above its pivot
const GROUND = -120;
const TABLE = 330; // radius of the table's top
const THICK = 12;
const ANGLE = 0.62; // of view, up and down
const FULL_MT = 14;
const PICTURE = 1024;
const BESIDE = 30; // of the drawn felt beyond the places, see the shader
const NOISE = 4; // of 255
const STILL_MS = 120;
const SLOW_MS = 36; // a frame that takes longer is drawn with fewer pixels
const COARSEST = 0.35;

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

export class Space {
  /** Throws where there is no WebGL 2. */
  constructor(store, poses, canvas) {
    Object.assign(this, { store, poses, canvas });
    this.solids = new Solids(canvas);
    this.yaw = -Math.PI / 2;
    this.pitch = 0.72;
    this.zoom = 1;
    this.showsField = true;
    this.replay = null; // {clip, at, speed} while one is shown
    this.pace = 0; // ms a frame, lately
    this.sharp = 1; // the share of the screen's pixels, each way, that this machine can draw
    this.meshes = {
      piece: this.solids.mesh(disc(RADIUS, HEIGHT)),
      shade: this.solids.mesh(disc(RADIUS, HEIGHT, 12)),
      ground: this.solids.mesh(disc(TABLE, 14, 96)),
      foot: this.solids.mesh(disc(60, 14)),
      post: this.solids.mesh(disc(9, 110)),
      knob: this.solids.mesh(disc(16, 16)),
    };
    store.listen((_, changed) => this.update(changed));
    poses.listeners.push(() => this.wake());
    new ResizeObserver(() => this.wake()).observe(canvas);
    this.colours = new Map();
  }

  update(changed) {
    const { layout, snapshot } = this.store;
    if (!layout || !snapshot) return;
    if (changed.has("layout") || !this.meshes.plate) this.build();
    if (changed.has("lights") || changed.has("layout")) this.shine(snapshot.lights);
    const felt = (changed.has("sensors") || changed.has("layout")) && this.feel(snapshot.sensors?.field_mt ?? []);
    if (felt || ["layout", "lights", "pieces", "tracks"].some((name) => changed.has(name))) this.wake();
  }

  build() {
    const half = this.store.layout.plate_mm / 2;
    this.meshes.plate = this.solids.mesh(box([-half, -half, SURFACE - THICK], [half, half, SURFACE - 0.2]));
    this.meshes.felt = this.solids.mesh(box([-half, -half, SURFACE - 0.2], [half, half, SURFACE]));
    this.colours.clear();
    this.solids.texture("top", this.picture(), true);
    this.shine("");
    this.feel([]);
  }

  /** The felt: a ring and a name for each place. */
  picture() {
    const { layout } = this.store;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: PICTURE, height: PICTURE });
    const pen = canvas.getContext("2d");
    const [wide, high] = [layout.columns, layout.rows].map((count) => count * layout.pitch_mm + BESIDE);
    pen.fillStyle = "#33493e";
    pen.fillRect(0, 0, PICTURE, PICTURE);
    pen.scale(PICTURE / wide, PICTURE / high);
    pen.translate(wide / 2, high / 2);
    pen.textAlign = "center";
    pen.font = "6px sans-serif";
    layout.places.forEach((_, index) => {
      const { x, y } = this.store.centreOf(index);
      pen.beginPath();
      pen.arc(x, -y, RADIUS + 0.8, 0, 7);
      pen.fillStyle = "#2b3f35";
      pen.fill();
      pen.strokeStyle = "#688573";
      pen.lineWidth = 0.7;
      pen.stroke();
      pen.fillStyle = "#8fae9a";
      pen.fillText(this.store.label(this.store.placeName(index)), x, -y + 2);
    });
    return canvas;
  }

  shine(hex) {
    const { columns, rows, places } = this.store.layout;
    const bytes = new Uint8Array(4 * columns * rows);
    places.forEach((_, index) => {
      for (let part = 0; part < 3; part += 1) {
        const level = Number.parseInt(hex.slice(6 * index + 2 * part, 6 * index + 2 * part + 2) || "0", 16) / 255;
        bytes[4 * index + part] = 255 * level ** (1 / 2.2);
      }
    });
    this.solids.texture("lamps", { width: columns, height: rows, bytes }, false);
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
    this.solids.texture("field", { width: columns, height: rows, bytes }, true);
    return true;
  }

  // Drawing

  wake() {
    this.wokenAt = performance.now();
    this.rests = false;
    if (this.asked || !this.canvas.isConnected || !this.canvas.clientWidth) return;
    this.asked = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = null;
    const seconds = (now - (this.drawnAt ?? now)) / 1000;
    if (this.drawnAt !== undefined && !this.rests) this.keepPace(now - this.drawnAt);
    this.drawnAt = now;
    const state = this.state(seconds);
    if (state && this.meshes.plate) this.draw(state);
    const moves = this.replay || this.poses.shown < (this.poses.newest?.t ?? 0) - 1e-4 || now - this.wokenAt < STILL_MS;
    const again = moves || (this.sharp < 1 && !this.rests); // at rest there is time for every pixel
    this.rests = !moves;
    if (again) this.asked = requestAnimationFrame((at) => this.frame(at));
    else this.drawnAt = undefined;
  }

  /** A machine without a graphics chip draws coarser, and so keeps up. */
  keepPace(ms) {
    this.pace += (Math.min(ms, 4 * SLOW_MS) - this.pace) * 0.2;
    if (this.pace < SLOW_MS || this.sharp <= COARSEST) return;
    this.sharp = Math.max(COARSEST, this.sharp * 0.8);
    this.pace = 0;
  }

  /** What is to be seen now: a replay, the table as it moves, or upright pieces where it tells no more. */
  state(seconds) {
    this.poses.advance(Math.min(0.1, seconds));
    if (this.replay) {
      const { clip, speed } = this.replay;
      this.replay.at += seconds * speed;
      if (this.replay.at < clip.end) return this.poses.at(this.replay.at, clip.frames);
      this.replay = null;
      this.onReplayed?.();
    }
    if (this.poses.newest) return this.poses.at(this.poses.shown);
    const { snapshot } = this.store;
    if (!snapshot) return null;
    const pieces = new Map(this.store.pieces().map(({ number, x, y, z }, at) => [number ?? at, [x, y, z + HEIGHT / 2, 1, 0, 0, 0]]));
    return { attitude: [...snapshot.tilt_deg.map((degrees) => (degrees * Math.PI) / 180), 0], pieces };
  }

  coloursOf(id) {
    if (!this.colours.has(id)) {
      const piece = this.store.pieces().find(({ number }) => number === id)?.piece;
      if (!piece) return looksOf("unknown", null);
      this.colours.set(id, looksOf(piece, this.store.game));
    }
    return this.colours.get(id);
  }

  /** The eye goes round the middle; farther where the window is narrow. */
  look() {
    const aspect = this.solids.fit(matchMedia("(pointer: coarse)").matches ? 1.5 : 2, this.rests ? 1 : this.sharp);
    const away = (this.store.layout.plate_mm * 1.72 * Math.max(1, 1.12 / aspect)) / this.zoom;
    const flat = Math.cos(this.pitch) * away;
    const from = [Math.cos(this.yaw) * flat, Math.sin(this.yaw) * flat, Math.sin(this.pitch) * away];
    const view = looking(from, [0, 0, -12]);
    return { from, view, aspect, eye: times(perspective(ANGLE, aspect, away / 10, away * 4), view) };
  }

  draw(state) {
    const { layout } = this.store;
    const { from, eye } = this.look();
    const tilted = attitude(state.attitude);
    this.shownState = { ...state, tilted };
    const wood = [0.43, 0.27, 0.15];
    const solids = [
      { mesh: this.meshes.ground, model: moved(0, 0, GROUND - 7), colour: [0.4, 0.3, 0.22], casts: false },
      { mesh: this.meshes.foot, model: moved(0, 0, GROUND + 7), colour: [0.2, 0.2, 0.22], gloss: 0.4 },
      { mesh: this.meshes.post, model: moved(0, 0, GROUND / 2 - 6), colour: [0.36, 0.36, 0.4], gloss: 0.5 },
      { mesh: this.meshes.knob, model: tilted, colour: [0.3, 0.3, 0.34], gloss: 0.5 },
      { mesh: this.meshes.plate, model: tilted, colour: wood },
      { mesh: this.meshes.felt, model: tilted, colour: wood, kind: 2, gloss: 0.02, casts: false },
    ];
    for (const [id, [x, y, z, ...turn]] of state.pieces) {
      const { base, mark } = this.coloursOf(id);
      const model = times(tilted, times(moved(x, y, z + SURFACE), turned(...turn)));
      solids.push({ mesh: this.meshes.piece, shade: this.meshes.shade, model, colour: rgb(base), mark: rgb(mark), kind: 1, gloss: 0.5 });
    }
    this.solids.draw(solids, {
      eye, from, light: unit([-0.35, -0.28, 0.9]), reach: layout.plate_mm * 0.75, grid: [layout.columns, layout.rows],
      pitch: layout.pitch_mm, seen: this.showsField ? 1 : 0, room: 1,
    });
    this.onDrawn?.();
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

  /** The nearest piece under a point of the screen: {id, pose}, or null. */
  pick(clientX, clientY) {
    const { from, way } = this.ray(clientX, clientY);
    let found = null;
    for (const [id, pose] of this.shownState?.pieces ?? []) {
      const model = times(moved(...pose.slice(0, 3)), turned(...pose.slice(3)));
      const far = hit(back(model, from), back(model, way, 0));
      if (far !== null && (!found || far < found.far)) found = { id, pose, far };
    }
    return found;
  }

  /** Where a point of the plate is on the screen, in the page's pixels. */
  screen(x, y, z = 0) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const world = through(this.shownState?.tilted ?? moved(0, 0, 0), [x, y, z + SURFACE]);
    const { eye } = this.look();
    const clip = [0, 1, 3].map((row) => dot([eye[row], eye[4 + row], eye[8 + row]], world) + eye[12 + row]);
    return { x: left + ((clip[0] / clip[2] + 1) / 2) * width, y: top + ((1 - clip[1] / clip[2]) / 2) * height };
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
