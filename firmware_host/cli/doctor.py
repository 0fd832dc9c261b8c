"""``tiltboard doctor`` and ``unit``: what the table needs, what was found, how to mend the rest."""

from __future__ import annotations

import ipaddress
import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import click

from drivers.clock import SystemClock
from firmware_host.cli.computer import this_machine
from firmware_host.cli.examine import check_parts, examine, examine_computer, read_configured
from firmware_host.cli.options import CONFIG, PROFILE, STATE, games_folder
from firmware_host.cli.speech import as_run, say, speak
from firmware_host.cli.tables import FAULTS, SEED, simulated_table
from firmware_host.commissioning.findings import Finding, of_error, subject_of
from firmware_host.config.errors import ConfigError
from firmware_host.config.locks import BoardInUseError, own_board
from firmware_host.config.needs import needs_of_speaker
from firmware_host.config.paths import CALIBRATION_NAME
from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.settings import Settings, broker_address, load_settings
from firmware_host.messages import Catalogue, text
from firmware_host.perception.calibration import read_calibration

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
    of_service = state is not None and not simulated  # another's folder, and his kernels
    machine = this_machine(SystemClock(), for_service=of_service)
    configured, settings, table = read_configured(config, profile)
    catalogue = speak(settings.language)
    state = games_folder(state, simulated=simulated, make=False)
    if table is None:
        findings = examine_computer(machine)
    else:
        parts = partial(_parts, table, state, faults, seed=seed, simulated=simulated)
        speaker = settings.speaker
        findings = examine(table, machine, state, parts, simulated=simulated, speaker=speaker)
    told = chain(configured, findings)
    if _print(told, catalogue, as_json=as_json, simulated=simulated):
        sys.exit(1)


def _parts(
    table: Profile, state: Path, faults: Sequence[str], *, seed: int, simulated: bool
) -> list[Finding]:
    try:
        stored = read_calibration(state / CALIBRATION_NAME, table)
    except ConfigError:
        stored = None  # said already, where the state folder was looked at
    if simulated:
        with simulated_table(table, seed, faults) as sim:
            return check_parts(table, sim.buses, stored)
    try:
        with own_board(table) as buses:
            return check_parts(table, buses, stored)
    except BoardInUseError as error:
        return [of_error("parts", error)]


def _print(
    findings: Iterable[Finding], catalogue: Catalogue, *, as_json: bool, simulated: bool
) -> int:
    """Print each as it comes; returns how many problems there are."""
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


# RFC 1918, RFC 4193 and link-local: what a household's network uses
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
)


def drop_in(profile: Profile, settings: Settings) -> str:
    """A drop-in for tiltboard.service."""
    needs = (*profile.needs(), *needs_of_speaker(settings.speaker))
    groups = dict.fromkeys(need.kind.group for need in needs)
    allowed = dict.fromkeys(name for need in needs for name in need.kind.allow)
    lines = [
        f"# Of profile {profile.name} and the settings; written anew by: make install-service",
        "[Service]",
        f"SupplementaryGroups={' '.join(groups)}",
        *(f"DeviceAllow={name} rw" for name in allowed),
    ]
    if not ipaddress.ip_address(settings.host).is_loopback:
        lines += [
            "# The setting host opens the page to the network: to a household's own only.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS)}",
        ]
    if settings.far.broker is not None:
        near = _in_the_house(broker_address(settings.far.broker)[0])
        lines += [
            "# The setting far.broker.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS) if near else 'any'}",
        ]
    return "\n".join(lines) + "\n"


def _in_the_house(host: str) -> bool:
    """Whether a household's own network has that name or address."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host.endswith(".local") or "." not in host


@click.command(name="unit", epilog="Example: tiltboard unit --profile plate-10")
@CONFIG
@PROFILE
def unit(config: Path | None, profile: str | None) -> None:
    """Print the drop-in of tiltboard.service: devices, groups and networks of a table.

    `make install-service` runs this and installs what it prints.
    """
    settings = load_settings(config)
    click.echo(drop_in(load_profile(profile or settings.profile), settings), nl=False)
