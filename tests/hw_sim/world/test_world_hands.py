"""Tests of hw_sim/hands.py, hw_sim/world/pieces.py, paths.py and hw_sim/errors.py: what hands do
on the plate, how long it takes, and what they refuse.
"""

from __future__ import annotations

import math

import pytest

from tests.hw_sim.overlapping import overlapping
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.rng import Streams


def labels(scene):
    return {
        place: piece.label
        for index, place in enumerate(scene.world.profile.places)
        if (piece := scene.world.piece_at(index))
    }


def test_a_put_takes_a_person_s_time_and_touches_before_the_hand_leaves(scene):
    action = scene.hands.put("red", scene.place("d4"))
    assert 0.65 < action.end_s - action.start_s < 0.95
    assert action.start_s < action.touch_s < action.end_s == scene.hands.busy_until_s
    piece = scene.world.pieces[action.piece_ids[0]]
    assert piece.at(0.0)[2] == pytest.approx(80.0)
    # the last 12 mm at 0.1 to 0.2 m/s
    before = piece.at(action.touch_s - 0.02)[2]
    assert 0.1 < before / 1000 / 0.02 < 0.2
    scene.run(action.touch_s)
    assert piece.at(scene.clock.now()) == (*scene.world.profile.centre_mm(33), 0.0)
    assert labels(scene) == {"d4": "red"}


def test_time_moves_only_by_the_clock(scene):
    scene.hands.put("red", 0)
    before = scene.field()
    assert scene.field() == before
    assert scene.clock.now() == 0.0
    scene.clock.advance(0.4)
    assert scene.field() != before


def test_take_move_slide_and_the_field_returns_to_nothing(scene):
    d4, e5, e6 = (scene.place(name) for name in ("d4", "e5", "e6"))
    scene.hands.put("red", d4, (3.0, -2.0))
    scene.rest()
    scene.hands.move(d4, e5)
    scene.rest()
    assert labels(scene) == {"e5": "red"}
    scene.hands.slide(e5, e6)
    scene.rest()
    assert labels(scene) == {"e6": "red"}
    assert scene.field()[e6] < -10
    scene.hands.take(e6)
    scene.rest()
    assert scene.world.pieces == {}
    assert scene.field() == [0.0] * 100


def test_a_sliding_piece_never_leaves_the_plate(scene):
    scene.hands.put("blue", 0)
    scene.rest()
    action = scene.hands.slide(0, 1)
    piece = scene.world.pieces[action.piece_ids[0]]
    xs = []
    while scene.clock.now() < action.touch_s:
        x, y, z = piece.at(scene.clock.now())
        xs.append(x)
        on_the_plate = scene.world.profile.centre_mm(0)[1], 0.0
        assert (y, z) == pytest.approx(on_the_plate, abs=1e-3)  # to a micrometre
        scene.clock.advance(0.01)
    assert xs == sorted(xs)
    assert xs[0] == -157.5
    assert xs[-1] > -123.0


def test_a_slide_swerves_around_one_piece_and_refuses_to_go_between_two(scene):
    d4, d5, e5 = (scene.place(name) for name in ("d4", "d5", "e5"))
    scene.hands.put("red", d4)
    scene.rest()
    scene.hands.put("blue", d5)
    scene.rest()
    scene.hands.slide(d4, e5)
    scene.rest()
    assert labels(scene) == {"e5": "red", "d5": "blue"}
    scene.hands.move(e5, d4)
    scene.rest()
    for name in ("e4", "c3", "e3", "c4", "c5", "d3"):
        scene.hands.put("blue", scene.place(name))
        scene.rest()
    with pytest.raises(HandsError, match="in the way"):
        scene.hands.slide(d4, e5)
    assert labels(scene)["d4"] == "red"


