"""Pairing: a code shown at the table, exchanged for a token by whoever can read it there."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from drivers.clock import Clock
from drivers.errors import TiltboardError
from firmware_host.web.limits import Rate
from firmware_host.web.tokens import Tokens

CODE_DIGITS = 6
CODE_LASTS_S = 600.0
TRIES_PER_MINUTE = 5
TRIES_PER_ADDRESS = 3  # a minute: one device cannot keep the others from pairing

_log = logging.getLogger(__name__)


class WrongCodeError(TiltboardError, PermissionError):
    """The code is not the one shown at the table, or none is."""


class TooManyTriesError(TiltboardError, PermissionError):
    """Codes were tried too fast; the table does not even look at this one."""


class Pairing:
    """The code that is open, if any, and the tokens given for codes.

    A code is opened at the table and ends with its first use or after ten minutes. All devices
    together may try five a minute, one of them three: of a million codes, fifty can be guessed
    before it ends. ``on_code`` is told what the table is to show: a code that somebody asked for,
    or None.
    """

    def __init__(
        self, tokens: Tokens, clock: Clock, draw: Callable[[int], int] = secrets.randbelow
    ) -> None:
        """``draw``: an unpredictable number below its argument."""
        self.tokens = tokens
        self._clock = clock
        self._draw = draw
        self.on_code: Callable[[str | None], None] = _nobody
        self._code = ""
        self._ends_s = 0.0
        all_together = (TRIES_PER_MINUTE / 60, TRIES_PER_MINUTE)
        self._tries = Rate(clock.now, TRIES_PER_ADDRESS / 60, TRIES_PER_ADDRESS, all_together)

    def open(self, *, at_table: bool = True) -> str:
        """Open a new code; the one before ends. The console and the journal show it too, and the
        table's lights unless ``at_table`` is False.
        """
        self._code = f"{self._draw(10**CODE_DIGITS):0{CODE_DIGITS}}"
        self._ends_s = self._clock.now() + CODE_LASTS_S
        minutes = round(CODE_LASTS_S / 60)
        _log.info("To pair a device, type %s there within %d minutes.", self._code, minutes)
        if at_table:
            self.on_code(self._code)
        return self._code

    @property
    def code(self) -> str | None:
        """The code that is open."""
        return self._code if self._code and self._clock.now() < self._ends_s else None

    def redeem(self, code: str, name: str, address: str) -> str:
        """The token for ``code``, tried from ``address``.

        Raises WrongCodeError, TooManyTriesError, NotPossibleError.
        """
        if not self._tries.take(address):
            raise TooManyTriesError(
                "Too many codes were tried.", remedy="Wait a minute, then try again."
            )
        wanted = self.code
        if wanted is None or not secrets.compare_digest(wanted.encode(), code.encode()):
            _log.warning("A device that called itself %r gave a wrong code", name)
            raise WrongCodeError(
                "That is not the code that the table shows.",
                remedy="Have a new one shown at the table: press Pair a device on its own page,"
                " or run: tiltboard pair",
            )
        token = self.tokens.pair(name)
        self._code = ""
        self.on_code(None)
        _log.info("Paired: %r", name)
        return token


def _nobody(_code: str | None) -> None:
    """There are no lights."""
