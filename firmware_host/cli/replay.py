"""``tiltboard replay``: a recording through perception again."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli.options import PROFILE
from firmware_host.cli.speech import words


@click.command(name="replay", epilog="Example: tiltboard replay sunday.trace --json")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event.")
@PROFILE
def command(trace: Path, as_json: bool, profile: str | None) -> None:
    """Print what the readings in TRACE mean: every event with its time, and what stands at the end.

    A trace of `tiltboard run --record` knows its game: moves and sentences are printed too. The
    same trace prints the same bytes. Without --profile the one that it names is used.
    """
    from firmware_host.config.profile import load_profile
    from firmware_host.trace import read_trace
    from firmware_host.trace.report import report
    from firmware_host.trace.unlogged import unlogged

    recorded = read_trace(trace)
    table = load_profile(profile or recorded.header.profile)
    with unlogged():
        for line in report(recorded, table, as_json=as_json, words=words):
            click.echo(line)
