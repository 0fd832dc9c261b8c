"""A table without sensors for tests of the referee: a board of pieces, a clock, and a journal in
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import radians
from typing import Any

import pytest

from tiltboard.drivers.errors import PartError
from tiltboard.firmware_host.config.errors import JournalFullError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.lobby import game_menu
from tiltboard.firmware_host.referee.referee import Referee
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import Answer, GameRequest
from tiltboard.firmware_host.table.move_line import Line, PendingMove
from tiltboard.firmware_host.table.sight import Happening, Sight, SightEvent, Stillness
from tiltboard.firmware_host.table.status import GameStatus, Question, Role, Sound
from tiltboard.games import registry
from tiltboard.games.base import Game

SCAN_S = 0.02


class MemoryJournal:
    """A journal in memory. If ``full`` is true, it refuses each call like a full disk."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self.results: list[Mapping[str, Any]] = []
        self.calls: list[tuple[Any, ...]] = []
        self.pending: PendingMove | None = None
        self.full = False

    def append(self, game_id: int, ply: int, move: str) -> None:
        self._write("append", game_id, ply, move)
        assert ply == len(self.moves) + 1
        self.moves.append(move)
        self.pending = None

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        self._write("hold", game_id, pending)
        self.pending = pending

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        self._write("take_back", game_id, ply, to)
        assert ply == len(self.moves)
        del self.moves[to:]
        self.pending = None
        self.results.clear()

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        self._write("finish", game_id)
        self.results.append(result)

    def _write(self, *call: Any) -> None:
        self.calls.append(call)
        if self.full:
            raise JournalFullError("The disk is full.", remedy="Make room.")


