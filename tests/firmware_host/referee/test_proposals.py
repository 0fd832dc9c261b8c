"""Tests of firmware_host/table/zones.py and games/gravity_warfare/inference.py: what the sensors
tell of a placement, from the places that are occupied, scan after scan.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.sight import Sight, Stillness
from tiltboard.firmware_host.table.zones import PIECE, Evidence, ZoneOverlay, updated_evidence
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE
from tiltboard.games.gravity_warfare.inference import witnessed
from tiltboard.games.gravity_warfare.state import WarfarePiece

OPTIONS = {"players": 3, "rounds": 1, "cards": "paper"}
START = ("chance:heroes", "chance:shuffle")


def turn(owner, kind, zone, holds=""):
    """Up to its placement, or to its end."""
    begun = (f"chance:roll:{kind}:{zone}", "table:time", f"{owner}:pass")
    done = (f"{owner}:place:ok:{owner}-{kind}:{zone}{holds}", "table:time")
    return begun, (*begun, *done)


RED_STANDS = (*START, *turn("red", "tank", 3)[1])


class Table:
    """Places of zone ``3`` are 3.0, 3.1 and so on; the middle's are m.0, m.1."""

    def __init__(self, *moves, zones=()):
        game = GRAVITY_WARFARE.create(OPTIONS)
        self.overlay = ZoneOverlay(load_profile("plate-10"), game)
        self.position = game.start()
        self.play(*moves)
        self.evidence, self.now_s, self.wish = Evidence(), 0.0, None
        self.spin_rad = None
        self.see(*zones)

    def play(self, *moves):
        for move in moves:
            self.position = self.position.play(move).position

    def place(self, name):
        zone, nth = name.split(".")
        return self.overlay.zones[zone][int(nth)] if zone != "m" else self.overlay.middle[int(nth)]

    def see(self, *names, stillness=Stillness.STILL):
        self.now_s += 0.02
        sight = Sight(
            time_s=self.now_s,
            ready=True,
            cells={self.place(name): PIECE for name in names},
            unsure=frozenset(),
            stillness=stillness,
            tilt_rad=(0.0, 0.0),
            spin_rad=self.spin_rad,
        )
        self.evidence = updated_evidence(
            self.evidence, sight, self.overlay, self.position, self.wish
        )
        found = self.evidence.proposal
        return None if found is None else (found.move, found.sure)


LANDED = ("blue:place:ok:blue-tank:5", True)
PLACING = (*RED_STANDS, *turn("blue", "tank", 5)[0])


@pytest.fixture
def table():
    return Table(*PLACING, zones=["3.0"])


def test_one_that_comes_to_rest_where_it_should_holds(table):
    assert table.see("3.0", "5.2") == LANDED
    since_s = table.evidence.proposal.since_s
    assert table.see("3.0", "5.2") == LANDED
    assert table.evidence.proposal.since_s == since_s  # of the rest, not of the scan


def test_in_another_zone_or_in_the_middle_it_is_not_proposed(table):
    assert table.see("3.0", "1.0") is None
    assert table.see("3.0", "m.0") is None


def test_nothing_is_told_while_the_plate_moves(table):
    assert table.see("3.0", "5.0", stillness=Stillness.MOVING) is None
    assert table.see("3.0", "5.0") == LANDED
    assert table.see("3.0", "5.0", stillness=Stillness.TILTED) is None


def test_what_fell_is_named_and_surely_where_only_one_stood(table):
    assert table.see("5.0") == ("blue:place:fail:blue-tank:5:fell=red-tank@3", True)


def test_of_two_that_stood_in_a_zone_the_newest_is_a_guess():
    table = Table(*RED_STANDS, *turn("blue", "tank", 3)[1], *turn("white", "ship", 6)[0])
    assert table.see("3.0", "3.1") is None  # as the game has it
    found = table.see("3.0", "6.0")
    assert found == ("white:place:fail:white-ship:6:fell=blue-tank@3", False)


def test_with_its_own_piece_fallen_too_it_is_a_doubt(table):
    found = table.see()
    assert found == ("blue:place:fail:blue-tank:5:fell=blue-tank+red-tank@3", False)


