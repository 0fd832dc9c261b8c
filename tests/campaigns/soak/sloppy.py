"""The mistakes and changes of mind that a soak's robot makes, as people do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import radians

from tests.campaigns.soak.judge import ANY
from tests.campaigns.soak.seat import Seat
from tiltboard.firmware_host.table.status import GameStatus, Phase
from tiltboard.games.base import Position

CHANCE: Mapping[Phase, float] = {
    Phase.SETUP: 0.05,
    Phase.TURN: 0.2,
    Phase.SETTLE: 0.12,
    Phase.FIX: 0.05,
}
REOPENED = 0.15  # Fraction of the games whose last move is taken back.
LEAN_RAD = radians(5.0)
TAKE_BACK_S = 3.6
FAR_OFF_MM = 9.0
WANTED = 30.0  # Maximum time to take a move back by hand, in seconds.

Mistake = Callable[[Seat, GameStatus], bool]


def err(seat: Seat, status: GameStatus) -> None:
    """Make a random mistake."""
    mistakes = ON_TURN if status.phase is Phase.TURN else ELSE
    name = seat.stream.choice(sorted(mistakes))
    seat.judge.meant = ANY
    if mistakes[name](seat, status):
        seat.totals.mistakes[name] += 1


def take_back(seat: Seat) -> None:
    """Take the last move back, by hand or by button."""
    if seat.stream.random() < 0.5:
        seat.press("back")
        seat.wait(0.3)
    else:
        _take_back_by_hand(seat, seat.status)


def _wrong_place(seat: Seat, _standing: GameStatus) -> bool:
    """Put a piece of the player to move on any free place, on or off the board."""
    piece, place = _mine(seat), _free(seat, on_board=seat.stream.random() < 0.7)
    return piece is not None and place is not None and seat.put(piece, place)


def _wrong_piece(seat: Seat, _standing: GameStatus) -> bool:
    """Put any piece on a free place of the board."""
    place = _free(seat, on_board=True)
    return place is not None and seat.put(seat.stream.choice(_trays(seat)), place)


def _upside_down(seat: Seat, _standing: GameStatus) -> bool:
    """Put a piece of the player to move upside down."""
    piece, place = _mine(seat), _free(seat, on_board=True)
    return piece is not None and place is not None and seat.put(piece, place, turned_over=True)


def _off_centre(seat: Seat, _standing: GameStatus) -> bool:
    """Put a piece of the player to move off the centre of its place."""
    piece, place = _mine(seat), _free(seat, on_board=True)
    return piece is not None and place is not None and seat.put(piece, place, off_mm=FAR_OFF_MM)


def _changed_mind(seat: Seat, _standing: GameStatus) -> bool:
    """Put a piece, and carry it to another place a moment later."""
    piece, place = _mine(seat), _free(seat, on_board=True)
    if piece is None or place is None or not seat.put(piece, place):
        return False
    seat.wait(seat.stream.uniform(0, 1.0))
    target = _free(seat, on_board=True)
    return target is not None and seat.move(place, target)


def _two_at_once(seat: Seat, _standing: GameStatus) -> bool:
    """Put two pieces before the table can react."""
    trays = _trays(seat)
    put = 0
    for _ in range(2):
        place = _free(seat, on_board=True)
        put += place is not None and seat.put(seat.stream.choice(trays), place)
    return put == 2


def _carried_off(seat: Seat, _standing: GameStatus) -> bool:
    """Carry a piece of the board to another place."""
    pieces, target = sorted(seat.pieces()), _free(seat, on_board=True)
    return bool(pieces) and target is not None and seat.move(seat.stream.choice(pieces), target)


def _lifted_and_back(seat: Seat, _standing: GameStatus) -> bool:
    """Lift a piece, and put it back."""
    pieces = seat.pieces()
    if not pieces:
        return False
    place = seat.stream.choice(sorted(pieces))
    seat.take(place)
    seat.wait(seat.stream.uniform(0, 2.0))
    return seat.put(pieces[place], place)


def _several_lifted(seat: Seat, _standing: GameStatus) -> bool:
    """Take two pieces off the board."""
    pieces = sorted(seat.pieces())
    if len(pieces) < 2:
        return False
    first, second = seat.stream.sample(pieces, 2)
    return seat.take(first) and seat.take(second)


def _back(seat: Seat, _standing: GameStatus) -> bool:
    """Press the button that takes a move back."""
    seat.press("back")
    seat.wait(0.3)
    return True


def _early_confirm(seat: Seat, status: GameStatus) -> bool:
    """Press confirm when there is nothing to confirm."""
    last = seat.judge.position.outcome is not None or status.phase is not Phase.TURN
    if last or "confirm" in str(status.say) or status.question:
        return False
    if seat.session.host.sight.faulty:
        return False  # The table can ask for confirmation at any moment then.
    seat.press("confirm")
    return True


def _menu(seat: Seat, _standing: GameStatus) -> bool:
    """Open the menu of games without a reason."""
    seat.press("back", 2.2)
    seat.wait(0.5)
    return True


def _take_back_by_hand(seat: Seat, _standing: GameStatus) -> bool:
    """Restore the board before the last move, despite lights and sentences, until the table accepts
    a take-back.
    """
    before: Position | None = seat.judge.before
    if before is None:
        return False
    until_s, moves = seat.now() + WANTED, seat.judge.moves
    while seat.now() < until_s and seat.judge.moves == moves:
        seat.wait(0.1)
        pieces, wanted = seat.pieces(), dict(before.cells)
        extra = sorted(place for place in pieces if wanted.get(place) != pieces[place])
        lacking = sorted(place for place in wanted if place not in pieces)
        if extra:
            seat.take(extra[0])
        elif lacking:
            seat.put(wanted[lacking[0]], lacking[0])
        else:
            stood_s = seat.now()
            while seat.now() - stood_s < TAKE_BACK_S and seat.judge.moves == moves:
                seat.wait(0.2)
                if seat.pieces() != wanted:
                    break
    return True


def _mine(seat: Seat) -> str | None:
    to_move = seat.position.to_move
    return to_move if to_move in _trays(seat) else None


def _trays(seat: Seat) -> list[str]:
    return sorted(seat.session.host.overlay.pieces)


def _free(seat: Seat, *, on_board: bool) -> str | None:
    pieces, game = seat.pieces(), seat.session.host.game
    places = seat.session.host.overlay.places
    free = [p for p in places if p not in pieces and (p in game.board) == on_board]
    return seat.stream.choice(free) if free else None


ON_TURN: Mapping[str, Mistake] = {
    "wrong place": _wrong_place,
    "wrong piece": _wrong_piece,
    "upside down": _upside_down,
    "off centre": _off_centre,
    "changed mind": _changed_mind,
    "two at once": _two_at_once,
    "carried off": _carried_off,
    "lifted and back": _lifted_and_back,
    "several lifted": _several_lifted,
    "back": _back,
    "early confirm": _early_confirm,
    "menu": _menu,
    "taken back by hand": _take_back_by_hand,
}
ELSE: Mapping[str, Mistake] = {
    "wrong place": _wrong_place,
    "wrong piece": _wrong_piece,
    "carried off": _carried_off,
    "lifted and back": _lifted_and_back,
    "back": _back,
    "taken back by hand": _take_back_by_hand,
}
