"""The virtual time from the end of a fault until play continues."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.scenario.trace import unlogged
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.momentum.game import MOMENTUM

if TYPE_CHECKING:
    from tiltboard.hw_sim.session import SimSession

TARGETS = {
    "chip-reset": ("imu",),
    "imu-axis-dead": ("z",),
    "sensor-drift": ("e1",),  # an empty place
    "button-bounce": ("confirm",),
}
# A drifting sensor under a piece: the reading of a magnet may vary by more than a zero.
UNDER_A_PIECE = {"sensor-drift": ("d4",)}
# How long each is left to be noticed; drift takes its time.
# What this spoils no table can see, and play goes on.
UNSEEN = ("lights-level",)
LASTS_S = {"sensor-drift": 80.0, "sensor-noisy": 6.0}
USUAL_S = 5.0
BUILT = "sensor-swapped"  # A fault of how a table was built, which has no begin and end.
GAME = "momentum"
MOVES = (("red", "d4"), ("blue", "b2"))  # Rule M1: a drop moves only what lies beside it
NEXT = "b5"
PATIENCE_S = 60.0


def run(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Inject each fault that the table can have once in mid-game, and print how long until it is
    noticed, and how long after its end until everything is as before.
    """
    from tiltboard.firmware_host.config.profile import load_profile
    from tiltboard.hw_sim.session import SimSession

    table = load_profile(profile)
    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        names = [name for name in session.faults.names if name not in (BUILT, *UNSEEN)]
    echo(f"{table.name}, seconds in virtual time")
    echo(f"  {'fault':<20} {'noticed after':>13} {'over after':>11}")
    cases = [(name, name, _targets(name)) for name in names]
    cases += [(f"{name}, taken", name, at) for name, at in UNDER_A_PIECE.items() if name in names]
    for label, name, targets in cases:
        with (
            unlogged(),
            tempfile.TemporaryDirectory() as state,
            SimSession(table, Path(state)) as session,
        ):
            noticed_s, over_s = recovery_s(session, name, targets)
        noticed = "not noticed" if noticed_s is None else f"{noticed_s:.2f}"
        echo(f"  {label:<20} {noticed:>13} {over_s:>11.2f}")


def _targets(name: str) -> tuple[str, ...]:
    by_place = name.startswith(("sensor", "weak"))
    return TARGETS.get(name, ("d4",) if by_place else ())


def recovery_s(
    session: SimSession, name: str, targets: tuple[str, ...] | None = None
) -> tuple[float | None, float]:
    """Seconds until it was noticed after it began, and until all was well after it ended.
    ``targets``: what fails; None: as ``run`` has it.

    d4 is not the last move: a switch that has died there looks like a piece lifted, and the
    position before the last move, standing for 3 s, is a takeback. Raises TimeoutError where it
    never was well again.
    """
    host, hands = session.host, session.hands
    host.do(NewGame(GAME, {**usual_options(MOMENTUM, session.profile), "pie": False}))
    session.run_until(session.clock.now() + 3)
    for piece, place in MOVES:
        session.run_until(hands.put(piece, host.overlay.index_of(place)).end_s + 1)
    if host.standing.phase != "turn" or len(host.sight.cells) != len(MOVES):
        raise RuntimeError(f"{session.profile.name}: the game has not begun as it should")
    targets = _targets(name) if targets is None else targets
    began_s = session.clock.now()
    session.faults.inject(name, targets)
    if name == "wrong-id":  # the driver asks for it when it opens the chip
        session.faults.inject("chip-reset", ("imu",))
    if name == "disk-full":
        hands.put("red", host.overlay.index_of(NEXT))
    noticed_s = None
    while session.clock.now() < began_s + LASTS_S.get(name, USUAL_S):
        session.tick()
        if noticed_s is None and not _well(session):
            noticed_s = session.clock.now() - began_s
    session.faults.heal(name, targets)
    healed_s = session.clock.now()
    while not _well(session):
        if session.clock.now() > healed_s + PATIENCE_S:
            raise TimeoutError(f"{session.profile.name} does not recover from {name}")
        session.tick()
    return noticed_s, session.clock.now() - healed_s


def _well(session: SimSession) -> bool:
    """Return whether no piece is lost, masked or missing, play continues and the lights are lit."""
    host, profile = session.host, session.profile
    places = sorted(range(profile.size), key=profile.light_of)
    # Lit or dark: how bright a light is that winks by itself is a scan late where a node draws it.
    shown = [any(session.table.strip_rgb(index)) for index in places]
    sent = host.plate.shown
    asked = [any(sent[at : at + 3]) for at in range(0, len(sent), 3)]
    return (
        host.standing.phase == "turn"
        and host.standing.position is not None
        and dict(host.sight.cells) == dict(host.standing.position.cells)
        and not host.sight.masked
        and not host.sight.unsure
        and (profile.lights is None or shown == asked)
    )
