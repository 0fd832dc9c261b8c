"""The commands ``tiltboard far`` (a match with other tables) and ``tiltboard club`` (the web page
of a club's evening).
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tiltboard.firmware_host.cli.cli_output import (
    AS_JSON,
    is_json_wanted,
    log_to_stderr,
    misuse,
    say,
    serve_until_told,
)
from tiltboard.firmware_host.cli.main import Group
from tiltboard.firmware_host.cli.options import CONFIG, PORT, match_code
from tiltboard.firmware_host.cli.running import ask
from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError, spoken_by
from tiltboard.firmware_host.config.settings import check_host, load_settings
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.service.qr import qr_terminal
from tiltboard.firmware_host.web.server import Server

if TYPE_CHECKING:
    from tiltboard_online.broadcast.evening import EveningSheet


@click.command(name="club", epilog="Example: tiltboard club evening.toml --port 8090")
@click.argument("evening", required=False, type=click.Path(path_type=Path))
@CONFIG
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8090,
    show_default=True,
    help="Port to serve at.",
)
@click.option("--print", "on_paper", is_flag=True, help="Print rounds and standings, and end.")
@AS_JSON
def club(
    *, evening: Path | None, config: Path | None, host: str, port: int, on_paper: bool
) -> None:
    """Show every table on the broker on one page, with pairings and results.

    EVENING is a file with the players. Without this file, the page shows only the boards.
    """
    settings = load_settings(config)
    spoken = spoken_by(settings.language)
    from tiltboard_online.broadcast.evening import read_evening

    sheet = None if evening is None else read_evening(evening)
    if on_paper:
        if sheet is None:
            raise misuse(text("--print needs EVENING."))
        (_print_json if is_json_wanted() else _print)(sheet)
        return
    from tiltboard_online.broadcast.club import MAX_LOOKERS, MAX_PER_S, Club
    from tiltboard_online.far.link import Broker, Link

    broker = Broker.of(settings.far)
    if broker is None:
        raise ConfigError(
            "A club needs a broker, and the settings name none.",
            remedy='Write its address: broker = "mqtt://HOST" under [far].',
        )
    log_to_stderr()
    connection = Link(broker, most_per_s=MAX_PER_S)
    page = Club(connection, evening, spoken)
    server = Server(page.app(), port, host=check_host(host), most=MAX_LOOKERS + 100)
    connection.start()
    server.start()
    say(text("The club's page is at {url} (Ctrl-C ends it).", url=server.url))
    serve_until_told(threading.Event())
    server.stop()
    connection.close()


def _print(sheet: EveningSheet) -> None:
    for number, games in enumerate(sheet.rounds, 1):
        say(text("Round {number}", number=number))
        for first, second, won in games:
            result = "" if second is None or won is None else f"  {won}"
            click.echo(f"  {first} - {second or str(text('bye'))}{result}")
    say(text("Standings"))
    for at, line in enumerate(sheet.standings, 1):
        click.echo(f"  {at}. {line.name}  {line.points:g} ({line.opponents:g})")


def _print_json(sheet: EveningSheet) -> None:
    """Print a JSON object for each game, and then a JSON object for each player. In a bye,
    ``second`` is null.
    """
    games = [
        {"round": number, "first": first, "second": second, "won": won}
        for number, games in enumerate(sheet.rounds, 1)
        for first, second, won in games
    ]
    standings = [
        {"place": at, "name": line.name, "points": line.points, "opponents": line.opponents}
        for at, line in enumerate(sheet.standings, 1)
    ]
    for each in (*games, *standings):
        click.echo(json.dumps(each, ensure_ascii=False))


@click.group(name="far", cls=Group, epilog="Example: tiltboard far join 7KQ2M-XWD9F")
def far() -> None:
    """Play with another table, far away. That table shows a code for joining."""


@far.command(epilog="Example: tiltboard far join 7KQ2M-XWD9F")
@click.argument("code")
@click.option(
    "--level", type=click.IntRange(1, 10), help="Let a bot of this level play at this table."
)
@CONFIG
@PORT
def join(*, code: str, level: int | None, config: Path | None, port: int | None) -> None:
    """Let the running table join the match of the table that shows CODE; write - to type CODE
    later.
    """
    port = load_settings(config).port if port is None else port
    asked = {"type": "join-match", "code": match_code(code), "level": level}
    ask(port, "POST", "/api/v1/command", json.dumps(asked))
    say(text("The table asks for a seat; the page says when the match begins."))


@far.command(epilog="Example: tiltboard far leave")
@CONFIG
@PORT
def leave(*, config: Path | None, port: int | None) -> None:
    """Leave the match; the game continues at this table."""
    port = load_settings(config).port if port is None else port
    ask(port, "POST", "/api/v1/command", json.dumps({"type": "leave-match"}))


@far.command(epilog="Example: tiltboard far code")
@CONFIG
@PORT
def code(*, config: Path | None, port: int | None) -> None:
    """Show the code of this table's own match (tiltboard run --game NAME --far PLAYER)."""
    port = load_settings(config).port if port is None else port
    match = ask(port, "GET", "/api/v1/snapshot")["match"]
    if match is None or match["code"] is None:
        raise NotPossibleError(
            "No other table can join this table now.",
            remedy="Begin a game with a player at another table, on the page or with --far.",
        )
    click.echo(match["code"])
    click.echo(qr_terminal(match["code"]))
