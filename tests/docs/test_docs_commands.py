"""Tests of docs and firmware_host/cli/main.py: every command line that a document shows names a
command, option or target that exists.
"""

import re
import shlex

import click
import pytest

from tiltboard.firmware_host.cli.main import COMMANDS, cli

# First line of a game written as text, not a command (docs/journal.md)
NOT_COMMANDS = ("tiltboard game 1",)


def lines(page) -> list[str]:
    """Command lines in backticks, in fenced and in indented blocks."""
    found = [*page.code]
    for block in page.blocks:
        found += [line.removeprefix("$ ") for line in block.text.splitlines()]
    found += re.findall(r"^ {4}(\S.*)$", page.prose, re.MULTILINE)
    commands = [line for line in found if line.startswith(("tiltboard ", "make "))]
    return [line for line in commands if line not in NOT_COMMANDS]


def words(line: str) -> list[str]:
    """Of a command line, without the remark after it, redirections and brackets."""
    line = re.split(r" {2,}|\s[<>|#]", line)[0]
    return [word for word in shlex.split(re.sub(r"[\[\]]", " ", line)) if word != "..."]


def problem(line: str) -> str | None:
    """What is wrong with a ``tiltboard`` command line; None if nothing."""
    command: click.Command = cli
    context = click.Context(cli, **cli.context_settings)
    places, rest = 0, words(line)[1:]
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and word != "-":
            options = {o: p for p in command.get_params(context) for o in p.opts + p.secondary_opts}
            if word not in options:
                return f"{command.name} has no option {word}"
            parameter = options[word]
            if isinstance(parameter, click.Option) and not parameter.is_flag and parameter.nargs:
                rest = rest[1:] if word not in ("--help", "--version") else rest
        elif isinstance(command, click.Group):
            try:
                found = command.get_command(context, word)
            except click.ClickException as error:
                return error.message
            if found is None:
                return f"{word} cannot be loaded"
            command = found
        else:
            places += 1
    arguments = [p for p in command.get_params(context) if isinstance(p, click.Argument)]
    return "too many arguments" if places > len(arguments) else None


def test_commands_exist(page, root):
    makefile = (root / "Makefile").read_text("utf-8")
    problems = []
    for line in lines(page):
        if line.startswith("make "):
            named = [w for w in words(line)[1:] if "=" not in w]
            targets = [w for w in named if not re.search(rf"^{w}:", makefile, re.M)]
            wrong = f"no target {targets}" if targets else None
        else:
            wrong = problem(line)
        if wrong:
            problems.append(f"{line}: {wrong}")
    assert not problems


@pytest.mark.parametrize(
    "line",
    [
        "tiltboard sum",
        "tiltboard sim --prot 8080",
        "tiltboard games exprot",
        "tiltboard scenario one.scenario two.scenario",
    ],
)
def test_a_wrong_command_would_be_found(line):
    assert problem(line)


def test_every_command_stands_in_a_document(root):
    text = "".join(path.read_text("utf-8") for path in root.glob("docs/**/*.md"))
    assert not [name for name in COMMANDS if f"tiltboard {name}" not in text]
