"""A trace again, through the whole host, and what is told of it.

The same trace gives the same observations, sentences and moves.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from drivers.frame import Frame
from drivers.plate import Plate
from firmware_host.config.errors import NotPossibleError, TraceError
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.host.host import Host
from firmware_host.journal import Journal
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import CalibrationStore, check_fits, write_calibration
from firmware_host.scenario.trace import Scan, Trace, layout_of
from firmware_host.table.commands import NewGame
from firmware_host.table.sight import Magnet, Observation
from firmware_host.table.standing import Standing
from games.base import RulesError


@contextmanager
def unlogged() -> Iterator[None]:
    """Log nothing meanwhile."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@dataclass(frozen=True, slots=True)
class Seen:
    """One scan again: what perception saw in it, and how the game stood after it."""

    observation: Observation
    standing: Standing


def rerun(trace: Trace, profile: Profile) -> Iterator[Seen]:
    """One for each scan. Raises TraceError if it is not this table's, or of no possible game."""
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
            yield Seen(host.observation, host.standing)
            for scan in trace.scans[1:]:
                for command in scan.asked:
                    try:
                        host.do(command)
                    except NotPossibleError:
                        continue  # it was possible then: the game has gone another way
                host.step()
                yield Seen(host.observation, host.standing)


class _Nothing:
    """In the place of sensors that are not asked."""

    temperature_c = None

    def read(self) -> tuple[float, ...]:
        return ()

    def close(self) -> None:
        pass


class _Tape(Plate):
    """A plate whose scans are those of the trace; and the clock, which shows when the newest was
    read.
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
    """A line per event and a last one for the end. ``words``: says it in a language."""
    last: Seen | None = None
    moves = tuple(trace.header.moves)
    for seen in rerun(trace, profile):
        for what in (*_seen_happen(seen.observation, profile), *_news(last, seen, moves)):
            yield _json(what) if as_json else _line(what)
        last, moves = seen, seen.standing.moves
    end: dict[str, Any] = {"scans": len(trace.scans), "complete": trace.complete}
    end |= {"game": trace.header.game, "moves": list(moves)}
    if last is not None:
        end["time_s"] = last.observation.time_s
        end["ready"] = last.observation.ready
        end["cells"] = {
            place: magnet.value
            for place, magnet in zip(profile.places, last.observation.magnets, strict=True)
            if magnet is not Magnet.NONE
        }
        end["unsure"] = [profile.places[i] for i in sorted(last.observation.unsure)]
    if as_json:
        yield _json(end)
        return
    scans = text("{count} scans", count=end["scans"])
    yield words(scans if trace.complete else text("{scans}, then cut off", scans=scans))
    yield words(text("moves: {moves}", moves=" ".join(moves) or "-"))
    if end.get("ready"):
        cells = [f"{place} {magnet}" for place, magnet in end["cells"].items()]
        standing = ", ".join(cells) or text("an empty plate")
        yield words(text("at the end: {cells}", cells=standing))
        if end["unsure"]:
            yield words(text("unsure: {places}", places=", ".join(end["unsure"])))


def _news(last: Seen | None, seen: Seen, before: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Moves confirmed or taken back since ``last``, and what is said if it is new."""
    standing, at_s = seen.standing, seen.observation.time_s
    pairs = enumerate(zip(before, standing.moves, strict=False))
    shorter = min(len(before), len(standing.moves))
    same = next((ply for ply, (one, other) in pairs if one != other), shorter)
    for move in reversed(before[same:]):
        yield {"t": at_s, "event": "takeback", "move": move}
    for move in standing.moves[same:]:
        yield {"t": at_s, "event": "move", "move": move}
    said = standing.phase.value, str(standing.say)
    if last is None or said != (last.standing.phase.value, str(last.standing.say)):
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


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
