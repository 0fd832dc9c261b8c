"""Writing a trace, scan by scan."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from drivers.frame import Frame
from firmware_host.config.profile import Profile
from firmware_host.perception import ALL_CLASSES, Calibration
from firmware_host.table.commands import GameRequest
from firmware_host.table.sight import Magnet
from firmware_host.trace.format import (
    FLUSH_EVERY,
    EndRecord,
    FaultRecord,
    ScanRecord,
    TraceHeader,
    layout_of,
    seal,
)


def header_for(
    profile: Profile,
    calibration: Calibration | None = None,
    *,
    classes: Iterable[Magnet] = ALL_CLASSES,
    expected: Mapping[int, Magnet] | None = None,
    game: str | None = None,
    options: Mapping[str, Any] | None = None,
    moves: Sequence[str] | None = None,
) -> TraceHeader:
    """The header for a perception that is started with these."""
    return TraceHeader(
        tiltboard_trace=1,
        profile=profile.name,
        layout=layout_of(profile),
        scans_per_s=profile.scans_per_s,
        calibration=calibration,
        classes=sorted(magnet.value for magnet in classes),
        expected=None if expected is None else {i: m.value for i, m in sorted(expected.items())},
        game=game,
        options=None if options is None else dict(options),
        moves=None if moves is None else list(moves),
    )


class TraceWriter:
    """Writes to ``path``, which must not exist. A context manager. Raises OSError.

    The same frames give the same bytes. A file that was never closed loses the last second.
    """

    def __init__(self, path: Path, header: TraceHeader) -> None:
        self._raw = path.open("xb")
        self._file = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._numbers: dict[float, int] = {}
        self._count = 0
        self._file.write(seal(header))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, frame: Frame, asked: Iterable[GameRequest] = ()) -> None:
        """Append one scan, and what was ``asked`` of the host before it."""
        numbers = self._numbers
        new = []
        for value in frame.field_mt:
            if value not in numbers:
                numbers[value] = len(numbers)
                new.append(value)
        motion = frame.motion
        record = ScanRecord(
            n=frame.number,
            t=frame.time_s,
            f=[numbers[value] for value in frame.field_mt],
            new=new,
            m=None
            if motion is None
            else (
                *motion.tilt_rad,
                *motion.specific_force_m_s2,
                *motion.rate_rad_s,
                motion.temperature_c,
            ),
            s=0.0 if motion is None else motion.spin_rad,
            p=sorted(frame.pressed),
            c=frame.temperature_c,
            e=[FaultRecord(fault.part, fault.problem, fault.remedy) for fault in frame.faults],
            q=list(asked),
        )
        self._file.write(seal(record))
        self._count += 1
        if self._count % FLUSH_EVERY == 0:
            self._file.flush()
            self._raw.flush()

    def close(self) -> None:
        """Write the end mark."""
        if self._raw.closed:
            return
        self._file.write(seal(EndRecord(end=self._count)))
        self._file.close()
        self._raw.close()
