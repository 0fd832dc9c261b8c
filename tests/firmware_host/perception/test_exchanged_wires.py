"""Wires that have changed sides: found before a magnet is told at the wrong place, and kept."""

from __future__ import annotations

import msgspec
import pytest

from firmware_host.errors import ConfigError
from firmware_host.perception import Perception, read_calibration, write_calibration
from firmware_host.perception.calibration import uncalibrated
from firmware_host.perception.observation import Magnet

N, S = Magnet.N_STRONG, Magnet.S_STRONG
STRONG_ONLY = frozenset({N, S})
DEAD_MT, STUCK_MT = -27.5, 0.107  # 0 V; any value that stays
SEEDS = {"f6": 4, "c4": 5}
STANDING = {"c7": (N, 3.0, -2.0), "g4": (S, -3.0, 2.0), "h9": (S, 0.0, 3.5)}
PAIRS = [("d4", "h8"), ("d4", "e4"), ("d4", "e5"), ("a1", "b2"), ("b2", "a1"), ("a5", "a6")]


def put(table, place, magnet, dx=0.0, dy=0.0):
    table.plate.put(place, magnet, dx, dy, z_mm=60.0)
    return table.move(place, table.over(place, 0.0, dx, dy), 200.0) + table.run(1.0)


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("lately", [False, True])
def test_the_first_piece_is_told_where_it_stands(table, one, other, lately):
    t = table(STANDING, classes=STRONG_ONLY, expected=None) if lately else None
    if t is None:
        t = table(classes=STRONG_ONLY, exchanged=[(one, other)])
    else:
        t.run(0.5)
        t.plate.exchanged = [(one, other)]
        assert t.run(1.0) == []
    events = put(t, one, N, 2.5, -2.5)
    assert t.named(events) == [("placed", one)]
    assert t.last.masked == {t.plate.index(one): "swapped", t.plate.index(other): "swapped"}
    assert t.last.unsure == frozenset()


def test_wires_that_change_sides_under_a_piece_move_nothing(table):
    t = table({"d4": N}, classes=STRONG_ONLY)
    t.run(0.5)
    t.plate.exchanged = [("d4", "f6")]
    assert t.run(1.0) == []
    assert t.seen() == {"d4": N}
    t.plate.exchanged = []
    assert t.run(1.0) == []
    assert t.seen() == {"d4": N}
    assert t.last.masked == {}


@pytest.mark.parametrize(
    ("other", "to"), [("f6", "e5"), ("f6", "d5"), ("f6", None), ("c4", "e6"), ("c4", None)]
)
def test_wires_that_are_put_right_while_a_piece_is_knocked_over_them(table, other, to):
    """Found by the soak: both then read the other's zero, and neither an empty place."""
    t = table(classes=STRONG_ONLY, seed=SEEDS[other])
    put(t, "d4", N)
    zeros = [t.plate.offsets[t.plate.index(p)] for p in ("d4", other)]
    assert abs(zeros[0] - zeros[1]) > 0.8
    t.plate.exchanged = [("d4", other)]
    t.run(1.0)
    assert set(t.last.masked.values()) == {"swapped"}
    t.plate.exchanged = []
    t.plate.take("d4")
    if to is not None:
        t.plate.put(to, N, 3.0, -2.0)
    t.run(3.0)
    assert t.seen() == ({} if to is None else {to: N})
    assert t.last.unsure == frozenset()
    assert t.last.masked == {}


@pytest.mark.parametrize("other", ["f6", "e5", "c7"])
@pytest.mark.parametrize("later_s", [0.1, 0.35, 0.6])
def test_wires_put_right_where_their_exchange_was_taken_for_a_move(table, other, later_s):
    """Found by the soak: so much was lifted at once that nobody asked the neighbours; they felt the
    piece where it stood all the time.
    """
    lifted = {"h2": S, "g8": S, "a9": N}
    t = table({"d4": N, "b2": N, **lifted}, classes=STRONG_ONLY)
    t.run(0.5)
    for place in lifted:
        t.plate.take(place)
    t.plate.exchanged = [("d4", other)]
    t.run(2.0)
    t.plate.take("b2")
    t.run(later_s)
    t.plate.exchanged = []
    t.run(3.0)
    assert t.seen() == {"d4": N}
    assert t.last.masked == {}


