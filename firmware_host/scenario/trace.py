"""Traces: recordings of the sensor readings, which can be replayed through the whole host. The same
trace always gives the same observations, messages and moves.

A trace file is gzip-compressed and contains lines of JSON: a header, then one line per scan.
Readings are written without rounding. The checksum of gzip detects damage.
"""

from __future__ import annotations

import gzip
import logging
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from tiltboard.drivers.errors import PartError
from tiltboard.drivers.frame import Frame
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.errors import NotPossibleError, TraceError
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, JOURNAL_NAME, read_file
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.calibration import (
    Calibration,
    CalibrationStore,
    check_fits,
    write_calibration,
)
from tiltboard.firmware_host.table.commands import GameRequest, NewGame, TimeUp, kinds_of
from tiltboard.firmware_host.table.sight import Magnet, Observation
from tiltboard.firmware_host.table.status import GameStatus, Phase
from tiltboard.games.base import RulesError

FLUSH_EVERY = 50  # Maximum number of the latest scans that can be lost in a power failure.
MAX_BYTES = 1 << 26  # Maximum size of a file in bytes. Half an hour takes about 15 MB.
MAX_PLAIN = 1 << 28
# Minimum duration of a file in seconds. After this time, the file ends as soon as the table is
# quiet.
PART_S = 600.0
LONGEST = 2.0  # Maximum duration of a file if the table is never quiet, as a multiple of PART_S.
KEPT = 3  # Number of older files that are kept. FILE.1 is the newest of the older files.
BEHIND = 1000  # Maximum number of scans that can wait for the disk.
_GZIP = 16 + zlib.MAX_WBITS
_AGAIN = "Record again, or get another copy of the file."

# Name the request classes one by one, because msgspec can decode a union of classes, but not the
# common base class of these classes.
if TYPE_CHECKING:
    Asked: TypeAlias = GameRequest
else:
    Asked = reduce(or_, (*kinds_of(GameRequest), TimeUp))
Layout = tuple[str, int, int, float, float, float]
T = TypeVar("T")
_log = logging.getLogger(__name__)


def layout_of(profile: Profile) -> Layout:
    """Return the values that are needed to interpret the readings of a scan: name, columns, rows,
    pitch and gap in mm, and scans per second.
    """
    grid = profile.name, profile.columns, profile.rows
    return *grid, profile.pitch_mm, profile.gap_mm, profile.scans_per_s


class TraceHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Data that are needed to interpret the scans: the table, its calibration, and the game.
    ``moves`` are the moves that were confirmed before the first scan of the file.
    """

    tiltboard_trace: Literal[1]
    layout: Layout
    calibration: Calibration | None
    game: str
    options: Mapping[str, Any]
    moves: Sequence[str]

    @classmethod
    def of(cls, host: Host) -> Self:
        """Return the header for a recording that starts at the current state of ``host``."""
        layout, calibration = layout_of(host.profile), host.sensing.perception.calibration
        return cls(1, layout, calibration, host.game.name, host.game.options, host.status.moves)


class Scan(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One scan, with the requests that the host got since the previous scan."""

    frame: Frame
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A recording, which consists of a header and scans."""

    header: TraceHeader
    scans: tuple[Scan, ...]
    complete: bool
    """False if the recording was cut off, for example by a power failure."""


def _fault_out(fault: Any) -> list[str]:
    return [fault.part, fault.problem, fault.remedy]


def _fault_in(_kind: type, content: Any) -> PartError:
    part, problem, remedy = msgspec.convert(content, tuple[str, str, str])
    return PartError(part, "{problem}", remedy="{way}", problem=problem, way=remedy)


_ENCODER = msgspec.json.Encoder(enc_hook=_fault_out, order="deterministic")


def read_trace(path: Path) -> Trace:
    """Read a whole trace. Raises TraceError with the number of the invalid record, where record 0
    is the header.
    """

    def decoded(number: int, line: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=kind, dec_hook=_fault_in)
        except msgspec.ValidationError as error:
            raise _bad(path, number, f"{kind.__name__} ({error})") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _bad(path, number, "JSON") from error

    lines, whole = _lines(path)
    if not lines:
        raise TraceError("{path} is not a trace: it is empty.", remedy=_AGAIN, path=path)
    header = decoded(0, lines[0], TraceHeader)
    size = header.layout[1] * header.layout[2]
    scans = []
    for number, line in enumerate(lines[1:], 1):
        scans.append(decoded(number, line, Scan))
        found = len(scans[-1].frame.field_mt)
        if found not in (0, size):
            raise _bad(path, number, text("{size} readings, not {found}", size=size, found=found))
    return Trace(header, tuple(scans), whole)


def _lines(path: Path) -> tuple[list[bytes], bool]:
    """Return the complete lines of the file, and True if the file is complete."""
    unzip = zlib.decompressobj(_GZIP)
    why: Message | str = text("it is too large")
    try:
        plain = unzip.decompress(read_file(path, MAX_BYTES), MAX_PLAIN)
    except OSError as error:
        raise TraceError(
            "{path} cannot be read: {why}.",
            remedy="Check the path.",
            path=path,
            why=error.strerror or str(error),
        ) from error
    except zlib.error as error:
        plain, why = None, str(error)
    if plain is None or unzip.unconsumed_tail:
        raise TraceError(
            "{path} is not a trace, or is damaged: {why}.", remedy=_AGAIN, path=path, why=why
        )
    *lines, rest = plain.split(b"\n")
    return lines, unzip.eof and not rest


def _bad(path: Path, number: int, expected: Message | str) -> TraceError:
    return TraceError(
        "{path}, record {number}: expected {expected}.",
        remedy=_AGAIN,
        path=path,
        number=number,
        expected=expected,
    )


class TraceWriter:
    """Writes a trace to ``path``, which must not exist. Use the writer as a context manager. Raises
    OSError.

    Files with the same scans are identical. If a file was not closed, the scans of its last second
    can be missing.
    """

    def __init__(self, path: Path, header: TraceHeader) -> None:
        self._raw = path.open("xb")
        self._file = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._count = 0
        self._file.write(_ENCODER.encode(header) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, scan: Scan) -> None:
        """Append one scan to the file."""
        self._file.write(_ENCODER.encode(scan) + b"\n")
        self._count += 1
        if self._count % FLUSH_EVERY == 0:
            self._file.flush()
            self._raw.flush()

    def close(self) -> None:
        """Complete and close the file."""
        with self._raw:
            self._file.close()


class Recorder:
    """Records the sensor readings in the file ``path``. Older files get the suffixes .1 to .3.

    Each file can be replayed alone with `tiltboard replay`, because it starts with the game, its
    moves and the current calibration. A new file begins after PART_S seconds, or when another game
    or calibration is used.

    ``record`` does not wait, because a separate thread compresses and writes. If the disk is full
    or slow, the recording ends with a message in the log, but the game continues.
    """

    def __init__(self, path: Path) -> None:
        """Start the recorder's thread. Raises TraceError if ``path`` exists and is not a trace."""
        if path.exists() and not _is_trace(path):
            raise TraceError(
                "{path} exists and is no trace.",
                remedy="Choose another name; nothing is overwritten.",
                path=path,
            )
        self._path = path
        self._queue: SimpleQueue[TraceHeader | Scan | None] = SimpleQueue()
        self._of: tuple[object, ...] | None = None
        self._scans = 0
        self.failed = False
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def record(self, host: Host) -> None:
        """Record the readings of a step and the requests to the host. Call this method in the
        table's thread.
        """
        if self.failed:
            return
        if host.modes.sweep is not None:
            self._of = None
            return
        if self._queue.qsize() > BEHIND:
            _log.warning("The recording ends: the disk does not keep up.")
            self.failed = True
            return
        of = (host.status.game_id, host.sensing.perception)
        part = self._scans / (PART_S * host.profile.scans_per_s)
        if of != self._of or part >= LONGEST or (part >= 1 and _quiet(host)):
            self._of, self._scans = of, 0
            self._queue.put(TraceHeader.of(host))
        self._scans += 1
        asked = tuple(replace(each, game=None, step=None) for each in host.look.done)
        self._queue.put(Scan(host.look.frame, asked))

    def close(self) -> None:
        """Write the remaining scans, and end the file."""
        self._queue.put(None)
        self._thread.join()

    # Methods of the recorder's thread

    def _run(self) -> None:
        item = self._queue.get()
        try:
            while isinstance(item, TraceHeader):
                names = [self._path.with_name(f"{self._path.name}.{n}") for n in range(1, KEPT + 1)]
                for old, new in reversed(list(pairwise([self._path, *names]))):
                    if old.exists():
                        old.replace(new)
                with TraceWriter(self._path, item) as writer:
                    while isinstance(item := self._queue.get(), Scan):
                        writer.write(item)
        except OSError as error:
            why = error.strerror or error
            _log.warning("The recording ends: %s cannot be written: %s", self._path, why)
            self.failed = True


def _is_trace(path: Path) -> bool:
    try:
        with gzip.open(path) as file:
            return b'"tiltboard_trace":' in file.read(80)
    except (OSError, EOFError):
        return False


def _quiet(host: Host) -> bool:
    """Return whether the board matches the game's position and no person is touching the table."""
    status, sight = host.status, host.sight
    return (
        status.phase is Phase.TURN
        and status.position is not None
        and dict(sight.cells) == dict(status.position.cells)
        and not sight.unsure
        and not sight.faulty
        and not host.look.frame.pressed
    )


# Replay of recorded traces


@contextmanager
def without_logging() -> Iterator[None]:
    """Disable logging inside the context."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a replayed scan: the observation, and the state of the game after the scan."""

    observation: Observation
    status: GameStatus


