// The plate in perspective: wood, felt, places, and the lights below them.
import { around, nearestSide, plateMap, resultMarks, route, Slots, TrackBoard, Tracks, viewBox,
  worthMark } from "/static/boards.js";
import { lanes, pegOf, WALL } from "/static/bodies.js";
import { outline } from "/static/marble.js";
import { h, remember, remembered, s, set } from "/static/page.js";

const NOISE_DEG = 0.25;
const LIP_MM = 10;
// Corners of a place relative to its centre, in places. A hexagon touches its six neighbours.
export const SQUARE = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x / 2, y / 2]);
export const HEXAGON = [[1, 1], [-1, 2], [-2, 1], [-1, -1], [1, -2], [2, -1]]
  .map(([x, y]) => [x / 3, y / 3]);

/** @type {Change[]} */
const MARKED = ["guidance.roles", "guidance.piece_for", "guidance.shifts", "guidance.path",
  "guidance.question", "hint", "preview", "game.position", "game.moves", "game.result", "layout",
  "review", "waiting", "learning.quality"];

export class Plate {
  constructor(store, stage) {
    /** @type {Store} */ this.store = store;
    this.stage = stage;
    this.pieces = h("div", { class: "pieces" });
    this.lights = [];
    this.solid = null; // {space, grips} while the plate is drawn in three dimensions (depth.js).
    this.tiltBox = h("div", { class: "plate" });
    this.scene = h("div", { class: "scene" },
      h("div", { class: "world" }, h("div", { class: "ground" }), this.tiltBox));
    stage.append(this.scene);
    // The camera comes first, because it sets the frame.
    this.camera = new Camera(store, this.scene);
    store.listen((_, changed) => this.update(changed));
  }

  update(changed) {
    const { snapshot, review } = this.store;
    if (["snapshot", "layout", "review", "frame"].some((name) => changed.has(name))
      && this.build()) {
      this.tilt(snapshot.plate.tilt_deg);
      changed = new Set([...changed, "layout"]);
    }
    if (changed.has("plate.tilt_deg") || changed.has("layout")) this.tilt(snapshot.plate.tilt_deg);
    if (["plate.lights", "layout", "review", "plate.broken", "guidance.roles"]
      .some((name) => changed.has(name))) {
      const { broken, lights } = snapshot.plate;
      const dark = review || broken.some(({ fault }) => fault === "lights-brownout");
      this.shine(dark ? "" : lights, !MARKED.some((name) => changed.has(name)));
    }
    if (MARKED.some((name) => changed.has(name))) {
      this.scene.classList.toggle("won", Boolean(snapshot.game.result?.winner) && !review);
      this.mark();
      this.extra?.update();
    }
  }

  build() {
    const { layout, game, frame } = this.store;
    const wanted = [layout, game, frame];
    if (this.built?.every((each, at) => each === wanted[at])) return false;
    this.built = wanted;
    const box = { viewBox: viewBox(frame) };
    this.tiltBox.dataset.game = game?.name ?? "";
    /** @type {any} */ this.extra = null; // a TrackBoard, Slots or nothing
    if (game?.drawing) this.extra = new TrackBoard(this.store);
    else if (game?.slots.length) this.extra = new Slots(this.store, LIP_MM);
    this.stage.classList.toggle("slotted", Boolean(game?.slots.length));
    this.marks = s("g");
    this.target = s("circle", { r: 16 });
    this.focusRing = s("g", { class: "focus-ring" },
      s("circle", { r: 16.500, class: "focus-under" }), s("circle", { r: 16.500 }));
    this.glows = s("g");
    const surface = s("svg", { class: "surface", ...box, "aria-hidden": "true" },
      this.extra?.element ?? null, this.board(), this.extra?.onFelt ?? null,
      this.glows, this.marks, this.target, this.focusRing);
    const above = s("svg", { class: "surface above", ...box, "aria-hidden": "true" },
      this.engraved(), this.extra?.onLip ?? null);
    this.aimAt(null);
    this.drawLights();
    const sides = ["n", "e", "s", "w"];
    const walls = sides.flatMap((side) => ["outer", "inner", "lip"].map((part) =>
      h("div", { class: `${part} ${side}` })));
    this.tiltBox.replaceChildren(h("div", { class: "felt" }, surface), ...walls,
      above, this.pieces);
    this.scene.style.setProperty("--lip", String(LIP_MM));
    return true;
  }

