"""Lists the moves of a phase, checks individual moves, and completes moves with random results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tiltboard.games.gravity_warfare import cards, turn_phases
from tiltboard.games.gravity_warfare.data import COLOURS, KINDS_OF_CARDS, ZONES
from tiltboard.games.gravity_warfare.state import (
    ANY,
    MOUNT,
    PAIR,
    Tower,
    WarfarePiece,
    WarfareState,
    kind_of,
)
from tiltboard.games.rules import Dice

CHANCE, TABLE = "chance", "table"
BUYING = ("window", "blocked", "choose", "event", "take", "place", "after", "refill")
SEEING = ("card", "roll", "blocked", "window", "after", "refill")
# Numbers of pieces that can fall in a random failure. One entry is drawn, and all entries are
# equally likely.
FALLS = (0, 0, 1, 1, 2, 3, 4)


def awaited_seats(s: WarfareState) -> tuple[int, ...]:
    """Return the seat numbers of all players who can act now. Empty if dice or cards decide next,
    or if the game is over.
    """
    match s.phase:
        case "keep":
            return (s.drawer,)
        case "card" | "name" | "blocked":
            return (s.owner,)
        case "window":
            return tuple(each for each in s.players if each not in s.passed)
        # A player with an empty hand who buys a card in this phase can then also give the piece
        # back.
        case "after":
            return tuple(p for p in s.players if p not in s.passed and s.may_give_back(p))
        case "choose":
            return tuple(each for each in s.players if each != s.doer)
        case "event":
            return (s.event_now.who,)
        case "take" | "place":
            return (s.doer,)
        case "refill":
            return s.refill
    return ()


def legal_moves(s: WarfareState) -> list[str]:
    """Return all legal moves. A move whose arguments cannot be listed is given without its
    arguments.
    """
    found = [f"{CHANCE}:{words}" for words in _of_chance(s)]
    for player in s.players:
        found += listed_of(s, player)
    if (s.phase == "window" and set(awaited_seats(s)) - {s.doer}) or s.phase == "after":
        found.append("table:time")
    return found


def listed_of(s: WarfareState, player: int) -> list[str]:
    """Return the legal moves of one player."""
    words = list(_of_player(s, player)) if player in awaited_seats(s) else []
    if s.phase in BUYING and not s.options.simple:
        words += [f"buy:{side}" for side in (cards.buys(s, player) if s.points[player] else ())]
        words += [f"hero:{hero}" for hero in cards.heroics(s, player, cards.ANY_TIME)]
    return [f"{COLOURS[player]}:{each}" for each in words]


def _of_chance(s: WarfareState) -> list[str]:
    die = s.options.box.die
    match s.phase:
        case "heroes":
            return ["heroes"]
        case "deal":
            return ["shuffle"]
        case "roll" | "dice" if s.ask == "roll":
            return [f"roll:{kind}:{zone}" for kind in die for zone in ZONES]
        case "roll" | "dice" if s.ask == "troop":
            return [f"troop:{kind}" for kind in die]
        case "roll" | "dice":
            return [f"zone:{zone}" for zone in ZONES if zone != s.source]
    return []


def _of_player(s: WarfareState, player: int) -> Iterator[str]:
    """Yield the moves that the player can make in the current phase, each without the player's
    name.
    """
    match s.phase:
        case "card":
            named = [f":{card}" for card in s.unseen()] if s.options.paper else [""]
            sides = [side for side in ("left", "right") if s.pile(side)]
            yield from (f"draw:{side}{card}" for side in sides for card in named)
            if cards.GUARD in s.hands[player]:
                yield "play:guardian"
        case "name":
            yield from (f"name:{name}" for name in nameable(s))
        case "blocked":
            yield "pass"
            if s.gems[player]:
                yield "pay"
            yield from (f"hero:{hero}" for hero in cards.heroics(s, player, ["free-troop"]))
        case "window":
            yield "pass"
            yield from (f"play:{words}" for words in cards.plays(s, player))
            if len(s.tokens) > 1:
                mine = [t for t in s.tokens if t.who == player and t.card and not t.deferred]
                yield from (f"withdraw:{token.text}" for token in mine)
            yield from (f"hero:{words}" for words in cards.heroics(s, player, cards.IN_WINDOW))
        case "choose":
            yield from ("choose:blindfolded", "choose:rest")
        case "event":
            yield from _events(s)
        case "take":
            zones = [zone for zone in sorted(s.zones) if s.zone in (ANY, zone)]
            yield from (f"take:{zone}:{piece}" for zone in zones for piece in s.tops(zone))
        case "place":
            yield from _placements(s)
        case "after":
            yield "pass"
            if cards.givable(s) is not None:
                hand = s.playable(player)
                if cards.GIVE in hand:
                    yield f"play:{cards.GIVE}"
                if cards.WILD in hand and cards.GIVE in cards.antimatter_cards(s):
                    yield f"play:{cards.WILD}={cards.GIVE}"
        case "refill":
            yield "pass"
            yield from (f"draw:{side}" for side in cards.buys(s, player))
        case "keep":
            yield from ("keep:1", "keep:2")


def nameable(s: WarfareState) -> list[str]:
    """Return the cards that the wild card Antimatter can represent in Simple mode: the challenges
    that are possible now, and *Keep it* if a piece is on the platform.
    """
    found = [
        name
        for name in cards.antimatter_cards(s)
        if name not in KINDS_OF_CARDS and s.is_possible(name)
    ]
    keep = cards.KEEP in cards.antimatter_cards(s) and s.pieces() > 0
    return [*found, cards.KEEP] if keep else found


def _events(s: WarfareState) -> Iterator[str]:
    name = s.event_now.name
    if name == cards.GIVE:
        where = f"{cards.givable(s)}:{s.placed[-1][-1]}"
        yield from (f"event:ok:{where}", f"event:fail:{where}")
        return
    for zone in sorted(s.zones):
        for piece in s.tops(zone):
            yield f"event:fail:{zone}:{piece}"
            if name == cards.KEEP:
                yield from (f"event:ok:{zone}:{piece}:{COLOURS[who]}" for who in s.players)
                continue
            left = s.copy()
            left.remove(zone, piece, top=True)
            targets = (f"{to}{under}" for to in ZONES if to != zone for under in _unders(left, to))
            yield from (f"event:ok:{zone}:{piece}:{target}" for target in targets)


def _placements(s: WarfareState) -> Iterator[str]:
    mount = MOUNT in (s.fixed or ())
    zones = [zone for zone in ZONES if s.zone in (ANY, zone) and (not mount or zone in s.zones)]
    for names in sorted(_choices(s)):
        pieces = "+".join(names)
        for zone in zones:
            yield f"place:fail:{pieces}:{zone}"
            unders = (under for under in _unders(s, zone) if under or not mount)
            yield from (f"place:ok:{pieces}:{zone}{under}" for under in unders)


def _unders(s: WarfareState, zone: str) -> list[str]:
    """Return the possible last arguments of a move that places a piece in the zone. The argument is
    "" for the surface of the zone, and ``:under=HEIGHT`` for each height of the towers in the zone.
    """
    heights = sorted({len(tower) for tower in s.zones.get(zone, ())})
    return ["", *(f":under={height}" for height in heights)]


def _choices(s: WarfareState) -> set[tuple[str, ...]]:
    """Return the pieces that can be placed now. Each choice is one piece, or a pair of pieces with
    the lower piece first.
    """
    if s.held is not None:
        return {(s.held,)}
    dice = s.troop if PAIR in (s.fixed or ()) else s.troop[:1]
    found: set[tuple[str, ...]] = {()}
    for die in dice:
        longer = set()
        for names in found:
            held = set((Counter(s.troops[s.owner]) - Counter(names)).elements())
            fitting = {name for name in held if kind_of(name) == die}
            longer |= {(*names, name) for name in fitting or held}
        found = longer
    return found


# Checks of individual moves


def is_allowed(s: WarfareState, move: str) -> bool:
    """Return whether a move, including its arguments, is legal."""
    words = move.split(":")
    match words:
        case ["chance", "heroes", *names]:
            count, known = (0, []) if s.options.paper else (len(s.players), s.options.box.heroes)
            fits = len(names) == len(set(names)) == count
            return s.phase == "heroes" and fits and set(names) <= set(known)
        case ["chance", "shuffle", *names]:
            wanted = [] if s.options.paper else turn_phases.cards_to_shuffle(s)
            return s.phase == "deal" and Counter(names) == Counter(wanted)
        case ["table", "see", *seen]:
            return s.phase in SEEING and towers_of(s, seen) is not None
    player = s.seat(words[0])
    moves = legal_moves(s) if player is None else listed_of(s, player)
    stem, falls, fell = move.partition(":fell=")
    if not falls or "fail" not in words or stem not in moves:
        return move in moves
    hand, standing = could_fall(s, stem)
    return Counter(fell.split("+")) <= Counter([*hand, *standing])


def failing(move: str) -> str:
    """Return the move that reports the failure of this placement or event card. The move does not
    name the fallen pieces.
    """
    who, what, _, first, second = move.split(":")[:5]
    return f"{who}:{what}:fail:{first}:{second}"


def could_fall(s: WarfareState, move: str) -> tuple[list[str], list[str]]:
    """Return two lists of the pieces that can fall if the move fails: the pieces in the player's
    hand, and the pieces on the platform as ``PIECE@ZONE``.
    """
    _, what, _, first, second = move.split(":")[:5]
    standing = [f"{piece}@{zone}" for piece, zone in s.standing()]
    if what == "place":
        return first.split("+"), standing
    standing.remove(f"{second}@{first}")
    return [second], standing


def towers_of(s: WarfareState, words: Sequence[str]) -> dict[str, list[Tower]] | None:
    """Return the towers of each zone, by zone, that ``words`` of the form
    ``ZONE=PIECE+PIECE/PIECE`` describe. Return None if a word is invalid or describes an additional
    piece.

    A piece that was placed in this turn stays marked as new if an equal piece is still in the same
    zone. Otherwise, an equal piece in the zone with the lowest number is marked as new.
    """
    said: dict[str, list[list[str]]] = {}
    for word in words:
        zone, equals, text = word.partition("=")
        if not equals or zone not in ZONES or zone in said:
            return None
        said[zone] = [tower.split("+") for tower in text.split("/")] if text else []
    before = {zone: [p for tower in s.zones.get(zone, ()) for p in tower] for zone in said}
    now = {zone: Counter(n for tower in towers for n in tower) for zone, towers in said.items()}
    new = sum(now.values(), Counter()) - Counter(p.name for each in before.values() for p in each)
    if not words or new:
        return None
    slid: Counter[str] = Counter()
    stays: dict[str, Counter[str]] = {}
    for zone in said:
        placed = Counter(piece.name for piece in before[zone] if piece.fresh)
        stays[zone] = placed & now[zone]
        slid += placed - stays[zone]
    found: dict[str, list[Tower]] = {}
    for zone in sorted(said):
        fresh = stays[zone] + slid
        found[zone] = []
        for names in reversed(said[zone]):
            tower: Tower = ()
            for name in reversed(names):
                tower = (WarfarePiece(name, fresh=fresh[name] > 0), *tower)
                fresh[name] -= 1
            found[zone].insert(0, tower)
        slid &= fresh
    return found


# Moves that cannot be listed are completed at random for the host, for tests and for conformance
# checks.


def completed(state: WarfareState, move: str, dice: Dice) -> str:
    """Return a move from ``legal_moves``, completed with random heroes, shuffled cards or fallen
    pieces. A move without random parts is returned unchanged.
    """
    if move == "chance:heroes" and not state.options.paper:
        names = _shuffled(list(state.options.box.heroes), dice)[: state.options.players]
        return ":".join([move, *names])
    if move == "chance:shuffle" and not state.options.paper:
        return ":".join([move, *_shuffled(turn_phases.cards_to_shuffle(state), dice)])
    if "fail" not in move.split(":"):
        return move
    hand, standing = could_fall(state, move)
    fell = _shuffled([*hand, *standing], dice)[: dice.choice(FALLS)]
    return f"{move}:fell={'+'.join(fell)}" if fell else move


def _shuffled(items: list[Any], dice: Dice) -> list[Any]:
    """Return the items in a random order, all orders equally likely (Fisher-Yates)."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = dice.choice(range(last + 1))
        found[last], found[other] = found[other], found[last]
    return found
