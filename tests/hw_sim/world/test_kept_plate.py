"""Tests of hw_sim/session/live.py: pieces on the simulated plate stay there when the program
ends.
"""

from __future__ import annotations

import logging

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PLATE_NAME, KeptPlate

OFF_MM = (2.5, -3.0)


def session(state, seed=1):
    return SimSession(load_profile("plate-10"), state, seed=seed)


def play(running, piece, place, offset=(0.0, 0.0)):
    index = running.host.overlay.index_of(place)
    running.run_until(running.hands.put(piece, index, offset).end_s + 1.5)


def test_a_game_goes_on_with_its_pieces_where_they_lay(tmp_path):
    plate = KeptPlate(tmp_path)
    with session(tmp_path) as first:
        first.host.do(NewGame("momentum", {"size": 7, "pie": False}))
        first.run_until(3.0)
        play(first, "red", "d4", OFF_MM)
        play(first, "blue", "a1")
        now_s, world = first.clock.now(), first.table.world
        felt = [world.field_mt(sensor, now_s) for sensor in range(100)]
        plate.save(world)
    again = session(tmp_path)
    KeptPlate(tmp_path).restore(again.table.world)
    with again:
        now_s, world = again.clock.now(), again.table.world
        assert [world.field_mt(sensor, now_s) for sensor in range(100)] == pytest.approx(felt)
        again.run_until(5.0)
        assert again.host.status.phase is Phase.TURN
        assert dict(again.host.sight.cells) == {"d4": "red", "a1": "blue"}
        play(again, "red", "g7")
        assert again.host.status.moves == ("d4", "a1", "g7")


def test_a_piece_in_a_hand_does_not_lie_on_the_plate(tmp_path):
    plate = KeptPlate(tmp_path)
    with session(tmp_path) as running:
        play(running, "red", "d4")
        play(running, "blue", "a1")
        held = running.table.world.piece_at(running.host.overlay.index_of("d4"))
        running.run_until(running.hands.pick_up(held.piece_id).end_s)
        plate.save(running.table.world)
    left = session(tmp_path).table.world
    KeptPlate(tmp_path).restore(left)
    assert [piece.label for piece in left.pieces.values()] == ["blue"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'[{"label": "red"}]',
        b'[{"label": "red", "magnet": "E-strong", "factor": 1.0, "at_mm": [0, 0, 0]}]',
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_plate_empty_and_is_told(content, tmp_path, caplog):
    (tmp_path / PLATE_NAME).write_bytes(content)
    world = session(tmp_path).table.world
    with caplog.at_level(logging.WARNING):
        KeptPlate(tmp_path).restore(world)
    assert world.pieces == {}
    assert PLATE_NAME in caplog.text


def test_where_nothing_can_be_written_it_is_told_once(tmp_path, caplog):
    with session(tmp_path) as running:
        plate = KeptPlate(tmp_path / "missing")
        for place in ("d4", "a1"):
            play(running, "red", place)
            plate.save(running.table.world)
    assert caplog.text.count("could not be kept") == 1
