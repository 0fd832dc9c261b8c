"""Tests of firmware_host/cli/games.py: ``tiltboard games``, ``games import`` and ``export``, and
the folder that they use.
"""

from __future__ import annotations

import errno
import json
import stat
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result

from tiltboard.firmware_host.cli.games import command as games
from tiltboard.firmware_host.cli.games import export
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import (
    ConfigError,
    GameTextError,
    JournalInUseError,
    NoSuchGameError,
)
from tiltboard.firmware_host.config.files import default_state_directory, ensure_state_directory
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.games.registry import game_type

OPTIONS = dict(game_type("momentum").create({"size": 3, "marbles": 4}).options)


@pytest.fixture
def state(tmp_path: Path, clock: Any) -> Path:
    with Journal.open(tmp_path / "journal.sqlite", clock) as journal:
        first = journal.start("momentum", OPTIONS)
        journal.append(first, 1, "a1")
        clock.date_s += 3600
        second = journal.start("momentum", OPTIONS)
        journal.append(second, 1, "b2")
        journal.append(second, 2, "swap")
        journal.finish(second, {"winner": "blue", "reason": "complete"})
    return tmp_path


def run(command: Any, *arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments], input=text)


def test_the_list(state: Path) -> None:
    result = run(games, "--state", state)
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[0] == ["number", "game", "begun", "moves", "result"]
    assert [line[:3] + line[-4:] for line in lines[1:]] == [
        ["*", "2", "momentum", "2", "blue", "won", "(complete)"],
        ["1", "momentum", "2023-11-14", lines[2][3], "1", "not", "finished"],
    ]


@pytest.mark.parametrize("before", [True, False])
def test_a_folder_named_before_or_after_import_is_where_the_game_goes(
    before: bool, state: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("usual")))
    written = run(export, "1", "--state", state).output
    folder = ["--state", state]
    arguments = [*folder, "import", "-"] if before else ["import", "-", *folder]
    assert run(games, *arguments, text=written).exit_code == 0
    assert len(run(games, *folder).output.splitlines()) == 4


def test_the_list_as_json(state: Path) -> None:
    result = run(games, "--json", "--state", state)
    assert [json.loads(line) for line in result.output.splitlines()] == [
        {
            "id": 2,
            "game": "momentum",
            "options": OPTIONS,
            "started": "2023-11-14T23:13:20Z",
            "changed": "2023-11-14T23:13:20Z",
            "moves": 2,
            "result": {"winner": "blue", "reason": "complete"},
            "current": True,
        },
        {
            "id": 1,
            "game": "momentum",
            "options": OPTIONS,
            "started": "2023-11-14T22:13:20Z",
            "changed": "2023-11-14T22:13:20Z",
            "moves": 1,
            "result": None,
            "current": False,
        },
    ]
    assert len(run(games, "--json", "--limit", 1, "--state", state).output.splitlines()) == 1


def test_no_games_yet(tmp_path: Path) -> None:
    result = run(games, "--state", tmp_path / "new")
    assert (result.exit_code, result.output) == (
        0,
        f"There are no games in {tmp_path / 'new'} yet.\n",
    )
    assert not (tmp_path / "new").exists()  # looking makes nothing


def test_export_and_import(state: Path, tmp_path: Path) -> None:
    shown = run(export, 1, "--state", state).output
    assert shown.startswith("tiltboard game 1\nGame: momentum\nDate: 2023-11-14T22:13:20Z\n")
    assert shown.endswith("\n1. a1\n")

    file = tmp_path / "game.txt"
    assert run(export, 1, file, "--state", state).exit_code == 0
    assert file.read_text() == shown
    refused = run(export, 2, file, "--state", state)
    assert (refused.exit_code, "File exists" in refused.output) == (1, True)
    assert file.read_text() == shown

    said = run(games, "import", file, "--state", state).output
    assert said.startswith("It is game 3 now")
    assert run(export, 3, "--state", state).output == shown
    assert run(games, "import", "-", "--state", state, text=shown).output.startswith("It is game 4")
    assert "* 4" in run(games, "--state", state).output  # which the table resumes next


def test_what_goes_wrong_is_said(state: Path, tmp_path: Path, clock: Any) -> None:
    assert isinstance(run(export, 9, "--state", state).exception, NoSuchGameError)
    missing = run(export, 1, "--state", tmp_path / "new").exception
    assert isinstance(missing, NoSuchGameError)
    assert "--sim" in missing.remedy
    bad = run(games, "import", "-", "--state", state, text="moves: a1").exception
    assert isinstance(bad, GameTextError)
    (tmp_path / "noise").write_bytes(b"\xff\xfe\xfd")
    noise = run(games, "import", tmp_path / "noise", "--state", state).exception
    assert isinstance(noise, GameTextError)
    good = run(export, 1, "--state", state).output
    with Journal.open(state / "journal.sqlite", clock):
        running = run(games, "import", "-", "--state", state, text=good).exception
        assert isinstance(running, JournalInUseError)
        assert run(games, "--state", state).exit_code == 0
        assert run(export, 1, "--state", state).output == good


def test_the_simulated_tables_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert str(tmp_path / "sim") in run(games, "--sim").output
    assert f"in {tmp_path} yet" in run(games).output


@pytest.mark.parametrize("words", [("games",), ("games", "import"), ("games", "export")])
def test_help_shows_an_example(words: tuple[str, ...]) -> None:
    helped = run(cli, *words, "--help")
    assert helped.exit_code == 0
    assert f"Example: tiltboard {' '.join(words)} " in helped.output


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"STATE_DIRECTORY": "/var/lib/tiltboard"}, "/var/lib/tiltboard"),
        ({"STATE_DIRECTORY": "/var/lib/a:/var/lib/b"}, "/var/lib/a"),
        ({"XDG_STATE_HOME": "/home/ann/state"}, "/home/ann/state/tiltboard"),
        ({"STATE_DIRECTORY": "/s", "XDG_STATE_HOME": "/x"}, "/s"),
    ],
)
def test_the_default_folder(environ: dict[str, str], folder: str) -> None:
    assert default_state_directory(environ) == Path(folder)


def test_the_default_folder_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    expected = Path("/home/ann/.local/state/tiltboard")
    assert default_state_directory({}) == expected
    assert default_state_directory({"XDG_STATE_HOME": "relative"}) == expected


def test_the_folder_is_private(tmp_path: Path) -> None:
    folder = ensure_state_directory(tmp_path / "a" / "b")
    for made in (folder, folder.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert ensure_state_directory(folder) == folder
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="--state"):
        ensure_state_directory(tmp_path / "file")
    with pytest.raises(ConfigError, match="--state"):
        ensure_state_directory(tmp_path / "file" / "below")


@pytest.mark.parametrize(
    "words", [["games"], ["games", "people"], ["games", "export", "1"], ["backup", "x"]]
)
def test_a_file_or_a_hidden_folder_is_not_taken_for_a_table_without_games(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    shown = CliRunner().invoke(cli, [*words, "--state", str(tmp_path / "file")])
    assert isinstance(shown.exception, ConfigError) and "not a folder" in str(shown.exception)
    hidden = OSError(errno.EACCES, "Permission denied")
    monkeypatch.setattr(Path, "stat", Mock(side_effect=hidden))  # what exists() asks; this is root
    shown = CliRunner().invoke(cli, [*words, "--state", "/nowhere/of/mine"])
    assert isinstance(shown.exception, ConfigError) and "Permission" in str(shown.exception)
