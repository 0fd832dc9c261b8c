"""The parts of a plate with its own computer, used as any plate's: all over one NodeLink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from drivers import node_protocol as protocol
from drivers.attitude import Attitude
from drivers.errors import PartAbsentError, PartError, PartReadingError, WrongPartError
from drivers.frame import Motion
from drivers.lights import WRITE_EVERY_S, Colour
from drivers.looks import Look, Rgb
from drivers.node_link import NodeLink, Scan
from drivers.panel import HIGHEST_HZ, LOWEST_HZ

PART_HALL: Final = 1
PART_IMU: Final = 2
SILENT, WRONG_CHIP, IMPOSSIBLE = 1, 2, 3
PATTERNS: Final = 255  # that a node can know, besides the steady one

_STEADY: Final = (1, b"\xff")


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
        link.poll("hall")
        fresh = _fresh(link, self._seen)
        self._seen = link.scan_count
        if fresh:
            if fresh[-1].codes is None:
                raise _fault(link, PART_HALL) or PartReadingError(
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

    def __init__(self, link: NodeLink) -> None:
        self._link = link
        self._attitude = Attitude()
        self._session = 0
        self._seen = 0
        self._motion: Motion | None = None

    def read(self) -> Motion | None:
        """The newest reading, None while the chip starts. Raises as NodeHall.read."""
        link = self._link
        link.poll("imu")
        found = link.capabilities
        if link.counters.opened != self._session:
            self._session = link.counters.opened
            self._attitude.restart()
            self._motion = None
        fresh = _fresh(link, self._seen)
        self._seen = link.scan_count
        for scan in fresh:
            if scan.motion is None or found is None:
                self._motion = None
                continue
            self._motion = self._fuse(scan, scan.motion, found.accel_nm_s2, found.gyro_nrad_s)
        if self._motion is None:
            error = _fault(link, PART_IMU)
            if error is not None:
                self._attitude.restart()
                raise error
        return self._motion

    def close(self) -> None:
        """Give the port back."""
        self._link.close()

    def _fuse(
        self, scan: Scan, steps: tuple[int, ...], accel_nm_s2: int, gyro_nrad_s: int
    ) -> Motion:
        ax, ay, az = (step * accel_nm_s2 / 1e9 for step in steps[:3])
        gx, gy, gz = (step * gyro_nrad_s / 1e9 for step in steps[3:])
        force = (ax, ay, az)
        tilt_rad, rate_rad_s = self._attitude.update(scan.time_s, force, (gx, gy, gz))
        status = self._link.status
        warm_c = None if status is None else status.imu_c
        return Motion(tilt_rad, force, rate_rad_s, 25.0 if warm_c is None else warm_c)


@dataclass(frozen=True, slots=True)
class NodeLightsSettings:
    """As LightsSettings; which pin, and the strip's order, are the node's business."""

    count: int
    supply_a: float
    brightness: float = 0.5
    gamma: float = 2.2
    channel_ma: float = 20.0
    idle_ma: float = 1.0


class NodeLights:
    """The lights, by place. The node draws them; here is what it was told, and what that shows."""

    def __init__(self, settings: NodeLightsSettings, link: NodeLink) -> None:
        self._settings = settings
        self._link = link
        self._clock = link.clock
        self._curve = bytes(
            round(255 * settings.brightness * (step / 255) ** settings.gamma) for step in range(256)
        )
        self._looks: tuple[Look, ...] = ()
        self._places = bytes(settings.count)
        self._start_s = 0.0
        self._colours: tuple[Colour, ...] | None = None
        self._patterns: dict[tuple[int, bytes], int] = {_STEADY: 0}
        self._session = 0
        self._changed = False
        self._told_s = -WRITE_EVERY_S

    @property
    def shown(self) -> bytes:
        """Red, green, blue of each place as the node draws them now, after everything."""
        return self._draw()[0]

    @property
    def dimmed(self) -> float:
        """The share of the light asked for that the supply allows, 0 to 1."""
        return self._draw()[1]

    def ask(self, colours: Sequence[Colour]) -> None:
        """Steady colours, as LightStrip.ask. Raises ValueError for another number of them."""
        wanted = tuple(colours)
        if wanted == self._colours:
            return
        bytes_of = {
            colour: tuple(min(255, max(0, int(channel * 255 + 0.5))) for channel in colour)
            for colour in set(wanted)
        }
        looks = {
            colour: Look((rgb[0], rgb[1], rgb[2])) for colour, rgb in bytes_of.items() if any(rgb)
        }
        self.ask_looks([looks.get(colour) for colour in wanted], 0.0)
        self._colours = wanted

    def ask_looks(self, looks: Sequence[Look | None], start_s: float) -> None:
        """What each place is to show; None: dark. All patterns begin at ``start_s``.

        Raises ValueError for another number of places, or for more than 255 looks.
        """
        if len(looks) != self._settings.count:
            raise ValueError(f"{len(looks)} looks for {self._settings.count} lights")
        self._colours = None
        used = tuple(dict.fromkeys(look for look in looks if look is not None))
        number = {look: index for index, look in enumerate(used, 1)}
        places = bytes(0 if look is None else number[look] for look in looks)
        if (used, places, start_s) != (self._looks, self._places, self._start_s):
            self._looks, self._places, self._start_s = used, places, start_s
            self._changed = True

    def flush(self) -> None:
        """Tell the node what has changed, at most 30 times a second; all of it if it is new.

        Raises PartAbsentError or WrongPartError while there is no node.
        """
        link = self._link
        link.poll("lights")
        if link.session != self._session:
            self._session = link.session
            self._patterns = {_STEADY: 0}
            settings = self._settings
            link.tell(
                protocol.SETUP,
                protocol.pack_setup(
                    settings.supply_a, settings.channel_ma, settings.idle_ma, self._curve
                ),
            )
            self._changed = True
        now_s = self._clock.now()
        if self._changed and now_s - self._told_s >= WRITE_EVERY_S:
            self._changed = False
            self._told_s = now_s
            looks = [(self._pattern(look), *look.rgb) for look in self._looks]
            start_us = link.to_node_us(self._start_s)
            link.tell(protocol.LIGHTS, protocol.pack_lights(start_us, looks, self._places))

    def close(self) -> None:
        """All lights off, and the port given back."""
        self._looks, self._places = (), bytes(self._settings.count)
        self._colours = None
        self._session = 0
        self._link.tell(protocol.LIGHTS, protocol.pack_lights(0, (), self._places))
        self._link.close()

    def _pattern(self, look: Look) -> int:
        """Its number; the node is told of a new one."""
        key = (
            round(look.step_s / protocol.TICK_S),
            bytes(round(level * 255) for level in look.levels),
        )
        if look.levels == (1.0,):
            return 0
        number = self._patterns.get(key)
        if number is None:
            if len(self._patterns) > PATTERNS:
                self._patterns = {_STEADY: 0}
            number = self._patterns[key] = len(self._patterns)
            self._link.tell(protocol.PATTERN, bytes((number, key[0])) + key[1])
        return number

    def _draw(self) -> tuple[bytes, float]:
        if not self._session:
            return bytes(3 * len(self._places)), 1.0
        since_s = self._clock.now() - self._start_s
        curve, settings = self._curve, self._settings
        dark: Rgb = (0, 0, 0)
        colours = [bytes(dark)]
        colours += [bytes(curve[channel] for channel in look.now(since_s)) for look in self._looks]
        levels = b"".join([colours[place] for place in self._places])
        lit_ma = sum(levels) * settings.channel_ma / 255
        free_ma = max(0.0, settings.supply_a * 1000 - settings.idle_ma * settings.count)
        if lit_ma <= free_ma:
            return levels, 1.0
        return bytes(int(level * free_ma / lit_ma) for level in levels), free_ma / lit_ma


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


def _fault(link: NodeLink, part: int) -> PartError | None:
    """What the node says is wrong with that part of its own."""
    if link.status is None:
        return None
    for number, code, detail in link.status.faults:
        if number == part:
            return _hall_error(code, detail) if part == PART_HALL else _imu_error(code, detail)
    return None


def _hall_error(code: int, detail: int) -> PartError:
    if code == SILENT:
        return PartAbsentError(
            "hall",
            "On the plate: the sensors' converter does not answer.",
            remedy="Check the MCP3008's supply and reference, and the wires of MISO, clock and"
            " chip select on the plate.",
        )
    return PartReadingError(
        "hall",
        "On the plate: spare input {number} of the multiplexers reads what it cannot.",
        remedy="Check the address lines S0 to S3 and the 3.3 V of the sensors on the plate.",
        number=detail,
    )


def _imu_error(code: int, detail: int) -> PartError:
    if code == WRONG_CHIP:
        return WrongPartError(
            "imu",
            "On the plate: the tilt sensor is no MPU-6050 (it calls itself {identity:#04x}).",
            remedy="Fit an MPU-6050 on the plate.",
            identity=detail,
        )
    if code == SILENT:
        return PartAbsentError(
            "imu",
            "On the plate: the tilt sensor does not answer.",
            remedy="Check the MPU-6050's plug, its 3.3 V, and that AD0 is at ground.",
        )
    return PartReadingError(
        "imu",
        "On the plate: the tilt sensor's readings cannot be, or it lost its settings.",
        remedy="If this comes back, check the MPU-6050's plug, its 3.3 V and its ground.",
    )
