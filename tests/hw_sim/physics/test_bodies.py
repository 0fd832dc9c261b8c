"""Tests of hw_sim/physics/body.py: games' pieces as bodies: what a game says of them is what the
world and the page have.
"""

import json
import math
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

mujoco = pytest.importorskip("mujoco")

import tiltboard.firmware_host.web  # noqa: E402
from tiltboard.games.base import PieceBody  # noqa: E402
from tiltboard.games.registry import GAMES, game_type  # noqa: E402
from tiltboard.hw_sim.physics.body import add_piece, bare_table, shape_of  # noqa: E402
from tiltboard.hw_sim.physics.dynamics import Dynamics  # noqa: E402

PAGE = Path(tiltboard.firmware_host.web.__file__).parent / "static" / "bodies.js"


def outlines():
    """Of the page: stretches of radius and height over the middle of a usual piece, in mm."""
    text = re.search(r"const OUTLINES = \{(.*?)\n\};", PAGE.read_text("utf-8"), re.S)
    named = dict(re.findall(r"(\w+): (\[\[.*?\]\]),\n(?=  \w|  //|$)", f"{text[1]}\n", re.S))
    named["ball"] = named.pop("under")  # a ball by itself is drawn round (test_web_depth.py)
    return {name: [*chain.from_iterable(json.loads(outline))] for name, outline in named.items()}


def test_the_page_draws_pieces_as_large_as_they_are():
    drawn = outlines()
    looks = [look for kind in GAMES.values() for look in (kind.look, *kind.looks.values())]
    bodies = {look.form: look.body for look in looks if look.form in drawn}
    assert bodies.keys() == drawn.keys()
    for form, points in drawn.items():
        assert max(z for _, z in points) + 7.5 == pytest.approx(bodies[form].height_mm), form
        assert min(z for _, z in points) == -7.5, form
        if form != "tile":  # it is square, and its corners are further off
            widest_mm = 2 * max(r for r, _ in points)
            assert widest_mm == pytest.approx(bodies[form].diameter_mm, abs=0.1), form


def model_with(body):
    spec = bare_table(380.0)
    add_piece(spec, "it", shape_of(body))
    return spec.compile()


def stands(body, deg):
    """Whether it does on a slope, where nothing slides."""
    dynamics = Dynamics(
        120.0,  # a wide one would rest on the table at 41 degrees
        lambda now_s: (0.0, math.radians(min(deg, max(0.0, now_s - 0.5) * 20.0)), 0.0),
        lambda: math.inf,
    )
    dynamics.add(1, (0.0, 0.0, 0.0), 0.0, 1.0, replace(shape_of(body), friction=3.0))
    dynamics.advance(5.0)
    return len(dynamics.overboard) == 0 and dynamics.poses().up[0, 2] > 0.98


def test_a_ship_is_as_heavy_below_as_its_volume_and_tips_accordingly():
    ship = game_type("gravity-trap").look.body
    mast_mm = ship.height_mm - ship.foot_mm
    foot, mast = ship.diameter_mm**2 * ship.foot_mm, ship.mast_mm**2 * mast_mm
    middle_mm = (foot * ship.foot_mm / 2 + mast * (ship.foot_mm + mast_mm / 2)) / (foot + mast)
    it = model_with(ship).body("it")
    assert it.mass[0] == pytest.approx(ship.mass_g / 1000)
    assert it.ipos[2] * 1000 + ship.height_mm / 2 == pytest.approx(middle_mm, abs=0.01)
    tips_deg = math.degrees(math.atan(ship.diameter_mm / 2 / middle_mm))
    assert stands(ship, tips_deg - 3.0)
    assert not stands(ship, tips_deg + 3.0)


@pytest.mark.parametrize("kind", ["tank", "ship", "fighter"])
def test_troops_weigh_what_their_game_says(kind):
    body = game_type("gravity-warfare").look_of(f"red-{kind}").body
    assert model_with(body).body("it").mass[0] == pytest.approx(body.mass_g / 1000)
    assert body.height_mm == PieceBody().height_mm  # the sensors weigh a tower by it


def test_the_page_on_physics_has_the_same_table():
    text = (Path(__file__).parents[3] / "docs" / "physics.md").read_text("utf-8")
    looks = {
        "marble, stone": [game_type(name).look for name in ("momentum", "attraktion")],
        "tile": [game_type("gravity-connect").look],
        "ship of Gravity Trap": [game_type("gravity-trap").look],
        "pod": [game_type("gravity-trap").look_of("pod")],
        "fighter, ship, tank of Gravity Warfare": [
            game_type("gravity-warfare").look_of(f"red-{kind}")
            for kind in ("fighter", "ship", "tank")
        ],
    }
    for name, these in looks.items():
        cells = re.search(rf"^\| {name} \| (.*) \| (.*) \| (.*) \|$", text, re.M)
        bodies = {look.body for look in these}
        widths = {f"{body.diameter_mm:g} mm" for body in bodies}
        assert all(cells[1].startswith(width) for width in widths), name
        assert cells[2] == f"{these[0].body.height_mm:g} mm", name
        weights = dict.fromkeys(f"{look.body.mass_g:g}" for look in these)
        assert cells[3] == f"{', '.join(weights)} g", name
