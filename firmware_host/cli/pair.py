"""``tiltboard pair``, ``sticker`` and ``join``: a code for another device, who is paired, the way
in, and a match with another table.
"""

from __future__ import annotations

import datetime
import http.client
import json
import os
from pathlib import Path
from typing import Any

import click

from tiltboard.drivers.clock import SystemClock
from tiltboard.firmware_host.cli.hotspot import FOLDER, hotspot_of
from tiltboard.firmware_host.cli.options import (
    CONFIG,
    PORT,
    SIMULATED,
    STATE,
    games_folder,
    match_code,
)
from tiltboard.firmware_host.cli.speech import printable, say
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.journal.database import sound_date
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.service.qr import qr_sheet, qr_terminal, wifi_code
from tiltboard.firmware_host.web.guard import machine_names
from tiltboard.firmware_host.web.pairing import Tokens

ANSWER_WITHIN_S = 10.0
_START = "Start it with: tiltboard run, or tiltboard sim"


@click.command(name="pair", epilog="Example: tiltboard pair")
@click.option("--list", "listing", is_flag=True, help="List the devices that are paired.")
@click.option("--revoke", metavar="NUMBER", help="End the pairing of that device, or of `all`.")
@CONFIG
@PORT
@STATE
@SIMULATED
def command(
    *,
    listing: bool,
    revoke: str | None,
    config: Path | None,
    port: int | None,
    state: Path | None,
    simulated: bool,
) -> None:
    """Show a code, to be typed on the device that is to play here.

    The table must be running on this machine, with --host. A code is good for ten minutes and for
    one device.
    """
    if listing or revoke is not None:
        folder = games_folder(state, simulated=simulated, make=False)
        calendar = SystemClock().calendar
        tokens = Tokens(folder, calendar)
        if not tokens.devices() and revoke in (None, "all"):
            say(text("No device is paired."))
        elif revoke == "all":
            tokens.revoke_all()
        elif revoke is not None:
            tokens.revoke(revoke)
        for device in tokens.devices() if listing else ():
            until_s = sound_date(calendar() + tokens.left_s(device))
            until = datetime.datetime.fromtimestamp(until_s, datetime.UTC).date()
            ends = str(text("(until {day})", day=until))
            click.echo(f"{device.id:>3}  {printable(device.name)}  {ends}")
        return
    port = load_settings(config).port if port is None else port
    path = "/api/v1/pairing/code"
    said = _ask(port, "POST", path, remedy="Start it with: tiltboard run --host 0.0.0.0")
    click.echo(said["code"])


@click.command(name="sticker", epilog="Example: tiltboard sticker > sticker.html")
@click.option(
    "--name", help="Name by which the network knows the table. Default: this machine's name."
)
@CONFIG
@PORT
def sticker(*, name: str | None, config: Path | None, port: int | None) -> None:
    """Print a sheet, HTML for a browser to print, that leads phones' cameras to the page.

    As root, where there is a `tiltboard hotspot`, into its Wi-Fi too.
    """
    port = load_settings(config).port if port is None else port
    url = f"http://{name or machine_names()[1]}" + ("/" if port == 80 else f":{port}/")
    # None but root may know the table's Wi-Fi
    wifi = hotspot_of(FOLDER) if os.access(FOLDER, os.R_OK) else None
    figures = [] if wifi is None else [(wifi_code(*wifi), str(text("Wi-Fi")), " ".join(wifi))]
    figures += [(url, str(text("The table's page")), url)]
    click.echo(qr_sheet(str(text("The table's page")), figures), nl=False)


@click.command(name="join", epilog="Example: tiltboard join 7KQ2M-XWD9F")
@click.argument("code", required=False)
@click.option(
    "--level", type=click.IntRange(1, 10), help="Let the computer play here, at this level."
)
@click.option("--leave", is_flag=True, help="End the match; its game goes on at this table.")
@CONFIG
@PORT
def join(
    *, code: str | None, level: int | None, leave: bool, config: Path | None, port: int | None
) -> None:
    """Have the running table play with the one that shows CODE; write - to be asked for it.

    Without CODE, show the code of this table's own match (tiltboard run --game NAME --far PLAYER).
    """
    port = load_settings(config).port if port is None else port
    if leave:
        _ask(port, "POST", "/api/v1/command", json.dumps({"type": "leave-match"}))
        return
    if code is not None:
        asked = {"type": "join-match", "code": match_code(code), "level": level}
        _ask(port, "POST", "/api/v1/command", json.dumps(asked))
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


def _ask(port: int, method: str, path: str, body: str = "", *, remedy: str = "") -> Any:
    """What the running table answers. Raises NotPossibleError; ``remedy``: if it refuses, too."""
    table = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_WITHIN_S)
    try:
        table.request(method, path, body or None, {"content-type": "application/json"})
        answer = table.getresponse()
        said = json.loads(answer.read())
        refused = None if answer.status == 200 else str(said["error"])
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        raise NotPossibleError(
            "No table answers at port {port}.", remedy=remedy or _START, port=port
        ) from error
    finally:
        table.close()
    if refused is not None:
        raise NotPossibleError("{why}", remedy=remedy, why=refused)
    return said
