// The plate in three dimensions: games on request, the playground always. Without WebGL 2 the plate
// stays flat. The last seconds are stored, so that a fall can be shown again.
import { Grips } from "/static/grips.js";
import { button, check, h, remember, remembered, setText, t } from "/static/page.js";
import { films, sendFilm } from "/static/picture.js";
import { Space } from "/static/space.js";

const KEPT_S = 6;
// Drawing lags by this much, so that there are frames before and after the drawn moment.
const BEHIND_S = 0.09;
const CLIP_S = 5; // Maximum length of a clip.
const BEFORE_S = 0.7; // Lead-in before the first piece slips.
const SLIPS_MM_S = 4;
const OFF_MM = -5; // Height below which a piece is off the plate.
const LOW_MM = 30; // A piece that vanishes from below this height was not lifted by a hand.
const FALLS_MM_S = 700; // Hands lower a piece more slowly than this.
const TIPS = 0.9; // Cosine of 26 degrees.
const AFTER_S = 1.2;

const isTipped = ([, , , , x, y]) => 1 - 2 * (x * x + y * y) < TIPS;

export class Poses {
  constructor() {
    this.frames = []; // {t, attitude, pieces: Map(id -> pose)}, oldest first.
    this.shown = 0; // The drawn time.
    this.heldId = null; // The piece in this page's hand, which cannot fall before it is released.
    this.clip = null; // The last fall: {start, end, frames, off, over, all}.
    this.fell = new Map(); // Number of a piece -> the time when it fell.
    // Numbers of the pieces that were on the plate when a game began. Taking them off is not a
    // fall.
    this.cleared = new Set();
    this.held = new Map(); // Number of a piece -> the last time when this page held it.
    this.listeners = [];
  }

  get newest() { return this.frames.at(-1); }

  /** Store new frames, each [time, attitude, moved, gone] as the table sends it. */
  take(frames) {
    for (const [time, attitude, moved, gone] of frames) {
      // Time has gone back, so the table was restarted.
      if (time < this.newest?.t) this.frames = [];
      const before = this.newest;
      const pieces = new Map(before?.pieces);
      for (const id of gone) pieces.delete(id);
      for (const [id, pose] of Object.entries(moved)) pieces.set(Number(id), pose);
      // The piece has rested since the last frame, so it must not creep to its new place.
      if (before && time - before.t > 0.1) this.frames.push({ ...before, t: time - 0.02 });
      this.frames.push({ t: time, attitude, pieces });
      if (before) this.watch(before, this.newest);
    }
    while (this.frames.length > 2 && this.frames[1].t < this.newest.t - KEPT_S) this.frames.shift();
    this.heardAt = performance.now();
    this.tell();
  }

  tell() { for (const listener of this.listeners) listener(); }

  /** Detect falls, and store a clip a little after the last one. */
  watch(before, now) {
    const dt = Math.max(0.005, now.t - before.t);
    for (const [id, pose] of before.pieces) {
      if (id === this.heldId) {
        this.held.set(id, now.t);
        continue;
      }
      const after = now.pieces.get(id);
      const fallen = after ? (pose[2] - after[2]) / dt > FALLS_MM_S
        || (isTipped(after) && !isTipped(pose)) : pose[2] < LOW_MM && !this.cleared.has(id);
      if (fallen && !this.fell.has(id)) this.fell.set(id, now.t);
    }
    if (this.fell.size && now.t - this.fellAt > AFTER_S) this.keep();
  }

  /** Forget falls as a game begins, since pieces that are cleared for it have not fallen. */
  begin() {
    this.clip = null;
    this.fell.clear();
    this.cleared = new Set(this.newest?.pieces.keys());
  }

  get fellAt() { return Math.max(...this.fell.values()); }

  /** Return when a fallen piece began to slip, after which it did not rest. */
  slipped(id, fellAt) {
    let begun = fellAt;
    for (let at = this.frames.length - 1; at > 0; at--) {
      const [before, now] = [this.frames[at - 1], this.frames[at]];
      if (now.t > fellAt) continue;
      if (before.t < (this.held.get(id) ?? 0)) break;
      const [from, to] = [before.pieces.get(id), now.pieces.get(id)];
      if (!from || !to || Math.hypot(to[0] - from[0], to[1] - from[1],
        to[2] - from[2]) < SLIPS_MM_S * (now.t - before.t)) break;
      begun = before.t;
    }
    return begun;
  }

