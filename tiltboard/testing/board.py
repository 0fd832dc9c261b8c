"""The real board that this machine controls during one run of pytest, and the report on the run."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Self

import pytest

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.cli.pi_checks import describe_run, this_machine
from tiltboard.firmware_host.config.pi_board import own_board
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.assemble import missing_table
from tiltboard.firmware_host.scenario.by_hand import Console
from tiltboard.firmware_host.scenario.person import Person
from tiltboard.ground.clock import SystemClock
from tiltboard.ground.errors import TiltboardError
from tiltboard.testing.real import AtTerminal, Helper, RealBench, ServoHand

TERMINAL = Path("/dev/tty")
STYLE = "body{font:15px sans-serif;margin:2em}pre{background:#eee;padding:.7em}"


class RealBoard:
    """A real board that only this program uses, and a report on the tests. The report's folder has
    the date in its name.
    """

    def __init__(
        self, profile: Profile, buses: Buses, helper: Helper, folder: Path, closing: ExitStack
    ) -> None:
        self._profile, self._buses, self._helper = profile, buses, helper
        self._closing = closing
        self.began = datetime.fromtimestamp(SystemClock().calendar(), UTC)
        self._board = describe_run(this_machine(SystemClock(), for_service=True), profile)
        self.folder = folder / f"{profile.name}-{self.began:%Y%m%d-%H%M%S}"
        """The folder of the report: junit.xml and report.html."""
        self._told: list[str] = []

    @classmethod
    def open(cls, profile: Profile, servo: str | None, folder: Path) -> Self:
        """Open the board for exclusive use. Raises pytest.UsageError with a one-line message if
        there is no board.
        """
        with ExitStack() as closing:
            try:
                buses = closing.enter_context(own_board(profile.needs()))
            except TiltboardError as error:
                raise pytest.UsageError(f"--tiltboard-real: {error}") from None
            missing = missing_table(profile, buses)
            if missing:
                raise pytest.UsageError(f"--tiltboard-real: there is no board here: {missing[0]}")
            return cls(profile, buses, _helper(servo), folder, closing.pop_all())
        raise AssertionError  # No context in this function swallows an exception.

    def bench(self) -> RealBench:
        """Return a bench with the parts of the board. A person or a servo acts on the bench."""
        return RealBench(self._profile, self._buses, self._helper)

    def person(self, state: Path) -> AbstractContextManager[Person]:
        """Return a person at the terminal, who acts at the table while the table's host runs. Skips
        the test if there is no terminal.
        """
        try:
            keys = self._closing.enter_context(TERMINAL.open("r"))
            screen = self._closing.enter_context(TERMINAL.open("w"))
        except OSError:
            pytest.skip("nobody is at a terminal to act as hands and eyes")

        def write(line: str) -> None:
            screen.write(f"{line}\n")
            screen.flush()

        return Person(self._profile, self._buses, state, Console(write, keys.fileno()))

    def add(self, report: pytest.TestReport, told: str) -> None:
        """Add the result of a test to the report. ``told``: further text for the report."""
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        text = "\n".join(filter(None, (told, why, report.longreprtext if report.failed else "")))
        self._told.append(
            f"<h2>{escape(report.nodeid)}: {report.outcome}, {report.duration:.1f} s</h2>"
            f"<pre>{escape(text)}</pre>"
        )

    def close(self) -> None:
        """Write the report page, and release the board."""
        self._closing.close()
        if self._told:
            self.folder.mkdir(parents=True, exist_ok=True)
            title = f"{self._profile.title}, {self.began:%Y-%m-%d %H:%M} UTC"
            page = [
                '<!doctype html><html lang="en"><meta charset="utf-8">',
                f"<title>{escape(title)}</title><style>{STYLE}</style><h1>{escape(title)}</h1>",
                f"<p>{escape(self._board)}</p>",
                *self._told,
            ]
            (self.folder / "report.html").write_text("\n".join([*page, "</html>\n"]), "utf-8")


def _helper(servo: str | None) -> Helper:
    """Return a person at the terminal or, if ``servo`` is given, a servo with a person. Raises
    pytest.UsageError if ``servo`` is invalid.
    """
    if servo is None:
        return AtTerminal()
    try:
        pin, place, pole = servo.split(":")
        number = int(pin)
    except ValueError:
        raise pytest.UsageError(
            f'--tiltboard-servo: expected GPIO:PLACE:POLE, as "12:a1:south", not {servo!r}'
        ) from None
    return ServoHand(AtTerminal(), import_module("gpiozero").Servo(number), f"{place}, {pole}")
