"""Traces: what was written is read, damage is named, a cut-off file is still of use."""

from __future__ import annotations

import gzip
import os
import random
import zlib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from drivers.errors import PartAbsentError
from drivers.frame import Frame, Motion
from firmware_host.cli.scenario import replay as replay_command
from firmware_host.config.errors import TraceError
from firmware_host.config.profile import load_profile
from firmware_host.perception.calibration import uncalibrated
from firmware_host.scenario.replay import replay
from firmware_host.scenario.trace import MOST_PLAIN, TraceHeader, TraceWriter, read_trace
from firmware_host.table.sight import Magnet

SHORT = Path(__file__).parent / "data" / "short.trace"
STEP_MT = 3300 / 1024 / 60


@pytest.fixture
def profile():
    return load_profile("plate-10")


def frames(count: int, size: int = 100) -> list[Frame]:
    rng = random.Random(7)
    level = Motion((0.01, -0.02), (0.1, 0.2, 9.8), (0.0, 0.01, 0.0), 31.5)
    lost = PartAbsentError("imu", "No {chip} answers.", remedy="Look at {{wires}}.", chip="IMU")
    return [
        Frame(
            number=n,
            time_s=0.02 * n + 1e-4 * rng.random(),
            field_mt=() if n == 3 else tuple(STEP_MT * rng.randint(-9, 9) for _ in range(size)),
            motion=None if n == 5 else level,
            pressed=frozenset({"confirm"} if n % 7 == 0 else ()),
            temperature_c=None if n == 3 else 24.0 + n / 100,
            faults=(lost,) if n == 5 else (),
        )
        for n in range(count)
    ]


@pytest.fixture
def write(tmp_path, profile):
    def make(name: str, scans: list[Frame], **more) -> Path:
        path = tmp_path / name
        with TraceWriter(path, TraceHeader.of(profile, **more)) as writer:
            for frame in scans:
                writer.write(frame)
        return path

    return make


def facts(frame: Frame) -> tuple:
    faults = [(f.part, f.problem, f.remedy) for f in frame.faults]
    plain = (frame.number, frame.time_s, frame.field_mt, frame.motion, frame.pressed)
    return (*plain, frame.temperature_c, faults)


def test_every_frame_comes_back_exactly(write, profile):
    scans = frames(120)
    calibration = uncalibrated(profile)
    path = write("a", scans, calibration=calibration, expected={4: Magnet.S_WEAK}, game="momentum")
    trace = read_trace(path)
    assert [facts(f) for f in trace.frames] == [facts(f) for f in scans]
    assert trace.complete
    assert trace.header.calibration == calibration
    assert trace.header.expected == {4: Magnet.S_WEAK}
    assert (trace.header.profile, trace.header.game) == ("plate-10", "momentum")


def test_the_same_frames_give_the_same_bytes(write):
    assert write("a", frames(60)).read_bytes() == write("b", frames(60)).read_bytes()


def test_an_existing_file_is_not_overwritten(write):
    write("a", frames(2))
    with pytest.raises(FileExistsError):
        write("a", frames(3))


def test_a_trace_that_was_never_closed_keeps_all_but_the_last_second(tmp_path, profile):
    scans = frames(130)
    writer = TraceWriter(tmp_path / "cut", TraceHeader.of(profile))
    for frame in scans:
        writer.write(frame)
    on_disk = (tmp_path / "cut").read_bytes()
    writer.close()
    (tmp_path / "copy").write_bytes(on_disk)
    trace = read_trace(tmp_path / "copy")
    assert not trace.complete
    assert [f.number for f in trace.frames] == list(range(100))


