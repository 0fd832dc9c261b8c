"""The doctor's look at what is kept: state folder, journal, calibration, room on the disk."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator
from pathlib import Path

from firmware_host.commissioning.account import to_mend
from firmware_host.commissioning.findings import (
    Finding,
    left_out,
    note,
    of_error,
    ok,
    problem,
    worth_a_look,
)
from firmware_host.commissioning.progress import PROGRESS_NAME, read_progress
from firmware_host.commissioning.sweep import unfinished
from firmware_host.config.errors import ConfigError, JournalError
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.doctor.machine import Machine
from firmware_host.journal import JournalReader
from firmware_host.journal.database import CHECKED_PAGES, check_pages, connect, translated
from firmware_host.messages import text
from firmware_host.perception.calibration import read_calibration

LEAST_FREE_BYTES = 20_000_000  # a journal of 5,000 games
GOOD_FREE_BYTES = 200_000_000
DAY_S = 86_400.0


def check_stored(profile: Profile, machine: Machine, state: Path) -> Iterator[Finding]:
    """Lines about ``state``, which need not exist yet. Changes nothing."""
    existing = next(path for path in (state, *state.parents) if path.exists())
    if not os.access(existing, os.W_OK):
        yield problem(
            "state",
            text("{user} may not write in {folder}.", user=machine.user, folder=existing),
            text("Choose another folder with --state, or let this user write there."),
        )
    elif existing != state:
        yield ok("state", text("{folder} will be made.", folder=state))
    else:
        yield ok("state", text("Games are kept in {folder}.", folder=state))
    yield _disk(machine.free_bytes(existing))
    if existing == state:
        yield from _journal(state / JOURNAL_NAME, machine.date_s)
        yield from _aside(state)
        yield from _calibration(state / CALIBRATION_NAME, profile)
        yield from _begun(state, profile)


def _disk(free: int) -> Finding:
    mb = free // 1_000_000
    if free < LEAST_FREE_BYTES:
        return problem(
            "disk",
            text("Only {mb} MB are free; moves will soon not be kept.", mb=mb),
            text("Make room on the disk."),
        )
    if free < GOOD_FREE_BYTES:
        return note("disk", text("Only {mb} MB are free.", mb=mb), text("Make room on the disk."))
    return ok("disk", text("{gb:.1f} GB are free.", gb=free / 1e9))


def _journal(path: Path, date_s: float) -> Iterator[Finding]:
    if not path.exists():
        yield ok("journal", text("There are no games yet."))
        return
    try:
        with JournalReader.open_read_only(path) as reader:
            newest = reader.games(1)
        _check_every_page(path)
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


def _check_every_page(path: Path) -> None:
    """What opening leaves out where the file is large. Raises JournalError."""
    with translated(path):
        database = connect(path, read_only=True)
        try:
            pages = int(database.execute("PRAGMA page_count").fetchone()[0])
            if pages > CHECKED_PAGES:
                check_pages(path, database)
        finally:
            database.close()


def _aside(state: Path) -> Iterator[Finding]:
    for path in sorted(state.glob(f"{JOURNAL_NAME}.damaged-*")):
        if not path.name.endswith(("-wal", "-shm")):
            yield note(
                "journal",
                text("An earlier, damaged journal is kept as {name}.", name=path.name),
                text("Bring its games back from a backup: tiltboard restore FILE"),
            )


def _begun(state: Path, profile: Profile) -> Iterator[Finding]:
    """A sweep that was interrupted, or has found something wrong."""
    go_on = text("Go on with: tiltboard bringup")
    progress = read_progress(state / PROGRESS_NAME, profile)
    left = unfinished(profile, state)
    if left is not None:
        interrupted = text(
            "It was interrupted: {done} of {total} are done.", done=left[0], total=left[1]
        )
        yield note("bring-up", interrupted, go_on)
    elif progress is not None and (progress.wanted or to_mend(progress)):
        yield note("bring-up", text("It has found something that is to be mended."), go_on)


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
    left = left_out(calibration)
    unknown = ", ".join(
        place
        for index, place in enumerate(profile.places)
        if not calibration.zeroed[index] and index not in left
    )
    if unknown:
        yield note(
            "calibration", text("The zero of {places} is not known.", places=unknown), calibrate
        )
        return
    if profile.capabilities.measures and set(calibration.gain) == {1.0}:
        yield note(
            "calibration",
            text("Every sensor has its zero; none has been measured with a magnet."),
            calibrate,
        )
        return
    if not left:
        yield ok("calibration", text("Every sensor is calibrated."))
    for why in worth_a_look(profile, calibration):
        yield note("calibration", why)
