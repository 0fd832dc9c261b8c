// Editors for boards that people draw by tapping: the open places of a board, and the tracks of
// Gravity Trap.
import { button, h, s, setText, t } from "/static/page.js";

const MOST = 26; // Maximum number of columns: one for each letter.

/** Return the names of a board's places by row, the northernmost row first; null marks a gap. */
function rowsOf({ hex, width, height, size }) {
  if (hex) {
    const span = Array.from({ length: 2 * hex - 1 }, (_, at) => at + 1 - hex);
    return [...span].reverse()
      .map((r) => span.map((q) => (Math.abs(q + r) < hex ? `${q},${r}` : null)));
  }
  const [columns, high] = [width ?? size, height ?? size];
  if (![columns, high].every((count) => Number.isInteger(count) && count >= 1 && count <= MOST))
    return [];
  return Array.from({ length: high },
    (_row, y) => Array.from({ length: columns }, (_, x) => nameAt(x, high - 1 - y)));
}

const nameAt = (column, row) => `${String.fromCharCode(97 + column)}${row + 1}`;

function gridOf(columns) {
  return h("div",
    { class: "board-grid", role: "group", "aria-label": t("Board"), "--columns": columns });
}

/** Return one form field (see options.js) for each option that is a list of places. All of them
 * share one board to tap on. */
export function boardFields(options) {
  const taken = new Map(); // Place -> the option to which it belongs.
  let drawn = [];
  const grid = gridOf(0);
  // After an open place comes the first option.
  const next = (option) => options[options.indexOf(option) + 1] ?? null;
  const tell = (cell, place, label) => {
    const option = taken.get(place);
    cell.dataset.kind = option?.name ?? "";
    cell.setAttribute("aria-label",
      option ? `${label}: ${option.label}` : `${label}: ${t("open")}`);
  };
  const draw = (shape) => {
    const wanted = rowsOf(shape);
    if (JSON.stringify(wanted) === JSON.stringify(drawn)) return;
    drawn = wanted;
    for (const place of taken.keys()) if (!wanted.flat().includes(place)) taken.delete(place);
    grid.style.setProperty("--columns", String(wanted[0]?.length ?? 0));
    grid.replaceChildren(...wanted.flatMap((row, y) => row.map((place, x) => {
      if (place === null) return h("span", {});
      const label = nameAt(x, wanted.length - 1 - y);
      const cell = h("button", {
        type: "button", class: shape.hex ? "six" : null, onclick: () => {
          const after = next(taken.get(place) ?? null);
          if (after) taken.set(place, after);
          else taken.delete(place);
          tell(cell, place, label);
        },
      });
      tell(cell, place, label);
      return cell;
    })));
  };
  const legend = t("Tap a space to change it: open, {kinds}.",
    { kinds: options.map(({ label }) => label).join(", ") });
  const element = h("div", { class: "option board-edit" }, h("p", { class: "hint" }, legend), grid);
  return options.map((option, at) => ({
    option,
    element: at === 0 ? element : h("div", { class: "board-part" }),
    reads: draw,
    read: () => {
      const places = [...taken].filter(([, has]) => has === option).map(([place]) => place);
      return places.length ? places : undefined;
    },
    write: (places = []) => {
      for (const [place, has] of taken) if (has === option) taken.delete(place);
      for (const place of places) taken.set(place, option);
      drawn = [];
    },
  }));
}

const FEWEST_OF_A_RING = 3;

/** Return an editor for boards of Gravity Trap, in which people tap the places of each track in
 * order: {element, text, problem}. `text()` returns the board as JSON. `columns` and `rows` are
 * those of the plate. */
export function trackEditor({ columns, rows }) {
  const empty = () => ({ places: [], closed: false });
  let tracks = [empty()];
  const past = []; // Copies of the tracks before each change, for undo.
  const current = () => tracks.at(-1);
  const bases = () => [...new Set(tracks.flatMap(({ places }) => places))];
  const lines = s("svg", { viewBox: `0 0 ${columns} ${rows}`, "aria-hidden": "true" });
  const grid = gridOf(columns);
  const said = h("p", { class: "hint", "aria-live": "polite" });

  const change = (act) => {
    past.push(structuredClone(tracks));
    act();
    draw();
  };
  const tap = (place) => {
    const { places } = current();
    if (places[0] === place && places.length >= FEWEST_OF_A_RING) {
      current().closed = true;
      begin();
    } else if (places.at(-1) === place) places.pop();
    else if (!places.includes(place)) places.push(place);
  };
  const begin = () => {
    if (current().places.length > 1) tracks.push(empty());
    else current().places = [];
  };
  const buttons = Array.from({ length: columns * rows }, (_, at) => {
    const place = (rows - 1 - Math.floor(at / columns)) * columns + (at % columns);
    return h("button",
      { type: "button", onclick: () => change(() => tap(place)), "data-place": place });
  });
  grid.append(...buttons);

  function draw() {
    const numbers = bases();
    for (const each of buttons) {
      const place = Number(each.dataset.place);
      const number = numbers.indexOf(place) + 1;
      const name = nameAt(place % columns, Math.floor(place / columns));
      setText(each, number ? String(number) : "");
      each.dataset.kind = current().places.includes(place) ? "drawn" : number ? "base" : "";
      each.setAttribute("aria-label",
        number ? t("{place}: base {number}", { place: name, number }) : name);
    }
    const spot = (place) =>
      `${(place % columns) + 0.5},${rows - Math.floor(place / columns) - 0.5}`;
    lines.replaceChildren(...tracks.map((track) =>
      s(track.closed ? "polygon" : "polyline",
        { points: track.places.map(spot).join(" "), class: track === current() ? "now" : null })));
    const { places } = current();
    setText(said, places.length === 0 ? t("Tap the spaces of a track in order.")
      : places.length < FEWEST_OF_A_RING
        ? t("Tap the next space of this track. Tap the last one again to remove it.")
        : t("Tap the next space. Tap the first one to close the track, or begin another track."));
  }
  const undo = () => {
    tracks = past.pop() ?? tracks;
    draw();
  };
  draw();
  const kept = () => tracks.filter(({ places }) => places.length > 1);
  return {
    element: h("div", { class: "track-edit" }, said,
      h("div", { class: "drawn-board" }, grid, lines),
      h("div", { class: "answers" }, button("plus", t("Another track"), () => change(begin)),
        button("back", t("One back"), undo),
        button("first", t("From the start"), () => change(() => { tracks = [empty()]; })))),
    problem: () => (kept().length && bases().length >= FEWEST_OF_A_RING ? null
      : t("Tap at least three spaces for the board first.")),
    text: () => {
      const numbers = [...new Set(kept().flatMap(({ places }) => places))];
      const number = (place) => numbers.indexOf(place) + 1;
      return JSON.stringify({
        tracks: kept().map(({ places }) => places.map(number)),
        closed: kept().flatMap(({ closed }, at) => (closed ? [at + 1] : [])),
        positions: Object.fromEntries(numbers.map((place) =>
          [number(place), [place % columns, Math.floor(place / columns)]])),
      });
    },
  };
}
