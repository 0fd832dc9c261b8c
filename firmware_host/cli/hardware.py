"""Provides the table that a command uses. The table is either simulated, with optional faults, or
real; a real table may not be connected.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.cli.cli_output import say, sentence
from tiltboard.firmware_host.cli.options import games_folder
from tiltboard.firmware_host.cli.pi_checks import running_table
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.host.assemble import missing_table
from tiltboard.firmware_host.journal.database import in_use
from tiltboard.firmware_host.messages import nearest, text
from tiltboard.firmware_host.service.notify import beats_every_s, tell
from tiltboard.ground.clock import Clock

if TYPE_CHECKING:
    from tiltboard.hw_sim.table import SimTable


SIMULATE = click.option("--sim", "simulated", is_flag=True, help="Use the simulated table.")
SEED = click.option("--seed", default=1, show_default=True, help="Seed of the simulated table.")
PHYSICS = click.option(
    "--physics", is_flag=True, help="Let pieces slide, tip and fall; needs the extra physics."
)
FAULTS = click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar='"NAME TARGET..."',
    help="Wire the simulated table wrongly, or break it (docs/bring-up.md, docs/scenarios.md).",
)


def idle_table(
    config: Path | None, profile: str | None, state: Path | None, *, simulated: bool
) -> tuple[Profile, Path]:
    """Return the profile and the state folder of the table that this command uses. Raises
    ConfigError. Raises JournalInUseError if the table is already running, because a running table
    uses its parts exclusively.
    """
    settings = load_settings(config)
    table = load_profile(profile or settings.profile)
    folder = games_folder(state, simulated=simulated)
    holder = running_table(folder)
    if holder is not None:
        raise in_use(folder / JOURNAL_NAME, holder)
    return table, folder


@contextmanager
def simulated_table(profile: Profile, seed: int, faults: Sequence[str]) -> Iterator[SimTable]:
    """Provide a simulated table with the given faults. Raises ConfigError if this table cannot have
    one of the faults.
    """
    from tiltboard.hw_sim.errors import FaultError
    from tiltboard.hw_sim.faults import OF_MAGNETS
    from tiltboard.hw_sim.table import SimTable
    from tiltboard.hw_sim.wiring_errors import miswire, miswirings

    with SimTable(profile, seed) as table:
        for fault in faults:
            name, *targets = fault.split() or [""]
            known = {*miswirings(table), *table.faults.names}
            if name not in known:
                raise ConfigError(
                    "This table cannot have the fault {name!r}; {hint}",
                    remedy="docs/bring-up.md says what each fault is.",
                    name=name,
                    hint=nearest(name, known - {*OF_MAGNETS}),
                )
            if name in OF_MAGNETS:
                raise ConfigError(
                    "{name}: no piece stands on the table yet whose magnet could fail.",
                    remedy="Try it where pieces stand: in a scenario, or on the page of"
                    " tiltboard sim.",
                    name=name,
                )
            try:
                miswire(table, name, targets)
            except FaultError as error:
                raise ConfigError(
                    error.template, remedy=error.remedy_template, **error.params
                ) from error
        yield table


# First delay and maximum delay between two attempts (exponential back-off), in seconds.
FIRST_LOOK_S, LAST_LOOK_S = 3.0, 60.0


def need_table(profile: Profile, buses: Buses) -> None:
    """If no part of the table answers, print what is missing and end the command with exit status
    1.
    """
    if lacks(profile, buses):
        say(text("There is no table here? Play on the simulated one: tiltboard sim"), err=True)
        sys.exit(1)


def wait_for_table(
    profile: Profile, buses: Buses, clock: Clock, environ: Mapping[str, str] = os.environ
) -> None:
    """Wait for the table if this process is a systemd service. Otherwise, call ``need_table``.

    The service prints once what is missing, and retries with exponential back-off. Systemd itself
    could do this with RestartSteps= from version 254. Debian Bookworm has version 252, and a new
    process for each attempt would take seconds of CPU time.
    """
    if "NOTIFY_SOCKET" not in environ:
        need_table(profile, buses)
        return
    if not lacks(profile, buses):
        return
    waits = text("It is looked for again and again, at least once a minute.")
    say(waits, err=True)
    manager = environ["NOTIFY_SOCKET"]
    nothing = text("No part of the table answers.")
    tell(manager, "READY=1", f"STATUS={nothing!s} {waits!s}")
    every_s, wait_s = beats_every_s(environ) or LAST_LOOK_S, FIRST_LOOK_S
    while True:
        until_s = clock.now() + wait_s
        while clock.now() < until_s:
            clock.sleep(min(every_s, until_s - clock.now()))
            tell(manager, "WATCHDOG=1")
        if not missing_table(profile, buses):
            return
        wait_s = min(2 * wait_s, LAST_LOOK_S)


def lacks(profile: Profile, buses: Buses) -> bool:
    """Return whether no part of the table answers. In this case, print what is missing."""
    missing = missing_table(profile, buses)
    # If several parts cause the same message, the message is printed only once.
    for line in dict.fromkeys(map(sentence, missing)):
        click.echo(f"tiltboard: {line}", err=True)
    return bool(missing)
