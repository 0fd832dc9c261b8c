"""``tiltboard run``: the physical table and its page."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from firmware_host.cli.options import (
    CONFIG,
    GAME,
    HOST,
    OPTIONS,
    PORT,
    PROFILE,
    RECORD,
    STATE,
    chosen_game,
    state_folder,
)
from firmware_host.cli.speech import say, sentence, speak
from firmware_host.messages import text


@click.command(name="run", epilog="Example: tiltboard run --profile plate-10")
@CONFIG
@PROFILE
@STATE
@HOST
@PORT
@GAME
@OPTIONS
@RECORD
def command(
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    host: str | None,
    port: int | None,
    game: str | None,
    options: tuple[str, ...],
    record: Path | None,
) -> None:
    """Run the table that is wired to this machine, and its page.

    Where there is no hardware it says what is missing, and how to simulate.
    """
    from drivers.clock import SystemClock
    from firmware_host.assemble import missing_table, open_host
    from firmware_host.board_lock import own_board
    from firmware_host.cli.serve import recorded, serve
    from firmware_host.pacer import Pacer
    from firmware_host.profile import load_profile
    from firmware_host.service import Table
    from firmware_host.settings import load_settings

    begin = chosen_game(game, options)
    settings = load_settings(config)
    catalogue = speak(settings.language)
    table_profile = load_profile(profile or settings.profile)
    clock = SystemClock()
    with own_board(table_profile, clock) as buses:
        missing = missing_table(table_profile, buses)
        if missing:
            for each in missing:
                click.echo(f"tiltboard run: {sentence(each)}", err=True)
            say(text("There is no table here? Play on the simulated one: tiltboard sim"), err=True)
            sys.exit(1)
        folder = state_folder(state)
        pacer = Pacer(clock, table_profile.scans_per_s)
        table = Table(
            lambda: open_host(table_profile, buses, folder, settings), pacer.wait, clock, catalogue
        )
        with recorded(table, record):
            sys.exit(serve(table, settings, catalogue, folder, host=host, port=port, begin=begin))
