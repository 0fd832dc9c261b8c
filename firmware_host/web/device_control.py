"""Requests to the Pi's operating system: join a Wi-Fi network, install an update, return to the
previous version, shut down.

A paired device sends the request, and a person confirms the request with the button on the table.
The table's service has no right to carry out such requests. The service therefore passes each
request to a privileged program that does nothing else (``tiltboard.firmware_host.cli.machine``).
Only the service's user can open the socket to this program.
"""

from __future__ import annotations

import logging
import math
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.web.pairing import Confirming
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

UNIT_SOCKET = "TILTBOARD_MACHINE_SOCKET"
FAILED = Path("/run/tiltboard-machine/failed")
"""File with the error message of an update that ended while the service was not running."""
SENT_NAME = "sent.update"  # Name of the received update file in the table's folder.
MAX_SENT_BYTES = 400_000_000
MIN_FREE_BYTES = 100_000_000
"""Minimum free space, in bytes, that a received file must leave for games and the log."""
SENT_LASTS_S = 600.0
"""Time after which a received file that was not installed is deleted, in seconds."""
# Time limit for a request, in seconds. The longest request is an update on a Zero 2 W.
_WITHIN_S = 1800.0
_MAX_ANSWERED = 65_536

_log = logging.getLogger(__name__)


class _Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    pass


class PowerOff(_Asked, frozen=True, tag="power-off"):
    """Shut the Pi down."""

    asks: ClassVar = text(
        "{name} wants to switch the table off: press confirm if it shows the number that the"
        " lights show."
    )
    doing: ClassVar = text("The table shuts down.")


class Hotspot(_Asked, frozen=True, tag="hotspot"):
    """A request for the name and the password of the table's own Wi-Fi hotspot."""


class Join(_Asked, frozen=True, tag="join"):
    """Leave the hotspot and join the Wi-Fi ``network``. ``password`` is null for an open
    network.
    """

    asks: ClassVar = text(
        "{name} wants the table to join the Wi-Fi {network}: press confirm if it shows the"
        " number that the lights show."
    )
    doing: ClassVar = text(
        "The table leaves this Wi-Fi for the other; if that fails, its own comes back."
    )

    network: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    password: Annotated[str, msgspec.Meta(max_length=64)] | None = None


class Update(_Asked, frozen=True, tag="update"):
    """Install an update from a USB stick or, if ``sent`` is true, from the file that a page has
    sent.
    """

    asks: ClassVar = text(
        "{name} wants to update the table: press confirm if it shows the number that the lights"
        " show."
    )
    doing: ClassVar = text(
        "The table is being updated. It restarts automatically, and the game continues."
    )

    sent: bool = False


class RollBack(_Asked, frozen=True, tag="roll-back"):
    """Return to the previous version. A second request returns to the newer version."""

    asks: ClassVar = text(
        "{name} wants to go back to the version before: press confirm if it shows the number that"
        " the lights show."
    )
    doing: ClassVar = text("The table goes back to the version before, and the game goes on.")


Wanted = PowerOff | Join | Update | RollBack


def _check_length(length: int, room: int) -> None:
    if length > MAX_SENT_BYTES:
        raise NotPossibleError("That is longer than any update.")
    if length > room:
        raise NotPossibleError(
            "There is too little room on the card for that file.", remedy="Make room on the disk."
        )


