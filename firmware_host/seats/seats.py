"""Who sits where: the devices that hold seats, their codes, and seats that the computer plays."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from firmware_host.config.errors import NotPossibleError
from firmware_host.config.paths import read_file, write_durably

SEATS_NAME = "seats.json"
CODE_DIGITS = 6
LEVELS = ("easy", "medium", "hard")

_log = logging.getLogger(__name__)


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    holders: dict[str, str] = {}
    computers: dict[str, str] = {}


class Seats:
    """The seats of one table. People stay seated from game to game, and after a restart.

    ``holders``: player -> SHA-256 of the token of the device at which he sits. ``codes``: player ->
    what takes the seat, for those that nobody has. ``computers``: player -> level. ``changes``:
    grows with each. ``draw``: an unpredictable number below its argument.
    """

    def __init__(self, folder: Path, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._path = folder / SEATS_NAME
        self._draw = draw
        self._players: tuple[str, ...] = ()
        self.codes: dict[str, str] = {}
        self.changes = 0
        kept = self._read()
        self._holders, self._computers = dict(kept.holders), dict(kept.computers)

    def lay(self, players: Sequence[str]) -> None:
        """For the players of a game; none for a game without seats."""
        self._players = tuple(players)
        self._changed()

    @property
    def holders(self) -> Mapping[str, str]:
        """Of the seats of this game."""
        return {each: self._holders[each] for each in self._players if each in self._holders}

    @property
    def computers(self) -> Mapping[str, str]:
        """Of the seats of this game."""
        return {each: self._computers[each] for each in self._players if each in self._computers}

    def sit(self, digest: str, player: str | None, code: str | None) -> str:
        """A device takes a seat; whose it is. Raises NotPossibleError, with nothing changed."""
        if code is not None:
            found = (each for each, known in self.codes.items() if _same(known, code))
            player = next(found, None)
            if player is None:
                raise NotPossibleError(
                    "This is no code of a free seat.", remedy="Read it once more at the table."
                )
        if player is None or player not in self._players:
            raise NotPossibleError("There is no such seat.", remedy="Choose another one.")
        if self._holders.get(player, digest) != digest or player in self._computers:
            raise NotPossibleError(
                "Somebody sits there.", remedy="Free the seat on the table's page first."
            )
        self._keep(_Kept({**self._holders, player: digest}, self._computers))
        return player

    def stand_up(self, player: str) -> None:
        """Free a seat. Whether a device may is for the page's server to say."""
        others = {each: held for each, held in self._holders.items() if each != player}
        self._keep(_Kept(others, self._computers))

    def play(self, player: str, level: str | None) -> None:
        """Have the computer play there, or no longer. Raises NotPossibleError."""
        if player not in self._players:
            raise NotPossibleError("There is no such seat.", remedy="Choose another one.")
        if level is not None and level not in LEVELS:
            raise NotPossibleError("There is no level {level}.", remedy="Choose one.", level=level)
        if level is not None and player in self._holders:
            raise NotPossibleError("Somebody sits there.", remedy="Free the seat first.")
        others = {each: now for each, now in self._computers.items() if each != player}
        self._keep(_Kept(self._holders, others if level is None else {**others, player: level}))

    def _keep(self, kept: _Kept) -> None:
        try:
            write_durably(self._path, msgspec.json.encode(kept))
        except OSError as error:
            raise NotPossibleError(
                "The seats cannot be kept: {why}.",
                remedy="Make room on the disk.",
                why=error.strerror or error,
            ) from error
        self._holders, self._computers = dict(kept.holders), dict(kept.computers)
        self._changed()

    def _changed(self) -> None:
        """Codes for the seats that are free, the known ones as they are."""
        free = [
            each
            for each in self._players
            if each not in self._holders and each not in self._computers
        ]
        before, self.codes = self.codes, {}
        for each in free:
            self.codes[each] = before.get(each) or self._new_code()
        self.changes += 1

    def _new_code(self) -> str:
        while True:
            code = f"{self._draw(10**CODE_DIGITS):0{CODE_DIGITS}}"
            if code not in self.codes.values():
                return code

    def _read(self) -> _Kept:
        try:
            return msgspec.json.decode(read_file(self._path), type=_Kept)
        except FileNotFoundError:
            return _Kept()
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            _log.warning("%s cannot be read (%s): nobody sits any more", self._path, error)
            return _Kept()


def _same(known: str, tried: str) -> bool:
    return secrets.compare_digest(known.encode(), tried.encode())
