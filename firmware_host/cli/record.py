"""``tiltboard record`` and ``replay``: what the sensors read, scan by scan, and what it means."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import click

from firmware_host.cli.options import CONFIG, PROFILE, STATE, games_folder
from firmware_host.cli.speech import not_written, say, speak, words
from firmware_host.cli.tables import PHYSICS
from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.settings import load_settings
from firmware_host.messages import text


@click.command(name="record", epilog="Example: tiltboard record sunday.trace --seconds 60")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@CONFIG
@PROFILE
@STATE
@click.option("--seconds", default=30.0, show_default=True, help="How long.")
@click.option(
    "--scenario",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Record this scenario on the simulated table instead, from start to end.",
)
@click.option("--seed", default=1, show_default=True, help="Another simulated table, other hands.")
@PHYSICS
def command(
    *,
    out: Path,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    seconds: float,
    scenario: Path | None,
    seed: int,
    physics: bool,
) -> None:
    """Write the raw readings of the table wired to this machine to OUT, a new file.

    Stop the service first: the sensors can serve only one. `tiltboard replay OUT` reads it again.
    """
    settings = load_settings(config)
    speak(settings.language)
    table = load_profile(profile or settings.profile)
    try:
        if scenario is None:
            count = _record(out, table, games_folder(state, simulated=False, make=False), seconds)
        else:
            count = _record_scenario(out, table, scenario, seed, physics=physics)
    except OSError as error:
        if error.strerror is None:
            raise
        raise not_written(out, error) from error
    say(text("{file}: {count} scans", file=out, count=count))


def _record(out: Path, table: Profile, state: Path, seconds: float) -> int:
    from drivers.clock import SystemClock
    from firmware_host.cli.tables import need_table
    from firmware_host.config.locks import own_board
    from firmware_host.config.paths import CALIBRATION_NAME
    from firmware_host.perception.calibration_store import CalibrationStore
    from firmware_host.service.pacer import Pacer
    from firmware_host.trace import TraceWriter, header_for

    clock = SystemClock()
    calibration = CalibrationStore(state / CALIBRATION_NAME, table).loaded
    pacer = Pacer(clock, table.scans_per_s)
    count = max(1, round(seconds * table.scans_per_s))
    with own_board(table, clock) as buses:
        need_table(table, buses)
        with (
            closing(table.plate(buses)) as plate,
            TraceWriter(out, header_for(table, calibration)) as writer,
        ):
            if calibration is not None:
                plate.mount(calibration.orientation)
            for _ in range(count):
                writer.write(plate.scan())
                pacer.wait()
    return count


def _record_scenario(out: Path, table: Profile, scenario: Path, seed: int, *, physics: bool) -> int:
    from firmware_host.config.reading import read_text
    from firmware_host.scenario.parse import parse_scenario
    from firmware_host.scenario.run import ScenarioRunner
    from firmware_host.trace import TraceWriter, header_for
    from hw_sim.physics import world_class
    from hw_sim.session import SimSession
    from hw_sim.session.deeds import SimulatedHands

    kind = world_class(physics=physics)
    steps = parse_scenario(str(scenario), read_text(scenario))
    written = 0
    with TraceWriter(out, header_for(table, expected={})) as writer:

        class Recorded(SimSession):
            def wait(self) -> None:
                nonlocal written
                writer.write(self.host.frame)
                written += 1
                super().wait()

        with (
            tempfile.TemporaryDirectory() as state,
            Recorded(table, Path(state), seed=seed, world=kind) as session,
        ):
            for report in ScenarioRunner(SimulatedHands(session)).run(steps):
                if report.failure is not None:
                    where = f"{scenario}:{report.step.line}"
                    click.echo(f"{where}: {words(report.failure)}", err=True)
    return written


@click.command(name="replay", epilog="Example: tiltboard replay sunday.trace --json")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event.")
@PROFILE
def replay(trace: Path, as_json: bool, profile: str | None) -> None:
    """Print what the readings in TRACE mean: every event with its time, and what stands at the end.

    A trace of `tiltboard run --record` knows its game: moves and sentences are printed too. The
    same trace prints the same bytes. Without --profile the one that it names is used.
    """
    from firmware_host.config.profile import load_profile
    from firmware_host.trace import read_trace
    from firmware_host.trace.replay import report, unlogged

    recorded = read_trace(trace)
    table = load_profile(profile or recorded.header.profile)
    with unlogged():
        for line in report(recorded, table, as_json=as_json, words=words):
            click.echo(line)
