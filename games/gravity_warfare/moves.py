"""The moves of every phase, by name: which there are, whether one may be made, and what chance
adds to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.gravity_warfare import cards, flow
from games.gravity_warfare.data import COLOURS, KINDS, KINDS_OF_CARDS, ZONES
from games.gravity_warfare.table import (
    ANY,
    MOUNT,
    PAIR,
    Piece,
    State,
    Tower,
    kind_of,
    zones_with_pieces,
)
from games.rules import Dice

CHANCE, TABLE = "chance", "table"
BUYING = ("window", "blocked", "choose", "event", "take", "place", "after", "refill")
SEEING = ("card", "roll", "blocked", "window", "after", "refill")
_TROOPS = {f"{colour}-{kind}" for colour in COLOURS for kind in KINDS}


def awaited(s: State) -> tuple[int, ...]:
    """Players by seat, nobody where chance is awaited or the game is over."""
    match s.phase:
        case "keep":
            return (s.drawer,)
        case "card" | "name" | "blocked":
            return (s.owner,)
        case "window":
            return tuple(each for each in s.players if each not in s.passed)
        case "after":  # who buys a card meanwhile may lay it
            return tuple(p for p in s.players if p not in s.passed and s.may_give_back(p))
        case "choose":
            return tuple(each for each in s.players if each != s.doer)
        case "event":
            return (event_of(s)[0],)
        case "take" | "place":
            return (s.doer,)
        case "refill":
            return s.refill
    return ()


def listed(s: State) -> list[str]:
    """All legal moves; stems stand for those with arguments that cannot be listed."""
    found = list(_CHANCES[s.phase](s)) if s.phase in _CHANCES else []
    for player in awaited(s):
        found += _asked(s, player)
    for player in s.players:
        found += _at_any_time(s, player)
    if (s.phase == "window" and set(awaited(s)) - {s.doer}) or s.phase == "after":
        found.append("table:time")
    return found


def listed_of(s: State, player: int) -> list[str]:
    """One player's, in the same order."""
    asked = _asked(s, player) if player in awaited(s) else []
    return [*asked, *_at_any_time(s, player)]


def _asked(s: State, player: int) -> list[str]:
    return [f"{COLOURS[player]}:{words}" for words in _PHASES[s.phase](s, player)]


def _at_any_time(s: State, player: int) -> list[str]:
    if s.options.simple or s.phase not in BUYING:
        return []
    words = [f"buy:{side}" for side in (cards.buys(s, player) if s.points[player] else ())]
    words += [f"hero:{hero}" for hero in cards.heroics(s, player, cards.ANY_TIME)]
    return [f"{COLOURS[player]}:{word}" for word in words]


def _deal(s: State) -> Iterator[str]:
    yield "chance:shuffle"


def _heroes(s: State) -> Iterator[str]:
    yield "chance:heroes"


def _dice(s: State) -> Iterator[str]:
    if s.ask == "roll":
        yield from (f"chance:roll:{kind}:{zone}" for kind in s.options.box.die for zone in ZONES)
    elif s.ask == "troop":
        yield from (f"chance:troop:{kind}" for kind in s.options.box.die)
    elif s.ask == "zone":
        yield from (f"chance:zone:{zone}" for zone in ZONES if zone != s.source)


_CHANCES: Mapping[str, Callable[[State], Iterator[str]]] = {
    "heroes": _heroes, "deal": _deal, "roll": _dice, "dice": _dice,
}  # fmt: skip


def _card(s: State, player: int) -> Iterator[str]:
    for side in ("left", "right"):
        if s.pile(side):
            if s.options.paper:
                yield from (f"draw:{side}:{card}" for card in s.unseen())
            else:
                yield f"draw:{side}"
    if cards.GUARD in s.hands[player]:
        yield "play:guardian"


def _name(s: State, player: int) -> Iterator[str]:
    yield from (f"name:{name}" for name in nameable(s))


def nameable(s: State) -> list[str]:
    """What Antimatter may be in Simple mode: a possible challenge, or Keep it."""
    found = [name for name in cards.named(s) if name not in KINDS_OF_CARDS and s.possible(name)]
    keep = cards.KEEP in cards.named(s) and s.pieces() > 0
    return [*found, cards.KEEP] if keep else found


def _blocked(s: State, player: int) -> Iterator[str]:
    yield "pass"
    if s.gems[player]:
        yield "pay"
    yield from (f"hero:{hero}" for hero in cards.heroics(s, player, {"free-troop": _FREE_TROOP}))


