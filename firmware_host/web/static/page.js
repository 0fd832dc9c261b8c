// What every part of the page uses: elements, words, what this browser remembers, and the way back.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else if (name.startsWith("aria-")) {
      if (value !== null && value !== undefined) element.setAttribute(name, String(value));
    } else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) { element.setAttribute(name, String(value)); }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element: h("p", {class: "x", onclick: f}, "text", child). */
export function h(tag, attributes = {}, ...children) { return fill(document.createElement(tag), attributes, children); }

/** An SVG element. */
export function s(tag, attributes = {}, ...children) { return fill(document.createElementNS(SVG, tag), attributes, children); }

/** The address of a picture that is there as a text. */
export const svgSource = (drawing) => `data:image/svg+xml,${encodeURIComponent(drawing)}`;

/** Set a text only where it changed, so that screen readers and selections are left alone. */
export function setText(element, text) { if (element.textContent !== text) element.textContent = text; }

const ICONS = {
  plus: "M12 5v14M5 12h14",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  sound: "M4 9v6h4l5 4V5L8 9zM16.500 8.500a5 5 0 0 1 0 7M19 6a8.500 8.500 0 0 1 0 12",
  silent: "M4 9v6h4l5 4V5L8 9zM17 9.500l5 5M22 9.500l-5 5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5",
  moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 18h.01",
  first: "M6 5v14M18 6l-8 6 8 6z",
  previous: "M16 6l-8 6 8 6z",
  next: "M8 6l8 6-8 6z",
  last: "M18 5v14M6 6l8 6-8 6z",
  again: "M20 12a8 8 0 1 1-2.500-5.800M20 3v5h-5",
  back: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  swap: "M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7",
  hand: "M8 13V5.500a1.500 1.500 0 0 1 3 0V11m0-6.500a1.500 1.500 0 0 1 3 0V11m0-4.500a1.500 1.500 0 0 1 3 0V12m0-2a1.500 1.500 0 0 1 3 0v5a6 6 0 0 1-6 6h-1.500a6 6 0 0 1-4.600-2.200L5 15.500a1.600 1.600 0 0 1 2.400-2L8 14",
  trophy: "M8 4h8v6a4 4 0 0 1-8 0zM8 5H4v2a4 4 0 0 0 4 4M16 5h4v2a4 4 0 0 1-4 4M12 14v4M8 20h8",
  bulb: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.500 10.900c.6.5 1 1.200 1 2.100h5c0-.9.4-1.600 1-2.100A6 6 0 0 0 12 3z",
  phone: "M8 3h8v18H8zM11 18h2",
  close: "M6 6l12 12M18 6 6 18",
  above: "M3 12s3.500-6 9-6 9 6 9 6-3.500 6-9 6-9-6-9-6zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5",
  cube: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9",
  turn: "M4 12a8 4 0 1 0 8-4M12 4 8.500 8l3.500 4",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  film: "M4 6h16v12H4zM8 6v12M16 6v12M4 10h4M4 14h4M16 10h4M16 14h4",
  share: "M12 15V4M8 8l4-4 4 4M6 12H5v8h14v-8h-1",
  draw: "M5 9h14M5 15h14",
  flag: "M6 21V4M6 4h11l-3 4 3 4H6",
  play: "M12 3a9 9 0 1 0 9 9M12 7a5 5 0 1 0 5 5M21 3l-9 9M16 3h5v5",
  table: "M4 5h16v14H4zM9 10h.01M15 10h.01M9 14h.01M15 14h.01",
  east: "M5 12h14M13 6l6 6-6 6",
  west: "M19 12H5M11 6l-6 6 6 6",
  north: "M12 19V5M6 11l6-6 6 6",
  south: "M12 5v14M6 13l6 6 6-6",
};

/** A line icon; it says nothing to a screen reader, the button around it does. */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

/** A button with an icon and a text; the text may be hidden on small screens. */
export function button(name, label, onclick, extra = {}) {
  return h("button", { type: "button", onclick, title: label, ...extra }, icon(name), h("span", { class: "label" }, label));
}

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** An arrow key in a list: the element after `now`, or before it, which gets the focus; undefined for other keys. */
export function stepped(event, elements, now) {
  const step = STEPS[event.key];
  if (!step) return undefined;
  event.preventDefault();
  const next = elements[(elements.indexOf(now) + step + elements.length) % elements.length];
  next.focus();
  return next;
}

// Texts for people. The English sentence is the key; the server sends the catalogue.
const FORMS = ["zero", "one", "two", "few", "many", "other"]; // in the order of a sentence's plural forms

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

/** The sentence in the chosen language, its {named} fields filled in; {count} chooses its plural form. */
export function t(template, params = {}) {
  const found = texts.messages[template] ?? template;
  const sentence = Array.isArray(found) ? pluralOf(found, params.count) : found;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole);
}

function pluralOf(forms, count) {
  const known = FORMS.filter((form) => numbers.resolvedOptions().pluralCategories.includes(form));
  return forms[Math.min(known.indexOf(numbers.select(count)), forms.length - 1)];
}

const NAMES = { red: () => t("Red"), blue: () => t("Blue"), white: () => t("White"), green: () => t("Green"), black: () => t("Black"), yellow: () => t("Yellow"), pod: () => t("Pods") };

/** A player's or piece's name for people. */
export function nameOf(piece) { return NAMES[piece]?.() ?? piece.charAt(0).toUpperCase() + piece.slice(1); }

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
