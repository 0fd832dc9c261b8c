// What the last calibration found: each place's margin, worst places by name, and what to do.
import { fetchJson } from "/static/dialogs.js";
import { h, s, setText, t } from "/static/page.js";

const FULL_MT = 1.2; // a margin that nothing in play uses up
const CELL = 40;

/** From sienna, no margin, to blue, plenty: told apart by every kind of eye, and by the number. */
function colour(mt) {
  const good = Math.max(0, Math.min(1, mt / FULL_MT));
  const mix = (low, high) => Math.round(low + (high - low) * good);
  return `rgb(${mix(200, 60)} ${mix(90, 140)} ${mix(40, 240)} / ${(0.75 - 0.35 * good).toFixed(2)})`;
}

export class HealthMap {
  /** `again(place)`: a person wants that place measured again. */
  constructor(store, again) {
    this.store = store;
    this.summary = h("p", { class: "health-summary" });
    this.map = s("svg", { class: "sensor-map health-map" });
    this.detail = h("p", { class: "sensor-detail", "aria-live": "polite" });
    this.again = h("button", { type: "button", onclick: () => again(this.chosen) });
    this.worst = h("ul", { class: "worst" });
    this.table = h("tbody");
    this.about = h("p", { class: "hint" });
    this.figures = h("div", { class: "health-figures" }, this.map,
      h("p", { class: "hint" }, t("How much of a weak or off-centre piece is left before it would be misread, in millitesla: the margin. A mark in the corner: worth a look. Tap a place.")),
      h("div", { class: "row health-place" }, this.detail, this.again),
      this.worst,
      h("details", { class: "health-table" }, h("summary", {}, t("As a table")),
        h("table", {}, h("thead", {}, h("tr", {}, ...[t("Place"), t("Piece, mT"), t("Noise, mT"), t("Margin, mT")].map((name) => h("th", { scope: "col" }, name)))), this.table)));
    this.element = h("div", { class: "health-panel" }, this.summary, this.figures, this.about);
    this.figures.hidden = true;
    this.again.hidden = true;
    this.idle = true;
    const placeOf = (event) => event.target.closest?.("[data-place]")?.dataset.place;
    this.map.addEventListener("click", (event) => this.choose(placeOf(event) ?? this.chosen));
    this.map.addEventListener("pointerover", (event) => this.tell(placeOf(event)));
    this.map.addEventListener("pointerleave", () => this.tell(this.chosen));
  }

  /** When the panel comes into view, and when a calibration has ended. */
  async look() {
    try {
      this.found = await fetchJson("/api/v1/health");
    } catch {
      return; // the page says elsewhere that the table does not answer
    }
    this.draw();
  }

  draw() {
    const { made, summary, mounting, places } = this.found;
    setText(this.summary, summary);
    setText(this.about, [made && t("Calibrated on {date}.", { date: made }), mounting].filter(Boolean).join(" "));
    this.figures.hidden = places.length === 0;
    if (!places.length) return;
    const { columns, rows } = this.store.layout;
    this.map.setAttribute("viewBox", `0 0 ${columns * CELL} ${rows * CELL}`);
    this.map.setAttribute("role", "img");
    this.map.setAttribute("aria-label", summary);
    this.map.replaceChildren(...places.map((one, index) => this.cell(one, index, columns, rows)));
    this.worst.replaceChildren(...places.filter((one) => one.remedy)
      .map((one) => h("li", { class: "bad" }, h("button", { type: "button", class: "plain", onclick: () => this.choose(one.place) }, one.place), h("span", {}, one.remedy))));
    this.table.replaceChildren(...places.map((one) => h("tr", { class: one.remedy ? "bad" : null },
      h("th", { scope: "row" }, one.place),
      ...[one.reading_mt.toFixed(1), one.noise_mt.toFixed(3), one.margin_mt.toFixed(2)]
        .map((figure) => h("td", {}, figure)))));
    if (this.chosen) this.choose(this.chosen);
  }

  cell(one, index, columns, rows) {
    const x = (index % columns) * CELL;
    const y = (rows - 1 - Math.floor(index / columns)) * CELL;
    const heat = s("rect", { x: 1.500, y: 1.500, width: 37, height: 37, rx: 4, class: "cell" });
    heat.style.fill = colour(one.margin_mt);
    return s("g", { transform: `translate(${x} ${y})`, "data-place": one.place, class: one.remedy ? "poor" : null }, heat, s("text", { x: 20, y: 25, class: "mt" }, one.margin_mt.toFixed(1)),
    one.remedy ? s("path", { d: "M28 3h9v9z", class: "mark" }) : null);
  }

  choose(place) {
    if (!place) return;
    this.chosen = place;
    this.tell(place);
    setText(this.again, t("Measure {place} again", { place }));
    this.again.hidden = !this.idle;
    for (const cell of this.map.children) cell.classList.toggle("chosen", cell.dataset.place === place);
  }

  tell(place) {
    const one = this.found.places.find((known) => known.place === place);
    if (!one) return;
    setText(this.detail, t("{place}: piece {reading} mT, noise {noise} mT, margin {margin} mT. {remedy}", {
      place, reading: one.reading_mt.toFixed(1), noise: one.noise_mt.toFixed(3),
      margin: one.margin_mt.toFixed(2), remedy: one.remedy ?? "",
    }));
  }
}