_FREE_TROOP = cards.HEROES["free-troop"]


def _window(s: State, player: int) -> Iterator[str]:
    yield "pass"
    yield from (f"play:{words}" for words in cards.plays(s, player))
    if len(s.tokens) > 1:
        mine = [t for t in s.tokens if t.who == player and t.card and not t.deferred]
        yield from (f"withdraw:{token.text}" for token in mine)
    yield from (f"hero:{words}" for words in cards.heroics(s, player, cards.HEROES))


def _choose(s: State, player: int) -> Iterator[str]:
    yield from ("choose:blindfolded", "choose:rest")


def _after(s: State, player: int) -> Iterator[str]:
    yield "pass"
    if cards.givable(s) is not None:
        hand = s.playable(player)
        if cards.GIVE in hand:
            yield f"play:{cards.GIVE}"
        if "antimatter" in hand and cards.GIVE in cards.named(s):
            yield f"play:antimatter={cards.GIVE}"


def event_of(s: State) -> tuple[int, str]:
    """Who carries it out, and which it is; in Simple mode the doer, Keep it."""
    return (s.doer, cards.KEEP) if s.event is None else s.event


def _event_moves(s: State, player: int) -> Iterator[str]:
    name = event_of(s)[1]
    if name == cards.GIVE:
        zone, piece = cards.givable(s), s.placed[-1][-1]
        yield f"event:ok:{zone}:{piece}"
        yield f"event:fail:{zone}:{piece}"
        return
    for zone in zones_with_pieces(s):
        for piece in s.tops(zone):
            yield f"event:fail:{zone}:{piece}"
            if name == cards.KEEP:
                yield from (f"event:ok:{zone}:{piece}:{COLOURS[who]}" for who in s.players)
                continue
            left = s.copy()
            left.remove(zone, piece, top=True)
            for target in ZONES:
                if target != zone:
                    yield from (
                        f"event:ok:{zone}:{piece}:{target}{under}"
                        for under in _unders(left, target, mount=False)
                    )


def _take(s: State, player: int) -> Iterator[str]:
    for zone in zones_with_pieces(s):
        if s.zone in (ANY, zone):
            yield from (f"take:{zone}:{piece}" for piece in s.tops(zone))


def _place(s: State, player: int) -> Iterator[str]:
    mount = MOUNT in (s.fixed or ())
    zones = [zone for zone in ZONES if s.zone in (ANY, zone) and (not mount or zone in s.zones)]
    for names in sorted(_choices(s)):
        pieces = "+".join(names)
        for zone in zones:
            yield f"place:fail:{pieces}:{zone}"
            yield from (
                f"place:ok:{pieces}:{zone}{under}" for under in _unders(s, zone, mount=mount)
            )


def _unders(s: State, zone: str, *, mount: bool) -> Iterator[str]:
    if not mount:
        yield ""
    yield from (f":under={n}" for n in sorted({len(tower) for tower in s.zones.get(zone, ())}))


def _choices(s: State) -> set[tuple[str, ...]]:
    """The pieces that may be placed now: one, or a pair, the lower first."""
    if s.held is not None:
        return {(s.held,)}
    dice = s.troop if PAIR in (s.fixed or ()) else s.troop[:1]
    found: set[tuple[str, ...]] = {()}
    for die in dice:
        longer = set()
        for names in found:
            left = Counter(s.troops[s.owner])
            left.subtract(names)
            held = set(left.elements())
            fitting = {name for name in held if kind_of(name) == die}
            longer |= {(*names, name) for name in fitting or held}
        found = longer
    return found


def _refill(s: State, player: int) -> Iterator[str]:
    yield "pass"
    yield from (f"draw:{side}" for side in cards.buys(s, player))


def _keep(s: State, player: int) -> Iterator[str]:
    yield from ("keep:1", "keep:2")


_PHASES: Mapping[str, Callable[[State, int], Iterator[str]]] = {
    "card": _card, "name": _name, "blocked": _blocked, "window": _window, "choose": _choose,
    "event": _event_moves, "take": _take, "place": _place, "after": _after, "refill": _refill,
    "keep": _keep,
}  # fmt: skip


# whether a move may be made


