"""Computer players: a move for a seat, of what that seat can see and nothing else.

Three levels: ``easy`` plays at random, and passes often; ``medium`` follows a few rules of thumb;
``hard`` knows what a card that was kept gains, and weighs its better moves in worlds that it makes
up, with other people's cards dealt at random from those that it has not seen.
What hands do is told by people, so a computer's placement says only what it would like to place.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from games.gravity_warfare.outlook import expected, imagined
from games.gravity_warfare.thumb import liking, meant, thumb
from games.gravity_warfare.view import View

LEVELS = ("easy", "medium", "hard")
SLICES = 48  # candidates times the worlds that a hard player makes up, the same for each of them
CANDIDATES = 6
MARGIN = 0.05  # by which a candidate must be better than what a medium player would do
WEIGHED = ("pass", "play", "hero", "place", "event", "choose", "withdraw", "name", "draw")


class Player:
    """One that thinks in slices, so that nothing waits for it: ``best`` is its move so far."""

    def __init__(self, view: View, player: int, level: str, dice: random.Random) -> None:
        self._player, self._level, self._dice = player, level, dice
        self._table, self._legal = view.table, meant(view.legal)
        self.best = self._first()
        self._slices = self._weigh() if level == "hard" else iter(())

    def _first(self) -> str:
        if self._level == "easy":
            quiet = [move for move in self._legal if move.endswith(":pass")]
            idle = quiet and self._dice.random() < 0.7
            return str(self._dice.choice(quiet if idle else self._legal))
        keen = self._level == "hard"
        return thumb(self._table, self._player, self._legal, self._dice, keen=keen)

    def think(self) -> bool:
        """A slice of thought, a few hundred moves at most; False when there is nothing more."""
        return next(self._slices, None) is not None

    def _weigh(self) -> Iterator[bool]:
        """Each candidate in the same worlds with the same dice; what they come to on average."""
        first, *others = self._candidates()
        if not others:
            return
        sums = dict.fromkeys((first, *others), 0.0)
        worlds = SLICES // (1 + len(others))
        for made in range(1, worlds + 1):
            world, luck = imagined(self._table, self._dice), self._dice.random()
            for move in sums:
                sums[move] += expected(world, self._player, move, random.Random(luck))
                yield True
            better = max(others, key=sums.__getitem__)
            clearly = made > worlds / 2 and sums[better] > sums[first] + made * MARGIN
            self.best = better if clearly else first

    def _candidates(self) -> list[str]:
        table, player = self._table, self._player
        if table.phase in ("refill", "keep", "take", "blocked"):
            return [self.best]
        fit = [move for move in self._legal if move.split(":")[1] in WEIGHED]
        ranked = sorted(fit, key=lambda move: -liking(table, player, move, self._dice))
        quiet = [move for move in fit if move.endswith(":pass")]
        return list(dict.fromkeys([*quiet, self.best, *ranked]))[:CANDIDATES]
