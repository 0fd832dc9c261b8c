"""``tiltboard sim``: the simulated table with its page, in real time."""

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
from firmware_host.cli.speech import speak


@click.command(name="sim", epilog="Example: tiltboard sim --port 8080")
@CONFIG
@PROFILE
@STATE
@HOST
@PORT
@GAME
@OPTIONS
@RECORD
@click.option("--seed", default=1, show_default=True, help="Another table, other hands.")
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
    seed: int,
) -> None:
    """Play on the simulated table: open the page that it names.

    The games are kept apart from those of a real table, and go on where they stopped.
    """
    from firmware_host.cli.serve import recorded, serve
    from firmware_host.profile import load_profile
    from firmware_host.settings import load_settings
    from hw_sim.live import LiveTable

    begin = chosen_game(game, options)
    settings = load_settings(config)
    catalogue = speak(settings.language)
    folder = state_folder(state, "sim")
    live = LiveTable(
        load_profile(profile or settings.profile),
        folder,
        settings,
        catalogue,
        seed=seed,
    )
    with recorded(live.table, record):
        sys.exit(serve(live.table, settings, catalogue, folder, host=host, port=port, begin=begin))
