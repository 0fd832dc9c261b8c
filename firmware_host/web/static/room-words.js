// Moves of a game of seats in words. A move is WHO:WHAT:..., as `tiltboard rules` writes it.
import { act, h, nameOf, remember, remembered, t } from "/static/page.js";

/** Return the title of a card, hero, zone or kind in the game's words. */
export function titleOf(game, key) {
  return game.glossary[key]?.[0] ?? key.slice(key.indexOf(":") + 1);
}

/** Return a card's type for its colour, untranslated: challenge, defence, event or wild. */
export const typeOf = (game, card) =>
  Object.keys(game.glossary).find((key) => key.startsWith(`type:${card}:`))?.split(":")[2];

export const aboutOf = (game, key) => game.glossary[key]?.[1] ?? "";

/** Return the title of a card: "limit-it", or played as another, "antimatter=limit-it" or
 * "hero=limit-it". */
export function cardTitle(game, token) {
  const [card, name] = token.split("=");
  if (!name) return titleOf(game, `card:${card}`);
  const what = titleOf(game, `card:${name}`);
  return card === "hero" ? what
    : t("{card} as {what}", { card: titleOf(game, `card:${card}`), what });
}

const LABELS = { tank: (said) => t("{owner} tank", said),
  fighter: (said) => t("{owner} fighter", said), ship: (said) => t("{owner} ship", said) };
const OWN = { tank: () => t("a tank"), fighter: () => t("a fighter"), ship: () => t("a ship") };
const OWNED = { tank: (said) => t("{owner}'s tank", said),
  fighter: (said) => t("{owner}'s fighter", said), ship: (said) => t("{owner}'s ship", said) };

/** Return a piece's name for a button or list: "Red tank". */
export function pieceName(game, piece) {
  const [owner, kind] = piece.split("-");
  return LABELS[kind]?.({ owner: nameOf(owner) }) ?? piece;
}

/** Return pieces as objects of a sentence: "a tank" if it is the player's own, else "Red's tank".
 * */
const moved = ({ players }, names, who) => names.split("+").map((piece) => {
  const [owner, kind] = piece.split("-");
  return owner === who ? OWN[kind]?.() ?? kind
    : OWNED[kind]?.({ owner: players.called(owner) }) ?? piece;
}).reduceRight((others, one) => t("{one} and {others}", { one, others }));

export function zoneName(game, zone) {
  return zone === "any" ? t("any zone")
    : t("zone {zone}, {name}", { zone, name: titleOf(game, `zone:${zone}`) });
}

export const piecesName = (game, names) =>
  names.split("+").map((name) => pieceName(game, name)).join(" + ");

/** Return the pieces at the end of a move, "fell=red-tank+blue-ship@3", as a list. */
export const fallenPieces = (game, fell) => fell?.startsWith("fell=")
  ? fell.slice(5).split("+").map((found) => pieceName(game, found.split("@")[0])).join(", ")
  : t("nothing");

/** Return what a witness reports of zones: "table:see:3=:4=red-tank/blue-ship". */
export const seenZones = (game, move) => move.split(":").slice(2).map((word) => {
  const [zone, towers] = word.split("=");
  const lies = towers ? towers.split("/").map((tower) => piecesName(game, tower)).join(", ")
    : t("nothing");
  return `${zoneName(game, zone)}: ${lies}`;
}).join("; ");

function fallen(words) {
  const last = words.at(-1);
  const count = last.startsWith("fell=") ? last.slice(5).split("+").filter(Boolean).length : 0;
  return count === 0 ? t("it failed") : count === 1 ? t("1 piece fell")
    : t("{count} pieces fell", { count });
}

const SAID = {
  pass: () => t("passes"),
  pay: () => t("pays a green gem"),
  buy: () => t("buys a card"),
  draw: () => t("draws cards"),
  keep: () => t("keeps a card"),
  name: ({ game }, [card]) => t("says: {card}", { card: cardTitle(game, card) }),
  play: ({ game, players }, [token, who]) => (game.players.includes(who)
    ? t("plays {card} {who} must do it.",
        { card: cardTitle(game, token), who: players.called(who) })
    : t("plays {card}", { card: cardTitle(game, token) })),
  withdraw: ({ game }, [token]) => t("takes back {card}", { card: cardTitle(game, token) }),
  hero: ({ game }, [name]) => t("uses the hero {hero}", { hero: titleOf(game, `hero:${name}`) }),
  choose: (_, [what]) =>
    (what === "blindfolded" ? t("chooses Blindfolded") : t("chooses the other cards")),
  take: (store, [zone, piece], who) =>
    t("takes {piece} from zone {zone}", { piece: moved(store, piece, who), zone }),
  place: (store, words, who) => {
    const [how, names, zone, under] = words;
    const said = { piece: moved(store, names, who), zone, high: under?.replace("under=", "") };
    if (how === "meant")
      return under ? t("puts {piece} into zone {zone}, on a tower of {high}", said)
        : t("puts {piece} into zone {zone}", said);
    return how === "ok" ? t("puts {piece} into zone {zone}: it holds", said)
      : t("puts {piece} into zone {zone}: {what}", { ...said, what: fallen(words) });
  },
  event: (store, words, doer) => {
    const [how, zone, piece, who] = words;
    const said = { piece: moved(store, piece, doer), zone, who: store.players.called(who ?? "") };
    if (how !== "ok")
      return t("takes {piece} from zone {zone}: {what}", { ...said, what: fallen(words) });
    return store.game.players.includes(who) ? t("gives {piece} of zone {zone} to {who}", said)
      : t("takes {piece} from zone {zone}", said);
  },
};

