// The first round, guided: what this person does now and why, until somebody wants no more of it.

import { h } from "/static/dom.js";
import { nameOf, t } from "/static/i18n.js";
import { remember, remembered } from "/static/prefs.js";

const KNOWN = "room-guide";
// [for whom it is to act, for the others]; one sentence where it is the same for all.
const PHASES = {
  heroes: [() => t("Each of you gets a hero, whose help you may call once in a round.")],
  deal: [() => t("Now the cards: nobody else may see yours. Red cards make it hard for others, blue ones help yourself.")],
  card: [() => t("Draw a card: it says how you must place your piece."), (said) => t("{owner} draws a card, which says how the piece must be placed.", said)],
  name: [() => t("Antimatter can be any card. Choose one that you can carry out well.")],
  roll: [() => t("Your turn! Roll the dice: they say which piece you place, and in which zone."), (said) => t("{owner} rolls the dice. Look at your cards meanwhile: hold one to read it.", said)],
  dice: [() => t("A card asks for one die more.")],
  blocked: [() => t("You have no such piece left. Take a green gem for it: later it buys you a free choice.")],
  window: [() => t("Lay a card if you have a good one now, or press Pass. When everybody has passed, the piece is placed."),
    () => t("Wait until everybody has passed.")],
  choose: [() => t("Blindfolded never goes with other cards: one or the other.")],
  event: [() => t("A card moves a piece. Take it off gently: if anything falls, it costs a point.")],
  take: [() => t("Take the piece off gently: nothing else may fall.")],
  place: [() => t("Press Place it, or drag the piece into the lit zone. If it holds you get a point, and one more for each piece under it."),
    (said) => t("{owner} places the piece. Keep your fingers crossed, or not!", said)],
  after: [() => t("It held! If you have the card Give it back, you may play it now. Most people pass.")],
  refill: [() => t("A hard turn that went well: take a new card as a reward.")],
  keep: [() => t("Two cards were drawn. Keep one; the other is gone.")],
};

/** A card about the phase, in the first round; "" where there is nothing to say. `player`: who looks, null: everybody;
 * `redraw()`: after it was closed. */
export function guide({ phase, round, awaiting, turn }, player, mover, redraw) {
  const says = PHASES[phase];
  if (round !== 1 || !says || remembered(KNOWN, "") === "known") return "";
  const acts = awaiting.includes(player) || (awaiting.includes("chance") && player === mover);
  const say = says[player && !acts ? says.length - 1 : 0];
  const close = () => {
    remember(KNOWN, "known");
    redraw();
  };
  return h("div", { class: "room-guide" }, h("p", {}, say({ owner: nameOf(turn?.doer ?? mover ?? "") })),
    h("button", { type: "button", class: "plain", "data-what": "known", onclick: close }, t("I know the game")));
}
