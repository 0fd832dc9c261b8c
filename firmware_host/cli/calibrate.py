"""``tiltboard calibrate``: the sweep's last part, the sensors measured."""

from __future__ import annotations

from typing import Any

import click

from firmware_host.cli.bringup import run, sweep_options


@click.command(name="calibrate", epilog="Example: tiltboard calibrate --sim")
@sweep_options
def command(**options: Any) -> None:
    """Measure every sensor: `tiltboard bringup` from the empty plate on.

    First the empty plate; then one strong piece, south down, carried to every place in turn; then,
    where the table has some, a weak one. Everything else is as with `tiltboard bringup`.
    """
    from firmware_host.commissioning.progress import Part

    run((Part.PLACES,), **options)
