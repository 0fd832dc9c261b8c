"""A robot that knows the rules and its next move, and does what lights and sentences request."""

from __future__ import annotations

from collections.abc import Mapping

from tests.campaigns.soak import sloppy
from tests.campaigns.soak.judge import ANY, SoakError
from tests.campaigns.soak.seat import Seat
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.buttons import LONG_PRESS_S
from tiltboard.firmware_host.table.commands import Answer, Swap
from tiltboard.firmware_host.table.status import Choice, GameStatus, Phase, Question, Role
from tiltboard.games.base import Position, Shift, Turn

# Time after which the robot repeats an action that the table has not noticed, in seconds.
AGAIN_S = 4.0
OFFERED_S = 1.0  # Time after which the robot confirms a request, in seconds.
CALM_S = 45.0  # Time without a move after which mistakes and faults stop, in seconds.
DEAD_END_S = 150.0  # Maximum time without a move, in seconds.
ANSWERED_S = 0.5
EAGER = 0.6  # Probability that the robot plays a winning move if there is one.
LONG_S = LONG_PRESS_S + 0.1
TAKEN = (Role.WRONG, Role.REMOVE, Role.LIFT)
DONE = (*TAKEN, Role.PUT)
DONE_VALUE = "done"
MENU = "Which game?"


