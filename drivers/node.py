"""The parts of a plate with its own computer, used as any plate's: all over one NodeLink.

The lights are in drivers.node_lights.
"""

from __future__ import annotations

from functools import partial

from drivers import node_protocol as protocol
from drivers.attitude import FLAT, ON_THE_PIVOT, Attitude, AxisWatch, Mounting, Vector
from drivers.errors import PartReadingError
from drivers.frame import Motion
from drivers.node_link import NodeLink, Scan
from drivers.node_troubles import PART_HALL, PART_IMU, reported
from drivers.panel import HIGHEST_HZ, LOWEST_HZ


class NodeHall:
    """The sensors. One read gives the mean of what came since the last, or that again."""

    def __init__(self, link: NodeLink) -> None:
        self._link = link
        self._seen = 0
        self._field_mt: tuple[float, ...] = ()
        self._table_of: tuple[int, int] | None = None
        self._table: tuple[float, ...] = ()
        self.time_s = 0.0

    @property
    def temperature_c(self) -> float | None:
        """Of the board, as last told."""
        status = self._link.status
        return None if status is None else status.board_c

    def read(self) -> tuple[float, ...]:
        """Field in mT per place, uncalibrated; ``time_s`` says when it was measured.

        Raises PartAbsentError, WrongPartError, or PartReadingError if the node's array fails.
        """
        link = self._link
        link.await_reading("hall")
        fresh = _fresh(link, self._seen)
        self._seen = link.scan_count
        if fresh:
            if fresh[-1].codes is None:
                raise reported(link.status, PART_HALL) or PartReadingError(
                    "hall", "The plate's own computer sends no readings of its sensors."
                )
            fields = [self._understand(scan.codes) for scan in fresh if scan.codes is not None]
            self._field_mt = (
                fields[0]
                if len(fields) == 1
                else tuple(sum(column) / len(fields) for column in zip(*fields, strict=True))
            )
            self.time_s = fresh[-1].time_s
        if not self._field_mt:
            raise PartReadingError(
                "hall",
                "The plate's own computer has sent no readings of its sensors yet.",
                remedy="Wait a moment.",
            )
        return self._field_mt

    def close(self) -> None:
        """Give the port back."""
        self._field_mt = ()
        self._link.close()

    def _understand(self, codes: tuple[int, ...]) -> tuple[float, ...]:
        found = self._link.capabilities
        scale = (0, 0) if found is None else (found.field_at_0_nt, found.field_step_nt)
        if scale != self._table_of:
            self._table_of = scale
            self._table = tuple((scale[0] + code * scale[1]) / 1e6 for code in range(4096))
        return tuple([self._table[code & 0xFFF] for code in codes])


class NodeImu:
    """The motion sensor, fused here with the node's own times."""

    def __init__(
        self, link: NodeLink, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0
    ) -> None:
        self._link = link
        self._new_attitude = partial(Attitude, arm_m, spin_gain)
        self._mounting = FLAT
        self._attitude = self._new_attitude()
        self._axes = AxisWatch()
        self._session = 0
        self._seen = 0
        self._motion: Motion | None = None

    def mount(self, mounting: Mounting) -> None:
        """Read the chip as lying like that from now on."""
        if mounting != self._mounting:
            self._mounting = mounting
            self._attitude = self._new_attitude()

    def read(self) -> Motion | None:
        """The newest reading, None while the chip starts, and after an axis was dead until all have
        moved. Raises as NodeHall.read, and PartReadingError for a dead axis.
        """
        link = self._link
        link.poll("imu")
        found = link.capabilities
        if link.counters.opened != self._session:
            self._session = link.counters.opened
            self._restart()
        fresh = _fresh(link, self._seen)
        self._seen = link.scan_count
        for scan in fresh:
            if scan.motion is None or found is None:
                self._motion = None
                continue
            try:
                self._axes.update(scan.motion[:3])
            except PartReadingError:
                self._restart()
                raise
            self._motion = self._fuse(scan, scan.motion, found.accel_nm_s2, found.gyro_nrad_s)
        if self._motion is None:
            error = reported(link.status, PART_IMU)
            if error is not None:
                self._restart()
                raise error
        if not self._axes.trusted:
            self._attitude.restart()  # what it followed until now was no gravity
            return None
        return self._motion

    def close(self) -> None:
        """Give the port back."""
        self._link.close()

    def _restart(self) -> None:
        """The readings were interrupted."""
        self._attitude.restart()
        self._axes.restart()
        self._motion = None

    def _fuse(
        self, scan: Scan, steps: tuple[int, ...], accel_nm_s2: int, gyro_nrad_s: int
    ) -> Motion:
        ax, ay, az = (step * accel_nm_s2 / 1e9 for step in steps[:3])
        gx, gy, gz = (step * gyro_nrad_s / 1e9 for step in steps[3:])
        force = self._mounting.on_plate((ax, ay, az))
        rate = self._mounting.on_plate((gx, gy, gz))
        pose = self._attitude.update(scan.time_s, force, rate)
        status = self._link.status
        warm_c = None if status is None else status.imu_c
        warm_c = 25.0 if warm_c is None else warm_c
        return Motion(pose.tilt_rad, force, pose.rate_rad_s, warm_c, pose.spin_rad)


class NodePanel:
    """Buttons, debounced by the node, and buzzer."""

    def __init__(self, link: NodeLink) -> None:
        self._link = link
        self._seen = 0
        self._session = 0
        self._pressed: frozenset[str] = frozenset()
        self._tone_hz: float | None = None

    def pressed(self) -> frozenset[str]:
        """The buttons held down at any moment since the last call. Raises as NodeHall.read."""
        link = self._link
        link.poll("panel")
        fresh = _fresh(link, self._seen)
        self._seen = link.scan_count
        if fresh:
            inputs = 0
            for scan in fresh:
                inputs |= scan.inputs
            named = ((protocol.CONFIRM, "confirm"), (protocol.BACK, "back"))
            self._pressed = frozenset(name for bit, name in named if inputs & bit)
        return self._pressed

    def tone(self, hz: float | None) -> None:
        """Sound ``hz`` (20 to 10,000) until told otherwise; None: silence.

        Raises ValueError out of range, PartAbsentError or WrongPartError without a node.
        """
        if hz is not None and not LOWEST_HZ <= hz <= HIGHEST_HZ:
            raise ValueError(f"{hz} Hz is not between {LOWEST_HZ} and {HIGHEST_HZ}")
        link = self._link
        link.poll("panel")
        if hz != self._tone_hz or link.session != self._session:
            self._tone_hz, self._session = hz, link.session
            link.tell(protocol.TONE, round(hz or 0).to_bytes(2, "big"))

    def close(self) -> None:
        """Silence, and the port given back."""
        self._link.tell(protocol.TONE, bytes(2))
        self._tone_hz = None
        self._pressed = frozenset()
        self._link.close()


def _fresh(link: NodeLink, seen: int) -> list[Scan]:
    """The readings that came since ``seen`` were counted, as far as they are kept."""
    new = min(link.scan_count - seen, len(link.scans))
    return list(link.scans)[-new:] if new > 0 else []
