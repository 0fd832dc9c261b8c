"""Tests of firmware_host/journal/text_format.py: games as text: what is written is read back,
and what cannot be read is named by its line.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.config.errors import GameTextError, NotPossibleError
from tiltboard.firmware_host.journal.records import JournalGame
from tiltboard.firmware_host.journal.text_format import read_game, replay, write_game
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.games.registry import game_type

# Written by hand from the format's description, not by the exporter.
BY_HAND = """tiltboard game 1

# Sunday at the lake
Game: momentum
Date: 2026-03-01T18:20:00Z
Players: red, blue
Option size: 7
Option marbles: 8
Result: *

1. d4 swap
2. e5
"""

# 2 x 1 cells and a marble each, no pie: red's first drop completes his set (rule M3).
WON = """tiltboard game 1
Game: momentum
Date: 2026-03-01T18:20:00Z
Players: red, blue
Option width: 2
Option height: 1
Option marbles: 1
Option pie: false
Note: as short as it gets
Result: {"winner":"red","reason":"complete"}
1. a1
"""


def record_of(options: dict[str, Any], moves: tuple[str, ...], note: str = "") -> JournalGame:
    game = game_type("momentum").create(options)
    return JournalGame(
        "momentum", game.options, 1772389200.75, note, moves, None, id=3, changed_s=1772389300.0
    )


def test_a_hand_written_game_is_read() -> None:
    played = read_game(BY_HAND)
    assert played.game == "momentum"
    assert played.moves == ("d4", "swap", "e5")
    assert played.started_s == 1772389200.0  # date --date 2026-03-01T18:20:00Z +%s
    assert (played.result, played.note) == (None, "")
    assert played.options == game_type("momentum").create({}).options


def test_a_finished_game_is_read() -> None:
    played = read_game(WON.replace("\n", "\r\n"))
    assert played.result == {"winner": "red", "reason": "complete"}
    assert played.note == "as short as it gets"


def test_the_written_form() -> None:
    record = record_of({"size": 3, "marbles": 4}, ("a1", "c3", "b2"), note="two\nlines")
    assert write_game(record) == (
        "tiltboard game 1\n"
        "Game: momentum\n"
        "Date: 2026-03-01T18:20:00Z\n"
        "Players: red, blue\n"
        "Option players: 2\n"
        "Option size: 3\n"
        "Option missing: []\n"
        "Option holes: []\n"
        "Option cushions: []\n"
        "Option marbles: 4\n"
        "Option pie: true\n"
        "Option must_block: false\n"
        "Note: two lines\n"
        "Result: *\n"
        "\n"
        "1. a1 c3\n"
        "2. b2\n"
    )


def test_the_result_is_written_even_if_the_journal_never_got_it() -> None:
    record = record_of({"width": 2, "height": 1, "marbles": 1, "pie": False}, ("a1",))
    assert 'Result: {"winner":"red","reason":"complete"}' in write_game(record)


BOARDS: list[dict[str, Any]] = [
    {},
    {"players": 3},
    {"hex": 3, "marbles": 5, "holes": ["0,0"]},
    {"width": 6, "height": 4, "marbles": 4, "players": 4, "cushions": ["c2"], "missing": ["a1"]},
    {"size": 5, "marbles": 5, "round_limit": 6, "pie": False},
]


@few(60)
@given(
    options=st.sampled_from(BOARDS),
    seed=st.integers(0, 2**32),
    length=st.integers(0, 60),
    note=st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=200),
)
def test_export_then_import_is_the_same_game(
    options: dict[str, Any], seed: int, length: int, note: str
) -> None:
    game = game_type("momentum").create(options)
    draw = random.Random(seed)
    position = game.start()
    moves: list[str] = []
    while len(moves) < length and position.outcome is None:
        moves.append(draw.choice(position.legal()))
        position = position.play(moves[-1]).position
    record = record_of(options, tuple(moves), note)

    written = write_game(record)
    played = read_game(written)

    assert (played.game, played.options, played.moves) == ("momentum", game.options, tuple(moves))
    assert played.note == note
    assert played.started_s == 1772389200.0
    outcome = position.outcome
    assert played.result == (None if outcome is None else outcome.as_json())
    again = JournalGame(
        played.game,
        played.options,
        played.started_s,
        played.note,
        played.moves,
        None,
        id=9,
        changed_s=0.0,
    )
    assert write_game(again) == written


def test_an_imported_game_is_in_the_journal_as_it_was(journal: Journal) -> None:
    number = journal.store(read_game(WON))
    record = journal.load(number)
    assert record.moves == ("a1",)
    assert record.result == {"winner": "red", "reason": "complete"}
    again = journal.store(read_game(write_game(record)))
    assert write_game(record) == write_game(journal.load(again))


def edited(old: str, new: str, base: str = BY_HAND) -> str:
    assert base.count(old) == 1
    return base.replace(old, new)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", r"Line 1 .*'tiltboard game 1'"),
        (edited("game 1", "game 2"), r"Line 1 has 'tiltboard game 2'; .*'tiltboard game 1'"),
        (edited("Game: momentum\n", ""), r"Line 12 has the end; .*'Game:'"),
        (edited("momentum", "monentum"), r"Line 4, 'monentum': There is no game .*momentum"),
        (edited("Game:", "Gaem:"), r"Line 4 .*did you mean 'Game'"),
        (edited("Result:", "Game:"), r"Line 9 .*only once"),
        (edited("marbles: 8", "size: 7"), r"Line 8 .*only once"),
        (edited("size: 7", "siz: 7"), r"Line 7 has 'siz'; .*did you mean 'size'"),
        (edited("size: 7", "size: seven"), r"Line 7 .*JSON"),
        (edited("size: 7", "size: " + "[" * 5000), r"Line 7 .*JSON"),
        (edited("size: 7", "size: -7"), r"Line 7, 'Option': .*from 1 to 26"),
        (edited("red, blue", "blue, red"), r"Line 6 has 'blue, red'; .*red, blue"),
        (edited("2026-03-01T", "01.03.2026 "), r"Line 5 .*2026-03-01T18:20:00Z"),
        (edited("2026", "0926"), r"Line 5 .*2026-03-01T18:20:00Z"),
        (edited("2026", "9999"), r"Line 5 .*2026-03-01T18:20:00Z"),  # the journal has no such year
        (edited("Result: *", 'Result: {"winner":"red"}'), r"Line 9 .*\*, as the moves give"),
        (edited("complete", "line", WON), r'Line 10 .*"reason":"complete"'),
        (edited('{"winner":"red","reason":"complete"}', "*", WON), r"Line 10 has '\*'"),
        (edited("2. e5", "3. e5"), r"Line 12 has '3\. e5'; .*round 2"),
        (edited("2. e5", "2."), r"Line 12 has '2\.'; .*round 2"),
        (edited("2. e5", "e5"), r"Line 12 has 'e5'; .*round 2"),
        (edited("1. d4 swap", "1. d4"), r"Line 11 has 'd4'; .*2 moves in a round"),
        (edited("2. e5", "2. e5 e6 e7"), r"Line 12 .*2 moves in a round"),
        (edited("2. e5", "2. d4"), r"Line 12, 'd4': "),
        (edited("2. e5", "2. z9"), r"Line 12, 'z9': "),
        (edited("2. e5", "2. e5 e6\nNote: late"), r"Line 13 has 'Note: late'; .*round 3"),
        (edited("1. a1", "1. a1 b1", WON), r"Line 11, 'b1': "),
        (edited("as short as it gets", "x" * 201, WON), r"Line 9 .*at most 200"),
        (edited("as short as it gets", "\x07", WON), r"Line 9 .*plain"),
        (edited("2. e5", "2. " + "e5 " * 2000), r"Line 12 .*at most 2000 moves"),
        (BY_HAND + "#" * 65536, r"too long"),
    ],
)
def test_what_cannot_be_read_is_named(source: str, said: str) -> None:
    with pytest.raises(GameTextError, match=said):
        read_game(source)


LINES = st.sampled_from(BY_HAND.splitlines() + WON.splitlines())
NOISE = st.text(st.characters(codec="utf-8"), max_size=30)
VALUES = st.sampled_from(["-1", "1e400", "9" * 400, "[[1]]", '{"a":1}', "null", '"\\ud800"', "[0]"])
OPTION_LINES = st.builds(
    "Option {}: {}".format,
    st.sampled_from([spec.name for spec in game_type("momentum").option_specs]),
    VALUES,
)


@few(200)
@given(st.lists(LINES | NOISE | OPTION_LINES, max_size=14), st.booleans())
@example(["Game: momentum\x85Date"], True)
def test_no_text_breaks_the_reader(lines: list[str], begins_well: bool) -> None:
    source = "\n".join((["tiltboard game 1"] if begins_well else []) + lines)
    try:
        played = read_game(source)
    except GameTextError as error:
        assert error.remedy
    else:
        assert len(played.moves) <= len(source)


@few(200)
@given(st.sampled_from([BY_HAND, WON]), st.data())
def test_no_damage_to_a_good_text_breaks_the_reader(source: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(source)))
    gone = data.draw(st.integers(0, 5))
    damaged = source[:at] + data.draw(NOISE | VALUES) + source[at + gone :]
    try:
        read_game(damaged)
    except GameTextError as error:
        assert str(error)


def test_review_shows_every_position() -> None:
    """Rule M1: the marble next to the dropped one moves a cell away."""
    record = record_of({"pie": False}, ("d4", "e4", "a1"))
    assert [dict(position.cells) for position in replay(record).reached] == [
        {},
        {"d4": "red"},
        {"c4": "red", "e4": "blue"},
        {"c4": "red", "e4": "blue", "a1": "red"},
    ]


def test_a_record_that_the_rules_refuse_is_named() -> None:
    with pytest.raises(NotPossibleError, match=r"Game 3 cannot be replayed\. Move 2, d4: "):
        replay(record_of({"pie": False}, ("d4", "d4")))
    unknown = JournalGame("chess", {}, 0.0, "", (), None, id=4, changed_s=0.0)
    with pytest.raises(NotPossibleError, match=r"Game 4 cannot be played by this version: .*chess"):
        write_game(unknown)


def test_what_is_known_of_a_game_is_not_gone_through_again() -> None:
    known = replay(record_of({"pie": False}, ("d4", "e4", "a1")))
    for moves in (("d4", "e4", "a1", "g7"), ("d4", "e4"), ("d4", "a2"), ()):
        record = record_of({"pie": False}, moves)
        again = replay(record, known)
        assert again.moves == moves
        assert again.reached[-1].cells == replay(record).reached[-1].cells
        assert again.game is known.game
        same = sum(a is b for a, b in zip(again.reached, known.reached, strict=False))
        assert same == 1 + sum(a == b for a, b in zip(moves, known.moves, strict=False))
