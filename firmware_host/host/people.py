"""People by name: how well each plays, what each has tried, solved and beaten.

Kept in one file of this table, ``people.json`` in its state folder; no journal or export has a name
in it, pages show who sits here now, and whoever asks for it is forgotten. A rating is a level of
the computer's: who has it wins half of the games against that level.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from copy import deepcopy
from pathlib import Path

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.files import Tell, keep, read_kept
from tiltboard.firmware_host.config.players import MOST, NOTHING, OURS, SHADES, WARNS, EngineSeats
from tiltboard.firmware_host.engines.search.limits import LEVELS
from tiltboard.firmware_host.messages import text
from tiltboard.games.base import Game

PEOPLE_NAME = "people.json"
MAX_PEOPLE = 100
BEGINS = 2.0  # the rating of somebody of whom nothing is known
_ODDS = 3.0  # a level above another wins three games of four
_QUICK, _STEADY = 1.6, 0.5  # how far one game moves a rating: the first, and later ones
_EVEN_WITHIN = ((0.7, NOTHING), (2.0, WARNS), (4.0, SHADES))  # levels apart, and what makes it even
_KEPT_GAMES = 200
_MAX_OPENINGS = 200  # of a game, for each: what is written at the end of each game stays short
OPENING_PLIES = 3


class Experience(msgspec.Struct):
    """What somebody has done in a game. ``rating``: the level of the computer's that is as strong.
    ``games``: those that were counted. ``beaten``: the highest level that was, 0: none.
    ``openings``: first moves that were tried. ``puzzles``: numbers of those that were solved.
    """

    rating: float = BEGINS
    games: int = 0
    beaten: int = 0
    openings: list[str] = []
    puzzles: list[int] = []

    def rate(self, result: float, against: Sequence[float]) -> None:
        """One game more, with ``result`` 0 to 1 ``against`` those levels."""
        if against:
            expected = 1 / (1 + _ODDS ** (sum(against) / len(against) - self.rating))
            step = max(_QUICK / (1 + self.games / 2), _STEADY)
            moved = self.rating + step * (result - expected)
            self.rating = round(min(max(moved, float(LEVELS[0])), float(LEVELS[-1])), 2)
        self.games += 1


class _Kept(msgspec.Struct):
    people: dict[str, dict[str, Experience]] = {}
    seated: dict[str, str] = {}
    counted: list[int] = []


class People:
    """The people of one table. ``seated``: player -> who plays as him, from game to game."""

    def __init__(self, folder: Path, tell: Tell | None = None) -> None:
        """``tell``: see ``read_kept``."""
        self._path = folder / PEOPLE_NAME
        self._kept = read_kept(self._path, _Kept, "nobody is known any more", tell)

    @property
    def names(self) -> Sequence[str]:
        """Everybody who is known."""
        return sorted(self._kept.people)

    @property
    def seated(self) -> Mapping[str, str]:
        """Player -> who plays as him."""
        return self._kept.seated

    def person(self, name: str) -> Mapping[str, Experience]:
        """Return a person's experience by game; empty for somebody unknown."""
        return self._kept.people.get(name, {})

    def sit(self, player: str, name: str | None) -> None:
        """``name`` plays as ``player`` from now on, and as nobody else. Who has never finished a
        game makes room for who comes. Raises NotPossibleError.
        """
        kept = deepcopy(self._kept)
        kept.seated = {p: who for p, who in kept.seated.items() if p != player and who != name}
        if len(kept.people) >= MAX_PEOPLE:
            here = {name, *kept.seated.values()}
            kept.people = {n: games for n, games in kept.people.items() if games or n in here}
        if name is not None and name not in kept.people and len(kept.people) >= MAX_PEOPLE:
            raise NotPossibleError(
                "This table knows {most} people already.",
                remedy="Let it forget somebody first.",
                most=MAX_PEOPLE,
            )
        if name is not None:
            kept.seated[player] = name
            kept.people.setdefault(name, {})
        self._write(kept)

    def forget(self, name: str) -> None:
        """Forget everything that is known of somebody. Raises NotPossibleError."""
        kept = deepcopy(self._kept)
        if kept.people.pop(name, None) is None:
            raise NotPossibleError("This table knows nobody called {name}.", name=name)
        kept.seated = {player: who for player, who in kept.seated.items() if who != name}
        self._write(kept)

    def rating(self, name: str, game: str) -> float:
        """A person's strength in levels, 1 to 10."""
        return self.person(name).get(game, Experience()).rating

    def _ratings(self, game: Game, seats: EngineSeats) -> Mapping[str, float]:
        """Player -> how strong the person is who plays as him."""
        return {
            player: self.rating(name, game.name)
            for player, name in self.seated.items()
            if player in game.players and player not in seats
        }

    def level(self, game: Game, player: str, seats: EngineSeats, otherwise: int) -> int:
        """At which the computer, who plays as ``player``, is an even opponent for those who play
        against him; and an even partner: the weaker of two has the stronger one's level beside him.
        """
        ratings, together = self._ratings(game, seats), mates(game, player)
        against = [rating for each, rating in ratings.items() if each not in together]
        if not against:
            return otherwise
        return min(max(round(sum(against) / len(against)), LEVELS[0]), LEVELS[-1])

    def assist(self, game: Game, seats: EngineSeats) -> Mapping[str, int]:
        """How much help makes a game even: none for the strongest person, and for each other what
        goes with the levels between them.
        """
        ratings = self._ratings(game, seats)
        best = max(ratings.values(), default=0.0)
        return {
            player: next((much for most, much in _EVEN_WITHIN if best - rating < most), MOST)
            for player, rating in ratings.items()
        }

    def first_for(self, game: Game) -> None:
        """Two who play each other: the weaker one has the colour that moves first from now on, and
        where both are as strong nothing changes. Raises NotPossibleError.
        """
        first, *others = game.players
        ratings = self._ratings(game, {})
        if len(others) == 1 and len(ratings) == 2 and ratings[others[0]] < ratings[first]:
            kept = deepcopy(self._kept)
            kept.seated |= {first: self.seated[others[0]], others[0]: self.seated[first]}
            self._write(kept)

    def count(
        self,
        game: Game,
        game_id: int,
        moves: Sequence[str],
        seats: EngineSeats,
        winners: Collection[str],
    ) -> None:
        """A game is over; each is counted once. ``winners``: players, none for a draw. Raises
        NotPossibleError.
        """
        kept = deepcopy(self._kept)
        ours = {p: float(seat.level) for p, seat in seats.items() if seat.engine == OURS}
        ratings = self._ratings(game, seats)
        if game_id in kept.counted or not ratings:
            return
        kept.counted = [*kept.counted, game_id][-_KEPT_GAMES:]
        for player in ratings:
            known = kept.people.setdefault(self.seated[player], {})
            done = known.setdefault(game.name, Experience())
            together = mates(game, player)
            won = not together.isdisjoint(winners)
            against = {p: s for p, s in {**ratings, **ours}.items() if p not in together}
            done.rate(1.0 if won else 0.5 if not winners else 0.0, [*against.values()])
            if won:
                beaten = [seats[each].level for each in against if each in seats]
                done.beaten = max([done.beaten, *beaten])
            opening = " ".join(moves[:OPENING_PLIES])
            if opening and opening not in done.openings:
                done.openings = [*done.openings, opening][-_MAX_OPENINGS:]
        self._write(kept)

    def solved(self, player: str, game: str, number: int) -> None:
        """Who plays as ``player``, or the only one who sits here, has solved a puzzle. Raises
        NotPossibleError.
        """
        kept = deepcopy(self._kept)
        [*here] = kept.seated.values()
        name = kept.seated.get(player, here[0] if len(here) == 1 else None)
        if name is None:
            return
        done = kept.people.setdefault(name, {}).setdefault(game, Experience()).puzzles
        if number not in done:
            done.append(number)
            done.sort()
            self._write(kept)

    def _write(self, kept: _Kept) -> None:
        keep(self._path, kept, text("What is known of people cannot be kept: {why}."))
        self._kept = kept


def mates(game: Game, player: str) -> Set[str]:
    """Return ``player`` and the rest of the team, who win together."""
    return {player, *(each for team in game.teams if player in team for each in team)}
