"""``tiltboard doctor`` and ``unit``: what the table needs, what was found, how to mend the rest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import CONFIG, PROFILE, STATE
from firmware_host.cli.speech import as_run, say, speak
from firmware_host.cli.tables import FAULTS, SEED, simulated_table
from firmware_host.messages import Catalogue, text

if TYPE_CHECKING:
    from firmware_host.commissioning.findings import Finding
    from firmware_host.config.profile import Profile


MARKS = {"ok": text("ok"), "note": text("note"), "problem": text("PROBLEM")}


@click.command(name="doctor", epilog="Example: tiltboard doctor --profile plate-10")
@CONFIG
@PROFILE
@STATE
@click.option("--sim", "simulated", is_flag=True, help="Check the simulated table.")
@SEED
@FAULTS
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line (docs/bring-up.md).")
def command(
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    seed: int,
    faults: Sequence[str],
    as_json: bool,
) -> None:
    """Check everything that the table needs: parts, permissions, settings, disk, clock.

    Changes nothing. Each problem comes with its remedy; the exit status is 1 if there is any.
    """
    from drivers.clock import SystemClock
    from firmware_host.config.paths import default_state_directory
    from firmware_host.doctor.doctor import examine, examine_computer, read_configured
    from firmware_host.doctor.machine import this_machine

    of_service = state is not None and not simulated  # another's folder, and his kernels
    machine = this_machine(SystemClock(), for_service=of_service)
    configured = read_configured(config, profile)
    catalogue = speak(configured.language)
    if state is None:
        state = default_state_directory().joinpath(*(("sim",) if simulated else ()))
    if configured.table is None:
        findings = examine_computer(machine)
    else:
        parts = partial(_parts, configured.table, state, faults, seed=seed, simulated=simulated)
        findings = examine(
            configured.table,
            machine,
            state,
            parts,
            simulated=simulated,
            speaker=configured.speaker,
        )
    if _tell(chain(configured.findings, findings), catalogue, as_json=as_json, simulated=simulated):
        sys.exit(1)


def _parts(
    table: Profile, state: Path, faults: Sequence[str], *, seed: int, simulated: bool
) -> list[Finding]:
    from firmware_host.config.errors import ConfigError
    from firmware_host.config.paths import CALIBRATION_NAME
    from firmware_host.doctor.part_check import check_parts
    from firmware_host.perception.calibration import read_calibration

    try:
        stored = read_calibration(state / CALIBRATION_NAME, table)
    except ConfigError:
        stored = None  # said already, where the state folder was looked at
    if simulated:
        with simulated_table(table, seed, faults) as sim:
            return check_parts(table, sim.buses, stored)
    from firmware_host.commissioning.findings import of_error
    from firmware_host.config.locks import BoardInUseError, own_board

    try:
        with own_board(table) as buses:
            return check_parts(table, buses, stored)
    except BoardInUseError as error:
        return [of_error("parts", error)]


def _tell(
    findings: Iterable[Finding], catalogue: Catalogue, *, as_json: bool, simulated: bool
) -> int:
    """Print each as it comes; returns how many problems there are."""
    from firmware_host.commissioning.findings import subject_of

    problems = 0
    for finding in findings:
        plain = finding.plain(catalogue)
        for key in ("found", "remedy"):
            plain[key] = plain[key] and as_run(plain[key], simulated=simulated)
        problems += plain["state"] == "problem"
        if as_json:
            click.echo(json.dumps(plain))
            continue
        mark = catalogue.translate(MARKS[plain["state"]])
        subject = catalogue.translate(subject_of(plain["subject"]))
        click.echo(f"{mark:<8} {subject:<13} {plain['found']}")
        if plain["remedy"]:
            click.echo(f"{'':<23}-> {plain['remedy']}")
    if not as_json:
        say(text("1 problem.") if problems == 1 else text("{count} problems.", count=problems))
    return problems


@click.command(name="unit", epilog="Example: tiltboard unit --profile plate-10")
@CONFIG
@PROFILE
def unit(config: Path | None, profile: str | None) -> None:
    """Print the drop-in of tiltboard.service: devices, groups and networks of a table.

    `make install-service` runs this and installs what it prints.
    """
    from firmware_host.config.needs import drop_in
    from firmware_host.config.profile import load_profile
    from firmware_host.config.settings import load_settings

    settings = load_settings(config)
    click.echo(drop_in(load_profile(profile or settings.profile), settings), nl=False)
