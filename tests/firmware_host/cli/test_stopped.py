"""Tests of firmware_host/stop.py, firmware_host/cli/entry.py, __main__.py and main.py: what a
command that is stopped tells the shell: neither "failed" nor "could not be done".
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tiltboard.firmware_host.cli import main
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.clock import VirtualClock

QUESTION = '{"game": "gravity-connect", "options": {"size": 1}}\n'


@pytest.fixture
def heeded():
    """What a shell starts in the background ignores SIGINT, and so would its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# 128 and the signal's number (POSIX.1-2017, XCU 2.8.2); 1 and 2 mean something else here.
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, "Stopped.\n"), (signal.SIGTERM, 143, ""), (signal.SIGHUP, 129, "")],
)
def test_a_stopped_command_ends_with_the_status_of_its_signal(number, status, said):
    command = [sys.executable, "-m", "tiltboard.firmware_host.cli", "rules", "--batch"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(QUESTION)
        running.stdin.flush()
        assert '"legal": ["1", "2", "A", "B"]' in running.stdout.readline()
        running.send_signal(number)
        _, complaint = running.communicate(timeout=60)
    assert running.returncode == status
    assert complaint.lstrip("\n") == said


@pytest.mark.usefixtures("heeded")
def test_a_sweep_that_is_stopped_says_that_the_next_one_goes_on(tmp_path):
    command = [
        sys.executable,
        "-m",
        "tiltboard.firmware_host.cli",
        "bringup",
        "--sim",
        "--state",
        tmp_path,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert any("Slide or carry it on to c1" in line for line in running.stdout)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=60)
    assert running.returncode == 130
    assert complaint.split("\n") == [
        "",
        "Finished steps are kept; the next run continues after them.",
        "Stopped.",
        "",
    ]


def test_output_to_a_full_disk_is_one_line(tmp_path):
    scenario = tmp_path / "home.scenario"
    scenario.write_text("game momentum\n")
    command = [sys.executable, "-m", "tiltboard.firmware_host.cli", "scenario", str(scenario)]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "tiltboard: There is no room left on the disk to write to. Make room and start again."
    ]


def test_settings_that_may_not_be_looked_for_are_one_line(monkeypatch, capsys):
    def refused(**_):
        raise PermissionError(13, "Permission denied", "/etc/tiltboard")

    monkeypatch.setattr(main, "cli", refused)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said == "tiltboard: /etc/tiltboard cannot be used: Permission denied.\n"


