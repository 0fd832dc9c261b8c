"""From the end of a fault to play going on, in virtual time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.commands import NewGame

if TYPE_CHECKING:
    from hw_sim.session import SimSession

TARGETS = {
    "chip-reset": ("imu",),
    "imu-axis-dead": ("z",),
    "sensor-swapped": ("d4", "f2"),
    "sensor-drift": ("f2",),  # an empty place: the reading of a magnet may vary by more
    "button-bounce": ("confirm",),
}
# How long each is left to be noticed; drift takes its time.
LASTS_S = {"sensor-drift": 40.0, "sensor-noisy": 6.0, "sensor-swapped": 4.0}
USUAL_S = 5.0
PATIENCE_S = 60.0


def run(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Each fault that the table can have, once, in the middle of a game: how long until it is
    noticed, and how long after its end until everything is as before.
    """
    from firmware_host.profile import load_profile
    from hw_sim.session import SimSession

    table = load_profile(profile)
    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        names = session.faults.names
    echo(f"{table.name}, seconds in virtual time")
    echo(f"  {'fault':<16} {'noticed after':>13} {'over after':>11}")
    for name in names:
        with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
            noticed_s, over_s = _recovery_s(session, name)
        noticed = "not noticed" if noticed_s is None else f"{noticed_s:.2f}"
        echo(f"  {name:<16} {noticed:>13} {over_s:>11.2f}")


def _recovery_s(session: SimSession, name: str) -> tuple[float | None, float]:
    """When it was noticed after it began, and when all was well after it ended."""
    session.host.do(NewGame(session.host.game.name, session.host.game.options))
    session.run_until(session.clock.now() + 3)
    session.run_until(session.hands.put("red", session.host.overlay.index_of("d4")).end_s + 1)
    by_place = name.startswith(("sensor", "weak"))
    targets = TARGETS.get(name, ("d4",) if by_place else ())
    began_s = session.clock.now()
    session.faults.inject(name, targets)
    if name == "wrong-id":  # the driver asks for it when it opens the chip
        session.faults.inject("chip-reset", ("imu",))
    if name == "disk-full":
        session.hands.put("blue", session.host.overlay.index_of("b2"))
    noticed_s = None
    while session.clock.now() < began_s + LASTS_S.get(name, USUAL_S):
        session.tick()
        if noticed_s is None and not _well(session):
            noticed_s = session.clock.now() - began_s
    session.faults.heal(name, targets)
    healed_s = session.clock.now()
    while not _well(session) and session.clock.now() < healed_s + PATIENCE_S:
        session.tick()
    return noticed_s, session.clock.now() - healed_s


def _well(session: SimSession) -> bool:
    """Nothing is lost or masked, play goes on, and the strip shows what was sent to it."""
    host, profile = session.host, session.profile
    places = sorted(range(profile.size), key=profile.light_of)
    shown = b"".join(bytes(session.table.strip_rgb(index)) for index in places)
    return (
        host.standing.phase == "turn"
        and not host.sight.masked
        and not host.sight.unsure
        and (profile.lights is None or shown == host.plate.shown)
    )
