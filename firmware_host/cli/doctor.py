"""``tiltboard doctor``: what the table needs, what was found, and how to mend the rest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import CONFIG, PROFILE, STATE
from firmware_host.cli.speech import say, speak
from firmware_host.messages import Catalogue, text

if TYPE_CHECKING:
    from firmware_host.profile import Profile
    from firmware_host.setup.findings import Finding

MARKS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@click.command(name="doctor", epilog="Example: tiltboard doctor --profile plate-10")
@CONFIG
@PROFILE
@STATE
@click.option("--sim", "simulated", is_flag=True, help="Check the simulated table.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    as_json: bool,
) -> None:
    """Check everything that the table needs: parts, permissions, settings, disk, clock.

    Changes nothing. Each problem comes with its remedy; the exit status is 1 if there is any.
    """
    from drivers.clock import SystemClock
    from firmware_host.profile import load_profile
    from firmware_host.settings import load_settings
    from firmware_host.setup.doctor import examine
    from firmware_host.setup.machine import this_machine
    from firmware_host.state import default_state_directory

    settings = load_settings(config)
    catalogue = speak(settings.language)
    table = load_profile(profile or settings.profile)
    if state is None:
        state = default_state_directory().joinpath(*(("sim",) if simulated else ()))
    findings = examine(
        table,
        this_machine(SystemClock()),
        state,
        lambda: _parts(table, state, simulated=simulated),
        simulated=simulated,
    )
    if _tell(findings, catalogue, as_json=as_json):
        sys.exit(1)


def _parts(table: Profile, state: Path, *, simulated: bool) -> list[Finding]:
    from firmware_host.calibration_store import CalibrationStore
    from firmware_host.setup.part_check import check_parts
    from firmware_host.state import CALIBRATION_NAME

    stored = CalibrationStore(state / CALIBRATION_NAME, table).loaded
    if simulated:
        from hw_sim.table import SimTable

        with SimTable(table) as sim:
            return check_parts(table, sim.buses, stored)
    from firmware_host.board_lock import BoardInUseError, own_board
    from firmware_host.setup.findings import of_error

    try:
        with own_board(table) as buses:
            return check_parts(table, buses, stored)
    except BoardInUseError as error:
        return [of_error("parts", error)]


def _tell(findings: Iterable[Finding], catalogue: Catalogue, *, as_json: bool) -> int:
    """Print each as it comes; returns how many problems there are."""
    problems = 0
    for finding in findings:
        plain = finding.plain(catalogue)
        problems += plain["state"] == "problem"
        if as_json:
            click.echo(json.dumps(plain))
            continue
        click.echo(f"{MARKS[plain['state']]}  {plain['subject']:<12} {plain['found']}")
        if plain["remedy"]:
            click.echo(f"{'':<22} -> {plain['remedy']}")
    if not as_json:
        say(text("1 problem.") if problems == 1 else text("{count} problems.", count=problems))
    return problems
