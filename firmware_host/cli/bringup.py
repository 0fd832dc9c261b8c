"""``tiltboard bringup`` and ``calibrate``: the sweep that proves a table's wiring and measures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from drivers.buses import Buses
from firmware_host.cli.options import CONFIG, PROFILE, STATE
from firmware_host.cli.speech import as_run, misuse, problem, say, words
from firmware_host.cli.tables import FAULTS, SEED, SIMULATE, idle_table, need_table, simulated_table
from firmware_host.commissioning.account import findings
from firmware_host.commissioning.findings import (
    Finding,
    State,
    health_map,
    health_table,
    subject_of,
    worth_a_look,
)
from firmware_host.commissioning.progress import PROGRESS_NAME, Part, Progress, write_progress
from firmware_host.commissioning.sweep import Sweep, begin, check_again, run_sweep
from firmware_host.commissioning.tasks import Choice, Step
from firmware_host.config.locks import own_board
from firmware_host.config.paths import CALIBRATION_NAME
from firmware_host.config.profile import Profile
from firmware_host.host.pacer import Pacer
from firmware_host.messages import Catalogue, Message, text
from firmware_host.perception.calibration import (
    Calibration,
    read_calibration,
    uncalibrated,
    write_calibration,
)
from firmware_host.scenario.person import Console

F = TypeVar("F", bound=Callable[..., Any])

STUCK_S = 60.0  # somebody at the simulated table who is refused for so long will not succeed
LISTED = 6  # answers that are named


def sweep_options(command: F) -> F:
    """What both commands of the sweep take."""
    for option in reversed(
        (
            CONFIG,
            PROFILE,
            STATE,
            SIMULATE,
            SEED,
            FAULTS,
            click.option(
                "--only",
                "--again",
                "again",
                metavar="WHAT",
                help="Only this, or this again: a place, or lights, buttons, edges, places.",
            ),
            click.option("--fresh", is_flag=True, help="Begin anew rather than go on."),
            click.option(
                "--without",
                metavar="PLACE",
                multiple=True,
                help="Leave out a place whose sensor is broken; may be given several times.",
            ),
            click.option("--strong-only", is_flag=True, help="The table has no weak pieces."),
        )
    ):
        command = option(command)
    return command


@click.command(name="bringup", epilog='Example: tiltboard bringup --sim --fault "sensor-dead d4"')
@sweep_options
def command(**options: Any) -> None:
    """Prove a table's wiring and measure its sensors, in one sweep.

    Lights, buttons, two edges lifted, the empty plate; then one strong piece, south down, carried
    over every place; follow the lights, and read what stands here. Enter or the button confirm
    gives the first answer. Ctrl-C interrupts it; the next run goes on, and repeats only what did
    not come out well. The table must not be running. The exit status is 1 if something is to be
    mended. With --sim somebody at the simulated table does and sees everything.
    """
    run(tuple(Part), **options)


def run(
    parts: Sequence[Part],
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
    """A sweep of ``parts``; ends the command with status 1 where something is to be mended."""
    from msgspec.structs import replace

    if again is not None and without:
        raise misuse(text("--without does not go with --again."))
    table, catalogue, folder = idle_table(config, profile, state, simulated=simulated)
    progress = begin(table, folder, parts, again=again, fresh=fresh, practice=faults)
    if strong_only:
        progress = replace(progress, no_weak=True)
    before = None if fresh else read_calibration(folder / CALIBRATION_NAME, table)
    with ExitStack() as until_done:
        at_table = _AtTable(table, progress, before, folder / PROGRESS_NAME, catalogue)
        for place in without:
            at_table.leave_out(place)
        if simulated:
            date_s = at_table.simulated(seed, faults, until_done)
        else:
            date_s = at_table.wired(until_done)
    at_table.finish(folder / CALIBRATION_NAME, date_s, simulated=simulated)


class _AtTable:
    """One sweep, and what is said of it here."""

    def __init__(
        self,
        table: Profile,
        progress: Progress,
        before: Calibration | None,
        path: Path,
        catalogue: Catalogue,
    ) -> None:
        self._table = table
        self._before = before
        self._catalogue = catalogue
        self._said = ""
        self._refused = ""
        self._sweep: Sweep = Sweep(
            table, progress, before=before, keep=lambda known: write_progress(path, known)
        )

    def leave_out(self, place: str) -> None:
        """Raises NotPossibleError."""
        check_again(self._table, place)
        self._sweep.leave_out(self._table.places.index(place))

    def simulated(self, seed: int, faults: Sequence[str], until_done: ExitStack) -> float:
        """Have somebody at the simulated table do the sweep; returns when it was done."""
        from hw_sim.session.maker import Maker

        sim = until_done.enter_context(simulated_table(self._table, seed, faults))
        maker, accepted_s = Maker(sim, seed), sim.clock.now()

        def answer(step: Step) -> str | None:
            nonlocal accepted_s
            if step.accepted:
                accepted_s = sim.clock.now()
            elif sim.clock.now() > accepted_s + STUCK_S:
                raise problem(text("Nobody at the simulated table can do anything about that."))
            return maker.follow(step)

        return self._sweep_with(sim.buses, answer, until_done)

    def wired(self, until_done: ExitStack) -> float:
        """Sweep the table on this machine's buses, asking whoever sits at the terminal."""
        buses = until_done.enter_context(own_board(self._table))
        need_table(self._table, buses)
        console = Console(
            click.echo, self._catalogue, None if sys.stdin.closed else sys.stdin.fileno()
        )

        def answer(step: Step) -> str | None:
            typed = console.reply()
            return None if typed is None else self._answer(step, typed)

        return self._sweep_with(buses, answer, until_done)

    def _sweep_with(
        self, buses: Buses, answer: Callable[[Step], str | None], until_done: ExitStack
    ) -> float:
        """Run the sweep to its end; returns when that was, in seconds since 1970."""
        plate = self._table.plate(buses)
        until_done.callback(plate.close)

        def follow(step: Step) -> str | None:
            self._report(step)
            return answer(step)

        pacer = Pacer(buses.clock, self._table.scans_per_s)
        run_sweep(self._sweep, plate, pacer.wait, follow)
        return buses.clock.calendar()

    def finish(self, kept: Path, date_s: float, *, simulated: bool) -> None:
        """Keep the calibration, and say what was found."""
        sweep, before = self._sweep, self._before
        found = sweep.calibration(date_s)
        new = found is not None and found != (before or uncalibrated(self._table))
        if found is not None and new:
            write_calibration(kept, found)
            self._health(found, simulated=simulated)
        told: list[Finding] = [*sweep.troubles, *findings(self._table, sweep.progress)]
        for each in told:
            plain = each.plain(self._catalogue)
            click.echo(f"{words(subject_of(each.subject))}: {plain['found']}")
            if plain["remedy"]:
                click.echo(f"    -> {as_run(plain['remedy'], simulated=simulated)}")
        if new:
            say(text("Kept in {file}. The table uses it from its next start on.", file=kept))
        if any(each.state is State.PROBLEM for each in told):
            say(text("Mend that, and run the same command again: what went well is not repeated."))
            sys.exit(1)
        say(text("Everything works."))

    def _health(self, found: Calibration, *, simulated: bool) -> None:
        health = health_map(self._table, found)
        for line in health_table(self._table, health, self._catalogue.translate):
            click.echo(line)
        poor = worth_a_look(self._table, found)
        for message in poor:
            click.echo(f"! {as_run(words(message), simulated=simulated)}")
        if health and not poor:
            say(text("No place is worth a look."))

    def _report(self, step: Step) -> None:
        """Print what is new in this step."""
        said = words(step.say)
        refused = "" if step.refused is None else words(step.refused)
        if said != self._said and step.task is not None:
            click.echo(f"[{step.done:>3}/{step.total}] {said}")
        if refused and (refused, said) != (self._refused, self._said):
            click.echo(f"          {refused}")
        if (said, refused) != (self._said, self._refused) and step.choices:
            click.echo(f"          {words(_offer(step.choices))}")
        self._said, self._refused = said, refused

    def _answer(self, step: Step, typed: str) -> str | None:
        """What was typed, as one of the choices; Enter is the first."""
        known = {choice.value: choice.value for choice in step.choices}
        known |= {str(number): value for number, value in enumerate(known, 1)}
        if typed in known or (not typed and known):
            return known[typed] if typed else step.choices[0].value
        if step.choices:
            click.echo(f"          {words(_offer(step.choices))}")
        return None


def _offer(choices: Iterable[Choice]) -> Message:
    listed = [f"{choice.value} ({words(choice.label)})" for choice in choices][:LISTED]
    return text(
        "Enter, or the button confirm, gives the first of: {answers}", answers=", ".join(listed)
    )


@click.command(name="calibrate", epilog="Example: tiltboard calibrate --sim")
@sweep_options
def calibrate(**options: Any) -> None:
    """Measure every sensor: `tiltboard bringup` from the empty plate on.

    First the empty plate; then one strong piece, south down, carried to every place in turn; then,
    where the table has some, a weak one. Everything else is as with `tiltboard bringup`.
    """
    run((Part.PLACES,), **options)
