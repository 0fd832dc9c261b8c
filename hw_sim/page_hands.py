"""The hands that a page offers on a simulated table (``web.table_port.HandsPort``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from firmware_host.web.snapshot import BreakableInfo, BrokenInfo, LoosePiece
from firmware_host.web.table_port import Button
from hw_sim.errors import HandsError
from hw_sim.hands import Action, Hands
from hw_sim.own_hand import OwnHand
from hw_sim.session import SimSession

Call = Callable[[Callable[[], None]], Future[None]]


class PageHands:
    """Each wish is begun in the table's thread and answered when the hand has done it and left.

    ``call``: has work done in the table's thread. ``settle`` must be called there after each step.
    """

    def __init__(self, session: SimSession, call: Call) -> None:
        self._session = session
        self._call = call
        self._own = OwnHand(session)
        self._under_way: list[tuple[float, Future[None]]] = []
        self._lifted_from: dict[int, tuple[float, float]] = {}

    def loose(self) -> Sequence[LoosePiece]:
        """Every piece on or above the plate as it lies now. In the table's thread."""
        now_s = self._session.clock.now()
        return [
            LoosePiece(piece.piece_id, piece.label, round(x, 1), round(y, 1), round(z, 1))
            for piece in self._session.table.world.pieces.values()
            for x, y, z in (piece.at(now_s),)
        ]

    def breakable(self) -> Sequence[BreakableInfo]:
        """Every fault that this table can have. In the table's thread."""
        faults, places = self._session.faults, self._session.profile.places
        return [
            BreakableInfo(name, len(of), [] if not of or of[0] == places else list(of[0]))
            for name in faults.names
            for of in (faults.targets_of(name),)
        ]

    def broken(self) -> Sequence[BrokenInfo]:
        """Every fault that it has. In the table's thread."""
        return [BrokenInfo(name, list(targets)) for name, targets in self._session.faults.active]

    def settle(self) -> None:
        """Answer the wishes that are fulfilled by now, and let the table's own hand go on."""
        now_s = self._session.clock.now()
        done = [entry for entry in self._under_way if entry[0] <= now_s]
        for entry in done:
            self._under_way.remove(entry)
            entry[1].set_result(None)
        self._own.step()

    def carry_out(self) -> Future[None]:
        """Have the table's own hand do what is asked for."""
        answer: Future[None] = Future()
        answer.set_running_or_notify_cancel()
        self._call(lambda: self._own.carry_out(answer))
        return answer

    def pick_up(self, piece_id: int) -> Future[None]:
        """Take hold of a piece and lift it."""

        def act(hands: Hands) -> Action:
            piece = self._session.table.world.pieces.get(piece_id)
            at = None if piece is None else piece.goal[:2]
            action = hands.pick_up(piece_id)
            if at is not None:
                self._lifted_from[piece_id] = at
            return action

        return self._begin(act)

    def set_down(self, piece_id: int, x_mm: float, y_mm: float) -> Future[None]:
        """Put the piece that is in the hand down there; else back where it was, else away."""

        def act(hands: Hands) -> Action:
            back = self._lifted_from.pop(piece_id, None)
            try:
                return hands.set_down(piece_id, x_mm, y_mm)
            except HandsError:
                self._put_back(hands, piece_id, back)
                raise

        return self._begin(act)

    def _put_back(self, hands: Hands, piece_id: int, back: tuple[float, float] | None) -> None:
        """Nothing stays in the air: where nothing else is possible, the piece is gone."""
        world = self._session.table.world
        piece = world.pieces.get(piece_id)
        if piece is None or not piece.held:
            return
        try:
            if back is None:
                hands.throw_off(piece_id)
            else:
                hands.set_down(piece_id, *back)
        except HandsError:
            world.remove(piece)

    def put(self, piece: str, x_mm: float, y_mm: float) -> Future[None]:
        """Take a piece of that kind from its tray and put it there."""

        def act(hands: Hands) -> Action:
            held = hands.pick_new(piece, x_mm, y_mm)
            try:
                return hands.set_down(held.piece_ids[0], x_mm, y_mm)
            except HandsError:
                self._put_back(hands, held.piece_ids[0], None)
                raise

        return self._begin(act)

    def remove(self, piece_id: int) -> Future[None]:
        """Take a piece off the plate."""

        def act(hands: Hands) -> Action:
            back = self._lifted_from.pop(piece_id, None)
            try:
                return hands.throw_off(piece_id)
            except HandsError:
                self._put_back(hands, piece_id, back)
                raise

        return self._begin(act)

    def tilt(self, x_deg: float, y_deg: float) -> Future[None]:
        """Hold the plate at these angles."""
        return self._begin(lambda hands: hands.tilt(math.radians(x_deg), math.radians(y_deg)))

    def bump(self) -> Future[None]:
        """Knock against the table."""
        return self._begin(lambda hands: hands.bump())

    def inject(self, fault: str, targets: Sequence[str]) -> Future[None]:
        """Break something."""
        return self._call(lambda: self._session.faults.inject(fault, targets))

    def heal(self, fault: str, targets: Sequence[str]) -> Future[None]:
        """Mend it."""
        return self._call(lambda: self._session.faults.heal(fault, targets))

    def press(self, button: Button, held_s: float) -> Future[None]:
        """Press a button of the panel."""
        return self._begin(lambda hands: hands.press(button, held_s))

    def _begin(self, act: Callable[[Hands], Action]) -> Future[None]:
        answer: Future[None] = Future()
        answer.set_running_or_notify_cancel()

        def begin() -> None:
            try:
                action = act(self._session.hands)
            except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
                answer.set_exception(error)
            else:
                self._under_way.append((action.end_s, answer))

        self._call(begin)
        return answer
