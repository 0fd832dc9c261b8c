"""The table's own hand in a game of seats: computer players play by themselves, over the chips."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Future

import pytest

from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings
from firmware_host.table.commands import NewGame
from firmware_host.table.seat_commands import SeatComputer
from hw_sim.page_hands import PageHands
from hw_sim.session import SimSession
from hw_sim.worlds import world


def at_once(work):
    done: Future[None] = Future()
    done.set_result(work())
    return done


@pytest.mark.parametrize(
    ("mode", "physics"), [("battle", False), ("simple", False), ("simple", True)]
)
def test_computers_play_a_round_by_themselves_and_sensors_see_their_pieces(tmp_path, mode, physics):
    if physics:
        pytest.importorskip("mujoco")
    stands_in = world(physics=physics)
    with SimSession(
        load_profile("plate-10"), tmp_path, settings=Settings(), world=stands_in
    ) as session:
        hands = PageHands(session, at_once)
        session.tick()
        options = {"mode": mode, "players": 2, "rounds": 1, "seed": 3}
        for command in (
            NewGame("gravity-warfare", options),
            SeatComputer("red", "easy"),
            SeatComputer("blue", "medium"),
        ):
            done = session.host.submit(command)
            session.tick()
            session.tick()
            done.result(0)
        host, seen = session.host, 0
        while host.standing.outcome is None:
            assert session.clock.now() < 3600, host.standing.say
            proposed = host.playing.room.proposal
            session.tick()
            hands.settle()
            accepted = proposed is not None and proposed.move in host.standing.moves[-1:]
            seen += proposed is not None and proposed.seen and accepted
        assert seen > 0
        if physics:
            return  # a tower that has come down lies where nobody may have looked
        session.run_until(session.clock.now() + 2)
        zone_of, position = host.overlay.zone_of, host.standing.position
        lies = Counter(zone_of[place] for place in host.sight.cells if place in zone_of)
        assert lies == position.game.standing(position)
