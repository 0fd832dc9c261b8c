"""``tiltboard doctor``: all that a table needs of its computer, and what is wrong with it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.errors import how_to_install
from firmware_host.commissioning.findings import Finding, note, of_error, ok, problem
from firmware_host.config.errors import ConfigError
from firmware_host.config.needs import I2C, SOUND, Need, needs_of_speaker
from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.settings import Settings, load_settings, settings_file
from firmware_host.doctor.machine import (
    CONFIG_FILES,
    Machine,
    Service,
    core_clock_stands_still,
    running_table,
    settings_in,
)
from firmware_host.doctor.stored import check_stored
from firmware_host.messages import ENGLISH, Catalogue, Message, UnknownLanguageError, text
from firmware_host.service.supply import COOL, HOT, SAGS, SUPPLY, is_slowed, supply_sags

OLDEST_PYTHON = (3, 11)
SYNCHRONISED = "run/systemd/timesync/synchronized"  # systemd-timesyncd.service(8)
# No clock that runs right shows a time before this program was written (2026-01-01 UTC).
EARLIEST_S = 1_767_225_600.0


@dataclass(frozen=True, slots=True)
class Configured:
    """``table`` None: there is none to be read."""

    findings: tuple[Finding, ...]
    language: str | None
    table: Profile | None
    speaker: str | None = None


def read_configured(config: Path | None, profile: str | None) -> Configured:
    """``config``, or the file in use; ``profile`` comes before the one in the settings."""
    path = settings_file(config)
    settings = Settings()
    try:
        settings = load_settings(config)
        Catalogue.load(settings.language or ENGLISH)
    except (ConfigError, UnknownLanguageError) as error:
        found = [of_error("settings", error)]
        settings = Settings()
    else:
        found = [
            ok("settings", text("There is no settings file; what is usual holds."))
            if path is None
            else ok("settings", text("{path} can be read.", path=path))
        ]
    try:
        table = load_profile(profile or settings.profile)
    except ConfigError as error:
        found.append(of_error("table", error))
        return Configured(tuple(found), settings.language, None)
    found.append(ok("table", text("{name}: {title}", name=table.name, title=text(table.title))))
    return Configured(tuple(found), settings.language, table, settings.speaker)


def examine_service(
    service: Service | None, machine: Machine, needs: Sequence[Need]
) -> Iterator[Finding]:
    """By what systemd has loaded, and each device's owner and mode."""
    if service is None:
        yield note(
            "service",
            text("The service is not installed, or systemd does not answer: it was not checked."),
            text("To install it: sudo make install-service"),
        )
        return
    found: list[Finding] = []
    for need in {need.device: need for need in needs}.values():
        path = machine.path(need.device)
        if not service.unit_allows(need.device, need.kind):
            kept = text("The service may not use {device}: its unit keeps it.", device=need.device)
        elif path.exists() and not service.may_open(path):
            kept = text(
                "The service's user {user} may not use {device}.",
                user=service.user,
                device=need.device,
            )
        else:
            continue
        found.append(problem("service", kept, text("Run: sudo make install-service")))
    wanted = list(dict.fromkeys(modules for need in needs for modules in need.modules))
    try:
        lacking = service.lacks(name for modules in wanted for name in modules)
    except OSError as error:
        why = text("The service's Python could not be asked: {why}.", why=error.strerror or error)
        found.append(note("service", why))
        wanted = []
    for modules in wanted:
        if lacking.issuperset(modules):
            lacks = text("The service lacks the Python package {package}.", package=modules[0])
            remedy = text(
                "Run: {command} (with pip as /opt/tiltboard/bin/pip, as root); then:"
                " sudo systemctl restart tiltboard",
                command=how_to_install(modules[0]),
            )
            found.append(problem("service", lacks, remedy))
    well = text("The service, as {user}, may use all of it.", user=service.user)
    yield from found or [ok("service", well)]


def examine(
    profile: Profile,
    machine: Machine,
    state: Path,
    check_parts: Callable[[], Sequence[Finding]],
    *,
    simulated: bool = False,
    speaker: str | None = None,
) -> Iterator[Finding]:
    """Every finding, one after the other. ``check_parts``: asks the parts (setup.part_check).
    ``speaker``: as in the settings.

    ``simulated``: the table is, so nothing is asked of this computer's hardware.
    """
    yield from examine_computer(machine)
    here = True
    if not simulated:
        needs = (*profile.needs(machine.model or ""), *needs_of_speaker(speaker))
        here = machine.model is not None or any(n.part == "node" for n in needs)
        if here:
            yield from _boot_config(machine, needs)
            yield from _packages(machine, needs)
            service = machine.service()
            here = yield from _devices(machine, needs, by_hand=service is None)
            yield from examine_service(service, machine, needs)
        else:
            yield problem(
                "hardware",
                text(
                    "There is no Raspberry Pi here, and so no table: this is {system}.",
                    system=machine.system,
                ),
                text("To play without one: tiltboard sim. To check that: tiltboard doctor --sim"),
            )
    yield from _clock(machine, simulated=simulated)
    if machine.compiled is False:
        yield note(
            "engines",
            text(
                "The engines' kernels are not compiled yet; with them, engines think many times"
                " faster."
            ),
            text("Run: {command}", command="tiltboard warm"),
        )
    yield from check_stored(profile, machine, state)
    holder = running_table(state)
    if holder is not None:
        yield note(
            "parts",
            text(
                "The table is running (process {number}), and its parts are its own.", number=holder
            ),
            text("Its page shows what it lacks. To check the parts here, stop it first."),
        )
    elif here:
        yield from check_parts()
    if not simulated:
        yield from _supply(machine)


