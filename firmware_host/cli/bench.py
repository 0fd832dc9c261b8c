"""``tiltboard bench``: every figure in the documents comes from one of these."""

from __future__ import annotations

from importlib import import_module

import click

# Name -> (module, function, what it measures)
BENCHES = {
    "engines": ("engines", "run", "Random playouts of each game per CPU second."),
    "perception": ("perception", "run", "False events and wrong classes against noise and offset."),
    "latency": ("latency", "run", "From a piece touching the board to the first changed light."),
    "recovery": ("recovery", "run", "From the end of each fault to play going on."),
    "scan": ("service", "scan", "CPU of one scan, from the drivers to the lights."),
    "start": ("service", "start", "CPU from start to the first scan."),
    "memory": ("service", "memory", "Resident memory of the service with a page open."),
    "profiles": ("profiles", "run", "Bus time, latency, CPU and errors of every profile."),
    "speed": ("service", "speed", "How much faster than real time a scenario runs."),
}


# Those that can be asked about any table.
OF_A_PROFILE = ("latency", "scan", "start", "memory", "speed")


def _bench(name: str) -> click.Command:
    module, function, summary = BENCHES[name]

    def measure(**options: str) -> None:
        run = getattr(import_module(f"firmware_host.bench.{module}"), function)
        run(click.echo, **options)

    profile = click.Option(
        ["--profile"], default="plate-10", show_default=True, help="Table profile."
    )
    example = f"Example: tiltboard bench {name}"
    if name in OF_A_PROFILE:
        return click.Command(
            name,
            callback=measure,
            params=[profile],
            help=summary,
            epilog=f"{example} --profile node",
        )
    return click.Command(name, callback=measure, help=summary, epilog=example)


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
