"""``tiltboard export``: a game as text."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli.options import SIMULATED, STATE, games_folder
from firmware_host.cli.speech import not_written
from firmware_host.config.errors import NoSuchGameError
from firmware_host.config.paths import JOURNAL_NAME


@click.command(name="export", epilog="Example: tiltboard export 3 sunday.txt")
@click.argument("number", type=click.IntRange(1))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@STATE
@SIMULATED
def command(number: int, file: Path | None, state: Path | None, simulated: bool) -> None:
    """Write game NUMBER (`tiltboard games` lists them) as text, to FILE or to the screen.

    A file that exists is not overwritten. The format is described in docs/journal.md;
    `tiltboard games import` reads it. A running table need not be stopped.
    """
    from firmware_host.journal import JournalReader, write_game

    path = games_folder(state, simulated=simulated, make=False) / JOURNAL_NAME
    if not path.exists():
        raise NoSuchGameError(
            "There is no game {number}: {folder} has no journal.",
            remedy="Name the table's folder with --state, or use --sim.",
            number=number,
            folder=path.parent,
        )
    with JournalReader.open_read_only(path) as reader:
        written = write_game(reader.load(number))
    if file is None:
        click.echo(written, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(written)
    except OSError as error:
        raise not_written(file, error) from error
