"""Chips that answer from a recording, so that what is measured above them is not the simulation."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hw_sim.buses.i2c import I2cChip
    from hw_sim.buses.spi import SpiChip
    from hw_sim.session import SimSession

RECORDED_SCANS = 60


class RecordedSpi:
    """Passes transfers on and keeps the answers, until ``frozen``; then repeats them in turn."""

    def __init__(self, chip: SpiChip, selected: Callable[[], int]) -> None:
        self._chip = chip
        self._selected = selected
        self._answers: dict[tuple[int, bytes], list[Sequence[int]]] = {}
        self._replay: dict[tuple[int, bytes], Iterator[Sequence[int]]] = {}

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float) -> Sequence[int]:
        """As SpiChip."""
        key = (self._selected(), sent)
        if self._replay:
            return next(self._replay[key])
        answer = self._chip.transfer(sent, clock_hz, mode, start_s)
        self._answers.setdefault(key, []).append(answer)
        return answer

    def power_on(self, now_s: float) -> None:
        """As SpiChip."""
        self._chip.power_on(now_s)

    def freeze(self) -> None:
        """Answer from the recording from now on."""
        self._replay = {key: cycle(answers) for key, answers in self._answers.items()}


class RecordedI2c:
    """The same for a chip on I2C: what was read after what was written last."""

    def __init__(self, chip: I2cChip) -> None:
        self._chip = chip
        self._written = b""
        self._answers: dict[tuple[bytes, int], list[bytes]] = {}
        self._replay: dict[tuple[bytes, int], Iterator[bytes]] = {}

    def write(self, data: bytes, now_s: float) -> bool:
        """As I2cChip."""
        self._written = data
        return True if self._replay else self._chip.write(data, now_s)

    def read(self, count: int, now_s: float) -> bytes | None:
        """As I2cChip."""
        key = (self._written, count)
        if key in self._replay:
            return next(self._replay[key])
        answer = self._chip.read(count, now_s)
        if answer is not None:
            self._answers.setdefault(key, []).append(answer)
        return answer

    def power_on(self, now_s: float) -> None:
        """As I2cChip."""
        self._chip.power_on(now_s)

    def freeze(self) -> None:
        """Answer from the recording from now on."""
        self._replay = {key: cycle(answers) for key, answers in self._answers.items()}


def freeze(session: SimSession) -> None:
    """Let every converter and I2C chip of the table answer as in its last scans."""
    table = session.table
    recorded: list[RecordedSpi | RecordedI2c] = []
    table.buses.light_port.silent = 0  # cut off: nothing is decoded, and nothing lit
    for port in session.table.buses.spi_ports.values():
        spi = RecordedSpi(port.chip, lambda: table.mux_address)
        port.chip = spi
        recorded.append(spi)
    for bus in session.table.buses.i2c_buses.values():
        for number, chip in bus.chips.items():
            i2c = RecordedI2c(chip)
            bus.chips[number] = i2c
            recorded.append(i2c)
    for _ in range(RECORDED_SCANS):
        session.tick()
    for each in recorded:
        each.freeze()