def test_one_that_slid_meanwhile_is_proposed_after_the_placement(table):
    assert table.see("4.0", "5.0") == LANDED
    table.play("blue:place:ok:blue-tank:5")
    table.evidence = Evidence(table.evidence.explained)
    slid = table.see("4.0", "5.0")
    assert slid == ("table:see:3=:4=red-tank", False)
    table.play(slid[0])
    table.evidence = Evidence(table.evidence.explained)
    assert table.see("4.0", "5.0") is None
    assert table.position.cells == {"4": "red-tank", "5": "blue-tank"}


def test_a_second_try_is_a_doubt(table):
    assert table.see("3.0", "5.0") == LANDED
    assert table.see("3.0") is None
    assert table.see("3.0", "5.1") == (LANDED[0], False)


def test_one_that_only_moves_within_its_zone_says_nothing(table):
    assert table.see("3.1") is None
    assert table.see("3.1", "5.0") == LANDED


def test_what_people_refused_comes_again_only_with_another_picture(table):
    assert table.see("3.0", "5.0") == LANDED
    table.evidence = table.evidence.after_decline()
    assert table.see("3.0", "5.0") is None
    assert table.see("3.0", "5.0", stillness=Stillness.MOVING) is None
    assert table.see("3.0", "5.0") is None
    assert table.see("3.0", "5.1") == LANDED


def test_what_lay_there_before_the_game_changes_nothing():
    table = Table(*PLACING, zones=["3.0", "8.0", "8.1", "7.0"])
    assert table.see("3.0", "8.0", "8.1", "7.0", "5.0") == LANDED


def test_a_computers_wish_says_which_piece_of_several_it_is():
    table = Table(*START, "chance:roll:tank:5", "table:time", "red:pass")
    state = table.position.state.copy()
    state.troop = ("any",)
    several = {f"red:place:ok:red-{kind}:5" for kind in ("tank", "fighter", "ship")}
    assert witnessed(state, {"5": 1}, None) is None
    for wish in several:
        assert witnessed(state, {"5": 1}, wish).move == wish


def test_what_a_hand_takes_off_is_known_where_one_piece_lies_on_top():
    state = Table(*RED_STANDS).position.state.copy()
    state.stage, state.zone, state.doer, state.fixed = "take", "any", 1, ("teleport-it",)
    assert witnessed(state, {"3": -1}, None).move == "blue:take:3:red-tank"
    state.zones = {"3": ((WarfarePiece("red-tank"),), (WarfarePiece("blue-ship"),))}
    assert witnessed(state, {"3": -1}, None) is None
    assert witnessed(state, {"3": -1}, "blue:take:3:blue-ship").move == "blue:take:3:blue-ship"


@pytest.mark.parametrize(
    ("spin_rad", "sure"), [(None, True), (0.5, False), (6.5, True), (-6.5, True)]
)
def test_a_plate_that_was_to_be_spun_and_was_not_is_a_doubt(spin_rad, sure):
    rolled, *passed = turn("blue", "tank", 5)[0]
    table = Table(*RED_STANDS, rolled, "red:play:spin-it", zones=["3.0"])
    table.play(*passed)
    assert "blue:place:ok:blue-tank:5" in table.position.legal()
    if spin_rad is not None:
        table.spin_rad = 1.0
        table.see("3.0", stillness=Stillness.MOVING)
        table.see("3.0")
        table.spin_rad = 1.0 + spin_rad
    assert table.see("3.0", "5.0") == (LANDED[0], sure)


def test_a_game_may_cut_the_plate_otherwise(monkeypatch):
    game = GRAVITY_WARFARE.create(OPTIONS)
    halves = {True: "5", False: "3"}
    monkeypatch.setattr(type(game), "zone_at", lambda self, east, north: halves[east > 0])
    table = Table(*PLACING, zones=["3.0"])
    assert {zone: len(places) for zone, places in table.overlay.zones.items() if places} == {
        "3": 50,
        "5": 50,
    }
    assert table.overlay.zone_of["a1"] == "3"
    assert table.see("3.0", "5.49") == LANDED
