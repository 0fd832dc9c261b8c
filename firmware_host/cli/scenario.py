"""``tiltboard scenario`` runs a file of steps and expectations on a simulated or a real table.
``tiltboard replay`` prints the events of a recording.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.cli.cli_output import keyboard, misuse, say, sentence
from tiltboard.firmware_host.cli.hardware import PHYSICS, lacks
from tiltboard.firmware_host.cli.options import PROFILE, STATE, games_folder
from tiltboard.firmware_host.cli.pi_checks import record_run, this_machine
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, read_text
from tiltboard.firmware_host.config.pi_board import own_board
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.scenario.by_hand import Console
from tiltboard.firmware_host.scenario.parse import ScenarioStep, parse_scenario
from tiltboard.firmware_host.scenario.person import KEYS, Person
from tiltboard.firmware_host.scenario.run import Actor, ScenarioRunner
from tiltboard.firmware_host.scenario.trace import read_trace, report, without_logging
from tiltboard.games.base import RulesError
from tiltboard.ground.clock import SystemClock
from tiltboard.ground.errors import TiltboardError

HELD, FAILED, UNUSABLE = 0, 1, 2
OUTCOMES = ("held", "failed", "could not be played")


@click.command(
    name="scenario", epilog="Example: tiltboard scenario tests/sim/scenarios/turn.scenario"
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per step.")
@click.option("--profile", default="plate-10", show_default=True, help="Table profile.")
@click.option(
    "--seed", default=1, show_default=True, help="Seed of the simulated table and its hands."
)
@PHYSICS
@click.option("--real", is_flag=True, help="Use the table wired to this machine, step by step.")
@click.option(
    "--time-out",
    "time_out_s",
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    type=click.FloatRange(1, 3600),
    help="With --real: maximum time for each step.",
)
@STATE
def command(
    *,
    file: Path,
    as_json: bool,
    profile: str,
    seed: int,
    physics: bool,
    real: bool,
    time_out_s: float,
    state: Path | None,
) -> None:
    """Run FILE on the simulated table, in virtual time, or with --real on a wired one.

    Exit status: 0, all expectations held; 1, an expectation failed, or the sensors did not detect a
    step; 2, the file cannot be read, there is no table, or a step is impossible. docs/scenarios.md
    describes the language.
    """
    if not real and state is not None:
        raise misuse(text("--state goes with --real."))
    try:
        steps = parse_scenario(str(file), read_text(file))
        table = load_profile(profile)
        with ExitStack() as until_done:
            games = Path(until_done.enter_context(tempfile.TemporaryDirectory()))
            if real:
                buses = until_done.enter_context(own_board(table.needs()))
                person = _person(table, state, games, buses, time_out_s=time_out_s, as_json=as_json)
                actor: Actor = until_done.enter_context(person)
            else:
                from tiltboard.hw_sim.physics import world_class
                from tiltboard.hw_sim.session import SimSession
                from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

                world = world_class(physics=physics)
                session = SimSession(table, games, seed=seed, world=world)
                actor = SimulatedHands(until_done.enter_context(session))
            status = _play(file, steps, actor, as_json)
            if real:
                machine = this_machine(SystemClock(), for_service=True)
                folder = games_folder(state, simulated=False)
                record_run(folder, machine, table, f"scenario {file}: {OUTCOMES[status]}")
            sys.exit(status)
    except (TiltboardError, RulesError) as error:
        click.echo(f"tiltboard scenario: {sentence(error)}", err=True)
        sys.exit(UNUSABLE)


def _person(
    table: Profile,
    state: Path | None,
    games: Path,
    buses: Buses,
    *,
    time_out_s: float,
    as_json: bool,
) -> Person:
    """Return a ``Person`` that asks the user at the terminal to act at the table on ``buses``. The
    table's calibration is used, but the table's games are not. Ends the command if no table
    answers.
    """
    if lacks(table, buses):
        say(text("There is no table here? Run it on the simulated one, without --real."), err=True)
        sys.exit(UNUSABLE)
    calibration = games_folder(state, simulated=False) / CALIBRATION_NAME
    if calibration.exists():
        shutil.copy(calibration, games)
    console = Console(lambda line: click.echo(line, err=as_json), keyboard())
    console.tell(KEYS)
    return Person(table, buses, games, console, time_out_s=time_out_s)


def _play(file: Path, steps: Sequence[ScenarioStep], actor: Actor, as_json: bool) -> int:
    import msgspec

    def wrong(what: str) -> None:
        click.echo(f"{file}:{steps[done].line}: {what}", err=True)

    done = skipped = 0
    try:
        for each in ScenarioRunner(actor).run(tuple(steps)):
            if as_json:
                click.echo(msgspec.json.encode(each.as_json()))
            if each.skipped is not None:
                skipped += 1
                wrong(str(text("skipped: {why}", why=each.skipped)))
            if each.failure is not None:
                wrong(str(each.failure))
                return FAILED
            done += 1
    except (TiltboardError, RulesError) as error:
        wrong(sentence(error))
        return UNUSABLE
    if not as_json:
        count = len(steps) - skipped
        held = text("1 step held") if count == 1 else text("{count} steps held", count=count)
        if skipped:
            held = text("{held}, {count} skipped", held=held, count=skipped)
        seconds = f"{actor.clock.now():.1f}"
        say(text("{file}: {held}, {seconds} s at the table", file=file, held=held, seconds=seconds))
    return HELD


@click.command(name="replay", epilog="Example: tiltboard replay sunday.trace --json")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event.")
@PROFILE
def replay(trace: Path, as_json: bool, profile: str | None) -> None:
    """Print every event in the recording TRACE with its time, and the pieces on the plate at the
    end.

    A trace of `tiltboard run --record` contains its game, so moves and messages are also printed.
    The same trace always gives the same output. Without --profile, the profile named in the trace
    is used.
    """
    recorded = read_trace(trace)
    table = load_profile(profile or recorded.header.layout[0])
    with without_logging():
        for line in report(recorded, table, as_json=as_json, words=str):
            click.echo(line)