@pytest.mark.parametrize(("other", "seed"), [("f6", 3), ("c7", 1), ("e4", 6)])
@pytest.mark.parametrize("magnet", [Magnet.N_WEAK, Magnet.S_WEAK])
@pytest.mark.parametrize("then", ["d4", "other", None])
def test_wires_put_right_under_a_weak_piece(table, other, seed, magnet, then):
    """Found by the soak: zeros may differ by as much as half a weak piece, which was then seen on
    both places, and for ever.
    """
    t = table(seed=seed)
    t.run(0.5)
    t.plate.exchanged = [("d4", other)]
    t.run(1.0)
    put(t, "d4", S)
    t.plate.take("d4")
    t.run(1.0)
    t.plate.put("d4", magnet)
    t.run(1.5)
    assert set(t.last.masked.values()) == {"swapped"}
    t.plate.exchanged = []
    t.run(2.5)
    assert t.seen() == {"d4": magnet}
    if then is not None:
        place = other if then == "other" else "d4"
        t.plate.pieces.pop(place, None)
        put(t, place, S)
    for place in list(t.plate.pieces):
        t.plate.take(place)
    t.run(1.5)
    assert (t.seen(), t.last.masked, t.last.unsure) == ({}, {}, frozenset())


@pytest.mark.parametrize("standing", [N, S])
@pytest.mark.parametrize("places", [("a2", "a3", "a4"), ("d2", "d3", "d4")])
def test_neighbours_with_pieces_of_their_own_do_not_hide_an_exchange(table, standing, places):
    """Found by the soak: strong magnets differ by more than a neighbour adds."""
    t = table(classes=STRONG_ONLY, offset_mt=0.05)
    for place in places:  # empty at first: their zeros are known
        put(t, place, standing)
    t.run(0.5)
    t.plate.exchanged = [("b3", "c3")]
    t.run(1.0)
    assert t.named(put(t, "b3", N, 2.0, -2.0)) == [("placed", "b3")]


@pytest.mark.parametrize("other", ["h8", "f6", "e5", "e4"])
@pytest.mark.parametrize("magnet", [Magnet.N_WEAK, Magnet.S_WEAK])
def test_a_weak_piece_over_exchanged_wires_is_found_within_two_seconds(table, other, magnet):
    """Found by the soak: its neighbours feel a fifth of a strong one, after a second of quiet."""
    t = table(offset_mt=0.05)
    t.plate.exchanged = [("d4", other)]
    t.run(1.0)
    t.plate.put("d4", magnet, 2.0, -1.0)
    t.run(0.8)
    assert t.seen() == {other: magnet}
    t.run(1.2)
    assert t.seen() == {"d4": magnet}
    assert set(t.last.masked.values()) == {"swapped"}
    t.plate.take("d4")
    t.run(1.0)
    assert t.seen() == {}


@pytest.mark.parametrize("place", ["a1", "a5", "e5"])
@pytest.mark.parametrize(("dx", "dy"), [(0.0, 0.0), (5.0, 0.0), (0.0, 5.0), (3.0, 3.0)])
def test_a_weak_piece_on_sound_wires_is_no_exchange(table, place, dx, dy):
    t = table()
    t.run(1.0)
    t.plate.put(place, Magnet.S_WEAK, dx, dy)
    t.run(2.0)
    assert t.seen() == {place: Magnet.S_WEAK}
    assert t.last.masked == {}


@pytest.mark.parametrize(
    ("place", "beside", "other"), [("b1", "c1", "a3"), ("e4", "d4", "f6"), ("a1", "a2", "b3")]
)
def test_it_is_the_sensor_beside_the_piece_that_was_exchanged(table, place, beside, other):
    """Found by the soak: near an edge it looks much as if it were the piece's own."""
    t = table(classes=STRONG_ONLY, offset_mt=0.05)
    t.plate.exchanged = [(beside, other)]
    t.run(1.0)
    assert t.last.masked == {}
    assert t.named(put(t, place, N)) == [("placed", place)]
    assert t.last.masked == {}


