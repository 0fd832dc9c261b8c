"""Tests of firmware_host/journal/writer.py and firmware_host/table/move_line.py: the service is
killed, or the power cut, before and after every write of a game's journal.

What a person at the table does goes on regardless, as if nothing had happened: the same hands, the
same pieces. The outcome must be the game that was played, whatever died when.
"""

from collections.abc import Callable

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

WRITES = ("start", "hold", "append", "take_back", "finish")
TABLE = "matrix-gpio"  # what is written does not depend on the table: the quickest one
OPTIONS = {"width": 4, "height": 4, "marbles": 3, "pie": False}

# What the hands do: a settle, a takeback by button, a last move that wins.
HANDS: tuple[tuple[str, ...], ...] = (
    ("put", "red", "a1"),
    ("put", "blue", "a2"),  # pushes a1 off the board
    ("take", "a1"),
    ("put", "red", "c3"),
    ("press", "back"),
    ("take", "c3"),
    ("put", "red", "d4"),
    ("put", "blue", "c1"),
    ("put", "red", "b4"),
    ("put", "blue", "d3"),  # pushes d4 off the board, and is the last one: blue wins
    ("take", "d4"),
)
CARRIED, PLAIN = ("hold", "append"), ("append",)  # with something to carry out, or nothing
ORDER = ("start", *PLAIN, *CARRIED, *PLAIN, "take_back", *PLAIN * 3, *CARRIED, "finish")
EVERY = 3  # of these one is died at in the same game: what follows shows whether anything is lost


class DiedError(BaseException):
    """The process is gone at this very instruction."""


class Reaper:
    """Kills at some writes of the journal, just before each or just after it has come through.
    ``armed``: how many have come through by then.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *armed: int, after: bool = False) -> None:
        self.armed = set(armed)
        self.after = after
        self.seen: list[str] = []
        for name in WRITES:
            monkeypatch.setattr(Journal, name, self._wrapped(name, getattr(Journal, name)))

    def _wrapped(self, name: str, write: Callable[..., object]) -> Callable[..., object]:
        def wrapped(journal: Journal, *arguments: object, **named: object) -> object:
            number = len(self.seen)
            dies = number in self.armed
            self.armed.discard(number)
            if dies and not self.after:
                raise DiedError
            result = write(journal, *arguments, **named)
            self.seen.append(name)
            if dies:
                raise DiedError
            return result

        return wrapped


def play(session: SimSession, die: Callable[[], None]) -> int:
    """Play the game through; ``die`` is what happens where the process dies. Returns deaths."""
    deaths = 0

    def until(time_s: float) -> None:
        nonlocal deaths
        while session.clock.now() < time_s:
            try:
                session.tick()
            except DiedError:
                deaths += 1
                die()

    until(session.clock.now() + 3)
    try:
        session.host.do(NewGame("momentum", OPTIONS))
    except DiedError:
        deaths += 1
        die()
        until(session.clock.now() + 3)
        if session.host.game.options["marbles"] != OPTIONS["marbles"]:
            session.host.do(NewGame("momentum", OPTIONS))  # it was not confirmed: asked for again
    until(session.clock.now() + 1)
    for verb, *words in HANDS:
        index = session.host.overlay.index_of
        match verb:
            case "put":
                action = session.hands.put(words[0], index(words[1]))
            case "take":
                action = session.hands.take(index(words[0]))
            case _:
                action = session.hands.press(words[0], 0.2)
        until(action.end_s + 0.3)
        until(session.clock.now() + (4 if deaths else 0))  # a service that starts is blind a while
    return deaths


def state(session: SimSession) -> tuple[object, ...]:
    record = session.host.journal.current()
    assert record is not None
    status = session.host.status
    cells = None if status.position is None else dict(status.position.cells)
    return record.moves, record.options, cells, status.phase, status.to_move


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """How the game ends when nobody dies, and by the rules alone."""
    with SimSession(unhurried(TABLE), tmp_path_factory.mktemp("state")) as session:
        assert play(session, lambda: None) == 0
        end = state(session)
    position = game_type("momentum").create(OPTIONS).start()
    for move in ("a1", "a2", "d4", "c1", "b4", "d3"):
        position = position.play(move).position
    assert end[0] == ("a1", "a2", "d4", "c1", "b4", "d3")
    assert end[2] == dict(position.cells)
    return end


def test_the_game_writes_as_often_as_this_suite_believes(tmp_path, monkeypatch, undisturbed):
    with SimSession(unhurried(TABLE), tmp_path) as session:
        reaper = Reaper(monkeypatch)
        play(session, lambda: None)
    assert tuple(reaper.seen) == ORDER


@pytest.mark.parametrize("how", ["kill before", "power_cut after"])
@pytest.mark.parametrize("first", range(EVERY))
def test_dying_at_any_write_loses_nothing_confirmed(tmp_path, monkeypatch, undisturbed, first, how):
    die, when = how.split()
    with SimSession(unhurried(TABLE), tmp_path) as session:
        armed = range(first, len(ORDER), EVERY)
        reaper = Reaper(monkeypatch, *armed, after=when == "after")
        assert play(session, getattr(session, die)) == len(armed)
        assert state(session) == undisturbed
        # Nothing is written twice, but for the end, should the table die after it.
        assert tuple(reaper.seen[: len(ORDER)]) == ORDER
