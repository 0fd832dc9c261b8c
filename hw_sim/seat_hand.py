"""The simulated table's own hand in a game of seats: it does what players wish for."""

from __future__ import annotations

from contextlib import suppress

from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.seat_commands import SeatMove
from games.base import Position
from hw_sim.errors import HandsError
from hw_sim.rng import Streams
from hw_sim.session import SimSession
from hw_sim.world.pieces import BODY_HEIGHT_MM

SAYS_S = 6.0  # after which it says that a wish is done, where no sensor could tell
STEADY_MM = 4.0  # how far off a stacked piece comes to lie, and so much more with each challenge
SHAKY_MM = 2.0
TIDIES_S = 1.5  # after the last move, what the game has no more is taken off


class SeatHand:
    """Puts their pieces down, takes off what came back to hands, and says what nobody saw."""

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._doing: tuple[str, int] | None = None  # a wish, and the moves before it
        self._told: str | None = None  # what it knows has become of it
        self._to_stack: list[str] = []  # onto ``self._at``, the next one first
        self._at = 0
        self._tremble_mm = 0.0
        self._stacked: list[int] = []  # the pieces that it has put on others
        self._stream = Streams(session.table.seed).stream("seat-hand")
        self._says_s = 0.0
        self._moves = 0
        self._tidies_s = 0.0

    def step(self, overlay: ZoneOverlay) -> None:
        """To be called after each step of the host."""
        room, now_s = self._session.host.playing.room, self._session.clock.now()
        made = len(self._session.host.standing.moves)
        if made != self._moves:
            self._moves, self._tidies_s = made, now_s + TIDIES_S
        if now_s < self._session.hands.busy_until_s:
            return
        if room.wish is None:
            doubt = room.proposal is None or not room.proposal.sure
            if self._doing is not None and doubt and now_s >= self._tidies_s:
                self._tidy(overlay, room.position)
        elif self._doing != (room.wish, made):
            self._doing, self._says_s = (room.wish, made), now_s + SAYS_S
            self._told, self._to_stack, self._stacked = None, [], []
            with suppress(HandsError):  # no room, or nothing there: told as it is, in its time
                self._do(overlay, room.position, room.wish)
        elif self._to_stack:
            self._says_s = now_s + SAYS_S
            self._stack(room.wish)
        elif now_s >= self._says_s:
            self._says_s = now_s + SAYS_S
            self._session.host.submit(SeatMove(None, self._outcome(room.wish)))

    def _outcome(self, wish: str) -> str:
        """What the hand sees of what it has stacked, or knows: it holds, or it came down."""
        pieces = self._session.table.world.pieces
        high = (at in pieces and pieces[at].here[2] > BODY_HEIGHT_MM / 2 for at in self._stacked)
        return self._told or (wish if all(high) else _failed(wish))

    def _do(self, overlay: ZoneOverlay, position: Position, wish: str) -> None:
        hands, falls = self._session.hands, self._session.table.world.falls
        words = wish.split(":")
        zone = words[{"place": 4, "event": 3, "take": 2}[words[1]]]
        stands = self._standing(overlay, zone)
        if not falls:
            told = overlay.game.attempted(position, wish, self._stream)
            if told != wish:
                self._told = told  # what fell lies there until it is tidied away
                return
        if words[1] != "place":
            for index in stands[-1:]:
                hands.take(index)
            return
        troops = words[3].split("+")
        under = int(words[5].partition("=")[2]) if len(words) > 5 else 0
        there = [each for each in self._places(overlay, zone) if self._height(each) == under]
        if falls and there:
            self._at, self._to_stack = there[0], troops
            self._tremble_mm = STEADY_MM + SHAKY_MM * overlay.game.forced(position)
        elif falls:
            self._told = _failed(wish)  # what it would stand on has come down before
        if there and under == 0:
            hands.put(troops[0], there[0])  # where it cannot, stacking it fails, too
            self._to_stack = self._to_stack[1:]

    def _stack(self, wish: str) -> None:
        troop, *self._to_stack = self._to_stack
        try:
            done = self._session.hands.stack(troop, self._at, tremble_mm=self._tremble_mm)
        except HandsError:  # what it would stand on leans, or is gone
            self._told, self._to_stack = _failed(wish), []
        else:
            self._stacked.append(done.piece_ids[0])

    def _height(self, index: int) -> int:
        """How many pieces stand on each other there."""
        top_mm = self._session.table.world.top_mm(*self._session.profile.centre_mm(index))
        return round(top_mm / BODY_HEIGHT_MM)

    def _tidy(self, overlay: ZoneOverlay, position: Position) -> None:
        game = overlay.game
        if any(game.takes_back(move) for move in position.legal()):
            return
        wanted = game.standing(position)
        stands = {zone: self._standing(overlay, zone) for zone in overlay.zones}
        more = {zone: len(found) - wanted.get(zone, 0) for zone, found in stands.items()}
        zone = max(more, key=more.__getitem__)
        if sum(more.values()) > 0 and more[zone] > 0:
            with suppress(HandsError):
                self._session.hands.take(stands[zone][-1])

    def _places(self, overlay: ZoneOverlay, zone: str) -> list[int]:
        return [overlay.index_of(place) for place in overlay.zones[zone]]

    def _standing(self, overlay: ZoneOverlay, zone: str) -> list[int]:
        return [index for index in self._places(overlay, zone) if self._there(index)]

    def _there(self, index: int) -> bool:
        return self._session.table.world.piece_at(index) is not None


def _failed(wish: str) -> str:
    """The move that says that it did not hold."""
    who, what, _, *where = wish.split(":")
    return ":".join([who, what, "fail", *where[:2]])
