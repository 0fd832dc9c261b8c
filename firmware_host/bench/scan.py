"""CPU of one scan, from the drivers to the lights: here, and on each Pi by published figures.

Nothing was measured on a Pi; every line can be checked with its source and a calculator. What the
processor does is measured here and scaled by a published run of a Python program.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from drivers.clock import cpu_s
from drivers.frame import Frame
from firmware_host.bench.computers import COMPUTERS, PI4_STEP_US, WIRE_US, Computer, nbody_step_us
from firmware_host.config.profile import load_profile
from firmware_host.config.wiring import DualSwitchHall, MuxAdcHall
from games.base import Game

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hw_sim.buses.i2c import I2cChip
    from hw_sim.buses.spi import SpiChip
    from hw_sim.session import SimSession

GOAL_SCAN_MS = 0.5
GOAL_QUIET_MS = 0.15
GOAL_BUSY_MS = 0.35
GOAL_SLIDING_MS = 1.0
PUSHES, EMPTIES_DEG = 8, 25.0
REPEATS = 3  # the least of each scan counts: what else the computer does is no cost of it
TURNS = 10
GOAL_SHARE = 0.6
IMU_MS = 0.39  # a burst of 14 bytes at 400 kHz (HARDWARE.md)
CONVERSIONS = 112
PINS = 18  # an address line for each of sixteen addresses, and two buttons
SEND_MS = 0.2  # a frame of lights handed to its thread, at most
RECORDED_SCANS = 60  # that chips answer from


def run(echo: Callable[[str], None], profile: str = "plate-10", scans: int = 3000) -> None:
    """CPU of one step, mid-game, with every chip answering from a recording of one scan."""
    pieces, whole, frozen = scan_cpu_ms(profile, scans)
    echo(f"CPU per scan, {pieces} pieces standing, {scans} scans ({profile})")
    if frozen is None:
        echo(
            "  without the simulation: not applicable, no chip of this table is on SPI or I2C here"
        )
    else:
        echo(f"  drivers to lights, chips answering from a recording: {frozen:.3f} ms")
    echo(f"  the same with the simulated chips and world:         {whole:.3f} ms")
    if frozen is not None:
        share = frozen / GOAL_SCAN_MS
        echo(f"  goal: at most {GOAL_SCAN_MS} ms without the simulation ({share:.2f})")
        quiet_ms = _say_steps(echo, profile, scans)
        if profile == "plate-10":
            _say_slides(echo, profile, frozen - quiet_ms)


def _say_steps(echo: Callable[[str], None], profile: str, scans: int) -> float:
    """What is left of a scan without its drivers: at rest, and while a place is being judged.
    Returns the first, in ms.
    """
    quiet, busy = (host_cpu_ms(profile, scans, busy=busy) for busy in (False, True))
    step_us = nbody_step_us()
    echo("  from the frame to the lights, a quiet scan, and one with a piece between two places:")
    echo(f"  here {quiet:.3f} and {busy:.3f} ms; goal: at most {GOAL_QUIET_MS} and {GOAL_BUSY_MS}")
    steps = (1000 * ms / step_us for ms in (quiet, busy))
    echo("  {:.0f} and {:.0f} steps of the n-body program of `tiltboard bench pi`".format(*steps))
    for computer in COMPUTERS:
        slower = PI4_STEP_US / step_us * computer.slower
        share = quiet * slower * 50 / 1000
        echo(
            f"    {computer.name:<10} {quiet * slower:5.2f} and {busy * slower:5.2f} ms;"
            f" 50 quiet ones a second take {share:.0%} of a core"
        )
    return quiet


def _say_slides(echo: Callable[[str], None], profile: str, drivers_ms: float) -> None:
    """A whole scan while pieces slide: flicked one by one, and all as the plate is tilted."""
    from hw_sim.world.world import has_physics

    if not has_physics():
        echo("  while pieces slide: needs physics, pip install 'tiltboard[physics]'")
        return
    costs = sorted(drivers_ms + ms for ms in sliding_cpu_ms(profile))
    at = [costs[min(len(costs) - 1, len(costs) * share // 100)] for share in (50, 95, 99, 100)]
    echo(f"  while pieces slide, {len(costs)} scans, drivers and all: median {at[0]:.2f} ms,")
    steps = 1000 * at[2] / nbody_step_us()
    echo("  95 % {:.2f}, 99 % {:.2f}, most {:.2f}".format(*at[1:]))
    echo(f"  goal: at most {GOAL_SLIDING_MS} ms ({at[2] / GOAL_SLIDING_MS:.2f} in 99 of 100,")
    echo(f"  {steps:.0f} steps of the n-body program)")


def sliding_cpu_ms(profile: str) -> list[float]:
    """CPU of each step without the drivers, of scans in which pieces slide: what the sensors read
    is recorded from the table with physics.
    """
    from hw_sim.session import SimSession
    from hw_sim.world.world import world

    table, frames, sliding = load_profile(profile), list[Frame](), list[bool]()
    with (
        tempfile.TemporaryDirectory() as state,
        SimSession(table, Path(state), world=world(physics=True)) as session,
    ):
        scan, dynamics = session.host.plate.scan, session.table.world

        def recorded() -> Frame:
            frames.append(scan())
            moves = [piece.path is None for piece in dynamics.pieces.values()]
            sliding.append(slides and any(moves))
            return frames[-1]

        slides = False
        session.host.plate.scan = recorded  # type: ignore[method-assign]
        play_quietly(session)
        for index in range(PUSHES):
            stands = [i for i in range(table.size) if dynamics.piece_at(i) is not None]
            slides = True
            target = table.size // 2 + index
            action = session.hands.push(stands[index % len(stands)], target)
            session.run_until(action.end_s + 0.3)
            slides = False
            session.run_until(action.end_s + 2.0)
        slides = True
        tilted = session.hands.tilt(math.radians(EMPTIES_DEG), 0.0)
        session.run_until(tilted.end_s + 2.0)
    costs = [math.inf] * len(frames)
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
            session.host.plate.scan = iter(frames).__next__  # type: ignore[method-assign]
            session.table.buses.light_port.silent = 0  # the simulated lights are no cost of it
            for number in range(len(frames)):
                begun = cpu_s()
                session.host.step()
                costs[number] = min(costs[number], 1000 * (cpu_s() - begun))
                session.wait()
    return [ms for ms, moves in zip(costs, sliding, strict=True) if moves]


def host_cpu_ms(profile: str, scans: int, *, busy: bool) -> float:
    """CPU of a step without the drivers' scan. ``busy``: while a piece lies off its place."""
    spent = 0.0
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        play_quietly(session)
        if busy:
            position = session.host.standing.position
            piece, place = quiet_turns(session.host.game, TURNS + 1)[-1]
            if position is not None:
                piece = position.to_move or piece
            action = session.hands.put(piece, session.host.overlay.index_of(place), (9.0, 0.0))
            session.run_until(action.end_s + 1.0)
        freeze(session)
        scan = session.host.plate.scan

        def timed() -> Frame:
            nonlocal spent
            begun = cpu_s()
            frame = scan()
            spent += cpu_s() - begun
            return frame

        session.host.plate.scan = timed  # type: ignore[method-assign]
        whole = _cpu_per_step_ms(session, scans)
    return whole - spent / scans * 1000


