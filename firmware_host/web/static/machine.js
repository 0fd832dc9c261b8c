// The devices around the table: which of them may act (pairing), and the Pi itself: Wi-Fi, updates,
// switching off.
import { dialog, fetchJson, open, show, tried } from "/static/dialogs.js";
import { act, button, h, svgSource, t } from "/static/page.js";

const PAIRING = "/api/v1/pairing";
const MACHINE = "/api/v1/machine";

const problemLine = () => h("p", { class: "problem", role: "alert" });
const toldLine = () => h("p", { class: "told", role: "status" });
const confirmed = (number) =>
  t("Press confirm at the table if its lights show {number}.", { number });

/** Make a button that opens the page to the network, with a sentence that explains it. */
export const letIn = (refused) => h("span", { class: "let-in" },
  act(t("Let phones in"),
    () => fetchJson(`${PAIRING}/network`, {}).then(() => location.reload(), refused)),
  h("span", { class: "hint" },
    t("Everyone in your network can then watch. To play, they need a code from here.")));

/** Pairing: the table's own page shows a code, and other devices ask for it. */
export class Pairing {
  /** `bar` receives the button on a table that is open to the network. */
  constructor(store, bar) {
    /** @type {Store} */ this.store = store;
    this.bar = bar;
  }

  /** Offer what this device may do. Without an answer the page still shows the table. */
  async offer() {
    const state = await this.store.got(() => fetchJson(PAIRING)).catch(() => ({}));
    if (state.network) this.offerFor(state);
    if (state.look) this.put(t("Let others look on"), () => this.showLink(state.look));
    return state;
  }

  /** Show the link with which others can watch this table's games. */
  showLink({ url, picture }) {
    show(t("Let others look on"), "pairing", h("div", {},
      h("p", {}, t("Anyone with this link can watch this table's games:")),
      h("p", {}, h("a", { href: url }, url)),
      h("img", { class: "qr", alt: t("The same for a phone's camera"), src: svgSource(picture) })));
  }