def test_a_piece_that_was_given_at_the_start_is_lifted_where_it_stood(table):
    """The journal knows of none, so both readings are believed until the piece goes."""
    t = table(
        {"d4": N}, classes=STRONG_ONLY, expected=None, offset_mt=0.5, exchanged=[("d4", "f6")]
    )
    assert t.seen() == {"f6": N}
    t.run(0.5)
    t.move("d4", t.over("d4", 60.0), 200.0)
    t.plate.take("d4")
    t.run(2.5)  # around f6 it still looks as if something lay there, for a while
    assert t.seen() == {}
    assert put(t, "d4", S)[-1].magnets == (S,)
    assert t.seen() == {"d4": S}


def test_weak_magnets_do_not_come_of_exchanged_zeros(table):
    """Two empty sensors whose zeros differ by more than a weak magnet's least reading."""
    t = table(seed=4)
    zeros = t.plate.offsets
    low, high = (zeros.index(f(zeros)) for f in (min, max))
    assert zeros[high] - zeros[low] > 1.5
    t.run(0.5)
    t.plate.exchanged = [(t.plate.profile.places[low], t.plate.profile.places[high])]
    assert t.run(1.5) == []
    assert t.last.unsure == frozenset()
    assert t.last.masked == {low: "swapped", high: "swapped"}


@pytest.mark.parametrize(
    ("value", "meanwhile"), [(DEAD_MT, False), (DEAD_MT, True), (STUCK_MT, False)]
)
@pytest.mark.parametrize("piece", [None, N])
def test_wires_of_a_sensor_that_has_healed(table, value, meanwhile, piece):
    """As anywhere else: at once where a piece stands, else with the first that is put there."""
    t = table(classes=STRONG_ONLY)
    t.run(4.0)  # sound, or its neighbours would not be believed
    t.plate.failed_mt = {"d4": value}
    t.run(3.0)
    assert t.last.masked == {t.plate.index("d4"): "dead" if value == DEAD_MT else "stuck"}
    if piece is not None:
        assert t.named(put(t, "d4", piece)) == [("placed", "d4")]
    if meanwhile:
        t.plate.exchanged = [("d4", "f6")]
        t.run(2.0)
    t.plate.failed_mt = {}
    assert t.run(4.0) == []
    if not meanwhile:
        assert t.last.masked == {}
        t.plate.exchanged = [("d4", "f6")]
        assert t.run(1.0) == []
    if piece is None:
        assert t.named(put(t, "d4", N)) == [("placed", "d4")]
    assert t.seen() == {"d4": N}
    assert set(t.last.masked.values()) == {"swapped"}


@pytest.mark.parametrize("place", ["a1", "a5", "e5"])
@pytest.mark.parametrize(("dx", "dy"), [(7.0, 0.0), (0.0, 7.0), (5.0, 5.0), (-6.0, 2.0)])
def test_a_piece_off_its_middle_is_no_exchange(table, place, dx, dy):
    """Found by the soak: in a corner it is felt much as one on the place beside it."""
    t = table(classes=STRONG_ONLY)
    t.run(0.5)
    assert t.named(put(t, place, S, dx, dy)) == [("placed", place)]
    t.run(1.0)
    t.plate.take(place)
    t.run(2.0)
    assert t.seen() == {}
    assert t.last.masked == {}


@pytest.mark.parametrize("speed", [100, 300, 600])
def test_a_weak_piece_pushed_along_is_no_exchange(table, speed):
    """Found by the soak: over zeros that are alike it leaves the levels of exchanged wires."""
    t = table(offset_mt=0.05)
    put(t, "d4", Magnet.N_WEAK)
    t.move("d4", t.over("e4", 0.0), speed)
    t.run(1.5)
    assert t.seen() == {"e4": Magnet.N_WEAK}
    assert t.last.masked == {}


