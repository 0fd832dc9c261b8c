"""Tests of firmware_host/config/profile.py and build.py: profiles with parts of several kinds:
what is accepted, refused and can be told apart.
"""

import pytest

from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.errors import (
    BoardDoesNotFitError,
    ConfigError,
    error_text,
)
from tiltboard.firmware_host.config.files import convert
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.assemble import missing_table
from tiltboard.firmware_host.messages import nearest
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.table import SimTable


@pytest.fixture
def changed(tmp_path):
    """Loads a shipped profile with one piece of its text replaced."""

    def load(name: str, old: str, new: str) -> Profile:
        from importlib import resources

        text = (
            resources.files("tiltboard.firmware_host.config") / "profiles" / f"{name}.toml"
        ).read_text("utf-8")
        assert text.count(old) >= 1
        path = tmp_path / "changed.toml"
        path.write_text(text.replace(old, new, 1))
        return load_profile(str(path))

    return load


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("plate-7", 'kind = "dual-switch"', 'kind = "dual-swich"', "did you mean 'dual-switch'"),
        ("plate-7", 'kind = "dual-switch"\n', "", "hall.kind is missing"),
        ("plate-7", "addresses", "adresses", "hall.adresses .* did you mean 'addresses'"),
        ("plate-7", "addresses = ", "spi_bus = 1\naddresses = ", "hall.spi_bus is not a known"),
        ("plate-7", 'kind = "lsm6dsox"', 'kind = "lsm6dso"', "imu.kind: .*'lsm6dsox'"),
        ("plate-7", "0x20, 0x21", "0x20, 0x20", "I2C address 0x20 is used twice"),
        ("plate-7", "0x20, 0x21", "0x1F, 0x21", "hall.addresses"),
        ("plate-7", "0x25, 0x26", "0x25", "6 MCP23017 do not fit 7 rows"),
        ("plate-7", "columns = 7", "columns = 8", "7 MCP23017 do not fit 7 rows of 8"),
        ("plate-7", "confirm_pin = 23", "confirm_pin = 3", "GPIO3 is used twice"),
        ("plate-7", "confirm_pin = 23", "confirm_pin = 24", "GPIO24 is used twice"),
        ("matrix-gpio", "[5, 6, 13, 19, 26]", "[5, 6, 13, 19]", "hall needs 5 row_pins"),
        ("matrix-gpio", "16, 20", "16, 16", "GPIO16 is used twice"),
        ("matrix-gpio", "23", "26", "GPIO26 is used twice"),
        (
            "plate-10",
            "columns = 10\nrows = 10",
            "columns = 13\nrows = 13",
            "169 places .* most 128",
        ),
        ("plate-10", "columns = 10", "columns = 1000000", "columns: Expected `int` <= 26"),
        ("plate-10", "pitch_mm = 35.0", "pitch_mm = nan", "pitch_mm: Expected `float` > 0"),
        ("plate-10", "pitch_mm = 35.0", "pitch_mm = 28", "28 mm apart are too dense"),
        ("plate-10", "pitch_mm = 35.0", "pitch_mm = 40", "need 388 mm, and plate_mm is 380"),
        ("plate-10", "supply_a = 4.0", "supply_a = 0.1\nidle_ma = 3", "take 0.30 A, and .* is 0.1"),
        ("plate-10", 'name = "plate-10"', 'name = "a\\u001b[2J"', "cannot be printed"),
        ("plate-10", "input = 100,", "input = 99,", "share an input"),
    ],
)
def test_what_does_not_fit_is_said(changed, name, old, new, problem) -> None:
    with pytest.raises(ConfigError, match=problem):
        changed(name, old, new)


def test_a_list_of_names_counts_and_ends_before_the_remedy() -> None:
    places = [f"{column}{row}" for column in "ab" for row in range(1, 11)]
    in_order = "known are: " + ", ".join(places)
    hint = nearest("somewhere", sorted(places))
    assert str(hint) == in_order
    error = ConfigError("There is no {hint}", remedy="Choose one.", hint=hint)
    assert str(error) == error_text(error) == f"There is no {in_order}. Choose one."


