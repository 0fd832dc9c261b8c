"""The table that ``--sim`` means, and what ``--fault`` does to it: shared by setup commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import games_folder
from firmware_host.cli.speech import speak
from firmware_host.config.errors import ConfigError

if TYPE_CHECKING:
    from firmware_host.config.profile import Profile
    from firmware_host.messages import Catalogue
    from hw_sim.table import SimTable

SIMULATE = click.option("--sim", "simulated", is_flag=True, help="On the simulated table.")
SEED = click.option("--seed", default=1, show_default=True, help="Another simulated table.")
PHYSICS = click.option(
    "--physics", is_flag=True, help="Pieces slide, tip and fall; needs tiltboard[physics]."
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
) -> tuple[Profile, Catalogue, Path]:
    """The table that is meant, the language to speak, and its folder. Raises ConfigError, and
    JournalInUseError while that table is running: its parts are its own.
    """
    from firmware_host.config.paths import JOURNAL_NAME
    from firmware_host.config.profile import load_profile
    from firmware_host.config.settings import load_settings
    from firmware_host.doctor.machine import running_table
    from firmware_host.journal.database import in_use

    settings = load_settings(config)
    catalogue = speak(settings.language)
    table = load_profile(profile or settings.profile)
    folder = games_folder(state, simulated=simulated)
    holder = running_table(folder)
    if holder is not None:
        raise in_use(folder / JOURNAL_NAME, holder)
    return table, catalogue, folder


@contextmanager
def simulated_table(profile: Profile, seed: int, faults: Sequence[str]) -> Iterator[SimTable]:
    """A table with these faults. Raises ConfigError for one that it cannot have."""
    from hw_sim.errors import FaultError
    from hw_sim.miswiring import miswire
    from hw_sim.table import SimTable

    with SimTable(profile, seed) as table:
        for fault in faults:
            name, *targets = fault.split() or [""]
            try:
                if name in table.faults.names:
                    table.faults.inject(name, targets)
                else:
                    miswire(table, name, targets)
            except FaultError as error:
                raise ConfigError(
                    error.template, remedy=error.remedy_template, **error.params
                ) from error
        yield table
