"""Tests of firmware_host/referee/state.py and firmware_host/table/move_line.py: a kill at a line of
the journal: the table goes on just there, in every phase that there is.

The games and their positions were recorded by an independent implementation.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.host.playing import Playing
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.referee.seat_progress import _play
from tiltboard.firmware_host.table.commands import NewGame, SeatMove
from tiltboard.games.contract import describe
from tiltboard.games.gravity_warfare.words import PHASES
from tiltboard.ground.clock import SystemClock

RECORDED = Path(__file__).parents[2] / "games/gravity_warfare/examples.jsonl.gz"
EXAMPLES = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]
PLATE = unhurried("matrix-gpio")
NOBODY = NewGame("momentum", {})  # what would be begun if nothing were there
NOT_RECORDED = {"1v1": {"blocked"}}
SIMPLE = {"card", "name"}
WITH_HANDS = {"heroes", "choose", "after", "refill", "keep"}


def positions(example):
    """The object of the contract after each number of moves."""
    expected = {}
    for changes in example["start_then_changes"]:
        expected = expected | changes
        yield expected


def cuts():
    """Example -> after how many moves it is killed: in each phase of each mode, the first and the
    last time that the recordings have it; and after every line of the shortest game.
    """
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for number, example in enumerate(EXAMPLES):
        for made, expected in enumerate(positions(example)):
            key = example["options"]["mode"], expected["phase"]
            found.setdefault(key, []).append((number, made))
    wanted = {cut for each in found.values() for cut in (each[0], each[-1])}
    shortest = min(range(len(EXAMPLES)), key=lambda n: len(EXAMPLES[n]["moves"]))
    wanted |= {(shortest, made) for made in range(len(EXAMPLES[shortest]["moves"]) + 1)}
    return found, sorted(wanted)


FOUND, CUTS = cuts()


def test_the_cuts_reach_every_phase_of_every_mode():
    every = set(PHASES)
    assert {phase for mode, phase in FOUND if mode == "simple"} == every - WITH_HANDS
    for mode in ("battle", "teams", "1v1"):
        got = {phase for each, phase in FOUND if each == mode}
        assert got | NOT_RECORDED.get(mode, set()) == every - SIMPLE


@pytest.mark.parametrize("number", sorted({number for number, _ in CUTS}))
def test_a_table_killed_at_a_line_of_its_journal_goes_on_there(number, tmp_path):
    example = EXAMPLES[number]
    wanted = {made for each, made in CUTS if each == number}
    recorded, moves = list(positions(example)), example["moves"]
    (tmp_path / "live").mkdir()
    with Journal.open(tmp_path / "live" / JOURNAL_NAME, SystemClock()) as journal:
        game = journal.start("gravity-warfare", example["options"])
        for made in range(len(moves) + 1):
            if made:
                journal.append(game, made, moves[made - 1])
            if made in wanted:
                cut = tmp_path / str(made)
                shutil.copytree(tmp_path / "live", cut)  # just as a dead process leaves it
                _goes_on(cut / JOURNAL_NAME, example, recorded, made)


def _goes_on(path, example, recorded, made):
    moves, view = example["moves"], example.get("view")
    with Journal.open(path, SystemClock()) as journal:
        playing = Playing(PLATE, journal, None, FarSettings())
        playing.open(NOBODY)
        game, room = playing.session.game, playing.session.seat_referee
        assert _as_json(describe(room.position, view)) == recorded[made]
        for player in room.position.game.players if view is None else ():
            seen = _as_json(describe(room.position, player))
            assert seen["awaiting"] == recorded[made]["awaiting"]
            mine = [move for move in recorded[made]["legal"] if move.startswith(f"{player}:")]
            assert seen["legal"] == mine
            assert seen["hands"][player] == recorded[made]["hands"][player]
        if made == len(moves) or game.at_once(room.position):
            return
        who = moves[made].partition(":")[0]
        secret = game.shown_move(moves[made], "") != moves[made]
        if secret or moves[made] == game.time_up:  # which the table alone says
            room._state = _play(room._state, room._parts, moves[made])
        else:
            room.carry_out(SeatMove(who if who in game.players else None, moves[made]))
        assert _as_json(describe(room.position, view)) == recorded[made + 1]
        assert journal.current().moves == tuple(moves[: made + 1])


def _as_json(value):
    return json.loads(json.dumps(value))
