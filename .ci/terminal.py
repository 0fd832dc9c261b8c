"""Writes files for using ``tiltboard`` in a terminal: completion for three shells, and a man page.

``python .ci/terminal.py SHARE`` writes the files below SHARE, which is /usr/share in the package
(docs/service.md). They are generated from the commands, without commands from other packages.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from tiltboard.firmware_host.cli.main import Group, cli

# The folder in which each shell's Debian package looks for completion files, by shell.
COMPLETION = {
    "bash": "bash-completion/completions/tiltboard",
    "fish": "fish/vendor_completions.d/tiltboard.fish",
    "zsh": "zsh/vendor-completions/_tiltboard",
}
MAN_PAGE = "man/man1/tiltboard.1.gz"


def completion(shell: str) -> str:
    """Return the script with which ``shell`` asks tiltboard for completions of a line."""
    made = get_completion_class(shell)
    if made is None:
        raise SystemExit(f"terminal: click knows no {shell}")
    return made(cli, {}, "tiltboard", "_TILTBOARD_COMPLETE").source()


def man_page(when: int) -> str:
    """Return the help of all commands in roff. ``when``: the date of the page, in seconds since
    1970.
    """
    version = metadata.version("tiltboard")
    day = time.strftime("%Y-%m-%d", time.gmtime(when))
    context = click.Context(cli, info_name="tiltboard", **cli.context_settings)
    about = (cli.help or "").partition("\n\n")[0]
    lines = [
        f'.TH TILTBOARD 1 "{day}" "tiltboard {version}"',
        ".SH NAME",
        f"tiltboard \\- {escaped(about.removeprefix('A ').rstrip('.'))}",
        ".SH DESCRIPTION",
        *described(cli, context),
        ".SH COMMANDS",
        *under(cli, context),
    ]
    return "\n".join(lines) + "\n"


def under(group: Group | click.Group, context: click.Context) -> Iterator[str]:
    """Yield the description of each command in a group, including subcommands."""
    ours = group.group_commands().values() if isinstance(group, Group) else [group.commands]
    for name in (name for commands in ours for name in commands):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        within = click.Context(command, context, info_name=name)
        yield f'.SS "{escaped(within.command_path)}"'
        yield from described(command, within)
        if isinstance(command, click.Group):
            yield from under(command, within)


def described(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the usage, help, options and example of one command."""
    yield f".B {escaped(' '.join([context.command_path, *command.collect_usage_pieces(context)]))}"
    for paragraph in [*(command.help or "").split("\n\n"), command.epilog or ""]:
        yield f".PP\n{escaped(' '.join(paragraph.split()))}"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield f".TP\n.B {escaped(record[0])}\n{escaped(record[1])}"


def escaped(text: str) -> str:
    """Return ``text`` escaped for roff: its backslashes, hyphens and leading dots are special."""
    plain = text.replace("\b", "").replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return re.sub(r"^([.'])", r"\\&\1", plain, flags=re.MULTILINE)


def write(share: Path, when: int) -> None:
    """Write all files below ``share``; an equal ``when`` gives equal bytes."""
    files = {place: completion(shell).encode() for shell, place in COMPLETION.items()}
    files[MAN_PAGE] = gzip.compress(man_page(when).encode(), mtime=0)
    for place, content in files.items():
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).write_bytes(content)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
