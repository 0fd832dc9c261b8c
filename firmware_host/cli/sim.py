"""``tiltboard sim``: the simulated table with its page, in real time."""

from __future__ import annotations

import sys
from typing import Unpack

import click

from firmware_host.cli.options import TableOptions, table_options
from firmware_host.cli.speech import say
from firmware_host.messages import text


@click.command(name="sim", epilog="Example: tiltboard sim --port 8080")
@table_options
@click.option("--seed", default=1, show_default=True, help="Another table, other hands.")
@click.option(
    "--physics/--no-physics",
    default=None,
    help="Pieces slide, tip and fall, or stay where they are put. Usual: they do where"
    " tiltboard[physics] is installed.",
)
@click.option(
    "--open", "browser", is_flag=True, help="Open the page in a browser, if there is one."
)
def command(
    *, seed: int, physics: bool | None, browser: bool, **asked: Unpack[TableOptions]
) -> None:
    """Play on the simulated table: open the page that it names.

    The games are kept apart from those of a real table, and go on where they stopped.
    """
    from firmware_host.cli.serve import serve, wanted
    from hw_sim.session.live import LiveTable
    from hw_sim.world.world import has_physics, world

    if physics is None:
        physics = has_physics()
        if not physics:
            say(
                text("Pieces do not slide or fall here: tiltboard[physics] is not installed."),
                err=True,
            )
    plan = wanted(asked)
    state = plan.state("sim")
    live = LiveTable(plan.profile, state, plan.settings, seed=seed, world=world(physics=physics))
    sys.exit(serve(live.table, plan, state, browser=browser))
