"""The table's own files with checksums inside: spoilt outside, and inside under good checksums."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from firmware_host.bench.fuzz.files import SETTINGS
from firmware_host.bench.fuzz.mutations import mutated
from firmware_host.bench.fuzz.target import FileTarget
from firmware_host.profile import load_profile
from firmware_host.setup.backup import MANIFEST, make_backup, read_backup
from firmware_host.setup.restore import restore
from firmware_host.trace import TraceWriter, header_for, read_trace, replay

if TYPE_CHECKING:
    from hw_sim.rng import Stream

PROFILE = "matrix-gpio"
SCANS = 12


class Traces(FileTarget):
    """``tiltboard replay FILE``."""

    name = "trace"
    what = "recorded traces"
    suffix = ".trace"

    def examples(self) -> Sequence[bytes]:
        """A dozen scans."""
        from hw_sim.session import SimSession

        self.profile = load_profile(PROFILE)
        path = self.folder / "good.trace"
        state = self.folder / "state"
        state.mkdir()
        with (
            SimSession(self.profile, state) as session,
            TraceWriter(path, header_for(self.profile, expected={})) as writer,
        ):
            for _ in range(SCANS):
                session.tick()
                writer.write(session.host.frame)
        return [path.read_bytes()]

    def spoil(self, stream: Stream, examples: Sequence[bytes]) -> bytes:
        """The file, or one of its records under a good checksum."""
        if stream.random() < 0.2:
            return mutated(stream, examples)
        lines = gzip.decompress(examples[0]).splitlines()
        at = stream.randrange(len(lines))
        records = [line.partition(b" ")[2] for line in lines]
        record = mutated(stream, [records[at]] if stream.random() < 0.8 else records)
        record = record.replace(b"\n", b" ")
        lines[at] = b"%08x %s" % (crc32(record), record)
        return gzip.compress(b"\n".join(lines) + b"\n", 1, mtime=0)

    def read_file(self) -> bool:
        """Read it, and have it seen again."""
        trace = read_trace(self.path)
        for _ in replay(trace, self.profile):
            pass
        return trace.complete


class Backups(FileTarget):
    """``tiltboard restore FILE``."""

    name = "backup"
    what = "backups"
    suffix = ".backup"

    def examples(self) -> Sequence[bytes]:
        """A table with a game, a calibration and settings."""
        from hw_sim.clock import VirtualClock
        from hw_sim.session import SimSession

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

    def spoil(self, stream: Stream, examples: Sequence[bytes]) -> bytes:
        """The archive, its manifest, or one of its files under a good manifest."""
        if stream.random() < 0.2:
            return mutated(stream, examples)
        members = _members(examples[0])
        name = stream.choice(sorted(members))
        members[name] = mutated(stream, [members[name]])
        if name != MANIFEST:
            manifest = json.loads(members[MANIFEST])
            for listed in manifest["files"]:
                content = members[listed["name"]]
                listed["size"] = len(content)
                listed["sha256"] = hashlib.sha256(content).hexdigest()
            members[MANIFEST] = json.dumps(manifest).encode()
        return _packed(members)

    def read_file(self) -> bool:
        """Check it; nothing is put back, or all of it."""
        backup = read_backup(self.path)
        target = self.folder / "restored"
        target.mkdir(exist_ok=True)
        for old in target.iterdir():
            if old.is_file():
                old.unlink()
        restore(backup, target, None, self.clock)
        return True


def _members(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes]) -> bytes:
    """Without the date of today, so that a mutation can be repeated tomorrow."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()
