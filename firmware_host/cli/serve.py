"""``tiltboard sim`` and ``tiltboard run``: start a table and its page, and stop them in the correct
order.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import sys
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from tiltboard.firmware_host.cli.cli_output import log_to_stderr, say, serve_until_told
from tiltboard.firmware_host.cli.hardware import wait_for_table
from tiltboard.firmware_host.cli.options import (
    chosen_game,
    games_folder,
    match_code,
    name_broken_games,
    table_options,
)
from tiltboard.firmware_host.config.errors import NotPossibleError, spoken_by
from tiltboard.firmware_host.config.files import Tell
from tiltboard.firmware_host.config.pi_board import own_board
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings, check_host, load_settings
from tiltboard.firmware_host.host.assemble import open_host
from tiltboard.firmware_host.host.online import Teller, online
from tiltboard.firmware_host.host.pacer import AdaptivePacer, favour_the_scan
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.scenario.trace import Recorder
from tiltboard.firmware_host.service.notify import Heartbeat
from tiltboard.firmware_host.service.qr import qr_terminal
from tiltboard.firmware_host.service.speaker import Speaker
from tiltboard.firmware_host.service.supply import SupplyWatch
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import JoinMatch, ShowCode
from tiltboard.firmware_host.table.problem_messages import part_missing
from tiltboard.firmware_host.web.device_control import UNIT_SOCKET, DeviceControl, Hotspot, PowerOff
from tiltboard.firmware_host.web.guard import Access, machine_names
from tiltboard.firmware_host.web.pairing import Pairing, Tokens
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.ground.clock import SystemClock
from tiltboard.ground.errors import TiltboardError

_log = logging.getLogger(__name__)


class Wanted:
    """The table that the user has requested with the options of ``table_options``.

    ``settings`` include the host and the port given as options. ``state`` is the folder for the
    table's games. ``begin`` is the game to start, or None to resume the last game. ``record`` is
    the file for the sensor readings, and ``join`` is the code of a match with another table.
    """

    def __init__(
        self,
        *,
        config: Path | None,
        profile: str | None,
        state: Path | None,
        host: str | None,
        port: int | None,
        game: str | None,
        options: tuple[str, ...],
        far: tuple[str, ...],
        join: str | None,
        record: Path | None,
        simulated: bool = False,
    ) -> None:
        """Combine the options with the settings. Raises ConfigError, RulesError or
        NotPossibleError.
        """
        self.begin = chosen_game(game, options, far)
        settings = load_settings(config)
        self.settings: Settings = msgspec.structs.replace(
            settings,
            host=check_host(settings.host if host is None else host),
            port=settings.port if port is None else port,
        )
        self.catalogue = spoken_by(settings.language)
        self.profile = load_profile(profile or settings.profile)
        self.state = games_folder(state, simulated=simulated)
        self.record = record
        self.join = None if join is None else match_code(join)


def serve(table: Table, plan: Wanted, *, browser: bool = False) -> int:
    """Run ``table`` and its page until a signal ends the program, and return the exit status. If
    ``browser`` is true and there is a screen, open the page in a browser.

    Raises any error that prevents the start.
    """
    ended = threading.Event()
    log_to_stderr()
    name_broken_games()
    settings = plan.settings
    table.on_stop = ended.set
    with ExitStack() as at_end:  # When the context ends, it closes everything in reverse order.
        if plan.record is not None:
            recorder = Recorder(plan.record)
            table.on_step = recorder.record
            at_end.callback(recorder.close)
        access = access_for(settings, plan.state, table.tell_damaged)
        server = WebServer(table, settings.port, plan.catalogue, host=settings.host, access=access)
        at_end.callback(table.stop)
        at_end.callback(server.stop)
        if settings.speaker is not None:
            speaker = Speaker(settings.speaker, plan.catalogue, table.latest)
            table.subscribe(speaker.look, looks=False)
            at_end.callback(speaker.close)
        telling, missing = _telling(table, plan)
        if telling is not None:
            at_end.callback(telling.close)
        heart = Heartbeat(table.latest, SystemClock())
        table.subscribe(heart.beat, looks=False)
        at_end.callback(heart.stopping)
        table.start()
        if plan.begin is not None and not table.has_begun:
            table.submit(plan.begin).result()
        if plan.join is not None:
            table.submit(JoinMatch(plan.join)).result()
        server.start()
        if telling is not None:
            telling.start()
        for part, what in missing.items():
            _log.warning("%s", what)
            table.call(partial(table.notice, part, what))
        favour_the_scan()
        heart.ready()
        say(text("The table is at {url} (Ctrl-C ends it; the game is kept).", url=server.url))
        # A log must not contain the code of a match.
        match = table.latest().match if sys.stdout.isatty() else None
        if match is not None and match.code is not None:
            say(text("Another table joins with: tiltboard far join {code}", code=match.code))
        if browser and has_screen(sys.platform, os.environ):
            webbrowser.open(server.url)
        if access.machine is not None:
            reach_machine(table, access.machine)
        _let_devices_in(table, access, server.port)
        serve_until_told(ended)
    return 0 if table.failure is None else 1


def _telling(table: Table, plan: Wanted) -> tuple[Teller | None, dict[str, Message]]:
    """Return the object that sends the table's state to spectators and the smart home, and messages
    about missing packages. The object is None if the settings enable neither. Missing packages do
    not prevent the start.
    """
    settings = plan.settings
    if settings.look.show is None and settings.home.discovery is None:
        return None, {}
    try:
        return online().telling(table, settings, plan.state, plan.catalogue), {}
    except TiltboardError as error:
        return None, {"broadcast": part_missing([error])}


def has_screen(system: str, environment: Mapping[str, str]) -> bool:
    """Return whether a browser would open in a window. If not, the browser would open in the
    terminal.
    """
    named = any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return named or system in ("darwin", "win32")


def access_for(settings: Settings, state: Path, tell: Tell | None = None) -> Access:
    """Return the access rights to the page according to the settings, with the link for spectators
    if there is one. ``tell`` is called with a message if a file is damaged.
    """
    clock, path, look = SystemClock(), os.environ.get(UNIT_SOCKET), None
    pairing = Pairing(Tokens(state, clock.calendar, tell), clock)
    machine = None if path is None else DeviceControl(path, state, pairing.confirming, clock)
    if settings.look.show is not None and settings.look.club is not None:
        # The table itself reports that the package for spectators is missing. If the package is
        # missing, there are no spectators.
        with suppress(NotPossibleError):
            look = f"{settings.look.club.rstrip('/')}/look/{online().look_key(state)}"
    names, watching = machine_names(settings.names), settings.watching == "open"
    if ipaddress.ip_address(settings.host).is_loopback:
        return Access(None, names, watching=watching, machine=machine, look=look, closed=pairing)
    return Access(pairing, names, watching=watching, machine=machine, look=look)


def reach_machine(table: Table, machine: DeviceControl) -> None:
    """Make the table's menu, and a long press of the back button, send requests to the Pi."""

    def tell(what: Message | None) -> None:
        table.call(lambda: table.notice("machine", what))

    def show() -> None:
        own = machine.ask(Hotspot())
        if own.name is None or own.password is None:
            raise NotPossibleError("The table has no Wi-Fi of its own: run tiltboard hotspot.")
        if not own.password.isascii() or not own.password.isdigit():
            raise NotPossibleError("The lights show digits alone: the page shows this password.")
        number = re.sub(r"(?a).*?(\d*)$", r"\1", own.name)
        table.submit(ShowCode(f"{number} {own.password}".lstrip()))

    machine.tell = tell
    table.subscribe(machine.tidy, looks=False)
    machine.confirming.show = table.ask_for_press
    table.may_power_off(lambda: machine.do(lambda: machine.ask(PowerOff()), tell))
    table.offer("wifi", text("Show the Wi-Fi's password"), lambda: machine.do(show, tell))
    left = machine.update_failure()
    if left is not None:
        tell(left)


