"""The conformance suites on the board wired to this machine, with a person as hands and eyes.

TILTBOARD_HIL_PROFILE names the profile; the person is asked at the terminal
(docs/hardware-in-the-loop.md). The suites here are links to those of tests/conformance.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import pytest

from drivers.buses import PiBuses
from drivers.errors import PartError
from drivers.plate import Plate
from firmware_host.assemble import missing_table, plate_for
from firmware_host.board_lock import BoardInUseError, BoardLock
from firmware_host.profile import MatrixHall, Profile, load_profile

T = TypeVar("T")
PROFILE = "TILTBOARD_HIL_PROFILE"
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


class RealBench:
    """The interface of tests/conformance's SimBench, on ``buses``."""

    patience_s = 10.0
    hands_s = 8.0

    def __init__(self, profile: Profile, buses, helper: Helper) -> None:
        self.profile = profile
        self.buses = buses
        self.clock = buses.clock
        self.plate: Plate = plate_for(profile, buses)
        self._ask = helper.ask

    def part(self, name: str):
        found = getattr(self.plate, name)
        if found is None:
            pytest.skip(f"{self.profile.name} has no {name}")
        return found

    def limited_to(self, supply_a: float) -> Plate:
        self.plate.close()
        lights = msgspec.structs.replace(self.profile.lights, supply_a=supply_a)
        self.plate = plate_for(msgspec.structs.replace(self.profile, lights=lights), self.buses)
        return self.plate

    def pace(self) -> None:
        self.clock.sleep(1 / self.profile.scans_per_s)

    def until(self, use: Callable[[], T], right: Callable[[T], bool] = lambda _: True) -> T:
        last: object = None
        end_s = self.clock.now() + self.patience_s
        while self.clock.now() < end_s:
            try:
                last = value = use()
                if right(value):
                    return value
            except PartError as error:
                last = error
            self.pace()
        pytest.fail(f"not within {self.patience_s} s; last: {last!r}")

    # Hands

    def clear(self) -> None:
        self._ask("Take every piece off the plate")

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


@pytest.fixture(scope="session")
def board() -> Iterator[tuple[Profile, PiBuses]]:
    """The board, for this run alone."""
    name = os.environ.get(PROFILE)
    if not name:
        pytest.skip(f"no board: {PROFILE} names no profile")
    profile = load_profile(name)
    with ExitStack() as closing:
        try:
            closing.enter_context(BoardLock())
        except BoardInUseError as error:
            pytest.skip(str(error))
        buses = PiBuses()
        closing.callback(buses.close)
        missing = missing_table(profile, buses)
        if missing:
            pytest.skip(f"no board: {missing[0]}")
        yield profile, buses


@pytest.fixture
def bench(board) -> Iterator[RealBench]:
    opened = RealBench(*board, AtTerminal())
    yield opened
    opened.plate.close()


@pytest.fixture
def real_bench() -> type[RealBench]:
    """For the tests of the bench itself."""
    return RealBench


@pytest.fixture
def at_terminal() -> type[AtTerminal]:
    return AtTerminal


@pytest.fixture
def cut_off() -> Callable[..., Plate]:
    """A plate of the bench's profile whose buses fail to open with an error."""

    class NoBuses:
        def __init__(self, clock, error: OSError | ImportError) -> None:
            self.clock = clock
            self._error = error

        def __getattr__(self, name: str):
            raise self._error

    return lambda bench, error: plate_for(bench.profile, NoBuses(bench.clock, error))
