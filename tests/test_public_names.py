"""Tests of tiltboard/__init__.py, play.py, hardware.py, games/drawing.py,
tiltboard/testing/__init__.py and drivers/__init__.py: the public names, what they take, and that
their docstrings' examples hold.
"""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from gpiozero import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPWMPin

import tiltboard
from tiltboard import drivers, testing
from tiltboard.games.registry import EVERY_GAME

# Whoever changes a line here changes what other people's programs rely on: the changelog says so.
SURFACE = {
    "tiltboard": {
        "GamePosition": "consequences legal moves play(*moves) perft(depth) cells reserve result"
        " rules svg(move) text(started) to_move undo(count)",
        "GameRules": "name options perft(depth) places players read(text) start() summary",
        "Outcome": "as_json() extra places reason team winner",
        "Profile": None,
        "RulesError": None,
        "Shift": "piece source target",
        "TiltboardError": None,
        "__version__": None,
        "drivers": None,
        "game_names": "()",
        "load_profile": "(name)",
        "plate": "(profile, buses)",
        "profile_names": "()",
        "rules": "(name, **options)",
        "testing": None,
    },
    "tiltboard.drivers": {
        "Buses": "clock i2c(bus) pin_factory pixels(count) serial(port, baud) spi(bus, device)",
        "ButtonsAndBuzzer": "close() pressed() tone(hz)",
        "Clock": "calendar() now() sleep(duration_s)",
        "ConverterKind": "channels lead_s name open steps",
        "Frame": "faults field_mt motion number pressed temperature_c time_s",
        "HallArray": "close() read() temperature_c",
        "HallSettings": None,
        "Imu": "close() mount(mounting) read()",
        "LightStrip": None,
        "Lights": "ask(looks, start_s) close() dimmed flush() shown",
        "LightsSettings": None,
        "LightPattern": None,
        "Lsm6dsox": None,
        "Motion": "rate_rad_s specific_force_m_s2 spin_rad temperature_c tilt_rad",
        "Mpu6050": None,
        "MuxHallArray": "close() read()",
        "Panel": "close() pressed() tone(hz)",
        "PartAbsentError": None,
        "PartError": None,
        "PartReadingError": None,
        "PiBuses": "close() i2c(bus) pin_factory pixels(count) serial(port, baud) spi(bus, device)",
        "Pin": "close() input_with_pull(pull) output_with_state(state)",
        "PinFactory": "close() pin(name)",
        "Plate": "close() dimmed mount(mounting) part_count scan() show(looks, start_s)"
        " shown tone(hz)",
        "SerialPort": "close() in_waiting out_waiting read(size) write(data)",
        "SpiDevice": "close() writebytes2(values) xfer2(values)",
        "SwitchArray": "close() read()",
        "SwitchMatrix": "close() read()",
        "SystemClock": "calendar() now() sleep(duration_s)",
        "TiltboardError": None,
        "WrongPartError": None,
        "absent": "(part, error, device, group)",
        "lost_on_i2c": "(part, error, bus, silent)",
    },
    "tiltboard.testing": {
        "Bench": "advance(seconds) bump() clear() close() cut_off(error) drawn_ma()"
        " fault(name, *targets) field_mt(place) hands_s hold(button) index_of(place) let_go(button)"
        " light(place) lit() move(source, target) note(step) pace() part(name) patience_s"
        " plug_in(part) press(button, for_s) put(piece, place, east_mm, north_mm) record(path)"
        " report() retry(use, right, within) scan() slide(source, target) sounds() state_lines()"
        " take(place) tilt(x_deg, y_deg, wait) unplug(part) unplugged(part)"
        " until(condition, within)",
        "ExpectationError": None,
        "GameTable": "advance(seconds) answer(value) cells close() do(text) expect(claim, within)"
        " fault(name, *targets) game(name, **options) host index_of(place) kill() knock(*places)"
        " lit(role) move(source, target) moves note(step) phase power_cut() press(button, for_s)"
        " put(piece, place, east_mm, north_mm) record(path) report() run(text, source) says"
        " slide(source, target) state_lines() take(place) tilt(x_deg, y_deg, for_s) to_move"
        " unplugged(part) until(condition, within)",
        "I2cChip": "power_on(now_s) read(count, now_s) write(data, now_s)",
        "NotPossibleHereError": None,
        "SimBuses": None,
        "SimulationError": None,
        "SpiChip": "power_on(now_s) transfer(sent, clock_hz, mode, start_s)",
        "VirtualClock": "advance(duration_s) calendar() late_s now() sleep(duration_s)"
        " start_calendar_s",
        "mux_model": "(chip, channels)",
    },
}
MODULES = {"tiltboard": tiltboard, "tiltboard.drivers": drivers, "tiltboard.testing": testing}


