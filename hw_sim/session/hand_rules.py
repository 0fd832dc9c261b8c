"""Checks that a simulated hand moved from the page follows the game's rules. A wrong action is
refused and undone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.status import GameStatus, Phase
from tiltboard.firmware_host.table.zones import ZoneOverlay
from tiltboard.games.base import Position, RulesError, Shift
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.session.session import SimSession
from tiltboard.hw_sim.world.pieces import SimulatedPiece


class HandRules:
    """Refuses an action of the page's simulated hand that the game does not allow now. The refusal
    happens before anything moves.

    Only actions with ``if_legal`` are checked. All other actions are carried out, as at a real
    table, and the referee then asks for a correction.
    """

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._world = session.table.world

    def check(self, action: h.HandsCommand) -> None:
        """Raise RulesError or HandsError if the game does not allow the action ``action`` now.

        If an action is not allowed, a piece in the hand is already on its way back. The text of
        RulesError comes from the game.
        """
        if not isinstance(action, h.Put | h.Take | h.Grab | h.LetGo | h.PickUp | h.SetDown):
            return
        status, position = self._session.host.status, self._session.host.status.position
        seated = isinstance(self._session.host.overlay, ZoneOverlay)
        plays = status.phase in (Phase.TURN, Phase.SETTLE) and not seated
        if not action.if_legal or not plays or position is None:
            return
        what = action.what if isinstance(action, h.Take | h.Grab) else action.piece
        piece = self._world.pieces.get(what) if isinstance(what, int) else None
        try:
            self._check_turn(status, position)
            if piece is not None:
                self._check_piece(action, piece, status, position)
            elif isinstance(action, h.Put):
                self._check_put(action.piece, action.place, status, position)
            elif isinstance(action, h.Grab) and what != position.to_move:
                raise self._turn_of(position)
        except (RulesError, HandsError):
            if piece is not None:
                self._session.hands.put_back(piece.piece_id)
            raise

    def _check_turn(self, status: GameStatus, position: Position) -> None:
        """Raise HandsError unless it is a person's turn and the person has not moved yet."""
        if status.phase is Phase.SETTLE:
            return
        if position.to_move in self._session.host.session.opponents.everybody:
            raise self._turn_of(position)
        down = [each for each in self._world.pieces.values() if not each.held and not each.leaves]
        if len([each for each in down if self._place_of(each)]) > len(position.cells):
            raise HandsError("Finish this move first.")

    def _check_put(self, piece: str, place: str, status: GameStatus, position: Position) -> None:
        if status.phase is Phase.SETTLE:
            if not any(s.piece == piece and s.target == place for s in status.shifts):
                raise HandsError("Finish this move first.")
            return
        refusal = position.drop_refusal(piece, place)
        if refusal is not None:
            raise refusal

    def _check_piece(
        self, action: h.HandsCommand, piece: SimulatedPiece, status: GameStatus, position: Position
    ) -> None:
        """Check that a piece may leave its place and go to the intended place.

        Raises RulesError or HandsError if the piece may not.
        """
        home, shifts = self._place_of(piece), self._shifts(status, position)
        lifts = isinstance(action, h.PickUp | h.Grab)
        goal = None  # Intended place of the piece, or None while the piece is only lifted.
        if isinstance(action, h.LetGo):
            goal = self._place_at(*piece.goal[:2]) or ""
        elif isinstance(action, h.SetDown):
            goal = action.place or home
        if goal is not None and piece.stood is None:  # The piece comes from its tray.
            self._check_put(piece.label, goal, status, position)
            return
        source = None if status.phase is Phase.SETTLE and piece.held else home
        mine = [s for s in shifts if s.source == source and s.piece == piece.label]
        if any(lifts or s.target == goal for s in mine) or (goal is not None and goal == home):
            return
        if status.phase is Phase.SETTLE:
            raise HandsError("Finish this move first.")
        if piece.label in position.game.players and piece.label != position.to_move:
            raise self._turn_of(position)
        carries = any(s.source and s.target for s in shifts)
        refusal = position.drop_refusal(piece.label, goal or home or "") if carries else None
        raise refusal or HandsError("Pieces already on the board don't move.")

    def _shifts(self, status: GameStatus, position: Position) -> Sequence[Shift]:
        """Return the allowed shifts (movements of one piece). A shift is allowed if it begins a
        legal move or completes the present move.

        A captured piece can be taken off once the hand holds the capturing piece.
        """
        if status.phase is Phase.SETTLE:
            return status.shifts
        held = {self._place_of(each) for each in self._world.pieces.values() if each.held}
        return [
            shift
            for move in position.legal()
            for act in (position.play(move).act,)
            for shift in act
            if shift.target is not None or {s.source for s in act if s.source and s.target} <= held
        ]

    def _turn_of(self, position: Position) -> HandsError:
        return HandsError(
            "{player}'s turn.", player=phrases.player(position.to_move or "").capitalised()
        )

    def _place_of(self, piece: SimulatedPiece) -> str | None:
        """Return the place where a piece stands, will come to rest or was picked up. Return None if
        that point is beside the board.
        """
        return self._place_at(*(piece.stood or piece.goal[:2]))

    def _place_at(self, x_mm: float, y_mm: float) -> str | None:
        """Return the place of the board at that point, or None if the point is beside the board."""
        profile, overlay = self._session.profile, self._session.host.overlay
        for place, index in overlay.index_of_game_place.items():
            if math.dist(profile.centre_mm(index), (x_mm, y_mm)) < profile.pitch_mm / 2:
                return place
        return None
