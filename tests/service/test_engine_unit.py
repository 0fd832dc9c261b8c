"""Tests of firmware_host/cli/engine.py and firmware_host/engines/process.py: computer players
lent by their own unit: forked for a table that asks, gone when it lets go.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.engines.engine_pool import OUR_COMMAND
from tiltboard.firmware_host.engines.errors import EngineLostError
from tiltboard.firmware_host.engines.process import UNIT_SOCKET, EngineProcess
from tiltboard.ground.clock import SystemClock

PATIENCE_S = 60.0
ENGINE = [sys.executable, "-m", "tiltboard.firmware_host.cli", "engine", "--unit"]
# sd_listen_fds(3)
HANDED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.argv[2], sys.argv[2:])
"""
# Answers as an engine does, and heeds nothing any more once it is asked to be ready. As in the unit
# (RestrictAddressFamilies=none) no socket can be made.
DEAF = """
import os, signal, socket, sys
class Lent(socket.socket):
    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is None:
            raise OSError(97, "Address family not supported by protocol")
        super().__init__(family, type, proto, fileno)
socket.socket = Lent
from tiltboard.firmware_host.cli.engine import lend
def play(lines, out):
    for line in lines:
        print("id name", os.getpid(), "\\nugiok", file=out, flush=True)
        if line.startswith("isready"):
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
            while True:
                pass
lend(socket.socket(fileno=3), play, idle_s=0.2)
"""
DEAF_UNIT = [sys.executable, "-c", DEAF]


@contextmanager
def unit(path: Path, command: list[str]):
    """What systemd does with the socket's unit: the program has it as its third descriptor."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        handed = str(listening.fileno())
        process = subprocess.Popen(
            [sys.executable, "-c", HANDED, handed, *command],
            pass_fds=[listening.fileno()],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv(UNIT_SOCKET, str(tmp_path / "engine.sock"))
    return tmp_path / "engine.sock"


def engine() -> EngineProcess:
    return EngineProcess(OURS, ["/nowhere/engine"], SystemClock())


def test_the_unit_lends_several_and_each_plays_its_own_game(path):
    with unit(path, ENGINE), closing(engine()) as one, closing(engine()) as other:
        one.set_up("momentum", {}, 3, seed=1)
        other.set_up("gravity-trap", {}, 2, seed=1)
        move = one.think(["c3"], "movetime 60000", PATIENCE_S)
        assert move in one.ask(["c3"], "legal")
        assert other.ask([], "tomove") == ["p1"]
        one.close()
        with pytest.raises(EngineLostError):
            one.ask([], "tomove")
        assert other.ask([], "tomove") == ["p1"]


def test_one_that_heeds_nothing_ends_with_its_line_and_the_unit_when_nobody_plays(path):
    with unit(path, DEAF_UNIT) as process:
        deaf = engine()
        pid = int(deaf.identity.name)
        deaf._say("isready")
        assert deaf._next(SystemClock().now() + PATIENCE_S)[:2] == ["id", "name"]
        os.kill(pid, 0)
        deaf.close()
        # it returns only once no child is left
        assert process.wait(PATIENCE_S) == 0
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_table_that_is_killed_leaves_no_engine_behind(path):
    program = (
        "import os, signal, sys\n"
        "from tests.service.test_engine_unit import engine\n"
        "deaf = engine()\n"
        "deaf._say('isready')\n"
        "assert deaf._next(deaf._now() + 60.0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[2]
    with unit(path, DEAF_UNIT) as process:
        meanwhile = engine()  # the unit waits for it
        done = subprocess.run([sys.executable, "-c", program], cwd=root, check=False, timeout=300)
        assert done.returncode < 0
        meanwhile.close()
        assert process.wait(PATIENCE_S) == 0


def test_more_than_a_table_needs_are_not_lent(path):
    with unit(path, ENGINE):
        made = [engine() for _ in range(8)]
        with pytest.raises(EngineLostError):
            engine()
        for each in made:
            each.close()


def test_where_the_unit_does_not_answer_the_table_starts_its_own(path, caplog):
    caplog.set_level(logging.WARNING)
    with closing(EngineProcess(OURS, OUR_COMMAND, SystemClock())) as own:
        assert own.identity.name.startswith("tiltboard ")
    assert "The engines' unit does not answer" in caplog.text


def test_another_engine_is_never_lent(path):
    with unit(path, ENGINE), pytest.raises(EngineLostError, match="cannot be started"):
        EngineProcess("drops", ["/nowhere/engine"], SystemClock())


def test_by_hand_the_unit_s_command_says_whose_it_is():
    done = subprocess.run(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", "engine", "--unit"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "tiltboard-engine.service" in done.stderr


def test_a_unit_that_may_write_nothing_uses_what_was_compiled_and_keeps_nothing(tmp_path):
    pytest.importorskip("numba")
    program = (
        "import os, sys\n"
        "if sys.argv[1:]:\n"
        "    os.access = lambda path, mode: False\n"
        "from tiltboard_kernels.jit import below, next_random\n"
        "next_random(1)\n"
        "if sys.argv[1:]:\n"
        "    below(1, 2)\n"
        "print(sum(next_random.stats.cache_hits.values()))\n"
    )
    environment = {**os.environ, "STATE_DIRECTORY": str(tmp_path)}

    def hits(*words: str) -> str:
        command = [sys.executable, "-c", program, *words]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert hits() == "0"
    kept = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert hits("read only") == "1"
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == kept


def test_units_socket_and_table_name_the_same_things(root):
    def said(unit: str, key: str) -> list[str]:
        text = (root / "systemd" / unit).read_text()
        return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)

    [path] = said("tiltboard-engine.socket", "ListenStream")
    assert f"{UNIT_SOCKET}={path}" in said("tiltboard.service", "Environment")
    assert said("tiltboard-engine.socket", "SocketGroup") == said("tiltboard.service", "Group")
    [user] = said("tiltboard-engine.service", "User")
    assert user not in said("tiltboard.service", "User")
    assert said("tiltboard-warm.service", "User") == [user]
    # it reads what the other one compiles, and writes nowhere
    [cache] = said("tiltboard-warm.service", "CacheDirectory")
    [state] = [e for e in said("tiltboard-engine.service", "Environment") if "STATE_" in e]
    assert state == f"STATE_DIRECTORY=/var/cache/{cache}"
    for key in ("StateDirectory", "CacheDirectory", "ReadWritePaths", "DeviceAllow"):
        assert said("tiltboard-engine.service", key) == []
    assert said("tiltboard.service", "MemoryDenyWriteExecute") == ["yes"]
