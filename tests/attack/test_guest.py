"""Tests of firmware_host/web/requests.py, firmware_host/table/commands.py and
firmware_host/journal/text_format.py: a guest: a paired device that means no good, or a file
that somebody was sent.
"""

from __future__ import annotations

import json
from concurrent.futures import Future

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.host import playing
from tiltboard.firmware_host.host.player_records import MAX_PEOPLE, People
from tiltboard.firmware_host.journal.text_format import write_game
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.referee.seat_referee import SeatReferee
from tiltboard.firmware_host.table.commands import ImportGame, NewGame, PracticePosition, ResumeGame
from tiltboard.firmware_host.table.move_line import RESIGNED, resignation
from tiltboard.games.base import OptionError
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE
from tiltboard.games.gravity_warfare.data import MAX_CARDS, MAX_HEROES, MAX_KINDS, MAX_WORD
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.session import SimSession

PLATE = unhurried("matrix-gpio")
LARGEST_MESSAGE = 60_000


def deck(kinds: int, count: int, heroes: int = 10, name: str = "c") -> str:
    cards = [f'[[card]]\nname="guardian"\ncount={min(count, 99)}\n']
    cards += [f'[[card]]\nname="{name}{n}"\ncount={count}\n' for n in range(kinds - 1)]
    led = [f'[[hero]]\nname="h{n}"\nability="gem"\n' for n in range(heroes)]
    return "".join((*cards, *led))


@pytest.mark.parametrize(
    "given",
    [
        deck(2580, 99)[:LARGEST_MESSAGE],
        deck(MAX_KINDS + 1, 2),
        deck(20, 99),
        deck(10, 9, heroes=MAX_HEROES + 1),
        deck(10, 9, name="c" * MAX_WORD),
    ],
    ids=["54 kB", "kinds", "cards", "heroes", "words"],
)
def test_no_deck_is_larger_than_a_box_could_be(given):
    with pytest.raises(OptionError) as caught:
        GRAVITY_WARFARE.create({"deck": GRAVITY_WARFARE.board_of(given)})
    assert len(str(text(caught.value.template, **caught.value.params))) < 300


