// The choice of a language: kept in a cookie, so that everything that the table sends is in it.
import { h, language, languages, t } from "/static/page.js";

// Each in its own language, for whoever does not read the one shown.
const NAMES = { de: "Deutsch", en: "English", es: "Español", fr: "Français", pl: "Polski" };
const YEAR_S = 365 * 24 * 3600;

export function languageChoice() {
  const choose = ({ target }) => {
    document.cookie = `tiltboard-language=${target.value}; path=/; max-age=${YEAR_S}; samesite=strict`;
    location.reload();
  };
  const option = (each) => h("option", { value: each, lang: each, selected: each === language() }, NAMES[each] ?? each);
  return h("span", { class: "language", title: t("Language") },
    h("span", { class: "shown", "aria-hidden": "true" }, language().toUpperCase()),
    h("select", { "aria-label": t("Language"), onchange: choose }, languages().map(option)));
}