class RefereedTable:
    """A board, a clock and the referee. ``log`` has each standing that differs from the previous
    one.
    """

    def __init__(
        self, game: Game, moves: Sequence[str] = (), *, tilts: bool = False, **begin: Any
    ) -> None:
        self.game = game
        self.journal = MemoryJournal()
        self.journal.moves = list(moves)
        self.tilts = tilts
        self.begin(moves, **begin)
        self.now_s = 100.0
        self.cells: dict[str, str] = {}
        self.unsure: frozenset[str] = frozenset()
        # The piece that perception assumes on each place without a working sensor, by place.
        self.unobserved: dict[str, str | None] = {}
        # The claims that the referee has sent to perception, which accepts them immediately.
        self.told: list[tuple[str, str | None]] = []
        self.ready = True
        self.stillness = Stillness.STILL
        self.tilt_rad = (0.0, 0.0)
        self.faults: tuple[PartError, ...] = ()
        self.sounds: list[Sound] = []
        self.log: list[GameStatus] = []
        self.status: GameStatus

    def begin(self, moves: Sequence[str] = (), game_id: int = 7, **more: Any) -> None:
        line = Line.of(self.game, game_id, moves)
        self.referee = Referee(self.journal, line, menu, tilts=self.tilts, **more)

    def scan(
        self,
        presses: Sequence[ButtonPress] = (),
        requests: Sequence[GameRequest] = (),
        events: tuple[SightEvent, ...] = (),
    ) -> GameStatus:
        self.now_s = round(self.now_s + SCAN_S, 6)
        sight = Sight(
            self.now_s,
            self.ready,
            self.seen(),
            self.unsure,
            self.stillness,
            self.tilt_rad,
            events,
            self.faults,
            faulty=dict.fromkeys(self.unobserved, "dead"),
            unobservable=frozenset(self.unobserved),
        )
        for request in requests:
            with suppress(JournalFullError):  # The person who made the request gets the error.
                self.referee.carry_out(request)
        self.status = self.referee.step(sight, self.now_s, presses)
        self.told += self.status.claims
        # The sensor of a claimed place is no longer read.
        self.unobserved |= dict(self.status.claims)
        self.sounds.extend(self.status.sounds)
        if not self.log or self.log[-1] != self.status:
            self.log.append(self.status)
        return self.status

    def seen(self) -> dict[str, str]:
        """Return the board as perception reports it."""
        believed = {place: piece for place, piece in self.unobserved.items() if piece is not None}
        return {p: piece for p, piece in self.cells.items() if p not in self.unobserved} | believed

    def hide(self, *places: str) -> GameStatus:
        """Break the sensors of ``places``; perception keeps assuming the present pieces."""
        self.unobserved |= {place: self.cells.get(place) for place in places}
        return self.wait(3.2)

    def wait(self, duration_s: float) -> GameStatus:
        end_s = self.now_s + duration_s - 1e-6
        while self.now_s < end_s:
            self.scan()
        return self.status

    def put(self, piece: str, place: str) -> GameStatus:
        assert place not in self.cells
        self.cells[place] = piece
        return self.scan()

    def take(self, place: str) -> GameStatus:
        del self.cells[place]
        return self.scan()

    def move(self, source: str, target: str) -> GameStatus:
        piece = self.cells[source]
        self.take(source)
        return self.put(piece, target)

    def press(self, button: str, held_s: float = 0.1) -> GameStatus:
        self.wait(held_s)
        return self.scan(presses=[ButtonPress(button, held_s)])

    def event(self, happening: Happening, *places: str) -> GameStatus:
        return self.scan(events=(SightEvent(self.now_s, happening, places),))

    def play(self, *moves: str) -> GameStatus:
        """Carry out whole moves: first the act, then all consequences together."""
        for move in moves:
            assert self.status.position is not None
            turn = self.status.position.play(move)
            for shift in turn.act:
                self.cells.pop(shift.source or "", None)
            self.cells |= {shift.target: shift.piece for shift in turn.act if shift.target}
            self.scan()
            if self.status.question is not None:
                self.answer(turn.entrance.side)
            self.cells = dict(turn.position.cells)
            self.scan()
        return self.status

    def answer(self, value: str) -> GameStatus:
        return self.scan(requests=[Answer(value)])

    def tilt(self, x_deg: float, y_deg: float) -> GameStatus:
        """Tilt the plate to these angles, or level it. The sensors are not read while the plate is
        tilted.
        """
        self.tilt_rad = (radians(x_deg), radians(y_deg))
        tilted = max(abs(x_deg), abs(y_deg)) > 2.5
        self.stillness = Stillness.TILTED if tilted else Stillness.STILL
        return self.scan()

    def lights(self, role: Role) -> set[str]:
        return {place for place, has in self.status.roles.items() if has is role}

    def heard(self) -> list[Sound]:
        """Return the sounds since the last call."""
        sounds, self.sounds = self.sounds, []
        return sounds


def menu() -> Question:
    return game_menu(load_profile("plate-10"))


def create(game: str, options: Mapping[str, Any]) -> Game:
    return registry.game_type(game).create(options)


@pytest.fixture(scope="session")
def refereed() -> Callable[..., RefereedTable]:
    """A function that starts a game with the right pieces on the board and one scan, so that the
    first player is to move.
    """

    def start(
        *moves: str, game: str = "momentum", tilts: bool = False, **options: Any
    ) -> RefereedTable:
        table = RefereedTable(create(game, options), tilts=tilts)
        table.scan()
        table.play(*moves)
        assert table.journal.moves == list(moves)
        table.heard()
        table.log.clear()
        return table

    return start


@pytest.fixture(scope="session")
def new_desk() -> Callable[..., RefereedTable]:
    """A function that starts a game, or resumes one with ``begin={"resumed": True}``, before the
    first scan.
    """

    def start(
        *moves: str,
        game: str = "momentum",
        begin: Mapping[str, bool] | None = None,
        **options: Any,
    ) -> RefereedTable:
        return RefereedTable(create(game, options), moves, **(begin or {}))

    return start


@pytest.fixture(scope="session")
def example_desk(refereed: Callable[..., RefereedTable]) -> Callable[..., RefereedTable]:
    """A function that returns igGameCenter's worked example of Momentum, reached by legal moves;
    Red is to drop on d5.
    """

    def start() -> RefereedTable:
        return refereed("c4", "e4", "a3", "c2", "e7", "e5", "e6", "a2", "d1", "e7", pie=False)

    return start
