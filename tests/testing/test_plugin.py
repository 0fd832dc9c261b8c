"""Tests of tiltboard/testing/plugin.py and board.py: pytest with the plug-in, as a stranger runs
it in a folder of their own.
"""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from tiltboard.drivers import PiBuses
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.testing import board

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.tiltboard("plate-7", "matrix-gpio", seed=5)
def test_on_two(tiltboard_bench, tiltboard_seed):
    tiltboard_bench.put("south", "d4")
    assert tiltboard_bench.field_mt("d4") > 5, tiltboard_seed

def test_shows_what_was_done(tiltboard_game):
    tiltboard_game.do("game momentum").put("red", "d4").expect("to-move red")

def test_needs_an_imu(tiltboard_bench):
    assert tiltboard_bench.part("imu")

def test_of_somebody_else():
    pass
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest on these tests; returns its output."""
    (tmp_path / "test_mine.py").write_text(TESTS)

    def run_pytest(*options, status):
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == status, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    return run_pytest


def test_the_mark_names_the_tables_and_a_failure_shows_steps_and_standing(run):
    told = run("--strict-markers", status=1)
    for name in ("test_on_two[plate-7]", "test_on_two[matrix-gpio]", "test_needs_an_imu[plate-10]"):
        assert f"PASSED test_mine.py::{name}" in told
    assert "FAILED test_mine.py::test_shows_what_was_done[plate-10]" in told
    for line in ("s  put red d4", "lights:", "faults: none", "trace: tiltboard replay"):
        assert line in told
    assert "subject.py" not in told.split("short test summary")[0]  # no trace through our code


def test_the_command_line_chooses_other_tables_seed_and_traces(run, tmp_path):
    told = run(
        *("--tiltboard-profile", "matrix-gpio", "--tiltboard-seed", "9"),
        *("--tiltboard-record", "traces", "-k", "two or imu"),
        status=0,
    )
    assert "1 passed, 1 skipped" in told
    assert "matrix-gpio has no imu" in told
    kept = [path.name for path in (tmp_path / "traces").iterdir()]
    assert "test_mine.py--test_on_two-matrix-gpio.trace" in kept


def test_scenarios_are_tests_and_show_the_line_that_failed(run, tmp_path):
    (tmp_path / "test_mine.py").unlink()
    (tmp_path / "good.scenario").write_text("game momentum\nput red d4\nexpect to-move blue\n")
    (tmp_path / "bad.scenario").write_text("game momentum\nput red d4  # his first\ntake e5\n")
    (tmp_path / "worse.scenario").write_text("game momentum\nputt red d4\n")
    (tmp_path / "wrong.scenario").write_text("game momentum\nexpect phase over\n")
    told = run("--tiltboard-profile", "plate-7", status=1)
    assert "PASSED good.scenario::plate-7" in told
    for line in ("bad.scenario:3: There is nothing", "worse.scenario:2:", "wrong.scenario:2:"):
        assert line in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--tiltboard-profile", "plate-11"), "plate-11"),
        (("--tiltboard-real", "plate-11"), "plate-11"),
        (("--tiltboard-real", "plate-10", "--tiltboard-profile", "node"), "leave"),
        (("--tiltboard-real", "node"), "there is no board here"),
    ],
)
def test_a_profile_or_board_that_is_not_there_is_one_line(run, options, why):
    [line] = [each for each in run(*options, status=4).splitlines() if each.strip()]
    assert line.startswith("ERROR: ")
    assert why in line


@pytest.mark.parametrize(
    ("given", "why"), [("sed=3", "not sed"), ("seed=-3", "from 0, not -3"), ("seed=1.5", "1.5")]
)
def test_what_the_mark_does_not_take_is_one_line(run, tmp_path, given, why):
    (tmp_path / "test_mine.py").write_text(
        f"import pytest\n\n@pytest.mark.tiltboard('node', {given})\n"
        "def test_one(tiltboard_bench):\n    pass\n"
    )
    told = run("test_mine.py", status=2)
    assert why in told
    assert "Traceback" not in told


def test_whoever_has_no_tests_of_a_table_pays_nothing_for_the_plugin(run, tmp_path):
    """Nothing of the table is imported by the plug-in itself."""
    (tmp_path / "test_mine.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    ours = {n for n in sys.modules if n.startswith('tiltboard')}\n"
        "    assert ours <= {'tiltboard', 'tiltboard.testing', 'tiltboard.testing.plugin'}\n"
    )
    run(status=0)


def test_the_page_of_a_live_table_is_served(tiltboard_page):
    from urllib.request import urlopen

    with urlopen(tiltboard_page, timeout=30) as answer:  # noqa: S310 - this machine's own
        assert b"<title>" in answer.read()


# The real board


@pytest.fixture
def wired(tmp_path, monkeypatch):
    """A board whose matrix of switches is on mock pins."""
    buses = PiBuses(pins=MockFactory(pin_class=MockPWMPin))
    monkeypatch.setattr(board, "own_board", lambda needs: _Given(buses))
    opened = board.RealBoard.open(load_profile("matrix-gpio"), None, tmp_path)
    yield opened
    opened.close()


class _Given:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *_):
        self.value.close()


def test_a_report_with_date_steps_and_outcome_is_kept_of_a_real_board(wired):
    with wired.bench() as bench:
        bench.advance(0.1)
        told = bench.report()
    report = SimpleNamespace(
        nodeid="test_x.py::test_<x>", outcome="passed", duration=0.12, longrepr=None, failed=False
    )
    wired.add(report, told)
    wired.close()
    page = (wired.folder / "report.html").read_text("utf-8")
    assert wired.folder.name.startswith("matrix-gpio-20")
    parts = ("test_&lt;x&gt;: passed, 0.1 s", "0.00 s  advance 0.1", "last scan")
    for part in (*parts, "UTC, matrix-gpio, not a Raspberry Pi, "):
        assert part in page


ON_COPPER = """
def test_by_a_person(tiltboard_bench):
    tiltboard_bench.put("south", "b2")
    tiltboard_bench.advance(0.1)

