"""``tiltboard restore``: a backup put back."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli.options import SIMULATED, STATE, games_folder
from firmware_host.cli.speech import problem, say
from firmware_host.messages import text


@click.command(name="restore", epilog="Example: tiltboard restore table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the settings go. Default: they stay as they are.",
)
@STATE
@SIMULATED
def command(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Put back what `tiltboard backup` wrote to FILE. Stop the table first.

    FILE is checked whole before anything is touched. What was there is kept aside, in a folder
    that is named at the end.
    """
    from drivers.clock import SystemClock
    from firmware_host.journal.backup import SETTINGS_NAME, read_backup, restore

    folder = games_folder(state, simulated=simulated)
    try:
        backup = read_backup(file)
        aside = restore(backup, folder, config, SystemClock())
    except OSError as error:
        if error.strerror is None:
            raise
        why = error.strerror
        raise problem(text("It could not be put back: {why}.", why=why)) from error
    names = [name for name in backup.contents if name != SETTINGS_NAME or config is not None]
    say(text("Put back in {folder}: {names}", folder=folder, names=", ".join(names)))
    if SETTINGS_NAME in backup.contents and config is None:
        say(text("The backup holds settings too: --config FILE says where to put them."))
    if aside is not None:
        say(text("What was there is kept in {folder}", folder=aside))
