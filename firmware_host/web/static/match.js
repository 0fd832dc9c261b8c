// Playing with another table: a code to show or to type, phrases to send, and the way out.
import { dialog, open, tried } from "/static/dialogs.js";
import { button, h, setText, svgSource, t } from "/static/page.js";

const PHRASES = () => ({
  hello: t("Hello!"), "good-luck": t("Good luck!"), nice: t("Nice move!"), oops: t("Oops!"),
  moment: t("One moment, please."), "well-played": t("Well played!"), thanks: t("Thank you!"),
  again: t("Another game?"),
});

export class Match {
  /** `make()` begins the chosen game with all other players at another table. */
  constructor(store, { ask, make }) {
    /** @type {Store} */ this.store = store;
    /** @type {Ask} */ this.ask = ask;
    this.code = h("p", { class: "code" });
    this.picture = h("img", { class: "qr", alt: t("The same for a phone's camera") });
    this.waiting = h("div", {},
      h("p", {}, t("On the other table: New game, Play someone elsewhere, then enter:")),
      this.code, this.picture);
    this.typed = h("input",
      { type: "text", name: "code", autocomplete: "off", autocapitalize: "characters",
        maxlength: 20, required: true, placeholder: "7KQ2M-XWD9F" });
    this.choice = h("form", { onsubmit: () => this.join() },
      h("p", {}, t("Make a code (you go first), or enter theirs.")),
      button("plus", t("Make a code"), () => this.then(make), { class: "primary" }),
      h("label", {}, t("The other table's code"), this.typed),
      h("footer", {}, h("button", { type: "submit" }, t("Join"))));
    const say = ([phrase, words]) =>
      h("button", { type: "button", onclick: () => this.then(() => ask({ type: "say", phrase })) },
        words);
    this.phrases = h("div", { class: "chips" }, h("p", {}, t("Say to the other table:")),
      ...Object.entries(PHRASES()).map(say));
    this.leave = button("close", t("End the match"), () => this.then(async () => {
      await ask({ type: "leave-match" });
      this.element.close();
    }));
    this.problem = h("p", { class: "problem", role: "alert" });
    this.told = h("p", { class: "hint", role: "status" });
    this.element = dialog(t("Play someone elsewhere"), "pairing", this.choice, this.waiting,
      this.phrases, this.told, this.problem, h("footer", {}, this.leave));
    this.handle = button("phone", "", () => this.show(), { class: "match" });
    store.on(["match", "link", "watching"], () => this.update());
    this.update();
  }

  update() {
    const { snapshot, mayAct } = this.store;
    const match = snapshot?.match;
    this.handle.hidden = !match || !mayAct;
    const part = !match ? this.choice : match.code ? this.waiting : this.phrases;
    for (const each of [this.choice, this.waiting, this.phrases]) each.hidden = each !== part;
    this.leave.hidden = !match;
    if (part === this.phrases && this.part !== part) this.element.close(); // The game has begun.
    this.part = part;
    if (!match) return;
    setText(this.handle.lastChild,
      match.code ? t("The code for the other table") : t("Say something"));
    this.code.textContent = match.code ?? "";
    if (match.picture) this.picture.src = svgSource(match.picture);
    this.told.textContent = "";
  }

  show() {
    this.problem.textContent = this.told.textContent = "";
    open(this.element);
  }

  then(act) { return tried(this.problem, act); }

  join() {
    return this.then(async () => {
      await this.ask({ type: "join-match", code: this.typed.value });
      this.told.textContent =
        t("Asking the other table for a seat. The game begins as soon as it answers.");
    });
  }
}
