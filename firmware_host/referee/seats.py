"""The seats of a game's people: the devices that hold them, and the codes of the free ones."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.files import Tell, keep, read_kept
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.table import commands as c

SEATS_NAME = "seats.json"
CODE_DIGITS = 6
LEVELS = ("easy", "medium", "hard")
COMPUTER, ANYBODY = "", "?"  # have seen a hand, as a device would by its digest
GAMES_KEPT = 100


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    holders: dict[str, str] = {}
    computers: dict[str, str] = {}
    seen: dict[int, dict[str, str]] = {}


class Seats:
    """The seats of one table. People stay seated from game to game, and after a restart.

    ``holders``: player -> SHA-256 of the token of the device in the seat. ``computers``: player ->
    bot level.

    ``shut``: players whose hands were seen in this game by another device than the one that is in
    the seat now, or by a bot. Such a hand stays covered until the others agree.
    """

    def __init__(self, folder: Path, tell: Tell | None = None) -> None:
        """``tell``: see ``read_kept``."""
        self._path = folder / SEATS_NAME
        self._players: tuple[str, ...] = ()
        self._hands = False
        self.codes: dict[str, str] = {}
        """Player -> the code that takes a free seat."""
        self.changes = 0
        """Grows with each change."""
        kept = read_kept(self._path, _Kept, "nobody sits any more", tell)
        self._holders, self._computers = dict(kept.holders), dict(kept.computers)
        self._seen_in = dict(kept.seen)
        self._game, self._seen = 0, dict[str, str]()
        self._agreed: dict[str, set[str]] = {}

    def set_up(self, players: Sequence[str], game_id: int = 0, *, hands: bool = True) -> None:
        """Set up a seat for each of ``players``, the people of a game. ``hands``: players hold
        cards that others may not see, and bots can take seats.
        """
        self._players, self._hands = tuple(players), hands
        if not hands:
            self._game, self._seen = 0, {}
        elif game_id != self._game:
            if game_id > max(self._seen_in, default=0):  # It begins now.
                kept = [*self._seen_in.items(), (game_id, self._sitting())]
                self._seen_in = dict(sorted(kept)[-GAMES_KEPT:])
            unknown = dict.fromkeys(players, ANYBODY)  # A forgotten game.
            self._game, self._seen = game_id, self._seen_in.get(game_id, unknown)
            self._agreed = {}
        self._changed()

    def deal(self) -> None:
        """Note that hands are dealt now, to those who are seated. This is stored with the next
        change: if the program ends before it, hands stay covered that should be seen, never the
        reverse.
        """
        self._seen_in[self._game] = self._seen = self._sitting()
        self._agreed = {}

    def do(self, command: c.SitDown | c.StandUp | c.OpenHand | c.SeatComputer) -> None:
        """Change who sits where. Raises NotPossibleError, with nothing changed."""
        match command:
            case c.SitDown(digest, player, code):
                self.sit(digest, player, code)
            case c.OpenHand(player, digest):
                self.open_hand(player, digest)
            case c.StandUp(player):
                self.stand_up(player)
            case c.SeatComputer(player, level):
                self.play(player, level)

    def _sitting(self) -> dict[str, str]:
        return {**self._holders, **dict.fromkeys(self._computers, COMPUTER)}

    @property
    def shut(self) -> frozenset[str]:
        """Players whose hands are shut: the device in the seat has not seen them."""
        held = self.holders.items()
        return frozenset(
            player for player, held_by in held if self._seen.get(player, held_by) != held_by
        )

    def open_hand(self, player: str, digest: str | None) -> None:
        """Agree, as the device ``digest`` of another seat, that the device at ``player``'s seat may
        see that hand; the last agreement uncovers it. Only those who have kept their seats since
        the deal can agree: one who left still counts, and cannot be asked. ``digest`` None: the
        table's own page, which suffices. Raises NotPossibleError.
        """
        if player not in self.shut:
            raise NotPossibleError("That hand is not covered.", remedy="Go on playing.")
        holder = self._holders[player]
        if digest is not None:
            others = {
                each
                for each, first in self._seen.items()
                if each in self._players and each != player and first not in (holder, COMPUTER)
            }
            agree = {e for e in others if self._seen[e] == self._holders.get(e) == digest}
            alone = not others and self._seen[player] == COMPUTER
            if not (agree or alone):
                raise NotPossibleError(
                    "Only the others may uncover that hand.", remedy="Ask somebody at the table."
                )
            agree |= self._agreed.get(player, set())
            self._agreed[player] = agree
            if not others <= agree:
                self._changed()
                return
        self._seen[player] = holder
        self._keep()

    @property
    def players(self) -> tuple[str, ...]:
        """The players who have a seat in the present game."""
        return self._players

    @property
    def holders(self) -> Mapping[str, str]:
        """Seats that devices hold: player -> the device."""
        return {each: self._holders[each] for each in self._players if each in self._holders}

    @property
    def devices(self) -> frozenset[str]:
        """The devices that hold a seat, in this game or in one with other players."""
        return frozenset(self._holders.values())

    @property
    def computers(self) -> Mapping[str, str]:
        """Seats that bots play in a game with hands: player -> bot level."""
        played = self._players if self._hands else ()
        return {each: self._computers[each] for each in played if each in self._computers}

    def sit(self, digest: str, player: str | None, code: str | None) -> None:
        """Seat a device. Raises NotPossibleError, with nothing changed."""
        if code is not None:
            player = None
            for each, known in self.codes.items():
                if secrets.compare_digest(known.encode(), code.encode()):
                    player = each
            if player is None:
                raise NotPossibleError(
                    "No free seat has this code.", remedy="Read it once more at the table."
                )
        if player is None or player not in self._players:
            raise NotPossibleError("There is no such seat.", remedy="Choose another one.")
        if self._holders.get(player, digest) != digest or player in self.computers:
            raise NotPossibleError(
                "Somebody sits there.", remedy="Free the seat on the table's page first."
            )
        self._seen.setdefault(player, digest)
        self._agreed.pop(player, None)
        bots = {each: level for each, level in self._computers.items() if each != player}
        self._keep(holders={**self._holders, player: digest}, computers=bots)

    def stand_up(self, player: str) -> None:
        """Free a seat. The page's server checks whether a device may do so."""
        others = {each: held for each, held in self._holders.items() if each != player}
        self._keep(holders=others)

    def play(self, player: str, level: str | None) -> None:
        """Let a bot of ``level`` play there, or none if it is None. Raises NotPossibleError."""
        if player not in self._players or not self._hands:
            raise NotPossibleError("There is no such seat.", remedy="Choose another one.")
        if level is not None and level not in LEVELS:
            raise NotPossibleError("There is no level {level}.", remedy="Choose one.", level=level)
        if level is not None and player in self._holders:
            raise NotPossibleError("Somebody sits there.", remedy="Free the seat first.")
        if level is not None:
            self._seen.setdefault(player, COMPUTER)
        others = {each: now for each, now in self._computers.items() if each != player}
        self._keep(computers=others if level is None else {**others, player: level})

    def _keep(
        self, holders: dict[str, str] | None = None, computers: dict[str, str] | None = None
    ) -> None:
        """Store who is in which seat, with what is given in the place of what was."""
        holders = self._holders if holders is None else holders
        computers = self._computers if computers is None else computers
        kept = _Kept(holders, computers, self._seen_in)
        keep(self._path, kept, text("The seats cannot be kept: {why}."))
        self._holders, self._computers = holders, computers
        self._changed()

    def _changed(self) -> None:
        """Make codes for the free seats, and keep those that exist."""
        before, self.codes = self.codes, {}
        for each in self._players:
            if each not in self._holders and each not in self.computers:
                code = before.get(each)
                while code is None or code in self.codes.values():
                    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
                self.codes[each] = code
        self.changes += 1
