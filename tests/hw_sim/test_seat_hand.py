"""The table's own hand in a game of seats: computer players play by themselves, over the chips."""

from __future__ import annotations

from collections import Counter

import pytest

from firmware_host.bench.seats_at_table import AtTable, opened, play
from tests.unhurried import unhurried


@pytest.mark.parametrize(("mode", "physics"), [("battle", False), ("simple", True)])
def test_computers_play_a_round_by_themselves_and_sensors_see_their_pieces(
    tmp_path, monkeypatch, mode, physics
):
    monkeypatch.setattr("firmware_host.bench.seats_at_table.load_profile", unhurried)
    if physics:
        pytest.importorskip("mujoco")
    tally = AtTable()
    options = {"mode": mode, "players": 2, "rounds": 1, "seed": 3}
    with opened(tmp_path, physics=physics) as session:
        play(session, options, ("easy", "medium"), tally)
        assert (tally.games, tally.unfinished) == (1, 0)
        assert 0 < tally.proposed < tally.placed < tally.moves
        if physics:
            return  # a tower that has come down lies where nobody may have looked
        assert tally.failed > 0  # a model of hands says so
        zone_of = session.host.overlay.zone_of
        lies = Counter(zone_of[place] for place in session.host.sight.cells if place in zone_of)
        position = session.host.standing.position
        assert lies == position.game.standing(position)