  keep() {
    const end = Math.min(this.newest.t, this.fellAt + AFTER_S);
    const first = Math.min(...[...this.fell].map(([id, at]) => this.slipped(id, at)));
    // Falls that overlap come from one tilt, so they share a clip.
    const earlier = this.clip && first < this.clip.end ? this.clip : null;
    const start = Math.max(this.frames[0].t, Math.min(first - BEFORE_S, earlier?.start ?? Infinity),
      end - CLIP_S);
    const frames = this.frames.filter((frame) => frame.t >= start - 0.1 && frame.t <= end);
    const now = (id) => this.newest.pieces.get(id);
    const fell = [...this.fell.keys()];
    const there = earlier?.there
      ?? [...frames[0].pieces].filter(([, pose]) => pose[2] >= OFF_MM).map(([id]) => id);
    const left = there.filter((id) => !(now(id)?.[2] >= OFF_MM));
    // A piece that a hand dropped did not fall over.
    const stood = (id) => frames[0].pieces.has(id) && !(this.held.get(id) >= start);
    const over = fell.filter((id) => now(id) && !left.includes(id)
      && (stood(id) || isTipped(now(id))));
    this.clip = { start, end, frames, there, off: left.length, over: over.length,
      all: there.length };
    this.fell.clear();
    this.tell();
  }

  /** Advance the drawn time. */
  advance(seconds) {
    if (!this.newest) return;
    const quiet = performance.now() - this.heardAt > 150;
    if (quiet && this.fell.size) this.keep();
    const target = this.newest.t - (quiet ? 0 : BEHIND_S);
    const late = target - this.shown;
    if (late > 1 || late < -1) this.shown = target;
    else this.shown = Math.min(this.newest.t, this.shown + Math.max(0, seconds * (1 + 6 * late)));
  }

  /** Return plate and pieces at a time, interpolated between two frames. */
  at(time, frames = this.frames) {
    let high = frames.findIndex((frame) => frame.t >= time);
    if (high < 0) high = frames.length - 1;
    const [a, b] = [frames[Math.max(0, high - 1)], frames[high]];
    const share = b.t > a.t ? Math.max(0, Math.min(1, (time - a.t) / (b.t - a.t))) : 1;
    const mix = (one, other) => one.map((each, at) => each + (other[at] - each) * share);
    const pieces = new Map();
    for (const [id, pose] of b.pieces) {
      const from = a.pieces.get(id);
      if (!from || from === pose) {
        pieces.set(id, pose);
        continue;
      }
      const same = from[3] * pose[3] + from[4] * pose[4] + from[5] * pose[5] + from[6] * pose[6] < 0
        ? -1 : 1;
      const between = mix([...from.slice(0, 3), ...from.slice(3).map((each) => each * same)], pose);
      const length = Math.hypot(...between.slice(3));
      pieces.set(id, [...between.slice(0, 3), ...between.slice(3).map((each) => each / length)]);
    }
    return { attitude: mix(a.attitude, b.attitude), pieces };
  }
}

const SLOWLY = 0.25;

/** Return a sentence that says what fell. */
function told({ off, over, all }) {
  if (off === 2 && all === 2) return t("Both fell off!");
  if (off > 1) return off === all ? t("All {count} fell off!", { count: off })
    : t("{count} fell off.", { count: off });
  if (off) return t("One fell off.");
  return over ? over === 1 ? t("One fell over.") : t("{count} fell over.", { count: over }) : "";
}

