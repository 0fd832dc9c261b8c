"""Tests of firmware_host/scenario/trace.py: traces: what was written is read, damage is named, a
cut-off file is still of use.
"""

from __future__ import annotations

import gzip
import os
import random
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.frame import Frame, Motion
from tiltboard.firmware_host.cli.scenario import replay as replay_command
from tiltboard.firmware_host.config.errors import TraceError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.perception.calibration import assumed_calibration
from tiltboard.firmware_host.scenario.trace import (
    MAX_PLAIN,
    Scan,
    TraceHeader,
    TraceWriter,
    layout_of,
    read_trace,
    rerun,
)
from tiltboard.firmware_host.table.commands import TakeBack

SHORT = Path(__file__).parent / "data" / "short.trace"
STEP_MT = 3300 / 1024 / 60


@pytest.fixture
def profile():
    return load_profile("plate-10")


def scans(count: int, size: int = 100) -> list[Scan]:
    rng = random.Random(7)
    level = Motion((0.01, -0.02), (0.1, 0.2, 9.8), (0.0, 0.01, 0.0), 31.5)
    lost = PartAbsentError("imu", "No {chip} answers.", remedy="Look at {{wires}}.", chip="IMU")
    return [
        Scan(
            Frame(
                number=n,
                time_s=0.02 * n + 1e-4 * rng.random(),
                field_mt=() if n == 3 else tuple(STEP_MT * rng.randint(-9, 9) for _ in range(size)),
                motion=None if n == 5 else level,
                pressed=frozenset({"back", "confirm"} if n % 7 == 0 else ()),
                temperature_c=None if n == 3 else 24.0 + n / 100,
                faults=(lost,) if n == 5 else (),
            ),
            (TakeBack(to=n),) if n == 8 else (),
        )
        for n in range(count)
    ]


@pytest.fixture
def header(profile):
    known = assumed_calibration(profile)
    return TraceHeader(1, layout_of(profile), known, "momentum", {"size": 7}, ["d4"])


@pytest.fixture
def write(tmp_path, header):
    def make(name: str, written: list[Scan]) -> Path:
        path = tmp_path / name
        with TraceWriter(path, header) as writer:
            for scan in written:
                writer.write(scan)
        return path

    return make


def facts(scan: Scan) -> tuple:
    frame = scan.frame
    faults = [(f.part, f.problem, f.remedy) for f in frame.faults]
    plain = (frame.number, frame.time_s, frame.field_mt, frame.motion, frame.pressed)
    return (*plain, frame.temperature_c, faults, scan.asked)


def test_every_scan_comes_back_exactly(write, header):
    trace = read_trace(write("a", scans(120)))
    assert [facts(scan) for scan in trace.scans] == [facts(scan) for scan in scans(120)]
    assert trace.complete
    assert trace.header == header


def test_the_same_scans_give_the_same_bytes(write):
    assert write("a", scans(60)).read_bytes() == write("b", scans(60)).read_bytes()


def test_an_existing_file_is_not_overwritten(write):
    write("a", scans(2))
    with pytest.raises(FileExistsError):
        write("a", scans(3))


def test_a_trace_that_was_never_closed_keeps_all_but_the_last_second(tmp_path, header):
    writer = TraceWriter(tmp_path / "cut", header)
    for scan in scans(130):
        writer.write(scan)
    on_disk = (tmp_path / "cut").read_bytes()
    writer.close()
    (tmp_path / "copy").write_bytes(on_disk)
    trace = read_trace(tmp_path / "copy")
    assert not trace.complete
    assert [scan.frame.number for scan in trace.scans] == list(range(100))


def test_cut_anywhere_it_reads_as_a_beginning_or_says_why(write, tmp_path):
    whole = [facts(scan) for scan in scans(60)]
    data = write("a", scans(60)).read_bytes()
    short = tmp_path / "short"
    counts = []
    for length in range(0, len(data), 97):
        short.write_bytes(data[:length])
        try:
            trace = read_trace(short)
        except TraceError:
            continue
        assert not trace.complete
        assert [facts(scan) for scan in trace.scans] == whole[: len(trace.scans)]
        counts.append(len(trace.scans))
    assert counts == sorted(counts)
    assert counts[-1] >= 50


