"""Rules of thumb for a move, and a model of the hands that place pieces: both our own guesses."""

from __future__ import annotations

import random
from collections.abc import Sequence

from games.gravity_warfare import dealer
from games.gravity_warfare.data import COLOURS, HAND
from games.gravity_warfare.table import State

HARDNESS = {
    "limit-it": 0.1, "blindfolded": 0.35, "duplicate-it": 0.15, "pair-it": 0.25, "spin-it": 0.3,
    "mount-it": 0.2, "chopsticks": 0.3, "teleport-it": 0.15, "copy-it": 0.15,
}  # fmt: skip
USUAL_HARDNESS = 0.2
WORTH = {"guardian": 9, "do-it-yourself": 7, "antimatter": 8, "keep-it": 6, "space-time-hole": 6}
USUAL_WORTH = 5


def holds(s: State, move: str) -> float:
    """How likely a placement holds, from 0 to 1: ours, as hands differ."""
    chance = 0.95 - 0.015 * s.pieces()
    for name in s.fixed or ():
        chance *= 1 - HARDNESS.get(name, USUAL_HARDNESS)
    under = move.partition(":under=")[2]
    return max(0.05, chance * 0.92 ** (int(under) if under else 0))


def told(s: State, move: str, dice: random.Random) -> str:
    """What hands make of a placement that was meant to hold: that move, or a failure."""
    words = move.split(":")
    if words[1] not in ("place", "event") or dice.random() < holds(s, move):
        return move
    failed = ":".join([words[0], words[1], "fail", words[3], words[4]])
    return dealer.completed(s, failed, dice)


def meant(legal: Sequence[str]) -> list[str]:
    """Nobody means to fail."""
    hopeful = [move for move in legal if ":fail:" not in move]
    return hopeful or list(legal)


def thumb(s: State, player: int, legal: Sequence[str], dice: random.Random) -> str:
    """The move that a few rules of thumb like best."""
    return max(legal, key=lambda move: liking(s, player, move, dice))


def liking(s: State, player: int, move: str, dice: random.Random) -> float:
    """How much rules of thumb like a move; doing nothing is 0. Some whim makes games differ."""
    words = move.split(":")
    whim = dice.random()
    mine = player in s.options.partners(s.owner)
    match words[1]:
        case "pass":
            return 0.0 if s.stage != "refill" else -5.0
        case "place":
            chance = holds(s, move)
            under = move.partition(":under=")[2]
            return chance * (1 + (int(under) if under else 0)) - (1 - chance) + 0.1 * whim
        case "play":
            return _card_liking(s, player, words[2], mine=mine) + whim
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
