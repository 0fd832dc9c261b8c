"""A trace of a game through perception and referee again: the host itself, on recorded readings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.attitude import Mounting
from drivers.frame import Frame
from drivers.lights import Colour, Look
from drivers.plate import Plate
from firmware_host.config.errors import NotPossibleError, TraceError
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.host.host import Host
from firmware_host.journal import Journal
from firmware_host.perception.calibration import write_calibration
from firmware_host.perception.calibration_store import CalibrationStore
from firmware_host.table.commands import NewGame
from firmware_host.table.sight import Observation
from firmware_host.table.standing import Standing
from firmware_host.trace.reader import Trace
from firmware_host.trace.replay import check_frames, checked_header
from games.base import IllegalMoveError


@dataclass(frozen=True, slots=True)
class Seen:
    """One scan again: what perception saw in it, and how the game stood after it, if known."""

    observation: Observation
    standing: Standing | None


def rerun(trace: Trace, profile: Profile) -> Iterator[Seen]:
    """One for each frame. Raises TraceError if the trace knows no game, or not this table's."""
    header = trace.header
    if header.game is None or header.moves is None:
        raise TraceError(
            "record 0: expected a game.",
            remedy="Record with: tiltboard run --record FILE",
        )
    checked_header(header, profile)
    check_frames(trace, profile)
    if not trace.frames:
        return
    clock = _Clock()
    plate = _Tape(trace.frames, clock)
    with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder:
        state = Path(folder)
        if header.calibration is not None:
            write_calibration(state / CALIBRATION_NAME, header.calibration)
        with Journal.open(state / JOURNAL_NAME, clock) as journal:
            game = journal.start(header.game, header.options or {})
            for ply, move in enumerate(header.moves, 1):
                journal.append(game, ply, move)
            try:
                host = Host(
                    profile,
                    plate,
                    journal,
                    CalibrationStore(state / CALIBRATION_NAME, profile),
                    clock,
                    first_game=NewGame(header.game, header.options or {}),
                )
            except IllegalMoveError as error:
                raise TraceError(
                    "record 0: expected the moves of a game: {why}",
                    remedy="Get another copy of the file.",
                    why=error,
                ) from error
            yield Seen(host.observation, host.standing)
            for number in range(1, len(trace.frames)):
                for command in trace.asked.get(number, ()):
                    try:
                        host.do(command)
                    except NotPossibleError:
                        continue  # it was possible then: the game has gone another way
                host.step()
                yield Seen(host.observation, host.standing)


class _Clock:
    """Shows when the newest frame was read."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now(self) -> float:
        return self.time_s

    def sleep(self, duration_s: float) -> None:
        pass

    def calendar(self) -> float:
        return self.time_s


class _Nothing:
    """In the place of sensors that are not asked."""

    temperature_c = None

    def read(self) -> tuple[float, ...]:
        return ()

    def close(self) -> None:
        pass


class _Tape(Plate):
    """A plate whose scans are those of the trace."""

    def __init__(self, frames: Sequence[Frame], clock: _Clock) -> None:
        super().__init__(_Nothing(), None, None, None, clock)
        self._frames = iter(frames)
        self._time = clock

    def scan(self) -> Frame:
        frame = next(self._frames)
        self._time.time_s = frame.time_s
        return frame

    def mount(self, mounting: Mounting) -> None:
        """It was recorded as it lies."""

    def show(self, colours: Sequence[Colour]) -> None:
        pass

    def show_looks(self, looks: Sequence[Look | None], start_s: float) -> None:
        pass

    def tone(self, hz: float | None) -> None:
        pass
