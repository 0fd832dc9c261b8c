"""Tests of firmware_host/table/lights.py and overlay.py: light patterns: told apart without
colours, safe to look at, and drawn where they belong.
"""

from __future__ import annotations

import colorsys
from itertools import combinations, pairwise

import pytest
from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.table.lights import LEGEND, LOOKS_S, PATTERNS, PIECES, Lighting
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.status import GameStatus, Phase, Quality, Role, Sound
from tiltboard.games import registry

GAME = registry.game_type("momentum").create({})
OVERLAY = Overlay(load_profile("plate-10"), GAME)
LIT = [role for role in Role if role is not Role.OFF]
TICK_S = 0.01
CYCLE_S = 12.0  # a common multiple of the periods but that of ``last``, which repeats every 3 s


def status(roles, *, piece_for=None, phase=Phase.TURN, sounds=(), position=None):
    return GameStatus(
        phase=phase,
        to_move="red",
        game=GAME,
        game_id=1,
        position=position or GAME.start(),
        moves=(),
        roles=roles,
        piece_for=piece_for or {},
        shifts=(),
        say=text("Play."),
        outcome=None,
        sounds=sounds,
    )


def render(lighting, asked, now_s):
    """Red, green and blue of each place, 0 to 1, as strip or node show it at that time."""
    looks = lighting.looks(asked, OVERLAY, now_s)
    since_s = now_s % LOOKS_S
    return [tuple(c / 255 for c in look.now(since_s)) if look else (0, 0, 0) for look in looks]


def course(role, start_s=0.0, length_s=CYCLE_S):
    steps = round(length_s / TICK_S)
    look = PATTERNS[role].look((255, 255, 255))
    return [look.now(start_s + i * TICK_S)[0] / 255 for i in range(steps)]


def flashes(levels):
    """Pairs of opposing changes by at least a tenth of full brightness (WCAG's general flash), in
    the worst second. Counted by walking from extreme to extreme.
    """
    turns, low, high, rising = [], levels[0], levels[0], None
    for index, level in enumerate(levels):
        low, high = min(low, level), max(high, level)
        if rising is not True and level - low >= 0.1:
            turns.append(index)
            rising, high = True, level
        if rising is not False and high - level >= 0.1:
            turns.append(index)
            rising, low = False, level
    second = round(1 / TICK_S)
    return max((sum(1 for t in turns if s <= t < s + second) for s in turns), default=0) / 2


def test_every_role_has_a_pattern_and_a_legend_entry():
    meanings = [entry.role for entry in LEGEND]
    assert meanings == list(PATTERNS)
    assert [each for each in meanings if isinstance(each, Role)] == LIT
    assert {*Quality} - {*meanings} == {Quality.FAIR}  # which looks like any legal place
    assert len({str(entry.rhythm) for entry in LEGEND}) == len(LEGEND)


@pytest.mark.parametrize("one, other", list(combinations(LIT, 2)))
def test_roles_differ_without_colour(one, other):
    """Either in rhythm (how often the light changes) or, both steady, clearly in brightness."""
    a, b = course(one), course(other)
    changes = [sum(x != y for x, y in pairwise(c)) for c in (a, b)]
    if changes == [0, 0]:
        assert abs(a[0] - b[0]) >= 0.3
    else:
        assert abs(changes[0] - changes[1]) >= 3
        apart = sum(abs(x - y) > 0.1 for x, y in zip(a, b, strict=True)) / len(a)
        assert apart > 0.1


@pytest.mark.parametrize("role", LIT)
def test_no_light_ever_goes_dark_or_out_of_range(role):
    levels = course(role)
    assert min(levels) >= 0.15 - 0.5 / 255  # to the next of 256 steps
    assert max(levels) <= 1.0
    assert course(role, start_s=LOOKS_S * 1000, length_s=4) == pytest.approx(
        course(role, length_s=4)
    )


def test_any_mixture_of_lights_flashes_less_than_three_times_a_second():
    """WCAG 2.2, 2.3.1. The eye may take all lights together: weigh them in many ways."""
    courses = {role: course(role) for role in LIT}
    assert flashes(courses[Role.WRONG]) == 2
    for size in range(1, len(LIT) + 1):
        for roles in combinations(LIT, size):
            for weights in ([1] * size, range(1, size + 1), range(size, 0, -1)):
                levels = [
                    sum(w * courses[r][i] for w, r in zip(weights, roles, strict=True))
                    / sum(weights)
                    for i in range(round(CYCLE_S / TICK_S))
                ]
                assert flashes(levels) <= 3


