"""``tiltboard bench``: every figure in the documents comes from one of these."""

from __future__ import annotations

from importlib import import_module

import click

# Name -> (module, function, what it measures)
BENCHES = {
    "engines": ("engines", "run", "Random playouts of each game per CPU second."),
    "perception": ("perception", "run", "False events and wrong classes against noise and offset."),
    "latency": ("latency", "run", "From a piece touching the board to the first changed light."),
    "scan": ("service", "scan", "CPU of one scan, from the drivers to the lights."),
    "start": ("service", "start", "CPU from start to the first scan."),
    "memory": ("service", "memory", "Resident memory of the service with a page open."),
    "speed": ("service", "speed", "How much faster than real time a scenario runs."),
}


def _bench(name: str) -> click.Command:
    module, function, summary = BENCHES[name]

    def measure() -> None:
        run = getattr(import_module(f"firmware_host.bench.{module}"), function)
        run(click.echo)

    return click.Command(
        name, callback=measure, help=summary, epilog=f"Example: tiltboard bench {name}"
    )


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
