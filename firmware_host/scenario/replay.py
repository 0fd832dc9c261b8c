"""A trace again, through perception or through the whole host, and what is told of it.

The same trace gives the same observations.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from drivers.attitude import Mounting
from drivers.frame import Frame
from drivers.lights import Colour, Look
from drivers.plate import Plate
from firmware_host.config.errors import NotPossibleError, TraceError
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.host.host import Host
from firmware_host.journal import Journal
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import CalibrationStore, check_fits, write_calibration
from firmware_host.perception.perception import Perception
from firmware_host.scenario.trace import Trace, layout_of
from firmware_host.table.commands import NewGame
from firmware_host.table.sight import Magnet, Observation
from firmware_host.table.standing import Standing
from games.base import IllegalMoveError


@contextmanager
def unlogged() -> Iterator[None]:
    """Log nothing meanwhile."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def replay(trace: Trace, profile: Profile) -> Iterator[Observation]:
    """One observation per frame. Raises TraceError if ``profile`` is not the recorded table's."""
    _check(trace, profile)
    header = trace.header
    classes, expected = frozenset(header.classes), header.expected
    perception = Perception(profile, header.calibration, classes=classes, expected=expected)
    for frame in trace.frames:
        yield perception.observe(frame)


def _check(trace: Trace, profile: Profile) -> None:
    """Raises TraceError for another table's trace, and for a frame of another number of sensors."""
    header = trace.header
    if header.layout != layout_of(profile):
        raise TraceError(
            "record 0: recorded on {theirs}, whose places do not lie as those of {ours} do.",
            remedy="Name the profile that it was recorded with.",
            theirs=header.profile,
            ours=profile.name,
        )
    if header.calibration is not None:
        check_fits(header.calibration, profile, source="record 0")
    for number, frame in enumerate(trace.frames, 1):
        if frame.field_mt and len(frame.field_mt) != profile.size:
            raise TraceError(
                "record {number}: expected {size} readings, found {found}.",
                remedy="Get another copy of the file.",
                number=number,
                size=profile.size,
                found=len(frame.field_mt),
            )


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
    _check(trace, profile)
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
        """Nothing to do: the readings were recorded as the sensor lies."""

    def show(self, colours: Sequence[Colour]) -> None:
        pass

    def show_looks(self, looks: Sequence[Look | None], start_s: float) -> None:
        pass

    def tone(self, hz: float | None) -> None:
        pass


def report(
    trace: Trace,
    profile: Profile,
    *,
    as_json: bool,
    words: Callable[[Message], str] = str,
) -> Iterator[str]:
    """A line per event and a last one for the end. ``words``: says it in a language."""
    last: Observation | None = None
    played = _Played(trace)
    for seen in _again(trace, profile):
        last = seen.observation
        for each in (*_events(last, profile), *played.news(seen)):
            yield _json(each) if as_json else _line(each)
    end: dict[str, Any] = {"scans": len(trace.frames), "complete": trace.complete}
    if trace.header.game is not None:
        end |= {"game": trace.header.game, "moves": list(played.moves)}
    if last is not None:
        end["time_s"] = last.time_s
        end["ready"] = last.ready
        end["cells"] = {
            place: magnet.value
            for place, magnet in zip(profile.places, last.magnets, strict=True)
            if magnet is not Magnet.NONE
        }
        end["unsure"] = [profile.places[i] for i in sorted(last.unsure)]
    if as_json:
        yield _json(end)
        return
    scans = text("{count} scans", count=end["scans"])
    yield words(scans if trace.complete else text("{scans}, then cut off", scans=scans))
    if trace.header.game is not None:
        yield words(text("moves: {moves}", moves=" ".join(played.moves) or "-"))
    if last is not None and last.ready:
        cells = [f"{place} {magnet}" for place, magnet in end["cells"].items()]
        standing = ", ".join(cells) or text("an empty plate")
        yield words(text("at the end: {cells}", cells=standing))
        if end["unsure"]:
            yield words(text("unsure: {places}", places=", ".join(end["unsure"])))


def _again(trace: Trace, profile: Profile) -> Iterator[Seen]:
    """Through the referee too where the trace knows its game."""
    if trace.header.game is not None and trace.header.moves is not None:
        yield from rerun(trace, profile)
    else:
        for observation in replay(trace, profile):
            yield Seen(observation, None)


class _Played:
    """Tells what is new in moves and sentences of the referee."""

    def __init__(self, trace: Trace) -> None:
        self.moves: tuple[str, ...] = tuple(trace.header.moves or ())
        self._said: tuple[str, str] | None = None

    def news(self, seen: Seen) -> Iterator[dict[str, Any]]:
        """What is new: moves confirmed or taken back, and what is said."""
        standing, at_s = seen.standing, seen.observation.time_s
        if standing is None:
            return
        before, self.moves = self.moves, standing.moves
        same = next(
            (n for n, (a, b) in enumerate(zip(before, self.moves, strict=False)) if a != b),
            min(len(before), len(self.moves)),
        )
        for move in reversed(before[same:]):
            yield {"t": at_s, "event": "takeback", "move": move}
        for move in self.moves[same:]:
            yield {"t": at_s, "event": "move", "move": move}
        said = (standing.phase.value, str(standing.say))
        if said != self._said:
            self._said = said
            yield {"t": at_s, "event": "say", "phase": said[0], "say": said[1]}


def _events(observation: Observation, profile: Profile) -> Iterator[dict[str, Any]]:
    for event in observation.events:
        yield {
            "t": event.time_s,
            "event": event.happening.value,
            "places": [profile.places[i] for i in event.places],
            "magnets": [magnet.value for magnet in event.magnets],
        }


def _line(what: dict[str, Any]) -> str:
    match what:
        case {"places": places, "magnets": magnets}:
            said = ", ".join(map(" ".join, zip(places, magnets, strict=True)))
        case {"move": move}:
            said = move
        case _:
            said = f"{what['phase']}: {what['say']}"
    return f"{what['t']:10.3f}  {what['event']:<9}  {said}".rstrip()


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
