"""The laboratory's measurements, which are listed under ``tiltboard bench`` together with
tiltboard's own measurements.
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
    """Return the command for one measurement.

    ``place``: the module in ``tiltboard_lab.bench``; if the function's name is not ``run``, a colon
    and the name follow. ``summary``: the help text. ``example``: options for the example in the
    help text.
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
    "Measure the random playouts of each game per CPU second.",
    _option(
        "--against",
        type=click.Choice(["open_spiel"]),
        help="Only compare the search with this one, in Connect Four.",
    ),
    _option("--games", type=click.IntRange(1), default=100),
    _option("--move-ms", type=click.IntRange(1), default=10),
)
perception = _bench(
    "perception",
    "perception",
    "Count false events and wrong classes at each level of noise and offset.",
)
positions = _bench(
    "positions",
    "positions",
    "Compare the error of piece positions with the circles that the page draws.",
    _SEED,
    example="--seed 2",
)
recovery = _bench(
    "recovery",
    "recovery",
    "Measure the time from the end of each fault until play continues.",
    _ANY_TABLE,
    example="--profile node",
)
lights = _bench(
    "lights", "lights", "Measure the time that a light update takes from the scan loop."
)
loop = _bench(
    "loop",
    "loop",
    "Measure the gaps between scans while pages flood the table with requests.",
    _option("--seconds", type=click.IntRange(1, 60), default=3, help="Seconds for each flood."),
    _option("--thinking", is_flag=True, help="Measure while two engines think."),
)
start = _bench(
    "start",
    "service:start",
    "Measure the CPU time from the start to the first scan.",
    _ANY_TABLE,
    example="--profile node",
)
memory = _bench(
    "memory",
    "service:memory",
    "Measure the resident memory of the service with a page open.",
    _ANY_TABLE,
    example="--profile node",
)
speed = _bench(
    "speed",
    "service:speed",
    "Measure how much faster than real time a scenario runs.",
    _ANY_TABLE,
    example="--profile node",
)
profiles = _bench(
    "profiles", "profiles", "Measure bus time, latency, CPU time and errors of every profile."
)
calibration = _bench(
    "calibration",
    "calibration",
    "Measure the time of a calibration, and the errors before and after it.",
)
pi = _bench("pi", "pi", "Estimate the time budget of a scan on each Pi from published figures.")
physics = _bench(
    "physics", "physics", "Measure the speed of the simulation in which pieces slide, tip and fall."
)
hour = _bench(
    "hour",
    "lasting",
    "Measure how much memory an hour of play with physics adds.",
    _SEED,
    example="--seed 2",
)
seats = _bench(
    "seats",
    "seats",
    "Let bots play games with seats against each other.",
    _GAMES,
    _option(
        "--level levels",
        type=click.Choice(LEVELS),
        multiple=True,
        default=("medium",),
        help="Bot level of each seat, in turn; each game begins with the next one.",
    ),
    _option("--mode modes", multiple=True, help="A mode of the game, by name. Default: all modes."),
    _option("--rounds", type=click.IntRange(1, 9), default=3),
    _SEED,
    _option(
        "--physics", is_flag=True, help="Play at the simulated table, where pieces slide and fall."
    ),
    example="--games 200 --level hard --level easy",
)
club = _bench(
    "club",
    "club",
    "Measure the load of a club's tables and spectators on a broker.",
    _option("--tables", type=click.IntRange(1, 200), default=50),
    _option("--lookers", type=click.IntRange(0, 8_000), default=5_000),
    _option("--seconds", type=click.FloatRange(5, 300), default=30.0),
    example="--tables 50 --lookers 5000",
)
far = _bench(
    "far",
    "far",
    "Measure time, bytes, CPU and memory of two tables that play over a broker.",
    _option("--moves", type=click.IntRange(4, 500), default=60),
    _option(
        "--seconds",
        type=click.FloatRange(5, 300),
        default=30.0,
        help="Seconds to measure the connection at rest.",
    ),
    example="--moves 60",
)
following = _bench(
    "following",
    "following",
    "Play whole random games with a robot that follows the published instructions.",
    _option(
        "--games",
        type=click.IntRange(1),
        default=20,
        help="Number of games for each game and each order of the steps.",
    ),
    _option("--game only", multiple=True, help="Play only this game. Default: all games."),
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