class Answered(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of the privileged program. If the request failed, the answer has the message
    ``error`` and the message's values ``params``. Otherwise the answer has the requested values.
    """

    error: str | None = None
    params: dict[str, str] = {}
    name: str | None = None
    password: str | None = None


class DeviceControl:
    """The client of the privileged program, which listens at the socket ``path``.

    ``folder`` is the folder that contains the table's games. ``tell`` is called with a message to
    show to people, or with None to remove the message.
    """

    def __init__(self, path: str, folder: Path, confirming: Confirming, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self.confirming = confirming
        self.sent = folder / SENT_NAME
        self._fresh = folder / f"{SENT_NAME}.new"
        self._is_taking = False
        self._sent_until_s = math.inf
        self.tell: Callable[[Message | None], None] = lambda _: None
        self._forget()  # A power failure can leave a received file behind.

    @contextmanager
    def taking(self, length: int = 0) -> Iterator[Callable[[bytes], None]]:
        """Receive an update file in pieces. The file is stored completely or not at all. ``length``
        is the file's size in bytes, or 0 if unknown. Raises NotPossibleError if the file is too
        large or cannot be stored.
        """
        if self._is_taking:
            raise NotPossibleError(
                "Another file is being sent just now.", remedy="Try again in a minute."
            )
        self._is_taking = True
        try:
            self._forget()
            room = shutil.disk_usage(self.sent.parent).free - MIN_FREE_BYTES
            _check_length(length, room)
            with self._fresh.open("wb") as file:

                def take(piece: bytes) -> None:
                    _check_length(file.tell() + len(piece), room)
                    file.write(piece)

                yield take
            self._fresh.replace(self.sent)
            self._sent_until_s = self._clock.now() + SENT_LASTS_S
        except OSError as error:
            raise NotPossibleError("It could not be kept: {why}.", why=error.strerror) from error
        finally:
            self._is_taking = False
            self._fresh.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Delete a received file that was not installed within ``SENT_LASTS_S`` seconds. Call this
        method after each snapshot of the table.
        """
        if self._clock.now() >= self._sent_until_s:
            self._sent_until_s = math.inf
            self.do(self._forget, lambda _: None)

    def _forget(self) -> None:
        for path in (self.sent, self._fresh):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning("%s cannot be deleted: %s", path, error.strerror)

    def request(self, wanted: Wanted, who: str | Message) -> str:
        """Ask people to press the confirm button, then carry out the request. Return the number
        that the lights show.

        Raises NotPossibleError if another request is waiting for the button, or if the file to
        install is missing.
        """
        if isinstance(wanted, Update) and wanted.sent and not self.sent.exists():
            raise NotPossibleError("No file has been sent.", remedy="Choose it again.")
        self._sent_until_s = self._clock.now() + SENT_LASTS_S

        def answered(confirmed: bool) -> None:
            if confirmed:
                self.tell(wanted.doing)
                self.do(lambda: self.ask(wanted), self.tell)

        asked = {"name": who} | ({"network": wanted.network} if isinstance(wanted, Join) else {})
        return self.confirming.ask(Message(wanted.asks.template, asked), answered)

    def do(self, work: Callable[[], object], then: Callable[[Message | None], None]) -> None:
        """Run ``work`` in a new thread. Afterwards, the same thread calls ``then``: with the reason
        if ``work`` failed, otherwise with None.
        """

        def run() -> None:
            try:
                work()
            except TiltboardError as error:
                _log.warning("%s", error)
                then(Message(error.template, error.params))
            else:
                then(None)

        threading.Thread(target=run, name="machine", daemon=True).start()

    def ask(self, wanted: Wanted | Hotspot) -> Answered:
        """Send a request to the privileged program and wait for the answer. Raises NotPossibleError
        if the request fails.
        """
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(_WITHIN_S)
                line.connect(self._path)
                line.sendall(msgspec.json.encode(wanted))
                line.shutdown(socket.SHUT_WR)
                said = b""
                while (more := line.recv(4096)) and len(said) < _MAX_ANSWERED:
                    said += more
            answer = msgspec.json.decode(said, type=Answered)
        except (OSError, msgspec.MsgspecError) as error:
            raise NotPossibleError("The Pi does not answer: {why}.", why=error) from error
        if answer.error is not None:
            raise NotPossibleError(answer.error, **answer.params)
        return answer

    def update_failure(self) -> Message | None:
        """Return the error of an update that ended while the service was not running, or None."""
        try:
            said = msgspec.json.decode(FAILED.read_bytes(), type=Answered)
        except (OSError, msgspec.MsgspecError):
            return None
        return None if said.error is None else Message(said.error, said.params)
