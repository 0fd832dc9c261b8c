"""``tiltboard join``: play with another table, by its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from firmware_host.cli.options import CONFIG, PORT, match_code
from firmware_host.cli.pair import ask_table
from firmware_host.cli.speech import say
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.settings import load_settings
from firmware_host.messages import text
from firmware_host.web.qr import qr_terminal


@click.command(name="join", epilog="Example: tiltboard join 7KQ2M-XWD9F")
@click.argument("code", required=False)
@click.option(
    "--level", type=click.IntRange(1, 10), help="Let the computer play here, at this level."
)
@click.option("--leave", is_flag=True, help="End the match; its game goes on at this table.")
@CONFIG
@PORT
def command(
    *, code: str | None, level: int | None, leave: bool, config: Path | None, port: int | None
) -> None:
    """Have the running table play with the one that shows CODE; write - to be asked for it.

    Without CODE, show the code of this table's own match (tiltboard run --game NAME --far PLAYER).
    """
    port = load_settings(config).port if port is None else port
    if leave:
        _command(port, {"type": "leave-match"})
        return
    if code is not None:
        _command(port, {"type": "join-match", "code": match_code(code), "level": level})
        say(text("The table asks for a seat; the page says when the match begins."))
        return
    match = _ask(port, "GET", "/api/v1/snapshot")["match"]
    if match is None or match["code"] is None:
        raise NotPossibleError(
            "This table waits for no other.",
            remedy="Begin a game with a player at another table, on the page or with --far.",
        )
    click.echo(match["code"])
    click.echo(qr_terminal(match["code"]))


def _command(port: int, command: dict[str, Any]) -> None:
    _ask(port, "POST", "/api/v1/command", json.dumps(command))


def _ask(port: int, method: str, path: str, body: str = "") -> Any:
    return ask_table(
        port, method, path, body, remedy="Start it with: tiltboard run, or tiltboard sim"
    )
