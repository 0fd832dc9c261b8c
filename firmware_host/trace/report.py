"""What a trace shows, line by line, for people or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from firmware_host.perception.observation import BoardEvent, Magnet, Observation
from firmware_host.profile import Profile
from firmware_host.trace.reader import Trace
from firmware_host.trace.replay import replay


def report(trace: Trace, profile: Profile, *, as_json: bool) -> Iterator[str]:
    """A line per event and a last one for the end."""
    last: Observation | None = None
    for last in replay(trace, profile):
        for event in last.events:
            yield _json(_event(event, profile)) if as_json else _line(event, profile)
    end: dict[str, Any] = {"scans": len(trace.frames), "complete": trace.complete}
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
    cut = "" if trace.complete else ", then cut off"
    yield f"{end['scans']} scans{cut}"
    if last is not None and last.ready:
        cells = [f"{place} {magnet}" for place, magnet in end["cells"].items()]
        yield f"at the end: {', '.join(cells) or 'an empty plate'}"
        if end["unsure"]:
            yield f"unsure: {', '.join(end['unsure'])}"


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
