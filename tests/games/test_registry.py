"""Tests of games/registry.py and tiltboard/ground/plugins.py: games of other packages: found by
their entry points, and left out with one line if broken.
"""

import os
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tiltboard.games import registry
from tiltboard.games.base import BrokenGameError, UnknownGameError

BROKEN = {
    "import error": ("import nothing_of_that_name", "ModuleNotFoundError: No module named"),
    "syntax error": ("def", "SyntaxError"),
    "no such object": ("", "AttributeError"),
    "not a game": ("GAME = 3", "it is a int, not a tiltboard.games.base.GameType"),
    "another interface": (
        "from tiltboard.games.base import GameType\n"
        "class Old(GameType):\n    name = 'other'\nGAME = Old()",
        "TypeError: Can't instantiate abstract class Old",
    ),
    "another name": (
        "from tiltboard.games.attraktion.game import AttraktionType\nGAME = AttraktionType()",
        "its own name is attraktion",
    ),
    "no start": (
        "from tiltboard.games.attraktion.game import AttraktionType\nclass Bad(AttraktionType):\n"
        "    name = 'other'\n    def create(self, options):\n        return 1 / 0\nGAME = Bad()",
        "ZeroDivisionError: division by zero",
    ),
    "exits": ("raise SystemExit(0)", "SystemExit: 0"),
    "exits as it starts": (
        "import os\nfrom tiltboard.games.attraktion.game import AttraktionType\n"
        "class Bad(AttraktionType):\n    name = 'other'\n"
        "    def create(self, options):\n        raise BaseException('gone')\nGAME = Bad()",
        "BaseException: gone",
    ),
    "an error that cannot be told": (
        "class Mute(Exception):\n    def __str__(self):\n        raise ValueError\nraise Mute",
        "Mute: no reason is given",
    ),
    "an error without end": ("raise ValueError('x ' * 100_000)", "ValueError: x x x"),
    "no property": (
        "from tiltboard.games.attraktion.game import AttraktionType\nclass Bad(AttraktionType):\n"
        "    name = 'other'\n    at_the_table = property(lambda self: 1 / 0)\nGAME = Bad()",
        "ZeroDivisionError: division by zero",
    ),
}


def installed(folder, source):
    """What an installation of a package with one game leaves in a folder."""
    (folder / "other.py").write_text(source)
    about = folder / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tiltboard.games]\nother = other:GAME\n")
    return folder


def tiltboard(folder, *arguments):
    root = Path(registry.__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", *arguments],
        env=os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("source", "why"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_one_line(tmp_path, monkeypatch, source, why):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "other", raising=False)
    (tmp_path / "other.py").write_text(source)
    with pytest.raises(BrokenGameError) as caught:
        registry.load(EntryPoint("other", "other:GAME", registry.GROUP))
    monkeypatch.delitem(sys.modules, "other", raising=False)
    said = str(caught.value)
    assert said.startswith(f"The game other (other:GAME) cannot be used: {why}")
    assert "\n" not in said
    assert "package" in said.rpartition(". ")[2]  # what to do
    assert len(said) < 500


@pytest.mark.parametrize(
    "source",
    [
        "import threading\nthreading.Event().wait()",
        "while True:\n    pass",
        "import time\nwhile True:\n  try:\n    time.sleep(9)\n  except Exception:\n    pass",
    ],
    ids=["waits", "runs", "catches"],
)
def test_a_game_whose_loading_never_ends_is_named(tmp_path, monkeypatch, source):
    monkeypatch.setattr("tiltboard.ground.plugins.LOAD_WITHIN_S", 0.1)
    monkeypatch.syspath_prepend(str(installed(tmp_path, source)))
    monkeypatch.delitem(sys.modules, "other", raising=False)
    with pytest.raises(BrokenGameError, match=r"its loading is not done after 0\.1 s"):
        registry.load(EntryPoint("other", "other:GAME", registry.GROUP))
    assert "other" not in sys.modules
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_its_author_is_shown_file_and_line(tmp_path, monkeypatch):
    folder = installed(tmp_path, "\n\nraise RuntimeError('boom')")
    monkeypatch.setenv("TILTBOARD_TRACEBACK", "1")
    told = tiltboard(folder, "rules", "momentum").stderr
    assert 'other.py", line 3' in told
    assert "cannot be used: RuntimeError: boom" in told


def test_it_stops_no_other_game(tmp_path):
    folder = installed(tmp_path, "import nothing_of_that_name")
    asked = tiltboard(folder, "rules", "momentum")
    assert asked.returncode == 0
    assert asked.stderr.startswith("tiltboard: The game other (other:GAME) cannot be used")
    assert len(asked.stderr.splitlines()) == 1
    checked = tiltboard(folder, "check", "other")
    assert checked.returncode == 1
    assert "No module named 'nothing_of_that_name'" in checked.stderr


def test_the_first_of_a_name_counts():
    ours = [EntryPoint("momentum", "tiltboard.games.momentum.game:MOMENTUM", registry.GROUP)] * 2
    found, broken = registry.load_all(ours)
    assert list(found) == ["momentum"]
    assert "A second game momentum" in str(broken["tiltboard.games.momentum.game:MOMENTUM"])


def test_an_unknown_game_is_told_those_that_exist():
    with pytest.raises(UnknownGameError, match="There is no game nope; the games are: momentum"):
        registry.game_type("nope")


@pytest.mark.parametrize(
    "source", ["raise SystemExit(3)", "raise BaseException", "import nothing_of_that_name"]
)
def test_a_package_that_brings_everything_and_can_be_used_for_nothing_stops_nothing(
    tmp_path, source
):
    """Games, commands, parts, what stands in for them, and kernels."""
    folder = installed(tmp_path, source)
    groups = ("games", "commands", "parts", "simulated", "kernels")
    points = "".join(f"[tiltboard.{group}]\nother = other:GAME\n" for group in groups)
    (folder / "other-1.0.dist-info" / "entry_points.txt").write_text(points)
    for words in (["rules", "momentum"], ["--help"], ["warm", "--help"]):
        asked = tiltboard(folder, *words)
        assert (asked.returncode, asked.stdout != "") == (0, True), asked.stderr
    asked = tiltboard(folder, "other")
    assert asked.returncode != 3
    assert "cannot be used" in asked.stderr
    engine = subprocess.run(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", "engine"],
        env=os.environ
        | {"PYTHONPATH": f"{Path(registry.__file__).parents[2]}{os.pathsep}{folder}"},
        input="ugi\nisready\nposition startpos\ngo nodes 5\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "readyok" in engine.stdout
    assert "Traceback" not in engine.stderr
