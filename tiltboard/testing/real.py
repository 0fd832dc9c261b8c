"""A bench with the real board of this machine, on which a person or a servo acts."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.scenario import by_hand
from tiltboard.firmware_host.table.hands import MAX_OFFSET_MM, MAX_TILT_DEG
from tiltboard.ground.override import override
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.testing.bench import BUTTONS, PIECES, AnyBench, Rgb, plug_of
from tiltboard.testing.subject import NotPossibleHereError, known, number, verb


def request(message: Message) -> str:
    """Return a request to a person, in English and without the full stop at the end."""
    return str(message).removesuffix(".")


def put_request(piece: str, place: str, off_middle: Message | None = None) -> str:
    """Return the request to put one of the ``PIECES`` on a place."""
    strength, _, pole = piece.rpartition("-")
    on = f"{place}, {pole} pole down"
    return request(by_hand.put(f"{strength or 'strong'} piece", on, off_middle))


CLEAR = request(by_hand.CLEAR)
COLOURS: dict[str, Rgb] = {
    "white": (255, 255, 255),
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 128, 0),
}


class Helper(Protocol):
    """A person or device that carries out requests and reports observations."""

    def ask(self, asked: str) -> str:
        """Make a request, and return the typed answer when the request is done. Raises
        NotPossibleHereError if there is no person to answer.
        """


class AtTerminal:
    """A person at the terminal of this process, even if pytest redirects the output."""

    def __init__(self, terminal: Path = Path("/dev/tty")) -> None:
        self._terminal = terminal

    def ask(self, asked: str) -> str:
        """Print the request, and return the line that the person types."""
        # A person can take longer than the time limit of pytest's faulthandler.
        faulthandler.cancel_dump_traceback_later()
        try:
            with self._terminal.open("r") as keys, self._terminal.open("w") as screen:
                screen.write(f"\n  {asked}, then Enter: ")
                screen.flush()
                return keys.readline().strip().lower()
        except OSError:
            raise NotPossibleHereError(
                "Nobody is at a terminal to act as hands and eyes."
            ) from None


class Servo(Protocol):
    """An actuator that puts one piece on one place, such as gpiozero.Servo."""

    def min(self) -> None:
        """Lift the magnet off the plate."""

    def max(self) -> None:
        """Lower the magnet onto its place."""


class ServoHand:
    """A servo that puts a magnet on one place and lifts the magnet again. A person does everything
    else. ``piece`` is the place and the pole, such as "a1, south".
    """

    # Settling time in seconds. An SG90 takes 0.1 s for 60 degrees, and then the magnet swings.
    rest_s = 0.5

    def __init__(
        self,
        helper: Helper,
        servo: Servo,
        piece: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._helper, self._servo, self._sleep = helper, servo, sleep
        place, _, pole = piece.partition(", ")
        self._put = put_request(pole, place)
        self._take = request(by_hand.take(place))
        self._by_hand = True  # Other pieces can be on the plate at the start.

    def ask(self, asked: str) -> str:
        """Carry out the request with the servo, or pass it to the person."""
        if asked == self._put:
            self._servo.max()
        elif asked == self._take:
            self._servo.min()
        elif asked == CLEAR:
            self._servo.min()
            if self._by_hand:
                self._helper.ask(asked)
            self._by_hand = False
        else:
            self._by_hand = self._by_hand or asked.startswith("Put ")
            return self._helper.ask(asked)
        self._sleep(self.rest_s)
        return ""


class RealBench(AnyBench):
    """A bench with the real parts of ``profile`` on ``buses``. ``helper`` carries out all actions
    and observations of a person.
    """

    patience_s = 10.0
    hands_s = 8.0

    def __init__(self, profile: Profile, buses: Buses, helper: Helper) -> None:
        super().__init__(profile, buses, f"{profile.name}, real")
        self._ask = helper.ask

    @verb
    @override
    def clear(self) -> None:
        self._ask(CLEAR)

    @verb
    def put(self, piece: str, place: str, *, east_mm: float = 0.0, north_mm: float = 0.0) -> None:
        """Put a piece on a place, at the given distances from the middle of the place."""
        self.index_of(place)
        for what, mm in (("east_mm", east_mm), ("north_mm", north_mm)):
            number(mm, what, -MAX_OFFSET_MM, MAX_OFFSET_MM)
        off_middle = by_hand.off_middle(self.profile, east_mm, north_mm)
        self._ask(put_request(known(piece, "piece", PIECES), place, off_middle))

    @verb
    @override
    def take(self, place: str) -> None:
        self.index_of(place)
        self._ask(request(by_hand.take(place)))

    @verb
    def tilt(self, *, x_deg: float = 0.0, y_deg: float = 0.0, wait: bool = True) -> None:
        """Tilt the plate and keep it tilted. If ``wait`` is false, the method returns immediately,
        and the movement takes ``hands_s`` seconds.
        """
        for angle in (x_deg, y_deg):
            number(angle, "an angle in degrees", -MAX_TILT_DEG, MAX_TILT_DEG)
        wish = request(by_hand.tilt(self.profile, x_deg, y_deg))
        self._ask(f"Within {self.hands_s:g} s after Enter: {wish}")
        if wait:
            self._advance(self.hands_s)

    @verb
    def hold(self, button: str) -> None:
        """Hold a button down."""
        self._ask(f"Hold {known(button, 'button', BUTTONS)} down until you are told to let go")

    @verb
    @override
    def let_go(self, button: str) -> None:
        self._ask(f"Let {known(button, 'button', BUTTONS)} go")

    @verb
    def unplug(self, part: str) -> None:
        """Pull the plug of a part. Raises NotPossibleHereError for the panel, which has no plug."""
        plug_of(self.profile, part)
        if part == "panel":
            raise NotPossibleHereError(
                "{profile}: the panel has no plug of its own.", profile=self.profile.name
            )
        self._ask(f"Pull the plug of the {part}")

    @verb
    @override
    def plug_in(self, part: str) -> None:
        self._ask(f"Put the plug of the {part} back")

    @contextmanager
    def fault(self, name: str, *targets: str) -> Iterator[None]:
        """Return a context with a fault that corresponds to a pulled plug. Raises
        NotPossibleHereError for any other fault.
        """
        for part, _ in self.profile.parts:
            try:
                found = plug_of(self.profile, part)
            except NotPossibleHereError:
                continue
            if found[0] == name and targets in ((), found[1]):
                with self.unplugged(part):
                    yield
                return
        raise NotPossibleHereError(
            "No hand can make {name} at a real table, or should.", name=" ".join((name, *targets))
        )

    def lit(self) -> dict[str, Rgb]:
        """Return a mapping from the place of each light that is not dark to the light's colour, as
        a person reports it.
        """
        said = self._ask("Which places shine? (a1 white, b1 red / all yellow / none)")
        found: dict[str, Rgb] = {}
        for entry in filter(None, said.replace("none", "").split(",")):
            place, _, colour = entry.strip().partition(" ")
            if colour not in COLOURS:
                raise SimulationError(
                    "{entry!r} is not a place and one of these colours: {known}.",
                    entry=entry,
                    known=", ".join(COLOURS),
                )
            for name in self.profile.places if place == "all" else (place,):
                found[self.profile.places[self.index_of(name)]] = COLOURS[colour]
        return found

    @override
    def state_lines(self) -> Iterable[str]:
        yield from super().state_lines()
        if self.plate.lights is not None:
            shown = self.plate.lights.shown
            sent = {
                place: tuple(shown[3 * at : 3 * at + 3])
                for index, place in enumerate(self.profile.places)
                for at in [self.profile.light_of(index)]
            }
            lit = ", ".join(f"{place} {rgb}" for place, rgb in sent.items() if any(rgb))
            yield f"lights as sent: {lit or 'dark'}"

    def drawn_ma(self) -> float | None:
        """Return the current in mA that a person reads from a meter, or None without a meter."""
        said = self._ask("How many mA do the lights take from their supply? (nothing: no meter)")
        return float(said) if said else None

    def sounds(self) -> bool:
        """Return whether a person hears the buzzer."""
        return self._ask("Does the buzzer sound? (y/n)").startswith("y")
