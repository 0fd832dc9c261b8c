"""The laboratory's measurements, which appear under ``tiltboard bench`` together with the
measurements of tiltboard.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from tiltboard.firmware_host.cli.cli_output import FIGURES_AS_JSON, report
from tiltboard.firmware_host.referee.seats import LEVELS


def _bench(
    name: str, place: str, summary: str, *params: click.Option, example: str = ""
) -> click.Command:
    """Return the command of one measurement.

    ``place``: the module in ``tiltboard_lab.bench`` and, after a colon, the function if its name is
    not ``run``. ``summary``: the help text. ``example``: options for the example in the help text.
    """
    module, _, function = place.partition(":")

    def measure(**options: Any) -> None:
        run = getattr(import_module(f"tiltboard_lab.bench.{module}"), function or "run")
        run(report, **options)

    shown = f"Example: tiltboard bench {name} {example}".rstrip()
    command = click.Command(name, callback=measure, params=[*params], help=summary, epilog=shown)
    return FIGURES_AS_JSON(command)


def _option(name: str, **settings: Any) -> click.Option:
    return click.Option([*name.split()], show_default="default" in settings, **settings)


_ANY_TABLE = _option("--profile", default="plate-10", help="Table profile.")
_GAMES = _option("--games", type=click.IntRange(1), default=20)
_SEED = _option("--seed", type=click.IntRange(1), default=1)

engines = _bench(
    "engines",
    "engines",
    "Random playouts of each game per CPU second.",
    _option(
        "--against",
        type=click.Choice(["open_spiel"]),
        help="Only this: beside another search, at connect four.",
    ),
    _option("--games", type=click.IntRange(1), default=100),
    _option("--move-ms", type=click.IntRange(1), default=10),
)
perception = _bench(
    "perception", "perception", "False events and wrong classes against noise and offset."
)
positions = _bench(
    "positions",
    "positions",
    "How far off pieces are found, against their circles.",
    _SEED,
    example="--seed 2",
)
recovery = _bench(
    "recovery",
    "recovery",
    "From the end of each fault to play going on.",
    _ANY_TABLE,
    example="--profile node",
)
lights = _bench("lights", "lights", "What a light update costs the scan loop.")
loop = _bench(
    "loop",
    "loop",
    "Gaps between scans while the page's visitors flood the table.",
    _option("--seconds", type=click.IntRange(1, 60), default=3, help="Of each."),
    _option("--thinking", is_flag=True, help="While two engines think."),
)
start = _bench(
    "start",
    "service:start",
    "CPU from start to the first scan.",
    _ANY_TABLE,
    example="--profile node",
)
memory = _bench(
    "memory",
    "service:memory",
    "Resident memory of the service with a page open.",
    _ANY_TABLE,
    example="--profile node",
)
speed = _bench(
    "speed",
    "service:speed",
    "How much faster than real time a scenario runs.",
    _ANY_TABLE,
    example="--profile node",
)
profiles = _bench("profiles", "profiles", "Bus time, latency, CPU and errors of every profile.")
calibration = _bench(
    "calibration", "calibration", "Time of a calibration; errors before and after."
)
pi = _bench("pi", "pi", "The time budget of a scan on each Pi, from published figures.")
physics = _bench("physics", "physics", "Speed of the world in which pieces slide, tip and fall.")
hour = _bench(
    "hour",
    "lasting",
    "Whether an hour of play with physics keeps memory.",
    _SEED,
    example="--seed 2",
)
seats = _bench(
    "seats",
    "seats",
    "Games of seats that bots play against each other.",
    _GAMES,
    _option(
        "--level levels",
        type=click.Choice(LEVELS),
        multiple=True,
        default=("medium",),
        help="Of the seats, in turn; each game begins with the next.",
    ),
    _option("--mode modes", multiple=True, help="A mode of the game, in words; all if none."),
    _option("--rounds", type=click.IntRange(1, 9), default=3),
    _SEED,
    _option("--physics", is_flag=True, help="At the simulated table; pieces slide and fall."),
    example="--games 200 --level hard --level easy",
)
club = _bench(
    "club",
    "club",
    "What a club's tables and their spectators cost a broker.",
    _option("--tables", type=click.IntRange(1, 200), default=50),
    _option("--lookers", type=click.IntRange(0, 8_000), default=5_000),
    _option("--seconds", type=click.FloatRange(5, 300), default=30.0),
    example="--tables 50 --lookers 5000",
)
far = _bench(
    "far",
    "far",
    "Two tables that play each other over a broker: time, bytes, CPU, memory.",
    _option("--moves", type=click.IntRange(4, 500), default=60),
    _option("--seconds", type=click.FloatRange(5, 300), default=30.0, help="At rest."),
    example="--moves 60",
)
following = _bench(
    "following",
    "following",
    "Whole random games by a robot that does what is published.",
    _option("--games", type=click.IntRange(1), default=20, help="How many of each, in each way."),
    _option("--game only", multiple=True, help="Only this one. Default: all of them."),
    example="--game attraktion --games 1000",
)


@click.command(name="all", epilog="Example: tiltboard bench all")
@FIGURES_AS_JSON
@click.pass_context
def everything(context: click.Context) -> None:
    """Run all measurements, one after the other."""
    group = context.parent.command if context.parent is not None else None
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None and command is not everything:
                report(f"--- {name}")
                context.invoke(command)