def test_what_was_learnt_is_there_after_a_restart(table, profile, tmp_path):
    t = table(classes=STRONG_ONLY, exchanged=[("d4", "f6")])
    put(t, "d4", N)
    assert t.perception.learnt == 1
    write_calibration(tmp_path / "c.json", t.perception.calibration)
    stored = read_calibration(tmp_path / "c.json", profile)
    expected = {t.plate.index("d4"): N}
    again = type(t)(t.plate, Perception(profile, stored, classes=STRONG_ONLY, expected=expected))
    again.start()
    assert again.seen() == {"d4": N}
    assert set(again.last.masked.values()) == {"swapped"}


@pytest.mark.parametrize("piece", [None, N])
@pytest.mark.parametrize("again", [False, True])
def test_wires_that_are_exchanged_or_put_right_between_two_runs(table, profile, piece, again):
    """Zeros of the last run tell, and which of the two places the journal has a piece on."""
    places = ("d4", "f6")
    t = table(seed=4)
    if piece is not None:
        put(t, "d4", piece)
    zeros = [t.plate.offsets[t.plate.index(place)] for place in places]
    assert abs(zeros[0] - zeros[1]) > 0.5
    t.run(1.0)
    for crossed in (True, False) if again else (True,):
        t.plate.exchanged = [places] if crossed else []
        expected = {} if piece is None else {t.plate.index("d4"): piece}
        t = type(t)(t.plate, Perception(profile, t.perception.calibration, expected=expected))
        t.start()
        assert t.seen() == ({} if piece is None else {"d4": piece})
        assert t.last.unsure == frozenset()
        assert bool(t.last.masked) is crossed


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_piece_that_is_put_over_exchanged_wires_between_two_runs(
    table, profile, one, other, seed
):
    """Found by the soak: the neighbours tell, as of any piece that is put later."""
    t = table(STANDING, classes=STRONG_ONLY, offset_mt=0.1, seed=seed)
    t.run(1.0)
    t.plate.exchanged = [(one, other)]
    t.plate.put(one, N, 2.5, -2.5)
    expected = {t.plate.index(place): piece[0] for place, piece in STANDING.items()}
    perception = Perception(
        profile, t.perception.calibration, classes=STRONG_ONLY, expected=expected
    )
    again = type(t)(t.plate, perception)
    again.start()
    again.run(1.0)
    assert again.seen() == {one: N, **{place: piece[0] for place, piece in STANDING.items()}}
    assert again.last.masked == {t.plate.index(p): "swapped" for p in (one, other)}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("dx", "dy"), [(0.0, 0.0), (5.0, 0.0), (-3.5, 3.5)])
def test_pieces_put_between_two_runs_are_no_exchange(table, profile, seed, dx, dy):
    t = table(classes=STRONG_ONLY, seed=seed)
    t.run(1.0)
    stands = {"a1": N, "d4": S, "e4": N, "e5": N, "j5": S, "g8": S, "f10": N}
    for place, magnet in stands.items():
        t.plate.put(place, magnet, dx, dy)
    expected = {} if seed % 2 else None
    again = type(t)(t.plate, Perception(profile, t.perception.calibration, expected=expected))
    again.start()
    again.run(1.0)
    assert again.seen() == stands
    assert again.last.masked == {}


def test_wires_put_right_between_two_runs_though_their_zeros_are_alike(table, profile):
    """Then it is the journal that tells: its piece is read at the place that was exchanged."""
    t = table(offset_mt=0.05, classes=STRONG_ONLY, exchanged=[("d4", "f6")])
    put(t, "d4", N)
    assert t.seen() == {"d4": N}
    t.plate.exchanged = []
    expected = {t.plate.index("d4"): N}
    again = type(t)(t.plate, Perception(profile, t.perception.calibration, expected=expected))
    again.start()
    assert again.seen() == {"d4": N}
    assert again.last.masked == {}


def test_a_weak_piece_that_was_knocked_along_between_two_runs_is_no_exchange(table, profile):
    """Found by the soak: zeros of places side by side may well be alike."""
    t = table(offset_mt=0.05)
    put(t, "d4", Magnet.N_WEAK)
    t.plate.take("d4")
    t.plate.put("e4", Magnet.N_WEAK)
    expected = {t.plate.index("d4"): Magnet.N_WEAK}
    again = type(t)(t.plate, Perception(profile, t.perception.calibration, expected=expected))
    again.start()
    assert again.seen() == {"e4": Magnet.N_WEAK}
    assert again.last.masked == {}


