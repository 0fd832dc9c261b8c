"""Texts of Gravity Warfare for players: instructions, and descriptions of cards and heroes."""

from __future__ import annotations

from collections.abc import Mapping

from tiltboard.games.gravity_warfare import data
from tiltboard.games.gravity_warfare.data import COLOURS, KINDS, Options
from tiltboard.games.gravity_warfare.state import ANY, MOUNT, TELEPORT, WarfareState
from tiltboard.games.seated import Phrase, Several, Words

CARDS: Mapping[str, tuple[str, str]] = {
    "limit-it": ("Limit it!", "The piece must lie wholly inside its zone."),
    "copy-it": ("Copy it!", "Do what the player before did: same zone, same piece, same cards."),
    "blindfolded": ("Blindfolded!", "Place it with your eyes closed. Never with other cards."),
    "duplicate-it": ("Duplicate it!", "Place two pieces, one after the other, in the same zone."),
    "pair-it": ("Pair it!", "Roll for a second piece, and place both together as a totem."),
    "spin-it": ("Spin it!", "Spin the platform, place the piece, and stop it with one hand."),
    "mount-it": ("Mount it!", "Place the piece on top of another one."),
    "chopsticks": ("Chopsticks!", "Place the piece with the chopsticks, with one hand."),
    "teleport-it": ("Teleport it!", "Move a piece of the platform to another zone."),
    "guardian": ("Guardian", "No card counts for you now: any piece, any zone."),
    "space-time-hole": ("Space-Time Hole", "Put one card off to your next turn."),
    "do-it-yourself": ("Do it yourself!", "Somebody else must place the piece."),
    "keep-it": ("Keep it!", "Take a piece off the platform and give it to somebody."),
    "give-it-back": ("Give it back!", "Take off the piece that was just placed: its owner has it."),
    "antimatter": ("Antimatter", "Be any card but a Guardian."),
}
ABILITIES: Mapping[str, str] = {
    "reuse": "Lay once more a challenge that you laid earlier in this round.",
    "free-zone": "You place a piece: choose the zone.",
    "free-troop": "Your turn: choose the troop.",
    "cancel": "You place a piece: one challenge is gone.",
    "reroll-zone": "Have the zone rolled again.",
    "extra": "Lay one card more on another's turn.",
    "draw": "Draw a card without paying.",
    "gem": "Take a green gem.",
    "reward": "Your turn: one point more if it holds.",
    "save": "You place a piece: up to three that fall cost nothing.",
}
TROOPS: Mapping[str, tuple[str, str, str, str]] = {
    "tank": ("Tank", "a tank", "your tank", "{owner}'s tank"),
    "fighter": ("Fighter", "a fighter", "your fighter", "{owner}'s fighter"),
    "ship": ("Ship", "a ship", "your ship", "{owner}'s ship"),
    ANY: ("any troop", "any piece", "any of your pieces", "any of {owner}'s pieces"),
}
"""Four texts for each kind of troop: a title, and phrases for any piece of this kind, for the
player's own piece and for another player's piece.
"""
JUDGED = "People judge whether it was done."
NO_TROOP = "no troop"
AND = " and "
PHASES: Mapping[str, str] = {
    "heroes": "heroes are given out",
    "deal": "cards are shuffled",
    "card": "a card is drawn",
    "name": "Antimatter is named",
    "roll": "dice are rolled",
    "dice": "dice are rolled",
    "blocked": "the owner has no such troop",
    "window": "cards are laid",
    "choose": "Blindfolded or the rest is chosen",
    "event": "an event is carried out",
    "take": "a piece is taken",
    "place": "a piece is placed",
    "after": "the last piece may be given back",
    "refill": "hands are filled up",
    "keep": "one of two new cards is kept",
    "over": "the game is over",
}


def texts() -> list[str]:
    """Return all texts of the game with the built-in deck, including the zone names of both
    sides.
    """
    box = data.default_box()
    faces = [name for names in box.zones.values() for name in names]
    titles = [each for pair in CARDS.values() for each in pair]
    troops = [each for words in TROOPS.values() for each in words]
    others = [*ABILITIES.values(), *PHASES.values(), *map(spoken, box.heroes), JUDGED, NO_TROOP]
    return [*faces, *titles, *troops, *others, *KINDS, *set(box.cards.values()), "any zone"]


def card_said(token: str) -> str | Phrase:
    """Return the title of a card that was played, given as text such as ``limit-it`` or
    ``antimatter=limit-it``.
    """
    card, wild, name = token.partition("=")
    title = CARDS[card][0] if card in CARDS else spoken(card)
    if not wild:
        return title
    what = card_said(name)
    return what if card == "hero" else Phrase("{card} as {what}", {"card": title, "what": what})


def piece_said(piece: str) -> str | Phrase:
    """Return the phrase for a piece such as ``red-tank``; return any other text unchanged."""
    owner, _, kind = piece.partition("-")
    return _owned_phrase(kind, owner) if kind in KINDS else piece