def test_dead(tiltboard_bench):
    with tiltboard_bench.fault("sensor-dead", "b2"):
        pass

def test_fails(tiltboard_bench):
    tiltboard_bench.put("south", "b2")
    tiltboard_bench.until(lambda frame: any(frame.field_mt), within=0.1)

def test_page(tiltboard_page):
    pass
"""


def test_a_real_run_asks_a_person_skips_with_reasons_and_keeps_a_report(tmp_path):
    """The board is gpiozero's mock pins, where nothing is ever felt; a pty is the terminal."""
    (tmp_path / "test_copper.py").write_text(ON_COPPER)
    master, slave = os.openpty()
    on_terminal = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    run = ("-m", "pytest", "-p", "no:cacheprovider", "--tiltboard-real", "matrix-gpio")
    child = subprocess.Popen(
        [sys.executable, "-c", on_terminal, *run],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GPIOZERO_PIN_FACTORY": "mock"},
        start_new_session=True,
    )
    os.close(slave)
    told = b""
    with suppress(OSError):  # the end of a pty
        while read := os.read(master, 4096):
            told += read
            os.write(master, b"\n" * read.count(b"then Enter"))
    os.close(master)
    assert child.wait(60) == 1
    assert told.count(b"Put a strong piece on b2, south pole down, then Enter") == 2
    [folder] = (tmp_path / "tiltboard-reports").iterdir()
    assert re.fullmatch(r"matrix-gpio-20\d{6}-\d{6}", folder.name)
    page = (folder / "report.html").read_text("utf-8")
    junit = ElementTree.parse(folder / "junit.xml")  # noqa: S314 - our own
    cases = {case.get("name"): case for case in junit.iter("testcase")}
    for name, outcome, why in (
        ("test_by_a_person", "passed", "put south b2"),
        ("test_dead", "skipped", "No hand can make sensor-dead b2"),
        ("test_fails", "failed", "did not come about within 0.1 s"),
        ("test_page", "skipped", "page of a real table"),
    ):
        shown = page.partition(f"{name}[matrix-gpio]: {outcome}")[2].partition("<h2>")[0]
        assert why in shown
        kept = [(each.tag, each.get("message", "")) for each in cases[f"{name}[matrix-gpio]"]]
        if outcome == "passed":
            assert kept == []
        else:
            assert kept[0][0] == outcome.replace("failed", "failure")
            assert why in kept[0][1]
    assert (folder / "test_copper.py--test_fails-matrix-gpio.trace").is_file()


def test_without_a_terminal_a_table_with_its_service_is_skipped(wired, tmp_path, monkeypatch):
    monkeypatch.setattr(board, "TERMINAL", tmp_path / "no-tty")
    with pytest.raises(pytest.skip.Exception, match="terminal"):
        wired.person(tmp_path)


@pytest.mark.parametrize("wrong", ["12", "12:a1", "x:a1:south"])
def test_a_servo_that_cannot_be_read_is_one_line(wrong):
    with pytest.raises(pytest.UsageError, match="GPIO:PLACE:POLE"):
        board._helper(wrong)
