"""A trace through perception again: the same trace gives the same observations."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_host.config.errors import TraceError
from firmware_host.config.profile import Profile
from firmware_host.perception import Perception
from firmware_host.perception.calibration import check_fits
from firmware_host.table.sight import Magnet, Observation
from firmware_host.trace.format import TraceHeader, layout_of
from firmware_host.trace.reader import Trace


def replay(trace: Trace, profile: Profile) -> Iterator[Observation]:
    """One observation per frame. Raises TraceError if ``profile`` is not the recorded table's."""
    classes, expected = checked_header(trace.header, profile)
    check_frames(trace, profile)
    perception = Perception(profile, trace.header.calibration, classes=classes, expected=expected)
    for frame in trace.frames:
        yield perception.observe(frame)


def checked_header(
    header: TraceHeader, profile: Profile
) -> tuple[frozenset[Magnet], dict[int, Magnet] | None]:
    """The magnets that the game has, and those expected at the start. Raises TraceError."""
    if header.layout != layout_of(profile):
        raise TraceError(
            "record 0: recorded on {theirs}, whose places lie otherwise than those of {ours}.",
            remedy="Name the profile that it was recorded with.",
            theirs=header.profile,
            ours=profile.name,
        )
    try:
        classes = frozenset(Magnet(name) for name in header.classes)
        expected = (
            None
            if header.expected is None
            else {index: Magnet(name) for index, name in header.expected.items()}
        )
    except ValueError as error:
        raise TraceError(
            "record 0: expected magnets, but {why}.",
            remedy="Get another copy of the file.",
            why=str(error),
        ) from error
    if header.calibration is not None:
        check_fits(header.calibration, profile, source="record 0")
    return classes, expected


def check_frames(trace: Trace, profile: Profile) -> None:
    """Raises TraceError for a frame of another number of sensors."""
    for number, frame in enumerate(trace.frames, 1):
        if frame.field_mt and len(frame.field_mt) != profile.size:
            raise TraceError(
                "record {number}: expected {size} readings, found {found}.",
                remedy="Get another copy of the file.",
                number=number,
                size=profile.size,
                found=len(frame.field_mt),
            )
