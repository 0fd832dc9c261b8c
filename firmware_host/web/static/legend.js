// What the lights mean, as the table itself tells it, and the game's rules in short.
import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";

const STEP_S = 0.25; // what one of a pattern's levels lasts

/** The lamp goes as the light on the plate does: its levels over time, or a smooth swing. */
function goLike(lamp, levels, breath) {
  if (levels.length < 2 || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    lamp.style.opacity = levels[0];
    return;
  }
  const frames = breath
    ? [levels[0], levels[1], levels[0]].map((opacity) => ({ opacity, easing: "ease-in-out" }))
    : [...levels, levels[0]].map((opacity) => ({ opacity, easing: "step-end" }));
  const duration = 1000 * (breath ?? levels.length * STEP_S);
  const going = lamp.animate(frames, { duration, iterations: Infinity });
  going.pause();
  new IntersectionObserver(([{ isIntersecting }]) => (isIntersecting ? going.play() : going.pause())).observe(lamp);
}

export class Legend {
  constructor(fetchJson) {
    this.element = h("ul", { class: "legend" });
    fetchJson("/api/v1/legend").then((entries) => this.draw(entries), () => {});
  }

  draw(entries) {
    this.element.replaceChildren(...entries.map(({ meaning, rhythm, colour, levels, breath_s: breath }) => {
      const lamp = h("span", { class: colour ? "lamp" : "lamp of-the-piece" });
      if (colour) lamp.style.setProperty("--c", colour);
      goLike(lamp, levels, breath);
      return h("li", {}, h("span", { class: "socket" }, lamp), h("span", {}, h("strong", {}, meaning), h("span", { class: "hint" }, rhythm)));
    }));
  }
}

export class Rules {
  constructor(store) {
    this.store = store;
    this.element = h("div", { class: "rules" });
    store.listen((_, changed) => { if (changed.has("layout") || changed.has("review")) this.draw(); });
  }

  draw() {
    const { game } = this.store;
    if (!game) {
      this.element.replaceChildren(h("p", { class: "hint" }, t("Start a game to read its rules.")));
      return;
    }
    this.element.replaceChildren(
      h("h2", {}, game.title), h("p", { class: "credit" }, game.credit),
      ...game.rules.map((paragraph) => h("p", {}, paragraph)),
      ...(game.notice ? [h("p", { class: "notice" }, game.notice)] : []));
  }
}
