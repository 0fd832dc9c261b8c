"""Tests of docs: blocks marked ``run`` are run, in order, and their output compared; ``...``
stands for anything.

Blocks marked ``file=NAME`` are files that the commands find. Each document has a folder of its own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LINKED = ("docs", "drivers", "firmware_host", "games", "hw_sim", "tests", "pyproject.toml")
MARK = "@@end of output, status "
RUN_PAGES = (
    "README.md",
    "docs/add-a-board.md",
    "docs/add-a-game.md",
    "docs/add-a-sensor.md",
    "docs/club.md",
    "docs/configuration.md",
    "docs/engines.md",
    "docs/far.md",
    "docs/games/attraktion.md",
    "docs/games/gravity-connect.md",
    "docs/games/gravity-trap.md",
    "docs/games/momentum.md",
    "docs/python.md",
    "docs/rules-contract.md",
    "docs/testing.md",
    "docs/traces.md",
    "docs/wiring.md",
)


def steps(text: str) -> list[tuple[str, str]]:
    """(command, expected output) of a block of a console."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"output before any command: {line}"
            found[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in found]


def matches(expected: str, output: str) -> bool:
    """``...`` is anything within a line; alone on a line, any lines."""
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(map(re.escape, line.split("..."))) + "\n"
    ended = output if output.endswith("\n") or not output else output + "\n"
    return re.fullmatch(pattern, ended) is not None


def run(text: str, folder: Path, environment: dict[str, str]) -> list[tuple[str, str, int, str]]:
    """(command, expected, status, output) of each command of a block, all in one shell."""
    wanted = steps(text)
    script = "".join(
        f"{command}\nset -- $?; printf '%s%s\\n' '{MARK}' $1; (exit $1)\n" for command, _ in wanted
    )
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    parts = re.split(rf"{MARK}(\d+)\n", ran.stdout)
    assert len(parts) == 2 * len(wanted) + 1, ran.stdout
    return [
        (command, expected, int(parts[2 * n + 1]), parts[2 * n])
        for n, (command, expected) in enumerate(wanted)
    ]


@pytest.fixture
def folder(tmp_path, root):
    """A folder in which a newcomer may type what the page says."""
    for name in LINKED:
        (tmp_path / name).symlink_to(root / name)
    return tmp_path


@pytest.fixture
def environment(tmp_path, root):
    here = Path(sys.executable).parent
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TILTBOARD", "PYTEST", "COV"))}
    return kept | {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{root}{os.pathsep}{tmp_path / 'installed'}",
        # pip installs what a page installs into this folder, from files alone
        "PIP_TARGET": str(tmp_path / "installed"),
        "PIP_UPGRADE": "1",  # a second package into that folder is no reason for a warning
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # that is how pip spells yes here
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "STATE_DIRECTORY": "",
    }


@pytest.mark.parametrize("name", RUN_PAGES)
def test_examples_do_what_the_page_says(name, open_page, folder, environment):
    ran = 0
    for block in open_page(name).blocks:
        if block.file:
            (folder / block.file).parent.mkdir(exist_ok=True)
            (folder / block.file).write_text(block.text)
        if "run" in block.words:
            results = run(block.text, folder, environment)
            for n, (command, expected, status, output) in enumerate(results):
                asked = n + 1 < len(results) and results[n + 1][0] == "echo $?"
                assert matches(expected, output), f"$ {command}\n{output}"
                assert status == 0 or asked, f"$ {command} ends with {status}\n{output}"
                ran += 1
    assert ran


def test_every_page_with_examples_is_run(root, open_page):
    written = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    names = [str(path.relative_to(root)) for path in written]
    pages = {name: open_page(name) for name in names}
    marked = [name for name, page in pages.items() if any("run" in b.words for b in page.blocks)]
    assert sorted(marked) == sorted(RUN_PAGES)


def test_python_examples_pass_the_checks_of_the_code(root, open_page, tmp_path):
    blocks = [b for name in RUN_PAGES for b in open_page(name).blocks if b.words[:1] == ("python",)]
    files = [b for b in blocks if b.file]
    assert files
    for block in files:
        (tmp_path / str(block.file)).parent.mkdir(exist_ok=True)
        (tmp_path / str(block.file)).write_text(block.text)
    ruff = shutil.which("ruff", path=Path(sys.executable).parent) or "ruff"
    settings = ["--config", str(root / "pyproject.toml"), "--no-cache", str(tmp_path)]
    tests = [
        "--extend-per-file-ignores",
        "test_*.py:S101,test_*.py:D",
    ]  # as in this repository's own
    for check in (["check", *tests, *settings], ["format", "--check", *settings]):
        ran = subprocess.run([ruff, *check], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("name", ["reversi", "breakthrough"])
def test_what_a_page_shows_of_a_package_is_in_it(name, root, open_page):
    whole = (root / f"tests/{name}/{name}.py").read_text("utf-8")
    shown = [b for b in open_page("docs/add-a-game.md").blocks if b.words == ("python",)]
    assert any(block.text in whole for block in shown)
    packages = [path.read_text("utf-8") for path in root.glob("tests/*/*.py")]
    assert all(any(block.text in text for text in packages) for block in shown)


@pytest.mark.parametrize("name", ["col", "reversi", "breakthrough"])
def test_the_example_game_is_a_game_to_the_type_checker(name, root, open_page, tmp_path):
    shown = {block.file: block.text for block in open_page("docs/add-a-game.md").blocks}
    beside = root / f"tests/{name}/{name}.py"
    text = shown.get(f"tiltboard-{name}/{name}.py") or beside.read_text("utf-8")
    made = name.upper()
    imports = f"from tiltboard.games.base import GameType\nfrom {name} import {made}\n"
    use = f"{imports}\ngame: GameType = {made}\n"
    (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "use.py").write_text(use)
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--cache-dir=.cache",
            "use.py",
        ],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def test_output_that_differs_is_found():
    assert matches("a...c\n...\nz", "abc\n1\n2\nz\n")
    assert matches("...\nz", "z\n")
    assert not matches("a...c", "ab\n")
    assert not matches("a", "a\nb\n")
    assert not matches("", "a\n")
