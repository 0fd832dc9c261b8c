// A clock for each player of a new game, if they want one.
import { h, t } from "/static/page.js";

const TIMES = [null, { minutes: 5 }, { minutes: 10 }, { minutes: 5, increment_s: 5 }, { minutes: 10, increment_s: 10 }];

function said(time) {
  if (!time) return t("none");
  const { minutes, increment_s: more } = time;
  return more ? t("{minutes} min + {seconds} s a move", { minutes, seconds: more }) : t("{minutes} min", { minutes });
}

export class ClockChoice {
  constructor() {
    const inputs = TIMES.map((_, at) => h("input", { type: "radio", name: "clock", value: at, checked: at === 0 }));
    this.inputs = inputs;
    this.element = h("fieldset", { class: "chips" }, h("legend", {}, t("Clock of each player")), ...TIMES.map((time, at) => h("label", { class: "chip" }, inputs[at], h("span", {}, said(time)))));
  }

  /** `possible`: the game that is chosen can have one. */
  show(possible) { this.element.hidden = !possible; }

  /** As the table takes it; null: none. */
  read() {
    return this.element.hidden ? null : TIMES[this.inputs.findIndex(({ checked }) => checked)];
  }
}
