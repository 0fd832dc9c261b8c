"""The command ``tiltboard plans``, which writes the files for building a table from its profile."""

from __future__ import annotations

from pathlib import Path

import click

from tiltboard.firmware_host.cli.cli_output import AS_JSON, is_json_wanted, say, writing
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import text
from tiltboard.ground.errors import extra_command
from tiltboard_plans.model import Plans
from tiltboard_plans.write import can_print, export, files


@click.command(name="plans", epilog="Example: tiltboard plans plate-10 -o plans")
@click.argument("profile")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("plans"),
    show_default=True,
    help="Folder to write to.",
)
@AS_JSON
def command(*, profile: str, output: Path) -> None:
    """Write what it takes to build a table: parts, boards, sheets, pieces, figures.

    PROFILE: by name, or the path of a TOML file.
    """
    plans = Plans.of(load_profile(profile))
    for name, content in files(plans):
        path = output / name
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if is_json_wanted():
            say(text("{file}: {size_bytes} bytes", file=path, size_bytes=len(content)))
    if plans.boards and not export(plans, output / "boards"):
        say(
            text("STEP files and KiCad's plots are missing. Install KiCad 9 to get them."), err=True
        )
    if not can_print():
        say(text("Files for printed pieces are missing; they need the extra make."), err=True)
        bring = extra_command("make", "./packages/plans")
        say(text("In a clone of tiltboard run: {command}", command=bring), err=True)
    say(text("Written to {folder}; begin with report.md.", folder=output))
