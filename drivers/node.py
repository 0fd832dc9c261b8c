"""Drivers for a plate with its own controller, the node. All drivers share one NodeLink."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tiltboard.drivers import node_protocol as protocol
from tiltboard.drivers.attitude import ON_THE_PIVOT, Mounting, Vector
from tiltboard.drivers.errors import PartReadingError
from tiltboard.drivers.frame import Motion
from tiltboard.drivers.inertial import Fusion
from tiltboard.drivers.lights import WRITE_EVERY_S, LightPattern, LightsSettings, LookSequence
from tiltboard.drivers.node_link import (
    PART_HALL,
    PART_IMU,
    PART_LIGHTS,
    NodeLink,
    NodeScan,
    reported_error,
)
from tiltboard.drivers.panel import HIGHEST_HZ, LOWEST_HZ

_STEADY: Final = (1, b"\xff")


class _NodePart:
    """Base class of the drivers for the node's parts."""

    def __init__(self, link: NodeLink) -> None:
        self._link = link
        self._seen = 0

    def _fresh(self) -> list[NodeScan]:
        """Return the readings received since the last call, oldest first. The link keeps only the
        newest readings.
        """
        link = self._link
        new, self._seen = min(link.scan_count - self._seen, len(link.scans)), link.scan_count
        return list(link.scans)[-new:] if new > 0 else []

    def close(self) -> None:
        """Close the node's port."""
        self._link.close()


@lru_cache(maxsize=1)
def _table_mt(field_at_0_nt: int, field_step_nt: int) -> tuple[float, ...]:
    """Return the field in mT for each 12-bit code."""
    return tuple((field_at_0_nt + code * field_step_nt) / 1e6 for code in range(4096))


class NodeHallDriver(_NodePart):
    """Driver of the node's Hall sensors.

    ``read`` returns the mean of the readings since its last call, or the last mean if no reading
    has arrived.
    """

    def __init__(self, link: NodeLink) -> None:
        super().__init__(link)
        self._field_mt: tuple[float, ...] = ()
        self.time_s = 0.0

    @property
    def temperature_c(self) -> float | None:
        """Temperature of the plate's board in C from the node's last status, or None if unknown."""
        status = self._link.status
        return None if status is None else status.board_c

    def read(self) -> tuple[float, ...]:
        """Return the uncalibrated field at each place in mT, and set ``time_s`` to the time of
        measurement.

        Raises PartAbsentError or WrongPartError if no suitable node is connected. Raises
        PartReadingError if the node's Hall array fails.
        """
        link = self._link
        link.await_reading("hall")
        fresh, found = self._fresh(), link.capabilities
        if fresh and found is not None:
            if all(scan.codes is None for scan in fresh):
                self._field_mt = ()
                raise reported_error(link.status, PART_HALL) or PartReadingError(
                    "hall", "The plate's controller sends no readings of its sensors."
                )
            table = _table_mt(found.field_at_0_nt, found.field_step_nt)
            fields = [
                tuple([table[code & 0xFFF] for code in scan.codes])
                for scan in fresh
                if scan.codes is not None
            ]
            self._field_mt = (
                fields[0]
                if len(fields) == 1
                else tuple(sum(column) / len(fields) for column in zip(*fields, strict=True))
            )
            self.time_s = fresh[-1].time_s
        if not self._field_mt:
            raise PartReadingError(
                "hall",
                "The plate's controller has sent no readings of its sensors yet.",
                remedy="Wait a moment.",
            )
        return self._field_mt

    def close(self) -> None:
        """Close the port and discard the last readings."""
        self._field_mt = ()
        super().close()


class NodeImuDriver(_NodePart):
    """Driver of the node's motion sensor. The node's clock gives the times of the readings, from
    which the host computes the tilt.
    """

    def __init__(
        self, link: NodeLink, arm_m: Vector = ON_THE_PIVOT, spin_gain: float = 1.0
    ) -> None:
        super().__init__(link)
        self._fusion = Fusion(arm_m, spin_gain)
        self._motion: Motion | None = None
        self._missed = False

    def mount(self, mounting: Mounting) -> None:
        """Set the chip's orientation on the plate for all further readings."""
        self._fusion.mount(mounting)

    def read(self) -> Motion | None:
        """Return the newest reading, or None while the chip starts. After an axis was found dead,
        return None until every axis has changed again.

        Raises PartAbsentError or WrongPartError if no suitable node is connected. Raises
        PartReadingError for a dead axis, and raises any fault of the sensor that the node reports.
        """
        link = self._link
        link.poll("imu")
        found = link.capabilities
        warm_c = None if link.status is None else link.status.imu_c
        warm_c = 25.0 if warm_c is None else warm_c
        fresh = self._fresh()
        if fresh:
            missed = all(scan.motion is None for scan in fresh)
            if missed and self._missed:
                # If the node could not take a single reading, ignore the failure.
                self._motion = None
            self._missed = missed
        for scan in fresh:
            if scan.motion is None or found is None:
                continue
            scales = found.accel_nm_s2 / 1e9, found.gyro_nrad_s / 1e9
            accel, gyro = scan.motion[:3], scan.motion[3:]
            try:
                self._motion = self._fusion.motion(scan.time_s, accel, gyro, scales, warm_c)
            except PartReadingError:
                self._restart()
                raise
        if self._motion is None:
            error = reported_error(link.status, PART_IMU)
            if error is not None:
                self._restart()
                raise error
        return self._motion

    def _restart(self) -> None:
        """Discard the last readings after the readings were interrupted."""
        self._fusion.restart()
        self._motion = None


