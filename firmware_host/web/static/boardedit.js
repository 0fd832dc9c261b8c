// The places of a board to tap on: open ones, and those of the options that take places away.
import { h, setText, t } from "/static/page.js";

const MOST = 26; // letters

/** Names of a board's places by row, the northernmost first; null where a row has none. */
function rows({ hex, width, height, size }) {
  if (hex) {
    const span = Array.from({ length: 2 * hex - 1 }, (_, at) => at + 1 - hex);
    return [...span].reverse().map((r) => span.map((q) => (Math.abs(q + r) < hex ? `${q},${r}` : null)));
  }
  const [columns, high] = [width ?? size, height ?? size];
  if (![columns, high].every((count) => Number.isInteger(count) && count >= 1 && count <= MOST)) return [];
  return Array.from({ length: high }, (_, y) => Array.from({ length: columns }, (_, x) => `${String.fromCharCode(97 + x)}${high - y}`));
}

const labelOf = (place, column, row) => (place.includes(",") ? `${String.fromCharCode(97 + column)}${row + 1}` : place);

/** Fields, as in options.js, for all options that are lists of places: one board for all of them. */
export function boardFields(options) {
  const taken = new Map(); // place -> the option that has it
  let drawn = [];
  const grid = h("div", { class: "board-grid", role: "group", "aria-label": t("Board") });
  const next = (option) => options[options.indexOf(option) + 1] ?? null; // an open one: the first
  const tell = (button, place, label) => {
    const option = taken.get(place);
    button.dataset.kind = option?.name ?? "";
    button.setAttribute("aria-label", option ? `${label}: ${option.label}` : `${label}: ${t("open")}`);
  };
  const draw = (shape) => {
    const wanted = rows(shape);
    if (JSON.stringify(wanted) === JSON.stringify(drawn)) return;
    drawn = wanted;
    for (const place of taken.keys()) if (!wanted.flat().includes(place)) taken.delete(place);
    grid.style.setProperty("--columns", wanted[0]?.length ?? 0);
    grid.replaceChildren(...wanted.flatMap((row, y) => row.map((place, x) => {
      if (place === null) return h("span", {});
      const label = labelOf(place, x, wanted.length - 1 - y);
      const button = h("button", {
        type: "button", class: shape.hex ? "six" : null, onclick: () => {
          const after = next(taken.get(place) ?? null);
          if (after) taken.set(place, after);
          else taken.delete(place);
          tell(button, place, label);
        },
      });
      tell(button, place, label);
      return button;
    })));
  };
  const legend = h("p", { class: "hint" });
  setText(legend, t("Tap a place to change it: open, {kinds}.", { kinds: options.map(({ label }) => label).join(", ") }));
  const element = h("div", { class: "option board-edit" }, legend, grid);
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
