"""Tests of docs, firmware_host/config/profile.py, firmware_host/cli/bench.py and
tiltboard_lab/cli/bench.py: figures and lists in the documents against the code that they
tell of.
"""

import re
import textwrap
import tomllib

import click
import pytest

from tiltboard.drivers.hall import MuxHallArray
from tiltboard.drivers.lights import LightStrip
from tiltboard.drivers.mpu6050 import Mpu6050
from tiltboard.drivers.panel import Panel
from tiltboard.firmware_host.cli import bench
from tiltboard.firmware_host.config import profile as profile_module
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings, load_settings
from tiltboard.firmware_host.journal.text_format import read_game
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.lights import LEGEND
from tiltboard.firmware_host.web import app, limits, pairing
from tiltboard.games.registry import HOSTED, game_type
from tiltboard.hw_sim.session import SimSession


def in_code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_light_table_is_the_legend(open_page):
    rows = open_page("docs/playing.md").table("light", "colour", "rhythm", "meaning")
    assert rows == [
        [
            f"`{entry.role}`",
            f"`{entry.hex}`" if entry.hex else "the piece's own",
            str(entry.rhythm),
            str(entry.meaning),
        ]
        for entry in LEGEND
    ]


def test_the_example_of_a_settings_file_is_accepted(open_page, tmp_path):
    blocks = open_page("docs/configuration.md").blocks
    path = tmp_path / "tiltboard.toml"
    path.write_text(next(block.text for block in blocks if block.file == path.name))
    settings = load_settings(path)
    assert settings != Settings()
    game_type(settings.game).create(settings.options)


@pytest.mark.parametrize(
    ("document", "name"), [("docs/club.md", "table.toml"), ("docs/home.md", "house.toml")]
)
def test_other_examples_of_settings_are_accepted(open_page, tmp_path, document, name):
    path = tmp_path / name
    path.write_text(next(block.text for block in open_page(document).blocks if block.file == name))
    assert load_settings(path).far.broker is not None


def test_every_profile_that_ships_is_listed(open_page):
    rows = open_page("docs/add-a-board.md").table("profile", "places")
    for name, places, *_ in rows:
        table = load_profile(in_code(name)[0])
        assert places == f"{table.columns} x {table.rows}"
    assert sorted(in_code(row[0])[0] for row in rows) == list(profile_module.profile_names())