def test_a_struct_inside_a_list_is_checked_too() -> None:
    with pytest.raises(ConfigError, match="did you mean 'carries'"):
        convert(
            {"hall": {"kind": "mux-adc", "spares": [{"input": 100, "caries": "ntc"}]}},
            Profile,
            source="test",
        )


@pytest.mark.parametrize(
    ("name", "kinds", "sees_tilt", "measures"),
    [
        ("plate-10", 4, True, True),
        ("node", 4, True, True),
        ("plate-7", 2, True, False),
        ("matrix-gpio", 2, False, False),
    ],
)
def test_what_tables_can_tell(name, kinds, sees_tilt, measures) -> None:
    able = load_profile(name)
    assert (able.kinds, able.sees_tilt) == (kinds, sees_tilt)
    assert able.measures is measures
    assert able.spins is (name == "node")  # docs/wiring-node.md: the only build that can


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        (
            "plate-7",
            {"players": 3},
            "Momentum for 3 needs 3. Choose fewer players. A plate-10 does.",
        ),
        ("plate-7", {"players": 4, "marbles": 5}, "for 4 needs 4"),
        (
            "matrix-gpio",
            {},
            "7 x 7 does not fit this plate of 5 x 5. .* A plate-7 is large enough.",
        ),
        ("plate-10", {"size": 11, "marbles": 5}, "10 x 10. Choose a smaller board.$"),
    ],
)
def test_a_game_that_needs_more_is_refused_with_what_would_do(name, options, told) -> None:
    game = game_type("momentum").create(options)
    with pytest.raises(BoardDoesNotFitError, match=told):
        Overlay(load_profile(name), game)


def test_a_table_too_small_for_the_usual_game_begins_with_one_that_fits(changed, tmp_path) -> None:
    small = changed("plate-10", "columns = 10\nrows = 10", "columns = 4\nrows = 3")
    with SimSession(small, tmp_path) as session:
        assert session.host.game.name != "momentum"
        session.host.do(NewGame("momentum", {"width": 4, "height": 3, "marbles": 3}))
        assert len(session.host.game.board) == 12


def test_a_game_that_the_settings_choose_is_refused_where_it_does_not_fit(tmp_path) -> None:
    own = Settings(options={"size": 7, "marbles": 8})
    with (
        pytest.raises(BoardDoesNotFitError),
        SimSession(load_profile("matrix-gpio"), tmp_path, settings=own),
    ):
        pass


def test_a_small_table_begins_with_a_game_that_fits(tmp_path) -> None:
    with SimSession(load_profile("matrix-gpio"), tmp_path) as session:
        assert session.host.game.options["size"] == 5
        with pytest.raises(BoardDoesNotFitError):
            session.host.do(NewGame("momentum", {}))
        assert session.host.game.options["size"] == 5  # nothing was changed


def test_a_plate_without_tilt_sensor_and_lights_has_no_fault_of_them() -> None:
    with SimTable(load_profile("matrix-gpio"), 1) as table:
        plate = build_plate(table.profile, table.buses)
        plate.show([LightPattern((255, 255, 255))] * 25)
        frame = plate.scan()
        assert (frame.faults, frame.motion, plate.shown, plate.dimmed) == ((), None, b"", 1.0)
        assert plate.part_count == 2
        plate.close()


@pytest.mark.parametrize("name", ["plate-7", "matrix-gpio"])
def test_a_table_of_which_nothing_answers_is_missing(name) -> None:
    profile = load_profile(name)
    with SimTable(profile, 1) as table:
        assert missing_table(profile, table.buses) == ()

        class Nothing:
            clock = table.clock

            def __getattr__(self, bus: str):
                raise FileNotFoundError(2, "", f"/dev/{bus}")

        found = {fault.part for fault in missing_table(profile, Nothing())}
        assert found >= ({"hall", "panel"} if name == "matrix-gpio" else {"hall", "imu", "panel"})


@pytest.mark.parametrize("kind", [{}, [], 3, True])
def test_a_kind_that_is_no_word_is_refused_in_a_sentence(kind) -> None:
    with pytest.raises(ConfigError, match=r"hall.kind: .* is not a known kind"):
        convert({"hall": {"kind": kind}}, Profile, source="mine")
