// The plate in three dimensions, where somebody wants that: games by choice, the playground always. Without WebGL 2 it
// stays flat. What falls can be seen again.

import { button, h, setText } from "/static/dom.js";
import { Grips } from "/static/grips.js";
import { t } from "/static/i18n.js";
import { Poses } from "/static/poses.js";
import { remember, remembered } from "/static/prefs.js";
import { Space } from "/static/space.js";

const SLOWLY = 0.25;

/** What fell, in words. */
function told({ off, over, all }) {
  if (off > 1) return off === all ? t("All {count} fell off!", { count: off }) : t("{count} fell off.", { count: off });
  if (off) return t("One fell off.");
  return over ? over === 1 ? t("One fell over.") : t("{count} fell over.", { count: over }) : "";
}

export class Depth {
  /** `onTurn()` after it has come or gone, which changes what is to be watched. */
  constructor(store, plate, pieces, { ask, complain, onTurn }) {
    Object.assign(this, { store, plate, pieces, ask, complain, onTurn });
    this.poses = new Poses();
    this.chosen = remembered("depth", ""); // "yes", "no", or nothing yet
    this.failed = !("WebGL2RenderingContext" in window);
    this.space = null; // made when it is first wanted
    this.grips = null;
    this.on = false;
    this.canvas = h("canvas", { class: "space", hidden: true, role: "application", "aria-label": t("The plate in three dimensions") });
    plate.stage.append(this.canvas);
    this.handle = button("cube", t("In three dimensions"), () => this.want(!this.wanted), { "aria-pressed": this.chosen === "yes", hidden: this.failed });
    this.again = button("again", t("The last fall again"), () => this.replay());
    this.slow = h("input", { type: "checkbox", checked: true });
    this.fallen = h("strong", {});
    this.way = h("progress", { max: 1, hidden: true, "aria-label": t("The last fall again") });
    this.falls = h("div", { class: "falls", hidden: true },
      h("div", { class: "row" }, this.fallen, this.again, h("label", { class: "check" }, this.slow, t("In slow motion")), this.way));
    plate.stage.after(this.falls);
    this.poses.listeners.push(() => this.offerFall());
    store.listen((_, changed) => this.update(changed));
  }

  /** Whether pieces are carried freely, and not from place to place. */
  get free() {
    const { phase, room } = this.store.snapshot;
    return phase === "free" || (Boolean(room) && !this.store.review);
  }

  /** Chosen, or usual: towers stand in space on a screen that has room for them. */
  get wanted() {
    const { layout, snapshot } = this.store;
    const usual = layout?.hands && snapshot?.room && matchMedia("(min-width: 821px) and (min-height: 500px)").matches;
    return this.chosen ? this.chosen === "yes" : Boolean(usual);
  }

  want(wanted) {
    remember("depth", this.chosen = wanted ? "yes" : "no");
    this.update(new Set(["depth"]));
    if (wanted && this.failed) this.complain(t("This browser cannot draw in three dimensions; the plate stays flat."));
  }

  update(changed) {
    const { layout, snapshot } = this.store;
    if (!layout || !snapshot) return;
    if (changed.has("layout")) {
      this.poses.begin();
      this.offerFall();
    }
    const on = !this.failed && (this.wanted || snapshot.phase === "free") && this.made();
    const { free } = this;
    this.canvas.tabIndex = free ? 0 : -1;
    this.canvas.toggleAttribute("data-free", free);
    this.handle.setAttribute("aria-pressed", this.wanted);
    this.canvas.setAttribute("aria-hidden", !free); // the plate under it has the names, and the keys
    if (on !== this.on) this.turn(on);
  }

  made() {
    if (this.space) return true;
    try {
      this.space = new Space(this.store, this.plate, this.pieces, this.poses, this.canvas);
      this.grips = new Grips(this.store, this.space, this.poses, this.plate.stage, { ask: this.ask, complain: this.complain });
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
    plate.leans = null; // it is tilted in another way now
    plate.camera.whole = on;
    plate.camera.frame();
    plate.tilt(store.snapshot.tilt_deg);
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

  replay() {
    const { clip } = this.poses;
    if (this.space.replay) this.space.skip();
    if (!clip || this.space.replay) return;
    const show = (on) => {
      this.plate.stage.toggleAttribute("data-replay", on);
      setText(this.again.lastChild, on ? t("Skip") : t("The last fall again"));
      this.way.hidden = !on;
    };
    this.space.replay = { clip, at: clip.start, speed: this.slow.checked ? SLOWLY : 1 };
    this.space.onReplay = (share) => { this.way.value = share; };
    this.space.onReplayed = () => show(false);
    show(true);
    this.space.wake();
  }
}
