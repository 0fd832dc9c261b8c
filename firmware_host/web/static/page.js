// What every part of the page uses: elements, words, what this browser remembers, and the way back.

const SVG = "http://www.w3.org/2000/svg";

/** @returns {any} */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    // every form is a script's
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

/** More attributes, style properties and listeners for an element that is there. */
export const set = (element, attributes) => fill(element, attributes, []);

/** The element with these children instead of what it held; null: none. */
export function refill(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/** An HTML element: h("p", {class: "x", onclick: f}, "text", child).
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, any>} attributes @param {...any} children
 * @returns {HTMLElementTagNameMap[T]} */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Record<string, any>} attributes @param {...any} children
 * @returns {SVGElementTagNameMap[T]} */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The address of a picture that is there as a text. */
export const svgSource = (drawing) => `data:image/svg+xml,${encodeURIComponent(drawing)}`;

/** Set a text only where it changed, so that screen readers and selections are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Whether `value` is another than the last time; `owner` keeps it under that name. */
export function isNew(owner, name, value) {
  const key = JSON.stringify(value);
  const other = owner[name] !== key;
  owner[name] = key;
  return other;
}

/** A line icon; it says nothing to a screen reader, the button around it does. */
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `#icon-${name}` }));
}

/** How much is done, as dots; it is said in words beside them. */
export const pips = (done, all) =>
  h("span", { class: "pips", "aria-hidden": "true" },
    Array.from({ length: all }, (_, at) => h("i", { class: at < done ? "done" : null })));

/** A button with a text only. */
export const act = (label, onclick, extra = {}) =>
  h("button", { type: "button", onclick, ...extra }, label);

/** A button with an icon and a text; the text may be hidden on small screens. */
export function button(name, label, onclick, extra = {}) {
  return h("button", { type: "button", onclick, title: label, ...extra }, icon(name),
    h("span", { class: "label" }, label));
}

/** A button that cannot be pressed now says why; `why` empty: it can. */
export function disable(element, why) {
  element.disabled = Boolean(why);
  element.dataset.title ??= element.title;
  element.title = why || element.dataset.title;
  if (why) element.dataset.why = why;
  else delete element.dataset.why;
}

/** A button that stays down; `turn()`: it was pressed, and whether it is down now. */
export function toggle(name, label, down, turn, extra = {}) {
  const element = button(name, label, () => element.setAttribute("aria-pressed", turn()),
    { "aria-pressed": down, ...extra });
  return element;
}

/** A box to tick, with its label; `turned(on)` after it was. */
export function check(label, checked, turned) {
  return h("label", { class: "check" },
    h("input", { type: "checkbox", checked, onchange: ({ target }) => turned(target.checked) }),
    label);
}

/** What draws `element` anew by `run()`, but not while one of its buttons is held down: another
 * button in its place would hear no click. */
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

/** An arrow key in a list: the element after `now`, or before it, which gets the focus;
 * undefined for other keys. */
export function stepped(event, elements, now) {
  const step = STEPS[event.key];
  if (!step) return undefined;
  event.preventDefault();
  const next = elements[(elements.indexOf(now) + step + elements.length) % elements.length];
  next.focus();
  return next;
}

// Texts for people. The English sentence is the key; the server sends the catalogue.
// in the order of a sentence's plural forms
const FORMS = ["zero", "one", "two", "few", "many", "other"];

let texts = { language: "en", messages: {}, languages: ["en"] };
let numbers = new Intl.PluralRules("en");

/** Fetch the catalogue; English needs none, so a failure leaves English. */
export async function loadTexts() {
  const answer = await fetch("/api/v1/texts");
  if (!answer.ok) return;
  texts = await answer.json();
  numbers = new Intl.PluralRules(texts.language);
  document.documentElement.lang = texts.language;
}

export const language = () => texts.language;
export const languages = () => texts.languages;

/** The sentence in the chosen language, its {named} fields filled in; {count} chooses its plural
 * form. */
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

/** A player's or piece's name for people. */
export function nameOf(piece) {
  return NAMES[piece]?.() ?? piece.charAt(0).toUpperCase() + piece.slice(1);
}

/** Has `run()` done at most every `everyMs`, the last time always. */
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

// What this browser remembers for its person: theme, sound, tab. Nothing about the game.
/** The remembered value, or `otherwise` where there is none or the browser keeps nothing. */
export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(`tiltboard.${name}`) ?? otherwise;
  } catch { return otherwise; }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`tiltboard.${name}`, value);
  } catch {
    // not kept; the choice holds until the page is closed
  }
}

// The browser's Back closes what lies over the plate before it leaves the page.
const over = []; // what is open, each with close(), the last one on top
let leaving = false; // our own step back is under way

const step = () => history.pushState({ over: true }, "");

/** It has been opened. */
export function opened(layer) {
  if (over.includes(layer)) return;
  over.push(layer);
  if (!leaving && !history.state?.over) step();
}

/** It has been closed, in whatever way: then Back has nothing to close there. */
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