def test_flashes_are_counted_as_the_eye_would():
    assert flashes([1.0, 1.0, 0.0, 0.0] * 100) == 25
    assert flashes([0.5] * 100) == 0


def test_colours_are_the_published_ones():
    """Okabe and Ito's palette, and its colours keep apart in lightness and hue."""
    published = {"#d55e00", "#e69f00", "#f0e442", "#009e73", "#56b4e9", "#ffffff"}
    assert {entry.hex for entry in LEGEND if entry.hex} == published
    hues = {name: colorsys.rgb_to_hsv(*(c / 255 for c in rgb)) for name, rgb in PIECES.items()}
    coloured = [round(hue, 2) for hue, saturation, _ in hues.values() if saturation]
    assert len(set(coloured)) == len(coloured) == len(PIECES) - 1  # all but white


def test_lights_are_where_the_places_are():
    colours = render(Lighting(), status({"a1": Role.WIN, "c2": Role.LEGAL}), 0.0)
    assert len(colours) == 100
    lit = {index for index, colour in enumerate(colours) if colour != (0, 0, 0)}
    assert lit == {0, 12}
    assert colours[0] == pytest.approx((0, 158 / 255, 115 / 255))


def test_a_place_beside_the_board_can_be_lit():
    colours = render(Lighting(), status({"h8": Role.WRONG}), 0.0)
    assert colours[77] != (0, 0, 0)


def test_put_shows_the_piece_that_is_wanted():
    lighting = Lighting()
    blue = render(lighting, status({"a1": Role.PUT}, piece_for={"a1": "blue"}), 0.0)[0]
    red = render(lighting, status({"a1": Role.PUT}, piece_for={"a1": "red"}), 0.0)[0]
    assert blue == pytest.approx((0, 114 / 255, 178 / 255))
    assert red == pytest.approx((213 / 255, 94 / 255, 0))


@pytest.mark.parametrize("role", LIT)
@pytest.mark.parametrize("now_s", [0.0, 0.3, 0.49, 0.99, 1.7, 2.9, 1234.56])
def test_a_light_that_comes_on_shows_in_the_same_step(role, now_s):
    lighting = Lighting()
    dark = render(lighting, status({}), now_s)
    lit = render(lighting, status({"d4": role}), now_s)
    assert dark[33] == (0, 0, 0)
    assert max(lit[33]) * 255 > 25  # visible, and another byte after gamma


def test_paused_lights_the_corners_of_the_board_only():
    colours = render(Lighting(), status({}, phase=Phase.PAUSED), 0.0)
    lit = {index for index, colour in enumerate(colours) if colour != (0, 0, 0)}
    assert lit == {0, 6, 60, 66}


def test_a_far_player_who_speaks_has_the_own_pieces_breathe_in_their_colour():
    def breathes(moves, roles):
        position = GAME.start()
        for move in moves:
            position = position.play(move).position
        told = replace(status(roles, position=position), spoken_by="blue")
        bright, dark = (render(Lighting(), told, now_s) for now_s in (0.0, 1.5))
        found = {i for i, (a, b) in enumerate(zip(bright, dark, strict=True)) if any(a) > any(b)}
        hues = [colorsys.rgb_to_hsv(*bright[index])[0] for index in found]
        blue = colorsys.rgb_to_hsv(*(c / 255 for c in PIECES["blue"]))[0]
        assert hues == pytest.approx([blue] * len(hues), abs=0.02)
        return found

    assert breathes((), {}) == {0, 6, 60, 66}
    assert breathes((), {"a1": Role.LEGAL, "g1": Role.PUT}) == {0, 60, 66}
    assert breathes(("d4", "a1"), {}) == {0}
    assert breathes(("d4", "a1"), {"a1": Role.LAST}) == {0}
    assert breathes(("d4", "a1"), {"a1": Role.WRONG}) == set()


