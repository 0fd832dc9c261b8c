"""The Hall array: sensors through multiplexers with shared address lines, and one converter.

Input ``k`` is the converter's channel ``k // 16`` and the multiplexers' address ``k % 16``. The
first inputs are the sensors, in index order; spare inputs carry known voltages, from which each
scan proves its own wiring (drivers.hall_check).
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers import ntc10k
from drivers.absence import absent
from drivers.buses import Buses
from drivers.cd74hc4067 import GRAY_ORDER, INPUTS, SETTLING_S, AddressLines
from drivers.drv5055 import SENSITIVITY_MV_MT, field_table_mt
from drivers.errors import PartError
from drivers.hall_check import Carries, WiringCheck
from drivers.mcp3008 import CHANNELS, CLOCKS_BEFORE_SAMPLE, MAX_HZ, STEPS, Mcp3008


@dataclass(frozen=True, slots=True)
class HallSettings:
    """What is wired where. ``spares``: input -> what it carries; ``sensors``: inputs 0 and up."""

    sensors: int
    spi_bus: int
    spi_device: int
    address_pins: tuple[int, int, int, int]
    spares: tuple[tuple[int, Carries], ...] = ()
    spi_hz: int = MAX_HZ
    reference_v: float = 3.3
    sensitivity_mv_mt: float = SENSITIVITY_MV_MT

    def __post_init__(self) -> None:
        if not 1 <= self.inputs <= CHANNELS * INPUTS:
            raise ValueError(f"{self.inputs} inputs; the converter has {CHANNELS * INPUTS}")

    @property
    def inputs(self) -> int:
        """Inputs in use, spares included."""
        return max(self.sensors, *(number + 1 for number, _ in self.spares), 1)


class MuxHallArray:
    """The sensors of the plate. Opens at the first read, and again after any failure."""

    def __init__(self, settings: HallSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._converter: Mcp3008 | None = None
        self._lines: AddressLines | None = None
        self._codes = [0] * (CHANNELS * INPUTS)
        self._channels = tuple(range((settings.inputs - 1) // INPUTS + 1))
        self._field_mt = field_table_mt(
            STEPS, settings.reference_v, settings.sensitivity_mv_mt
        ).__getitem__
        self._check = WiringCheck(settings.sensors, dict(settings.spares), settings.address_pins)
        self._ntc = next((number for number, what in settings.spares if what == "ntc"), None)
        # The clocks before the converter samples count toward the settling time: at 1.35 MHz they
        # are 8.1 us, so nothing is left to wait for.
        self._wait_s = max(0.0, SETTLING_S - CLOCKS_BEFORE_SAMPLE / settings.spi_hz)
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """Scan every input; the field at each sensor in mT, uncalibrated, south positive.

        Raises PartAbsentError if a bus cannot be used, PartReadingError if the spare inputs show
        that the readings cannot be trusted. Does not judge single sensors.
        """
        try:
            if self._converter is None or self._lines is None:
                converter, lines = self._open()
            else:
                converter, lines = self._converter, self._lines
            codes = self._scan(converter, lines)
            self._check(codes)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            self.close()
            device = f"/dev/spidev{self._settings.spi_bus}.{self._settings.spi_device}"
            raise absent("hall", error, device) from error
        if self._ntc is not None:
            self.temperature_c = ntc10k.temperature_c(codes[self._ntc] / STEPS)
        return tuple(map(self._field_mt, codes[: self._settings.sensors]))

    def close(self) -> None:
        """Give bus and lines back; the next read opens them again."""
        if self._converter is not None:
            self._converter.close()
            self._converter = None
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _open(self) -> tuple[Mcp3008, AddressLines]:
        settings = self._settings
        self._lines = AddressLines(self._buses.pin_factory, settings.address_pins)
        device = self._buses.spi(settings.spi_bus, settings.spi_device)
        self._converter = Mcp3008(device, settings.spi_hz)
        return self._converter, self._lines

    def _scan(self, converter: Mcp3008, lines: AddressLines) -> list[int]:
        """Address-major: an address change costs more than a change of channel."""
        codes, channels, read = self._codes, self._channels, converter.read
        for address in GRAY_ORDER:
            if lines.select(address) and self._wait_s:
                self._clock.sleep(self._wait_s)
            for channel in channels:
                codes[channel * INPUTS + address] = read(channel)
        return codes
