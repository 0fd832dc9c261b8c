"""``tiltboard bringup``: runs the sweep, which checks the wiring of a new table and measures its
sensors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.cli.cli_output import (
    RESULTS_AS_JSON,
    as_run,
    is_json_wanted,
    keyboard,
    problem,
    say,
)
from tiltboard.firmware_host.cli.hardware import (
    FAULTS,
    SEED,
    SIMULATE,
    idle_table,
    need_table,
    simulated_table,
)
from tiltboard.firmware_host.cli.options import CONFIG, PROFILE, STATE
from tiltboard.firmware_host.cli.pi_checks import record_run, this_machine
from tiltboard.firmware_host.commissioning.findings import (
    Finding,
    FindingState,
    health_map,
    health_table,
    subject_of,
    worth_a_look,
)
from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, SweepPart, write_progress
from tiltboard.firmware_host.commissioning.results import findings
from tiltboard.firmware_host.commissioning.sweep import Sweep, begin, run_sweep
from tiltboard.firmware_host.commissioning.tasks import SweepStep, TaskChoice
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.files import CALIBRATION_NAME
from tiltboard.firmware_host.config.pi_board import own_board
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.perception.calibration import (
    Calibration,
    assumed_calibration,
    read_calibration,
    write_calibration,
)
from tiltboard.firmware_host.scenario.by_hand import Console
from tiltboard.ground.clock import SystemClock

if TYPE_CHECKING:
    from tiltboard.hw_sim.table import SimTable

STUCK_S = 60.0  # A simulated user gives up if there is no progress for this many seconds.


AGAIN = click.option(
    "--only",
    "--again",
    "again",
    metavar="WHAT",
    help="Check this again, and nothing else: a place, or lights, buttons, edges, places.",
)
FRESH = click.option(
    "--fresh", is_flag=True, help="Start from the beginning instead of continuing."
)


@click.command(name="bringup", epilog='Example: tiltboard bringup --sim --fault "sensor-dead d4"')
@click.option(
    "--from",
    "first",
    type=click.Choice([part.value for part in SweepPart]),
    default=SweepPart.LIGHTS.value,
    help="Begin with this part; `places` measures the sensors alone.",
)
@CONFIG
@PROFILE
@STATE
@SIMULATE
@SEED
@FAULTS
@AGAIN
@FRESH
@RESULTS_AS_JSON
def command(*, first: str, **options: Any) -> None:
    """Prove a table's wiring and measure its sensors, in one sweep.

    The sweep checks the lights, the buttons and, with two lifted edges, the tilt sensor. It
    measures the empty plate, and then one strong piece, south pole down, on every place. Follow the
    lights and the instructions in the terminal. Enter or the confirm button gives the first answer.

    Ctrl-C interrupts the sweep. The next run continues and repeats only what failed. The table must
    not be running. The exit status is 1 if something must be repaired. With --sim, a simulated
    person carries out all steps.
    """
    parts = list(SweepPart)
    run(parts[parts.index(SweepPart(first)) :], **options)


def run(
    parts: Sequence[SweepPart],
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    seed: int,
    faults: Sequence[str],
    again: str | None,
    fresh: bool,
) -> None:
    """Run the sweep for ``parts``. Ends the command with status 1 if something must be repaired."""
    table, folder = idle_table(config, profile, state, simulated=simulated)
    progress = begin(table, folder, parts, again=again, fresh=fresh, practice=faults)
    before = None if fresh else read_calibration(folder / CALIBRATION_NAME, table)
    kept = folder / PROGRESS_NAME
    sweep = Sweep(table, progress, before=before, keep=lambda known: write_progress(kept, known))
    with ExitStack() as until_done:
        if simulated:
            sim = until_done.enter_context(simulated_table(table, seed, faults))
            buses: Buses = sim.buses
            answer = _by_maker(sim, seed)
        else:
            buses = until_done.enter_context(own_board(table.needs()))
            need_table(table, buses)
            answer = _by_whoever_types()
        plate = build_plate(table, buses)
        until_done.callback(plate.close)
        wait = Pacer(buses.clock, table.scans_per_s).wait
        try:
            run_sweep(sweep, plate, wait, _print_news(answer))
        except KeyboardInterrupt as stopped:
            # After Ctrl-C, the terminal shows ^C on the current line, so start a new line.
            click.echo(err=True)
            say(text("Finished steps are kept; the next run continues after them."), err=True)
            raise click.Abort from stopped
        found = sweep.calibration(buses.clock.calendar())
    new = None if found == (before or assumed_calibration(table)) else found
    if new is not None:
        write_calibration(folder / CALIBRATION_NAME, new)
        _print_measured(table, new, simulated=simulated)
    # With ``--only``, the parts that were not selected are not evaluated.
    judged = tuple(SweepPart) if again is None else progress.wanted
    reported: list[Finding] = [*sweep.troubles, *findings(table, sweep.progress, judged)]
    for each in reported:
        _print_finding(each, simulated=simulated)
    if new is not None:
        file = folder / CALIBRATION_NAME
        say(text("Kept in {file}. The table uses it from its next start on.", file=file))
    wrong = sum(each.state is FindingState.PROBLEM for each in reported)
    if not simulated:
        outcome = f"{wrong} to be mended" if wrong else "everything works"
        what = again or ", ".join(parts)
        machine = this_machine(SystemClock(), for_service=True)
        record_run(folder, machine, table, f"bringup of {what}: {outcome}")
    if wrong:
        say(text("Fix this and run the same command again; it skips the steps that passed."))
        sys.exit(1)
    say(text("Everything works."))


def _print_finding(finding: Finding, *, simulated: bool) -> None:
    """Print a finding and its remedy, as JSON in the form that ``tiltboard doctor`` has."""
    plain = finding.plain()
    plain["remedy"] = plain["remedy"] and as_run(plain["remedy"], simulated=simulated)
    if is_json_wanted():
        click.echo(json.dumps(plain))
        return
    click.echo(f"{subject_of(finding.subject)!s}: {plain['found']}")
    if plain["remedy"]:
        click.echo(f"    -> {plain['remedy']}")


def _print_measured(table: Profile, new: Calibration, *, simulated: bool) -> None:
    """Print the map of the sensors, and list the places that need attention."""
    health, poor = health_map(table, new), worth_a_look(table, new)
    if is_json_wanted() and health:
        for each in health:
            remedy = each.remedy and as_run(str(each.remedy), simulated=simulated)
            click.echo(json.dumps({**asdict(each), "remedy": remedy}))
        return
    for line in health_table(table, health, str):
        click.echo(line)
    for message in poor:
        remedy = as_run(str(message), simulated=simulated)
        click.echo(json.dumps({"remedy": remedy}) if is_json_wanted() else f"! {remedy}")
    if health and not poor:
        say(text("No place is worth a look."))
    elif all(new.zeroed) and not poor:
        say(text("Every place answers to both poles."))


Answering = Callable[[SweepStep], str | None]


def _by_maker(sim: SimTable, seed: int) -> Answering:
    """Return a function that answers each step of the sweep as a simulated user at the simulated
    table.
    """
    from tiltboard.hw_sim.session.simulated_builder import Maker

    maker, accepted_s = Maker(sim, seed), sim.clock.now()

    def answer(step: SweepStep) -> str | None:
        nonlocal accepted_s
        if step.accepted:
            accepted_s = sim.clock.now()
        elif sim.clock.now() > accepted_s + STUCK_S:
            raise problem(text("Nobody at the simulated table can do anything about that."))
        return maker.follow(step)

    return answer


def _by_whoever_types() -> Answering:
    """Return a function that answers each step with the user's input at the terminal. The Enter key
    selects the first choice.
    """
    console = Console(_prompt, keyboard())

    def answer(step: SweepStep) -> str | None:
        typed = console.reply()
        if typed is None or not step.choices:
            return None
        values = [choice.value for choice in step.choices]
        if not typed:
            return values[0]
        if typed in values:
            return typed
        if typed in map(str, range(1, len(values) + 1)):
            return values[int(typed) - 1]
        _print_offer(step.choices)
        return None

    return answer


def _print_news(answer: Answering) -> Answering:
    """Return a function that prints what has changed in a step, and then calls ``answer``."""
    before = "", ""

    def follow(step: SweepStep) -> str | None:
        nonlocal before
        said, refused = str(step.say), "" if step.refused is None else str(step.refused)
        if said != before[0] and step.task is not None:
            _prompt(f"[{step.done:>3}/{step.total}] {said}")
        if (said, refused) != before:
            if refused:
                _prompt(f"          {refused}")
            if step.choices:
                _print_offer(step.choices)
        before = said, refused
        return answer(step)

    return follow


def _print_offer(choices: Iterable[TaskChoice]) -> None:
    listed = [f"{choice.value} ({choice.label!s})" for choice in choices]
    offer = text(
        "Enter, or the button confirm, gives the first of: {answers}", answers=", ".join(listed)
    )
    _prompt(f"          {offer!s}")


def _prompt(line: str) -> None:
    """Print a line for the person at the table, on standard error if the results are JSON."""
    click.echo(line, err=is_json_wanted())