class Robot:
    """A robot that plays one game to its end."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._again_s = 0.0
        self._reopened = False

    def play(self) -> None:
        """Play until the game is over. Raises SoakError."""
        seat = self._seat
        while not self._follow():
            seat.wait(seat.stream.uniform(0.04, 0.4))

    def _follow(self) -> bool:
        """Do the next thing that the table requests, and return whether the game is over."""
        seat, status = self._seat, self._seat.status
        since_s = seat.now() - max(seat.moved_s, seat.trouble.mended_s)
        seat.trouble.calm = since_s > CALM_S
        if since_s > DEAD_END_S:
            raise SoakError("a dead end")
        if status.question is not None and self._answer(status, status.question):
            pass
        elif status.phase is Phase.OVER:
            return self._over()
        elif status.phase is Phase.PAUSED:
            pass
        elif seat.stream.random() < sloppy.CHANCE[status.phase] and since_s < CALM_S:
            sloppy.err(seat, status)
        elif status.phase is Phase.TURN:
            self._turn(status)
        else:
            self._obey(status)
        return False

    def _over(self) -> bool:
        """Return True if the game stays over; sometimes the last move is taken back first."""
        seat = self._seat
        if seat.position.outcome is None:
            raise SoakError("over too early")
        if not self._reopened and seat.stream.random() < sloppy.REOPENED:
            self._reopened = True
            sloppy.take_back(seat)
            return False
        return True

    # Methods that make a move.

    def _turn(self, status: GameStatus) -> None:
        seat, position = self._seat, self._seat.position
        if seat.pieces() != dict(position.cells):
            self._notice(position)
            return
        if position.to_move is None:
            raise SoakError("a turn after the end")
        move = seat.stream.choice(self._lit_moves(status, position))
        if seat.stream.random() < EAGER:
            move = next((m for m in position.legal() if wins(position.play(m))), move)
        self.make(position.play(move))

    def _lit_moves(self, status: GameStatus, position: Position) -> list[str]:
        """Return the legal moves whose light is on. Raises SoakError if the lights contradict the
        rules.
        """
        seat = self._seat
        legal = {move: starts_at(position.play(move)) for move in position.legal()}
        host = seat.session.host
        lit = {place for place, role in status.roles.items() if role is Role.LEGAL}
        sure = not host.sight.unsure and not host.sight.unobservable
        if host.sight.cells == position.cells and sure:
            places = {place for place, kind in legal.values() if kind != "exchange"}
            if lit != places:
                raise SoakError(f"lit {sorted(lit)}, legal {sorted(places)}")
        moves = [
            move for move, (place, kind) in legal.items() if place in lit or kind == "exchange"
        ]
        return moves or list(legal)

    def make(self, turn: Turn) -> None:
        """Carry out the act of a move in one of the ways in which people do it."""
        seat, stream = self._seat, self._seat.stream
        seat.judge.meant = turn.move
        carried = [s for s in turn.act if s.source is not None and s.target is not None]
        taken = [s for s in turn.act if s.target is None]
        put = [s for s in turn.act if s.source is None]
        if taken and put:
            self._exchange(taken[0], put[0])
            return
        for shift in put:
            seat.put(shift.piece, shift.target or "")
        for shift in carried:
            source, target = shift.source or "", shift.target or ""
            captured = [s.source for s in taken if s.source is not None]
            if stream.random() < 0.5:
                for place in captured:
                    seat.take(place)
                    seat.wait(stream.uniform(0, 0.3))
                seat.move(source, target)
            else:
                seat.take(source)
                seat.wait(stream.uniform(0, 0.6))
                for place in captured:
                    seat.take(place)
                seat.wait(stream.uniform(0, 0.3))
                seat.put(shift.piece, target)

    def _exchange(self, taken: Shift, put: Shift) -> None:
        seat = self._seat
        match seat.stream.choice(("hand", "confirm", "page")):
            case "hand":
                seat.take(taken.source or "")
                seat.wait(seat.stream.uniform(0, 1.0))
                seat.put(put.piece, put.target or "")
            case "confirm":
                seat.press("confirm", LONG_S)
            case _:
                try:
                    seat.session.host.do(Swap())
                except NotPossibleError:
                    return
                seat.wait(ANSWERED_S)

    def _notice(self, position: Position) -> None:
        """Restore the board if a player is to move but the board has been wrong for some time."""
        if self._waited_s() > AGAIN_S:
            self._restore(dict(position.cells))

    # Methods that carry out the table's requests.

    def _obey(self, status: GameStatus) -> None:
        seat, pieces = self._seat, self._seat.pieces()
        for place, role in sorted(status.roles.items()):
            if role in TAKEN and place in pieces:
                target = self._way_of(status, place, pieces)
                if target is None or seat.stream.random() < 0.5:
                    seat.take(place)
                else:
                    seat.move(place, target)
                return
        for place, piece in sorted(status.piece_for.items()):
            if status.roles.get(place) is Role.PUT and place not in pieces:
                source = self._start_of(status, place, pieces)
                if source is None:
                    seat.put(piece, place)
                else:
                    seat.move(source, place)
                return
        if self._waited_s() > AGAIN_S:
            self._redo(status)

    def _waited_s(self) -> float:
        """Return the time since the last action."""
        return self._seat.now() - max(self._seat.deed_s, self._again_s)

    @staticmethod
    def _way_of(status: GameStatus, place: str, pieces: Mapping[str, str]) -> str | None:
        """Return the target of the arrow from ``place``, or None if there is no arrow or the target
        is occupied.
        """
        for shift in status.shifts:
            if shift.source == place and shift.target is not None and shift.target not in pieces:
                return shift.target
        return None

    @staticmethod
    def _start_of(status: GameStatus, place: str, pieces: Mapping[str, str]) -> str | None:
        """Return the source of the arrow to ``place``, or None if the piece is no longer on the
        source.
        """
        for shift in status.shifts:
            if shift.target == place and shift.source is not None:
                return shift.source if pieces.get(shift.source) == shift.piece else None
        return None

    def _is_done(self, status: GameStatus) -> bool:
        """Return whether all requests of the lights are carried out."""
        pieces = self._seat.pieces()
        return all(
            pieces.get(place) == (status.piece_for.get(place) if role is Role.PUT else None)
            for place, role in status.roles.items()
            if role in DONE
        )

    def _redo(self, status: GameStatus) -> None:
        """Repeat an action that the table has not detected: lift a piece from a lit place, or bring
        the board closer to the confirmed position.
        """
        pieces = self._seat.pieces()
        lit = sorted(p for p, role in status.roles.items() if role in DONE and p in pieces)
        if lit:
            self._again()
            self._seat.take(self._seat.stream.choice(lit))
        elif status.phase is Phase.FIX:
            self._restore({**pieces, **status.piece_for})
        else:
            self._again()

    def _restore(self, wanted: Mapping[str, str]) -> None:
        """Bring the board one piece closer to ``wanted``."""
        seat, pieces = self._seat, self._seat.pieces()
        self._again()
        extra = sorted(place for place in pieces if wanted.get(place) != pieces[place])
        lacking = sorted(place for place in wanted if place not in pieces)
        if extra:
            seat.take(extra[0])
        elif lacking:
            seat.put(wanted[lacking[0]], lacking[0])
        elif pieces:  # No visible piece is wrong.
            place = seat.stream.choice(sorted(pieces))
            seat.take(place)
            seat.put(pieces[place], place)

    def _again(self) -> None:
        self._again_s = self._seat.now()
        self._seat.totals.again += 1

    # Methods that answer questions.

    def _answer(self, status: GameStatus, question: Question) -> bool:
        """Answer by button, on the page, or by tilting the plate. Return whether there was a true
        answer.
        """
        seat = self._seat
        if MENU in str(question.ask):
            seat.press("back")
            seat.wait(ANSWERED_S)
            return True
        if question.offer and self._waited_s() < OFFERED_S:
            return False
        choice = self._right(status, question)
        if choice is None:
            return False
        if question.offer:
            self._again()
        ways = ["page", "buttons"]
        if choice.fall is not None and not question.offer and seat.session.profile.imu is not None:
            ways.append("tilt")
        match seat.stream.choice(ways):
            case "page":
                try:
                    seat.session.host.do(Answer(choice.value))
                except NotPossibleError:
                    return True
            case "tilt" if choice.fall is not None:
                columns, rows = choice.fall
                tilt = -rows * sloppy.LEAN_RAD, columns * sloppy.LEAN_RAD
                seat.until(seat.session.hands.tilt(*tilt, for_s=1.0).end_s)
            case _ if choice == question.chosen and not question.offer:
                seat.press("confirm", LONG_S)
            case _:
                seat.press("confirm")
        seat.wait(ANSWERED_S)
        return True

    def _right(self, status: GameStatus, question: Question) -> Choice | None:
        """Return the intended choice, or another choice that is true for the board, or None."""
        judge, true = self._seat.judge, []
        for choice in question.choices:
            names = (choice.value, *choice.also)
            move = next((name for name in names if name in judge.position.legal()), None)
            if move is None:
                if choice.value == DONE_VALUE and self._is_done(status):
                    return choice
            elif self._stands(judge.position.play(move)):
                if judge.meant in names:
                    return choice
                true.append(choice)
        judge.meant = ANY
        return true[0] if true else None

    def _stands(self, turn: Turn) -> bool:
        """Return whether the board can be the result of a turn's act and any part of its
        consequences.
        """
        pieces, before, after = self._seat.pieces(), self._seat.position.cells, turn.position.cells
        acted = dict(before)
        for shift in turn.act:
            if shift.source is not None:
                acted.pop(shift.source, None)
        for shift in turn.act:
            if shift.target is not None:
                acted[shift.target] = shift.piece
        going = {place for s in turn.consequences for place in (s.source, s.target)}
        for place in {*pieces, *acted, *after}:
            found = pieces.get(place)
            lifted = found is None and place in going
            if not lifted and found not in (acted.get(place), after.get(place)):
                return False
        return any(pieces.get(p) != before.get(p) for p in {*pieces, *before})


def wins(turn: Turn) -> bool:
    """Return whether the player wins with this turn."""
    outcome = turn.position.outcome
    return outcome is not None and turn.player in (outcome.winner, *(outcome.team or ()))


def starts_at(turn: Turn) -> tuple[str, str]:
    """Return the place whose light invites to a move, and the first action of the move."""
    sources = {s.source for s in turn.act if s.target is None}
    for shift in turn.act:
        if shift.source is not None and shift.target is not None:
            return shift.source, "carry"
        if shift.source is None and shift.target is not None:
            return shift.target, "exchange" if shift.target in sources else "put"
    raise SoakError(f"{turn.move} has no act")
