"""``tiltboard bench``: speed measurements of a table. The laboratory package adds further
measurements.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

import click

from tiltboard.firmware_host.cli.cli_output import FIGURES_AS_JSON, report
from tiltboard.firmware_host.cli.main import Group, how_to_bring
from tiltboard.firmware_host.messages import Message, text

PROFILE = click.option("--profile", default="plate-10", show_default=True, help="Table profile.")


class Benches(Group):
    """A command group of the built-in measurements and the measurements that other packages add."""

    extensions = "tiltboard.benches"
    unknown = text("There is no measurement {name!r}; {hint}")

    def missing(self, name: str, known: Iterable[str]) -> Message:
        """Return the message for an unknown measurement. If the laboratory is not installed, the
        message says how to install it.
        """
        said = super().missing(name, known)
        if find_spec("tiltboard_lab") is not None:
            return said
        more = text("The laboratory has more. {how}", how=how_to_bring("lab"))
        return text("{said}. {more}", said=said, more=more)


@click.group(name="bench", cls=Benches, epilog="Example: tiltboard bench scan")
def command() -> None:
    """Measure how fast a table answers, and what that costs."""


@command.command(epilog="Example: tiltboard bench latency --profile node")
@PROFILE
@FIGURES_AS_JSON
def latency(profile: str) -> None:
    """Measure the time from a piece touching the board to the first changed light."""
    from tiltboard.hw_sim.session.bench import say_latency

    say_latency(report, profile)


@command.command(epilog="Example: tiltboard bench scan --profile node")
@PROFILE
@FIGURES_AS_JSON
def scan(profile: str) -> None:
    """Measure the CPU time of one scan, from the drivers to the lights."""
    from tiltboard.hw_sim.session.bench import say_scan

    say_scan(report, profile)