  board() {
    const { layout, game } = this.store;
    const zones = this.zones();
    const inGame = new Map(zones ? []
      : Object.values(game?.board ?? {}).map(({ index, blocked }) => [index, blocked]));
    const pitch = layout.pitch_mm;
    const under = s("g", { class: "squares" });
    const played = [...inGame.keys()].map((index) => this.store.centreOf(index));
    this.lanes = layout.pegs && played.length ? lanes(played, pitch) : null;
    const discs = s("g");
    // Names are beside the places, since pods would cover them.
    const beside = game?.drawing ? 13.500 : 0;
    layout.places.forEach((_, index) => {
      const { x, y } = this.store.centreOf(index);
      if (!this.store.onPlate(x, y)) return; // The place is outside the frame.
      const plays = inGame.has(index);
      if (plays) {
        const corners = game.hexagonal ? HEXAGON : SQUARE;
        const points = corners.map(([east, north]) => `${x + east * pitch},${-y - north * pitch}`);
        under.append(s("polygon", { points: points.join(" "), class: "square" }));
      }
      const kind = inGame.get(index);
      const quiet = game && !plays ? " outside" : "";
      const shape = kind === "cushion"
        ? s("rect", { x: x - 15, y: -y - 15, width: 30, height: 30, rx: 7, class: "cushion" })
        : s("circle", { cx: x, cy: -y, r: 14, class: kind ? "hole" : `disc${quiet}` });
      const name = this.store.placeName(index);
      shape.dataset.index = String(index);
      shape.dataset.name = name;
      discs.append(shape);
      const label = this.store.label(name);
      if (plays && label !== layout.places[index]) {
        discs.append(s("text",
          { x: x + beside, y: -y + 2.200 + beside, class: "place-name" }, label));
      }
    });
    return s("g", {}, under, discs, zones, this.pegged());
  }

  /** Draw the wall and the pegs between which tiles slide. */
  pegged() {
    if (!this.lanes) return null;
    const { pegs, west, east, south, north } = this.lanes;
    const wall = { x: west - WALL.thick / 2, y: -north - WALL.thick / 2,
      width: east - west + WALL.thick, height: north - south + WALL.thick };
    return s("g", { class: "pegged" }, s("rect", { ...wall, "stroke-width": WALL.thick }),
      pegs.map(({ x, y }) => s("circle", { cx: x, cy: -y, r: pegOf(this.store.layout.pitch_mm) })));
  }

  /** Make the group for a platform whose places are wedges of the plate (room-view.js). */
  zones() {
    return Object.keys(this.store.game?.glossary ?? {}).length ? s("g", { class: "zones" }) : null;
  }

  drawLights() {
    // A light shines through a hole beside the piece, if the plate has holes. Marks are drawn
    // around the place anyway.
    const hole = this.store.layout.light_mm;
    const seen = hole ? { r: 15, transform: `translate(${hole[0]} ${-hole[1]})` } : { r: 25 };
    this.lights = this.store.layout.places.map((_, index) => {
      const { x, y } = this.store.centreOf(index);
      const stops = [[0, 1], [0.42, 0.92], [0.56, 0.42], [0.75, 0.13], [1, 0]].map(
        ([offset, opacity]) => s("stop", { offset, "stop-opacity": opacity }));
      const glow = s("circle", { cx: x, cy: -y, ...seen, fill: `url(#light-${index})` });
      this.glows.append(s("radialGradient", { id: `light-${index}` }, stops), glow);
      glow.style.display = "none";
      return { stops, glow, shown: "000000" };
    });
  }

