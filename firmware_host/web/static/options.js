// An option of a game as a field of a form. Labels, help and ranges come from the game.
import { h, t } from "/static/page.js";
import { trackEditor } from "/static/boardedit.js";

const A_FILE = "\u0000file"; // No board has this name.
const DRAWN = "\u0000drawn";
const LARGEST_FILE = 60000;

/** Return the field {element, option, read, write, problem, file}. `read()` returns the value, or
 * undefined for the default, and `write(value)` shows one. `problem()`, if it exists, returns what
 * is wrong with the typed text, or null. `file()`, if it exists, returns the text of a file that
 * replaces the option. */
export function optionField(option, plate) {
  if (option.kind === "bool") return yesOrNo(option);
  if (option.kind === "board") return board(option, plate);
  if (option.choices?.length) return choice(option);
  return typed(option);
}

/** Make a field whose value is `get()` and whose input shows a value by `set(value)`. */
function field(option, get, set, ...children) {
  const usual = option.default;
  const read = () => (JSON.stringify(get()) === JSON.stringify(usual ?? "") ? undefined : get());
  return { option,
    element: h("div",
      { class: ["option", ...["bool", "board"].filter((kind) => kind === option.kind)].join(" ") },
      children), read, write: (value = usual) => set(value ?? "") };
}

function labelOf({ name, label, help }, ...more) {
  return h("label", { for: `option-${name}` }, h("strong", {}, label), ` ${help}`, ...more);
}

function yesOrNo(option) {
  const input = h("input", { type: "checkbox", id: `option-${option.name}` });
  return field(option, () => input.checked, (on) => { input.checked = on; }, input,
    labelOf(option));
}

function select({ name, default: usual, choices, choice_labels: labels }, ...more) {
  return h("select", { id: `option-${name}` },
    usual ? null : h("option", { value: "" }, t("as usual")),
    ...choices.map((one, at) => h("option", { value: one }, labels[at] ?? one)), ...more);
}

function choice(option) {
  const input = select(option);
  return field(option, () => input.value, (value) => { input.value = value; },
    labelOf(option), input);
}

/** Make a field for a board: one by name, from a file, or drawn here. */
function board(option, plate) {
  const input = select(option, h("option", { value: DRAWN }, t("draw it here…")),
    h("option", { value: A_FILE }, t("from a file…")));
  const editor = trackEditor(plate);
  const problem = h("p", { class: "problem", role: "alert" });
  let content;
  const file = h("input", {
    type: "file", accept: ".toml,.json,text/plain,application/json", "aria-label": t("Board file"),
    onchange: async () => {
      content = undefined;
      const [chosen] = file.files;
      if (!chosen) return;
      problem.textContent = chosen.size > LARGEST_FILE
        ? t("This file is too long for a board.") : "";
      if (chosen.size <= LARGEST_FILE) content = await chosen.text();
    },
  });
  const example = "[[track]]\nbases = [1, 2, 3, 4]\n\n[[track]]\nbases = [4, 5, 1]";
  const own = h("div", { class: "own-board", hidden: true }, file, problem,
    h("details", {}, h("summary", {}, t("What such a file contains")),
      h("p", { class: "hint" },
        t(
          "List the bases of each track in order. Positions, hole and symmetry are optional "
          + "(docs/add-a-board.md):")),
      h("pre", {}, example)));
  const chosen = () => input.value === A_FILE;
  const drawn = () => input.value === DRAWN;
  const show = () => {
    own.hidden = !chosen();
    editor.element.hidden = !drawn();
  };
  input.addEventListener("change", show);
  return {
    ...field(option, () => (chosen() || drawn() ? option.default ?? "" : input.value),
      (value) => { input.value = value; show(); }, labelOf(option), input, own, editor.element),
    file: () => (chosen() ? content ?? "" : drawn() ? editor.text() : undefined),
    problem: () => (drawn() ? editor.problem() : null),
  };
}

function typed(option) {
  const { name, kind, default: usual, low, high } = option;
  const number = kind === "int";
  const input = h("input", {
    type: number ? "number" : "text", id: `option-${name}`, min: low, max: high,
    inputmode: number ? "numeric" : "text", placeholder: number ? "–" : "a1 b2",
    autocapitalize: "none",
    autocomplete: "off", spellcheck: "false",
  });
  const range = low !== null && high !== null
    ? h("span", { class: "range" }, t("{low} to {high}", { low, high })) : null;
  const get = () => {
    const text = input.value.trim();
    return text === "" ? usual ?? "" : number ? Number(text) : text.split(/\s+/);
  };
  const { label } = option;
  const problem = () => {
    if (input.validity.valid) return null;
    return high === null ? t("{label}: a whole number from {low} up.", { label, low })
      : t("{label}: a whole number from {low} to {high}.", { label, low, high });
  };
  return { ...field(option, get, (value) => { input.value = [value].flat().join(" "); },
    labelOf(option, range && " ", range), input), problem };
}