def test_knocked_pieces_jump_to_free_neighbouring_places(make_scene):
    def knocked(seed):
        scene = make_scene(seed)
        for name in ("d4", "d5", "e5"):
            scene.hands.put("red", scene.place(name))
            scene.rest()
        action = scene.hands.knock([scene.place("d4"), scene.place("e5")])
        assert 0.1 < action.end_s - action.start_s < 0.3
        scene.rest()
        return labels(scene)

    after = knocked(1)
    assert len(after) == 3
    assert "d5" in after
    assert "d4" not in after
    assert "e5" not in after
    assert knocked(1) == after
    assert len({tuple(knocked(seed)) for seed in range(2, 8)}) > 1


def test_a_knock_without_room_changes_nothing(scene):
    for name in ("a1", "b1", "a2", "b2"):
        scene.hands.put("red", scene.place(name))
        scene.rest()
    before = labels(scene)
    with pytest.raises(HandsError, match="a1"):
        scene.hands.knock([scene.place("a1")])
    scene.rest()
    assert labels(scene) == before


def test_two_hands_at_once_never_put_two_bodies_in_one_space(scene):
    scene.hands.put("red", scene.place("d4"))
    scene.rest()
    first = scene.hands.move(scene.place("d4"), scene.place("f4"))
    second = scene.hands.put("blue", scene.place("e4"))
    third = scene.hands.put("blue", scene.place("d4"))
    assert scene.hands.busy_until_s == max(first.end_s, second.end_s, third.end_s)
    scene.rest()
    assert labels(scene) == {"f4": "red", "e4": "blue", "d4": "blue"}


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda s: s.hands.take(s.place("a1")), "nothing on a1"),
        (lambda s: s.hands.put("blue", s.place("d4")), "d4 is occupied"),
        (lambda s: s.hands.move(s.place("d4"), s.place("e4")), "e4 is occupied"),
        (lambda s: s.hands.slide(s.place("c3"), s.place("e4")), "nothing on c3"),
        (lambda s: s.hands.put("pink", s.place("a1")), "no tray of 'pink'"),
        (lambda s: s.hands.put("red", s.place("a1"), (-30, 0)), "not on the plate"),
        (lambda s: s.hands.put("red", s.place("d5"), (0, -9)), "in the way"),
        (lambda s: s.hands.press("start", 0.1), "no button 'start'"),
        (lambda s: s.hands.put("red", 100), "no place number 100"),
        (lambda s: s.hands.pick_up(99), "back in its tray"),
        (lambda s: s.hands.set_down(1, 0, 0), "Nobody is holding"),
    ],
)
def test_what_no_hand_could_do_is_refused_with_a_remedy(scene, do, says):
    scene.hands.put("red", scene.place("d4"))
    scene.rest()
    scene.hands.put("red", scene.place("e4"))
    scene.rest()
    before = labels(scene)
    with pytest.raises(HandsError, match=says) as caught:
        do(scene)
    assert isinstance(caught.value, TiltboardError)
    assert caught.value.remedy
    scene.rest()
    assert labels(scene) == before
    assert len(scene.world.pieces) == 2


def test_what_a_hand_has_picked_up_is_carried_and_set_down_anywhere(scene):
    piece_id = scene.hands.grab("green", (0, -150, 40)).piece_ids[0]
    assert labels(scene) == {}
    scene.hands.carry(piece_id, (10, 10, 40))
    scene.clock.advance(0.05)
    scene.hands.carry(piece_id, (40, 0, 40))
    scene.clock.advance(0.2)  # a hand follows within
    here = scene.world.pieces[piece_id].at(scene.clock.now())
    assert here == pytest.approx((40, 0, 40), abs=0.01)  # in the air until it is set down
    scene.hands.set_down(piece_id, 35, 4)
    scene.rest()
    assert scene.world.pieces[piece_id].here == pytest.approx((35, 4, 0), abs=0.01)
    lifted = scene.hands.pick_up(piece_id)
    with pytest.raises(HandsError, match="Someone else is holding"):
        scene.hands.pick_up(piece_id)
    scene.rest()
    scene.hands.carry(piece_id, (70, 0, 110))
    scene.clock.advance(0.2)
    other = scene.hands.grab("red", (70, 60, 40)).piece_ids[0]
    scene.rest()
    assert lifted.start_s < lifted.touch_s < lifted.end_s
    with pytest.raises(HandsError, match="not on the plate"):
        scene.hands.set_down(piece_id, 300, 0)
    scene.hands.set_down(piece_id, 70, 0)
    with pytest.raises(HandsError, match="in the way"):
        scene.hands.set_down(other, 60, 0)
    scene.hands.throw_off(other)
    scene.rest()
    scene.hands.throw_off(piece_id)
    scene.rest()
    assert scene.world.pieces == {}