def test_every_dependency_has_its_reason(open_page, root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    optional = dict(project["optional-dependencies"])
    for other in root.glob("packages/*/pyproject.toml"):
        beside = tomllib.loads(other.read_text("utf-8"))["project"]
        needed = [line for line in beside["dependencies"] if line != "tiltboard"]
        optional |= {other.parent.name: needed} | beside.get("optional-dependencies", {})
    extras = {"base": project["dependencies"], **optional}
    wanted = {
        (re.split(r"[\[<>=;]", line)[0], extra)
        for extra, lines in extras.items()
        for line in lines
        if not line.startswith("tiltboard[")
    }
    rows = open_page("docs/dependencies.md").table("package", "installed by", "reason")
    shown = {
        (package, extra)
        for packages, by, _ in rows
        for package in packages.split(", ")
        for extra in ("base", *optional)
        if extra in re.findall(r"\w+", by.split(",")[0] + (by if "`" in by else ""))
    }
    assert shown == wanted


def test_the_written_game_of_the_journals_page_is_read_and_was_won(open_page):
    text = open_page("docs/journal.md").text
    shown = re.search(r"^    tiltboard game 1\n(?:(?:    .*)?\n)*", text, re.M)[0]
    played = read_game(textwrap.dedent(shown))
    assert list(played.moves) == ["a1", "c3", "a3"]
    assert played.result == {"winner": "red", "reason": "complete"}


def test_every_bench_says_in_a_line_what_it_measures():
    """docs/benchmarks.md sends its reader to this list."""
    context = click.Context(bench.command)
    commands = [bench.command.get_command(context, n) for n in bench.command.list_commands(context)]
    assert len(commands) > 10
    assert all(10 < len(each.help) < 90 and "\n" not in each.help for each in commands)


def test_every_fault_is_listed(open_page, tmp_path):
    rows = open_page("docs/scenarios.md").table("fault", "target")
    names: set[str] = set()
    for profile in ("plate-10", "node"):
        (tmp_path / profile).mkdir()
        with SimSession(load_profile(profile), tmp_path / profile) as session:
            names |= set(session.faults.names)
    assert {in_code(row[0])[0] for row in rows} == names


def test_the_readme_credits_every_game_and_carries_the_notices(open_page):
    page = open_page("README.md")
    credited = {
        credit.title: credit.designer + (f", {credit.year}" if credit.year else "")
        for credit in (kind.credit for kind in HOSTED.values())
    }
    assert {row[0]: row[1] for row in page.table("game", "by")} == credited
    readme = " ".join(page.text.split())
    assert "asks anyone who programs or sells Momentum in any form to contact him" in readme
    assert "**Gravity Warfare** is a registered trademark and patented" in readme


def test_the_rates_that_the_documents_give_are_the_programs(open_page):
    service, model = (
        " ".join(open_page(f"docs/{name}.md").text.split()) for name in ("service", "threat-model")
    )
    small = {3: "three", 5: "five", 6: "six", 10: "ten", 30: "thirty", 2: "two"}
    one, all_together = (small[n] for n in (pairing.TRIES_PER_ADDRESS, pairing.TRIES_PER_MINUTE))
    minutes, days = small[pairing.CODE_LASTS_S / 60], pairing.TOKEN_LASTS_S / pairing.DAY_S
    assert f"try {one} codes a minute; all devices together can try {all_together}" in service
    assert f"valid for {minutes} minutes and one device" in service
    assert f"lasts for {days:g} days" in service
    assert f"{one} tries a minute for each address, {all_together} for all" in model
    guesses = pairing.TRIES_PER_MINUTE * (pairing.CODE_LASTS_S / 60 + 1)
    assert f"at most {guesses:g} tries at a million codes" in model
    seat, strangers = app.SEAT_TRIES_PER_MINUTE, app.STRANGERS_SEAT_TRIES_PER_MINUTE
    assert f"({small[seat]} tries a minute for each address, {small[strangers]} for all" in model
    requests, reads = limits.REQUESTS_PER_S, small[limits.READS_PER_S]
    pages, connections = limits.PAGES_PER_ADDRESS, limits.CONNECTIONS_PER_ADDRESS
    assert f"{requests:g} requests a second, {reads} of them for games in the journal" in model
    assert f"{pages} pages, {connections} connections" in model


@pytest.fixture
def one_move(tmp_path, monkeypatch):
    """The architecture's move, played: seconds of each part of a scan, and from touch to light."""
    spent: dict[str, list[float]] = {}
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        host, clock = session.host, session.clock
        index = host.overlay.index_of

        def timed(kind, name):
            original = getattr(kind, name)

            def call(*arguments):
                begun_s = clock.now()
                result = original(*arguments)
                spent.setdefault(f"{kind.__name__}.{name}", []).append(clock.now() - begun_s)
                return result

            monkeypatch.setattr(kind, name, call)

        host.do(NewGame("momentum", {"size": 7}))
        for piece, place in (("red", "d4"), ("blue", "d5")):
            session.run_until(clock.now() + 3)
            action = session.hands.put(piece, index(place))
        session.run_until(action.touch_s - 0.1)
        timed(MuxHallArray, "read")
        timed(Mpu6050, "read")
        timed(Panel, "pressed")
        timed(LightStrip, "_write")
        scans = 0
        while host.status.phase != "settle":
            session.wait()
            host.step()
            scans += host.look.frame.time_s >= action.touch_s
            assert clock.now() < action.touch_s + 1
        yield (
            host,
            {k: min(filter(None, v)) for k, v in spent.items()},
            scans,
            clock.now() - action.touch_s,
            session.table.chain.latched_s - action.touch_s,
        )


def test_the_traced_move_happens_as_told(open_page, one_move):
    host, spent_s, scans, host_s, light_s = one_move
    text = " ".join(open_page("docs/architecture.md").text.split())

    def told(pattern: str) -> float:
        found = re.search(pattern, text)
        assert found, pattern
        return float(found[1])

    assert told(r"The scan: ([\d.]+) ms") == round(spent_s["MuxHallArray.read"] * 1e3, 2)
    assert told(r"14 bytes in ([\d.]+) ms") == round(spent_s["Mpu6050.read"] * 1e3, 2)
    assert told(r"two pins in ([\d.]+) ms") == round(spent_s["Panel.pressed"] * 1e3, 2)
    assert told(r"costs the scan ([\d.]+) ms") == round(spent_s["LightStrip._write"] * 1e3, 2)
    sent_s = light_s - host_s
    assert told(r"([\d.]+) ms later all 100 lights") == round(sent_s * 1e3, 1)
    assert told(r"The lights: ([\d.]+) ms") == pytest.approx(light_s * 1e3, abs=5)
    assert scans == 4
    assert str(host.status.say) in text
    assert dict(host.status.roles) == {"d4": "lift", "d3": "put"}
    sensor = int(told(r"d5 is sensor (\d+)"))
    assert sensor == host.overlay.index_of("d5")
    assert told(r"about \+([\d.]+) mT") == pytest.approx(host.look.frame.field_mt[sensor], abs=0.3)
    assert told(r"accepted: ([\d.]+) mT") == pytest.approx(
        host.look.observation.field_mt[sensor], abs=0.1
    )
