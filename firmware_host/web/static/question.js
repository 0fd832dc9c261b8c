// A question of the table beside the plate: answers to press, by mouse, finger or key.
import { h, icon, setText, stepped } from "/static/page.js";

const FEW = 8; // more are a list of their own to scroll

export class Questions {
  constructor(store, send) {
    Object.assign(this, { store, send });
    this.line = h("p", { class: "asked" });
    this.element = h("section", { class: "card question", "aria-live": "polite", hidden: true }, this.line);
    this.element.addEventListener("keydown", (event) => this.buttons && stepped(event, this.buttons, document.activeElement));
    store.on(["question", "layout", "review", "link", "watching", "falling", "gripped"], () => this.draw());
  }

  draw() {
    const { snapshot, review, falling, mayAct } = this.store;
    const question = review || falling ? null : snapshot?.question ?? null;
    const asked = question ? JSON.stringify([question.ask, question.choices]) : "";
    const stays = !question && this.store.gripped; // or what the pointer holds would move from under it
    this.element.classList.toggle("stays", Boolean(stays));
    if (asked !== this.asked && !stays) this.open(question, asked);
    this.buttons?.forEach((button, at) => {
      button.classList.toggle("at", !question?.offer && at === question?.at);
      button.disabled = !mayAct;
    });
  }

  open(question, asked) {
    this.asked = asked;
    const held = this.element.contains(document.activeElement);
    this.store.set("hint", null);
    this.element.hidden = !question;
    if (!question) {
      this.buttons = null;
      this.element.replaceChildren(this.line);
      if (held) document.getElementById("stage").focus();
      return;
    }
    setText(this.line, this.store.said(question.ask));
    this.element.classList.toggle("offer", Boolean(question.offer));
    this.element.classList.toggle("many", question.choices.length > FEW);
    this.element.setAttribute("aria-label", question.ask);
    this.buttons = question.choices.map((choice) => this.button(choice));
    this.element.replaceChildren(this.line, ...this.buttons);
    const stage = document.getElementById("stage");
    const idle = document.activeElement === document.body || document.activeElement === stage;
    if (held || (idle && !question.offer)) this.buttons[question.at].focus({ preventScroll: true });
  }

  button({ value, label, colour, path }) {
    const swatch = h("span", { class: "swatch" }, icon(this.arrow(path)));
    const element = h("button", {
      type: "button", class: "choice", "data-value": value,
      onclick: () => this.send({ type: "answer", value }),
      onpointerenter: () => this.point(path, colour), onpointerleave: () => this.point(null),
      onfocus: () => this.point(path, colour), onblur: () => this.point(null),
    }, swatch, h("span", {}, this.store.said(label.charAt(0).toUpperCase() + label.slice(1))));
    if (colour) swatch.style.setProperty("--tint", colour);
    return element;
  }

  /** Which way it falls. */
  arrow(path) {
    if (path.length < 2) return "next";
    const [a, b] = [path[0], path[path.length - 1]].map((p) => this.store.centreOf(this.store.indexOf(p)));
    if (a.x !== b.x) return b.x > a.x ? "east" : "west";
    return b.y > a.y ? "north" : "south";
  }

  point(path, colour) {
    this.store.set("hint", path?.length > 1 ? { path, colour } : null);
  }
}