def test_pieces_in_a_crowd_keep_apart(scene):
    """Many hands, many moves, one look every 5 ms (in ``rest``)."""
    for number in range(0, 100, 3):
        scene.hands.put("red" if number % 2 else "blue", number)
    scene.rest()
    assert len(labels(scene)) == 34
    scene.hands.move(0, 1)
    scene.hands.slide(99, 98)
    scene.hands.take(33)
    scene.hands.knock([45, 66, 12])
    scene.rest()
    assert len(labels(scene)) == 33


@pytest.mark.parametrize(
    ("world_kind", "seed"),
    [(False, 1), (False, 2), (False, 3), (True, 1)],
    indirect=["world_kind"],
)
def test_whatever_many_hands_do_at_once_bodies_never_share_space(make_scene, seed):
    scene = make_scene(seed)
    hands, world = scene.hands, scene.world
    choose = Streams(seed).stream("what people do")

    def place():
        return choose.randrange(4) * 10 + choose.randrange(4)

    def near():
        return choose.uniform(-157, -50), choose.uniform(-157, -50)

    def some(held):
        return choose.choice([i for i, p in world.pieces.items() if p.held is held] or [0])

    actions = [
        lambda: hands.put("red", place(), (choose.uniform(-3, 3), choose.uniform(-3, 3))),
        lambda: hands.put("blue", place()),
        lambda: hands.take(place()),
        lambda: hands.move(place(), place()),
        lambda: hands.slide(place(), place()),
        lambda: hands.knock([place()]),
        lambda: hands.pick_up(some(held=False)),
        lambda: hands.set_down(some(held=True), *near()),
        lambda: hands.throw_off(some(held=True)),
    ]
    done = 0
    for _ in range(200):
        try:
            choose.choice(actions)()
            done += 1
        except HandsError as refused:
            assert refused.remedy
        for _ in range(choose.choice([0, 1, 10, 60])):
            assert overlapping(world) == []
            scene.clock.advance(0.005)
    assert done > 50
    scene.run(max(scene.clock.now(), hands.busy_until_s))
    resting = [p.here for p in world.pieces.values() if p.here[2] == 0.0]
    assert all(
        math.dist(one, other) > 27.999 for k, one in enumerate(resting) for other in resting[:k]
    )


def test_a_piece_taken_away_is_felt_no_more_once_the_hand_is_gone(scene):
    scene.hands.put("red", scene.place("d4"))
    scene.rest()
    action = scene.hands.take(scene.place("d4"))
    scene.run(action.end_s - 0.01)
    assert 0 < max(abs(field) for field in scene.field()) < 0.1
    scene.run(action.end_s)
    assert scene.field() == [0.0] * 100


@pytest.mark.parametrize(
    ("offset", "nearer", "farther"),
    [((5, 0), "e5", "c5"), ((-5, 0), "c5", "e5"), ((0, 5), "d6", "d4"), ((0, -5), "d4", "d6")],
)
def test_x_points_east_along_columns_and_y_north_along_rows(scene, offset, nearer, farther):
    scene.hands.put("red", scene.place("d5"), offset)
    scene.rest()
    field = scene.field()
    # beyond 19 mm the stray field has the other sign, and is the stronger the nearer
    assert field[scene.place(nearer)] > 1.3 * field[scene.place(farther)] > 0
    assert field[scene.place("d5")] < -8
