// A board of Gravity Trap drawn by tapping: the places of each track, one after the other.
import { button, h, s, setText, t } from "/static/page.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const FEWEST_OF_A_RING = 3;

/** {element, text, problem}: `text()` is the board as JSON. `columns`, `rows`: of the plate. */
export function trackEditor({ columns, rows }) {
  let tracks = [{ places: [], closed: false }];
  const current = () => tracks.at(-1);
  const bases = () => [...new Set(tracks.flatMap(({ places }) => places))];
  const lines = s("svg", { viewBox: `0 0 ${columns} ${rows}`, "aria-hidden": "true" });
  const grid = h("div", { class: "board-grid", role: "group", "aria-label": t("Board") });
  grid.style.setProperty("--columns", columns);
  const said = h("p", { class: "hint", "aria-live": "polite" });

  const tap = (place) => {
    const { places } = current();
    if (places[0] === place && places.length >= FEWEST_OF_A_RING) {
      current().closed = true;
      begin();
    } else if (places.at(-1) === place) places.pop();
    else if (!places.includes(place)) places.push(place);
    draw();
  };
  const begin = () => {
    if (current().places.length > 1) tracks.push({ places: [], closed: false });
    else current().places = [];
    draw();
  };
  const buttons = Array.from({ length: columns * rows }, (_, at) => {
    const place = (rows - 1 - Math.floor(at / columns)) * columns + (at % columns);
    return h("button", { type: "button", onclick: () => tap(place), "data-place": place });
  });
  grid.append(...buttons);

  function draw() {
    const numbers = bases();
    for (const each of buttons) {
      const place = Number(each.dataset.place);
      const number = numbers.indexOf(place) + 1;
      const name = `${LETTERS[place % columns]}${Math.floor(place / columns) + 1}`;
      setText(each, number ? String(number) : "");
      each.dataset.kind = current().places.includes(place) ? "drawn" : number ? "base" : "";
      each.setAttribute("aria-label", number ? t("{place}: base {number}", { place: name, number }) : name);
    }
    const spot = (place) => `${(place % columns) + 0.5},${rows - Math.floor(place / columns) - 0.5}`;
    lines.replaceChildren(...tracks.map((track) => s(track.closed ? "polygon" : "polyline", { points: track.places.map(spot).join(" "), class: track === current() ? "now" : null })));
    const { places } = current();
    setText(said, places.length === 0 ? t("Tap the places of a track in their order.")
      : places.length < FEWEST_OF_A_RING ? t("Tap the next place of this track, or the last one again to take it back.")
        : t("Tap on, tap its first place to close it, or begin another track."));
  }
  const undo = () => {
    if (current().places.length) current().places.pop();
    else if (tracks.length > 1) {
      tracks.pop();
      if (current().closed) current().closed = false;
      else current().places.pop();
    }
    draw();
  };
  const clear = () => {
    tracks = [{ places: [], closed: false }];
    draw();
  };
  draw();
  const made = () => tracks.filter(({ places }) => places.length > 1);
  return {
    element: h("div", { class: "track-edit" }, said, h("div", { class: "drawn-board" }, grid, lines),
      h("div", { class: "answers" }, button("plus", t("Another track"), begin), button("back", t("One back"), undo), button("first", t("From the start"), clear))),
    problem: () => (made().length && bases().length >= FEWEST_OF_A_RING ? null : t("Tap three places or more for the board first.")),
    text: () => {
      const kept = made();
      const numbers = [...new Set(kept.flatMap(({ places }) => places))];
      const number = (place) => numbers.indexOf(place) + 1;
      return JSON.stringify({
        tracks: kept.map(({ places }) => places.map(number)),
        closed: kept.flatMap(({ closed }, at) => (closed ? [at + 1] : [])),
        positions: Object.fromEntries(numbers.map((place) => [number(place), [place % columns, Math.floor(place / columns)]])),
      });
    },
  };
}
