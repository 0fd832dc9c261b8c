"""Measures the virtual time from the end of a fault until play continues."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import cast

from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.scenario.trace import without_logging
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.session import SimSession
from tiltboard.testing import ExpectationError, GameTable

TARGETS = {
    "chip-reset": ("imu",),
    "imu-axis-dead": ("z",),
    "sensor-drift": ("e1",),  # The place e1 has no piece, so this drift affects an empty place.
    "button-bounce": ("confirm",),
}
# A drift is also measured under a piece, because a sensor's reading varies more with a magnet than
# without a magnet.
UNDER_A_PIECE = {"sensor-drift": ("d4",)}
# Faults that are not measured, because the table cannot notice them.
UNSEEN = ("lights-level",)
# Duration of each fault in seconds. A drift takes time to become noticeable.
LASTS_S = {"sensor-drift": 80.0, "sensor-noisy": 6.0}
USUAL_S = 5.0
# A fault in how a table was built, which does not start or end during a game.
BUILT = "sensor-swapped"
GAME = "momentum"
# The places are not neighbours, so the second drop moves no piece (rule M1).
MOVES = (("red", "d4"), ("blue", "b2"))
NEXT = "b5"
PATIENCE_S = 60.0


def run(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Inject each possible fault once during a game. Print the time until the table notices the
    fault, and the time from the end of the fault until the table has recovered.
    """
    with GameTable(profile) as table:
        faults = cast(SimSession, table.session).faults.names
        names = [name for name in faults if name not in (BUILT, *UNSEEN)]
    echo(Measured("{profile}, seconds in virtual time", profile=table.profile.name))
    echo(f"  {'fault':<20} {'noticed after':>13} {'over after':>11}")
    cases: list[tuple[str, str, tuple[str, ...] | None]] = [(name, name, None) for name in names]
    cases += [(f"{name}, taken", name, at) for name, at in UNDER_A_PIECE.items() if name in names]
    for label, name, targets in cases:
        with without_logging(), GameTable(profile) as table:
            noticed_s, over_s = recovery_s(table, name, targets)
        noticed = Measured("not noticed")
        if noticed_s is not None:
            noticed = Measured("{noticed_s:.2f}", noticed_s=noticed_s)
        echo(
            Measured(
                "  {fault:<20} {noticed:>13} {over_s:>11.2f}",
                fault=label,
                noticed=noticed,
                over_s=over_s,
            )
        )


def _targets(table: GameTable, name: str) -> tuple[str, ...]:
    """Return the default targets of a fault. The default target is the place d4, which holds a
    piece. If d4 is not possible, the default is the first possible target.
    """
    each = cast(SimSession, table.session).faults.targets_of(name)
    return TARGETS.get(name, tuple("d4" if "d4" in some else some[0] for some in each))


def recovery_s(
    table: GameTable, name: str, targets: tuple[str, ...] | None = None
) -> tuple[float | None, float]:
    """Return two times in seconds. The first time is from the start of a fault until the table
    notices the fault, or None if the table does not notice the fault. The second time is from the
    end of the fault until the table has recovered.

    ``targets``: the faulty parts or places, or None for the default targets of ``run``. Raises
    ExpectationError if the table does not recover.

    The default place d4 is not the place of the last move. If the switch at the last move's place
    failed, the fault would look like a lifted piece. The sensors would then show the position
    before the last move, and the table would accept an undo after 3 s.
    """
    table.game(GAME, **{**usual_options(MOMENTUM, table.profile), "pie": False})
    for piece, place in MOVES:
        table.put(piece, place).advance(1)
    table.expect("phase turn").expect(f"cells {' '.join(f'{at}={of}' for of, at in MOVES)}")
    noticed_s, began_s = None, table.clock.now()
    with table.fault(name, *(_targets(table, name) if targets is None else targets)):
        # The driver reads the id only when it opens the chip, so reset the chip.
        if name == "wrong-id":
            table.do("fault chip-reset imu")
        if name == "disk-full":
            table.do(f"meanwhile put red {NEXT}")
        lasts_s = LASTS_S.get(name, USUAL_S)
        with suppress(ExpectationError):
            table.until(lambda table: not _well(table), within=lasts_s)
            noticed_s = table.clock.now() - began_s
        table.advance(max(0.0, began_s + lasts_s - table.clock.now()))
    healed_s = table.clock.now()
    table.until(_well, within=PATIENCE_S)
    return noticed_s, table.clock.now() - healed_s


def _well(table: GameTable) -> bool:
    """Return whether the table has recovered: no piece is lost, masked or missing, play continues,
    and the lights are lit.
    """
    host, profile, session = table.host, table.profile, cast(SimSession, table.session)
    places = sorted(range(profile.size), key=profile.light_of)
    # Compare only whether each light is lit. On a node, the brightness of a blinking light is
    # delayed by one scan.
    shown = [any(session.table.strip_rgb(index)) for index in places]
    sent = host.plate.shown
    asked = [any(sent[at : at + 3]) for at in range(0, len(sent), 3)]
    return (
        table.phase == "turn"
        and host.status.position is not None
        and table.cells == dict(host.status.position.cells)
        and not host.sight.faulty
        and not host.sight.unsure
        and (profile.lights is None or shown == asked)
    )