  offerFor(state) {
    if (state.may_act) {
      // Only the table's own page may see the code, and a paired device does not need it.
      if (["localhost", "127.0.0.1", "[::1]"].includes(location.hostname))
        this.put(t("Pair a device"), () => this.showCode());
      return;
    }
    this.store.set("watching", true);
    this.first = state.first;
    this.put(t("Pair"), () => this.form());
    const [, secret] = location.hash.match(/^#pair=([\w-]+)$/) ?? [];
    if (secret || !state.may_watch) this.form(secret);
  }

  put(label, onclick) {
    this.bar.prepend(button("phone", label, onclick, { class: "plain" }));
  }

  showCode() {
    const [shown, problem, qr] = [h("p", { class: "code" }), problemLine(),
      h("img", { class: "qr", alt: t("The same for a phone's camera") })];
    show(t("Pair a device"), "pairing", h("div", {},
      h("p", {}, t("Open this table's page on the other device, press Pair, and type:")),
      shown, qr, problem,
      h("p", { class: "hint" },
        t("The table's lights show it too, for a minute. It is good for ten minutes and for one "
          + "device."))));
    return tried(problem, async () => {
      const { code, picture } = await fetchJson(`${PAIRING}/code`, {});
      shown.textContent = code;
      qr.src = svgSource(picture);
    });
  }

  /** Pair the first device of a table, which somebody confirms with a button there. */
  async join(name, told) {
    const { number, lasts_s: lasts } = await fetchJson(`${PAIRING}/first`, { name });
    told.textContent = confirmed(number);
    for (let left = lasts; left > 0; left -= 1) {
      await new Promise((done) => setTimeout(done, 1000));
      if ((await fetchJson(PAIRING)).may_act) return location.reload();
    }
    told.textContent = t("Nobody pressed confirm. Try again.");
  }

  /** Show the form for pairing. `given` is the secret of a scanned code and replaces the typed one.
   * */
  form(given) {
    const code = h("input",
      { name: "code", inputmode: "numeric", autocomplete: "one-time-code", pattern: "[0-9]{6}",
        maxlength: 6, required: true, placeholder: "000000" });
    const name = h("input", { name: "name", maxlength: 60, required: true, value: t("a phone") });
    const [problem, told] = [problemLine(), toldLine()];
    const send = () => tried(problem, async () => {
      await fetchJson(PAIRING, { code: given ?? code.value, name: name.value });
      location.reload();
    });
    show(t("Pair"), "pairing", h("form", { onsubmit: send },
      this.first && !given
        ? h("p", {},
            t("The first phone needs no code. Press the table's button to let it in."),
            act(t("Ask to join"), () => tried(problem, () => this.join(name.value, told)),
              { class: "join" })) : null,
      told,
      ...(given ? [] : [
        h("p", {},
          t(
            "Type the table's code to play here. To see it, press Pair a device on the "
            + "table's own page, or hold the table's back button and go on to the last light.")),
        h("label", {}, t("Code"), code)]),
      h("label", {}, t("What to call this device"), name),
      problem,
      h("footer", {}, h("button", { type: "submit", class: "primary" }, t("Pair")))));
  }
}

/** Dialog for the Pi inside the table. A button at the table confirms each request. */
export class Machine {
  constructor() {
    this.wifi = h("div", { class: "wifi" });
    this.version = h("p", { class: "hint" });
    this.told = toldLine();
    this.problem = problemLine();
    const network = h("input",
      { name: "network", type: "text", maxlength: 32, required: true, autocapitalize: "off",
        autocomplete: "off" });
    const password = h("input",
      { name: "password", type: "password", maxlength: 64, autocomplete: "off" });
    const join = () =>
      this.ask({ type: "join", network: network.value, password: password.value || null });
    const file = h("input",
      { type: "file", accept: ".update", "aria-label": t("A file tiltboard-….update"),
        onchange: () => this.send(file) });
    const press = (label, wanted) => act(label, () => this.ask(wanted));
    this.element = dialog(t("This table"), "machine", this.told, this.problem,
      this.wifi,
      h("details", {}, h("summary", {}, t("Join a network")),
        h("form", { onsubmit: join },
          h("p", { class: "hint" },
            t("The table leaves its own Wi-Fi, and this device with it: join the same network "
              + "then. If it does not work, the table's own Wi-Fi is back within a minute.")),
          h("label", {}, t("Its name"), network),
          h("label", {}, t("Its password (empty if it has none)"), password),
          h("footer", {}, h("button", { type: "submit", class: "primary" }, t("Join"))))),
      h("details", {}, h("summary", {}, t("Update")), this.version,
        h("p", { class: "hint" },
          t("Update from a USB stick in the Pi, or from a file on this device. Your games stay.")),
        h("div", { class: "row" }, press(t("Update from the stick"), { type: "update" }),
          press(t("Back to the previous version"), { type: "roll-back" })),
        file),
      h("details", {}, h("summary", {}, t("Switch off")),
        h("p", { class: "hint" }, t("Or hold the back button at the table for eight seconds.")),
        press(t("Switch the table off"), { type: "power-off" })));
  }

  /** Run `work()`. A message from the table stays, unless the work failed. */
  async try(work) {
    if (!await tried(this.problem, work)) this.told.textContent = "";
  }

  show() {
    this.told.textContent = "";
    open(this.element);
    return this.try(async () => {
      const { version, wifi, password, picture } = await fetchJson(MACHINE);
      this.version.textContent = t("This is version {version}.", { version });
      if (!wifi) return;
      this.wifi.replaceChildren(h("h3", {}, t("The table's own Wi-Fi")),
        h("p", {}, t("Name: {name}. Password: {password}.", { name: wifi, password })),
        h("img",
          { class: "qr", src: svgSource(picture), alt: t("The same for a phone's camera") }));
    });
  }

  ask(wanted) {
    this.told.textContent = "";
    return this.try(async () => {
      const { number } = await fetchJson(MACHINE, wanted);
      this.told.textContent = confirmed(number);
      this.told.scrollIntoView({ block: "nearest" });
    });
  }

  async send(input) {
    const [file] = input.files;
    if (!file) return;
    this.told.textContent = t("Sending the file…");
    await this.try(async () => {
      const answer = await fetch(`${MACHINE}/update`,
        { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
      if (!answer.ok) throw new Error((await answer.json()).error);
    });
    if (!this.problem.textContent) await this.ask({ type: "update", sent: true });
    input.value = "";
  }
}
