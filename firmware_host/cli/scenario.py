"""``tiltboard scenario``: a file of steps and expectations, run on the simulated table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from drivers.errors import TiltboardError
from firmware_host.config import read_text
from games.base import RulesError

HELD, FAILED, UNUSABLE = 0, 1, 2


@click.command(
    name="scenario", epilog="Example: tiltboard scenario tests/sim/scenarios/turn.scenario"
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per step.")
@click.option("--profile", default="plate-10", show_default=True, help="Table profile.")
@click.option("--seed", default=1, show_default=True, help="Another table, other hands.")
def command(file: Path, as_json: bool, profile: str, seed: int) -> None:
    """Run FILE on the simulated table, in virtual time.

    Exit status 0: every expectation held. 1: one did not. 2: the file cannot be read, or a step is
    one that no hand could do. The language: docs/scenarios.md.
    """
    try:
        sys.exit(_run(file, as_json, profile, seed))
    except (TiltboardError, RulesError) as error:
        click.echo(f"tiltboard scenario: {error}", err=True)
        sys.exit(UNUSABLE)


def _run(file: Path, as_json: bool, profile: str, seed: int) -> int:
    import msgspec

    from firmware_host.profile import load_profile
    from hw_sim.scenario.parse import parse_scenario
    from hw_sim.scenario.run import ScenarioRunner
    from hw_sim.scenario.simulated import SimulatedHands
    from hw_sim.session import SimSession

    steps = parse_scenario(str(file), read_text(file))
    table = load_profile(profile)
    at = f"{file}"
    with (
        tempfile.TemporaryDirectory() as state,
        SimSession(table, Path(state), seed=seed) as session,
    ):
        try:
            for number, report in enumerate(ScenarioRunner(SimulatedHands(session)).run(steps)):
                if as_json:
                    click.echo(msgspec.json.encode(report.as_json()))
                if report.failure is not None:
                    click.echo(f"{file}:{report.step.line}: {report.failure}", err=True)
                    return FAILED
                at = f"{file}:{steps[min(number + 1, len(steps) - 1)].line}"
        except (TiltboardError, RulesError) as error:
            click.echo(f"{at}: {error}", err=True)
            return UNUSABLE
        if not as_json:
            click.echo(f"{file}: {len(steps)} steps held, {session.clock.now():.1f} s at the table")
    return HELD
