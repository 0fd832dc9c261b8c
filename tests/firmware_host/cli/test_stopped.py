"""What a command that is stopped tells the shell: neither "failed" nor "could not be done"."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
    ("number", "status", "said"), [(signal.SIGINT, 130, "Stopped.\n"), (signal.SIGTERM, 143, "")]
)
def test_a_stopped_command_ends_with_the_status_of_its_signal(number, status, said):
    command = [sys.executable, "-m", "firmware_host.cli", "rules", "--batch"]
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


def test_output_to_a_full_disk_is_one_line(tmp_path):
    scenario = tmp_path / "home.scenario"
    scenario.write_text("game momentum\n")
    command = [sys.executable, "-m", "firmware_host.cli", "scenario", str(scenario)]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "tiltboard: There is no room left on the disk to write to. Make room and start again."
    ]
