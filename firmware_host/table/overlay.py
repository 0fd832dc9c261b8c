"""The overlay, which maps a game to a plate: the game's places to sensors and lights, and magnets
to pieces.

A game describes its board on a square grid that starts at the low corner. A board that is smaller
than the plate is at the plate's low corner. Places of the plate outside the board keep their plate
names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tiltboard.drivers.errors import PartError
from tiltboard.firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from tiltboard.firmware_host.config.profile import Profile, load_profile, profile_names
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.messages import nearest
from tiltboard.firmware_host.table.sight import (
    UNKNOWN_PIECE,
    Magnet,
    Observation,
    Sight,
    SightEvent,
)
from tiltboard.games.base import Game

# Magnet classes in the order in which pieces get them. A game's first kind of piece gets the first
# class, its second kind the second class, and so on (docs/add-a-board.md).
CLASSES = (Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK)


class Overlay:
    """The mapping of one game to one plate. Raises BoardDoesNotFitError if the game does not
    fit.
    """

    def __init__(self, profile: Profile, game: Game) -> None:
        check_fits(profile, game)
        self.index_of_game_place: Mapping[str, int] = {
            place: row * profile.columns + column for place, (column, row) in game.board.items()
        }
        names = list(profile.places)
        for place, index in self.index_of_game_place.items():
            names[index] = place
        self.places: tuple[str, ...] = tuple(names)
        self._index_of = {name: index for index, name in enumerate(names)}
        self._piece_of = dict(zip(CLASSES, game.pieces, strict=False))
        self._magnet_of = {piece: magnet for magnet, piece in self._piece_of.items()}
        self._last: tuple[tuple[Magnet, ...], dict[str, str]] | None = None

    @property
    def classes(self) -> frozenset[Magnet]:
        """The magnet classes of this game's pieces, including the readings of pieces that are
        upside down.
        """
        count = len(self._piece_of)
        return frozenset(CLASSES[: count + count % 2])

    @property
    def pieces(self) -> tuple[str, ...]:
        """The game's kinds of pieces."""
        return tuple(self._magnet_of)

    def index_of(self, place: str) -> int:
        """Return the plate index of a game place, or of a plate place outside the board. Raises
        NotPossibleError if there is no such place.
        """
        try:
            return self._index_of[place]
        except KeyError as error:
            raise NotPossibleError(
                "There is no place {place!r} on this board; {hint}",
                place=place,
                hint=nearest(place, self._index_of),
            ) from error

    def magnets(self, cells: Mapping[str, str]) -> dict[int, Magnet]:
        """Return the magnets of the pieces in ``cells``. ``cells`` maps places to pieces; the
        result maps plate indices to magnets.
        """
        return {self.index_of(place): self.magnet_of(piece) for place, piece in cells.items()}

    def magnet_of(self, piece: str) -> Magnet:
        """Return the magnet that is built into a kind of piece. Raises NotPossibleError if the game
        has no such piece.
        """
        try:
            return self._magnet_of[piece]
        except KeyError as error:
            raise NotPossibleError(
                "There is no piece {piece!r} in this game; {hint}",
                piece=piece,
                hint=nearest(piece, self._magnet_of),
            ) from error

    def piece_of(self, magnet: Magnet) -> str | None:
        """Return the kind of piece with this magnet, or UNKNOWN_PIECE if the game has no such
        piece. Return None if there is no magnet.
        """
        if magnet is Magnet.NONE:
            return None
        return self._piece_of.get(magnet, UNKNOWN_PIECE)

    def _place_names(self, places: frozenset[int]) -> frozenset[str]:
        return frozenset([self.places[index] for index in places]) if places else frozenset()

    def sight(self, observation: Observation, faults: tuple[PartError, ...] = ()) -> Sight:
        """Return the observation translated into the game's places and pieces. ``faults``: errors
        of the parts that failed in this scan.
        """
        magnets = observation.magnets
        if self._last is None or self._last[0] != magnets:
            read = zip(self.places, magnets, strict=True)
            none, unknown = Magnet.NONE, UNKNOWN_PIECE
            cells = {p: self._piece_of.get(m, unknown) for p, m in read if m is not none}
            self._last = (magnets, cells)
        return Sight(
            time_s=observation.time_s,
            ready=observation.ready,
            cells=self._last[1],
            unsure=self._place_names(observation.unsure),
            stillness=observation.stillness,
            tilt_rad=observation.tilt_rad,
            spin_rad=observation.spin_rad,
            events=tuple(
                SightEvent(
                    event.time_s,
                    event.happening,
                    tuple(self.places[index] for index in event.places),
                    tuple(self.piece_of(magnet) for magnet in event.magnets),
                )
                for event in observation.events
            ),
            faults=faults,
            faulty={self.places[index]: why for index, why in observation.faulty.items()},
            unobservable=self._place_names(observation.unobservable),
            unstable=self._place_names(observation.unstable),
            weak=self._place_names(observation.weak),
        )


def check_fits(profile: Profile, game: Game) -> None:
    """Check that the game fits this table. Otherwise raises BoardDoesNotFitError, which suggests a
    table on which the game fits.
    """
    width = max(column for column, _ in game.board.values()) + 1
    height = max(row for _, row in game.board.values()) + 1
    kinds = len(game.pieces)
    other = _table_for(width, height, kinds)
    if width > profile.columns or height > profile.rows:
        raise BoardDoesNotFitError(
            "A board of {width} x {height} does not fit this plate of {columns} x {rows}.",
            remedy="Choose a smaller board. A {table} is large enough."
            if other
            else "Choose a smaller board.",
            width=width,
            height=height,
            columns=profile.columns,
            rows=profile.rows,
            table=other,
        )
    if kinds > profile.kinds:
        raise BoardDoesNotFitError(
            "This table tells {most} kinds of pieces apart, and {game} for {players} needs"
            " {kinds}.",
            remedy="Choose fewer players. A {table} does." if other else "Choose fewer players.",
            most=profile.kinds,
            game=game.name.replace("-", " ").title(),
            players=len(game.players),
            kinds=kinds,
            table=other,
        )


@cache
def _shipped_profiles() -> tuple[Profile, ...]:
    """Return the built-in profiles, cached because every new game needs them."""
    return tuple(map(load_profile, profile_names()))


def _table_for(width: int, height: int, kinds: int) -> str | None:
    """Return the name of the smallest built-in table for a board of this size with this number of
    piece kinds, or None if every table is too small. Among tables of equal size, the default one is
    preferred.
    """
    fitting = [
        table
        for table in _shipped_profiles()
        if width <= table.columns and height <= table.rows and kinds <= table.kinds
    ]
    usual = Settings().profile
    best = min(fitting, key=lambda table: (table.size, table.name != usual), default=None)
    return None if best is None else best.name
