// The sensor view: what each Hall sensor feels, what was made of it, and how sure that is.
import { h, s, setText, t } from "/static/page.js";

const FULL_MT = 13;
const SHORT = { "N-strong": "N", "S-strong": "S", "N-weak": "n", "S-weak": "s", none: "" };
const STILLNESS = { still: () => t("still"), tilted: () => t("tilted"), moving: () => t("moving"), unknown: () => t("unknown") };

const WRONG = {
  dead: () => t("dead"),
  stuck: () => t("stuck"),
  noisy: () => t("noisy"),
  drifting: () => t("drifting"),
  silent: () => t("does not feel its piece"),
  contradicting: () => t("says north and south at once"),
  "left-out": () => t("was left out of the calibration"),
};

/** Blue for south, orange for north: told apart by every kind of eye. */
function colour(mt) {
  const strength = Math.min(1, Math.abs(mt) / FULL_MT) ** 0.6;
  const [r, g, b] = mt < 0 ? [240, 140, 40] : [60, 140, 240];
  return `rgb(${r} ${g} ${b} / ${strength.toFixed(2)})`;
}

export class SensorView {
  constructor(store) {
    this.store = store;
    this.map = s("svg", { class: "sensor-map", role: "img", "aria-label": t("Field per place") });
    this.detail = h("p", { class: "sensor-detail" });
    this.health = h("ul", { class: "health" });
    this.element = h("div", { class: "sensor-panel" },
      this.map, this.detail,
      h("p", { class: "hint" }, t("Millitesla, south positive. N and S: strong magnets, n and s: weak ones. The bar is the confidence; a dashed frame: unsure. The ring: the piece stands in it, 95 times in 100. ×2: one stands on the other; ×2?: perhaps.")),
      this.health);
    this.map.addEventListener("pointerover", (event) => {
      const cell = event.target.closest?.("[data-index]");
      if (cell) this.pointed = Number(cell.dataset.index);
      this.draw();
    });
    store.on(["layout"], () => this.build());
    store.on(["layout", "sensors", "faults", "stillness", "dimmed", "offsets", "tracks", "spin_deg"], () => this.draw());
  }

  build() {
    const { columns, rows, places } = this.store.layout;
    this.map.setAttribute("viewBox", `0 0 ${columns * 40} ${rows * 40}`);
    this.cells = places.map((_, index) => {
      const x = (index % columns) * 40;
      const y = (rows - 1 - Math.floor(index / columns)) * 40;
      const heat = s("rect", { x: 1.500, y: 1.500, width: 37, height: 37, rx: 4, class: "cell" });
      const value = s("text", { x: 20, y: 17, class: "mt" });
      const kind = s("text", { x: 20, y: 29, class: "kind" });
      const sure = s("rect", { x: 5, y: 32.500, height: 3, rx: 1.500, width: 0, class: "sure" });
      const ring = s("circle", { class: "ring" });
      const group = s("g", { transform: `translate(${x} ${y})`, "data-index": index }, heat, value, kind, sure, ring);
      return { group, heat, value, kind, sure, ring };
    });
    this.slides = s("g", {});
    this.map.replaceChildren(...this.cells.map(({ group }) => group), this.slides);
  }

  draw() {
    const { snapshot } = this.store;
    if (!snapshot || !this.cells) return;
    const { sensors } = snapshot;
    if (sensors?.field_mt.length) this.drawMap(sensors);
    this.drawRings(snapshot.offsets ?? {});
    this.drawSlides(snapshot.tracks ?? []);
    this.drawHealth(snapshot);
  }

  /** Where pieces stand on their places. */
  drawRings(offsets) {
    const { places, pitch_mm: pitch } = this.store.layout;
    this.cells.forEach(({ ring }, index) => {
      const [east, north, within] = offsets[places[index]] ?? [0, 0, 0];
      const at = { cx: 20 + (40 * east) / pitch, cy: 20 - (40 * north) / pitch, r: (40 * within) / pitch };
      for (const [name, mm] of Object.entries(at)) ring.setAttribute(name, mm.toFixed(1));
    });
  }

  /** The ways of pieces that slide, and the circle in which each is now. */
  drawSlides(tracks) {
    const { columns, rows, pitch_mm: pitch } = this.store.layout;
    const at = ([x, y]) => [20 * columns + (40 * x) / pitch, 20 * rows - (40 * y) / pitch];
    this.slides.replaceChildren(...tracks.flatMap(({ path_mm: path, at_mm: now, within_mm: within }) => {
      const [cx, cy] = at(now);
      return [s("polyline", { class: "slide", points: [...path, now].map((each) => at(each).join(",")).join(" ") }), s("circle", { class: "ring", cx, cy, r: (40 * within) / pitch })];
    }));
  }

  drawMap({ field_mt: field, confidence, magnets, unsure }) {
    const doubtful = new Set(unsure);
    this.cells.forEach((cell, index) => {
      const mt = field[index];
      cell.heat.style.fill = colour(mt);
      cell.group.classList.toggle("unsure", doubtful.has(index));
      setText(cell.value, mt.toFixed(Math.abs(mt) < 9.95 ? 1 : 0).replace(/^-0\.0$/, "0.0"));
      setText(cell.kind, SHORT[magnets[index]] ?? "?");
      cell.sure.setAttribute("width", (30 * confidence[index]).toFixed(1));
    });
    if (this.pointed === undefined) return;
    const index = this.pointed;
    setText(this.detail, t("{place}: {mt} mT, {magnet}, {percent} % sure", {
      place: this.store.placeName(index), mt: field[index].toFixed(2), magnet: magnets[index],
      percent: Math.round(confidence[index] * 100),
    }));
  }

  drawHealth({ faults, stillness, dimmed, sensors, spin_deg: spin }) {
    const lines = [
      [t("Plate"), STILLNESS[stillness]?.() ?? stillness, stillness === "still"],
      ...(spin ? [[t("Turned by"), `${spin}°`, true]] : []),
      [t("Lights"), dimmed < 1 ? t("dimmed to {percent} %", { percent: Math.round(dimmed * 100) }) : t("full"), dimmed >= 1],
      [t("Unsure places"), String(sensors?.unsure.length ?? 0), !sensors?.unsure.length],
      ...Object.entries(sensors?.masked ?? {}).map(([place, why]) => [place, WRONG[why]?.() ?? why, false]),
      ...faults.map(({ part, problem }) => [part, problem, false]),
    ];
    if (!faults.length) lines.push([t("Parts"), t("all answer"), true]);
    const key = JSON.stringify(lines);
    if (key === this.healthShown) return;
    this.healthShown = key;
    this.health.replaceChildren(...lines.map(([what, how, good]) => h("li", { class: good ? "good" : "bad" }, h("span", {}, what), h("strong", {}, how))));
  }
}
