"""Tests of .ci/terminal.py and firmware_host/cli/main.py: completion and the man page know every
command.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import ALIASES, COMMANDS, HIDDEN, cli

BASH = Path("bash-completion/completions/tiltboard")
FISH = Path("fish/vendor_completions.d/tiltboard.fish")
ZSH = Path("zsh/vendor-completions/_tiltboard")
OWN = Path(sys.executable).parent
WAYS = {
    "bash": {"COMP_WORDS": "tiltboard {typed} ", "COMP_CWORD": "{place}"},
    "zsh": {"COMP_WORDS": "tiltboard {typed} ", "COMP_CWORD": "{place}"},
    "fish": {"COMP_WORDS": "tiltboard {typed} ", "COMP_CWORD": ""},
}


@pytest.fixture(scope="module")
def share(root, tmp_path_factory):
    """/usr/share of the package."""
    folder = tmp_path_factory.mktemp("share")
    made_by = [sys.executable, root / ".ci/terminal.py", folder]
    subprocess.run(made_by, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
    return folder


def listed(*path: str) -> set[str]:
    """Commands in the help of a group, as a reader of it finds them."""
    said = CliRunner().invoke(cli, [*path, "--help"]).output
    _, *sections = re.split(r"^\S.*:$", said, flags=re.MULTILINE)
    return {name for part in sections for name in re.findall(r"^  ([a-z]\S*)  ", part, re.M)}


def continued(shell: str, *typed: str) -> tuple[set[str], str]:
    """What is offered after the words ``typed``, and what is printed on stderr."""
    asked = {
        name: value.format(typed=" ".join(typed), place=len(typed) + 1)
        for name, value in WAYS[shell].items()
    }
    done = subprocess.run(
        [OWN / "tiltboard"], capture_output=True, text=True, check=True,
        env={**os.environ, **asked, "_TILTBOARD_COMPLETE": f"{shell}_complete"},
    )  # fmt: skip
    return set(re.findall(r"[\w-]+", done.stdout)), done.stderr


def test_the_man_page_has_every_command_of_the_help(share):
    page = gzip.decompress((share / "man/man1/tiltboard.1.gz").read_bytes()).decode()
    named = {
        each.replace("\\-", "-") for each in re.findall(r'^\.SS "tiltboard (.+)"$', page, re.M)
    }
    assert COMMANDS.keys() <= named
    for group in ("games", "devices", "hotspot", "far"):
        assert {f"{group} {name}" for name in listed(group)} <= named
    assert not named & {*HIDDEN, *ALIASES}
    assert "1970-01-02" in page.splitlines()[0]


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_man_page_is_roff_without_a_warning(share):
    page = gzip.decompress((share / "man/man1/tiltboard.1.gz").read_bytes())
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-z"], input=page, capture_output=True, check=True
    )
    assert not done.stderr


@pytest.mark.parametrize("shell", WAYS)
def test_a_shell_is_offered_every_command_of_the_help(shell):
    offered, said = continued(shell)
    assert not said
    assert listed() <= offered
    offered, said = continued(shell, "games")
    assert not said
    assert listed("games") <= offered


@pytest.mark.parametrize("typed", ["expotr", "import", "match"])
def test_a_word_that_is_no_command_prints_nothing_into_the_line(typed):
    assert not continued("bash", typed)[1]


def test_bash_completes_with_the_file_of_the_package(share):
    asked = (
        f"source {share / BASH}; COMP_WORDS=(tiltboard doc); COMP_CWORD=1;"
        ' _tiltboard_completion tiltboard; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", asked], capture_output=True, text=True, check=True,
        env={**os.environ, "PATH": f"{OWN}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert (done.stdout.split(), done.stderr) == (["doctor"], "")


def test_fish_and_zsh_have_a_file_each(share):
    assert "complete --no-files --command tiltboard" in (share / FISH).read_text()
    assert (share / ZSH).read_text().startswith("#compdef tiltboard\n")


def test_verbose_logs_each_error_beside_its_line():
    def ended(*words):
        asked = [OWN / "tiltboard", *words, "check", "no-such-profile.toml"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    status, line = ended()
    assert line.count("\n") == 1
    verbose_status, log = ended("--verbose")
    assert (verbose_status, log.splitlines()[-1]) == (status, line.strip())
    assert "Traceback" in log


def test_a_folder_of_a_game_s_name_does_not_hide_the_game(tmp_path):
    (tmp_path / "momentum").mkdir()
    asked = [OWN / "tiltboard", "check", "momentum", "--games", "1"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ok: ")
