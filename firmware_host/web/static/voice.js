// The sentence read aloud by the browser, if that is wanted; off unless somebody turns it on.
import { button } from "/static/dom.js";
import { language, t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

export class Voice {
  constructor() {
    this.able = "speechSynthesis" in window;
    this.on = this.able && remembered("voice", "off") === "on";
    this.said = "";
  }

  /** Read `words`, once; what was being read ends. */
  say(words) {
    if (words === this.said) return;
    this.said = words;
    if (this.on) this.speak();
  }

  speak() {
    speechSynthesis.cancel();
    if (!this.said) return;
    const utterance = new SpeechSynthesisUtterance(this.said);
    utterance.lang = language();
    utterance.voice = speechSynthesis.getVoices().find(({ lang }) => lang.startsWith(language())) ?? null;
    speechSynthesis.speak(utterance);
  }

  toggle() {
    this.on = !this.on;
    remember("voice", this.on ? "on" : "off");
    if (this.on) this.speak();
    else speechSynthesis.cancel();
  }

  /** Buttons for it; none where the browser cannot speak. */
  buttons() {
    if (!this.able) return [];
    const read = button("sound", t("Read aloud"), () => {
      this.toggle();
      read.setAttribute("aria-pressed", this.on);
    }, { "aria-pressed": this.on });
    return [read];
  }
}
