"""Says which installed games cannot be used."""

from __future__ import annotations

import click

from firmware_host.cli.speech import sentence
from games.registry import BROKEN


def name_broken_games(besides: str = "") -> None:
    """One line on stderr for each, but for the game that is asked for itself."""
    for name, error in BROKEN.items():
        if name != besides:
            click.echo(f"tiltboard: {sentence(error)}", err=True)
