"""The table that ``--sim`` means, and what ``--fault`` does to it: shared by setup commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from firmware_host.errors import ConfigError

if TYPE_CHECKING:
    from firmware_host.profile import Profile
    from hw_sim.table import SimTable

SIMULATE = click.option("--sim", "simulated", is_flag=True, help="On the simulated table.")
SEED = click.option("--seed", default=1, show_default=True, help="Another simulated table.")
FAULTS = click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar='"NAME TARGET..."',
    help="Wire the simulated table wrongly, or break it (docs/bring-up.md, docs/scenarios.md).",
)


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
                raise ConfigError(str(error)) from error
        yield table