  /** Show the lights. `hex` holds the strip's bytes in linear light, which the screen needs with
   * gamma; "" is dark. Where a piece can be put, a rim in the light's colour replaces the lamp,
   * and the last move has a ring. Blinking there, and alternation while the lights change `alone`,
   * would redraw the whole plate and is left out. */
  shine(hex, alone) {
    const { guidance: { roles, phase }, learning } = this.store.snapshot;
    // These lights do not belong to the roles, and change a little later.
    const aside = learning.attract || phase === "paused";
    this.lights.forEach((light, index) => {
      const bytes = hex.slice(6 * index, 6 * index + 6) || "000000";
      const role = aside ? "aside" : roles[this.store.placeName(index)];
      const steady = role === "last" || (role === "legal" && alone);
      const winks = steady && light.role === role && hex && light.shown !== "000000";
      if (light.role !== "aside" || bytes !== light.shown) light.role = role;
      light.glow.classList.toggle("quiet", role === "legal");
      if (bytes === light.shown || winks) return;
      light.shown = bytes;
      const rgb = [0, 2, 4].map((at) => Number.parseInt(bytes.slice(at, at + 2), 16) / 255);
      const strongest = Math.max(...rgb);
      light.glow.style.display = strongest > 0 ? "" : "none";
      if (strongest === 0) return;
      const seen = strongest ** (1 / 2.2);
      const hue = rgb.map((part) => (part / strongest) ** (1 / 2.2));
      const toCss = (white) =>
        `rgb(${hue.map((part) => Math.round(255 * (part + (1 - part) * white))).join(" ")})`;
      light.glow.style.setProperty("--rim", toCss(0.25));
      light.glow.setAttribute("opacity", Math.min(1, seen * 1.05).toFixed(3));
      light.stops.forEach((stop, at) => {
        stop.setAttribute("stop-color", toCss(at === 0 ? 0.25 + 0.4 * seen : 0));
      });
    });
  }

  /** Draw what the roles say beyond the lights: wanted pieces, the last move, the path of its
   * consequences. */
  mark() {
    const { snapshot, game, review } = this.store;
    const marks = [];
    if (!review) {
      for (const [place, piece] of Object.entries(snapshot.guidance.piece_for)) {
        marks.push(this.at(place, outline(piece, game)));
      }
      const { question, shifts } = snapshot.guidance;
      const { places: path, colour } = snapshot.guidance.path ?? { places: [], colour: null };
      const way = this.store.hint ?? { path, colour };
      for (const choice of question?.choices ?? []) {
        const chosen = choice.path.join() === way.path.join();
        if (choice.path.length > 1 && !chosen) {
          marks.push(route(this.store, this.extra, choice.path, choice.colour, "faint"));
        }
      }
      if (way.path.length > 1) marks.push(route(this.store, this.extra, way.path, way.colour));
      for (const shift of shifts) {
        const drawn = shift.source === path[0] && shift.target === path[path.length - 1];
        if (!drawn) marks.push(this.arrow(shift));
      }
      if (this.store.preview) marks.push(...this.foreseen(this.store.preview));
      for (const [place, role] of Object.entries(snapshot.guidance.roles)) {
        // The piece covers the light.
        if (role === "legal" && game?.drawing && place in snapshot.game.position
          && !game.players.includes(snapshot.game.position[place])) {
          marks.push(this.at(place, s("circle", { r: 16, class: "landing" })));
        }
        const worth = role === "legal" ? snapshot.learning.quality[place] : null;
        // A pod would cover the mark.
        if (worth)
          marks.push(this.at(place, worthMark(worth, game?.drawing ? "translate(-15 -13)" : null)));
        if (role === "last") marks.push(this.at(place, s("circle", { r: 15.500, class: "last" })));
      }
    }
    for (const place of this.store.waiting.filter((each) => game?.board[each])) {
      marks.push(this.at(place, s("circle", { r: 15, class: "waiting-place" })));
    }
    marks.push(...resultMarks(this.store, this.extra));
    this.marks.replaceChildren(...marks.filter(Boolean));
  }

  /** Draw what a move would do: pieces at their new places, and the paths of those that move. */
  foreseen({ act, consequences }) {
    const { game } = this.store;
    const ways = act.filter(({ source, target }) => source && target)
      .map(({ source, target }) => route(this.store, this.extra, [source, target], null));
    const ghosts = [...act, ...consequences].filter(({ target }) => target)
      .map(({ piece, target }) => this.at(target, outline(piece, game)));
    const off = act.filter(({ source, target }) => source && !target);
    return [...ways, ...ghosts, ...[...consequences, ...off].map((shift) => this.arrow(shift))]
      .map((mark) => mark && s("g", { class: "foreseen" }, mark));
  }