def public_names(module: str) -> list[str]:
    """Return the names of the functions and classes that a package offers."""
    return [name for name in SURFACE[module] if callable(getattr(MODULES[module], name))]


def taken(call) -> str:
    """Return the parameters of a function, without ``self``: ``(name, **options)``."""
    signs = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    given = [
        f"{signs.get(each.kind, '')}{each.name}"
        for each in inspect.signature(call).parameters.values()
        if each.name != "self"
    ]
    return f"({', '.join(given)})"


def members(kind: type) -> set[str]:
    """Return the public members of a class, methods with what they take."""
    found = set()
    for name, value in inspect.getmembers(kind):
        if name.startswith("_") and name not in getattr(kind, "__slots__", ()):
            continue
        if not name.startswith("_"):
            found.add(f"{name}{taken(value)}" if inspect.isfunction(value) else name)
    return found | {
        name for name in getattr(kind, "__dataclass_fields__", ()) if not name.startswith("_")
    }


@pytest.mark.parametrize("module", SURFACE)
def test_the_public_names_are_these(module):
    assert sorted(MODULES[module].__all__) == sorted(SURFACE[module])
    for name, said in SURFACE[module].items():
        found = getattr(MODULES[module], name)
        if said is not None and inspect.isclass(found):
            assert sorted(members(found)) == sorted(said_members(said)), name
        elif said is not None:
            assert taken(found) == said
        assert name.startswith("__") or inspect.getdoc(found), name


def said_members(said: str) -> list[str]:
    """Take ``text(a, b) other`` apart at the blanks outside parentheses."""
    words, depth = [""], 0
    for letter in said:
        depth += (letter == "(") - (letter == ")")
        if letter == " " and not depth:
            words.append("")
        else:
            words[-1] += letter
    return words


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_the_examples_of_the_packages_hold(module):
    held = doctest.testmod(module)
    assert held.attempted > 0
    assert held.failed == 0


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module in SURFACE for name in public_names(module)],
)
def test_each_name_shows_its_use_in_an_example_that_holds(module, name):
    public = getattr(MODULES[module], name)
    found = doctest.DocTestFinder().find(public, name, sys.modules[public.__module__])
    assert any(each.examples for each in found if each.name == name)
    for each in found:
        assert doctest.DocTestRunner().run(each).failed == 0


def test_importing_it_imports_nothing_else():
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; before = {*sys.modules}; import tiltboard.drivers, tiltboard.testing;"
            " print(*sorted({*sys.modules} - before))",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = {*ran.stdout.split()}
    assert {name for name in found if name.startswith("tiltboard")} == {*MODULES}
    assert {name.split(".")[0] for name in found} <= sys.stdlib_module_names | {"tiltboard"}
    assert not found & {"dataclasses", "inspect", "importlib.metadata", "json"}  # slow ones


def test_a_name_that_is_not_there_is_an_attribute_error():
    for module in MODULES.values():
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = module.nothing
        assert {*module.__all__} <= {*dir(module)}