@pytest.mark.usefixtures("heeded")
def test_stopped_while_it_is_still_being_read():
    """The signal comes in the first import of the command's own modules."""
    script = (
        "import os, signal, sys\n"
        "class Reader:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'tiltboard.firmware_host.cli.main':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "from tiltboard.firmware_host.cli.entry import main\n"
        "sys.meta_path.insert(0, Reader())\n"
        "main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


SIM = 'sys.argv = ["tiltboard", "sim", "--port", "0", "--no-physics", "--state", STATE]\n'
ASKED = "asked = lambda: os.kill(os.getpid(), signal.SIGTERM)\n"
LOADING = (
    "from importlib.metadata import EntryPoint\n"
    "load, hits = EntryPoint.load, ['attraktion']\n"
    "def asked_in(self):\n"
    "    if self.name in hits:\n"
    "        hits.clear(); {0}\n"
    "    return load(self)\n"
    "EntryPoint.load = asked_in\n"
)
MOMENTS = {
    "as it is read": (
        "class Reader:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'tiltboard.firmware_host.cli.main': asked()\n"
        "from tiltboard.firmware_host.cli import entry\n"
        "sys.meta_path.insert(0, Reader())\n"
    ),
    "as the game on the table is loaded": LOADING.format("asked()"),
    "as a package loads that swallows everything": LOADING.format(
        "\n        try: asked(); sum(range(99999))\n        except: pass"
    ),
    "as a class is made": LOADING.format(
        "type('Made', (), {'it': type('It', (), {'__set_name__': lambda *_: asked()})()})"
    ),
    "as it is swallowed by a callback": (
        "import logging\n"
        "basic = logging.basicConfig\n"
        "class Gone:\n"
        "    def __del__(self): asked()\n"
        "def configured(**given): basic(**given); Gone()\n"
        "logging.basicConfig = configured\n"
    ),
    "as it serves at once": (
        "import threading\n"
        "start = threading.Thread.start\n"
        "def started(self):\n"
        "    start(self)\n"
        "    if self.name == 'web': asked()\n"
        "threading.Thread.start = started\n"
    ),
    "in another thread": (
        "import threading\n"
        "start = threading.Thread.start\n"
        "def started(self):\n"
        "    run = self.run\n"
        "    if self.name == 'table': self.run = lambda: (asked(), run())\n"
        "    start(self)\n"
        "threading.Thread.start = started\n"
    ),
    "as the loaded game writes": (
        "from tiltboard.firmware_host import stop\n"
        "from tiltboard.firmware_host.service.table_thread import Table\n"
        "def publish(self):\n"
        "    asked()\n"
        "    while True: stop.check()\n"
        "Table._publish = publish\n"
    ),
    "twice": "import time\n"
    + LOADING.format("asked(); time.sleep(0.1)")
    + (
        "from tiltboard.firmware_host import stop\n"
        "over = stop.over\n"
        "stop.over = lambda: (asked(), over(), asked())\n"
    ),
}


@pytest.fixture(scope="module")
def in_progress(tmp_path_factory):
    """A folder in which game 1, of Attraktion, is the one on the table."""
    state = tmp_path_factory.mktemp("stopped")
    with Journal.open(state / JOURNAL_NAME, VirtualClock()) as journal:
        journal.start("attraktion", game_type("attraktion").create({}).options)
    return state


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_start_that_is_told_to_stop_ends_with_the_status_of_that(in_progress, moment):
    """At once, without a word, and with nothing changed."""
    journal = in_progress / JOURNAL_NAME
    before = journal.read_bytes()
    script = (
        "import os, signal, sys\n" + f"STATE = {str(in_progress)!r}\n" + ASKED + MOMENTS[moment]
    )
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{script}{SIM}from tiltboard.firmware_host.cli import entry\nentry.main()",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "", "")
    with Journal.open(journal, VirtualClock()) as after:
        assert after.current().id == 1
    assert journal.read_bytes() == before
    assert not (in_progress / "starting.json").exists()


@pytest.mark.usefixtures("heeded")
def test_a_served_table_ends_in_order_with_the_status_of_the_request(in_progress):
    words = ["sim", "--port", "0", "--no-physics", "--state", str(in_progress)]
    with subprocess.Popen(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", *words],
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert any("The table is at" in line for line in running.stdout)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
    assert running.returncode == 143
    assert not (in_progress / "starting.json").exists()


COMMAND = f"{sys.executable} -m tiltboard.firmware_host.cli"


@pytest.mark.parametrize(
    "words",
    [
        f"games --state /tmp/{'x' * 300}",
        f"games --state {'x/' * 3000}",
        f"export 1 --state /tmp/{'x' * 300}",
        "pair --list --state /dev/null",
        "rules --batch <&-",
        "join - <&-",
        "games import - <&-",
        "hotspot --folder /tmp --join x <&-",
        f"rules momentum --option size={'9' * 5000}",
        f"restore /dev/null --state /tmp/{'x' * 300}",
        f"backup /proc/none --state /tmp/{'x' * 300}",
    ],
)
def test_what_cannot_be_is_one_line(words):
    ended = subprocess.run(
        ["sh", "-c", f"{COMMAND} {words}"], capture_output=True, text=True, check=False
    )
    assert ended.returncode in (1, 2)
    assert "Traceback" not in ended.stderr
    complaint = [
        line for line in ended.stderr.splitlines() if not line.startswith(("Usage", "Try"))
    ]
    assert len([line for line in complaint if line]) == 1


def test_a_line_of_a_batch_that_is_too_long_is_refused_and_the_next_goes_on():
    long = b'{"game": "' + b"x" * (8 << 20) + b'"}\n'
    ended = subprocess.run(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", "rules", "--batch"],
        input=long + QUESTION.encode(),
        capture_output=True,
        check=False,
    )
    first, second = ended.stdout.splitlines()
    assert b"longer than 1048576 bytes" in first
    assert b'"legal"' in second
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


@pytest.mark.usefixtures("heeded")
def test_the_first_game_of_a_table_is_the_one_that_it_is_started_with(tmp_path):
    """Started like that again, it begins that game again, as --game says."""
    words = [sys.executable, "-m", "tiltboard.firmware_host.cli"]
    sim = [*words, "sim", "--state", tmp_path, "--port", "0", "--no-physics"]
    asked = ["--game", "gravity-connect", "--option", "size=4"]
    for most in (1, 2):
        with subprocess.Popen([*sim, *asked], stdout=subprocess.PIPE, text=True) as table:
            assert table.stdout is not None
            assert "http://" in table.stdout.readline()
            table.send_signal(signal.SIGTERM)
            table.communicate(timeout=60)
        listed = [*words, "games", "--state", tmp_path]
        games = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
        assert games.count("gravity-connect") == len(games.splitlines()) - 1 == most
