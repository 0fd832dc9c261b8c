"""``tiltboard bringup``: a new table tried part by part."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import CONFIG, PROFILE, STATE
from firmware_host.cli.sim_table import FAULTS, SEED, SIMULATE, idle_table, simulated_table
from firmware_host.cli.speech import as_run, say, words
from firmware_host.messages import text

if TYPE_CHECKING:
    from drivers.buses import Buses
    from firmware_host.messages import Catalogue, Message
    from firmware_host.profile import Profile
    from firmware_host.setup.answers import Answers
    from firmware_host.setup.bringup import Person
    from firmware_host.setup.mounting import Edge


@click.command(name="bringup", epilog='Example: tiltboard bringup --sim --fault "sensor-dead d4"')
@CONFIG
@PROFILE
@STATE
@SIMULATE
@SEED
@FAULTS
@click.option("--fresh", is_flag=True, help="Begin anew rather than go on.")
def command(
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    seed: int,
    faults: Sequence[str],
    fresh: bool,
) -> None:
    """Try a new table: one bus, one light, one sensor at a time.

    You need one strong piece with its south pole down. Follow what is said here and where the
    lights are. Ctrl-C interrupts it; the next run repeats only what did not go well. The table must
    not be running. The exit status is 1 if something is to be mended. With --sim somebody at the
    simulated table does and sees everything.
    """
    from firmware_host.setup.answers import BRINGUP_NAME, FORMAT, Answers, read_answers

    table, catalogue, folder = idle_table(config, profile, state, simulated=simulated)
    path = folder / BRINGUP_NAME
    answers = Answers(FORMAT, table.name) if fresh else read_answers(path, table, faults)
    if simulated:
        from hw_sim.bringing_up import SimPerson

        with simulated_table(table, seed, faults) as sim:
            person = SimPerson(sim, seed, lambda said: click.echo(catalogue.translate(said)))
            problems = _run(table, sim.buses, person, answers, path=path, catalogue=catalogue)
    else:
        from firmware_host.board_lock import own_board

        with own_board(table) as buses:
            terminal = _Terminal(table, catalogue)
            problems = _run(table, buses, terminal, answers, path=path, catalogue=catalogue)
    if problems:
        say(text("Mend that, and run the same command again: what went well is not repeated."))
        sys.exit(1)
    works = words(text("Everything works. Next: tiltboard calibrate"))
    click.echo(as_run(works, simulated=simulated))


def _run(
    table: Profile,
    buses: Buses,
    person: Person,
    answers: Answers,
    *,
    path: Path,
    catalogue: Catalogue,
) -> int:
    """How many problems were found."""
    import msgspec

    from firmware_host.assemble import plate_for
    from firmware_host.pacer import Pacer
    from firmware_host.setup.bringup import Bringup
    from firmware_host.setup.findings import subject_of
    from firmware_host.state import write_durably

    plate = plate_for(table, buses)
    pacer = Pacer(buses.clock, table.scans_per_s)

    def save(kept: Answers) -> None:
        write_durably(path, msgspec.json.encode(kept))

    problems = 0
    try:
        for found in Bringup(table, plate, person, answers, wait=pacer.wait, save=save).run():
            plain = found.plain(catalogue)
            problems += plain["state"] == "problem"
            subject = catalogue.translate(subject_of(plain["subject"]))
            click.echo(f"{subject}: {plain['found']}")
            if plain["remedy"]:
                click.echo(f"    -> {plain['remedy']}")
    finally:
        plate.close()
    return problems


class _Terminal:
    """Whoever reads and types here (setup.bringup.Person)."""

    def __init__(self, table: Profile, catalogue: Catalogue) -> None:
        self._places = table.places
        self._catalogue = catalogue

    def tell(self, message: Message) -> None:
        """Print it."""
        click.echo(self._catalogue.translate(message))

    def clear(self) -> None:
        """Ask for the empty, level plate."""
        click.pause(
            words(text("Take everything off the plate, level it, let go; then press a key."))
        )

    def bring(self, place: int) -> None:
        """Say where the piece goes; the sensors tell when it is there."""
        say(
            text(
                "Put the strong piece, south down, on the middle of {place}.",
                place=self._places[place],
            )
        )

    def lift(self, edge: Edge) -> None:
        """Which edge has been said."""

    def press(self, button: str) -> None:
        """Say which."""
        say(text("Press {button} for a second, and let go.", button=button))

    def which_light(self, place: int) -> str:
        """Ask what is lit."""
        known = [*self._places, "none"]
        return str(
            click.prompt(
                words(text("Which place is lit (none: no light)")),
                default=self._places[place],
                type=click.Choice(known, case_sensitive=False),
                show_choices=False,
            )
        )

    def which_colour(self, colour: str) -> str:
        """Ask what colour it has."""
        from firmware_host.setup.bringup import ALL_COLOURS

        return str(
            click.prompt(
                words(text("Colour of the light on {place}", place=self._places[0])),
                default=colour,
                type=click.Choice(ALL_COLOURS),
            )
        )

    def is_there(self, place: int) -> bool:
        """Ask, where nothing reacts."""
        stands = text("Nothing reacts. Does the piece stand on {place}?", place=self._places[place])
        return click.confirm(words(stands))

    def hears(self) -> bool:
        """Ask."""
        return click.confirm(words(text("Do you hear the buzzer?")), default=True)
