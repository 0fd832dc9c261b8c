"""Tests of drivers/hall_switches.py and tiltboard_plans/matrix_board.py: the matrix
driver over copper solved by nodes: which lines a driven row pulls low.
"""

import errno

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.drivers.errors import PartAbsentError, PartReadingError
from tiltboard.drivers.hall_switches import SwitchMatrix

ROWS = (5, 6, 13)
NORTH = (16, 20, 21)
SOUTH = (17, 18, 27)
COLUMNS = (*NORTH, *SOUTH)


class Copper:
    """``closed``: (row pin, column pin); ``shorted``: those whose diode conducts both ways."""

    def __init__(self) -> None:
        self.closed: set[tuple[int, int]] = set()
        self.shorted: set[tuple[int, int]] = set()
        self.grounded: set[int] = set()
        self.broken: set[int] = set()
        self.factory: MockFactory | None = None

    def low(self, pin: int) -> bool:
        lows = set(self.grounded)
        lows |= {row for row in ROWS if self.factory.pin(row).function == "output"}
        while True:
            more = {c for r, c in self.closed if r in lows}
            more |= {r for r, c in self.closed & self.shorted if c in lows}
            if more <= lows:
                return pin in lows
            lows |= more


class MatrixPin(MockPWMPin):
    def _get_state(self):
        copper = self.factory.copper
        if self._number in copper.broken:
            raise OSError(errno.EIO, "bad handle", f"GPIO{self._number}")
        if self._function == "input":
            assert self._pull == "up"
            return int(not copper.low(self._number))
        return super()._get_state()


class MatrixBuses:
    def __init__(self, clock) -> None:
        self.clock = clock
        self.copper = Copper()
        self.pin_factory = MockFactory(pin_class=MatrixPin)
        self.pin_factory.copper = self.copper
        self.copper.factory = self.pin_factory


@pytest.fixture
def rig(buses):
    made = MatrixBuses(buses.clock)
    yield made
    made.pin_factory.close()


@pytest.fixture
def matrix(rig) -> SwitchMatrix:
    return SwitchMatrix(rig, ROWS, NORTH, SOUTH)


def test_an_open_matrix_reads_nothing(matrix) -> None:
    assert matrix.read() == (0.0,) * 9


def test_lines_that_were_claimed_are_given_back_where_another_cannot_be(matrix, rig, monkeypatch):
    pin, given_back = rig.pin_factory.pin, []

    def claimed(number: int):
        if number == ROWS[2]:
            raise OSError(errno.EBUSY, "GPIO busy")
        return pin(number)

    monkeypatch.setattr(rig.pin_factory, "pin", claimed)
    monkeypatch.setattr(MatrixPin, "close", lambda self: given_back.append(self._number))
    with pytest.raises(PartAbsentError):
        matrix.read()
    assert given_back == [*ROWS[:2]]
    monkeypatch.undo()
    assert matrix.read() == (0.0,) * 9


def test_poles_rows_and_columns(matrix, rig) -> None:
    rig.copper.closed = {(5, 16), (6, 18), (13, 27)}  # a1 north, b2 south, c3 south
    assert matrix.read() == (-12.1, 0, 0, 0, 12.1, 0, 0, 0, 12.1)


def test_with_diodes_three_corners_are_three(matrix, rig) -> None:
    rig.copper.closed = {(5, 16), (6, 16), (6, 20)}
    assert matrix.read() == (-12.1, 0, 0, -12.1, -12.1, 0, 0, 0, 0)


def test_without_diodes_the_ghost_is_seen_and_no_piece(matrix, rig) -> None:
    rig.copper.closed = rig.copper.shorted = {(5, 16), (6, 16), (6, 20)}
    assert rig.copper.low(20) is False
    with pytest.raises(PartReadingError, match=r"from row 2 .* into row 1") as caught:
        matrix.read()
    assert "diodes of row 2" in caught.value.remedy
    rig.copper.shorted = set()
    assert matrix.read()[1] == 0


CONTACTS = st.sets(st.sampled_from([(r, c) for r in ROWS for c in COLUMNS]), max_size=10)


@few(80)
@given(closed=CONTACTS, shorted=CONTACTS)
def test_what_is_read_is_what_is_closed_or_an_error(closed, shorted) -> None:
    class Still:
        def sleep(self, duration_s: float) -> None:
            assert duration_s <= 1e-3

    rig = MatrixBuses(Still())
    rig.copper.closed, rig.copper.shorted = closed, shorted
    matrix = SwitchMatrix(rig, ROWS, NORTH, SOUTH)
    try:
        field = matrix.read()
    except PartReadingError:
        assert closed & shorted
        return
    finally:
        rig.pin_factory.close()
    for row, row_pin in enumerate(ROWS):
        for column in range(3):
            north = (row_pin, NORTH[column]) in closed
            south = (row_pin, SOUTH[column]) in closed
            wanted = {(0, 0): 0.0, (1, 0): -12.1, (0, 1): 12.1, (1, 1): 4.4}[north, south]
            assert field[row * 3 + column] == wanted


def test_each_row_is_let_go_before_the_next_and_lines_settle(matrix, rig, buses) -> None:
    matrix.read()
    buses.clock.waits.clear()
    matrix.read()
    assert all(rig.pin_factory.pin(row).function == "input" for row in ROWS)
    # Through 73 kilohm at most and 100 pF a line reaches 1.6 of 3.3 V in 4.8 us.
    assert len(buses.clock.waits) == 2 * len(ROWS)
    assert min(buses.clock.waits) >= 73e3 * 100e-12 * 0.664


def test_a_grounded_line_is_named(matrix, rig) -> None:
    rig.copper.grounded = {18}
    with pytest.raises(PartReadingError, match="GPIO18 of the sensors' matrix is held low"):
        matrix.read()
    rig.copper.grounded = set()
    assert matrix.read() == (0.0,) * 9


def test_a_line_that_fails_is_the_arrays_fault_and_comes_back(matrix, rig) -> None:
    matrix.read()
    rig.copper.broken = {21}
    with pytest.raises(PartAbsentError, match="GPIO21 does not work"):
        matrix.read()
    rig.copper.broken = set()
    assert matrix.read() == (0.0,) * 9


def test_settings_need_two_pins_a_column(rig) -> None:
    with pytest.raises(ValueError, match="each column"):
        SwitchMatrix(rig, ROWS, NORTH, SOUTH[:2])
