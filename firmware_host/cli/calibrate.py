"""``tiltboard calibrate``: the sensors measured, led by the lights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import CONFIG, PROFILE, STATE
from firmware_host.cli.sim_table import FAULTS, SEED, SIMULATE, idle_table, simulated_table
from firmware_host.cli.speech import as_run, misuse, problem, say
from firmware_host.messages import Catalogue, text

if TYPE_CHECKING:
    from firmware_host.perception.calibration import Calibration
    from firmware_host.profile import Profile
    from firmware_host.setup.advice import Advice
    from firmware_host.setup.calibrate import Calibrator

STUCK_S = 30.0  # a simulated hand that is refused for so long will not be accepted any more


@click.command(name="calibrate", epilog="Example: tiltboard calibrate --sim")
@CONFIG
@PROFILE
@STATE
@SIMULATE
@SEED
@FAULTS
@click.option("--again", metavar="PLACE", help="Measure only this place again; or `edges`.")
@click.option("--fresh", is_flag=True, help="Begin anew rather than go on.")
@click.option(
    "--without",
    metavar="PLACE",
    multiple=True,
    help="Leave out a place whose sensor is broken; may be given several times.",
)
@click.option("--strong-only", is_flag=True, help="The table's pieces are all strong ones.")
def command(
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    seed: int,
    faults: Sequence[str],
    again: str | None,
    fresh: bool,
    without: Sequence[str],
    strong_only: bool,
) -> None:
    """Measure every sensor: follow the lights, and read what stands here.

    First the empty plate; then one strong piece, carried to every place in turn; then pieces of
    each kind; then two edges lifted. It takes four minutes for 100 places. Ctrl-C interrupts it;
    the next run goes on with the same piece. The table must not be running. With --sim a hand
    follows the lights.
    """
    from firmware_host.perception.calibration import write_calibration
    from firmware_host.setup.judging import STRONG_KINDS
    from firmware_host.setup.progress import PROGRESS_NAME, write_progress
    from firmware_host.setup.starting import begin
    from firmware_host.setup.tasks import KINDS
    from firmware_host.state import CALIBRATION_NAME

    if again is not None and without:
        raise misuse(text("--without does not go with --again."))
    table, catalogue, folder = idle_table(config, profile, state, simulated=simulated)
    path = folder / PROGRESS_NAME
    calibrator = begin(
        table,
        folder,
        again=again,
        fresh=fresh,
        without=without,
        kinds=STRONG_KINDS if strong_only else KINDS,
    )
    teller = _Teller(
        calibrator,
        catalogue,
        lambda: write_progress(path, calibrator.progress),
        simulated=simulated,
    )
    if simulated:
        date_s = _on_simulated(table, calibrator, teller, seed, faults)
    else:
        date_s = _on_table(table, calibrator, teller)
    found = calibrator.result(date_s)
    write_calibration(folder / CALIBRATION_NAME, found)
    _account(table, found, catalogue, simulated=simulated)
    kept = folder / CALIBRATION_NAME
    say(text("Kept in {file}. The table uses it from its next start on.", file=kept))


def _account(table: Profile, found: Calibration, catalogue: Catalogue, *, simulated: bool) -> None:
    """The map, what is worth a look, and how the tilt sensor lies."""
    from firmware_host.setup.health import health_map, health_table, worth_a_look
    from firmware_host.setup.mounting import describe

    health = health_map(table, found)
    for line in health_table(table, health, catalogue.translate):
        click.echo(line)
    poor = worth_a_look(table, found)
    for message in poor:
        click.echo(f"! {as_run(catalogue.translate(message), simulated=simulated)}")
    if health and not poor:
        say(text("No place is worth a look."))
    if table.imu is not None:
        click.echo(catalogue.translate(describe(found.lies)))


class _Teller:
    """Prints what is new, and keeps the progress."""

    def __init__(
        self,
        calibrator: Calibrator,
        catalogue: Catalogue,
        save: Callable[[], None],
        *,
        simulated: bool,
    ) -> None:
        self._calibrator = calibrator
        self._catalogue = catalogue
        self._save = save
        self._simulated = simulated
        self._said = ""
        self._refused = ""

    def tell(self, advice: Advice) -> None:
        """One scan's advice."""
        if advice.accepted or advice.done:
            self._save()
        refused = "" if advice.refused is None else self._catalogue.translate(advice.refused)
        said = self._catalogue.translate(advice.say)
        if said != self._said:
            count, total = self._calibrator.remaining, self._calibrator.total
            click.echo(f"[{total - count:>3}/{total}] {said}")
            self._refused = ""
        if refused != self._refused and refused:
            click.echo(f"          {as_run(refused, simulated=self._simulated)}")
            if advice.confirm is not None:
                offer = text("Or press confirm: {what}.", what=advice.confirm)
                click.echo(f"          {self._catalogue.translate(offer)}")
        self._said, self._refused = said, refused


def _on_table(table: Profile, calibrator: Calibrator, teller: _Teller) -> float:
    from drivers.clock import SystemClock
    from firmware_host.assemble import plate_for
    from firmware_host.board_lock import own_board
    from firmware_host.cli.hardware import need_table
    from firmware_host.pacer import Pacer
    from firmware_host.setup.calibration_run import run_calibration

    clock = SystemClock()
    with own_board(table, clock) as buses:
        need_table(table, buses)
        with closing(plate_for(table, buses)) as plate:
            pacer = Pacer(clock, table.scans_per_s)
            run_calibration(calibrator, plate, table, pacer.wait, teller.tell)
    return clock.calendar()


def _on_simulated(
    table: Profile, calibrator: Calibrator, teller: _Teller, seed: int, faults: Sequence[str]
) -> float:
    from firmware_host.assemble import plate_for
    from firmware_host.pacer import Pacer
    from firmware_host.setup.calibration_run import run_calibration
    from hw_sim.calibrating import LightFollower

    with simulated_table(table, seed, faults) as sim:
        plate = plate_for(table, sim.buses)
        hand = LightFollower(sim, seed)
        pacer = Pacer(sim.clock, table.scans_per_s)
        accepted_s = sim.clock.now()

        def tell(advice: Advice) -> None:
            nonlocal accepted_s
            teller.tell(advice)
            if advice.accepted:
                accepted_s = sim.clock.now()
            elif sim.clock.now() > accepted_s + STUCK_S:
                raise problem(text("The simulated hand can do nothing about that."))
            magnet = None if advice.magnet is None else advice.magnet.value
            hand.follow(advice.place, magnet, advice.edge)

        try:
            run_calibration(calibrator, plate, table, pacer.wait, tell)
        finally:
            plate.close()
        return sim.clock.calendar()