def test_last_marble_glows_where_its_owner_s_marbles_stand_then_fades():
    game = registry.game_type("momentum").create({"marbles": 3, "pie": False})
    position = game.start()
    for move in ("a1", "g7", "c1"):
        position = position.play(move).position
    told = status({"g1": Role.LAST}, position=position, sounds=(Sound.LAST_MARBLE,))
    quiet = replace(told, sounds=())
    lighting = Lighting()
    lit = [
        {i for i, c in enumerate(render(lighting, s, now_s)) if c != (0, 0, 0)}
        for s, now_s in ((told, 10.0), (quiet, 11.9), (quiet, 12.1))
    ]
    assert lit == [{0, 2, 6}, {0, 2, 6}, {6}]


def test_nothing_is_drawn_anew_while_nothing_changes():
    lighting = Lighting()
    same = status({"a1": Role.LEGAL})
    assert lighting.looks(same, OVERLAY, 0.0) is lighting.looks(same, OVERLAY, 0.02)


def test_a_breathing_light_changes_less_often_than_the_strip_is_written():
    levels = course(Role.PUT, length_s=2.0)
    assert 2 * 8 <= sum(x != y for x, y in pairwise(levels)) <= 2 * 20


def test_the_same_instant_gives_the_same_light_after_other_instants():
    roles = {"a1": Role.WRONG, "b1": Role.PUT, "c1": Role.REMOVE}
    wanted = status(roles, piece_for={"b1": "red"})
    used = Lighting()
    for step in range(50):
        render(used, wanted, step * 0.07)
    assert render(used, wanted, 5.0) == render(Lighting(), wanted, 5.0)


GREEN, GRAY = (0, 158 / 255, 115 / 255), (0.6, 0.6, 0.6)


def hue(colour):
    """Without its brightness."""
    return tuple(round(part / max(colour), 2) for part in colour)


def test_legal_places_take_the_colours_of_their_sides_in_turn():
    tinted = replace(
        status({"a1": Role.LEGAL, "b1": Role.LEGAL, "c1": Role.LEGAL}),
        tint={"a1": ("green", "gray"), "b1": ("gray",)},
    )
    lighting = Lighting()
    seen = [render(lighting, tinted, now_s)[:3] for now_s in (0.0, 0.9, 1.0, 1.9, 2.0)]
    assert [hue(a1) for a1, _, _ in seen] == [hue(c) for c in (GREEN, GREEN, GRAY, GRAY, GREEN)]
    assert {hue(b1) for _, b1, _ in seen} == {hue(GRAY)}
    plain = render(lighting, status({"c1": Role.LEGAL}), 0.0)[2]
    assert {c1 for _, _, c1 in seen} == {plain}


def test_a_light_runs_along_the_path_and_leaves_roles_that_ask_for_something():
    way = ("a1", "b1", "c1", "d1")
    running = replace(
        status({"a1": Role.LIFT, "d1": Role.PUT}, piece_for={"d1": "red"}),
        path=way,
        path_colour="gray",
    )
    bare = status({"a1": Role.LIFT, "d1": Role.PUT}, piece_for={"d1": "red"})
    lighting, plain = Lighting(), Lighting()
    brightest = []
    for step in range(28):
        now_s = step * 0.125
        colours = render(lighting, running, now_s)
        asked = render(plain, bare, now_s)
        assert (colours[0], colours[3]) == (asked[0], asked[3])
        assert hue(colours[1]) == hue(colours[2]) == hue(GRAY)
        brightest.append([max(colours[1]) > 0.4, max(colours[2]) > 0.4])
    # one place further each quarter second, and a rest before the next round
    assert brightest[:14] == brightest[14:]
    assert brightest[:14:2].index([True, False]) == 1
    assert brightest[:14:2].index([False, True]) == 2
    assert sum(map(sum, brightest[:14])) == 4


def test_a_running_light_flashes_once_a_round():
    lighting = Lighting()
    running = replace(status({}), path=("a1", "b1"), path_colour="green")
    levels = [max(render(lighting, running, i * TICK_S)[0]) for i in range(1200)]
    assert flashes(levels) <= 1
    assert max(levels) - min(levels) > 0.3


def test_choices_light_up_over_the_last_move_while_the_light_runs():
    asked = replace(status({"a1": Role.LEGAL, "b1": Role.LAST}), path=("a1", "b1"))
    colours = [render(Lighting(), asked, now_s) for now_s in (0.0, 0.25, 0.5)]
    assert [max(c[0]) > 0.8 for c in colours] == [True, False, False]
    assert [max(c[1]) > 0.8 for c in colours] == [False, True, False]
