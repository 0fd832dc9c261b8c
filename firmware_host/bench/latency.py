"""From a piece touching the board to the first light that changes for it, in virtual time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.commands import NewGame

if TYPE_CHECKING:
    from hw_sim.session import SimSession

AVERAGED_SCANS = 4
BUS_S = 0.0055  # HARDWARE, budgets: one scan and one light update
GOAL_S = 0.100
TOLERANCE_MM = 5.0
PATIENCE_S = 2.0


def run(echo: Callable[[str], None], profile: str = "plate-10", touches: int = 300) -> None:
    """Put ``touches`` pieces, each up to 5 mm off centre, and print the distribution."""
    from firmware_host.profile import load_profile
    from hw_sim.rng import Streams
    from hw_sim.session import SimSession

    table = load_profile(profile)
    stream = Streams(1).stream("bench-latency")
    limit_mm = TOLERANCE_MM / 2**0.5
    delays_s: list[float] = []
    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        while len(delays_s) < touches:
            place = stream.choice(_legal(session))
            offset = (stream.uniform(-limit_mm, limit_mm), stream.uniform(-limit_mm, limit_mm))
            delays_s.append(_touch_to_light_s(session, place, offset))
    delays_s.sort()
    limit_s = AVERAGED_SCANS / table.scans_per_s + 2 * BUS_S
    echo(f"{touches} pieces put, up to {TOLERANCE_MM:g} mm off centre, {table.scans_per_s} scans/s")
    for name, share in (("min", 0.0), ("median", 0.5), ("95 %", 0.95), ("max", 1.0)):
        delay_s = delays_s[round(share * (touches - 1))]
        echo(f"  {name:>6}  {delay_s * 1000:6.1f} ms  {delay_s / limit_s:5.2f} of the limit")
    echo(
        f"limit: {AVERAGED_SCANS} scans and twice the bus time of a scan and a light update,"
        f" {limit_s * 1000:.1f} ms; goal: under {GOAL_S * 1000:.0f} ms"
    )


def _legal(session: SimSession) -> tuple[str, ...]:
    """Start a game on an empty plate, wait for the first turn; the legal places."""
    session.hands.clear()
    session.host.do(NewGame("momentum", {"size": 7}))
    deadline_s = session.clock.now() + 10
    session.tick()
    while session.host.standing.phase != "turn" and session.clock.now() < deadline_s:
        session.tick()
    session.run_until(session.clock.now() + 0.5)
    position = session.host.standing.position
    return () if position is None else position.legal()


def _touch_to_light_s(session: SimSession, place: str, offset_mm: tuple[float, float]) -> float:
    """Until the strip has latched the first bytes that show the move, from the touch on."""
    host = session.host
    action = session.hands.put("red", host.overlay.index_of(place), offset_mm)
    before = host.standing.roles
    while session.clock.now() < action.touch_s + PATIENCE_S:
        lights = session.table.lights
        host.step()
        if host.standing.roles != before and session.table.lights != lights:
            return session.table.chain.latched_s - action.touch_s
        session.wait()
    raise TimeoutError(f"the table did not notice a piece on {place} within {PATIENCE_S} s")