class NodePanelDriver(_NodePart):
    """Driver of the node's buttons, which the node debounces, and of its buzzer."""

    def __init__(self, link: NodeLink) -> None:
        super().__init__(link)
        self._session = 0
        self._pressed: frozenset[str] = frozenset()
        self._tone_hz: float | None = None

    def pressed(self) -> frozenset[str]:
        """Return the names of the buttons that were held down at any time since the last call.

        Raises PartAbsentError or WrongPartError if no suitable node is connected.
        """
        self._link.poll("panel")
        fresh = self._fresh()
        if fresh:
            inputs = 0
            for scan in fresh:
                inputs |= scan.inputs
            named = ((protocol.CONFIRM, "confirm"), (protocol.BACK, "back"))
            self._pressed = frozenset(name for bit, name in named if inputs & bit)
        return self._pressed

    def tone(self, hz: float | None) -> None:
        """Sound a tone of ``hz``, 20 to 10,000, until the next call. None means silence.

        Raises ValueError if ``hz`` is out of range. Raises PartAbsentError or WrongPartError if no
        suitable node is connected.
        """
        if hz is not None and not LOWEST_HZ <= hz <= HIGHEST_HZ:
            raise ValueError(f"{hz} Hz is not between {LOWEST_HZ} and {HIGHEST_HZ}")
        link = self._link
        link.poll("panel")
        if hz != self._tone_hz or link.session != self._session:
            self._tone_hz, self._session = hz, link.session
            link.send(protocol.TONE, round(hz or 0).to_bytes(2, "big"))

    def close(self) -> None:
        """Silence the buzzer and close the port."""
        self._link.send(protocol.TONE, bytes(2))
        self._tone_hz = None
        self._pressed = frozenset()
        super().close()


class NodeLightsDriver(_NodePart):
    """Driver of the node's lights, in the order of the places. The node draws the blink patterns,
    and this driver computes the same colours for ``shown``.
    """

    def __init__(self, settings: LightsSettings, link: NodeLink) -> None:
        super().__init__(link)
        self._settings = settings
        self._clock = link.clock
        self._drawing = LookSequence(settings)
        self._patterns: dict[tuple[int, bytes], int] = {_STEADY: 0}
        self._session = 0
        self._changed = False
        self._told_s = -WRITE_EVERY_S

    @property
    def shown(self) -> bytes:
        """Red, green and blue of each place as the node shows the light now, after gamma,
        brightness and the limit of the power supply.
        """
        return self._draw()[0]

    @property
    def dimmed(self) -> float:
        """Fraction of the requested light that the supply allows, 0 to 1."""
        return self._draw()[1]

    def ask(self, looks: Sequence[LightPattern | None], start_s: float = 0.0) -> None:
        """Set the light pattern of each light. None means a dark light. All blink patterns start at
        the clock time ``start_s``. Raises ValueError unless there is one entry for each light.
        """
        self._changed |= self._drawing.ask(looks, start_s)

    def flush(self) -> None:
        """Send changes to the node, at most 30 times a second. After the node has started, send all
        settings.

        Raises PartAbsentError or WrongPartError if no suitable node is connected. Also raises
        PartAbsentError if the node can detect the lights' power and the lights have none.
        """
        link = self._link
        link.poll("lights")
        unlit = reported_error(link.status, PART_LIGHTS)
        if unlit is not None:
            raise unlit
        if link.session != self._session:
            self._session = link.session
            self._patterns = {_STEADY: 0}
            settings, curve = self._settings, self._settings.curve()
            setup = protocol.pack_setup(
                settings.supply_a, settings.channel_ma, settings.idle_ma, curve
            )
            link.send(protocol.SETUP, setup)
            self._changed = True
        now_s = self._clock.now()
        if self._changed and now_s - self._told_s >= WRITE_EVERY_S:
            self._changed = False
            self._told_s = now_s
            drawing = self._drawing
            looks = [(self._pattern(look), *look.rgb) for look in drawing.looks]
            start_us = link.to_node_us(drawing.start_s)
            link.send(protocol.LIGHTS, protocol.pack_lights(start_us, looks, drawing.places))

    def close(self) -> None:
        """Turn all lights off and close the port."""
        self._session = 0
        self._drawing = LookSequence(self._settings)
        self._link.send(protocol.LIGHTS, protocol.pack_lights(0, (), self._drawing.places))
        super().close()

    def _pattern(self, look: LightPattern) -> int:
        """Return the node's number for the blink pattern of ``look``. If the pattern is new, send
        the pattern to the node.
        """
        key = (
            round(look.step_s / protocol.TICK_S),
            bytes(round(level * 255) for level in look.levels),
        )
        if look.levels == (1.0,):
            return 0
        number = self._patterns.get(key)
        if number is None:
            if len(self._patterns) > protocol.PATTERNS:
                self._patterns = {_STEADY: 0}
            number = self._patterns[key] = len(self._patterns)
            self._link.send(protocol.PATTERN, bytes((number, key[0])) + key[1])
        return number

    def _draw(self) -> tuple[bytes, float]:
        if not self._session or reported_error(self._link.status, PART_LIGHTS) is not None:
            return bytes(3 * self._settings.count), 1.0
        return self._drawing.at(self._clock.now())
