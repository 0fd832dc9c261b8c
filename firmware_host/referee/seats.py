"""The players' seats: the device or bot that holds each seat, and the codes of the free seats."""

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
# Values stored instead of the digest of a device's token if a bot, or an unknown device, has seen
# the hand.
COMPUTER, ANYBODY = "", "?"
GAMES_KEPT = 100


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    holders: dict[str, str] = {}
    computers: dict[str, str] = {}
    seen: dict[int, dict[str, str]] = {}


class Seats:
    """The seats of one table. Players keep their seats from game to game, and after a restart.

    A seat is free, or a bot or a device holds it. A device is identified by the SHA-256 digest of
    its token. If a bot or another device has seen the seat's hand (cards) before, the hand stays
    covered until the other players agree.
    """

    def __init__(self, folder: Path, tell: Tell | None = None) -> None:
        """Read the stored seats from ``folder``. ``tell``: called with a message if the stored file
        is damaged, or None.
        """
        self._path = folder / SEATS_NAME
        self._players: tuple[str, ...] = ()
        self._hands = False
        self.codes: dict[str, str] = {}
        """Player -> code with which a device takes the free seat of that player."""
        self.changes = 0
        """Number of changes to the seats since the start; pages compare this number to notice a
        change.
        """
        kept = read_kept(self._path, _Kept, "nobody sits any more", tell)
        self._holders, self._computers = dict(kept.holders), dict(kept.computers)
        self._seen_in = dict(kept.seen)
        self._game, self._seen = 0, dict[str, str]()
        self._agreed: dict[str, set[str]] = {}

    def set_up(self, players: Sequence[str], game_id: int = 0, *, hands: bool = True) -> None:
        """Set up a seat for each of ``players``. ``game_id``: number of the game in the journal.
        ``hands``: True if players hold hidden cards and bots can take seats.
        """
        self._players, self._hands = tuple(players), hands
        if not hands:
            self._game, self._seen = 0, {}
        elif game_id != self._game:
            # The game is new, so the devices and bots that hold the seats now may see the hands.
            if game_id > max(self._seen_in, default=0):
                kept = [*self._seen_in.items(), (game_id, self._sitting())]
                self._seen_in = dict(sorted(kept)[-GAMES_KEPT:])
            # For an old game, the list of devices that have seen the hands may already be deleted,
            # because only the lists of the latest games are kept.
            unknown = dict.fromkeys(players, ANYBODY)
            self._game, self._seen = game_id, self._seen_in.get(game_id, unknown)
            self._agreed = {}
        self._update_codes()

    def deal(self) -> None:
        """Record that the devices and bots in the seats get hands (cards) now. The record is stored
        with the next change to the seats. If the program ends before the next change, a hand may
        stay covered without need, but no hand is shown to the wrong person.
        """
        self._seen_in[self._game] = self._seen = self._sitting()
        self._agreed = {}

    def do(self, command: c.ClaimSeat | c.ReleaseSeat | c.RevealHand | c.SeatBot) -> None:
        """Carry out a request about the seats. Raises NotPossibleError, with nothing changed."""
        match command:
            case c.ClaimSeat(digest, player, code):
                self.sit(digest, player, code)
            case c.RevealHand(player, digest):
                self.open_hand(player, digest)
            case c.ReleaseSeat(player):
                self.stand_up(player)
            case c.SeatBot(player, level):
                self.play(player, level)

    def _sitting(self) -> dict[str, str]:
        return {**self._holders, **dict.fromkeys(self._computers, COMPUTER)}

    @property
    def shut(self) -> frozenset[str]:
        """Players whose hands are covered, because the device in the seat has not seen the hand
        before.
        """
        held = self.holders.items()
        return frozenset(
            player for player, held_by in held if self._seen.get(player, held_by) != held_by
        )

    def open_hand(self, player: str, digest: str | None) -> None:
        """Record an agreement that the device in ``player``'s seat can see the covered hand.
        ``digest``: identifies the device in another seat that agrees, or None for the table's own
        page, which can decide alone.

        The hand is uncovered when every other device that had a seat when the cards were dealt has
        agreed. A device that has left its seat since then still counts, although it cannot agree.
        Raises NotPossibleError.
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
            # A hand that only a bot may have seen needs no agreement while no other device holds a
            # seat.
            only = {digest, *self.holders.values()} == {holder}
            alone = only and not others and self._seen[player] == COMPUTER
            if not (agree or alone):
                raise NotPossibleError(
                    "Only the others may uncover that hand.", remedy="Ask somebody at the table."
                )
            agree |= self._agreed.get(player, set())
            self._agreed[player] = agree
            if not others <= agree:
                self._update_codes()
                return
        self._seen[player] = holder
        self._keep()

    @property
    def players(self) -> tuple[str, ...]:
        """Players who have a seat in the current game."""
        return self._players

    @property
    def holders(self) -> Mapping[str, str]:
        """Player -> digest of the token of the device that holds the player's seat in the current
        game.
        """
        return {each: self._holders[each] for each in self._players if each in self._holders}

    @property
    def devices(self) -> frozenset[str]:
        """Digests of the tokens of all devices that hold a seat, including seats that the current
        game does not have.
        """
        return frozenset(self._holders.values())

    @property
    def computers(self) -> Mapping[str, str]:
        """Player -> bot level, for the seats of bots. Empty in a game without hidden hands."""
        played = self._players if self._hands else ()
        return {each: self._computers[each] for each in played if each in self._computers}

    def sit(self, digest: str, player: str | None, code: str | None) -> None:
        """Give the seat of ``player``, or the free seat with ``code``, to a device. ``digest``:
        digest of the device's token. Raises NotPossibleError, with nothing changed.
        """
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
        """Free the seat of ``player``. The web server has already checked that the sender of the
        request has the right to free this seat.
        """
        others = {each: held for each, held in self._holders.items() if each != player}
        self._keep(holders=others)

    def play(self, player: str, level: str | None) -> None:
        """Let a bot of ``level`` play at the seat of ``player``. If ``level`` is None, remove the
        bot. Raises NotPossibleError.
        """
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
        """Store the seats. ``holders`` and ``computers`` replace the present values, unless they
        are None.
        """
        holders = self._holders if holders is None else holders
        computers = self._computers if computers is None else computers
        kept = _Kept(holders, computers, self._seen_in)
        keep(self._path, kept, text("The seats cannot be kept: {why}."))
        self._holders, self._computers = holders, computers
        self._update_codes()

    def _update_codes(self) -> None:
        """Create a code for each seat that has become free, keep the codes of the other free seats,
        and increase ``changes``.
        """
        before, self.codes = self.codes, {}
        for each in self._players:
            if each not in self._holders and each not in self.computers:
                code = before.get(each)
                while code is None or code in self.codes.values():
                    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
                self.codes[each] = code
        self.changes += 1
