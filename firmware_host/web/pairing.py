"""Pairing of devices that may control the table: pairing codes, and the tokens of paired
devices.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.config.files import (
    DAMAGE,
    Tell,
    keep_aside,
    read_file,
    read_kept,
    unsealed,
    write_kept,
)
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.web.limits import Rate
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

TOKENS_NAME = "paired.json"
DAYS_NAME = "days.json"
TOKEN_BYTES = 16
DAY_S = 86_400.0
TOKEN_LASTS_S = 90 * DAY_S
MAX_DEVICES = 32

_log = logging.getLogger(__name__)


class Device(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paired device. Times are in seconds since 1970."""

    id: str
    name: str
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the device's token, in hexadecimal."""
    paired_s: float
    expires_s: float
    """Time at which the pairing expires, in seconds. The time is measured on the table's counter of
    days of use (DAYS_NAME), not on the calendar.
    """


class _Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A counter of the days on which the table was used, stored as a date."""

    day: int | None = None
    """The calendar day of the last check, in days since 1970-01-01, or None before the first
    check.
    """
    date_s: float = 0.0


class Tokens:
    """The list of paired devices, stored in the state folder. Another process can revoke a pairing
    at any time.

    A pairing expires after a number of days on which the table is used. Days of use are counted
    because the calendar of a Pi jumps by months when the time is set from the network. A jump
    forward counts as one day, and a jump back does not count.
    """

    def __init__(
        self, folder: Path, calendar: Callable[[], float], tell: Tell | None = None
    ) -> None:
        """Use the list in ``folder``. ``calendar`` returns the time in seconds since 1970.
        ``tell``: function that is called with a message if the file is damaged, or None.
        """
        self._path = folder / TOKENS_NAME
        self._calendar = calendar
        self._tell = tell
        self._read_at: tuple[int, int, int] | None = None
        self._devices: tuple[Device, ...] = ()
        self._counted = _Counted()

    def devices(self) -> tuple[Device, ...]:
        """Return the devices whose pairing has not expired, oldest first. Empty if the list is
        damaged.

        Raises ConfigError if the list cannot be read and ``tell`` is None.
        """
        version = None
        try:
            found = self._path.stat()
            version = (found.st_ino, found.st_mtime_ns, found.st_size)
            if version != self._read_at:
                content = unsealed(read_file(self._path))
                self._devices = msgspec.json.decode(content, type=tuple[Device, ...])
            self._read_at = version
        except FileNotFoundError:
            self._read_at, self._devices = None, ()
        except (OSError, *DAMAGE) as error:
            if isinstance(error, OSError) and self._tell is None:
                raise ConfigError(
                    "The list of paired devices, {path}, cannot be read: {why}.",
                    remedy="Run this as the table's user.",
                    path=self._path,
                    why=error.strerror,
                ) from error
            _log.warning("%s is damaged (%s): no device is paired any more", self._path, error)
            self._read_at, self._devices = version, ()
            if self._tell is not None:
                keep_aside(self._path, self._tell)
        now_s = self._now_s()
        return tuple(device for device in self._devices if device.expires_s > now_s)

    def left_s(self, device: Device) -> float:
        """Return the time in seconds until the device's pairing expires. Days on which the table is
        not used do not count.
        """
        return device.expires_s - self._now_s()

    def _now_s(self) -> float:
        day = int(self._calendar() // DAY_S)
        if day == self._counted.day:
            return self._counted.date_s
        path = self._path.with_name(DAYS_NAME)
        before = read_kept(path, _Counted, "pairings last a little longer", self._tell)
        if before.day is None:
            date_s = max((each.paired_s for each in self._devices), default=self._calendar())
        else:
            date_s = before.date_s + (DAY_S if day > before.day else 0.0)
        self._counted = _Counted(day, date_s)
        if self._devices and before != self._counted:
            try:
                write_kept(path, self._counted)
            # The SD card has failed, or the file belongs to another user. In both cases pairings
            # last longer, which does no harm.
            except OSError as error:
                _log.info("%s cannot be written: %s", path, error)
        return date_s

    def pair(self, name: str, token: str | None = None) -> str:
        """Pair a device called ``name`` and return its token. If ``token`` is None, a new token is
        created. Raises NotPossibleError if MAX_DEVICES devices are paired.
        """
        devices = self.devices()
        if len(devices) >= MAX_DEVICES:
            raise NotPossibleError(
                "{count} devices are paired already.",
                remedy="Revoke one at the table: tiltboard devices revoke.",
                count=MAX_DEVICES,
            )
        token, now_s = token or new_token(), self._now_s()
        taken = {device.id for device in devices}
        number = next(str(n) for n in range(1, MAX_DEVICES + 1) if str(n) not in taken)
        expires_s = now_s + TOKEN_LASTS_S
        self._write((*devices, Device(number, name, digest_of(token), round(now_s), expires_s)))
        return token

    def knows(self, digest: str) -> bool:
        """Return whether a paired device has a token with this digest."""
        return any(secrets.compare_digest(device.digest, digest) for device in self.devices())

    def name_of(self, digest: str | None) -> str | None:
        """Return the name of the device whose token has this digest, or None if no such device is
        paired.
        """
        return next((each.name for each in self.devices() if each.digest == digest), None)

    def revoke(self, number: str) -> None:
        """End the pairing of a device immediately. Raises NotPossibleError if no device has this
        number.
        """
        devices = self.devices()
        if number not in {device.id for device in devices}:
            raise NotPossibleError(
                "No device is paired as {number}.",
                remedy="See which are with: tiltboard devices",
                number=number,
            )
        self._write(tuple(device for device in devices if device.id != number))

    def revoke_all(self) -> None:
        """End the pairings of all devices."""
        if self._path.exists():
            self._write(())

    def _write(self, devices: tuple[Device, ...]) -> None:
        write_kept(self._path, devices, indent=2)


def new_token() -> str:
    """Return a new random token. The token gives no rights until a device is paired with it."""
    return secrets.token_hex(TOKEN_BYTES)


def digest_of(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal. A token has 128 random bits, so a slower hash
    function is not necessary.
    """
    return hashlib.sha256(token.encode()).hexdigest()


