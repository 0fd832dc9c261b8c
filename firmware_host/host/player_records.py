"""The people that the table knows by name: their ratings, openings, solved puzzles and beaten bots.

The records are stored in ``people.json`` in the table's state folder. Journals and exports contain
no names, pages show only the people who are seated now, and any person's record can be deleted. A
person's rating is the level of the bot against which the person wins half of the games.
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
BEGINS = 2.0  # Initial rating of a person without a record, as a bot level.
_ODDS = 3.0  # Odds of a win against an opponent who is one level weaker: three wins in four games.
# Change of a rating after the first game, and minimum change after later games, in levels.
_QUICK, _STEADY = 1.6, 0.5
# Pairs of two values: a limit for the difference in level, and the amount of assist for differences
# below this limit.
_EVEN_WITHIN = ((0.7, NOTHING), (2.0, WARNS), (4.0, SHADES))
_KEPT_GAMES = 200
# Maximum number of openings stored per person and game. The limit keeps the file small, so that
# storing it after each game takes little time.
_MAX_OPENINGS = 200
OPENING_PLIES = 3


class Experience(msgspec.Struct):
    """A person's record in one game."""

    rating: float = BEGINS
    """The person's strength as a bot level."""
    games: int = 0
    """Number of games that are counted in this record."""
    beaten: int = 0
    """The highest bot level that the person has beaten, or 0."""
    openings: list[str] = []
    """Openings that the person has tried, each as its first moves."""
    puzzles: list[int] = []
    """Numbers of the puzzles that the person has solved."""

    def rate(self, result: float, against: Sequence[float]) -> None:
        """Count one game. ``result``: 0 for a loss, 0.5 for a draw, 1 for a win. ``against``:
        levels of the opponents, or empty if the rating must not change.
        """
        if against:
            expected = 1 / (1 + _ODDS ** (sum(against) / len(against) - self.rating))
            step = max(_QUICK / (1 + self.games / 2), _STEADY)
            moved = self.rating + step * (result - expected)
            self.rating = round(min(max(moved, float(LEVELS[0])), float(LEVELS[-1])), 2)
        self.games += 1


class _KeptRecords(msgspec.Struct):
    people: dict[str, dict[str, Experience]] = {}
    seated: dict[str, str] = {}
    counted: list[int] = []


class People:
    """The people whom one table knows by name, with their records and the players for whom they
    play.
    """

    def __init__(self, folder: Path, tell: Tell | None = None) -> None:
        """Read the stored records from ``folder``. ``tell``: called with a message if the stored
        file is damaged, or None.
        """
        self._path = folder / PEOPLE_NAME
        self._kept = read_kept(self._path, _KeptRecords, "nobody is known any more", tell)

    @property
    def names(self) -> Sequence[str]:
        """The names of all known people."""
        return sorted(self._kept.people)

    @property
    def seated(self) -> Mapping[str, str]:
        """Player -> name of the person who plays, kept from game to game."""
        return self._kept.seated

    def person(self, name: str) -> Mapping[str, Experience]:
        """Return a person's records, by game; empty for an unknown person."""
        return self._kept.people.get(name, {})

    def sit(self, player: str, name: str | None) -> None:
        """Let the person ``name`` play as ``player`` from now on, and as no other player. If
        ``name`` is None, ``player`` has no named person. If the table then knows too many people,
        people without a finished game are deleted. Raises NotPossibleError.
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
        """Delete a person's record. Raises NotPossibleError."""
        kept = deepcopy(self._kept)
        if kept.people.pop(name, None) is None:
            raise NotPossibleError("This table knows nobody called {name}.", name=name)
        kept.seated = {player: who for player, who in kept.seated.items() if who != name}
        self._write(kept)

    def rating(self, name: str, game: str) -> float:
        """Return a person's strength in a game as a bot level, 1 to 10."""
        return self.person(name).get(game, Experience()).rating

    def _ratings(self, game: Game, seats: EngineSeats) -> Mapping[str, float]:
        """Return the ratings of the people who play: player -> bot level."""
        return {
            player: self.rating(name, game.name)
            for player, name in self.seated.items()
            if player in game.players and player not in seats
        }

    def level(self, game: Game, player: str, seats: EngineSeats, otherwise: int) -> int:
        """Return the level at which the bot of ``player`` makes an even game: the mean rating of
        the bot's opponents. If no opponent has a rating, return ``otherwise``.
        """
        ratings, together = self._ratings(game, seats), mates(game, player)
        against = [rating for each, rating in ratings.items() if each not in together]
        if not against:
            return otherwise
        return min(max(round(sum(against) / len(against)), LEVELS[0]), LEVELS[-1])

    def assist(self, game: Game, seats: EngineSeats) -> Mapping[str, int]:
        """Return the amount of assist that makes a game even: player -> amount. The weaker a player
        is compared with the strongest person, the larger the amount. The strongest person gets no
        assist.
        """
        ratings = self._ratings(game, seats)
        best = max(ratings.values(), default=0.0)
        return {
            player: next((much for most, much in _EVEN_WITHIN if best - rating < most), MOST)
            for player, rating in ratings.items()
        }

    def first_for(self, game: Game) -> None:
        """Swap the colours of two people if necessary, so that the weaker person moves first.
        People of equal strength keep their colours. Raises NotPossibleError.
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
        """Count a finished game in the records, but only once. ``seats``: bots and remote players.
        ``winners``: the players who won, or empty for a draw. Raises NotPossibleError.
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

    def count_solved_puzzle(self, player: str, game: str, number: int) -> None:
        """Record a solved puzzle for the person who plays as ``player``, or for the only person
        seated. Raises NotPossibleError.
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

    def _write(self, kept: _KeptRecords) -> None:
        keep(self._path, kept, text("The records of people cannot be kept: {why}."))
        self._kept = kept


def mates(game: Game, player: str) -> Set[str]:
    """Return ``player`` and the player's team mates, who win together."""
    return {player, *(each for team in game.teams if player in team for each in team)}
