"""From a piece touching the board to the first light that changes for it, in virtual time.

On a table without lights: to the host's new standing, which the page shows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.wiring import NodeHall
from firmware_host.host.playing import usual_options
from firmware_host.table.commands import NewGame
from games.momentum import MOMENTUM

if TYPE_CHECKING:
    from hw_sim.session import SimSession

AVERAGED_SCANS = 4
BUS_S = 0.0055  # HARDWARE, budgets: one scan and one light update
GOAL_WIRED_S, GOAL_NODE_S = 0.100, 0.060
TOLERANCE_MM = 5.0
PATIENCE_S = 2.0
SHARES = (("min", 0.0), ("median", 0.5), ("95 %", 0.95), ("max", 1.0))


def run(echo: Callable[[str], None], profile: str = "plate-10", touches: int = 300) -> None:
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
    from hw_sim.rng import Streams
    from hw_sim.session import SimSession

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
    session.hands.clear()
    session.host.do(NewGame("momentum", usual_options(MOMENTUM, session.profile.capabilities)))
    deadline_s = session.clock.now() + 10
    session.tick()
    while session.host.standing.phase != "turn" and session.clock.now() < deadline_s:
        session.tick()
    session.run_until(session.clock.now() + 0.5)
    position = session.host.standing.position
    return () if position is None else position.legal()


def _touch_to_light_s(session: SimSession, place: str, offset_mm: tuple[float, float]) -> float:
    """Until the strip has latched the first bytes that show the move, from the touch on."""
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
