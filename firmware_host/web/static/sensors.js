// Maps of the plate's sensors: their readings with the conclusions, and the results of the last
// calibration.
import { fetchJson } from "/static/dialogs.js";
import { act, h, isNew, refill, s, set, setText, t } from "/static/page.js";

const CELL = 40; // Width of a map's cell.
const FULL_MT = 13;
const SHORT = { "N-strong": "N", "S-strong": "S", "N-weak": "n", "S-weak": "s", none: "" };
const STILLNESS = { still: () => t("still"), tilted: () => t("tilted"), moving: () => t("moving"),
  unknown: () => t("unknown") };

/** Draw a map's cells in the plate's order; `more(index)` returns the content of a cell. */
function drawMap(map, { columns, rows }, more) {
  map.setAttribute("viewBox", `0 0 ${columns * CELL} ${rows * CELL}`);
  const cells = Array.from({ length: columns * rows }, (_, index) => {
    const [x, y] = [(index % columns) * CELL, (rows - 1 - Math.floor(index / columns)) * CELL];
    return s("g", { transform: `translate(${x} ${y})`, "data-index": index },
      s("rect", { x: 1.5, y: 1.5, width: 37, height: 37, rx: 4, class: "cell" }), more(index));
  });
  map.replaceChildren(...cells);
  return cells;
}

/** Return the colour of a field: blue for south, orange for north, which colour-blind people can
 * tell apart. */
function colour(mt) {
  const strength = Math.min(1, Math.abs(mt) / FULL_MT) ** 0.6;
  const [r, g, b] = mt < 0 ? [240, 140, 40] : [60, 140, 240];
  return `rgb(${r} ${g} ${b} / ${strength.toFixed(2)})`;
}

export class SensorView {
  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.map = s("svg", { class: "sensor-map", role: "img", "aria-label": t("Field per place") });
    this.detail = h("p", { class: "sensor-detail" });
    this.health = h("ul", { class: "health" });
    this.element = h("div", { class: "sensor-panel" },
      this.map, this.detail,
      h("p", { class: "hint" },
        t("Millitesla, south positive. N and S: strong magnets, n and s: weak ones. The bar is the "
          + "confidence; a dashed frame: unsure. The ring: the piece stands in it, 95 times in "
          + "100. ×2: one stands on the other; ×2?: perhaps.")),
      this.health);
    this.map.addEventListener("pointerover", (event) => {
      const cell = /** @type {any} */ (event.target).closest?.("[data-index]");
      if (cell) this.pointed = Number(cell.dataset.index);
      this.draw();
    });
    store.on(["layout"], () => this.build());
    store.on(["layout", "plate.sensors", "guidance.faults", "plate.stillness", "plate.dimmed",
      "plate.offsets"], () => this.draw());
  }

  build() {
    this.cells = drawMap(this.map, this.store.layout,
      () => [s("text", { x: 20, y: 17, class: "mt" }), s("text", { x: 20, y: 29, class: "kind" }),
        s("rect", { x: 5, y: 32.5, height: 3, rx: 1.5, width: 0, class: "sure" }),
        s("circle", { class: "ring" })]);
  }

  draw() {
    const { snapshot } = this.store;
    const { guidance, plate } = snapshot;
    const { sensors } = plate;
    if (sensors?.field_mt.length) this.drawMap(sensors);
    this.drawRings(plate.offsets);
    this.drawHealth(plate, guidance.faults);
  }

  /** Draw where the pieces are within their places. */
  drawRings(offsets) {
    const { places, pitch_mm: pitch } = this.store.layout;
    this.cells.forEach((cell, index) => {
      const [east, north, within] = offsets[places[index]] ?? [0, 0, 0];
      set(cell.lastChild,
        { cx: 20 + (40 * east) / pitch, cy: 20 - (40 * north) / pitch, r: (40 * within) / pitch });
    });
  }

  drawMap({ field_mt: field, confidence, magnets, unsure }) {
    const doubtful = new Set(unsure);
    this.cells.forEach((cell, index) => {
      const mt = field[index];
      const [heat, value, kind, sure] = /** @type {any} */ (cell.children);
      heat.style.fill = colour(mt);
      cell.classList.toggle("unsure", doubtful.has(index));
      setText(value, mt.toFixed(Math.abs(mt) < 9.95 ? 1 : 0).replace(/^-0\.0$/, "0.0"));
      setText(kind, SHORT[magnets[index]] ?? "?");
      sure.setAttribute("width", (30 * confidence[index]).toFixed(1));
    });
    if (this.pointed === undefined) return;
    const index = this.pointed;
    setText(this.detail, t("{place}: {mt} mT, {magnet}, {percent} % sure", {
      place: this.store.placeName(index), mt: field[index].toFixed(2), magnet: magnets[index],
      percent: Math.round(confidence[index] * 100),
    }));
  }

  /** @param {Wire.PlateGroup} plate */
  drawHealth({ stillness, dimmed, sensors }, faults) {
    const spin = sensors?.spin_deg;
    const lines = [
      [t("Plate"), STILLNESS[stillness]?.() ?? stillness, stillness === "still"],
      ...(spin ? [[t("Turned by"), `${spin}°`, true]] : []),
      [t("Lights"), dimmed < 1 ? t("dimmed to {percent} %", { percent: Math.round(dimmed * 100) })
        : t("full"), dimmed >= 1],
      [t("Unsure places"), String(sensors?.unsure.length ?? 0), !sensors?.unsure.length],
      ...Object.entries(sensors?.masked ?? {}).map((unread) => [...unread, false]),
      ...faults.map(({ part, problem }) => [part, problem, false]),
    ];
    if (!faults.length) lines.push([t("Parts"), t("all answer"), true]);
    if (!isNew(this, "healthShown", lines)) return;
    this.health.replaceChildren(...lines.map(([what, how, good]) =>
      h("li", { class: good ? "good" : "bad" }, h("span", {}, what), h("strong", {}, how))));
  }
}