  at(place, drawing) {
    const { x, y } = this.store.centreOf(this.store.indexOf(place));
    return s("g", { transform: `translate(${x} ${-y})` }, drawing);
  }

  /** Draw an arrow from a piece to its new place or off the board. A piece from a tray needs none.
   * */
  arrow({ source, target }) {
    const { store } = this;
    if (source === null) return null;
    const from = store.centreOf(store.indexOf(source));
    const [east, north, away] = nearestSide(from, store.frame);
    const off = Math.min(away, store.layout.pitch_mm * 0.9);
    const to = target === null ? { x: from.x + east * off, y: from.y + north * off }
      : store.centreOf(store.indexOf(target));
    const end = Math.hypot(to.x - from.x, to.y - from.y) - (target === null ? 0 : 9);
    const angle = (Math.atan2(-(to.y - from.y), to.x - from.x) * 180) / Math.PI;
    return s("path", {
      d: `M11 -3H${end - 9}V-8.500L${end} 0L${end - 9} 8.500V3H11Z`,
      class: target === null ? "arrow leaves" : "arrow",
      transform: `translate(${from.x} ${-from.y}) rotate(${angle})`,
    });
  }

  /** Draw letters and numbers on the lip, if the game names its places as the plate does. */
  engraved() {
    const { layout, game, frame } = this.store;
    const board = game?.board ?? {};
    const names = Object.keys(board);
    if (names.some((name) => layout.places[board[name].index] !== this.store.label(name)))
      return null;
    const columns = new Set(names.map((name) => board[name].index % layout.columns));
    const rows = new Set(names.map((name) => Math.floor(board[name].index / layout.columns)));
    const letter = (text, x, y) => s("text", { class: "letter", x, y }, text);
    const south = [...columns].map((column) =>
      letter(layout.places[column].replace(/\d+$/, ""), this.store.centreOf(column).x,
        -frame.south - LIP_MM / 2));
    const west = [...rows].map((row) => {
      const first = row * layout.columns;
      return letter(layout.places[first].replace(/^\D+/, ""), frame.west + LIP_MM / 2,
        -this.store.centreOf(first).y);
    });
    return s("g", {}, south, west);
  }

  /** Tilt the drawn plate, without the sensor's noise. */
  tilt([x, y]) {
    if (Math.hypot(x - this.leans?.x, y - this.leans?.y) < NOISE_DEG) return;
    this.leans = { x, y };
    set(this.scene, { "--a": `${this.solid ? 0 : x}deg`, "--b": `${this.solid ? 0 : y}deg` });
  }

  /** Highlight the place where the carried piece would land; null: none. */
  aimAt(index) {
    if (!this.target) return;
    const { snapshot } = this.store;
    const role = index !== null && snapshot?.guidance.roles[this.store.placeName(index)];
    const { x, y } = index === null ? { x: 0, y: 0 } : this.store.centreOf(index);
    set(this.target,
      { cx: x, cy: -y, class: `target ${role === "legal" || role === "put" ? "wanted" : ""}` });
    this.target.style.display = index === null ? "none" : "";
  }

  /** Move the ring of the keyboard's focus to a point in mm. */
  focusOn({ x, y }) {
    if (!this.focusRing) return;
    this.focusRing.setAttribute("transform", `translate(${x} ${-y})`);
  }

  /** Convert a point of the screen to mm on the plate's surface as it is drawn now. */
  toPlane(clientX, clientY) {
    const [scene, world, box] = /** @type {HTMLElement[]} */ (
      [this.scene, this.scene.firstChild, this.tiltBox])
      .map((element) => getComputedStyle(element));
    const { left, top, width, height } = this.scene.getBoundingClientRect();
    const { west, south, east, north } = this.store.frame;
    const scale = Number.parseFloat(box.width) / (east - west);
    const eye = Object.assign(new DOMMatrix(), { m34: -1 / Number.parseFloat(scene.perspective) });
    const seen = new DOMMatrix().translate(left + width / 2, top + height / 2).multiply(eye)
      .translate(0, Number.parseFloat(world.top) - height / 2)
      .multiply(new DOMMatrix(world.transform)).multiply(new DOMMatrix(box.transform))
      .scale(scale, -scale).translate(-(west + east) / 2, -(south + north) / 2);
    // Only the surface counts, so depth is removed.
    Object.assign(seen, { m13: 0, m23: 0, m43: 0, m31: 0, m32: 0, m33: 1, m34: 0 });
    const { x, y, w } = seen.inverse().transformPoint({ x: clientX, y: clientY });
    return { x: x / w, y: y / w };
  }
}

