"""Rules of thumb for a move, and a model of the hands that place pieces: both our own guesses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from math import prod

from games.gravity_warfare import dealer
from games.gravity_warfare.data import COLOURS, HAND
from games.gravity_warfare.table import DUPLICATE, MOUNT, PAIR, TELEPORT, State, kind_of

HARDNESS = {
    "limit-it": 0.1, "blindfolded": 0.35, "duplicate-it": 0.15, "pair-it": 0.25, "spin-it": 0.3,
    "mount-it": 0.2, "chopsticks": 0.3, "teleport-it": 0.15, "copy-it": 0.15,
}  # fmt: skip
USUAL_HARDNESS = 0.2
WORTH = {"guardian": 9, "do-it-yourself": 7, "antimatter": 8, "keep-it": 6, "space-time-hole": 6}
USUAL_WORTH = 5
PROGRESS = 0.7  # points that a troop less is worth on the way to the last one
CARD_TURN = 1.0  # what a turn with a card yet to be drawn is worth
HARD_TURN = 0.65  # as likely to hold a turn must be, or a medium player defends himself


def holds(s: State, move: str) -> float:
    """How likely a placement holds, from 0 to 1: ours, as hands differ."""
    chance = steady(s, s.fixed or ())
    under = move.partition(":under=")[2]
    return max(0.05, chance * 0.92 ** (int(under) if under else 0))


def steady(s: State, names: Collection[str]) -> float:
    """How likely a piece holds on the surface with those challenges, from 0 to 1."""
    return (0.95 - 0.015 * s.pieces()) * _eased(names)


def attempted(s: State, move: str, dice: random.Random) -> str:
    """What hands make of a placement that was meant to hold: that move, or a failure."""
    words = move.split(":")
    if words[1] not in ("place", "event") or dice.random() < holds(s, move):
        return move
    failed = ":".join([words[0], words[1], "fail", words[3], words[4]])
    return dealer.completed(s, failed, dice)


def meant(legal: Sequence[str]) -> list[str]:
    """The moves that somebody may mean to make: none that fails, where there is another."""
    hopeful = [move for move in legal if ":fail:" not in move]
    return hopeful or list(legal)


def thumb(
    s: State, player: int, legal: Sequence[str], dice: random.Random, *, keen: bool = True
) -> str:
    """The move that a few rules of thumb like best."""
    return max(legal, key=lambda move: liking(s, player, move, dice, keen=keen))


def liking(s: State, player: int, move: str, dice: random.Random, *, keen: bool = True) -> float:
    """How much rules of thumb like a move; doing nothing is 0. Some whim makes games differ.
    ``keen``: with an eye for what cards that were kept gain in Simple mode.
    """
    words = move.split(":")
    whim = dice.random()
    mine = player in s.options.partners(s.owner)
    match words[1]:
        case "pass":
            return 0.0 if s.stage != "refill" else -5.0
        case "place":
            return _placing(s, move, words[3]) + 0.1 * whim
        case "play" if s.options.simple and keen:
            return _kept_liking(s, words[2], words[3:]) + 0.1 * whim
        case "play" if s.options.simple:
            return HARD_TURN - _eased(s.in_force) + 0.1 * whim
        case "play":
            return _card_liking(s, player, words[2], mine=mine) + whim
        case "name" if keen and words[2] != "keep-it":
            return _prospect(s, [words[2]]) + 0.1 * whim
        case "keep":
            return WORTH.get(s.drawn[int(words[2]) - 1], USUAL_WORTH) + whim
        case "buy":
            return 0.2 if s.points[player] > 6 and len(s.hands[player]) < HAND - 2 else -1.0
        case "hero":
            return _hero_liking(s, words[2], mine=mine) + 0.2 * whim
        case "withdraw":
            return -1.0
        case "choose":
            rest = sum(HARDNESS.get(token.name, USUAL_HARDNESS) for token in s.tokens)
            return rest - 0.6 if words[2] == "rest" else 0.0
        case "event" if len(words) > 5 and words[5] in COLOURS:
            given = COLOURS.index(words[5])
            return whim - (9 if given in s.options.partners(player) else len(s.troops[given]) / 6)
    return whim


def _placing(s: State, move: str, pieces: str) -> float:
    """What it is worth to try: points where it holds, one lost and the troops back where not."""
    chance, under = holds(s, move), move.partition(":under=")[2]
    forced = s.fixed or ()
    if TELEPORT in forced:
        return chance
    high = 0 if MOUNT in forced or s.free_zone or not under else int(under)
    left = Counter(s.troops[s.owner])
    left.subtract(pieces.split("+"))
    kinds = len({kind_of(piece) for piece in left.elements()})  # the dice find one more often
    return chance * (1 + high) - (1 - chance) + 0.1 * kinds


def _prospect(s: State, names: Collection[str], high: int = 0) -> float:
    """What the turn is worth to its owner with those challenges, on a tower of ``high``."""
    chance = steady(s, names) * 0.92**high
    if TELEPORT in names:
        return chance - 1
    if DUPLICATE in names:
        chance *= chance
    return chance * (_troops(names) * (1 + PROGRESS) + high) - (1 - chance)


def _troops(names: Collection[str]) -> int:
    return (2 if PAIR in names else 1) * (2 if DUPLICATE in names else 1)


def _eased(names: Collection[str]) -> float:
    return prod(1 - HARDNESS.get(name, USUAL_HARDNESS) for name in names)


def _kept_liking(s: State, card: str, args: Sequence[str]) -> float:
    """Simple mode: what a card that was kept gains over doing what is in force now. Who must do it
    himself keeps the troops if they fall, so that the owner is rid of them either way.
    """
    names = s.in_force
    if s.doer != s.owner:
        return 1.0 - _eased(names)
    now = CARD_TURN if s.stage == "card" or s.drawn_event else _prospect(s, names)
    if card == "guardian":
        tallest = max((len(tower) for towers in s.zones.values() for tower in towers), default=0)
        return _prospect(s, (), tallest) - now
    if TELEPORT in names or s.drawn_event:
        return -1.0
    given = len(s.troops[COLOURS.index(args[0])])
    return _troops(names) * (1 + PROGRESS) - now - 0.1 * given


def _card_liking(s: State, player: int, token: str, *, mine: bool) -> float:
    name = token.rpartition("=")[2]
    trouble = sum(HARDNESS.get(each, USUAL_HARDNESS) for each in s.in_force)
    if name in ("guardian", "do-it-yourself", "space-time-hole"):
        doing = player in s.options.partners(s.doer)
        return 2.5 * trouble - 1.9 if doing else -2.0
    if mine:
        return -2.0
    lead = s.points[s.owner] - s.points[player]
    close = 6 - len(s.troops[s.owner])
    return HARDNESS.get(name, USUAL_HARDNESS) + 0.12 * close + 0.05 * lead - 0.9 - trouble


def _hero_liking(s: State, name: str, *, mine: bool) -> float:
    ability = s.options.box.heroes.get(name, "")
    if ability in ("gem", "draw"):
        return 0.1
    if ability == "reward":
        return 0.5 if mine else -1.0
    return 0.1 if mine or ability == "extra" else -0.5
