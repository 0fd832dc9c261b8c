// The panel's two buttons, and whether the table's own hand works by itself.
import { h, icon } from "/static/dom.js";
import { t } from "/static/i18n.js";

const LONG_PRESS_S = 2;
const SHORT_PRESS_S = 0.15;

/** A push-button: a click is a short press; held down, a ring fills until the long press. */
function pushButton(name, label, ask, complain) {
  let since = null;
  const element = h("button", { type: "button", class: `push ${name}` }, h("span", { class: "cap" }), h("span", { class: "label" }, label));
  const press = (held) => ask({ type: "press", button: name, held_s: held }).catch(complain);
  const end = (send) => {
    if (since === null) return;
    const held = Math.min(10, (performance.now() - since) / 1000);
    since = null;
    element.classList.remove("down");
    if (send) press(held < 0.5 ? SHORT_PRESS_S : held);
  };
  element.style.setProperty("--long", `${LONG_PRESS_S}s`);
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || element.disabled) return;
    element.setPointerCapture(event.pointerId);
    since = performance.now();
    element.classList.add("down");
  });
  element.addEventListener("pointerup", () => end(true));
  element.addEventListener("pointercancel", () => end(false));
  element.addEventListener("click", (event) => {
    if (event.detail === 0) press(SHORT_PRESS_S); // from the keyboard
  });
  return element;
}

export class Buttons {
  constructor(store, { ask, complain, ownHand }) {
    Object.assign(this, { store, ownHand });
    const complainOf = (error) => complain(error.message);
    this.pushes = h("div", { class: "pushes" }, pushButton("confirm", t("Confirm"), ask, complainOf), pushButton("back", t("Back"), ask, complainOf));
    this.byItself = h("input", { type: "checkbox", onchange: () => ownHand.toggle() });
    this.element = h("div", { class: "controls" }, this.pushes, h("label", { class: "own-hand" }, this.byItself, icon("hand"), h("span", { class: "label" }, t("The table does the rest"))));
    store.listen(() => this.update());
  }

  update() {
    const { layout, handsFree, watching } = this.store;
    if (!layout) return;
    this.element.hidden = watching || !layout.hands;
    for (const push of this.pushes.children) push.disabled = !handsFree;
    this.byItself.checked = this.ownHand.on;
  }
}