def test_a_piece_that_was_carried_off_between_two_runs_is_no_exchange(plate, table):
    """Found by the soak, over wires that had been put right: its place then reads no own zero."""
    on = plate(offset_mt=0.05)
    d4, d7 = on.index("d4"), on.index("d7")
    zeros = msgspec.structs.replace(
        uncalibrated(on.profile), offset_mt=tuple(on.offsets), zeroed=(True,) * on.profile.size
    )
    on.offsets[d4] += 1.0
    zeros = msgspec.structs.replace(
        zeros, offset_mt=tuple(z + (i == d7) for i, z in enumerate(zeros.offset_mt))
    )
    on.put("d7", N)
    t = type(table())(on, Perception(on.profile, zeros, classes=STRONG_ONLY, expected={d4: N}))
    t.start()
    t.run(1.0)
    assert t.seen() == {"d7": N}
    assert t.last.masked == {}


def test_two_weak_pieces_that_nobody_knows_of_are_no_exchange_of_zeros(plate, table):
    """Found by the bench: of many on a plate, some two read as far apart as their zeros are."""
    on = plate()
    d4, f6 = on.index("d4"), on.index("f6")
    on.offsets[d4], on.offsets[f6] = -1.0, 1.0
    on.put("d4", Magnet.S_WEAK, strength=0.8)
    on.put("f6", Magnet.N_WEAK, strength=0.8)
    zeros = msgspec.structs.replace(
        uncalibrated(on.profile), offset_mt=tuple(on.offsets), zeroed=(True,) * on.profile.size
    )
    t = type(table())(on, Perception(on.profile, zeros))
    t.start()
    assert t.seen() == {"d4": Magnet.S_WEAK, "f6": Magnet.N_WEAK}
    assert t.last.masked == {}


@pytest.mark.parametrize("drift_mt", [0.0, 0.2])
def test_a_weak_piece_where_it_should_stand_is_no_exchange_of_zeros(plate, table, drift_mt):
    """Found by the soak, which waited for such a table to be ready for ever."""
    on = plate()
    d4, f6 = on.index("d4"), on.index("f6")
    on.offsets[d4], on.offsets[f6] = -1.0, 1.0
    on.put("d4", Magnet.S_WEAK, strength=0.8)  # 2.0 mT, as the two zeros differ
    zeros = msgspec.structs.replace(
        uncalibrated(on.profile), offset_mt=tuple(on.offsets), zeroed=(True,) * on.profile.size
    )
    on.offsets[f6] += drift_mt
    expected = {d4: Magnet.S_WEAK}
    t = type(table())(on, Perception(on.profile, zeros, expected=expected))
    t.start()
    assert t.seen() == {"d4": Magnet.S_WEAK}
    assert t.last.masked == {}


def test_failed_sensors_are_remembered(table, profile):
    t = table()
    t.perception.believe(t.plate.index("d4"), N)
    t.run(0.1)
    assert t.last.masked == {t.plate.index("d4"): "silent"}
    expected = {t.plate.index("d4"): N}
    again = type(t)(t.plate, Perception(profile, t.perception.calibration, expected=expected))
    again.start()
    assert again.last.masked == {t.plate.index("d4"): "silent"}
    assert again.seen() == {"d4": N}


def test_a_silent_sensor_that_feels_something_is_read_again(table):
    t = table(classes=STRONG_ONLY)
    t.perception.believe(t.plate.index("d4"), N)
    t.run(5.0)
    assert t.seen() == {"d4": N}
    t.plate.put("d4", S)
    t.run(4.0)
    assert t.last.masked == {}
    assert t.seen() == {"d4": S}


@pytest.mark.parametrize(
    "wrong", [{"wire": (0, 0, *range(2, 100))}, {"failed": ((100, "dead"),)}, {"wire": (1, 0)}]
)
def test_a_file_that_names_what_is_not_there_is_refused(profile, tmp_path, wrong):
    bad = msgspec.structs.replace(uncalibrated(profile), **wrong)
    write_calibration(tmp_path / "c.json", bad)
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        read_calibration(tmp_path / "c.json", profile)
