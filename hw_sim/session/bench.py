"""How fast a table answers, and what that costs: ``tiltboard bench``.

Nothing was measured on a Pi. What the processor does is measured here and scaled by a program whose
time on one of them is published; every line can be checked with its source and a calculator.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle
from pathlib import Path
from typing import Any

from drivers.clock import cpu_s
from drivers.frame import Frame
from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.wiring import DualSwitchHall, MuxAdcHall, NodeHall
from firmware_host.host.playing import usual_options
from firmware_host.table.commands import NewGame
from games.base import Game
from games.momentum import MOMENTUM
from hw_sim.rng import Streams
from hw_sim.session.session import SimSession

# From a piece touching the board to the first light that changes for it, in virtual time. On a
# table without lights: to the new standing, which the page shows.

AVERAGED_SCANS = 4
BUS_S = 0.0055  # HARDWARE, budgets: one scan and one light update
GOAL_WIRED_S, GOAL_NODE_S = 0.100, 0.060
TOLERANCE_MM = 5.0
PATIENCE_S = 2.0
SHARES = (("min", 0.0), ("median", 0.5), ("95 %", 0.95), ("max", 1.0))


def say_latency(echo: Callable[[str], None], profile: str = "plate-10", touches: int = 300) -> None:
    """Put ``touches`` pieces, each up to 5 mm off centre, and print the distribution."""
    table = load_profile(profile)
    delays_s = measured_s(table, touches)
    most_s = limit_s(table)
    goal_s = GOAL_NODE_S if isinstance(table.hall, NodeHall) else GOAL_WIRED_S
    echo(f"{touches} pieces put, up to {TOLERANCE_MM:g} mm off centre, {table.scans_per_s} scans/s")
    if table.lights is None:
        echo("  no lights: until the standing changes, which the page shows")
    for name, share in SHARES:
        delay_s = at_share(delays_s, share)
        echo(f"  {name:>6}  {delay_s * 1000:6.1f} ms  {delay_s / most_s:5.2f} of the limit")
    if delays_s[0] < 0:
        echo("  below 0: the switch closed while the piece was still coming down")
    echo(
        f"limit: {AVERAGED_SCANS} scans and twice the bus time of a scan and a light update,"
        f" {most_s * 1000:.1f} ms; goal: under {goal_s * 1000:.0f} ms"
    )


def measured_s(table: Profile, touches: int) -> list[float]:
    """Delays of ``touches`` pieces, sorted."""
    stream = Streams(1).stream("bench-latency")
    most_mm = TOLERANCE_MM / 2**0.5
    delays_s: list[float] = []
    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        while len(delays_s) < touches:
            place = stream.choice(_legal(session))
            offset = (stream.uniform(-most_mm, most_mm), stream.uniform(-most_mm, most_mm))
            delays_s.append(_touch_to_light_s(session, place, offset))
    return sorted(delays_s)


def limit_s(table: Profile) -> float:
    """The longest that physics and averaging account for (HARDWARE, budgets)."""
    return AVERAGED_SCANS / table.scans_per_s + 2 * BUS_S


def at_share(delays_s: list[float], share: float) -> float:
    """The delay that ``share`` (0 to 1) of the sorted ``delays_s`` do not exceed."""
    return delays_s[round(share * (len(delays_s) - 1))]


def _legal(session: SimSession) -> tuple[str, ...]:
    """Start a game on an empty plate, wait for the first turn; the legal places."""
    session.hands.set_up({})
    session.host.do(NewGame("momentum", usual_options(MOMENTUM, session.profile.capabilities)))
    deadline_s = session.clock.now() + 10
    session.tick()
    while session.host.standing.phase != "turn" and session.clock.now() < deadline_s:
        session.tick()
    session.run_until(session.clock.now() + 0.5)
    position = session.host.standing.position
    return () if position is None else position.legal()


def _touch_to_light_s(session: SimSession, place: str, offset_mm: tuple[float, float]) -> float:
    """From the touch until the strip has latched the first bytes that show the move."""
    host, table = session.host, session.table
    action = session.hands.put("red", host.overlay.index_of(place), offset_mm)
    before = host.standing.roles
    while session.clock.now() < action.touch_s + PATIENCE_S:
        lights = table.lights
        host.step()
        if host.standing.roles != before:
            if session.profile.lights is None:
                return session.clock.now() - action.touch_s
            if table.lights != lights:
                return table.chain.latched_s - action.touch_s
        session.wait()
    raise TimeoutError(f"the table did not notice a piece on {place} within {PATIENCE_S} s")


# CPU of one scan, from the drivers to the lights.

GOAL_SCAN_MS = 0.5
GOAL_QUIET_MS = 0.15
GOAL_BUSY_MS = 0.35
TURNS = 10
GOAL_SHARE = 0.6
IMU_MS = 0.39  # a burst of 14 bytes at 400 kHz (HARDWARE.md)
CONVERSIONS = 112
PINS = 18  # an address line for each of sixteen addresses, and two buttons
SEND_MS = 0.2  # a frame of lights handed to its thread, at most
RECORDED_SCANS = 60  # that chips answer from


def say_scan(echo: Callable[[str], None], profile: str = "plate-10", scans: int = 3000) -> None:
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
        _say_steps(echo, profile, scans)


def _say_steps(echo: Callable[[str], None], profile: str, scans: int) -> None:
    """What is left of a scan without its drivers: at rest, and while a place is being judged."""
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


class Recorded:
    """A chip on SPI or I2C: passes on what it is asked and keeps the answers; once frozen, repeats
    them in turn. ``selected``: what else the answers go by, as the multiplexers' address.
    """

    def __init__(self, chip: Any, selected: Callable[[], int] = int) -> None:
        self._chip = chip
        self._selected = selected
        self._written = b""
        self._answers: dict[Hashable, list[Any]] = {}
        self._replay: dict[Hashable, Iterator[Any]] = {}

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float) -> Sequence[int]:
        """As SpiChip."""
        answer: Sequence[int] = self._answer(
            (self._selected(), sent), lambda: self._chip.transfer(sent, clock_hz, mode, start_s)
        )
        return answer

    def write(self, data: bytes, now_s: float) -> bool:
        """As I2cChip."""
        self._written = data
        return bool(self._replay or self._chip.write(data, now_s))

    def read(self, count: int, now_s: float) -> bytes | None:
        """As I2cChip: what follows goes by what was written last."""
        answer: bytes | None = self._answer(
            (self._written, count), lambda: self._chip.read(count, now_s)
        )
        return answer

    def power_on(self, now_s: float) -> None:
        """Turn the chip on, as SpiChip and I2cChip do."""
        self._chip.power_on(now_s)

    def freeze(self) -> None:
        """Answer from the recording from now on."""
        self._replay = {key: cycle(answers) for key, answers in self._answers.items()}

    def _answer(self, key: Hashable, ask: Callable[[], Any]) -> Any:
        if key in self._replay:
            return next(self._replay[key])
        answer = ask()
        if answer is not None:
            self._answers.setdefault(key, []).append(answer)
        return answer


def freeze(session: SimSession) -> None:
    """Let every converter and I2C chip of the table answer as in its last scans."""
    table = session.table
    recorded: list[Recorded] = []
    table.buses.light_port.silent = 0  # cut off: nothing is decoded, and nothing lit
    for port in table.buses.spi_ports.values():
        port.chip = each = Recorded(port.chip, lambda: table.mux_address)
        recorded.append(each)
    for bus in table.buses.i2c_buses.values():
        for address, chip in bus.chips.items():
            bus.chips[address] = each = Recorded(chip)
            recorded.append(each)
    for _ in range(RECORDED_SCANS):
        session.tick()
    for each in recorded:
        each.freeze()


# The time budget of a scan on each Pi: published figures of each, and of a program on one of them.

WIRE_US = 20.0  # of each conversion: 27 clocks at 1.35 MHz
STEPS = 20_000  # of the n-body program
# chaitanyamehta.github.io, "Performance Analysis of Languages on Raspberry Pi": 5 million steps of
# five bodies that attract each other take Python 158.4 s on a Pi 4 at 1.5 GHz.
PI4_STEP_US = 158.4 / 5


_SUN, _YEAR_D = 4 * math.pi**2, 365.24
# Where, how fast (a day), how heavy (of a sun): Jupiter, Saturn, Uranus, Neptune.
_PLANETS = (
    (
        (4.84143144246472090, -1.16032004402742839, -0.103622044471123109),
        (1.66007664274403694e-3, 7.69901118419740425e-3, -6.90460016972063023e-5),
        9.54791938424326609e-4,
    ),
    (
        (8.34336671824457987, 4.12479856412430479, -0.403523417114321381),
        (-2.76742510726411040e-3, 4.99852801234917238e-3, 2.30417297573763929e-5),
        2.85885980666130812e-4,
    ),
    (
        (12.8943695621391310, -15.1111514016986312, -0.223307578892655734),
        (2.96460137564761618e-3, 2.37847173959480950e-3, -2.96589568540237556e-5),
        4.36624404335156298e-5,
    ),
    (
        (15.3796971148509165, -25.9193146099879641, 0.179258772950371181),
        (2.68067772490389322e-3, 1.62824170038242295e-3, -9.51592254519715870e-5),
        5.15138902046611451e-5,
    ),
)


@dataclass(frozen=True, slots=True)
class Computer:
    """``spi_us``: a call of three bytes, WIRE_US included. ``pin_us``: a pin through lgpio.
    ``slower``: how much longer Python takes than on a Pi 4. ``goal``: scans a second.
    """

    name: str
    spi_us: float
    pin_us: float
    slower: float
    goal: int


# spi_us: raspberrypi/linux 6854 (Pi 5: 21 to 24, Pi 3 and 4: 31 to 38), the upper ends; a Zero 2 W
# is a Pi 3 at 1.0 of 1.2 GHz. pin_us: rpi-lgpio issue 2 (Zero 2 W: 40 to 80); the others' in
# proportion of their Python. slower: the maker's words at each launch (a Pi 4 three times a Pi 3, a
# Pi 5 two to three times a Pi 4).
COMPUTERS = (
    Computer("Zero 2 W", 46.0, 80.0, 3.6, 25),
    Computer("Pi 3", 38.0, 67.0, 3.0, 25),
    Computer("Pi 4", 38.0, 22.0, 1.0, 50),
    Computer("Pi 5", 24.0, 11.0, 0.5, 50),
)


Body = tuple[list[float], list[float], float]
"""Where it is (astronomical units), its speed (those a year), its mass (suns times 4 pi^2)."""
Pair = tuple[Body, Body]


def planets() -> list[Body]:
    """The Sun, which takes the others' momentum, Jupiter, Saturn, Uranus and Neptune, as n-body of
    the Computer Language Benchmarks Game begins (benchmarksgame-team.pages.debian.net).
    """
    bodies: list[Body] = [
        ([x, y, z], [u * _YEAR_D, v * _YEAR_D, w * _YEAR_D], mass * _SUN)
        for (x, y, z), (u, v, w), mass in _PLANETS
    ]
    drift = [-sum(body[1][axis] * body[2] for body in bodies) / _SUN for axis in range(3)]
    return [([0.0, 0.0, 0.0], drift, _SUN), *bodies]


def advance(bodies: list[Body], pairs: list[Pair], steps: int, step_years: float = 0.01) -> None:
    """So many steps of that program, which is written as everybody's Python version is."""
    for _ in range(steps):
        for ([x1, y1, z1], v1, m1), ([x2, y2, z2], v2, m2) in pairs:
            dx = x1 - x2
            dy = y1 - y2
            dz = z1 - z2
            pull = step_years * (dx * dx + dy * dy + dz * dz) ** -1.5
            pull1 = m1 * pull
            pull2 = m2 * pull
            v1[0] -= dx * pull2
            v1[1] -= dy * pull2
            v1[2] -= dz * pull2
            v2[0] += dx * pull1
            v2[1] += dy * pull1
            v2[2] += dz * pull1
        for at, [u, v, w], _mass in bodies:
            at[0] += step_years * u
            at[1] += step_years * v
            at[2] += step_years * w


def nbody_step_us() -> float:
    """CPU of one step of the program whose time on a Pi 4 is published: five bodies, ten pairs."""
    bodies = planets()
    pairs = list(combinations(bodies, 2))
    began_s = cpu_s()
    advance(bodies, pairs, STEPS)
    return (cpu_s() - began_s) / STEPS * 1e6


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
        """Milliseconds from the first call to the last."""
        return sum(self.parts_ms)


def budget(computer: Computer, pi4_ms: float) -> Budget:
    """The time budget of plate-10. ``pi4_ms``: the processor's part on a Pi 4."""
    spi_ms, pins_ms = CONVERSIONS * computer.spi_us / 1000, PINS * computer.pin_us / 1000
    parts_ms = (spi_ms, pins_ms, IMU_MS, SEND_MS, pi4_ms * computer.slower)
    period_ms = 1000 / computer.goal
    busy_ms = sum(parts_ms) - CONVERSIONS * WIRE_US / 1000 - IMU_MS
    return Budget(parts_ms, sum(parts_ms) / period_ms, busy_ms / period_ms)


def say_budgets(echo: Callable[[str], None], scans: int = 2000) -> None:
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
