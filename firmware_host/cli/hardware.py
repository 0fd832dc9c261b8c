"""What commands do where the table that they are for is not there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from firmware_host.cli.speech import say, sentence
from firmware_host.messages import text

if TYPE_CHECKING:
    from drivers.buses import Buses
    from firmware_host.config.profile import Profile


def need_table(profile: Profile, buses: Buses) -> None:
    """End the command with status 1 where no part of the table answers, and say what is missing."""
    from firmware_host.host.assemble import missing_table

    missing = missing_table(profile, buses)
    if not missing:
        return
    for each in missing:
        click.echo(f"tiltboard: {sentence(each)}", err=True)
    say(text("There is no table here? Play on the simulated one: tiltboard sim"), err=True)
    sys.exit(1)