def allowed(s: State, move: str) -> bool:
    """Whether a move is legal, with its arguments."""
    words = move.split(":")
    if words[:2] == ["chance", "heroes"]:
        return s.phase == "heroes" and _heroes_fit(s, words[2:])
    if words[:2] == ["chance", "shuffle"]:
        wanted = [] if s.options.paper else flow.shuffled(s)
        return s.phase == "deal" and Counter(words[2:]) == Counter(wanted)
    if words[:2] == ["table", "see"]:
        return s.phase in SEEING and towers_of(s, words[2:]) is not None
    player = s.seat(words[0])
    moves = listed(s) if player is None else listed_of(s, player)
    stem, falls, fell = move.partition(":fell=")
    if falls:
        return "fail" in words and stem in moves and _fits(s, stem, fell.split("+"))
    return move in moves


def _heroes_fit(s: State, names: Sequence[str]) -> bool:
    if s.options.paper:
        return not names
    known = s.options.box.heroes
    return len(names) == len(set(names)) == s.options.players and set(names) <= set(known)


def _fits(s: State, stem: str, fell: Sequence[str]) -> bool:
    """Whether those pieces were there to fall: in the hand, or on the platform."""
    _, what, _, *where = stem.split(":")
    hand = Counter(where[0].split("+") if what == "place" else [where[1]])
    standing = Counter(
        f"{piece.name}@{zone}" for zone, towers in s.zones.items() for t in towers for piece in t
    )
    if what == "event":
        standing[f"{where[1]}@{where[0]}"] -= 1
    return Counter(fell) <= hand + standing


def towers_of(s: State, words: Sequence[str]) -> dict[str, list[Tower]] | None:
    """What a witness says of some zones: their towers; None if it cannot be."""
    found: dict[str, list[list[str]]] = {}
    for word in words:
        zone, equals, text = word.partition("=")
        if not equals or zone not in ZONES or zone in found:
            return None
        found[zone] = [tower.split("+") for tower in text.split("/")] if text else []
    names = [name for towers in found.values() for tower in towers for name in tower]
    if not words or not set(names) <= _TROOPS:
        return None
    before = [piece for zone in found for t in s.zones.get(zone, ()) for piece in t]
    if Counter(names) - Counter(piece.name for piece in before):
        return None
    return _marked(s, found)


def _marked(s: State, found: dict[str, list[list[str]]]) -> dict[str, list[Tower]]:
    """The same, with what was placed in this turn marked: where it stood if one like it stands
    there, else in the lowest zone.
    """
    slid: Counter[str] = Counter()
    stays: dict[str, Counter[str]] = {}
    for zone, towers in found.items():
        placed = Counter(p.name for tower in s.zones.get(zone, ()) for p in tower if p.fresh)
        stays[zone] = placed & Counter(name for tower in towers for name in tower)
        slid += placed - stays[zone]
    marked: dict[str, list[Tower]] = {}
    for zone in sorted(found):
        left = stays[zone] + slid
        newest_first: list[Tower] = []
        for tower in reversed(found[zone]):
            pieces = []
            for name in reversed(tower):
                pieces.append(Piece(name, left[name] > 0))
                left[name] -= 1
            newest_first.append(tuple(reversed(pieces)))
        marked[zone] = newest_first[::-1]
        slid &= left
    return marked


# what cannot be listed, made up: the host deals so, tests and the conformance kit play so

FALLS = (0, 0, 1, 1, 2, 3, 4)


def completed(state: State, move: str, dice: Dice) -> str:
    """A move of ``listed`` as it can be made: with heroes, shuffled cards or what falls."""
    if move == "chance:heroes" and not state.options.paper:
        names = _shuffled(list(state.options.box.heroes), dice)[: state.options.players]
        return ":".join([move, *names])
    if move == "chance:shuffle" and not state.options.paper:
        return ":".join([move, *_shuffled(flow.shuffled(state), dice)])
    words = move.split(":")
    if "fail" in words:
        return move + _fallen(state, words, dice)
    return move


def _fallen(state: State, words: list[str], dice: Dice) -> str:
    hand = words[3].split("+") if words[1] == "place" else [words[4]]
    standing = [
        f"{piece.name}@{zone}"
        for zone, towers in state.zones.items()
        for tower in towers
        for piece in tower
    ]
    if words[1] == "event":
        standing.remove(f"{words[4]}@{words[3]}")
    fell = _shuffled([*hand, *standing], dice)[: dice.choice(FALLS)]
    return f":fell={'+'.join(fell)}" if fell else ""


def _shuffled(items: list[Any], dice: Dice) -> list[Any]:
    """All orders alike: each place, from the last, is exchanged with one of those up to itself."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = dice.choice(range(last + 1))
        found[last], found[other] = found[other], found[last]
    return found
