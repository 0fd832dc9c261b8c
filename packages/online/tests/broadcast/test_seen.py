"""Tests of tiltboard_online/broadcast/spectator_view.py: what lookers are sent of a table, and that
no message can show what the rules do not know.
"""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.registry import HOSTED
from tiltboard_online.broadcast.spectator_view import (
    MAX_BYTES,
    OneLate,
    SpectatorView,
    read,
    seen_of,
)

ENGLISH = Catalogue()
FIRST = b'{"table":"Oak","game":"momentum","number":1,"ply":0,"phase":"turn"}'


def seen(table, **options):
    return seen_of(*table.shown(), ENGLISH, table="Oak", **options)


@pytest.mark.parametrize("game", HOSTED)
def test_every_game_is_read_as_it_was_written(table, game):
    table.play(f"game {game}")
    table.run(3)
    layout, snapshot = table.shown()
    message = msgspec.json.encode(seen(table))
    assert len(message) < 2_500
    told, board = read(message)
    assert (told.game, told.to_move, told.phase) == (
        game,
        snapshot.game.to_move,
        snapshot.guidance.phase,
    )
    if snapshot.seats is None:
        assert told.cells == snapshot.game.position
        assert board.game.board.keys() == layout.game.board.keys()
    else:  # hands and deck are for nobody here
        assert told.cells == {}
        assert not {"seed", "deck-order"} & told.options.keys()


def test_a_move_is_told_when_it_counts_and_not_before(table):
    table.play(
        "game momentum size=7\nput red d4\nexpect phase turn\nput blue d5\nexpect phase settle"
    )
    under_way = seen(table)
    assert (under_way.ply, under_way.cells, under_way.move) == (1, {"d4": "red"}, "d4")
    table.play("move d4 d3\nexpect phase turn")
    done = seen(table)
    assert (done.ply, done.cells, done.move) == (2, {"d3": "red", "d5": "blue"}, "d5")
    assert done.marks == {"d5": "last"}


def test_names_are_told_only_where_that_is_wished(table):
    table.host.playing.people.sit("red", "Ana")
    table.run(2)
    assert seen(table).names == {}
    assert "Ana" not in seen(table).say
    assert seen(table, names=True).names == {"red": "Ana"}
    assert "Ana" in seen(table, names=True).say


def test_who_sat_where_the_computer_plays_now_is_not_told_to_play(table):
    for player, name in {"red": "Ana", "blue": "Dan"}.items():
        table.host.playing.people.sit(player, name)
    table.host.submit(NewGame("momentum", {}, engines={"blue": EngineSeat(level=1)}))
    table.run(1)
    assert seen(table, names=True).names == {"red": "Ana", "blue": "Mouse"}


@given(st.lists(st.sampled_from(["move", "back", "settle", "new", "over"]), max_size=30))
def test_one_late_never_shows_the_last_move_of_a_game_that_goes_on(deeds):
    late, number, ply = OneLate(), 1, 0
    for action in deeds:
        over = action == "over"
        if action == "new":
            number, ply = number + 1, 0
        ply = max(0, ply + {"move": 1, "back": -1}.get(action, 0))
        stands = SpectatorView(
            "Oak", "momentum", number, ply, "turn",
            cells={f"a{n}": "red" for n in range(1, ply + 1)}, say="Push!", over=over,
        )  # fmt: skip
        shown = late.shown(stands)
        if over:
            assert shown == stands
        else:
            assert shown.number == number and len(shown.cells) <= max(0, ply - 1)
            assert shown.say == ""
    if deeds[-2:] == ["move", "move"]:
        assert len(shown.cells) == ply - 1


STRANGE = {
    "nothing": b"",
    "no JSON": b"{",
    "no text": b"\xff\xfe",
    "another kind": b"[1,2]",
    "huge": FIRST[:-1] + b',"say":"' + b"x" * MAX_BYTES + b'"}',
    "deep": FIRST[:-1] + b',"options":{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
    "a game that nobody knows": FIRST.replace(b"momentum", b"chess"),
    "an option that there is not": FIRST[:-1] + b',"options":{"colour":"blue"}}',
    "a size of millions": FIRST[:-1] + b',"options":{"size":1000000}}',
    "a list for a number": FIRST[:-1] + b',"options":{"size":[[]]}}',
    "a place that is not there": FIRST[:-1] + b',"cells":{"z99":"red"}}',
    "a piece that is none": FIRST[:-1] + b',"cells":{"d4":"<img src=x>"}}',
    "a player that is none": FIRST[:-1] + b',"to_move":"nobody"}',
    "a winner that is none": FIRST[:-1] + b',"winner":"nobody"}',
    "a name for nobody": FIRST[:-1] + b',"names":{"nobody":"Ana"}}',
    "a line break in a name": FIRST.replace(b"Oak", b"O\\u2028k"),
    "a name without end": FIRST.replace(b"Oak", b"O" * 41),
    "a negative number": FIRST.replace(b'"ply":0', b'"ply":-1'),
    "a number of a thousand digits": FIRST.replace(b'"ply":0', b'"ply":' + b"9" * 1000),
}


@pytest.mark.parametrize("why", STRANGE)
def test_what_is_no_table_is_nothing(why):
    assert read(STRANGE[why]) is None


def test_what_is_one_is_read():
    assert read(FIRST)[0] == SpectatorView("Oak", "momentum", 1, 0, "turn")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda each: (
        st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3)
    ),
)


@given(
    st.sampled_from(sorted(HOSTED)),
    st.dictionaries(
        st.sampled_from(
            ["size", "players", "holes", "marbles", "board", "deck", "mode", "variant"]
        ),
        JSON,
    ),
)
def test_options_of_any_kind_are_taken_or_refused(game, options):
    message = {
        "table": "Oak",
        "game": game,
        "number": 1,
        "ply": 0,
        "phase": "turn",
        "options": options,
    }
    found = read(msgspec.json.encode(message))
    assert found is None or found[1].game.name == game
