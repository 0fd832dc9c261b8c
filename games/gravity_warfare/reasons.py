"""Why a move may not be made, in words: a template in English and what fills it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from games.gravity_warfare import cards, flow
from games.gravity_warfare.data import COLOURS, HAND, ZONES
from games.gravity_warfare.moves import BUYING, CHANCE, SEEING, TABLE, awaited, event_of
from games.gravity_warfare.table import (
    ANY,
    COPY,
    MOUNT,
    PAIR,
    TELEPORT,
    UNKNOWN,
    State,
    Token,
)
from games.gravity_warfare.words import PHASES, card_said, piece_said, spoken
from games.seated import Several

Why = tuple[str, Mapping[str, object]]

PHASE_OF = {
    "pay": ("blocked",), "withdraw": ("window",), "choose": ("choose",), "take": ("take",),
    "place": ("place",), "event": ("event",), "keep": ("keep",), "name": ("name",),
    "draw": ("card", "refill"), "play": ("card", "window", "after"),
    "pass": ("blocked", "window", "after", "refill"),
}  # fmt: skip
"""What a player does -> the phases in which it is done; ``buy`` and ``hero`` belong to several."""


def why_not(s: State, move: str) -> Why:
    """The reason for a move that ``moves.allowed`` refuses."""
    words = move.split(":")
    who, what, args = words[0], words[1] if len(words) > 1 else "", words[2:]
    if who == CHANCE:
        return _chance(s, what)
    if who == TABLE:
        return _table(s, what)
    player = s.seat(who)
    if player is None:
        return (
            "{move}: a move begins with who makes it: {players}, chance or table.",
            {"move": move, "players": _names(s.players)},
        )
    if what not in PHASE_OF and what not in ("buy", "hero"):
        known = ", ".join([*PHASE_OF, "buy", "hero"])
        return "{what} is nothing that a player does: {known}.", {"what": what, "known": known}
    if what in ("buy", "hero"):
        return (_buy if what == "buy" else _hero)(s, player, args)
    waits = awaited(s)
    if not waits:
        return "This is no moment for a player: {phase}.", {"phase": _phase(s)}
    if player not in waits:
        template = "{who} is not awaited now; {awaited} may move."
        if s.phase in ("window", "after"):
            template = "{who} has passed, or has nothing to say now; {awaited} may move."
        return template, {"who": who, "awaited": _names(waits)}
    if s.phase not in PHASE_OF[what]:
        return (
            "{what} has another time: {right}. Now: {phase}.",
            {
                "what": what,
                "right": Several([PHASES[each] for each in PHASE_OF[what]], " / "),
                "phase": _phase(s),
            },
        )
    match what:
        case "draw":
            return _draw(s, player, args)
        case "play":
            return _play(s, player, args)
        case "withdraw":
            return _withdraw(s, player, args)
        case "take" | "place" | "event":
            return _pieces(s, what, args)
        case "name":
            return "{card} is nothing that Antimatter can stand for now.", {
                "card": card_said(":".join(args))
            }
        case "pay":
            return "{who} has no green gem to pay with.", {"who": who}
    return "{move} cannot be read: {what} is written otherwise.", {"move": move, "what": what}


def _phase(s: State) -> str:
    return PHASES[s.phase]


def _names(players: Iterable[int]) -> Several:
    return Several([COLOURS[each] for each in players])


def _chance(s: State, what: str) -> Why:
    match s.phase, what:
        case "heroes", "heroes":
            if s.options.paper:
                return "With cards of paper nobody says which heroes were given out.", {}
            return (
                "Name {count} different heroes of the deck, by seat.",
                {"count": s.options.players},
            )
        case "deal", "shuffle":
            if s.options.paper:
                return "With cards of paper nobody says how they were shuffled.", {}
            count = len(flow.shuffled(s))
            return "These are not exactly the {count} cards to be shuffled.", {"count": count}
        case (("roll" | "dice"), ("roll" | "troop" | "zone")):
            if what != s.ask:
                return REASONS[s.ask], {}
            template = "The dice show {kinds}, and a zone from 1 to 8."
            if s.source is not None:
                template = "The dice show a zone from 1 to 8, and zone {source} is the source."
            return template, {"kinds": Several(s.options.box.die), "source": s.source}
    if s.phase in ("heroes", "deal", "roll", "dice"):
        return "This comes first: {phase}.", {"phase": _phase(s)}
    waits = _names(awaited(s))
    return "Chance decides nothing now; {awaited} may move.", {"awaited": waits}


def _table(s: State, what: str) -> Why:
    if what == "time":
        return "The count of five ends a window that somebody is still silent in; none is open.", {}
    if what != "see":
        return "The table says see or time, not {what}.", {"what": what}
    if s.phase not in SEEING:
        return "The table tells nothing of the platform now: {phase}.", {"phase": _phase(s)}
    return (
        "What the table sees is written ZONE=TOWER/TOWER, each zone once, and no piece may be new "
        "there.",
        {},
    )


def _pile(s: State, player: int, args: Sequence[str], least: int) -> Why:
    if len(args) != 1 or args[0] not in ("left", "right"):
        return "Name a pile: left or right.", {}
    if not s.options.simple and not s.may_draw(player):
        return "{who} holds {count} cards, which is the limit.", _held(player)
    return (
        "The {side} pile holds {count}; it takes {least}.",
        {"side": args[0], "count": len(s.pile(args[0])), "least": least},
    )


def _held(player: int) -> Mapping[str, object]:
    return {"who": COLOURS[player], "count": HAND}


def _draw(s: State, player: int, args: Sequence[str]) -> Why:
    if s.phase != "card":
        return _pile(s, player, args, 2)
    if s.options.paper and len(args) == 2:
        return "All cards of the name {card} lie elsewhere, or there is none.", {
            "card": card_said(args[1])
        }
    return _pile(s, player, args, 1)


def _buy(s: State, player: int, args: Sequence[str]) -> Why:
    if s.options.simple:
        return "In the Simple mode nobody buys cards.", {}
    if s.phase not in BUYING:
        return "Nobody buys now: {phase}.", {"phase": _phase(s)}
    if not s.points[player]:
        return "A card costs a point, and {who} has none.", {"who": COLOURS[player]}
    return _pile(s, player, args, 2)


def _hero(s: State, player: int, args: Sequence[str]) -> Why:
    who, name = COLOURS[player], args[0] if args else ""
    title = spoken(name)
    if s.options.simple:
        return "In the Simple mode there are no heroes.", {}
    if player in s.used_heroes:
        return "{who} has used the hero in this round.", {"who": who}
    if name not in cards.own_heroes(s, player):
        return "{name} is not {who}'s hero.", {"name": title, "who": who}
    ability = s.options.box.heroes[name]
    if ability in cards.ANY_TIME:
        if s.phase not in BUYING:
            return "Heroes rest now: {phase}.", {"phase": _phase(s)}
        if ability == "draw":
            return _pile(s, player, args[1:], 2)
        return "All seven green gems are out.", {}
    if s.phase != "window" and not (ability == "free-troop" and s.phase == "blocked"):
        said = {"name": title, "phase": _phase(s)}
        return "{name} helps while cards are laid. Now: {phase}.", said
    if player not in awaited(s):
        return "{who} has passed in this window.", {"who": who}
    return REASONS[ability], {"name": title}


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


def _play(s: State, player: int, args: Sequence[str]) -> Why:
    who, token = COLOURS[player], args[0] if args else ""
    card, wild, name = token.partition("=")
    name = name if wild else card
    said = {"who": who, "card": card_said(name)}
    hand = s.hands[player]
    if card not in hand and (UNKNOWN not in hand or card not in s.playable(player)):
        return "{card} is not in {who}'s hand.", {"who": who, "card": card_said(card)}
    if (card == "antimatter") != bool(wild):
        return "Antimatter is played as antimatter=CARD, and no other card is.", {}
    if wild and name not in cards.named(s):
        return "{card} is nothing that Antimatter can stand for.", said
    if s.phase == "after" or name == cards.GIVE:
        if s.phase != "after":
            return "{card} is played right after a placement.", said
        if name != cards.GIVE:
            return "After a placement only Give it back is played.", {}
        return "The piece placed last is not free any more.", {}
    if s.phase == "card":
        return "Instead of drawing only the Guardian is played.", {}
    return _in_window(s, player, name, args[1:], said)


def _in_window(
    s: State, player: int, name: str, args: Sequence[str], said: Mapping[str, object]
) -> Why:
    if name in (cards.GUARD, cards.HOLE) and not cards.may_defend(s, player):
        return "Only the doer plays {card}, or the doer's partner.", said
    if args and name not in (cards.HOLE, cards.SELF):
        return "{card} takes nothing after it.", said
    if name == cards.GUARD:
        return "The Guardian does not guard a last troop.", {}
    if name == cards.HOLE:
        lie = Several([card_said(token.text) for token in s.tokens] or ["-"])
        return "Of what lies here ({lie}) {card} puts off one challenge.", {**said, "lie": lie}
    if name == cards.SELF:
        if s.options.simple and player != s.doer:
            return "In the Simple mode only the doer plays {card}.", said
        return "{card} names a player who is not the doer already.", said
    if player not in s.others:
        return "{who} plays the turn, and lays no challenges and no events.", said
    if s.spent[player] >= s.right[player]:
        return "{who} has laid all that one may lay in a turn.", said
    if cards.is_event(s, name):
        return "There is no piece on the platform.", {}
    if s.chosen:
        return "Blindfolded or the rest has been chosen: nothing is laid any more.", {}
    if name in s.in_force:
        return "{card} is in force already.", said
    return _impossible(s, name)


def _impossible(s: State, name: str) -> Why:
    """Why a challenge cannot be carried out with those that lie."""
    names = s.names() | {name}
    if COPY in names:
        if s.last is None:
            return "There is nothing to copy.", {}
        names |= set(s.last.challenges)
        if TELEPORT in names:
            return "Copy it and Teleport it cannot be done together.", {}
    if TELEPORT in names and PAIR in names:
        return "Teleport it and Pair it cannot be done together.", {}
    if not s.pieces() and names & {TELEPORT, MOUNT}:
        return "There is no piece on the platform.", {}
    if TELEPORT in names:
        return "There are too few pieces on the platform.", {}
    return "The owner does not hold the troops for it.", {}


def _withdraw(s: State, player: int, args: Sequence[str]) -> Why:
    token = next((each for each in s.tokens if each.text == ":".join(args)), None)
    if token is None:
        return "{card} does not lie on this turn.", {"card": card_said(":".join(args))}
    if token.who != player:
        said = {"card": card_said(token.text), "who": COLOURS[token.who]}
        return "{card} belongs to {who}.", said
    return _kept(token) or ("One challenge alone is not taken back.", {})


def _kept(token: Token) -> Why | None:
    if token.card is None:
        return "What a hero laid is not taken back.", {}
    if token.deferred:
        return "What was put off from an earlier turn is not taken back.", {}
    return None


def _pieces(s: State, what: str, args: Sequence[str]) -> Why:
    """A piece that is taken, placed or moved by an event."""
    if what != "take" and (not args or args[0] not in ("ok", "fail")):
        return "{what} says ok or fail.", {"what": what}
    placing = what == "place"
    named = args if what == "take" else args[1:]
    zone, piece = [*reversed(named[:2]), "", ""][:2] if placing else [*named[:2], "", ""][:2]
    if zone not in ZONES:
        return "There is no zone {zone}; there are 1 to 8.", {"zone": zone or "-"}
    if what == "event" and event_of(s)[1] == cards.GIVE:
        last = s.placed[-1][-1]
        return "Only {piece}, placed last, is given back.", {"piece": piece_said(last)}
    if not placing and piece not in s.tops(zone):
        said = {"piece": piece_said(piece or "-"), "zone": zone}
        return "This piece does not lie on top in zone {zone}: {piece}.", said
    if what != "event" and s.zone not in (ANY, zone):
        return "The zone is {die}, not {zone}.", {"die": s.zone or "-", "zone": zone}
    if any(arg.startswith("fell=") for arg in args):
        return "What fell was not all in the hand or on the platform, or nothing failed.", {}
    if not placing:
        return "{what} is written otherwise, or not there.", {"what": ":".join([what, *args])}
    return _placement(s, piece.split("+"), zone)


def _placement(s: State, names: Sequence[str], zone: str) -> Why:
    pair = PAIR in (s.fixed or ())
    if len(names) != 1 + (pair and s.held is None):
        return ("A pair is placed." if pair else "One piece is placed."), {}
    if s.held is not None and names[0] != s.held:
        return "{piece} is in the hand.", {"piece": piece_said(s.held)}
    missing = next((name for name in names if name not in s.troops[s.owner]), None)
    if s.held is None and missing is not None:
        said = {"who": COLOURS[s.owner], "piece": piece_said(missing)}
        return "{who} does not hold {piece}.", said
    fits = all(
        die == ANY or name.endswith(f"-{die}") or not _holds(s, die)
        for die, name in zip(s.troop, names, strict=False)
    )
    if s.held is None and not fits:
        return "The dice ask for {dice}.", {"dice": Several(s.troop)}
    if MOUNT in (s.fixed or ()):
        return "With Mount it the piece goes onto a tower of zone {zone}: under=N.", {"zone": zone}
    return "In zone {zone} there is no tower of that height.", {"zone": zone}


def _holds(s: State, die: str) -> bool:
    return any(name.endswith(f"-{die}") for name in s.troops[s.owner])