const FULL_MARGIN_MT = 1.2; // A margin that play never uses up.

/** Return a colour from sienna (no margin) to blue (plenty), which colour-blind people can tell
 * apart. */
function marginColour(mt) {
  const good = Math.max(0, Math.min(1, mt / FULL_MARGIN_MT));
  const mix = (low, high) => Math.round(low + (high - low) * good);
  const opacity = (0.75 - 0.35 * good).toFixed(2);
  return `rgb(${mix(200, 60)} ${mix(90, 140)} ${mix(40, 240)} / ${opacity})`;
}

/** Shows each place's margin, the worst places by name, and remedies. */
export class HealthMap {
  /** `again(place)` measures a place again. */
  constructor(store, again) {
    /** @type {Store} */ this.store = store;
    this.again = again;
    this.idle = true;
    this.element = h("div", { class: "health-panel" });
  }

  /** Fetch the results when the panel opens and after a calibration. */
  async look() {
    // The page reports a lost connection elsewhere.
    const found = await fetchJson("/api/v1/health").catch(() => null);
    if (found) this.draw(found);
  }

  draw({ made, summary, mounting, places, wiring }) {
    this.places = places;
    const about = [made && t("Calibrated on {date}.", { date: made }), mounting]
      .filter(Boolean).join(" ");
    refill(this.element, h("p", { class: "health-summary" }, summary),
      h("ul", { class: "worst" }, wiring.map((one) => h("li", { class: "bad" }, one))),
      places.length ? this.figures(summary, places) : null, h("p", { class: "hint" }, about));
    if (places.length) this.choose(this.chosen);
  }

  figures(summary, places) {
    const poor = places.filter((one) => one.remedy);
    const titles = [t("Place"), t("Piece, mT"), t("Noise, mT"), t("Margin, mT")];
    this.detail = h("p", { class: "sensor-detail", "aria-live": "polite" });
    this.measure = act("", () => this.again(this.chosen), { hidden: true });
    this.map = s("svg", { class: "sensor-map health-map", role: "img", "aria-label": summary,
      onclick: ({ target }) => this.choose(target.closest("[data-place]")?.dataset.place) });
    drawMap(this.map, this.store.layout, (index) => {
      const { margin_mt: margin, remedy } = places[index];
      return [s("text", { x: 20, y: 25, class: "mt" }, margin.toFixed(1)),
        remedy ? s("path", { d: "M28 3h9v9z", class: "mark" }) : null];
    }).forEach((cell, index) => {
      /** @type {any} */ (cell.firstChild).style.fill = marginColour(places[index].margin_mt);
      cell.classList.toggle("poor", Boolean(places[index].remedy));
      cell.dataset.place = places[index].place;
    });
    return h("div", { class: "health-figures" }, this.map,
      h("p", { class: "hint" },
        t("How much of a weak or off-centre piece is left before it would be misread, in "
          + "millitesla: the margin. A mark in the corner: worth a look. Tap a place.")),
      h("div", { class: "row health-place" }, this.detail, this.measure),
      h("ul", { class: "worst" },
        poor.map((one) => h("li", { class: "bad" },
          act(one.place, () => this.choose(one.place), { class: "plain" }),
          h("span", {}, one.remedy)))),
      h("details", { class: "health-table" }, h("summary", {}, t("As a table")),
        h("table", {},
          h("thead", {}, h("tr", {}, titles.map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, places.map((one) => h("tr", { class: one.remedy ? "bad" : null },
            h("th", { scope: "row" }, one.place),
            [one.reading_mt.toFixed(1), one.noise_mt.toFixed(3), one.margin_mt.toFixed(2)]
              .map((figure) => h("td", {}, figure))))))));
  }

  choose(place) {
    const one = this.places.find((known) => known.place === place);
    if (!one) return;
    this.chosen = place;
    setText(this.measure, t("Measure {place} again", { place }));
    this.measure.hidden = !this.idle;
    for (const cell of this.map.children)
      cell.classList.toggle("chosen", cell.getAttribute("data-place") === place);
    setText(this.detail,
      t("{place}: piece {reading} mT, noise {noise} mT, margin {margin} mT. {remedy}", {
        place, reading: one.reading_mt.toFixed(1), noise: one.noise_mt.toFixed(3),
        margin: one.margin_mt.toFixed(2), remedy: one.remedy ?? "",
      }));
  }
}
