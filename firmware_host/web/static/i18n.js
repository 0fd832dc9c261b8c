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