// The part of the plate that is drawn, and the side from which it is seen.
// Felt and lip, from the outermost places' edges to the drawn edge of the plate.
const AROUND_MM = 15;
const QUARTERS = 4;

class Camera {
  /** `scene` is the element from which the plate's style sheet reads its distances. */
  constructor(store, scene) {
    /** @type {Store} */ this.store = store;
    this.scene = scene;
    this.above = remembered("above", "no") === "yes";
    this.turned = Number(remembered("turned", "0")) % QUARTERS;
    this.whole = false; // True while a fall is replayed, which needs the whole plate.
    store.on(["layout", "review", "guidance.phase", "plate.pieces", "plate.cells", "guidance.roles",
      "plate.calibration"],
    () => this.frame());
  }

  /** Choose the view, which this browser remembers. */
  look({ above = this.above, turned = this.turned }) {
    Object.assign(this, { above, turned: turned % QUARTERS });
    remember("above", this.above ? "yes" : "no");
    remember("turned", String(this.turned));
    this.frame();
    this.store.tell("camera");
  }

  /** Face the side to which somebody has turned the view by hand; this is not remembered. */
  facing(quarter) {
    const turned = ((quarter % QUARTERS) + QUARTERS) % QUARTERS;
    if (turned === this.turned) return;
    this.turned = turned;
    this.frame();
  }

  /** Convert a step of the arrow keys to columns east and rows north of the turned plate. */
  onPlate([dx, dy]) { return [[dx, dy], [dy, -dx], [-dx, -dy], [-dy, dx]][this.turned]; }

  /** Show the whole board, or the whole plate while anything lies beside the board. */
  frame() {
    const { store, scene } = this;
    const frame = this.board() || this.plate();
    if (JSON.stringify(frame) !== JSON.stringify(store.frame)) store.set("frame", frame);
    const { west, south, east, north } = store.frame;
    const sizes = [east - west, north - south];
    const [wide, high] = this.turned % 2 ? [...sizes].reverse() : sizes;
    set(scene, {
      "--east": sizes[0], "--north": sizes[1], "--mid-x": (west + east) / 2,
      "--mid-y": (south + north) / 2,
      "--wide-mm": wide, "--high-mm": high, "--turned": `${-90 * this.turned}deg`,
    });
    scene.classList.toggle("from-above", this.above);
    document.documentElement.toggleAttribute("data-flat", this.above);
  }

  plate() {
    const half = this.store.layout.plate_mm / 2;
    return { west: -half, south: -half, east: half, north: half };
  }

  /** Return the rectangle around the game's board in mm, or null without a board or with something
   * beside it. */
  board() {
    const { store } = this;
    const { snapshot, game } = store;
    const board = Object.values(game?.board ?? {}).map(({ index }) => index);
    const inside = new Set(board);
    const { guidance, plate } = snapshot;
    const lit = [...Object.keys(guidance.roles), ...Object.keys(guidance.piece_for)]
      .map((place) => store.indexOf(place));
    const lying = store.pieces().filter(({ z }) => z < 5)
      .map(({ x, y }) => store.nearest(x, y).index);
    if (!board.length || this.whole || guidance.phase === "free" || plate.calibration?.running)
      return null;
    if (!store.review && [...lit, ...lying].some((index) => !inside.has(index))) return null;
    const { west, south, east, north } = around(board.map((index) => store.centreOf(index)),
      store.layout.pitch_mm / 2 + AROUND_MM);
    const tracks = game.drawing ? new Tracks(game.drawing, plateMap(store.layout)).along() : [];
    if (!tracks.length) return { west, south, east, north };
    const drawn = around(tracks, AROUND_MM); // A track can bend out beyond its places.
    return { west: Math.min(west, drawn.west), south: Math.min(south, drawn.south),
      east: Math.max(east, drawn.east), north: Math.max(north, drawn.north) };
  }
}
