"""The conformance suites on the board wired to this machine, with a person as hands and eyes.

``--real PROFILE``, or TILTBOARD_HIL_PROFILE, names the profile; the person is asked at the terminal
(docs/hardware-in-the-loop.md). The suites here are links to those of tests/conformance.
"""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Protocol

import pytest

from tiltboard.drivers.pi_buses import PiBuses
from tiltboard.firmware_host.config.computer import BoardInUseError, own_board
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.wiring import MatrixHall
from tiltboard.firmware_host.host.assemble import missing_table

PROFILE = "TILTBOARD_HIL_PROFILE"
CLEAR = "Take every piece off the plate"
COLOURS = {
    "white": (255, 255, 255),
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 128, 0),
}


class Helper(Protocol):
    """Whoever does and looks."""

    def ask(self, request: str) -> str:
        """What is typed in answer, when it is done. Skips the test where nobody is there."""


class AtTerminal:
    """A person at this process's terminal, whatever pytest does with its output."""

    def __init__(self, terminal: Path = Path("/dev/tty")) -> None:
        self._terminal = terminal

    def ask(self, request: str) -> str:
        faulthandler.cancel_dump_traceback_later()  # a person may take as long as he likes
        try:
            with self._terminal.open("r") as keys, self._terminal.open("w") as screen:
                screen.write(f"\n  {request}, then Enter: ")
                screen.flush()
                return keys.readline().strip().lower()
        except OSError:
            pytest.skip("nobody at a terminal to act as hands and eyes")


class Servo(Protocol):
    """As gpiozero.Servo."""

    def min(self) -> None:
        """To one end: the magnet is off the plate."""

    def max(self) -> None:
        """To the other: it lies on its place."""


class ServoHand:
    """A servo with a magnet on its horn puts it on one place and takes it off; a person does the
    rest.
    """

    rest_s = 0.5  # an SG90 takes 0.1 s for 60 degrees; then the magnet swings

    def __init__(self, helper: Helper, servo: Servo, piece: str, sleep=time.sleep) -> None:
        self._helper, self._servo, self._sleep = helper, servo, sleep
        self._put = f"Put a strong piece on {piece} pole down"
        self._by_hand = True  # there may be other pieces on the plate

    def ask(self, request: str) -> str:
        if request == self._put:
            self._servo.max()
        elif request == CLEAR:
            self._servo.min()
            if self._by_hand:
                self._helper.ask(request)
            self._by_hand = False
        else:
            self._by_hand = self._by_hand or request.startswith("Put ")
            return self._helper.ask(request)
        self._sleep(self.rest_s)
        return ""


def _load_bench():
    """A module beside these tests: their folders are no packages."""
    spec = spec_from_file_location("bench", Path(__file__).parents[2] / "conformance" / "bench.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Bench


Bench = _load_bench()


class RealBench(Bench):
    """On ``buses``."""

    patience_s = 10.0
    hands_s = 8.0

    def __init__(self, profile: Profile, buses, helper: Helper) -> None:
        super().__init__(profile, buses)
        self._ask = helper.ask

    # Hands

    def clear(self) -> None:
        self._ask(CLEAR)

    def put(self, index: int, pole: str) -> None:
        name = {"N": "north", "S": "south"}[pole]
        self._ask(f"Put a strong piece on {self.profile.places[index]}, {name} pole down")

    def tilt(self, x_deg: float, y_deg: float) -> None:
        last = (f"row {self.profile.rows}", f"column {self.profile.places[-1][0]}")
        ways = [
            f"raise the side of {up if angle > 0 else down} by {abs(angle):g} degrees"
            for angle, up, down in ((x_deg, last[0], "row 1"), (y_deg, "column a", last[1]))
            if angle
        ]
        wish = " and ".join(ways) or "level the plate"
        self._ask(f"Within {self.hands_s:g} s after Enter {wish}, and hold it")

    def press(self, button: str) -> None:
        self._ask(f"Hold {button} down until you are told to let go")

    def let_go(self, button: str) -> None:
        self._ask(f"Let {button} go")

    def unplug(self, part: str) -> None:
        if part == "panel" or (part == "hall" and isinstance(self.profile.hall, MatrixHall)):
            pytest.skip(f"{self.profile.name}: the {part} is on this computer's own pins")
        self._ask(f"Pull the plug of the {part}")

    def plug_in(self, part: str) -> None:
        self._ask(f"Put the plug of the {part} back")

    # Eyes and ears

    def shining(self) -> dict[int, tuple[int, int, int]]:
        said = self._ask("Which places shine? (a1 white, b1 red / all yellow / none)")
        found = {}
        for entry in filter(None, said.replace("none", "").split(",")):
            place, colour = entry.split()
            for name in self.profile.places if place == "all" else (place,):
                found[self.profile.places.index(name)] = COLOURS[colour]
        return found

    def drawn_ma(self) -> float | None:
        said = self._ask("How many mA do the lights take from their supply? (nothing: no meter)")
        return float(said) if said else None

    def sounds(self) -> bool:
        return self._ask("Does the buzzer sound? (y/n)").startswith("y")


def pytest_addoption(parser) -> None:
    """Heard where this folder is named: pytest tests/campaigns/hil --real plate-10."""
    parser.addoption("--real", metavar="PROFILE", help="profile of the board wired here")
    parser.addoption(
        "--servo",
        metavar="GPIO:PLACE:POLE",
        help='a servo of this computer\'s that puts a piece, as "12:a1:south"',
    )


@pytest.fixture(scope="session")
def real_profile(request) -> str | None:
    """The name that was given."""
    return request.config.getoption("--real", None) or os.environ.get(PROFILE)


@pytest.fixture(scope="session")
def board(real_profile) -> Iterator[tuple[Profile, PiBuses]]:
    """The board, for this run alone."""
    if not real_profile:
        pytest.skip(f"no board: neither --real nor {PROFILE} names a profile")
    profile = load_profile(real_profile)
    with ExitStack() as closing:
        try:
            buses = closing.enter_context(own_board(profile.needs()))
        except BoardInUseError as error:
            pytest.skip(str(error))
        missing = missing_table(profile, buses)
        if missing:
            pytest.skip(f"no board: {missing[0]}")
        yield profile, buses


@pytest.fixture(scope="session")
def hands(request) -> Helper:
    """A person, and a servo where there is one."""
    wired = request.config.getoption("--servo", None)
    if wired is None:
        return AtTerminal()
    from gpiozero import Servo as RealServo

    pin, place, pole = wired.split(":")
    return ServoHand(AtTerminal(), RealServo(int(pin)), f"{place}, {pole}")


@pytest.fixture
def bench(board, hands) -> Iterator[RealBench]:
    opened = RealBench(*board, hands)
    yield opened
    opened.plate.close()


@pytest.fixture
def real_bench() -> type[RealBench]:
    """For the tests of the bench itself."""
    return RealBench


@pytest.fixture
def servo_hand() -> type[ServoHand]:
    return ServoHand


@pytest.fixture
def at_terminal() -> type[AtTerminal]:
    return AtTerminal
