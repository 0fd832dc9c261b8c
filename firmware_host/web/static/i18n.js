// Texts for people. The English sentence is the key; the server sends the catalogue.

let messages = {};

/** Fetch the catalogue; English needs none, so a failure leaves English. */
export async function loadTexts() {
  const answer = await fetch("/api/v1/texts");
  if (!answer.ok) return;
  const catalogue = await answer.json();
  messages = catalogue.messages;
  document.documentElement.lang = catalogue.language;
}

/** The sentence in the chosen language, its {named} fields filled in. */
export function t(template, params = {}) {
  const sentence = messages[template] ?? template;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole);
}

const NAMES = {
  red: () => t("Red"),
  blue: () => t("Blue"),
  white: () => t("White"),
  green: () => t("Green"),
  black: () => t("Black"),
  pod: () => t("Pods"),
};

/** A player's or piece's name for people. */
export function nameOf(piece) {
  return NAMES[piece]?.() ?? piece.charAt(0).toUpperCase() + piece.slice(1);
}