def test_the_largest_deck_is_dealt():
    largest = deck(MAX_KINDS, MAX_CARDS // MAX_KINDS, heroes=MAX_HEROES)
    game = GRAVITY_WARFARE.create({"deck": GRAVITY_WARFARE.board_of(largest)})
    assert game.chosen.pack().total() > MAX_CARDS * 0.85


def test_no_sentence_repeats_a_message_as_long_as_it_was():
    said = str(text("{name} is none of {known}.", name="x" * 60_000, known=["y"] * 60_000))
    assert len(said) < 2000
    assert said.startswith("xxx")


def test_a_file_is_read_by_the_thread_that_sends_it_and_not_between_two_scans(
    tmp_path, monkeypatch
):
    """Whatever it is: 60,000 characters take some 40 ms here, and as many as 250 on a Zero 2 W."""
    read = []
    kind = type(GRAVITY_WARFARE)
    board_of = kind.board_of
    monkeypatch.setattr(
        kind, "board_of", lambda it, text: read.append("read") or board_of(it, text)
    )
    with SimSession(PLATE, tmp_path) as session:
        asked = session.host.submit(NewGame("gravity-warfare", boards={"deck": deck(20, 9)}))
        assert read == ["read"]
        assert not asked.done()
        session.tick()
        assert asked.done()
        assert asked.exception() is None
        assert read == ["read"]
        assert len(session.host.game.options["deck"]["card"]) == 20
        bad = session.host.submit(NewGame("gravity-warfare", boards={"deck": "a = ["}))
        with pytest.raises(OptionError):
            bad.result(0)


def test_a_puzzle_is_made_of_a_game_in_no_scan(tmp_path, monkeypatch):
    """A proof search of what stood on a large board takes 0.4 s here, and ten on a Zero 2 W."""
    searched = []
    made = playing.made_of
    monkeypatch.setattr(playing, "made_of", lambda *given: searched.append(given) or made(*given))
    with SimSession(PLATE, tmp_path) as session:
        host, asked = session.host, []
        game = host.journal.start("gravity-connect", {"size": 4, "line": 3})
        for ply, move in enumerate(("2", "3"), 1):
            host.journal.append(game, ply, move)
        later = lambda question: asked.append((question, Future())) or asked[-1][1]  # noqa: E731
        done = host.submit(PracticePosition(game, 2), later)
        session.tick()
        session.tick()
        assert (searched, done.done(), len(asked)) == ([], False, 1)
        question, answer = asked[0]
        answer.set_result(question(host.journal))
        searched.clear()
        session.tick()
        assert done.result(0) is None
        assert host.session.lesson.game.exercise.moves == ["2", "3"]
        assert searched == []


def test_nobody_is_told_to_have_won_a_game_that_a_file_brought(tmp_path):
    """As often as it is read, and whoever sits there: a rating is of games at this table."""
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        host, people = session.host, session.host.playing.people
        host.do(NewGame("momentum", {}, names={"red": "Ada"}))
        number = host.journal.start(
            "momentum", host.game.options, engines={"blue": EngineSeat(level=9)}
        )
        for ply, move in enumerate(("d4", "a1"), 1):
            host.journal.append(number, ply, move)
        host.journal.finish(number, resignation(host.game, "blue", RESIGNED).as_json())
        text = write_game(host.journal.load(number))
        assert "red" in text.partition("Result: ")[2].partition("\n")[0]
        for command in (ImportGame(text), ImportGame(text), ResumeGame(number)):
            host.do(command)
            session.run_until(session.clock.now() + 0.5)
            assert host.status.outcome is not None
        assert people.person("Ada") == {}


def test_names_that_nobody_has_make_room(tmp_path):
    momentum, people = game_type("momentum").create({}), People(tmp_path)
    people.sit("blue", "Ben")
    people.count(momentum, 1, ["d4"], {"red": EngineSeat()}, ["blue"])
    for number in range(3 * MAX_PEOPLE):
        people.sit("red", f"guest {number}")
    people.sit("red", "Ada")
    assert {"Ada", "Ben"} <= set(people.names)
    assert len(people.names) <= MAX_PEOPLE


class KilledError(BaseException):
    """What a watchdog does."""


def test_a_game_that_ends_the_service_twice_as_it_begins_is_set_aside(tmp_path, monkeypatch):
    with SimSession(PLATE, tmp_path) as session:
        session.host.do(NewGame("gravity-warfare", {}))
        session.host.step()
        bad = session.host.session.referee.position.game.name
        session.host.journal.close()
        session.host.close()
        step = SeatReferee.step

        def killed(*_arguments, **_named):
            raise KilledError

        monkeypatch.setattr(SeatReferee, "step", killed)
        for _ in range(2):
            with pytest.raises(KilledError):
                session.start()
        session.start()
        assert session.host.game.name == "momentum" != bad
        said = str(session.host.notices["journal"])
        assert "set aside" in said
        assert [game.game for game in session.host.journal.games()][1] == "gravity-warfare"
        monkeypatch.setattr(SeatReferee, "step", step)


def test_a_game_that_is_killed_often_but_not_as_it_begins_goes_on(tmp_path):
    with SimSession(PLATE, tmp_path) as session:
        session.host.do(NewGame("gravity-warfare", {}))
        for _ in range(6):
            session.run_until(session.clock.now() + 2)
            session.kill()
        assert session.host.game.name == "gravity-warfare"
        assert json.loads((tmp_path / "starting.json").read_bytes())["failed"] == 0


@pytest.mark.parametrize(
    ("game", "options", "moves", "said"),
    [
        ("of-a-plugin", {}, (), "There is no game of-a-plugin"),
        ("momentum", {"size": 7}, ("zz",), "Move 1, zz"),
        ("momentum", {"size": 15, "marbles": 20}, (), "does not fit this plate"),
        (
            "gravity-warfare",
            {"deck": {"card": [{"name": "guardian"}] * 99}},
            (),
            "cannot be played",
        ),
    ],
)
def test_a_game_that_cannot_be_played_here_does_not_keep_the_table_from_starting(
    tmp_path, game, options, moves, said
):
    """Its package was removed, its rules were mended, or the plate was exchanged."""
    with Journal.open(tmp_path / "journal.sqlite", VirtualClock()) as journal:
        number = journal.start(game, options)
        for ply, move in enumerate(moves, 1):
            journal.append(number, ply, move)
    for _ in range(2):
        with SimSession(unhurried("plate-10"), tmp_path) as session:
            assert session.host.game.name == "momentum"
            assert session.host.journal.load(number).moves == moves
            assert [each.id for each in session.host.journal.games()] == [2, 1]
            notice = session.host.notices.pop("journal", None)
            assert (notice is None) == (said == "")
            assert said in str(notice or "")
        said = ""
