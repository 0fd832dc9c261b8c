"""Not a test: a mosquitto broker on a free port of this machine, which a test can kill."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
NEEDS_MOSQUITTO = pytest.mark.skipif(PROGRAM is None, reason="mosquitto is not installed")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A mosquitto process that stores retained messages when it stops normally.

    ``more``: additional lines of its configuration.
    """

    def __init__(self, folder: Path, more: str = "allow_anonymous true", port: int = 0) -> None:
        self.port = port or free_port()
        self.folder = folder
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._file = folder / "mosquitto.conf"
        self._file.write_text(
            f"listener {self.port} 127.0.0.1\n{more}\nuser root\npersistence true\n"
            f"persistence_location {folder}/\nlog_dest stderr\n"
            "log_type information\nlog_type error\n"
        )
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            [str(PROGRAM), "-c", str(self._file)], stderr=subprocess.PIPE, text=True
        )
        assert self._process.stderr is not None
        while "running" not in (line := self._process.stderr.readline()):
            assert line, self._process.wait()

    def stop(self, *, forgets: bool = False) -> None:
        """Stop the broker as a service manager does; with ``forgets``, kill it and delete its
        store.
        """
        if forgets:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()
        if forgets:
            (self.folder / "mosquitto.db").unlink(missing_ok=True)

    def __enter__(self) -> Mosquitto:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop()