CODE_DIGITS = 6
CODE_LASTS_S = 600.0
# Maximum time to wait for a press of confirm, in seconds. The lights show the code for the same
# time.
JOIN_LASTS_S = 60.0
JOIN_NUMBERS = 100
# Maximum number of refused requests from devices that want to become the first paired device. After
# this number, further requests do not interrupt the game.
MAX_SENT_AWAY = 5
# Maximum number of pairing codes that all devices together can try per minute.
TRIES_PER_MINUTE = 30
# Maximum number of pairing codes that one device can try per minute. The limit leaves tries for
# other devices.
TRIES_PER_ADDRESS = 3
# Maximum number of requests per minute and address to become the first device.
JOINS_PER_ADDRESS = 3


class WrongCodeError(TiltboardError, PermissionError):
    """Raised if the code is not the code shown at the table, or if the table shows no code."""


class TooManyTriesError(TiltboardError, PermissionError):
    """Raised if pairing codes are tried too often. The code of such a request is not checked."""


class Confirming:
    """Asks people to confirm one request at a time with the confirm button. The lights and the
    requesting device show the same number.

    ``show`` displays the request and waits for the button, or is None if there is no button.
    ``draw`` returns an unpredictable number below its argument.
    """

    def __init__(self, clock: Clock, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._clock = clock
        self._draw = draw
        self._until_s = 0.0
        self.show: Callable[[Message, str, Callable[[bool], None]], None] | None = None

    def ask(self, what: Message, answered: Callable[[bool], None]) -> str:
        """Ask people to press confirm, and return the number that the lights show. ``answered`` is
        called with True if confirm was pressed. Raises NotPossibleError if another request is
        waiting for the button, or if there is no button.
        """
        now_s = self._clock.now()
        if self.show is None or now_s < self._until_s:
            raise NotPossibleError(
                "Another device asks for a press just now.", remedy="Try again in a minute."
            )
        self._until_s = now_s + JOIN_LASTS_S

        def ended(confirmed: bool) -> None:
            self._until_s = 0.0
            answered(confirmed)

        number = f"{self._draw(JOIN_NUMBERS):02}"
        self.show(what, number, ended)
        return number


class Pairing:
    """The open pairing code, if any, and the paired devices.

    A code is opened at the table. The code expires after ten minutes or when it is first used. Each
    device can try three codes a minute, and all devices together can try thirty. So at most 330 of
    a million codes can be tried before the code expires. The QR code contains a secret of 128 bits
    instead of the code. The secret cannot be guessed, so the limits do not apply to it.

    ``on_code`` is called with the code to show, or with None to stop showing a code.
    """

    def __init__(
        self, tokens: Tokens, clock: Clock, draw: Callable[[int], int] = secrets.randbelow
    ) -> None:
        """Set up pairing. ``tokens``: the list in which the paired devices are stored. ``draw``:
        function that returns an unpredictable number below its argument.
        """
        self.tokens = tokens
        self._clock = clock
        self._draw = draw
        self.on_code: Callable[[str | None], None] = lambda _: None
        self.confirming = Confirming(clock, draw)
        self._sent_away = 0  # Number of requests that were refused since a code was last opened.
        self._code = self._secret = ""
        self._ends_s = 0.0
        self._joins = Rate(clock.now, JOINS_PER_ADDRESS / 60, JOINS_PER_ADDRESS)
        all_together = (TRIES_PER_MINUTE / 60, TRIES_PER_MINUTE)
        self._tries = Rate(clock.now, TRIES_PER_ADDRESS / 60, TRIES_PER_ADDRESS, all_together)

    def open(self, *, at_table: bool = True) -> str:
        """Open a new code and return it; the previous code becomes invalid. The code is also
        written to the log and, unless ``at_table`` is False, shown by the lights.
        """
        self._sent_away = 0
        self._code = f"{self._draw(10**CODE_DIGITS):0{CODE_DIGITS}}"
        self._secret = new_token()
        self._ends_s = self._clock.now() + CODE_LASTS_S
        minutes = round(CODE_LASTS_S / 60)
        _log.info("To pair a device, type %s there within %d minutes.", self._code, minutes)
        if at_table:
            self.on_code(self._code)
        return self._code

    @property
    def code(self) -> str | None:
        """The open code, or None if no code is open."""
        return self._code if self._code and self._clock.now() < self._ends_s else None

    @property
    def secret(self) -> str:
        """The secret in the newest QR code, which a device can send in place of the code."""
        return self._secret

    @property
    def takes_first(self) -> bool:
        """True if a press of the button can admit the first device. This requires that no device is
        paired and that few requests were refused.
        """
        asked = self.confirming.show is not None and self._sent_away < MAX_SENT_AWAY
        return asked and not self.tokens.devices()

    def join(self, name: str, address: str) -> tuple[str, str]:
        """Ask people at the table to admit the first device. Return the token that becomes valid
        when confirm is pressed, and the number to compare with the lights.

        Raises NotPossibleError if a device is already paired or another device is asking. Raises
        TooManyTriesError if this address has sent too many requests.
        """
        _check(self._joins, address)
        if not self.takes_first:
            raise NotPossibleError(
                "Nobody let in those who asked last."
                if self._sent_away >= MAX_SENT_AWAY
                else "The table knows a device already.",
                remedy="Pair this one with a code.",
            )
        name = "".join(each if each.isprintable() else " " for each in name)
        token = new_token()

        def answered(confirmed: bool) -> None:
            self._sent_away += not confirmed
            if confirmed and self.takes_first:
                try:
                    self.tokens.pair(name, token)
                # An SD card error must not stop the game.
                except (OSError, TiltboardError) as error:
                    _log.error("%r could not be paired: %s", name, error)
                    return
                _log.info("Paired by a press at the table: %r", name)

        asked = text(
            "{name} wants to join: press confirm if it shows the number that the lights show.",
            name=name,
        )
        return token, self.confirming.ask(asked, answered)

    def redeem(self, code: str, name: str, address: str) -> str:
        """Return a token in exchange for ``code``, which is a pairing code or the secret of a QR
        code. ``address`` is the address of the device that sends the code.

        Raises WrongCodeError, TooManyTriesError or NotPossibleError.
        """
        wanted, tried = self.code, code.encode()
        pictured = wanted is not None and secrets.compare_digest(self._secret.encode(), tried)
        if not pictured:
            _check(self._tries, address)
        if wanted is None or not (pictured or secrets.compare_digest(wanted.encode(), tried)):
            _log.warning("A device that called itself %r gave a wrong code", name)
            raise WrongCodeError(
                "That is not the code that the table shows.",
                remedy="Have a new one shown at the table: press Pair a device on its own page,"
                " or run: tiltboard devices pair",
            )
        token = self.tokens.pair(name)
        self._code = ""
        self.on_code(None)
        _log.info("Paired: %r", name)
        return token


def _check(rate: Rate, address: str) -> None:
    if not rate.take(address):
        raise TooManyTriesError(
            "Too many codes were tried.", remedy="Wait a minute, then try again."
        )
