"""What a trace shows, line by line, for people or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.table.sight import BoardEvent, Magnet, Observation
from firmware_host.trace.reader import Trace
from firmware_host.trace.replay import replay
from firmware_host.trace.rerun import Seen, rerun


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
        for event in last.events:
            yield _json(_event(event, profile)) if as_json else _line(event, profile)
        for told in played.news(seen):
            yield _json(told) if as_json else _told_line(told)
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
    """What the referee has told by now."""

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


def _told_line(told: dict[str, Any]) -> str:
    what = told["move"] if "move" in told else f"{told['phase']}: {told['say']}"
    return f"{told['t']:10.3f}  {told['event']:<9}  {what}"


def _event(event: BoardEvent, profile: Profile) -> dict[str, Any]:
    return {
        "t": event.time_s,
        "event": event.happening.value,
        "places": [profile.places[i] for i in event.places],
        "magnets": [magnet.value for magnet in event.magnets],
    }


def _line(event: BoardEvent, profile: Profile) -> str:
    what = [
        f"{profile.places[i]} {magnet.value}"
        for i, magnet in zip(event.places, event.magnets, strict=True)
    ]
    return f"{event.time_s:10.3f}  {event.happening.value:<9}  {', '.join(what)}".rstrip()


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
