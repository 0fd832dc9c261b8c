"""Fuzzing of the table's own files with checksums: damaged files, and damaged records with valid
checksums.
"""

from __future__ import annotations

import gzip
import io
import zipfile

from hypothesis import strategies as st

from tests.campaigns.fuzz.spoiling import spoilt
from tests.campaigns.fuzz.target import FileTarget
from tests.campaigns.fuzz.texts import SETTINGS
from tiltboard.firmware_host.cli.backup import make_backup, put_back, read_backup
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.scenario.trace import Scan, TraceHeader, TraceWriter, read_trace, rerun

PROFILE = "matrix-gpio"
SCANS = 12


class Traces(FileTarget):
    """The file that ``tiltboard replay FILE`` reads."""

    suffix = ".trace"

    def examples(self):
        """Return a trace of a dozen scans."""
        from tiltboard.hw_sim.session import SimSession

        self.profile = load_profile(PROFILE)
        path = self.folder / "good.trace"
        state = self.folder / "state"
        state.mkdir()
        with (
            SimSession(self.profile, state) as session,
            TraceWriter(path, TraceHeader.of(session.host)) as writer,
        ):
            for _ in range(SCANS):
                session.tick()
                writer.write(Scan(session.host.look.frame))
        return [path.read_bytes()]

    def inputs(self, examples):
        """Return a strategy of damaged traces: the file, or one record with a valid checksum."""
        records = gzip.decompress(examples[0]).splitlines()

        def with_record(at, record):
            whole = [*records[:at], record.replace(b"\n", b" "), *records[at + 1 :]]
            return gzip.compress(b"\n".join(whole) + b"\n", 1, mtime=0)

        one = st.integers(0, len(records) - 1).flatmap(
            lambda at: spoilt([records[at], *records]).map(lambda record: with_record(at, record))
        )
        return st.one_of(spoilt(examples), one, one, one)

    def read_file(self):
        """Read the trace and replay it."""
        trace = read_trace(self.path)
        for _ in rerun(trace, self.profile):
            pass
        return trace.complete


class Backups(FileTarget):
    """The file that ``tiltboard restore FILE`` reads."""

    suffix = ".backup"

    def examples(self):
        """Return the backup of a table with a game, a calibration and settings."""
        from tiltboard.hw_sim.clock import VirtualClock
        from tiltboard.hw_sim.session import SimSession

        self.clock = VirtualClock()
        self.state = self.folder / "state"
        self.state.mkdir()
        with SimSession(load_profile(PROFILE), self.state) as session:
            session.run_until(3.0)
        settings = self.folder / "settings.toml"
        settings.write_bytes(SETTINGS)
        good = self.folder / "good.backup"
        make_backup(self.state, settings, good, self.clock)
        return [_packed(_members(good.read_bytes()))]

    def inputs(self, examples):
        """Return a strategy of damaged backups: the archive, or one of its files with a valid
        checksum.
        """
        good = _members(examples[0])

        def with_member(name, content):
            return _packed({**good, name: content})

        one = st.sampled_from(sorted(good)).flatmap(
            lambda name: spoilt([good[name]]).map(lambda content: with_member(name, content))
        )
        return st.one_of(spoilt(examples), one, one, one)

    def read_file(self):
        """Check the backup and restore it. Either all files are restored, or none."""
        backup = read_backup(self.path)
        target = self.folder / "restored"
        target.mkdir(exist_ok=True)
        for old in target.iterdir():
            if old.is_file():
                old.unlink()
        put_back(backup, target, None, self.clock)
        return True


def _members(packed: bytes):
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes]):
    """Return an archive without the present date, so that a mutation can be repeated on another
    day.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()
