// The first round, guided: what the phase of the game is about, until somebody wants no more of it.

import { h } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

const KNOWN = "room-guide";
const PHASES = {
  heroes: () => t("Each of you gets a hero, whose help you may call once in a round."),
  deal: () => t("Each of you gets cards that nobody else may see: to make it hard for others, or to help yourself."),
  card: () => t("The card that is drawn decides this turn. Some are kept, and help later."),
  name: () => t("Antimatter can be any card. Choose one that you can carry out well."),
  roll: () => t("The dice say which troop must go into which zone of the platform."),
  dice: () => t("A card asks for one die more."),
  blocked: () => t("The dice ask for a troop that is on the platform already. A green gem makes up for it: it buys the choice later."),
  window: () => t("Nothing is placed yet. The others may lay one card each to make it harder; who places it may defend himself. When all have passed, it is placed."),
  choose: () => t("Blindfolded never goes with other cards: one or the other."),
  event: () => t("A card moves a piece. Take it off gently: if anything falls, it costs a point."),
  take: () => t("Take the piece off gently: nothing else may fall."),
  place: () => t("Put it down gently, with the cards that are in force. If it holds, it is worth a point, and one more for each piece under it. If something falls, the piece comes back, and it costs a point."),
  after: () => t("It held. Who has laid nothing may now play Give it back. Most people pass."),
  refill: () => t("The turn was made harder and still went well: new cards are the reward."),
  keep: () => t("Two cards were drawn. One is kept, the other is gone."),
};

/** A card about the phase, in the first round; "" where there is nothing to say. `redraw()`: after it was closed. */
export function guide({ phase, round }, redraw) {
  const say = PHASES[phase];
  if (round !== 1 || !say || remembered(KNOWN, "") === "known") return "";
  const close = () => {
    remember(KNOWN, "known");
    redraw();
  };
  return h("div", { class: "room-guide" }, h("p", {}, say()),
    h("button", { type: "button", class: "plain", "data-what": "known", onclick: close }, t("I know the game")));
}
