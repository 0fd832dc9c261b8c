"""Checks that play games, with the installed service's Python, through the kernel and the page."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from plan import ENV, INSTALLED, as_pi, doctor, run
from service_table import PAGE, UNIT, ServiceSession, shown, wait_until

import tiltboard.firmware_host
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.table.commands import NewGame, SeatBot
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

SCENARIOS = Path(__file__).resolve().parents[3] / "sim/scenarios"
STATE = "/var/lib/tiltboard"
WHOLE_GAMES = ("over", "attraktion-over", "gravity-connect-over", "gravity-trap-over")
OF_SEATS = {"mode": "simple", "players": 2, "rounds": 1}
OPENING = ["game momentum pie=false", "put red d4", "put blue a1", "expect to-move red"]
OPENED = ["d4", "a1"]
NEWER = "# newer"
# The table does not accept immediately that all pieces vanish together.
READY = "expect within 5s phase turn"


class Playing:
    """The session that all checks of a plan share; the first check opens it."""

    session: ServiceSession | None = None


def session() -> ServiceSession:
    if Playing.session is None:
        wait_until("service", lambda: shown("ActiveState") == "active")
        Playing.session = ServiceSession()
    return Playing.session


def play(lines: list[str]) -> int:
    """Play scenario steps on the installed table. Raises AssertionError if a step fails."""
    runner = ScenarioRunner(SimulatedHands(session()))  # type: ignore[arg-type]
    steps = "\n".join(f"{line}\n{READY}" if line.startswith("game ") else line for line in lines)
    done = 0
    for report in runner.run(parse_scenario("kernel", steps)):
        assert report.failure is None, f"{report.step.text}: {report.failure}"
        done += 1
    return done


def game(name: str) -> Callable[[], str]:
    def whole_game() -> str:
        return f"{play((SCENARIOS / f'{name}.scenario').read_text().splitlines())} steps"

    whole_game.__name__ = f"plays {name}"
    return whole_game


def plays_gravity_warfare() -> str:
    """Bots have the seats; the simulated player puts their pieces and presses the button."""
    table, done, by_hand = session(), (0, ""), 0
    table.hands.set_up({})  # Remove the pieces of the previous game.
    table.host.do(NewGame("gravity-warfare", OF_SEATS))
    for player in table.host.game.players:
        table.host.do(SeatBot(player, "easy"))
    while table.host.snapshot.game.result is None:
        table.host.refresh(1.0)
        wish = (len(table.host.snapshot.game.moves), asked_of_hands())
        if wish[1] and wish != done:
            done, by_hand = wish, by_hand + 1
            _, what, _, *where = wish[1].split(":")
            if what == "place" and len(where) == 2:
                put_into(*where)
                wait_until("what was put is seen", lambda: asked_of_hands(seen=True) is not None)
            table.hands.press("confirm", 0.2)
    return f"{len(moves())} moves, {by_hand} by hand"


def asked_of_hands(*, seen: bool = False) -> str | None:
    """Return the move that the hands must make, or None. ``seen``: whether the sensors must have
    detected it.
    """
    session().host.refresh()
    room = session().host.snapshot.seats
    return None if room is None or (seen and not room.seen) else room.proposal


def put_into(troop: str, zone: str) -> None:
    """Put a troop on the first place of a zone that has space."""
    overlay = session().host.overlay
    for place in overlay.zones[zone]:
        with contextlib.suppress(SimulationError):
            session().hands.put(troop.partition("+")[0], overlay.index_of(place))
            return


def opened() -> None:
    """Start a game with two moves, unless it is in progress."""
    if phase() != "turn" or moves() != OPENED:
        play(OPENING)


def phase() -> str:
    session().host.refresh()
    return str(session().host.status.phase)


def moves() -> list[str]:
    session().host.refresh()
    return list(session().host.snapshot.game.moves)


# Checks of the service.


def the_unit_has_started_it() -> str:
    session()
    return shown("StatusText")


def the_page_answers() -> str:
    with urlopen(f"http{PAGE}/") as answer:  # noqa: S310
        page = answer.read().decode()
    assert "<title>" in page
    return f"{len(page)} characters"


def the_lights_shine() -> str:
    play(OPENING)
    wanted = bytes.fromhex(session().host.snapshot.plate.lights)
    assert any(wanted)
    shine = session().world.lights
    wait_until("lights", lambda: b"".join(map(bytes, shine())) == wanted)
    return f"{sum(map(bool, wanted))} channels lit"


# Checks with faults in the kernel.


def fault(name: str, broken: Callable[[], None], mended: Callable[[], None]) -> Callable[[], str]:
    def pauses_and_goes_on() -> str:
        opened()
        broken()
        try:
            wait_until(f"pause by {name}", lambda: phase() == "paused")
            said = session().host.status.say
        finally:
            mended()
        wait_until(f"play after {name}", lambda: phase() == "turn")
        assert moves() == OPENED
        return str(said)

    pauses_and_goes_on.__name__ = f"{name} pauses it, and it goes on"
    return pauses_and_goes_on


def write(path: str, text: str) -> Callable[[], None]:
    return lambda: void(Path(path).write_text(text))


def void(_: object) -> None:
    return


def restart_after(mode: int) -> Callable[[], None]:
    def restart() -> None:
        Path("/dev/spidev1.0").chmod(mode)
        run("systemctl", "restart", UNIT)

    return restart


SPIDEV = "/sys/bus/spi/drivers/spidev"
KERNEL_FAULTS = (
    fault(
        "unbinding spidev1.0",
        write(f"{SPIDEV}/unbind", "spi1.0"),
        write(f"{SPIDEV}/bind", "spi1.0"),
    ),
    fault(
        "unbinding spidev0.0",
        write(f"{SPIDEV}/unbind", "spi0.0"),
        write(f"{SPIDEV}/bind", "spi0.0"),
    ),
    fault(
        "a device file that may not be opened",
        restart_after(0),
        lambda: Path("/dev/spidev1.0").chmod(0o660),
    ),
)


# Checks of the process.


def kill_loses_nothing() -> None:
    play([*OPENING, "kill", "expect to-move red", "expect cells d4=red a1=blue"])
    assert moves() == OPENED


def watchdog_ends_a_stalled_loop() -> str:
    opened()
    pid = int(shown("MainPID"))
    session().dies(lambda: os.kill(pid, signal.SIGSTOP))
    log = run("journalctl", "--unit", UNIT, "--output=cat")
    assert "atchdog timeout" in log, log[-2000:]
    assert moves() == OPENED
    return next(line for line in log.splitlines() if "atchdog timeout" in line)


def update_keeps_the_game() -> None:
    opened()
    as_pi(f"echo '{NEWER}' >> firmware_host/__init__.py")  # The version stays the same.
    backup = "/payload/before-update.backup"
    run(INSTALLED, "backup", backup, "--state", STATE)
    as_pi("sudo --preserve-env=PIP_NO_INDEX,PIP_FIND_LINKS make install-service")
    wait_until("service", lambda: shown("ActiveState") == "active")
    assert NEWER in Path(tiltboard.firmware_host.__file__).read_text()
    assert moves() == OPENED
    play(["put red g7", "expect to-move blue"])
    run("systemctl", "stop", UNIT)
    run(INSTALLED, "restore", backup, "--state", STATE)
    run("chown", "-R", "tiltboard:", STATE)
    run("systemctl", "start", UNIT)
    assert moves() == OPENED


def plays_over_rpi_gpio() -> str:
    """The table plays a game with gpiozero's other pin factory (rpi-lgpio), and then uses the first
    again.
    """
    run(
        f"{Path(INSTALLED).parent}/pip",
        "install",
        "--quiet",
        "--no-deps",
        "rpi-lgpio",
        env=os.environ | ENV,
    )
    setting = Path(f"/run/systemd/system/{UNIT}.d/factory.conf")
    setting.parent.mkdir(parents=True)
    setting.write_text("[Service]\nEnvironment=GPIOZERO_PIN_FACTORY=rpigpio\n")
    try:
        began_again()
        environment = Path(f"/proc/{shown('MainPID')}/environ").read_text()
        assert "GPIOZERO_PIN_FACTORY=rpigpio" in environment
        steps = play((SCENARIOS / "over.scenario").read_text().splitlines())
        return f"{steps} steps"
    finally:
        setting.unlink()
        began_again()


def began_again() -> None:
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", UNIT)
    wait_until("service", lambda: shown("ActiveState") == "active")
    session().host.refresh()


def doctor_finds_no_problem_while_it_runs() -> None:
    problems = doctor(INSTALLED, "doctor", "--json", "--state", STATE)
    assert not problems, problems


def scans_as_often_as_its_profile_says() -> str:
    profile, world = session().profile, session().world
    inputs = profile.size + len(profile.hall.spares)
    before, began = world.conversions(), time.monotonic()
    time.sleep(4)
    rate = (world.conversions() - before) / inputs / (time.monotonic() - began)
    assert abs(rate - profile.scans_per_s) < 1, rate
    return f"{rate:.1f} scans/s"


def waits_for_the_plug() -> None:
    play(OPENING)
    assert moves() == OPENED
    print("PULL-THE-PLUG", flush=True)
    time.sleep(60)


def nothing_confirmed_is_lost() -> None:
    wait_until("service", lambda: shown("ActiveState") == "active")
    assert moves() == OPENED


PLANS: dict[str, tuple[Callable[[], object], ...]] = {
    "play": (
        the_unit_has_started_it,
        the_page_answers,
        the_lights_shine,
        *map(game, WHOLE_GAMES),
        plays_gravity_warfare,
        *KERNEL_FAULTS,
        kill_loses_nothing,
        watchdog_ends_a_stalled_loop,
        update_keeps_the_game,
        plays_over_rpi_gpio,
        doctor_finds_no_problem_while_it_runs,
        scans_as_often_as_its_profile_says,
        waits_for_the_plug,
    ),
    "after-cut": (nothing_confirmed_is_lost,),
}
