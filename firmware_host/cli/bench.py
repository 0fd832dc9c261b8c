"""``tiltboard bench``: every figure in the documents comes from one of these."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from firmware_host.room.seats import LEVELS

# Name -> (module, function, what it measures)
BENCHES = {
    "engines": ("engines", "run", "Random playouts of each game per CPU second."),
    "perception": ("perception", "run", "False events and wrong classes against noise and offset."),
    "positions": ("positions", "run", "How far off pieces are found, against their circles."),
    "latency": ("latency", "run", "From a piece touching the board to the first changed light."),
    "recovery": ("recovery", "run", "From the end of each fault to play going on."),
    "scan": ("service", "scan", "CPU of one scan, from the drivers to the lights."),
    "lights": ("lights", "run", "What a light update costs the scan loop."),
    "loop": ("loop", "run", "Gaps between scans while the page's visitors flood the table."),
    "start": ("service", "start", "CPU from start to the first scan."),
    "memory": ("service", "memory", "Resident memory of the service with a page open."),
    "pi": ("pi", "run", "The time budget of a scan on each Pi, from published figures."),
    "profiles": ("profiles", "run", "Bus time, latency, CPU and errors of every profile."),
    "calibration": ("calibration", "run", "Time of a calibration; errors before and after."),
    "physics": ("physics", "run", "Speed of the world in which pieces slide, tip and fall."),
    "hour": ("lasting", "run", "Whether an hour of play with physics keeps memory."),
    "speed": ("service", "speed", "How much faster than real time a scenario runs."),
    "seats": ("seats", "run", "Games of seats that computer players play against each other."),
    "following": ("following", "run", "Whole random games by a robot that does what is published."),
}


SEATED_MODES = ("battle", "simple", "teams", "1v1")
# Those that can be asked about any table.
OF_A_PROFILE = ("latency", "recovery", "scan", "start", "memory", "speed")


def _profile() -> click.Option:
    return click.Option(["--profile"], default="plate-10", show_default=True, help="Table profile.")


def _games() -> list[click.Parameter]:
    return [
        click.Option(
            ["--games"],
            type=click.IntRange(1),
            default=20,
            show_default=True,
            help="How many of each, in each way.",
        ),
        click.Option(
            ["--game", "only"], multiple=True, help="Only this one. Default: all of them."
        ),
    ]


def _bench(name: str) -> click.Command:
    module, function, summary = BENCHES[name]

    def measure(**options: Any) -> None:
        run = getattr(import_module(f"firmware_host.bench.{module}"), function)
        run(click.echo, **options)

    example = f"Example: tiltboard bench {name}"
    params: list[click.Parameter] = []
    if name in OF_A_PROFILE:
        params, example = [_profile()], f"{example} --profile node"
    elif name == "loop":
        seconds = click.IntRange(1, 60)
        params = [
            click.Option(
                ["--seconds"], type=seconds, default=3, show_default=True, help="Of each."
            ),
            click.Option(["--thinking"], is_flag=True, help="While two engines think."),
        ]
    elif name == "seats":
        params = [
            click.Option(["--games"], type=click.IntRange(1), default=20, show_default=True),
            click.Option(
                ["--level", "levels"],
                type=click.Choice(LEVELS),
                multiple=True,
                default=("medium",),
                show_default=True,
                help="Of the seats, in turn; each game begins with the next.",
            ),
            click.Option(
                ["--mode", "modes"],
                type=click.Choice(SEATED_MODES),
                multiple=True,
                default=SEATED_MODES,
                show_default=True,
            ),
            click.Option(["--rounds"], type=click.IntRange(1, 9), default=3, show_default=True),
            click.Option(
                ["--physics"], is_flag=True, help="At the simulated table; pieces slide and fall."
            ),
        ]
        example = f"{example} --games 200 --level hard --level easy"
    elif name == "engines":
        params = [
            click.Option(
                ["--against"],
                type=click.Choice(["open_spiel"]),
                help="Only this: beside another search, at connect four.",
            ),
            click.Option(["--games"], type=click.IntRange(1), default=100, show_default=True),
            click.Option(["--move-ms"], type=click.IntRange(1), default=10, show_default=True),
        ]
    elif name in ("positions", "hour"):
        example = f"{example} --seed 2"
        params = [click.Option(["--seed"], type=click.IntRange(1), default=1, show_default=True)]
        if name == "positions":
            params.append(click.Option(["--rest"], is_flag=True, help="Only pieces at rest."))
            params.append(click.Option(["--slides"], is_flag=True, help="Only pieces that slide."))
    elif name == "following":
        params, example = _games(), f"{example} --game attraktion --games 1000"
    return click.Command(name, callback=measure, params=params, help=summary, epilog=example)


@click.group(name="bench", epilog="Example: tiltboard bench engines")
def command() -> None:
    """Measure speed, memory, latency and errors on this machine."""


for _name in BENCHES:
    command.add_command(_bench(_name))


@command.command(name="all", epilog="Example: tiltboard bench all")
@click.pass_context
def everything(context: click.Context) -> None:
    """Every measurement, one after the other."""
    for name in BENCHES:
        click.echo(f"--- {name}")
        context.invoke(command.commands[name])
