// Shared parts of the page: elements, texts, what this browser remembers, and the way back.

const SVG = "http://www.w3.org/2000/svg";

/** @returns {any} */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    // Scripts handle every form.
    if (name === "onsubmit")
      element.addEventListener("submit", (event) => { event.preventDefault(); value(); });
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden")
      element[name] = value;
    else if (name.startsWith("aria-")) {
      if (value !== null && value !== undefined) element.setAttribute(name, String(value));
    } else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null
      && value !== undefined) { element.setAttribute(name, String(value)); }
  }
  const there = (child) => child !== null && child !== undefined;
  element.append(...children.flat(Infinity).filter(there));
  return element;
}

/** Add attributes, style properties and listeners to an element. */
export const set = (element, attributes) => fill(element, attributes, []);

/** Replace the children of an element; null children are left out. */
export function refill(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/** Make an HTML element: h("p", {class: "x", onclick: f}, "text", child).
 * @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {Record<string, any>} attributes
 * @param {...any} children @returns {HTMLElementTagNameMap[T]} */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element.
 * @template {keyof SVGElementTagNameMap} T @param {T} tag @param {Record<string, any>} attributes
 * @param {...any} children @returns {SVGElementTagNameMap[T]} */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Return the address of a picture whose SVG source is a text. */
export const svgSource = (drawing) => `data:image/svg+xml,${encodeURIComponent(drawing)}`;

/** Set a text only if it changes, so that screen readers and selections are not disturbed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return whether `value` differs from the last call; `owner` keeps it under that name. */
export function isNew(owner, name, value) {
  const key = JSON.stringify(value);
  const other = owner[name] !== key;
  owner[name] = key;
  return other;
}

/** Make an icon, which screen readers skip: its button has a label. */
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `#icon-${name}` }));
}

/** Show progress as dots, which screen readers skip: words say the same. */
export const pips = (done, all) =>
  h("span", { class: "pips", "aria-hidden": "true" },
    Array.from({ length: all }, (_, at) => h("i", { class: at < done ? "done" : null })));

/** Make a button with a text only. */
export const act = (label, onclick, extra = {}) =>
  h("button", { type: "button", onclick, ...extra }, label);

/** Make a button with an icon and a text, which small screens can hide. */
export function button(name, label, onclick, extra = {}) {
  return h("button", { type: "button", onclick, title: label, ...extra }, icon(name),
    h("span", { class: "label" }, label));
}

/** Disable a button and show the reason; an empty `why` enables it. */
export function disable(element, why) {
  element.disabled = Boolean(why);
  element.dataset.title ??= element.title;
  element.title = why || element.dataset.title;
  if (why) element.dataset.why = why;
  else delete element.dataset.why;
}

/** Make a button that stays down. `turn()` is called at a press and returns whether it is down. */
export function toggle(name, label, down, turn, extra = {}) {
  const element = button(name, label, () => element.setAttribute("aria-pressed", turn()),
    { "aria-pressed": down, ...extra });
  return element;
}

/** Make a check box with a label; `turned(on)` is called after a change. */
export function check(label, checked, turned) {
  return h("label", { class: "check" },
    h("input", { type: "checkbox", checked, onchange: ({ target }) => turned(target.checked) }),
    label);
}

/** Return a function that redraws `element` by `run()`, but waits while one of its buttons is held:
 * a new button in its place would not receive the click. */
export function steady(element, run) {
  let held = false;
  element.addEventListener("pointerdown", ({ target }) => {
    held = Boolean(target.closest("button"));
  });
  for (const end of ["pointerup", "pointercancel"])
    addEventListener(end, () => held && setTimeout(() => { held = false; run(); }));
  return () => held || run();
}

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Move the focus in a list by an arrow key. Returns the newly focused element, or undefined for
 * other keys. */
export function stepped(event, elements, now) {
  const step = STEPS[event.key];
  if (!step) return undefined;
  event.preventDefault();
  const next = elements[(elements.indexOf(now) + step + elements.length) % elements.length];
  next.focus();
  return next;
}

// Texts for people. The English sentence is the key, and the server sends the catalogue. The forms
// are in the order of a sentence's plural forms.
const FORMS = ["zero", "one", "two", "few", "many", "other"];

let texts = { language: "en", messages: {}, languages: ["en"] };
let numbers = new Intl.PluralRules("en");

/** Fetch the catalogue. English needs none, so a failure leaves English. */
export async function loadTexts() {
  const answer = await fetch("/api/v1/texts");
  if (!answer.ok) return;
  texts = await answer.json();
  numbers = new Intl.PluralRules(texts.language);
  document.documentElement.lang = texts.language;
}

export const language = () => texts.language;
export const languages = () => texts.languages;

/** Return the sentence in the chosen language with its {named} fields filled in; {count} chooses
 * its plural form. */
export function t(template, params = {}) {
  const found = texts.messages[template] ?? template;
  const sentence = Array.isArray(found) ? pluralOf(found, params.count) : found;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole);
}

function pluralOf(forms, count) {
  /** @type {string[]} */
  const there = numbers.resolvedOptions().pluralCategories;
  const known = FORMS.filter((form) => there.includes(form));
  return forms[Math.min(known.indexOf(numbers.select(count)), forms.length - 1)];
}

const NAMES = { red: () => t("Red"), blue: () => t("Blue"), white: () => t("White"), green: () =>
  t("Green"), black: () => t("Black"), yellow: () => t("Yellow"), pod: () => t("Pods") };

/** Return the name of a player or piece for people. */
export function nameOf(piece) {
  return NAMES[piece]?.() ?? piece.charAt(0).toUpperCase() + piece.slice(1);
}

/** Return a function that calls `run()` at most once in `everyMs`, and always after its last call.
 * */
export function paced(everyMs, run) {
  let due = null;
  let at = 0;
  return () => {
    due ??= setTimeout(() => {
      due = null;
      at = performance.now();
      run();
    }, Math.max(0, at + everyMs - performance.now()));
  };
}

// What this browser remembers for its person: theme, sound, tab. Games are stored at the table.
/** Return the remembered value, or `otherwise` if there is none or the browser stores nothing. */
export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(`tiltboard.${name}`) ?? otherwise;
  } catch { return otherwise; }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`tiltboard.${name}`, value);
  } catch {
    // The choice is valid until the page is closed.
  }
}

// The browser's Back button closes what lies over the plate before it leaves the page.
const over = []; // Open layers, each with close(), the top one last.
let leaving = false; // True while the page itself goes one step back.

const step = () => history.pushState({ over: true }, "");

/** Note that a layer has opened. */
export function opened(layer) {
  if (over.includes(layer)) return;
  over.push(layer);
  if (!leaving && !history.state?.over) step();
}

/** Note that a layer has closed, so that Back has nothing to close there. */
export function closed(layer) {
  const at = over.indexOf(layer);
  if (at < 0) return;
  over.splice(at, 1);
  if (over.length || leaving || !history.state?.over) return;
  leaving = true;
  history.back();
}

addEventListener("popstate", () => {
  if (!leaving && !history.state?.over) over.pop()?.close();
  leaving = false;
  if (over.length && !history.state?.over) step();
});
