"""Tests of firmware_host/cli/main.py, tiltboard/ground/plugins.py and games/names.py: commands
that other packages bring: found by entry points, and never in the way of our own.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import main
from tiltboard.firmware_host.cli.main import BESIDE, COMMANDS, cli

ROOT = Path(__file__).parents[3]
PACKAGES = {path.name: path for path in ROOT.glob("packages/[a-z]*")}
PRODUCT = ("drivers", "firmware_host", "games", "hw_sim")
BROUGHT = {
    "tiltboard.commands": {
        "greet": f"{__name__}:greet",
        "lost": "no_such_package.commands:command",
        "number": f"{__name__}:NUMBER",
        "sim": "no_such_package.commands:sim",
    },
    "tiltboard.benches": {"greet": f"{__name__}:greet"},
}
NUMBER = 7


@click.command()
def greet() -> None:
    """Say hello."""
    click.echo("hello")


@pytest.fixture
def run(monkeypatch):
    def brought(group):
        return [EntryPoint(name, value, group) for name, value in BROUGHT.get(group, {}).items()]

    monkeypatch.setattr(main, "entry_points", brought)
    monkeypatch.setattr(main.EntryPoint, "load", _load)
    return lambda *words: CliRunner().invoke(cli, words)


def _load(point):
    if point.value.startswith("no_such_package"):
        raise ModuleNotFoundError("No module named 'no_such_package'")
    return {"greet": greet, "NUMBER": NUMBER}[point.attr]


@pytest.mark.parametrize("words", [["greet"], ["bench", "greet"]])
def test_a_command_that_a_package_brings_is_run(run, words):
    told = run(*words)
    assert (told.exit_code, told.output) == (0, "hello\n")


def test_what_cannot_be_loaded_is_named_in_a_line_and_the_rest_is_listed(run):
    told = run("--help")
    assert told.exit_code == 0
    assert told.stderr.splitlines() == [
        "tiltboard: The command lost (no_such_package.commands:command) cannot be used: "
        "ModuleNotFoundError: No module named 'no_such_package'. Update or uninstall its package.",
        f"tiltboard: The command number ({__name__}:NUMBER) cannot be used: int is no "
        "click.Command. Update or uninstall its package.",
    ]
    listed = [line.split()[0] for line in told.stdout.splitlines() if line.startswith("  ")]
    assert {*COMMANDS, "greet"} - {*BESIDE} <= set(listed)
    assert not {*BESIDE} & set(listed)
    assert "Say hello." in told.stdout


def test_what_cannot_be_loaded_ends_with_one_line_when_it_is_called(run):
    told = run("lost")
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1
    assert "no_such_package" in told.stderr


def test_a_command_of_ours_cannot_be_replaced(run):
    assert "Play on the simulated table" in run("sim", "--help").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gret"], "There is no command 'gret'; did you mean 'greet'?"),
        (["bench", "scn"], "There is no measurement 'scn'; did you mean 'scan'?"),
        (["devices", "x"], "There is no command 'x'; known are: pair, revoke"),
        (["games", "imprt"], "There is no command 'imprt'; did you mean 'import'?"),
    ],
)
def test_a_command_that_nobody_has_is_answered_in_a_line_with_the_nearest(run, words, said):
    told = run(*words)
    assert (told.exit_code, told.stderr) == (2, f"tiltboard: {said}\n")


def test_the_product_imports_no_package_that_stands_beside_it():
    found = []
    for path in (path for package in PRODUCT for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path}: {name}" for name in names if name.startswith("tiltboard_")]
    assert not found


def project(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]


def test_all_distributions_have_one_version():
    assert {project(folder)["version"] for folder in (ROOT, *PACKAGES.values())} == {
        project(ROOT)["version"]
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_command_that_a_package_beside_the_table_brings_is_one(package):
    points = project(PACKAGES[package])["entry-points"]
    for group in BROUGHT.keys() & points:
        for name, value in points[group].items():
            command = EntryPoint(name, value, group).load()
            assert isinstance(command, click.Command)
            assert command.name == name
            assert command.epilog.startswith("Example: tiltboard ")
            assert group != "tiltboard.commands" or BESIDE[name] == package


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["import", "x"], "games import"),
        (["start"], "run"),
        (["play"], "sim"),
        (["calibrate"], "bringup --from places"),
        (["EXPORT"], "games export"),
        (["doctr"], "doctor"),
        (["RUN"], "run"),
        (["games", "ls"], None),
        (["nope"], None),
    ],
)
def test_a_name_is_suggested_only_where_one_is_near(run, words, near):
    told = run(*words)
    assert (told.exit_code, "did you mean" in told.stderr) == (2, near is not None)
    assert near is None or f"'{near}'" in told.stderr


@pytest.mark.parametrize(("name", "package"), BESIDE.items())
def test_a_command_of_a_package_that_is_not_installed_says_how_to_install_it(run, name, package):
    told = run(name, "2", "1")
    assert told.exit_code == 2
    assert told.stderr == (
        f"tiltboard: The command {name} needs the package tiltboard-{package}. "
        f"In a clone of tiltboard run: pip install ./packages/{package}\n"
    )


def test_a_measurement_that_needs_another_package_names_it_in_a_line(monkeypatch, capsys):
    """The laboratory's bench of clubs asks the package online, say."""

    def started(**_):
        raise ModuleNotFoundError("No module named 'tiltboard_online'", name="tiltboard_online.far")

    monkeypatch.setattr(main, "cli", started)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "tiltboard: This needs the package tiltboard-online. "
        "In a clone of tiltboard run: pip install ./packages/online\n"
    )


def test_a_module_that_is_none_of_ours_is_missed_as_python_says_it(monkeypatch):
    def started(**_):
        raise ModuleNotFoundError("No module named 'nothing'", name="nothing")

    monkeypatch.setattr(main, "cli", started)
    with pytest.raises(ModuleNotFoundError):
        main.main()


THREE_WAYS = """
from click.testing import CliRunner
from tiltboard.firmware_host.cli.main import COMMANDS, cli
told = lambda *words: CliRunner().invoke(cli, words, prog_name="tiltboard").output
for name in COMMANDS:
    assert told(name, "-h") == told("help", name) == told(name, "--help"), name
    assert "Example: " in told(name, "-h"), name
assert told("-V") == told("--version")
"""


def test_every_command_shows_its_help_in_three_ways():
    """In a process of its own: a command keeps the names of its first help option."""
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", THREE_WAYS], env=environ, check=True)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("sim --game nope", 2, "There is no game nope"),
        ("sim --game momentum --option size=99", 2, "size=99: "),
        ("sim --port abc", 2, "'--port': 'abc'"),
        ("games import /nope", 2, "/nope"),
        ("replay /nope", 2, "/nope"),
        ("check /nope.toml", 2, "/nope.toml"),
        ("check nope", 2, "'nope'"),
        ("restore /nope", 2, "/nope"),
        ("club /nope.toml --print", 2, "/nope.toml"),
        ("run --profile nope", 2, "'nope'"),
        ("games export 7 --state .", 2, "7"),
        ("far join 7KQ2M-XWD9F --port 1", 1, "port 1"),
    ],
)
def test_an_error_is_one_line_and_its_status_says_whose_it_is(words, status, said, tmp_path):
    command = [sys.executable, "-m", "tiltboard.firmware_host.cli", *words.split()]
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    told = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert told.returncode == status, told.stderr
    lines = told.stderr.splitlines()
    assert [line for line in lines if not line.startswith("Pieces do not")] == lines[-1:]
    assert lines[-1].startswith("tiltboard: ")
    assert said in lines[-1]
