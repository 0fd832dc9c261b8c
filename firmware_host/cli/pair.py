"""``tiltboard pair`` and ``sticker``: a code for another device, who is paired, and the way in."""

from __future__ import annotations

import datetime
import http.client
import json
import os
from pathlib import Path
from typing import Any

import click

from drivers.clock import SystemClock
from firmware_host.cli.hotspot import FOLDER, hotspot_of
from firmware_host.cli.options import CONFIG, PORT, SIMULATED, STATE, games_folder
from firmware_host.cli.speech import printable, say, words
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.settings import load_settings
from firmware_host.messages import Message, text
from firmware_host.web.guard import machine_names
from firmware_host.web.pairing import Tokens
from firmware_host.web.qr import qr_sheet, wifi_code

ANSWER_WITHIN_S = 10.0


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
        tokens = Tokens(
            games_folder(state, simulated=simulated, make=False), SystemClock().calendar
        )
        if not tokens.devices() and revoke in (None, "all"):
            say(text("No device is paired."))
        elif revoke == "all":
            tokens.revoke_all()
        elif revoke is not None:
            tokens.revoke(revoke)
        devices = tokens.devices()
        for device in devices if listing else ():
            until = datetime.datetime.fromtimestamp(device.expires_s, datetime.UTC).date()
            ends = words(text("(until {day})", day=until))
            click.echo(f"{device.id:>3}  {printable(device.name)}  {ends}")
        return
    click.echo(_open_code(load_settings(config).port if port is None else port))


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
    figures = [] if wifi is None else [(wifi_code(*wifi), words(text("Wi-Fi")), " ".join(wifi))]
    figures += [(url, words(text("The table's page")), url)]
    click.echo(qr_sheet(words(text("The table's page")), figures), nl=False)


def _open_code(port: int) -> str:
    """Ask the running table for a code. Raises NotPossibleError."""
    said = ask_table(
        port, "POST", "/api/v1/pairing/code", remedy="Start it with: tiltboard run --host 0.0.0.0"
    )
    return str(said["code"])


def ask_table(port: int, method: str, path: str, body: str = "", *, remedy: str) -> Any:
    """What the running table answers. Raises NotPossibleError."""
    table = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_WITHIN_S)
    try:
        table.request(method, path, body or None, {"content-type": "application/json"})
        answer = table.getresponse()
        said = json.loads(answer.read())
        if answer.status == 200:
            return said
        why: Message | str = str(said["error"])
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        why = text("No table answers at port {port}.", port=port)
    finally:
        table.close()
    raise NotPossibleError("{why}", remedy=remedy, why=why)
