// Assist: how much each player is shown of what his moves are worth, while the game goes on.
import { h, nameOf, t } from "/static/page.js";

/** What each amount is called, none first. */
export const amounts = () => [t("no assist"), t("warned of bad moves"), t("good and bad moves shown"), t("the best move shown too")];

/** What is drawn on a place or slot, beside its light: told apart without colours. */
export const MARKS = {
  best: "M0 -7 2 -2.200 7 -2.200 3 1 4.600 6 0 3 -4.600 6 -3 1 -7 -2.200 -2 -2.200Z",
  good: "M-5 0.500 -1.500 4 5 -4",
  bad: "M-3.500 -3.500 3.500 3.500M3.500 -3.500 -3.500 3.500",
};

export class AssistChoice {
  constructor(store, send) {
    Object.assign(this, { store, send });
    this.rows = h("div", { class: "assisted" });
    this.element = h("details", { class: "assist", hidden: true }, h("summary", {}, t("Assist")), this.rows);
    store.on(["layout", "engines", "assist", "asks_if_sure", "may_assist", "review", "result", "players"], () => this.draw());
  }

  draw() {
    const { layout, snapshot, review, mayAct, players } = this.store;
    const people = (layout?.game?.players ?? []).filter((player) => !snapshot?.engines[player]);
    this.element.hidden = !snapshot?.may_assist || !people.length || Boolean(review || snapshot.result) || !mayAct;
    if (this.element.hidden || this.rows.contains(document.activeElement)) return;
    this.rows.replaceChildren(...people.map((player) => {
      const select = h("select", {
        "data-assist": player, onchange: () => this.grant(player, Number(select.value)),
      }, amounts().map((label, amount) => h("option", { value: amount, selected: (snapshot.assist[player] ?? 0) === amount }, label)));
      const sure = h("input", { type: "checkbox", checked: snapshot.asks_if_sure.includes(player), onchange: () => this.grant(player, Number(select.value), sure.checked) });
      return h("div", {}, h("label", {}, h("span", {}, players?.called(player) ?? nameOf(player)), select), h("label", { class: "sure" }, sure, t("Ask me if I am sure after a bad move")));
    }));
  }

  grant(player, amount, sure) {
    this.send({ type: "assist", player, amount, ...(sure === undefined ? {} : { sure }) });
  }
}