def _owned_phrase(kind: str, owner: str) -> Phrase:
    return Phrase(TROOPS[kind][3], {"owner": owner})


def glossary(options: Options) -> dict[str, tuple[str, str]]:
    """Return the title and explanation of each zone, card, hero and troop of the game, by key."""
    zones = options.box.zones.get(options.face) or data.default_box().zones[options.face]
    found = {f"zone:{at}": (name, "") for at, name in enumerate(zones, start=1)}
    for name, kind in options.box.cards.items():
        found[f"card:{name}"] = CARDS.get(name, (spoken(name), JUDGED))
        found[f"type:{name}:{kind}"] = (kind, "")
    for name, ability in options.box.heroes.items():
        found[f"hero:{name}"] = (spoken(name), ABILITIES[ability])
    found |= {f"kind:{name}": (TROOPS[name][0], "") for name in KINDS}
    found |= {f"troop:{name}": (name, "") for name in (*KINDS, "any troop", "any zone")}
    return found


def spoken(name: str) -> str:
    """Return a name such as ``hum-a-song`` as a title, without hyphens and with a capital
    letter.
    """
    return name.replace("-", " ").capitalize()


def prompt(s: WarfareState) -> Words:
    """Return the current instruction to the players, as a template and its parameters. The
    parameters ``owner``, ``doer`` and ``who`` are players' names.
    """
    owner, doer = COLOURS[s.owner], COLOURS[s.doer]
    match s.phase:
        case "heroes":
            return "Each of you gets a hero.", {}
        case "deal" if s.stage == "deal":
            said = {"round": s.round, "rounds": s.options.rounds}
            return "Round {round} of {rounds}: shuffle and deal the cards.", said
        case "deal":
            return "The used cards are shuffled into new piles.", {}
        case "card":
            return "{owner}: draw a card, from the left or the right pile.", {"owner": owner}
        case "name":
            return "{owner} drew Antimatter: say which card it is.", {"owner": owner}
        case "roll" | "dice":
            return _dice(s, owner, doer)
        case "blocked":
            return (
                "{owner} has no {troop} left. Pass and take a green gem, or spend one to pick "
                "another piece.",
                {"owner": owner, "troop": s.troop[0]},
            )
        case "window":
            return _window(s, owner, doer)
        case "choose":
            return (
                "Blindfolded, or the other cards? All but {doer} may say: the first answer counts.",
                {"doer": doer},
            )
        case "event":
            who, card = COLOURS[s.event_now.who], card_said(s.event_now.name)
            return "{who} plays {card} Lift the piece off gently.", {"who": who, "card": card}
        case "take":
            return "{doer}: take a piece off the top in {zone}.", {"doer": doer, **_zone(s)}
        case "place":
            return _place(s, owner, doer)
        case "after":
            return "It held! Give it back to {owner} with a card, or pass.", {"owner": owner}
        case "refill":
            return "{who}: draw two cards and keep one, or pass.", {"who": COLOURS[s.refill[0]]}
        case "keep":
            return "{who}: keep one of your two new cards.", {"who": COLOURS[s.drawer]}
    return "The game is over.", {}


def _zone(s: WarfareState) -> dict[str, object]:
    return {"zone": "any zone" if s.zone in (ANY, None) else f"zone {s.zone}"}


def _dice(s: WarfareState, owner: str, doer: str) -> Words:
    said = {"owner": owner, "doer": doer}
    if s.ask == "roll":
        return "{owner}: roll both dice.", said
    if s.stage == "roll" and s.ask == "troop":
        said["troop"] = s.troop[0]
        return "{owner} has no {troop} left: roll the troop die once more.", said
    if s.ask == "troop":
        return "{doer}: roll the troop die for the second piece.", said
    if s.held is not None:
        return "{doer}: roll the zone die. Where does the piece go?", said
    return "{doer}: roll the zone die.", said


def _window(s: WarfareState, owner: str, doer: str) -> Words:
    pieces = Several([TROOPS[kind][1] for kind in s.troop] or [NO_TROOP], AND)
    said = {"owner": owner, "doer": doer, "troop": pieces, **_zone(s)}
    if s.options.simple:
        return "{doer}: play a card to defend yourself, or carry on.", said
    if doer != owner:
        return (
            "{doer} places {troop} for {owner} in {zone}. Play a card, or pass.",
            said,
        )
    return (
        "{owner} must place {troop} in {zone}. Make it harder with a card, or pass.",
        said,
    )


def _place(s: WarfareState, owner: str, doer: str) -> Words:
    pieces = [TROOPS[kind][2] if doer == owner else _owned_phrase(kind, owner) for kind in s.troop]
    said = {"doer": doer, "troop": Several(pieces or [NO_TROOP], AND), **_zone(s)}
    if s.held is not None and TELEPORT in (s.fixed or ()):
        return "{doer}: place it in {zone}.", said
    if MOUNT in (s.fixed or ()):
        return "{doer}: place {troop} on top of a piece in {zone}.", said
    return "{doer}: place {troop} in {zone}.", said
