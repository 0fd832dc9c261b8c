"""Measures the table's delay and CPU time for ``tiltboard bench``."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.wiring import DualSwitchHall, MuxAdcHall, NodeHall
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.base import Game
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.boards import HallBoard
from tiltboard.hw_sim.buses.i2c import I2cBus
from tiltboard.hw_sim.buses.spi import SpiPort
from tiltboard.hw_sim.chips.cd74hc4067 import AddressBus
from tiltboard.hw_sim.rng import Stream, Streams
from tiltboard.hw_sim.session.session import SimSession

# The delay is measured in virtual time, from the touch of a piece to the first light that changes.
# At a table without lights the delay ends when the state that the page shows changes.

AVERAGED_SCANS = 4
BUS_S = 0.0055  # Bus time in seconds of one scan and one light update (docs/benchmarks.md).
GOAL_WIRED_S, GOAL_NODE_S = 0.100, 0.060
TOLERANCE_MM = 5.0
PATIENCE_S = 2.0
SHARES = (("min", 0.0), ("median", 0.5), ("95 %", 0.95), ("max", 1.0))
DELAYS_MS = ("min_ms", "median_ms", "in_95_percent_ms", "max_ms")  # Names of the reported delays.


def say_latency(echo: Callable[[str], None], profile: str = "plate-10", touches: int = 300) -> None:
    """Put ``touches`` pieces on the plate, each up to 5 mm off centre, and print the distribution
    of the delays.
    """
    table = load_profile(profile)
    delays_s = measured_s(table, touches)
    most_s = limit_s(table)
    goal_s = GOAL_NODE_S if isinstance(table.hall, NodeHall) else GOAL_WIRED_S
    echo(
        Measured(
            "{pieces} pieces put, up to {off_mm:g} mm off centre, {scans_per_s} scans/s",
            pieces=touches,
            off_mm=TOLERANCE_MM,
            scans_per_s=table.scans_per_s,
        )
    )
    if table.lights is None:
        echo("  no lights: until the standing changes, which the page shows")
    for name, share in SHARES:
        delay_s = at_share(delays_s, share)
        echo(
            Measured(
                "  {share:>6}  {delay_ms:6.1f} ms  {of_limit:5.2f} of the limit",
                share=name,
                delay_ms=delay_s * 1000,
                of_limit=delay_s / most_s,
            )
        )
    if delays_s[0] < 0:
        echo("  below 0: the switch closed while the piece was still coming down")
    echo(
        Measured(
            "limit: {scans} scans and twice the bus time of a scan and a light update,"
            " {limit_ms:.1f} ms; goal: under {goal_ms:.0f} ms",
            scans=AVERAGED_SCANS,
            limit_ms=most_s * 1000,
            goal_ms=goal_s * 1000,
        )
    )


def measured_s(table: Profile, touches: int) -> list[float]:
    """Return the delays in s that ``touches`` pieces cause, in ascending order."""
    stream = Streams(1).stream("bench-latency")
    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        return sorted(_touch_to_light_s(session, stream) for _ in range(touches))


def limit_s(table: Profile) -> float:
    """Return the maximum delay in s that can be explained by averaging and bus times
    (docs/benchmarks.md).
    """
    return AVERAGED_SCANS / table.scans_per_s + 2 * BUS_S


def at_share(delays_s: list[float], share: float) -> float:
    """Return the delay that is not exceeded by a fraction ``share`` (0 to 1) of the sorted
    ``delays_s``.
    """
    return delays_s[round(share * (len(delays_s) - 1))]


def _touch_to_light_s(session: SimSession, stream: Stream) -> float:
    """Return the delay in s of a game's first move on an empty plate.

    The delay lasts from the touch of the piece until the strip has latched the first bytes that
    show the move. Raises TimeoutError if the table does not detect the move.
    """
    host, table = session.host, session.table
    session.hands.set_up({})
    host.do(NewGame("momentum", usual_options(MOMENTUM, session.profile)))
    deadline_s = session.clock.now() + 10
    session.tick()
    while host.status.phase != "turn" and session.clock.now() < deadline_s:
        session.tick()
    session.run_until(session.clock.now() + 0.5)
    place = stream.choice(host.status.position.legal() if host.status.position else ())
    most_mm = TOLERANCE_MM / 2**0.5
    offset_mm = (stream.uniform(-most_mm, most_mm), stream.uniform(-most_mm, most_mm))
    action = session.hands.put("red", host.overlay.index_of(place), offset_mm)
    before = host.status.roles
    while session.clock.now() < action.touch_s + PATIENCE_S:
        lights = table.lights
        host.step()
        if host.status.roles != before:
            if session.profile.lights is None:
                return session.clock.now() - action.touch_s
            if table.lights != lights:
                return table.chain.latched_s - action.touch_s
        session.wait()
    raise TimeoutError(f"the table did not notice a piece on {place} within {PATIENCE_S} s")


# The following functions measure the CPU time of one scan, from the drivers to the lights.

GOAL_SCAN_MS = 0.5
TURNS = 10
RECORDED_SCANS = 60  # Number of scans to record. After that, the chips repeat the recording.


def say_scan(echo: Callable[[str], None], profile: str = "plate-10", scans: int = 3000) -> None:
    """Print the CPU time of one scan in the middle of a game, with the simulated chips and without
    them.
    """
    pieces, whole, frozen = scan_cpu_ms(profile, scans)
    echo(
        Measured(
            "CPU per scan, {pieces} pieces standing, {scans} scans ({profile})",
            pieces=pieces,
            scans=scans,
            profile=profile,
        )
    )
    echo(
        Measured(
            "  drivers to lights, with the simulated chips and world:  {simulated_ms:.3f} ms",
            simulated_ms=whole,
        )
    )
    if frozen is None:
        echo("  without them: not applicable, no chip of this table is on SPI or I2C here")
        return
    echo(
        Measured(
            "  without them, chips answering from a recording:         {alone_ms:.3f} ms",
            alone_ms=frozen,
        )
    )
    echo(
        Measured(
            "  goal: at most {goal_ms} ms without the simulation ({of_goal:.2f})",
            goal_ms=GOAL_SCAN_MS,
            of_goal=frozen / GOAL_SCAN_MS,
        )
    )


def scan_cpu_ms(profile: str, scans: int) -> tuple[int, float, float | None]:
    """Return the number of pieces, and the CPU time of a host step in ms with and without the
    simulated chips.

    The last value is None if a recording cannot replace the chips. This is the case for single pins
    and for a plate with its own controller.
    """
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        pieces = play_quietly(session)
        whole = cpu_per_step_ms(session, scans)
        if not isinstance(session.profile.hall, MuxAdcHall | DualSwitchHall):
            return pieces, whole, None
        freeze(session)
        return pieces, whole, cpu_per_step_ms(session, scans)


def session_of(profile: str, state: Path) -> SimSession:
    """Return a simulated table with its host, which keeps its files in ``state``."""
    return SimSession(load_profile(profile), state)


def play_quietly(session: SimSession) -> int:
    """Play at most ``TURNS`` turns in which only the new piece moves. Return their number."""
    while session.host.status.phase != "turn":
        session.tick()
    turns = quiet_turns(session.host.game, TURNS)
    for piece, place in turns:
        action = session.hands.put(piece, session.host.overlay.index_of(place))
        session.run_until(action.end_s + 0.2)
    return len(turns)


def quiet_turns(game: Game, most: int) -> list[tuple[str, str]]:
    """Return the piece and place of at most ``most`` drops that move no other piece and do not end
    the game.
    """
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


def cpu_per_step_ms(session: SimSession, scans: int) -> float:
    """Return the mean CPU time of a host step over ``scans`` steps, in ms."""
    used = 0.0
    for _ in range(scans):
        begun = cpu_s()
        session.host.step()
        used += cpu_s() - begun
        session.wait()
    return used / scans * 1000


class Recorded:
    """Records the answers of a bus's ``transfer``. Once ``frozen`` is set, repeats these answers in
    turn.

    ``address``: address lines of multiplexers. Answers are recorded separately for each address.
    """

    def __init__(self, transfer: Callable[..., Any], address: AddressBus | None = None) -> None:
        self._transfer = transfer
        self._address = address
        self._answers: dict[Hashable, deque[Any]] = {}
        self.frozen = False

    def __call__(self, sent: Sequence[Any], *how: int) -> Any:
        """Transfer data as SpiPort and I2cBus do, or return an answer from the recording."""
        key = self._address and self._address.address, tuple(sent)
        answers = self._answers.setdefault(key, deque())
        if self.frozen and answers:
            answers.rotate(-1)
        else:
            answers.append(self._transfer(sent, *how))
        return answers[-1]


def freeze(session: SimSession) -> None:
    """Make every converter and I2C chip of the table repeat its answers of the last scans."""
    table = session.table
    selected = table.hall_board.address if isinstance(table.hall_board, HallBoard) else None
    # The strip is disconnected, so that the measured time does not include decoding its bits.
    table.buses.light_port.silent = 0
    recorded: list[Recorded] = []
    buses: list[SpiPort | I2cBus] = [*table.buses.spi_ports.values()]
    for bus in [*buses, *table.buses.i2c_buses.values()]:
        address = selected if isinstance(bus, SpiPort) else None
        recorded.append(Recorded(bus.transfer, address))
        vars(bus)["transfer"] = recorded[-1]
    for _ in range(RECORDED_SCANS):
        session.tick()
    for each in recorded:
        each.frozen = True
