"""``tiltboard doctor``: checks whether the Pi has everything that a table needs, and suggests
remedies.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from math import degrees, hypot
from pathlib import Path
from statistics import median

import click

from tiltboard.drivers.attitude import FLAT
from tiltboard.drivers.buses import Buses
from tiltboard.drivers.errors import how_to_install
from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.cli.cli_output import as_run, say
from tiltboard.firmware_host.cli.hardware import FAULTS, SEED, simulated_table
from tiltboard.firmware_host.cli.options import CONFIG, PROFILE, STATE, state_folder
from tiltboard.firmware_host.cli.pi_checks import Machine, Service, running_table, this_machine
from tiltboard.firmware_host.commissioning import findings
from tiltboard.firmware_host.commissioning.findings import (
    Finding,
    note,
    of_error,
    of_faults,
    ok,
    problem,
)
from tiltboard.firmware_host.commissioning.mounting import describe, up_axis
from tiltboard.firmware_host.commissioning.placing import NOISY_MT, OFF_SCALE_MT
from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, read_progress
from tiltboard.firmware_host.commissioning.results import (
    MUX_INPUTS,
    dead_multiplexer,
    dead_multiplexers,
    to_mend,
)
from tiltboard.firmware_host.commissioning.sweep import unfinished_sweep
from tiltboard.firmware_host.config import pi_board
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.errors import ConfigError, JournalError, catalogue_of
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, JOURNAL_NAME
from tiltboard.firmware_host.config.pi_board import BoardInUseError, Need, own_board
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.settings import (
    SYSTEM_FILE,
    Settings,
    files_of,
    load_settings,
    settings_file,
)
from tiltboard.firmware_host.host.sensing import FrameWatch
from tiltboard.firmware_host.journal.database import EVERY_PAGE, WAL_SUFFIXES, sound_date
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.messages import ENGLISH, Message, text
from tiltboard.firmware_host.perception.calibration import Calibration, read_calibration
from tiltboard.firmware_host.perception.motion_gate import LEVEL_UNKNOWN_RAD
from tiltboard.firmware_host.service.supply import COOL, HOT, SAGS, SUPPLY, is_slowed, supply_sags
from tiltboard.ground.clock import SystemClock

OLDEST_PYTHON = (3, 11)
# systemd-timesyncd creates this file when it has synchronised the clock
# (systemd-timesyncd.service(8)).
SYNCHRONISED = "run/systemd/timesync/synchronized"
# A clock with an earlier time than this, in seconds since 1970-01-01 UTC, is wrong. The threshold
# is 2026-01-01, before this program was written.
EARLIEST_S = 1_767_225_600.0


def read_configured(
    config: Path | None, profile: str | None
) -> tuple[list[Finding], Settings, Profile | None]:
    """Return findings about the settings, the settings themselves, and the table's profile. The
    profile is None if it cannot be read.

    ``config`` is the settings file, or None for the default file. ``profile`` overrides the profile
    in the settings.
    """
    path = settings_file(config)
    found = [
        ok("settings", text("There is no settings file, so the defaults apply."))
        if path is None
        else ok("settings", text("{path} can be read.", path=path))
    ]
    try:
        settings = load_settings(config)
        catalogue_of(settings.language or ENGLISH)
    except ConfigError as error:
        found = [of_error("settings", error)]
        settings = Settings()
    try:
        table = load_profile(profile or settings.profile)
    except ConfigError as error:
        return [*found, of_error("table", error)], settings, None
    found.append(ok("table", text("{name}: {title}", name=table.name, title=text(table.title))))
    return found, settings, table


def examine(
    profile: Profile,
    machine: Machine,
    state: Path,
    check_parts: Callable[[], Sequence[Finding]],
    *,
    simulated: bool = False,
    speaker: str | None = None,
) -> Iterator[Finding]:
    """Yield all findings. ``check_parts`` is a function that checks the table's parts. ``speaker``
    is the text-to-speech program in the settings, or None. For a ``simulated`` table, the hardware
    of this machine is not checked.
    """
    yield from examine_computer(machine)
    needs = (*profile.needs(machine.model or ""), *pi_board.needs_of_speaker(speaker))
    here = simulated or machine.model is not None or any(n.part == "node" for n in needs)
    if not here:
        yield problem(
            "hardware",
            text(
                "There is no Raspberry Pi here, and so no table: this is {system}.",
                system=machine.system,
            ),
            text("To play without one: tiltboard sim. To check that: tiltboard doctor --sim"),
        )
    elif not simulated:
        service = machine.service()
        yield from _boot_config(machine, needs)
        yield from _packages(machine, needs)
        yield from _devices(machine, needs, by_hand=service is None)
        yield from _service(service, machine, needs)
        here = any(machine.may_use(need.device) for need in needs)
    yield _clock(machine, simulated=simulated)
    if machine.compiled is False:
        yield note(
            "engines",
            text(
                "The bots' programs are not compiled yet; once they are, bots think many times"
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
                "The table is running (process {number}), and only it can use its parts.",
                number=holder,
            ),
            text("Its page shows what it lacks. To check the parts here, stop it first."),
        )
    elif here:
        yield from check_parts()
    if not simulated:
        # This check covers the last two seconds. During this time, the table's parts were checked.
        sags = supply_sags(machine.root)
        if sags:
            yield problem("supply", SAGS, SUPPLY)
        elif sags is not None:
            yield ok("supply", text("The Pi has had its 5 V for the last two seconds."))
        if is_slowed(machine.root):
            yield note("supply", HOT, COOL)


def examine_computer(machine: Machine) -> Iterator[Finding]:
    """Yield findings about the machine: model, operating system and Python."""
    model = machine.model or text("not a Raspberry Pi")
    yield ok("computer", text("{model}, {system}", model=model, system=machine.system))
    version = ".".join(map(str, machine.python))
    if machine.python >= OLDEST_PYTHON:
        yield ok("computer", text("Python {version}", version=version))
        return
    old = text("Python is {version}; 3.11 or newer is needed.", version=version)
    yield problem("computer", old, text("Update the operating system."))


def _boot_config(machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    wanted = {line: need for need in needs for line in (*need.lines, *need.advised)}
    if not wanted or machine.model is None:
        return
    boot = machine.boot_config()
    for line in (line for line in wanted if line not in boot.sure):
        part, file = wanted[line].part, f"/{boot.name}"
        remedy = text(
            "Write [all] and below it {line} at the end of {file}, and restart the Pi.",
            line=line,
            file=file,
        )
        if line in boot.perhaps:
            depends = text(
                "{line}, for the {part}, stands in {file} under a condition that this check does"
                " not know.",
                line=line,
                part=part,
                file=file,
            )
            yield note("config.txt", depends, remedy)
        elif line in wanted[line].lines:
            lacks = text("{line} is missing; the {part} needs it.", line=line, part=part)
            yield problem("config.txt", lacks, remedy)
        else:
            worse = text(
                "{line} is missing; the {part} works better with it.", line=line, part=part
            )
            yield note("config.txt", worse, remedy)
    for line in boot.unread:
        blanks = text("The Pi does not read this line because of its spaces: {line}", line=line)
        yield note("config.txt", blanks, text("Write it without spaces around the first =."))
    if boot.sure.issuperset(wanted):
        yield ok(
            "config.txt", text("/{file} has all {count} lines.", file=boot.name, count=len(wanted))
        )


def _packages(machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    for modules in dict.fromkeys(modules for need in needs for modules in need.modules):
        present = [name for name in modules if machine.has_package(name)]
        if present:
            yield ok("packages", text("{package} is installed.", package=present[0]))
        else:
            missing = text("The Python package {package} is missing.", package=modules[0])
            how = text("Run: {command}", command=how_to_install(modules[0]))
            yield problem("packages", missing, how)


def _devices(machine: Machine, needs: Sequence[Need], *, by_hand: bool) -> Iterator[Finding]:
    """Yield findings about device files. ``by_hand`` is true if the user starts the table, and
    false if the systemd service starts the table.
    """
    for device, need in {need.device: need for need in needs}.items():
        if not machine.path(device).exists():
            parts = ", ".join(n.part for n in needs if n.device == device)
            gone = text("There is no {device}, for the {parts}.", device=device, parts=parts)
            yield problem("devices", gone, _how_to_have(need))
        elif machine.may_use(device):
            yield ok("devices", text("{device} may be used.", device=device))
        else:
            who = {"user": machine.user, "group": need.kind.group}
            if need.kind.group in machine.groups:
                remedy = text(
                    "It does not belong to the group {group}: install the udev rules with"
                    " sudo make install-service, and restart the Pi.",
                    **who,
                )
            elif need.kind.group in machine.member_of:
                remedy = text("Log out and in again: {user} has joined {group} since.", **who)
            else:
                remedy = text("Run: sudo usermod -aG {group} {user}, then log in again.", **who)
            kept = text("{user} may not use {device}.", user=machine.user, device=device)
            yield (problem if by_hand else note)("devices", kept, remedy)


def _how_to_have(need: Need) -> Message:
    """Return the instruction that makes a missing device file available."""
    if need.part == "node":
        return text("Plug the plate in, or name its port in the profile.")
    # The setting in config.txt enables the bus but does not create its device file
    # (raspberrypi/linux 5979).
    if need.kind is pi_board.I2C:
        return text(
            "Run: echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf, then see"
            " config.txt above and restart the Pi."
        )
    if need.lines:
        return text("See config.txt above; then restart the Pi.")
    if need.kind is pi_board.SOUND:
        return text("Plug the loudspeaker's sound card in, or take speaker out of the settings.")
    return text("Update the Pi (sudo apt full-upgrade) and restart it.")


def _settings_of_service(service: Service, machine: Machine) -> Iterator[Finding]:
    """Yield a problem for each file that the service's user cannot read: the settings, and the
    files named in the settings.
    """
    own = machine.path(str(SYSTEM_FILE))
    if not own.exists():
        return
    try:
        named = files_of(load_settings(own))
    except ConfigError as error:
        yield of_error("service", error)
        return
    for path in map(Path, (str(own), *named)):
        there = path if path.is_relative_to(machine.root) else machine.path(str(path))
        if not service.may_read(there, machine.root):
            yield problem(
                "service",
                text("The service's user {user} cannot read {path}.", user=service.user, path=path),
                text("Run: sudo make install-service. Other files than a profile put beside {path},"
                     " readable for {user}.", path=SYSTEM_FILE, user=service.user),
            )  # fmt: skip


def _service(service: Service | None, machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    """Yield findings about the service's access to its devices: the unit's permissions, and the
    owner and mode of each device.
    """
    if service is None:
        yield note(
            "service",
            text("The service is not installed, or systemd does not answer: it was not checked."),
            text("To install it: sudo make install-service"),
        )
        return
    found = list(_settings_of_service(service, machine))
    for device, need in {need.device: need for need in needs}.items():
        path, who = machine.path(device), {"user": service.user, "device": device}
        if not service.unit_allows(device, need.kind):
            kept = text("The service may not use {device}: its unit keeps it.", device=device)
        elif path.exists() and not service.may_open(path):
            kept = text("The service's user {user} may not use {device}.", **who)
        else:
            continue
        found.append(problem("service", kept, text("Run: sudo make install-service")))
    wanted = list(dict.fromkeys(modules for need in needs for modules in need.modules))
    try:
        lacking = service.lacks(name for modules in wanted for name in modules)
    except OSError as error:
        why = text("The service's Python could not be asked: {why}.", why=error.strerror or error)
        found.append(note("service", why))
        lacking = frozenset()
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


def _clock(machine: Machine, *, simulated: bool) -> Finding:
    if machine.date_s < EARLIEST_S:
        return problem(
            "clock",
            text("The clock is wrong: it is years behind."),
            text("Connect the Pi to the network, or set the clock: sudo timedatectl set-time ..."),
        )
    if not simulated and machine.model is not None and machine.read(SYNCHRONISED) is None:
        return note(
            "clock",
            text("The clock has not been set from the network since the start."),
            text("Games may be dated wrongly. See: timedatectl"),
        )
    date = datetime.datetime.fromtimestamp(sound_date(machine.date_s), datetime.UTC)
    return ok("clock", text("It says {date} UTC.", date=f"{date:%Y-%m-%d %H:%M}"))


# Checks of the table's parts that need no help from a person

# Number of scans in a check. During these scans a tilt sensor has enough time to start, and a
# failed part can be retried.
SCANS = 40
STILL_S = 0.02


def check_parts(
    profile: Profile, buses: Buses, calibration: Calibration | None = None
) -> list[Finding]:
    """Return at least one finding for each part of ``profile``."""
    plate = build_plate(profile, buses)
    if calibration is not None:
        plate.mount(calibration.orientation)
    watch, frames = FrameWatch(), []
    try:
        for number in range(SCANS):
            frames.append(plate.scan())
            if number == 0:
                plate.show([None] * profile.size)
            wrong = watch.update(frames[-1])
            buses.clock.sleep(STILL_S)
    finally:
        plate.close()
    last = frames[-1]
    faults = {fault.part: fault for fault in last.faults}
    answers = {"hall": _hall(profile, frames)}
    if profile.imu is not None:
        answers["imu"] = _imu(last, calibration)
    if profile.lights is not None:
        sent = text(
            "Bytes go out to {count} lights. See them with: tiltboard bringup", count=profile.size
        )
        answers["lights"] = iter([ok("lights", sent)])
    if profile.panel is not None:
        answers["panel"] = _panel(frozenset.intersection(*(frame.pressed for frame in frames)))
    found = [of_error(fault.part, fault) for fault in wrong]
    found += [each for each, _ in of_faults(faults.items())]
    for part, well in answers.items():
        if part not in faults:
            found += well
    return found


def _hall(profile: Profile, frames: Sequence[Frame]) -> Iterator[Finding]:
    frame = frames[-1]
    yield ok("hall", text("{count} sensors answer.", count=len(frame.field_mt)))
    names, places = profile.places, range(profile.size)
    check = text("Check their wires and their supply, one by one with: tiltboard bringup")
    off = {place for place in places if abs(frame.field_mt[place]) > OFF_SCALE_MT}
    if len(off) == profile.size:
        supply = text(
            "With a multimeter, at a row board: 3.3 V between 3V3A and GNDA, 1.65 V at the sensors'"
            " outputs; then each wire to the multiplexers."
        )
        yield problem("hall", text("No sensor is connected, or none has a supply."), supply)
        return
    dead = dead_multiplexers(profile, off)
    for mux in dead:
        yield dead_multiplexer(profile, mux, "hall")
    lone = [names[place] for place in sorted(off) if place // MUX_INPUTS not in dead]
    if lone:
        past = text(
            "These sensors read past the end of their scale: {places}.",
            places=findings.join_names(lone),
        )
        yield problem("hall", past, check)
    fields = [each.field_mt for each in frames if each.field_mt]
    if profile.measures and len(fields) > SCANS / 2:
        series = {i: each for i, each in enumerate(zip(*fields, strict=True)) if i not in off}
        still = [names[i] for i, readings in series.items() if len({*readings}) == 1]
        if still:
            stuck = text(
                "These sensors stand still, without even noise: {places}.",
                places=findings.join_names(still),
            )
            yield problem("hall", stuck, check)
        noisy = [names[i] for i, readings in series.items() if _noise_mt(readings) > NOISY_MT]
        if noisy:
            restless = text("These sensors are noisy: {places}.", places=findings.join_names(noisy))
            joints = text("Check their solder joints and the capacitors at their supply.")
            yield problem("hall", restless, joints)
    if frame.temperature_c is not None:
        yield ok("hall", text("The board is at {c:.0f} °C.", c=frame.temperature_c))


def _noise_mt(readings: Sequence[float]) -> float:
    """Return an estimate of the standard deviation of readings, in mT. The estimate is the median
    difference between consecutive readings, which is 0.95 standard deviations for normally
    distributed noise. A moving piece hardly affects the median.
    """
    return median(abs(after - before) for before, after in pairwise(readings))


def _imu(frame: Frame, calibration: Calibration | None) -> Iterator[Finding]:
    motion = frame.motion
    if motion is None:
        yield problem(
            "imu",
            text("The tilt sensor has not begun to measure."),
            text("Leave the table alone, and try again."),
        )
        return
    zero = None if calibration is None else calibration.level_rad
    if up_axis(motion.specific_force_m_s2) != "+z":
        if zero is not None:
            moved = text("The tilt sensor was turned since its last check.")
            yield problem("imu", moved, text("Run: tiltboard bringup --again edges"))
        else:
            lies = text("The tilt sensor does not lie flat with its face up.")
            yield note(
                "imu", lies, text("It may stay so: tiltboard bringup finds out how it lies.")
            )
        return
    x_rad, y_rad = zero or (0.0, 0.0)
    lean = hypot(motion.tilt_rad[0] - x_rad, motion.tilt_rad[1] - y_rad)
    found = text("The plate leans by {angle:.1f} degrees.", angle=degrees(lean))
    if lean > LEVEL_UNKNOWN_RAD:
        before = text("Level the plate before it is calibrated.")
        yield note("imu", found, before if zero is None else text("Level the plate."))
    else:
        yield ok("imu", found)
    if calibration is not None and calibration.orientation != FLAT:
        yield ok("imu", describe(calibration.orientation))


def _panel(held: frozenset[str]) -> Iterator[Finding]:
    """Yield findings about the buttons. ``held`` contains the buttons that were pressed in every
    scan.
    """
    if not held:
        yield ok("panel", text("No button is held down."))
    for button in sorted(held):
        yield problem(
            "panel",
            text("The button {button} is closed all the time.", button=button),
            text("Let go of it; else its wires touch, or it is wired to the wrong pin."),
        )


# Checks of stored data: state folder, journal, calibration and free disk space.

MIN_FREE_BYTES = 20_000_000  # Minimum free space in bytes, enough for a journal of 5,000 games.
GOOD_FREE_BYTES = 200_000_000
DAY_S = 86_400.0


def check_stored(profile: Profile, machine: Machine, state: Path) -> Iterator[Finding]:
    """Yield findings about the state folder ``state``, which can be missing. No file is changed."""
    # The method exists() would raise an exception if a folder cannot be accessed by this user.
    existing = next(path for path in (state, *state.parents) if os.access(path, os.F_OK))
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        yield problem(
            "state",
            text("{user} may not write in {folder}.", user=machine.user, folder=existing),
            text("Choose another folder with --state, or let this user write there."),
        )
    elif existing != state:
        yield ok("state", text("{folder} will be made.", folder=state))
    else:
        yield ok("state", text("Games are kept in {folder}.", folder=state))
    free = machine.free_bytes(existing)
    mb, more = free // 1_000_000, text("Make room on the disk.")
    if free < MIN_FREE_BYTES:
        short = text("Only {mb} MB are free; soon the table cannot save moves.", mb=mb)
        yield problem("disk", short, more)
    elif free < GOOD_FREE_BYTES:
        yield note("disk", text("Only {mb} MB are free.", mb=mb), more)
    else:
        yield ok("disk", text("{gb:.1f} GB are free.", gb=free / 1e9))
    if existing != state or not existing.is_dir():
        return
    yield from _journal(state / JOURNAL_NAME, machine.date_s)
    for path in sorted(state.glob(f"{JOURNAL_NAME}.damaged-*")):
        if not path.name.endswith(WAL_SUFFIXES):
            kept = text("An earlier, damaged journal is kept as {name}.", name=path.name)
            again = text("Bring its games back from a backup: tiltboard restore FILE")
            yield note("journal", kept, again)
    yield from _calibration(state / CALIBRATION_NAME, profile)
    # Report a bring-up that was interrupted, or that found a fault.
    go_on = text("Continue with: tiltboard bringup")
    progress = read_progress(state / PROGRESS_NAME, profile)
    left = unfinished_sweep(profile, state)
    if left is not None:
        interrupted = text(
            "It was interrupted after {done} of {total} steps.", done=left[0], total=left[1]
        )
        yield note("bring-up", interrupted, go_on)
    elif progress is not None and (progress.wanted or to_mend(profile, progress)):
        yield note("bring-up", text("It found something to fix."), go_on)


def _journal(path: Path, date_s: float) -> Iterator[Finding]:
    if not path.exists():
        yield ok("journal", text("There are no games yet."))
        return
    try:
        with JournalReader.open_read_only(path, most_pages=EVERY_PAGE) as reader:
            newest = reader.games(1)
    except JournalError as error:
        yield of_error("journal", error)
        return
    count = newest[0].id if newest else 0
    yield ok(
        "journal",
        text("It is whole, and holds one game.")
        if count == 1
        else text("It is whole, and holds {count} games.", count=count),
    )
    if newest and newest[0].changed_s > date_s + DAY_S:
        day = datetime.datetime.fromtimestamp(newest[0].changed_s, datetime.UTC).date()
        yield problem(
            "clock",
            text("The newest game is dated {day}, after today.", day=day),
            text("Set the clock; games that were dated wrongly stay so. See: timedatectl"),
        )


def _calibration(path: Path, profile: Profile) -> Iterator[Finding]:
    calibrate = text("Set the table up: tiltboard bringup")
    try:
        calibration = read_calibration(path, profile)
    except ConfigError as error:
        yield of_error("calibration", error)
        return
    if calibration is None:
        yield note("calibration", text("The table has not been calibrated."), calibrate)
        return
    left = findings.left_out(calibration)
    unknown = [
        place
        for index, place in enumerate(profile.places)
        if not calibration.zeroed[index] and index not in left
    ]
    if unknown:
        zeros = text("The zero of {places} is not known.", places=findings.join_names(unknown))
        yield note("calibration", zeros, calibrate)
    elif profile.measures and set(calibration.gain) == {1.0}:
        zeros = text("Every sensor has its zero; none has been measured with a magnet.")
        yield note("calibration", zeros, calibrate)
    else:
        if not left:
            yield ok("calibration", text("Every sensor is calibrated."))
        for why in findings.worth_a_look(profile, calibration):
            yield note("calibration", why)


# The command ``tiltboard doctor``.

MARKS = {"ok": text("ok"), "note": text("note"), "problem": text("PROBLEM")}


@click.command(name="doctor", epilog="Example: tiltboard doctor --profile plate-10")
@CONFIG
@PROFILE
@STATE
@click.option("--sim", "simulated", is_flag=True, help="Check the simulated table.")
@SEED
@FAULTS
@click.option(
    "--without-parts", is_flag=True, help="Skip the parts, for example before they are wired."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line (docs/bring-up.md)."
)
def command(
    *,
    config: Path | None,
    profile: str | None,
    state: Path | None,
    simulated: bool,
    seed: int,
    faults: Sequence[str],
    without_parts: bool,
    as_json: bool,
) -> None:
    """Check everything that the table needs: parts, permissions, settings, disk, clock.

    No file is changed. Each problem is shown with its remedy. The exit status is 1 if there is a
    problem.
    """
    # The service runs as another user, who has a separate set of compiled kernels.
    of_service = state is not None and not simulated
    machine = this_machine(SystemClock(), for_service=of_service)
    configured, settings, table = read_configured(config, profile)
    state = state_folder(state, simulated=simulated)
    if table is None:
        examined = examine_computer(machine)
    else:
        parts = partial(_parts, table, state, faults, seed=seed, simulated=simulated)
        if without_parts:
            parts = partial(list[Finding])
        speaker = settings.speaker
        examined = examine(table, machine, state, parts, simulated=simulated, speaker=speaker)
    problems = 0
    for finding in chain(configured, examined):
        plain = finding.plain()
        for key in ("found", "remedy"):
            plain[key] = plain[key] and as_run(plain[key], simulated=simulated)
        problems += plain["state"] == "problem"
        if as_json:
            click.echo(json.dumps(plain))
            continue
        mark = str(MARKS[plain["state"]])
        subject = str(findings.subject_of(plain["subject"]))
        click.echo(f"{mark:<8} {subject:<13} {plain['found']}")
        if plain["remedy"]:
            click.echo(f"{'':<23}-> {plain['remedy']}")
    if not as_json:
        say(text("1 problem.") if problems == 1 else text("{count} problems.", count=problems))
    if problems:
        sys.exit(1)


def _parts(
    table: Profile, state: Path, faults: Sequence[str], *, seed: int, simulated: bool
) -> list[Finding]:
    try:
        stored = read_calibration(state / CALIBRATION_NAME, table)
    except (ConfigError, OSError):
        stored = None  # The check of the state folder has already reported this error.
    if simulated:
        with simulated_table(table, seed, faults) as sim:
            return check_parts(table, sim.buses, stored)
    try:
        with own_board(table.needs()) as buses:
            return check_parts(table, buses, stored)
    except BoardInUseError as error:
        return [of_error("parts", error)]
