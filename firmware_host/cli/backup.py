"""``tiltboard backup``: games, calibration and settings in one file."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli.options import CONFIG, SIMULATED, STATE, games_folder
from firmware_host.cli.speech import not_written


@click.command(name="backup", epilog="Example: tiltboard backup table-2026-05.backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@CONFIG
@STATE
@SIMULATED
def command(file: Path, config: Path | None, state: Path | None, simulated: bool) -> None:
    """Copy games, calibration and settings to FILE, which must not exist yet.

    The table may go on running: the copy is of one moment, between two moves. Paired devices are
    not copied; they pair again.
    """
    from drivers.clock import SystemClock
    from firmware_host.config.settings import settings_file
    from firmware_host.journal.backup import make_backup

    folder = games_folder(state, simulated=simulated, make=False)
    try:
        manifest = make_backup(folder, settings_file(config), file, SystemClock())
    except OSError as error:
        if error.strerror is None:
            raise
        raise not_written(file, error) from error
    names = ", ".join(member.name for member in manifest.files)
    click.echo(f"{file}: {names}")