def scan_cpu_ms(profile: str, scans: int) -> tuple[int, float, float | None]:
    """Pieces standing, CPU of a step with the simulation, and without; None where the simulation
    cannot be left out: pins are read one by one, and a plate's own computer is simulated whole.
    """
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        pieces = play_quietly(session)
        whole = _cpu_per_step_ms(session, scans)
        if not isinstance(session.profile.hall, MuxAdcHall | DualSwitchHall):
            return pieces, whole, None
        freeze(session)
        return pieces, whole, _cpu_per_step_ms(session, scans)


def session_of(profile: str, state: Path) -> SimSession:
    """A simulated table with its host, at work in ``state``."""
    from hw_sim.session import SimSession

    return SimSession(load_profile(profile), state)


def play_quietly(session: SimSession) -> int:
    """Up to ten turns without consequences, by hand. Returns how many there were."""
    while session.host.standing.phase != "turn":
        session.tick()
    turns = quiet_turns(session.host.game, TURNS)
    for piece, place in turns:
        action = session.hands.put(piece, session.host.overlay.index_of(place))
        session.run_until(action.end_s + 0.2)
    return len(turns)


def quiet_turns(game: Game, most: int) -> list[tuple[str, str]]:
    """Piece and place of drops, as long as there is one that moves nothing and ends nothing."""
    position, turns = game.start(), list[tuple[str, str]]()
    while len(turns) < most:
        piece = position.to_move or ""
        for place in position.legal():
            after = position.play(place).position
            if after.to_move and after.cells == {**position.cells, place: piece}:
                break
        else:
            break
        turns.append((piece, place))
        position = after
    return turns