def test_cut_anywhere_it_reads_as_a_beginning_or_says_why(write, tmp_path):
    scans = frames(60)
    data = write("a", scans).read_bytes()
    short = tmp_path / "short"
    counts = []
    for length in range(0, len(data), 97):
        short.write_bytes(data[:length])
        try:
            trace = read_trace(short)
        except TraceError:
            continue
        assert not trace.complete
        assert [facts(f) for f in trace.frames] == [facts(f) for f in scans[: len(trace.frames)]]
        counts.append(len(trace.frames))
    assert counts == sorted(counts)
    assert counts[-1] >= 50


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: [lines[0].replace(b"plate", b"slate"), *lines[1:]], "record 0: .*checksum"),
        (lambda lines: [*lines[:4], lines[4][:-3] + b"9" + lines[4][-2:], *lines[5:]], "record 4"),
        (lambda lines: [*lines[:4], *lines[5:]], "end mark after 9 scans"),
        (lambda lines: [*lines, lines[-1]], "end mark"),
        (lambda lines: [lines[0], sealed({"n": 0, "t": 0.0, "f": [5]})], "record 1: .*numbered"),
        (lambda lines: [lines[0], sealed({"n": -1, "t": 0.0, "f": []})], "record 1: .*ScanRecord"),
        (lambda lines: [lines[0], sealed({"n": 1, "t": 0, "f": [], "z": 1})], "unknown field"),
        (lambda lines: [sealed({"tiltboard_trace": 2}), *lines[1:]], "record 0"),
    ],
)
def test_damage_is_named(write, tmp_path, change, says):
    lines = gzip.decompress(write("a", frames(9)).read_bytes()).split(b"\n")[:-1]
    bad = tmp_path / "bad"
    bad.write_bytes(gzip.compress(b"".join(line + b"\n" for line in change(lines))))
    with pytest.raises(TraceError, match=says):
        read_trace(bad)


def sealed(record: dict) -> bytes:
    data = msgspec.json.encode(record)
    return b"%08x %s" % (zlib.crc32(data), data)


@pytest.mark.parametrize("content", [b"", b"hello", gzip.compress(b"", mtime=0)])
def test_what_is_no_trace_is_refused(tmp_path, content):
    path = tmp_path / "no"
    path.write_bytes(content)
    with pytest.raises(TraceError, match="not a trace"):
        read_trace(path)


def test_a_missing_file_is_a_trace_error(tmp_path):
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(tmp_path / "none")


def test_another_table_is_refused(write, profile):
    trace = read_trace(write("a", frames(3)))
    wider = msgspec.structs.replace(profile, pitch_mm=profile.pitch_mm + 1)
    with pytest.raises(TraceError, match="places do not lie as"):
        next(replay(trace, wider))


def test_a_frame_of_another_size_is_refused(write, profile):
    trace = read_trace(write("a", frames(3, size=99)))
    with pytest.raises(TraceError, match="record 1: expected 100 readings, found 99"):
        list(replay(trace, profile))


def test_replay_prints_the_recorded_events_every_time():
    texts = [CliRunner().invoke(replay_command, [str(SHORT)]).output for _ in range(2)]
    assert texts[0] == texts[1]
    events = [line.split()[1:] for line in texts[0].splitlines()[:3]]
    assert events == [
        ["placed", "d4", "N-strong"],
        ["slid", "d4", "none,", "e4", "N-strong"],
        ["lifted", "e4", "none"],
    ]
    assert texts[0].splitlines()[3:] == ["163 scans", "at the end: an empty plate"]


def test_replay_as_json():
    output = CliRunner().invoke(replay_command, [str(SHORT), "--json"]).output
    *events, end = [msgspec.json.decode(line) for line in output.splitlines()]
    assert [(e["event"], e["places"]) for e in events] == [
        ("placed", ["d4"]),
        ("slid", ["d4", "e4"]),
        ("lifted", ["e4"]),
    ]
    assert (end["scans"], end["complete"], end["ready"], end["cells"]) == (163, True, True, {})


def test_a_trace_that_unpacks_to_gigabytes_is_refused(tmp_path):
    """A thousand zeros take a byte: what is unpacked is limited, whatever the file says."""
    path = tmp_path / "bomb.trace"
    packer = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    block = bytes(1 << 24)
    with path.open("wb") as file:
        for _ in range(MOST_PLAIN // len(block) + 1):
            file.write(packer.compress(block))
        file.write(packer.flush())
    with pytest.raises(TraceError, match="too large"):
        read_trace(path)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_only_a_plain_file_is_read_as_a_trace(tmp_path, kind):
    path = tmp_path / "it"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(path)