def rerun(trace: Trace, profile: Profile) -> Iterator[Seen]:
    """Yield the result of each scan. Raises TraceError if the trace is from another table, or if
    its game is impossible.
    """
    header = trace.header
    if header.layout != layout_of(profile):
        raise TraceError(
            "record 0: recorded on {theirs}, whose places do not lie as those of {ours} do.",
            remedy="Name the profile that it was recorded with.",
            theirs=header.layout[0],
            ours=profile.name,
        )
    if header.calibration is not None:
        check_fits(header.calibration, profile, source="record 0")
    if not trace.scans:
        return
    tape = _Tape(trace.scans)
    with tempfile.TemporaryDirectory(prefix="tiltboard-") as folder:
        kept = Path(folder) / CALIBRATION_NAME
        if header.calibration is not None:
            write_calibration(kept, header.calibration)
        with Journal.open(Path(folder) / JOURNAL_NAME, tape) as journal:
            game = journal.start(header.game, header.options)
            for ply, move in enumerate(header.moves, 1):
                journal.append(game, ply, move)
            try:
                host = Host(
                    profile,
                    tape,
                    journal,
                    CalibrationStore(kept, profile),
                    tape,
                    first_game=NewGame(header.game, header.options),
                )
            except RulesError as error:
                raise TraceError(
                    "record 0: expected the moves of a game: {why}",
                    remedy="Get another copy of the file.",
                    why=error,
                ) from error
            yield Seen(host.look.observation, host.status)
            for scan in trace.scans[1:]:
                for command in scan.asked:
                    try:
                        host.do(command)
                    except NotPossibleError:
                        # A recorded request can be impossible in the replay, because the replayed
                        # game can take a different course.
                        continue
                host.step()
                yield Seen(host.look.observation, host.status)


class _Nothing:
    """A substitute for sensors whose readings are never used."""

    temperature_c = None

    def read(self) -> tuple[float, ...]:
        return ()

    def close(self) -> None:
        pass


class _Tape(Plate):
    """A plate whose scans come from a trace. The object is also a clock that shows the time of the
    last scan.
    """

    def __init__(self, scans: tuple[Scan, ...]) -> None:
        super().__init__(_Nothing(), None, None, None, self)
        self._scans = iter(scans)
        self._time_s = 0.0

    def scan(self) -> Frame:
        frame = next(self._scans).frame
        self._time_s = frame.time_s
        return frame

    def now(self) -> float:
        return self._time_s

    def calendar(self) -> float:
        return self._time_s

    def sleep(self, duration_s: float) -> None:
        pass


def report(
    trace: Trace,
    profile: Profile,
    *,
    as_json: bool,
    words: Callable[[Message], str] = str,
) -> Iterator[str]:
    """Yield one line per event, and then the final state. ``words``: function that translates a
    message.
    """
    last: Seen | None = None
    moves = tuple(trace.header.moves)
    for seen in rerun(trace, profile):
        for what in (*_seen_happen(seen.observation, profile), *_news(last, seen, moves)):
            yield msgspec.json.encode(what).decode() if as_json else _line(what)
        last, moves = seen, seen.status.moves
    end: dict[str, Any] = {"scans": len(trace.scans), "complete": trace.complete}
    end |= {"game": trace.header.game, "moves": list(moves)}
    cells, unsure = {}, []
    if last is not None:
        magnets = zip(profile.places, last.observation.magnets, strict=True)
        cells = {place: magnet.value for place, magnet in magnets if magnet is not Magnet.NONE}
        unsure = [profile.places[i] for i in sorted(last.observation.unsure)]
        end |= {"time_s": last.observation.time_s, "ready": last.observation.ready}
        end |= {"cells": cells, "unsure": unsure}
    if as_json:
        yield msgspec.json.encode(end).decode()
        return
    scans = text("{count} scans", count=len(trace.scans))
    yield words(scans if trace.complete else text("{scans}, then cut off", scans=scans))
    yield words(text("moves: {moves}", moves=" ".join(moves) or "-"))
    if last is not None and last.observation.ready:
        stands = ", ".join(f"{place} {magnet}" for place, magnet in cells.items())
        yield words(text("at the end: {cells}", cells=stands or text("an empty plate")))
        if unsure:
            yield words(text("unsure: {places}", places=", ".join(unsure)))


def _news(last: Seen | None, seen: Seen, before: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the moves that were confirmed or undone since ``last``. Also yield the message to
    people if it has changed.
    """
    status, at_s = seen.status, seen.observation.time_s
    pairs = enumerate(zip(before, status.moves, strict=False))
    shorter = min(len(before), len(status.moves))
    same = next((ply for ply, (one, other) in pairs if one != other), shorter)
    for move in reversed(before[same:]):
        yield {"t": at_s, "event": "takeback", "move": move}
    for move in status.moves[same:]:
        yield {"t": at_s, "event": "move", "move": move}
    said = status.phase.value, str(status.say)
    if last is None or said != (last.status.phase.value, str(last.status.say)):
        yield {"t": at_s, "event": "say", "phase": said[0], "say": said[1]}


def _seen_happen(observation: Observation, profile: Profile) -> Iterator[dict[str, Any]]:
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