def _cpu_per_step_ms(session: SimSession, scans: int) -> float:
    used = 0.0
    for _ in range(scans):
        begun = cpu_s()
        session.host.step()
        used += cpu_s() - begun
        session.wait()
    return used / scans * 1000


@dataclass(frozen=True, slots=True)
class Budget:
    """A scan with its lights moving. ``parts_ms``: SPI, pins, tilt sensor, lights, processor.
    ``of_period`` and ``of_core``: shares; while the wire works the processor is free, 20 us of each
    SPI call and the tilt sensor's burst.
    """

    parts_ms: tuple[float, ...]
    of_period: float
    of_core: float

    @property
    def sum_ms(self) -> float:
        """From the first call to the last."""
        return sum(self.parts_ms)


def budget(computer: Computer, pi4_ms: float) -> Budget:
    """Of plate-10. ``pi4_ms``: the processor's part on a Pi 4."""
    spi_ms, pins_ms = CONVERSIONS * computer.spi_us / 1000, PINS * computer.pin_us / 1000
    parts_ms = (spi_ms, pins_ms, IMU_MS, SEND_MS, pi4_ms * computer.slower)
    period_ms = 1000 / computer.goal
    busy_ms = sum(parts_ms) - CONVERSIONS * WIRE_US / 1000 - IMU_MS
    return Budget(parts_ms, sum(parts_ms) / period_ms, busy_ms / period_ms)


def pi(echo: Callable[[str], None], scans: int = 2000) -> None:
    """Print the budget of plate-10's scan with its lights moving."""
    here_ms = scan_cpu_ms("plate-10", scans)[2] or 0.0
    step_us = nbody_step_us()
    factor = PI4_STEP_US / step_us
    echo(
        f"here: {here_ms:.2f} ms of CPU a scan; an n-body step {step_us:.1f} us, on a Pi 4 31.7 us:"
    )
    echo(f"a Pi 4 takes {factor:.1f} times as long")
    echo("  ms of a scan       SPI   pins   tilt lights    CPU    sum  of the period   of a core")
    for computer in COMPUTERS:
        found = budget(computer, here_ms * factor)
        figures = "".join(f"{part:7.2f}" for part in (*found.parts_ms, found.sum_ms))
        kept = "kept" if found.of_core <= GOAL_SHARE else "too much"
        echo(
            f"  {computer.name:<10} {computer.goal:3}/s {figures}"
            f"  {found.of_period:6.0%} of {1000 / computer.goal:.0f} ms"
            f" {found.of_core:6.0%}, {kept}"
        )
    echo(f"goal: under {GOAL_SHARE:.0%} of a core")


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
