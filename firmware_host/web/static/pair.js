// Pairing: the table's own page shows a code, another device's asks for it.
import { dialog, fetchJson, open } from "/static/dialogs.js";
import { button, h, svgSource, t } from "/static/page.js";

const PAIRING = "/api/v1/pairing";

export class Pairing {
  /** `bar`: where the button goes, on a table that is served to the network. */
  constructor(store, bar) {
    Object.assign(this, { store, bar });
  }

  /** What this device may do; without that the page shows the table all the same. */
  async offer() {
    const state = await fetchJson(PAIRING).catch(() => ({}));
    if (state.network) this.offerFor(state);
    if (state.look) this.put(t("Let others look on"), () => this.showLink(state.look));
    return state;
  }

  /** A link to this table's games, for whoever is elsewhere. */
  showLink({ url, picture }) {
    this.link ??= dialog(t("Let others look on"), "pairing", h("div", {},
      h("p", {}, t("Whoever has this link sees the games of this table, and can do nothing:")), h("p", {}, h("a", { href: url }, url)),
      h("img", { class: "qr", alt: t("The same for a phone's camera"), src: svgSource(picture) })));
    open(this.link);
  }

  offerFor(state) {
    if (state.may_act) {
      // the code is told to the table's own page only; a paired device has nothing to do here
      if (["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)) this.put(t("Pair a device"), () => this.showCode());
      return;
    }
    this.store.set("watching", true);
    this.first = state.first;
    this.put(t("Pair"), () => this.askCode());
    const [, code] = location.hash.match(/^#pair=(\d{6})$/) ?? [];
    if (code || !state.may_watch) this.askCode(code);
  }

  put(label, onclick) {
    this.bar.prepend(button("phone", label, onclick, { class: "plain" }));
  }

  async showCode() {
    this.code ??= h("p", { class: "code" });
    this.problem ??= h("p", { class: "problem", role: "alert" });
    this.picture ??= h("img", { class: "qr", alt: t("The same for a phone's camera") });
    this.shown ??= dialog(t("Pair a device"), "pairing", h("div", {},
      h("p", {}, t("Open this table's page on the other device, press Pair, and type:")),
      this.code, this.picture, this.problem,
      h("p", { class: "hint" }, t("The table's lights show it too, for a minute. It is good for ten minutes and for one device."))));
    open(this.shown);
    try {
      const opened = await fetchJson(`${PAIRING}/code`, {});
      this.code.textContent = opened.code;
      this.picture.src = svgSource(opened.picture);
      this.problem.textContent = "";
    } catch (error) {
      this.code.textContent = "";
      this.problem.textContent = error.message || t("The table does not answer.");
    }
  }

  askCode(code) {
    this.asking ??= this.form(code ?? "");
    open(this.asking);
  }

  /** The first device at a table: somebody presses confirm there. */
  async join(name, told) {
    const { number, lasts_s: lasts } = await fetchJson(`${PAIRING}/first`, { name });
    told.textContent = t("Press confirm at the table if its lights show {number}.", { number });
    for (let left = lasts; left > 0; left -= 1) {
      await new Promise((done) => setTimeout(done, 1000));
      if ((await fetchJson(PAIRING)).may_act) return location.reload();
    }
    told.textContent = t("Nobody pressed confirm. Try again.");
  }

  form(given) {
    const code = h("input", { name: "code", inputmode: "numeric", autocomplete: "one-time-code", pattern: "[0-9]{6}", maxlength: 6, required: true, placeholder: "000000", value: given });
    const name = h("input", { name: "name", maxlength: 60, required: true, value: t("a phone") });
    const problem = h("p", { class: "problem", role: "alert" });
    const send = async (event) => {
      event.preventDefault();
      try {
        await fetchJson(PAIRING, { code: code.value, name: name.value });
        location.reload();
      } catch (error) { problem.textContent = error.message || t("The table does not answer."); }
    };
    const told = h("p", { class: "told", role: "status" });
    const join = async () => {
      problem.textContent = "";
      try {
        await this.join(name.value, told);
      } catch (error) { problem.textContent = error.message || t("The table does not answer."); }
    };
    return dialog(t("Pair"), "pairing", h("form", { onsubmit: send },
      this.first && !given ? h("p", {}, t("This is the first phone: no code is needed, a press of the table's button lets it in."),
        h("button", { type: "button", class: "join", onclick: join }, t("Ask to join"))) : null,
      told,
      h("p", {}, t("To play here, type the code that the table shows: on its own page press Pair a device, or hold the back button at the table and go on to the last light.")),
      h("label", {}, t("Code"), code),
      h("label", {}, t("What to call this device"), name),
      problem,
      h("footer", {}, h("button", { type: "submit", class: "primary" }, t("Pair")))));
  }
}
