"""``tiltboard unit``: what the systemd unit must allow for the table in use."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli.options import CONFIG, PROFILE


@click.command(name="unit", epilog="Example: tiltboard unit --profile plate-10")
@CONFIG
@PROFILE
def command(config: Path | None, profile: str | None) -> None:
    """Print the drop-in of tiltboard.service: devices, groups and networks of a table.

    `make install-service` runs this and installs what it prints.
    """
    from firmware_host.config.profile import load_profile
    from firmware_host.config.settings import load_settings
    from firmware_host.config.unit import drop_in

    settings = load_settings(config)
    click.echo(drop_in(load_profile(profile or settings.profile), settings), nl=False)
