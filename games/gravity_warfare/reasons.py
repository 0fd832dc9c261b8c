"""Explains why moves are refused: message templates in English, and their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tiltboard.games.gravity_warfare import cards, turn_phases
from tiltboard.games.gravity_warfare.data import COLOURS, HAND, ZONES
from tiltboard.games.gravity_warfare.moves import BUYING, CHANCE, SEEING, TABLE, awaited_seats
from tiltboard.games.gravity_warfare.state import ANY, MOUNT, PAIR, UNKNOWN, WarfareState, kind_of
from tiltboard.games.gravity_warfare.words import PHASES, card_said, piece_said, spoken
from tiltboard.games.seated import Several, Words

PHASE_OF = {
    "pay": ("blocked",), "withdraw": ("window",), "choose": ("choose",), "take": ("take",),
    "place": ("place",), "event": ("event",), "keep": ("keep",), "name": ("name",),
    "draw": ("card", "refill"), "play": ("card", "window", "after"),
    "pass": ("blocked", "window", "after", "refill"),
}  # fmt: skip
"""The phases in which a player may take each action, by action. The actions ``buy`` and ``hero``
are checked elsewhere.
"""


def why_not(s: WarfareState, move: str) -> Words:
    """Return the reason for refusing a move that ``moves.allowed`` rejects, as a template and its
    parameters.
    """
    words = move.split(":")
    who, what, args = words[0], words[1] if len(words) > 1 else "", words[2:]
    if who == CHANCE:
        return _chance(s, what)
    now, waits = PHASES[s.phase], awaited_seats(s)
    if who == TABLE:
        return _table(s, what)
    player = s.seat(who)
    if player is None:
        return (
            "{move}: a move begins with who makes it: {players}, chance or table.",
            {"move": move, "players": _names(s.players)},
        )
    if what == "buy":
        return _buy(s, player, args)
    if what == "hero":
        return _hero(s, player, args)
    if what not in PHASE_OF:
        known = ", ".join([*PHASE_OF, "buy", "hero"])
        return "{what} is nothing that a player does: {known}.", {"what": what, "known": known}
    if not waits:
        return "A player cannot act now: {phase}.", {"phase": now}
    if player not in waits:
        template = "It's not {who}'s turn. {awaited} may move now."
        if s.phase in ("window", "after"):
            template = "{who} can do nothing now. {awaited} may move."
        return template, {"who": who, "awaited": _names(waits)}
    if s.phase not in PHASE_OF[what]:
        right = Several([PHASES[each] for each in PHASE_OF[what]], " / ")
        said = {"what": what, "right": right, "phase": now}
        return "{what} has another time: {right}. Now: {phase}.", said
    match what:
        case "draw" if s.phase == "card" and s.options.paper and len(args) == 2:
            said = {"card": card_said(args[1])}
            return "All cards named {card} are elsewhere, or the deck has none.", said
        case "draw":
            return _pile(s, player, args, 1 if s.phase == "card" else 2)
        case "play":
            return _play(s, player, args)
        case "withdraw":
            return _withdraw(s, player, ":".join(args))
        case "take" | "place" | "event":
            return _pieces(s, what, args)
        case "name":
            said = {"card": card_said(":".join(args))}
            return "{card} is nothing that Antimatter can stand for now.", said
        case "pay":
            return "{who} has no green gem to pay with.", {"who": who}
    return "{move} cannot be read: {what} is written otherwise.", {"move": move, "what": what}


def _names(players: Iterable[int]) -> Several:
    return Several([COLOURS[each] for each in players])


def _chance(s: WarfareState, what: str) -> Words:
    match s.phase, what:
        case "heroes", "heroes":
            if s.options.paper:
                return "With cards of paper nobody says which heroes were given out.", {}
            count = s.options.players
            return "Name {count} different heroes of the deck, by seat.", {"count": count}
        case "deal", "shuffle":
            if s.options.paper:
                return "With cards of paper nobody says how they were shuffled.", {}
            count = len(turn_phases.cards_to_shuffle(s))
            return "These are not exactly the {count} cards to be shuffled.", {"count": count}
        case (("roll" | "dice"), ("roll" | "troop" | "zone")):
            if what != s.ask:
                return REASONS[s.ask], {}
            template = "The dice show {kinds}, and a zone from 1 to 8."
            if s.source is not None:
                template = "The dice show a zone from 1 to 8, and zone {source} is the source."
            return template, {"kinds": Several(s.options.box.die), "source": s.source}
    if s.phase in ("heroes", "deal", "roll", "dice"):
        return "This comes first: {phase}.", {"phase": PHASES[s.phase]}
    waits = _names(awaited_seats(s))
    return "Chance decides nothing now; {awaited} may move.", {"awaited": waits}


def _table(s: WarfareState, what: str) -> Words:
    if what == "time":
        return "The count of five ends a window that somebody is still silent in; none is open.", {}
    if what != "see":
        return "The table says see or time, not {what}.", {"what": what}
    if s.phase not in SEEING:
        return "The table tells nothing of the platform now: {phase}.", {"phase": PHASES[s.phase]}
    return (
        "What the table sees is written ZONE=TOWER/TOWER, each zone once, and no piece may be new "
        "there.",
        {},
    )


def _pile(s: WarfareState, player: int, args: Sequence[str], least: int) -> Words:
    if len(args) != 1 or args[0] not in ("left", "right"):
        return "Name a pile: left or right.", {}
    if not s.options.simple and len(s.hands[player]) >= HAND:
        said = {"who": COLOURS[player], "count": HAND}
        return "{who} holds {count} cards, which is the limit.", said
    said = {"side": args[0], "count": len(s.pile(args[0])), "least": least}
    return "The {side} pile holds {count}; it takes {least}.", said


def _buy(s: WarfareState, player: int, args: Sequence[str]) -> Words:
    if s.options.simple:
        return "In the Simple mode nobody buys cards.", {}
    if s.phase not in BUYING:
        return "Nobody buys now: {phase}.", {"phase": PHASES[s.phase]}
    if not s.points[player]:
        return "A card costs a point, and {who} has none.", {"who": COLOURS[player]}
    return _pile(s, player, args, 2)


def _hero(s: WarfareState, player: int, args: Sequence[str]) -> Words:
    name = args[0] if args else ""
    said = {"who": COLOURS[player], "name": spoken(name), "phase": PHASES[s.phase]}
    if s.options.simple:
        return "In the Simple mode there are no heroes.", {}
    if player in s.used_heroes:
        return "{who} has used the hero in this round.", said
    if name not in cards.own_heroes(s, player):
        return "{name} is not {who}'s hero.", said
    ability = s.options.box.heroes[name]
    if ability in cards.ANY_TIME:
        if s.phase not in BUYING:
            return "Heroes rest now: {phase}.", said
        if ability == "draw":
            return _pile(s, player, args[1:], 2)
        return "All seven green gems are out.", {}
    if s.phase != "window" and not (ability == "free-troop" and s.phase == "blocked"):
        return "{name} helps while cards are laid. Now: {phase}.", said
    if player not in awaited_seats(s):
        return "{who} has passed in this window.", said
    return REASONS[ability], said


REASONS = {
    "roll": "Both dice must be rolled now.",
    "troop": "The troop die must be rolled now.",
    "zone": "The zone die must be rolled now.",
    "reuse": "{name} helps whoever is neither owner nor doer, with a challenge they laid earlier "
    "in this round.",
    "free-zone": "{name} helps the doer, where the zone is not free yet.",
    "free-troop": "{name} helps the owner, where the troop is not free yet.",
    "cancel": "{name} helps the doer against a challenge that lies.",
    "reroll-zone": "{name} rolls again a zone that is not free.",
    "extra": "{name} helps who is neither owner nor doer.",
    "reward": "{name} helps the owner.",
    "save": "{name} helps the doer.",
}


def _play(s: WarfareState, player: int, args: Sequence[str]) -> Words:
    card, wild, name = (args[0] if args else "").partition("=")
    name = name if wild else card
    said: dict[str, object] = {"who": COLOURS[player], "card": card_said(card)}
    hand = s.hands[player]
    if card not in hand and (UNKNOWN not in hand or card not in s.playable(player)):
        return "{card} is not in {who}'s hand.", said
    if (card == cards.WILD) != bool(wild):
        return "Antimatter is played as antimatter=CARD, and no other card is.", {}
    said["card"] = card_said(name)
    if wild and name not in cards.antimatter_cards(s):
        return "{card} is nothing that Antimatter can stand for.", said
    if s.phase == "after":
        if name != cards.GIVE:
            return "After a placement, only Give it back can be played.", {}
        return "The piece placed last is not free any more.", {}
    if s.phase == "card":
        return "Only the Guardian can be played instead of drawing.", {}
    template = cards.unplayable(s, player, name)
    if template is not None:
        return template, said
    if name == cards.HOLE:
        said["lie"] = Several([card_said(token.text) for token in s.tokens] or ["-"])
        return "Of what lies here ({lie}) {card} puts off one challenge.", said
    if name == cards.SELF:
        return "{card} names a player who is not the doer already.", said
    return "{card} takes nothing after it.", said


def _withdraw(s: WarfareState, player: int, text: str) -> Words:
    token = next((each for each in s.tokens if each.text == text), None)
    if token is None:
        return "{card} does not lie on this turn.", {"card": card_said(text)}
    if token.who != player:
        said = {"card": card_said(text), "who": COLOURS[token.who]}
        return "{card} belongs to {who}.", said
    if token.card is None:
        return "What a hero laid is not taken back.", {}
    if token.deferred:
        return "What was put off from an earlier turn is not taken back.", {}
    return "One challenge alone is not taken back.", {}


def _pieces(s: WarfareState, what: str, args: Sequence[str]) -> Words:
    """Return the reason for refusing a move that takes or places a piece or carries out an
    event.
    """
    if what != "take" and (not args or args[0] not in ("ok", "fail")):
        return "{what} says ok or fail.", {"what": what}
    named = [*(args if what == "take" else args[1:]), "", ""]
    piece, zone = named[:2] if what == "place" else (named[1], named[0])
    said: dict[str, object] = {"zone": zone or "-", "die": s.zone or "-"}
    if zone not in ZONES:
        return "There is no zone {zone}; there are 1 to 8.", said
    if what == "event" and s.event_now.name == cards.GIVE:
        said = {"piece": piece_said(s.placed[-1][-1])}
        return "Only {piece}, placed last, is given back.", said
    if what != "place" and piece not in s.tops(zone):
        said["piece"] = piece_said(piece or "-")
        return "This piece does not lie on top in zone {zone}: {piece}.", said
    if what != "event" and s.zone not in (ANY, zone):
        return "The zone is {die}, not {zone}.", said
    if any(arg.startswith("fell=") for arg in args):
        return "What fell was not all in the hand or on the platform, or nothing failed.", {}
    if what != "place":
        return "{what} is written otherwise, or not there.", {"what": ":".join([what, *args])}
    return _placement(s, piece.split("+"), zone)


def _placement(s: WarfareState, names: Sequence[str], zone: str) -> Words:
    force = s.fixed or ()
    if len(names) != (2 if PAIR in force and s.held is None else 1):
        return ("A pair is placed." if PAIR in force else "One piece is placed."), {}
    if s.held is not None and names[0] != s.held:
        return "{piece} is in the hand.", {"piece": piece_said(s.held)}
    if s.held is None:
        troops = s.troops[s.owner]
        missing = next((name for name in names if name not in troops), None)
        if missing is not None:
            said = {"who": COLOURS[s.owner], "piece": piece_said(missing)}
            return "{who} does not hold {piece}.", said
        held = {kind_of(piece) for piece in troops}
        dice = zip(s.troop, names, strict=False)
        if any(die in held and kind_of(name) != die for die, name in dice):
            return "The dice ask for {dice}.", {"dice": Several(s.troop)}
    if MOUNT in force:
        return "With Mount it the piece goes onto a tower of zone {zone}: under=N.", {"zone": zone}
    return "In zone {zone} there is no tower of that height.", {"zone": zone}
