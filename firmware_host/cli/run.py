"""``tiltboard run``: the physical table and its page."""

from __future__ import annotations

import sys
from typing import Unpack

import click

from firmware_host.cli.options import TableOptions, table_options


@click.command(name="run", epilog="Example: tiltboard run --profile plate-10")
@table_options
def command(**asked: Unpack[TableOptions]) -> None:
    """Run the table that is wired to this machine, and its page.

    Where there is no hardware it says what is missing, and how to simulate.
    """
    from drivers.clock import SystemClock
    from firmware_host.cli.hardware import wait_for_table
    from firmware_host.cli.serve import serve, wanted
    from firmware_host.config.locks import own_board
    from firmware_host.host.assemble import open_host
    from firmware_host.service.pacer import AdaptivePacer
    from firmware_host.service.supply import SupplyWatch
    from firmware_host.service.table import Table

    plan = wanted(asked)
    clock = SystemClock()
    with own_board(plan.profile, clock) as buses:
        wait_for_table(plan.profile, buses, clock)
        state = plan.state()
        pacer = AdaptivePacer(clock, plan.profile.scans_per_s)
        table = Table(
            lambda: open_host(plan.profile, buses, state, plan.settings),
            pacer.wait,
            clock,
        )
        pacer.tell = table.scans_at
        table.subscribe(SupplyWatch(clock, table.notice), looks=False)
        sys.exit(serve(table, plan, state))