def examine_computer(machine: Machine) -> Iterator[Finding]:
    """What it is."""
    yield ok(
        "computer",
        text(
            "{model}, {system}",
            model=machine.model or text("not a Raspberry Pi"),
            system=machine.system,
        ),
    )
    version = ".".join(map(str, machine.python))
    if machine.python < OLDEST_PYTHON:
        yield problem(
            "computer",
            text("Python is {version}; 3.11 or newer is needed.", version=version),
            text("Update the operating system."),
        )
    else:
        yield ok("computer", text("Python {version}", version=version))


def _boot_config(machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    wanted = {line: need for need in needs for line in (*need.lines, *need.advised)}
    if not wanted or machine.model is None:
        return
    name = next((name for name in CONFIG_FILES if machine.read(name) is not None), None)
    if name is None:
        yield note(
            "config.txt",
            text("There is no {file} to look at.", file=f"/{CONFIG_FILES[0]}"),
            text("The devices below tell whether the buses are on."),
        )
        return
    found = settings_in(machine.read(name) or "", machine.model)
    still = core_clock_stands_still(found)
    missing = [n for n in wanted if n not in found and not (still and n.startswith("core_freq"))]
    for line in missing:
        remedy = text("Add {line} to {file}, and restart the Pi.", line=line, file=f"/{name}")
        part = wanted[line].part
        if line in wanted[line].lines:
            lacks = text("{line} is missing; the {part} needs it.", line=line, part=part)
            yield problem("config.txt", lacks, remedy)
        else:
            worse = text(
                "{line} is missing; the {part} works better with it.", line=line, part=part
            )
            yield note("config.txt", worse, remedy)
    if not missing:
        yield ok("config.txt", text("/{file} has all {count} lines.", file=name, count=len(wanted)))


def _packages(machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    for modules in dict.fromkeys(modules for need in needs for modules in need.modules):
        present = [name for name in modules if machine.has_package(name)]
        if present:
            yield ok("packages", text("{package} is installed.", package=present[0]))
        else:
            yield problem(
                "packages",
                text("The Python package {package} is missing.", package=modules[0]),
                text("Run: {command}", command=how_to_install(modules[0])),
            )


def _devices(
    machine: Machine, needs: Sequence[Need], *, by_hand: bool
) -> Generator[Finding, None, bool]:
    """Returns whether any device is there that could be asked. ``by_hand``: there is no service,
    so the table runs as this user or not at all.
    """
    usable = False
    for need in {need.device: need for need in needs}.values():
        parts = ", ".join(n.part for n in needs if n.device == need.device)
        if not machine.path(need.device).exists():
            remedy = (
                text("Plug the plate in, or name its port in the profile.")
                if need.part == "node"
                # raspberrypi/linux 5979: config.txt alone brings the bus, not its device file.
                else text(
                    "Run: echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf, then see"
                    " config.txt above and restart the Pi."
                )
                if need.kind is I2C
                else text("See config.txt above; then restart the Pi.")
                if need.lines
                else text(
                    "Plug the loudspeaker's sound card in, or take speaker out of the settings."
                )
                if need.kind is SOUND
                else text("Update the Pi (sudo apt full-upgrade) and restart it.")
            )
            yield problem(
                "devices",
                text("There is no {device}, for the {parts}.", device=need.device, parts=parts),
                remedy,
            )
        elif machine.may_use(machine.path(need.device)):
            usable = True
            yield ok("devices", text("{device} may be used.", device=need.device))
        else:
            yield _forbidden(machine, need, problem if by_hand else note)
    return usable


def _forbidden(
    machine: Machine, need: Need, kind: Callable[[str, Message, Message], Finding]
) -> Finding:
    found = text("{user} may not use {device}.", user=machine.user, device=need.device)
    if need.kind.group in machine.groups:
        remedy = text(
            "It does not belong to the group {group}: install the udev rules with"
            " sudo make install-service, and restart the Pi.",
            group=need.kind.group,
        )
    elif need.kind.group in machine.member_of:
        remedy = text(
            "Log out and in again: {user} has joined {group} since.",
            user=machine.user,
            group=need.kind.group,
        )
    else:
        remedy = text(
            "Run: sudo usermod -aG {group} {user}, then log in again.",
            user=machine.user,
            group=need.kind.group,
        )
    return kind("devices", found, remedy)


def _supply(machine: Machine) -> Iterator[Finding]:
    """Of the Pi, in the last two seconds, in which the parts were asked."""
    sags = supply_sags(machine.root)
    if sags:
        yield problem("supply", SAGS, SUPPLY)
    elif sags is not None:
        yield ok("supply", text("The Pi has had its 5 V for the last two seconds."))
    if is_slowed(machine.root):
        yield note("supply", HOT, COOL)


def _clock(machine: Machine, *, simulated: bool) -> Iterator[Finding]:
    if machine.date_s < EARLIEST_S:
        yield problem(
            "clock",
            text("The clock is wrong: it is years behind."),
            text("Connect the Pi to the network, or set the clock: sudo timedatectl set-time ..."),
        )
    elif not simulated and machine.model is not None and machine.read(SYNCHRONISED) is None:
        yield note(
            "clock",
            text("The clock has not been set from the network since the start."),
            text("Games may be dated wrongly. See: timedatectl"),
        )
    else:
        date = datetime.datetime.fromtimestamp(machine.date_s, datetime.UTC)
        yield ok("clock", text("It says {date} UTC.", date=f"{date:%Y-%m-%d %H:%M}"))