export class Depth {
  /** `onTurn()` is called after the view has opened or closed, because other data must be watched
   * then. */
  constructor(store, plate, pieces, { ask, complain, tilting, onTurn }) {
    /** @type {Store} */ this.store = store;
    this.plate = plate;
    this.pieces = pieces;
    /** @type {Ask} */ this.ask = ask;
    this.complain = complain;
    this.tilting = tilting;
    this.onTurn = onTurn;
    this.poses = new Poses();
    this.chosen = remembered("depth", ""); // "yes", "no", or "" before a choice.
    this.failed = !("WebGL2RenderingContext" in window);
    this.space = null; // Created on first use.
    this.grips = null;
    this.on = false;
    this.canvas = h("canvas",
      { class: "space", hidden: true, role: "application",
        "aria-label": t("The plate in three dimensions") });
    plate.stage.append(this.canvas);
    this.handle = button("cube", t("In three dimensions"), () => this.want(!this.wanted),
      { "aria-pressed": this.chosen === "yes", hidden: this.failed });
    this.again = button("again", t("The last fall again"), () => this.replay());
    this.film = button("film", t("Film of the fall"), () => {
      const { game, layout } = this.store;
      if (this.space.replay) return;
      sendFilm(this.canvas, new Promise((resolve) => { this.replay(() => resolve(null)); }),
        "tiltboard-fall",
        game?.title ?? layout.title);
    }, { hidden: !films });
    this.slowly = true;
    this.fallen = h("strong", {});
    this.way = h("progress", { max: 1, hidden: true, "aria-label": t("The last fall again") });
    this.falls = h("div", { class: "falls", hidden: true },
      h("div", { class: "row" }, this.fallen, this.again, this.film,
        check(t("In slow motion"), true, (on) => { this.slowly = on; }), this.way));
    plate.stage.after(this.falls);
    this.poses.listeners.push(() => this.offerFall());
    store.listen((_, changed) => this.update(changed));
  }

  /** True if hands move pieces freely rather than from place to place. */
  get free() {
    const { guidance, seats } = this.store.snapshot;
    return guidance.phase === "free" || (Boolean(seats) && !this.store.review);
  }

  /** True if the view is chosen or, without a choice, usual: for games with towers on a large
   * screen. */
  get wanted() {
    const { layout, snapshot } = this.store;
    const usual = layout?.hands && snapshot?.seats
      && matchMedia("(min-width: 821px) and (min-height: 500px)").matches;
    return this.chosen ? this.chosen === "yes" : Boolean(usual);
  }

  want(wanted) {
    remember("depth", this.chosen = wanted ? "yes" : "no");
    this.update(new Set(["depth"]));
    if (wanted && this.failed)
      this.complain(t("This browser cannot draw in three dimensions; the plate stays flat."));
  }

  update(changed) {
    const { snapshot } = this.store;
    if (changed.has("layout")) {
      this.poses.begin();
      this.offerFall();
    }
    const on = !this.failed && (this.wanted || snapshot.guidance.phase === "free") && this.made();
    const { free } = this;
    this.canvas.tabIndex = free ? 0 : -1;
    this.canvas.toggleAttribute("data-free", free);
    this.handle.setAttribute("aria-pressed", String(this.wanted));
    // In games with places, the flat plate below has the names and receives the keys.
    this.canvas.setAttribute("aria-hidden", String(!free));
    if (on !== this.on) this.turn(on);
  }

  made() {
    if (this.space) return true;
    try {
      this.space = new Space(this.store, this.plate, this.pieces, this.poses, this.canvas);
      this.grips = new Grips(this.store, this.space, this.poses, this.plate.stage, this);
    } catch {
      this.failed = true;
      this.handle.hidden = true;
    }
    return !this.failed;
  }

  turn(on) {
    const { plate, store } = this;
    this.on = on;
    document.documentElement.toggleAttribute("data-space", on);
    this.canvas.hidden = !on;
    plate.solid = on ? { space: this.space, grips: this.grips } : null;
    plate.leans = null; // The tilt is drawn in another way now.
    plate.tilt(store.snapshot.plate.tilt_deg);
    if (on) this.space.wake();
    else this.space.leave();
    this.offerFall();
    this.onTurn();
  }

  // Falls

  offerFall() {
    const { clip } = this.poses;
    this.falls.hidden = !this.on || !clip;
    if (clip) setText(this.fallen, told(clip));
  }

  replay(over = () => {}) {
    const { clip } = this.poses;
    if (this.space.replay) this.space.skip();
    if (!clip || this.space.replay) return;
    const show = (on) => {
      this.plate.stage.toggleAttribute("data-replay", on);
      this.plate.camera.whole = on;
      this.plate.camera.frame();
      setText(this.again.lastChild, on ? t("Skip") : t("The last fall again"));
      this.way.hidden = !on;
    };
    this.space.replay = { clip, at: clip.start, speed: this.slowly ? SLOWLY : 1 };
    this.space.onReplay = (share) => { this.way.value = share; };
    this.space.onReplayed = () => {
      show(false);
      over();
    };
    show(true);
    this.space.wake();
  }
}
