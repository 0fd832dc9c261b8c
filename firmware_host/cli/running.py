"""``tiltboard devices``, and a function that sends requests to a running table."""

from __future__ import annotations

import datetime
import http.client
import json
from pathlib import Path
from typing import Any

import click

from tiltboard.firmware_host.cli.cli_output import printable, say
from tiltboard.firmware_host.cli.main import Group
from tiltboard.firmware_host.cli.options import (
    CONFIG,
    PORT,
    SIMULATED,
    STATE,
    games_folder,
)
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.journal.database import sound_date
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.web.pairing import Tokens
from tiltboard.ground.clock import SystemClock

ANSWER_WITHIN_S = 10.0
_START = "Start it with: tiltboard run, or tiltboard sim"


@click.group(
    name="devices", cls=Group, invoke_without_command=True, epilog="Example: tiltboard devices"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@STATE
@SIMULATED
@click.pass_context
def devices(context: click.Context, *, as_json: bool, state: Path | None, simulated: bool) -> None:
    """List the devices that are paired with the table, and until when.

    `tiltboard devices pair` pairs another device, and `tiltboard devices revoke` ends a pairing.
    """
    if context.invoked_subcommand is not None:
        context.default_map = {"revoke": {"state": state, "simulated": simulated}}
        return
    calendar = SystemClock().calendar
    tokens = Tokens(games_folder(state, simulated=simulated, make=False), calendar)
    if not tokens.devices() and not as_json:
        say(text("No device is paired."))
    for device in tokens.devices():
        until_s = sound_date(calendar() + tokens.left_s(device))
        until = datetime.datetime.fromtimestamp(until_s, datetime.UTC).date()
        name = printable(device.name)
        if as_json:
            click.echo(json.dumps({"id": device.id, "name": name, "until": f"{until}"}))
        else:
            click.echo(f"{device.id:>3}  {name}  (until {until})")


@devices.command(epilog="Example: tiltboard devices pair")
@CONFIG
@PORT
def pair(*, config: Path | None, port: int | None) -> None:
    """Show a pairing code to type on the new device.

    The table must be running on this machine, with --host. A code is valid for ten minutes and for
    one device.
    """
    port = load_settings(config).port if port is None else port
    path = "/api/v1/pairing/code"
    said = ask(port, "POST", path, remedy="Start it with: tiltboard run --host 0.0.0.0")
    click.echo(said["code"])


@devices.command(epilog="Example: tiltboard devices revoke 2")
@click.argument("number", metavar="NUMBER|all")
@STATE
@SIMULATED
def revoke(*, number: str, state: Path | None, simulated: bool) -> None:
    """End the pairing of the device with this number, or of all devices."""
    folder = games_folder(state, simulated=simulated, make=False)
    tokens = Tokens(folder, SystemClock().calendar)
    if number != "all":
        tokens.revoke(number)
    elif tokens.devices():
        tokens.revoke_all()
    else:
        say(text("No device is paired."))


def ask(port: int, method: str, path: str, body: str = "", *, remedy: str = "") -> Any:
    """Send a request to the running table and return the decoded answer. Raises NotPossibleError,
    with ``remedy`` as its remedy, if the table does not answer or refuses the request.
    """
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