/** Return a move that was made as a sentence.
 * @param {Store} store */
export function sentence(store, move) {
  const { game, players } = store;
  const [who, what, ...rest] = move.split(":");
  if (who === "chance") {
    if (what === "heroes") return t("Each of you has a hero with one special power.");
    if (what === "shuffle") return t("The cards are shuffled and dealt.");
    const kind = what === "zone" ? null : OWN[rest[0]]?.() ?? titleOf(game, `kind:${rest[0]}`);
    if (what === "roll") return t("The dice show {kind} and zone {zone}.", { kind, zone: rest[1] });
    return what === "troop" ? t("The troop die shows {kind}.", { kind })
      : t("The zone die shows {zone}.", { zone: rest[0] });
  }
  if (who === "table")
    return what === "time" ? t("Time is up: everybody has passed.")
      : t("The table looked at the platform.");
  return t("{who} {does}",
    { who: players.called(who), does: SAID[what]?.(store, rest, who) ?? what });
}

// A guide to the first round: what this person does now and why, until they close it.
const KNOWN = "room-guide";
// Sentences for the player who acts, for other hands, and for a page without a hand. The last one
// is also for the kinds after it; null: nothing.
const PHASES = {
  heroes: [() => t("Each of you gets a hero, who helps you once in a round.")],
  deal: [() =>
    t("Your cards are secret. Red ones make life hard for others; blue ones help you.")],
  card: [() => t("Draw a card: it says how you must place your piece."),
    (said) => t("{owner} draws a card that says how to place the piece.", said)],
  name: [() => t("Choose a card that you can do well. Antimatter can be any card."), null],
  roll: [() => t("Your turn! Roll the dice: they say which piece you place, and in which zone."),
    (said) => t("{owner} rolls the dice. Look at your cards now: hold one to read it.", said),
    null],
  dice: [() => t("A card asks for one more die.")],
  blocked: [() =>
    t("Take a green gem, because you have no such piece left. Later it buys you a free choice."),
  null],
  window: [() =>
    t("Lay a good card now, or press Pass. Then it is time to place the piece."),
  () => t("Wait until everybody has passed.")],
  choose: [() => t("Choose Blindfolded or the other cards. They never go together."), null],
  event: [() => t(
    "Take the piece off gently, as the card says. If anything falls, it costs a point."),
  null],
  take: [() => t("Take the piece off gently: nothing else may fall."), null],
  place: [() =>
    t("Press Place it, or drag the piece into the lit zone. If it holds you get a point, and one "
      + "more for each piece under it."),
  (said) => t("{owner} places the piece. Keep your fingers crossed, or not!", said)],
  after: [() =>
    t("It held! Play Give it back now if you have it, or pass."),
  () => t("Wait until everybody has passed.")],
  refill: [() => t("Take a new card, your reward for a hard turn."), null],
  keep: [() => t("Keep one of your two cards. The other is gone."), null],
};

/** Make the guide's card for the phase, or return "" if there is nothing to say. `player` is the
 * owner of the hand on the screen, or null; `redraw()` is called after the card was closed. */
export function guide({ players, snapshot }, player, redraw) {
  const { to_move: mover } = snapshot.game;
  const { phase, round, awaiting, turn } = snapshot.seats.public;
  const says = PHASES[phase];
  const acts = awaiting.includes(player) || (awaiting.includes("chance") && player === mover);
  const say = says?.[Math.min(acts ? 0 : player ? 1 : 2, says.length - 1)];
  if (round !== 1 || !say || remembered(KNOWN, "") === "known") return "";
  const close = () => {
    remember(KNOWN, "known");
    redraw();
  };
  return h("div", { class: "room-guide" },
    h("p", {}, say({ owner: players.called(turn?.doer ?? mover ?? "") })),
    act(t("I know the game"), close, { class: "plain", "data-what": "known" }));
}
