"""Computer players: a move for a seat, of what that seat can see and nothing else.

Three levels: ``easy`` plays at random, and passes often; ``medium`` follows a few rules of thumb;
``hard`` tries its better moves in worlds that it makes up, with other people's cards dealt at
random from those that it has not seen, and plays each on to the end of the turn as medium players
would.
What hands do is told by people, so a computer's placement says only what it would like to place.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from games.gravity_warfare import dealer, making, moves
from games.gravity_warfare.data import COLOURS, HAND
from games.gravity_warfare.table import UNKNOWN, State
from games.gravity_warfare.view import View, view_of

LEVELS = ("easy", "medium", "hard")
WORLDS = 8  # that a hard player makes up, the same for all its candidates
CANDIDATES = 4
HORIZON = 30  # moves that are played on in each, at most: to the end of the turn
MARGIN = 0.3  # by which a candidate must be better than what a medium player would do
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


class Player:
    """One that thinks in slices, so that nothing waits for it: ``best`` is its move so far."""

    def __init__(self, view: View, player: int, level: str, dice: random.Random) -> None:
        self._player, self._level, self._dice = player, level, dice
        self._table, self._legal = view.table, _meant(view.legal)
        self.best = self._first()
        self._slices = self._try() if level == "hard" else iter(())

    def _first(self) -> str:
        if self._level == "easy":
            quiet = [move for move in self._legal if move.endswith(":pass")]
            idle = quiet and self._dice.random() < 0.7
            return str(self._dice.choice(quiet if idle else self._legal))
        return thumb(self._table, self._player, self._legal, self._dice)

    def think(self) -> bool:
        """A slice of thought, a few hundred moves at most; False when there is nothing more."""
        return next(self._slices, None) is not None

    def _try(self) -> Iterator[bool]:
        """Each candidate in the same worlds with the same dice; what they come to on average."""
        first, *others = self._candidates()
        if not others:
            return
        sums = dict.fromkeys((first, *others), 0.0)
        for made in range(1, WORLDS + 1):
            world, luck = imagined(self._table, self._dice), self._dice.random()
            for move in sums:
                sums[move] += self._outlook(world, move, random.Random(luck))
                yield True
            better = max(others, key=sums.__getitem__)
            clearly = made > WORLDS / 2 and sums[better] > sums[first] + made * MARGIN
            self.best = better if clearly else first

    def _candidates(self) -> list[str]:
        ranked = sorted(
            self._legal, key=lambda move: -_liking(self._table, self._player, move, self._dice)
        )
        return list(dict.fromkeys([self.best, *ranked]))[:CANDIDATES]

    def _outlook(self, world: State, move: str, dice: random.Random) -> float:
        s = world.copy()
        making.make(s, told(s, move, dice))
        for _ in range(HORIZON):
            if s.stage == "over" or s.owner != world.owner or s.round != world.round:
                break
            making.make(s, reply(s, dice))
        return _value(s, self._player)


def reply(s: State, dice: random.Random) -> str:
    """A move for whoever is awaited, or for chance; everybody as a medium player."""
    awaited = moves.awaited(s)
    if not awaited:
        chances = [move for move in moves.listed(s) if move.startswith("chance")]
        return dealer.completed(s, dice.choice(chances), dice)
    player = dice.choice(awaited)
    legal = _meant(view_of(s, player).legal)
    return told(s, thumb(s, player, legal, dice), dice)


def _meant(legal: Sequence[str]) -> list[str]:
    """Nobody means to fail."""
    hopeful = [move for move in legal if ":fail:" not in move]
    return hopeful or list(legal)


def thumb(s: State, player: int, legal: Sequence[str], dice: random.Random) -> str:
    """The move that a few rules of thumb like best."""
    return max(legal, key=lambda move: _liking(s, player, move, dice))


def _liking(s: State, player: int, move: str, dice: random.Random) -> float:
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


def _value(s: State, player: int) -> float:
    """Points and troops gone, of his side against the best of the others."""

    def side(member: int) -> float:
        return sum(s.points[each] + 0.8 * (6 - len(s.troops[each])) for each in partners(member))

    partners = s.options.partners
    others = [side(each) for each in s.players if each not in partners(player)]
    return side(player) - max(others)


def imagined(seen: State, dice: random.Random) -> State:
    """A world that fits what a player sees: the rest is dealt at random."""
    s = seen.copy()
    rest = list((s.options.pack() - _known(s)).elements())
    dice.shuffle(rest)
    guardians = [card for card in rest if card == "guardian"]
    rest = [card for card in rest if card != "guardian"]
    for other in s.players:
        cards = list(s.hands[other])
        for at in (at for at, card in enumerate(cards) if card == UNKNOWN):
            held = cards.count("guardian")
            cards[at] = (guardians if guardians and not held else rest or guardians or cards).pop()
        s.hands[other] = tuple(sorted(cards))
    rest += guardians
    s.drawn = tuple(rest.pop() if card == UNKNOWN and rest else card for card in s.drawn)
    s.left = tuple(rest.pop() if rest else card for card in s.left)
    s.right_pile = tuple(rest.pop() if rest else card for card in s.right_pile)
    free = [hero for hero in s.options.box.heroes if hero not in s.heroes.values()]
    dice.shuffle(free)
    s.heroes = {each: free.pop() if hero == UNKNOWN else hero for each, hero in s.heroes.items()}
    return s


def _known(s: State) -> Counter[str]:
    """Cards whose place is known."""
    seen = Counter(card for hand in s.hands for card in hand)
    seen.update([*s.discard, *s.used, *s.lying, *s.drawn])
    for token in (*s.tokens, *(each for tokens in s.deferred.values() for each in tokens)):
        seen.update([*token.holes, *([token.card] if token.card else [])])
    del seen[UNKNOWN]
    return seen
