// The computer that the table runs on: its Wi-Fi, another one, updates, switching it off. Each is confirmed at the table.
import { dialog, fetchJson, open } from "/static/dialogs.js";
import { h, svgSource, t } from "/static/page.js";

const MACHINE = "/api/v1/machine";

export class Machine {
  constructor() {
    this.wifi = h("div", { class: "wifi" });
    this.version = h("p", { class: "hint" });
    this.told = h("p", { class: "told", role: "status" });
    this.problem = h("p", { class: "problem", role: "alert" });
    const network = h("input", { name: "network", type: "text", maxlength: 32, required: true, autocapitalize: "off", autocomplete: "off" });
    const password = h("input", { name: "password", type: "password", maxlength: 64, autocomplete: "off" });
    const join = (event) => {
      event.preventDefault();
      this.ask({ type: "join", network: network.value, password: password.value || null });
    };
    const file = h("input", { type: "file", accept: ".update", "aria-label": t("A file tiltboard-….update"), onchange: () => this.send(file) });
    const press = (label, wanted, more = {}) => h("button", { type: "button", onclick: () => this.ask(wanted), ...more }, label);
    this.element = dialog(t("This table"), "machine", this.told, this.problem,
      this.wifi,
      h("details", {}, h("summary", {}, t("Join a network")),
        h("form", { onsubmit: join },
          h("p", { class: "hint" }, t("The table leaves its own Wi-Fi, and this device with it: join the same network then. If it does not work, the table's own Wi-Fi is back within a minute.")),
          h("label", {}, t("Its name"), network),
          h("label", {}, t("Its password (none: leave it empty)"), password),
          h("footer", {}, h("button", { type: "submit", class: "primary" }, t("Join"))))),
      h("details", {}, h("summary", {}, t("Update")), this.version,
        h("p", { class: "hint" }, t("From a stick in the table's computer, or from a file on this device. Games stay, and the game goes on.")),
        h("div", { class: "row" }, press(t("Update from the stick"), { type: "update" }), press(t("Back to the version before"), { type: "roll-back" })),
        file),
      h("details", {}, h("summary", {}, t("Switch off")),
        h("p", { class: "hint" }, t("Or hold the back button at the table for eight seconds.")),
        press(t("Switch the table off"), { type: "power-off" })));
  }

  async show() {
    this.told.textContent = this.problem.textContent = "";
    open(this.element);
    try {
      const { version, wifi, password, picture } = await fetchJson(MACHINE);
      this.version.textContent = t("This is version {version}.", { version });
      if (!wifi) return;
      this.wifi.replaceChildren(h("h3", {}, t("The table's own Wi-Fi")),
        h("p", {}, t("Name: {name}. Password: {password}.", { name: wifi, password })),
        h("img", { class: "qr", src: svgSource(picture), alt: t("The same for a phone's camera") }));
    } catch (error) { this.fails(error); }
  }

  async ask(wanted) {
    this.told.textContent = this.problem.textContent = "";
    try {
      const { number } = await fetchJson(MACHINE, wanted);
      this.told.textContent = t("Press confirm at the table if its lights show {number}.", { number });
      this.told.scrollIntoView({ block: "nearest" });
    } catch (error) { this.fails(error); }
  }

  async send(input) {
    const [file] = input.files;
    if (!file) return;
    this.problem.textContent = "";
    this.told.textContent = t("The file is being sent …");
    try {
      const answer = await fetch(`${MACHINE}/update`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
      if (!answer.ok) throw new Error((await answer.json()).error);
      await this.ask({ type: "update", sent: true });
    } catch (error) { this.fails(error); }
    input.value = "";
  }

  fails(error) {
    this.told.textContent = "";
    this.problem.textContent = error.message || t("The table does not answer.");
  }
}