# The rules


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_game_is_read_back_from_its_text_and_drawn(name):
    position = tiltboard.rules(name).start()
    for _ in range(4):
        legal = [move for move in position.legal if not move.startswith("chance")]
        if not legal:
            break
        drawn = ElementTree.fromstring(position.svg(move=legal[0]))  # noqa: S314 - our own
        assert drawn.tag.endswith("svg")
        position = position.play(legal[0])
    text = position.text(datetime(2026, 3, 1, 18, 20, tzinfo=UTC))
    assert "Date: 2026-03-01T18:20:00Z" in text
    again = tiltboard.rules(name).read(text)
    assert (again, again.moves) == (position, position.moves)
    lines = str(position).splitlines()
    rows = {row for _, row in EVERY_GAME[name].create({}).board.values()}
    assert len(lines) - len(rows) in (0, 1)


def test_a_perft_is_the_same_by_words():
    """The count goes by numbers; this one goes by the moves' names."""

    def count(position, depth):
        return sum(count(position.play(m), depth - 1) for m in position.legal) if depth else 1

    game = tiltboard.rules("momentum", hex=2, marbles=3)
    assert [game.perft(depth) for depth in range(4)] == [count(game.start(), d) for d in range(4)]


def test_misuse_is_a_rules_error():
    game = tiltboard.rules("momentum", size=3, marbles=3)
    text = game.start().play("b2").text()
    for wrong in (
        lambda: tiltboard.rules("momemtum"),
        lambda: tiltboard.rules("momentum", sise=3),
        lambda: game.start().play("b2", "b2"),
        lambda: game.start().undo(),
        lambda: game.start().undo("a"),
        lambda: game.perft(-1),
        lambda: game.perft("2"),
        lambda: tiltboard.rules(3),
        lambda: tiltboard.rules("gravity-warfare").perft(1),
        lambda: tiltboard.rules("attraktion").read(text),
        lambda: tiltboard.rules("momentum", size=5, marbles=3).read(text),
    ):
        with pytest.raises(tiltboard.RulesError):
            wrong()
    for wrong in ("", 3):
        with pytest.raises(tiltboard.TiltboardError, match="Line 1"):
            game.read(wrong)


def test_a_picture_shows_what_a_move_does():
    after = tiltboard.rules("momentum", size=3, marbles=3).start().play("b2")
    still, moving = after.svg(), after.svg(move="c3")
    assert still.count("<path") == 0
    assert moving.count("<path") == len(after.play("c3").consequences) == 1
    assert after._repr_svg_() == still


def test_positions_are_equal_by_what_follows_from_them():
    game = tiltboard.rules("momentum", size=5, marbles=5)
    one = game.start().play("a1", "e5", "a5", "e1")
    other = game.start().play("a5", "e1", "a1", "e5")
    assert one == other
    assert hash(one) == hash(other)
    assert one != game.start()
    assert one != "a position"


# The drivers


def test_any_factory_of_gpiozeros_serves_and_its_errors_are_a_parts():
    class Broken(MockFactory):
        def pin(self, name):
            raise GPIOZeroError("no such line")

    assert drivers.PiBuses(pins=MockFactory()).pin_factory.pin(5).state == 0
    panel = drivers.Panel(drivers.PiBuses(pins=Broken()), 5, 6, 13)
    with pytest.raises(drivers.PartAbsentError):
        panel.pressed()


def test_gpiozeros_own_setting_for_mock_pins_holds(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    panel = drivers.Panel(drivers.PiBuses(), 5, 6, 13)
    assert panel.pressed() == frozenset()
    panel.tone(440.0)  # on a pin with PWM
    panel.close()


def test_a_plate_is_made_from_a_name_or_a_profile():
    made = tiltboard.plate("matrix-gpio", drivers.PiBuses(pins=MockFactory(pin_class=MockPWMPin)))
    assert made.scan().field_mt  # its matrix is on the pins
    assert tiltboard.plate(tiltboard.load_profile("node")).lights is not None
    with pytest.raises(tiltboard.TiltboardError):
        tiltboard.plate("plate-11")