def test_no_changed_byte_is_read_as_something_else(write, tmp_path):
    """gzip's checksum (RFC 1952) is over all that was written."""
    data = write("a", scans(9)).read_bytes()
    bad = tmp_path / "bad"
    for at in range(10, len(data) - 8, 41):
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        try:
            assert not read_trace(bad).complete  # a damaged end may read as one that is cut off
        except TraceError as error:
            assert "is not a trace, or is damaged" in str(error)


@pytest.mark.parametrize(
    ("record", "line", "says"),
    [
        (0, b'{"tiltboard_trace":2}', "record 0: expected TraceHeader"),
        (1, b"[{}]", "record 1: expected Scan .*number"),
        (4, b"[{", "record 4: expected JSON"),
        (4, b'[{"number":4,"time_s":0,"field_mt":[0],"motion":null,"pressed":[]}]', "100 readings"),
        (4, b'[{"number":4,"time_s":0,"faults":[["imu"]]}]', "record 4: expected Scan"),
    ],
)
def test_what_is_no_record_is_named(write, tmp_path, record, line, says):
    lines = gzip.decompress(write("a", scans(9)).read_bytes()).split(b"\n")
    lines[record] = line
    bad = tmp_path / "bad"
    bad.write_bytes(gzip.compress(b"\n".join(lines)))
    with pytest.raises(TraceError, match=says):
        read_trace(bad)


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
    trace = read_trace(write("a", scans(3)))
    wider = msgspec.structs.replace(profile, pitch_mm=profile.pitch_mm + 1)
    with pytest.raises(TraceError, match="places do not lie as"):
        next(rerun(trace, wider))


@pytest.mark.parametrize(
    ("change", "says"),
    [({"game": "ludo"}, "ludo"), ({"options": {"size": 99}}, "size: .* from 1 to 26")],
)
def test_a_game_that_cannot_be_is_refused(write, profile, change, says):
    trace = read_trace(write("a", scans(3)))
    header = msgspec.structs.replace(trace.header, **change)
    with pytest.raises(TraceError, match=f"record 0: expected the moves of a game: .*{says}"):
        next(rerun(replace(trace, header=header), profile))


def test_replay_prints_what_happened_every_time():
    texts = [CliRunner().invoke(replay_command, [str(SHORT)]).output for _ in range(2)]
    assert texts[0] == texts[1]
    events = [line.split()[1:] for line in texts[0].splitlines()[:-3]]
    assert [said for said in events if said[0] != "say"] == [
        ["placed", "d4", "N-strong"],
        ["move", "d4"],
        ["slid", "d4", "none,", "e4", "N-strong"],
        ["lifted", "e4", "none"],
    ]
    end = ["212 scans", "moves: d4", "at the end: an empty plate"]
    assert texts[0].splitlines()[-3:] == end


def test_replay_as_json():
    output = CliRunner().invoke(replay_command, [str(SHORT), "--json"]).output
    *events, end = [msgspec.json.decode(line) for line in output.splitlines()]
    assert [(e["event"], e["places"]) for e in events if "places" in e] == [
        ("placed", ["d4"]),
        ("slid", ["d4", "e4"]),
        ("lifted", ["e4"]),
    ]
    said = [e["phase"] for e in events if e["event"] == "say"]
    assert said == ["paused", "turn", "turn", "fix", "turn"]
    assert (end["scans"], end["complete"], end["ready"], end["cells"]) == (212, True, True, {})


def test_a_trace_that_unpacks_to_gigabytes_is_refused(tmp_path):
    """A thousand zeros take a byte: what is unpacked is limited, whatever the file says."""
    path = tmp_path / "bomb.trace"
    packer = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    block = bytes(1 << 24)
    with path.open("wb") as file:
        for _ in range(MAX_PLAIN // len(block) + 1):
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
