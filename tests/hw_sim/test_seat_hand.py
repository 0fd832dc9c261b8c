"""Tests of hw_sim/session/auto_hand.py and tiltboard_lab/bench/seats_at_table.py: the table's
own hand in a game of seats: computer players play by themselves, over the chips.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.table.commands import NewGame, SeatBot
from tiltboard.games.gravity_warfare.game import WarfareGame
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PageHands, at_once
from tiltboard.hw_sim.world.pieces import BODY_HEIGHT_MM
from tiltboard_lab.bench.seats_at_table import AtTable, opened, play


def told_of_towers(session, monkeypatch):
    """How many pieces the hand says to stand on each other, and how many do in that zone."""
    told, submit = [], session.host.submit

    def heard(command):
        _who, what, *words = getattr(command, "move", ":").split(":")
        if what == "place" and words[0] == "ok":
            under = int(words[3].removeprefix("under=")) if len(words) > 3 else 0
            said = under + len(words[1].split("+"))
            overlay, piece_at = session.host.overlay, session.table.world.piece_at
            there = [piece_at(overlay.index_of(place)) for place in overlay.zones[words[2]]]
            high = max(round(each.here[2] / BODY_HEIGHT_MM) + 1 for each in there if each)
            if said > 1:
                told.append((said, high))
        submit(command)

    monkeypatch.setattr(session.host, "submit", heard)
    return told


@pytest.mark.parametrize(("mode", "physics"), [("battle", False), ("simple", True)])
def test_computers_play_a_round_by_themselves_and_sensors_see_their_pieces(
    tmp_path, monkeypatch, mode, physics
):
    monkeypatch.setattr("tiltboard_lab.bench.seats_at_table.load_profile", unhurried)
    if physics:
        pytest.importorskip("mujoco")
    tally = AtTable()
    options = {"mode": mode, "players": 2, "rounds": 1, "seed": 3}
    with opened(tmp_path, physics=physics) as session:
        towers = told_of_towers(session, monkeypatch)
        play(session, options, ("easy", "medium"), tally)
        assert (tally.games, tally.unfinished) == (1, 0)
        assert 0 < tally.proposed < tally.placed < tally.moves
        if physics:
            assert towers  # what it says to stand on each other does
            assert all(height >= said for said, height in towers)
            return  # a tower that has come down lies where nobody may have looked
        assert tally.failed > 0  # a model of hands says so
        zone_of = session.host.overlay.zone_of
        lies = Counter(zone_of[place] for place in session.host.sight.cells if place in zone_of)
        position = session.host.status.position
        assert lies == position.game.standing(position)


@pytest.mark.parametrize("spins", [True, False])
def test_a_plate_that_is_to_be_spun_is_and_its_own_sensor_is_the_witness(
    tmp_path, monkeypatch, spins
):
    """*Spin it*, from the hand through world, chips, microcontroller and fusion to the room."""
    monkeypatch.setattr(WarfareGame, "spins", lambda _self, _position: True)
    with SimSession(unhurried("node"), tmp_path) as session:
        if not spins:
            monkeypatch.setattr(session.hands, "spin_plate", lambda _by_rad: None)
        options = {"mode": "simple", "players": 2, "rounds": 1, "seed": 3}
        hands, host = PageHands(session, at_once), session.host
        session.tick()
        host.submit(NewGame("gravity-warfare", options))
        session.tick()
        for player in host.game.players:
            host.submit(SeatBot(player, "easy"))
        room = host.session.seat_referee
        while not (room.proposal and room.proposal.seen) and session.clock.now() < 60.0:
            session.tick()
            hands.settle()
            room = host.session.seat_referee
        assert (room.proposal.seen, room.proposal.sure) == (True, spins)
        turned_rad = host.sight.spin_rad
        assert turned_rad == pytest.approx(math.tau if spins else 0.0, abs=math.radians(12.0))