def show_codes(table: Table, pairing: Pairing) -> None:
    """Show a pairing code on the table's lights when a user requests a code on a page or at the
    table.
    """

    def show(code: str | None) -> None:
        table.submit(ShowCode(code))

    def ask() -> None:
        pairing.open()

    pairing.on_code = show
    pairing.confirming.show = table.ask_for_press
    table.offer("pairing", text("Pair a device"), ask)


def _let_devices_in(table: Table, access: Access, port: int) -> None:
    """Print how other devices can open the page, and show pairing codes on the table's lights."""
    closed = access.closed
    if access.pairing is not None:
        show_codes(table, access.pairing)
        _say_network(access.pairing, port)
    elif closed is not None:
        access.on_let_in.append(lambda _: show_codes(table, closed))
        say(text("Phones: press Let phones in on the page, or start it with --host 0.0.0.0."))


def _say_network(pairing: Pairing, port: int) -> None:
    url = f"http://{machine_names()[1]}:{port}/"
    say(text("Other devices reach it at {url} or by this machine's address.", url=url))
    if sys.stdout.isatty():  # A phone can scan the QR code from the terminal.
        click.echo(qr_terminal(url))
    if not pairing.tokens.devices():
        # The log shows this pairing code, which is for the first device.
        pairing.open(at_table=False)


@click.command(name="run", epilog="Example: tiltboard run --profile plate-10")
@table_options
def run(**asked: Any) -> None:
    """Run the table that is wired to this machine, and its page.

    If there is no table, the command prints what is missing, and how to simulate a table.
    """
    plan = Wanted(**asked)
    clock = SystemClock()
    with own_board(plan.profile.needs(), clock) as buses:
        wait_for_table(plan.profile, buses, clock)
        pacer = AdaptivePacer(clock, plan.profile.scans_per_s)
        table = Table(
            lambda: open_host(plan.profile, buses, plan.state, plan.settings, plan.begin),
            pacer.wait,
            clock,
        )
        pacer.tell = table.scans_at
        table.subscribe(SupplyWatch(clock, table.notice), looks=False)
        sys.exit(serve(table, plan))


@click.command(name="sim", epilog="Example: tiltboard sim --port 8080")
@table_options
@click.option(
    "--seed", default=1, show_default=True, help="Seed of the simulated table and its hands."
)
@click.option(
    "--physics/--no-physics",
    default=None,
    help="Let pieces slide, tip and fall, or stay in place. Default: they fall where"
    " the extra physics is installed.",
)
@click.option(
    "--open", "browser", is_flag=True, help="Open the page in a browser, if there is one."
)
def sim(*, seed: int, physics: bool | None, browser: bool, **asked: Any) -> None:
    """Play on the simulated table: open the page that it names.

    The games are stored apart from the games of a real table, and resume where they stopped.
    """
    from tiltboard.firmware_host.engines.search.compiled import compiled_search
    from tiltboard.hw_sim.physics import has_physics, world_class
    from tiltboard.hw_sim.session.live import LiveTable

    if physics is None:
        physics = has_physics()
        if not physics:
            say(
                text("Pieces do not slide or fall here: the extra physics is not installed."),
                err=True,
            )
    plan = Wanted(**asked, simulated=True)
    live = LiveTable(
        plan.profile,
        plan.state,
        plan.settings,
        first_game=plan.begin,
        seed=seed,
        world=world_class(physics=physics),
    )
    # If a browser is opened, a person will play, so compile the search in the background.
    compiled = compiled_search() if browser else None
    compiling = None if compiled is None else compiled.compile_quietly()
    try:
        sys.exit(serve(live.table, plan, browser=browser))
    finally:
        if compiling is not None:
            compiling.terminate()
            compiling.wait()
