"""The hands that a page offers on a simulated table (``web.table_port.HandsPort``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from firmware_host.table.commands import CarryOut, HandsCommand
from firmware_host.web.snapshot import BreakableInfo, BrokenInfo, LoosePiece, PoseFrame
from hw_sim.deeds import Deeds
from hw_sim.own_hand import OwnHand
from hw_sim.session import SimSession

Call = Callable[[Callable[[], None]], Future[None]]


def at_once(work: Callable[[], None]) -> Future[None]:
    """``call`` of PageHands for whoever steps the table in his own thread."""
    done: Future[None] = Future()
    try:
        work()
        done.set_result(None)
    except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
        done.set_exception(error)
    return done


class PageHands:
    """Each thing is begun in the table's thread and answered when the hand has done it and left.

    ``call``: has work done in the table's thread. ``settle`` must be called there after each step.
    """

    def __init__(self, session: SimSession, call: Call) -> None:
        self._session = session
        self._call = call
        self._deeds = Deeds(session)
        self._own = OwnHand(session)
        self._under_way: list[tuple[float, Future[None]]] = []

    @property
    def pegs(self) -> bool:
        """Whether tiles slide between pegs. In the table's thread."""
        return self._session.pegs

    def loose(self) -> Sequence[LoosePiece]:
        """Every piece on or above the plate as it lies now. In the table's thread."""
        now_s = self._session.clock.now()
        return [
            LoosePiece(piece.piece_id, piece.label, round(x, 1), round(y, 1), round(z, 1))
            for piece in self._session.table.world.pieces.values()
            for x, y, z in (piece.at(now_s),)
        ]

    def poses(self) -> PoseFrame:
        """Plate and pieces as they lie now. In the table's thread."""
        world, now_s = self._session.table.world, self._session.clock.now()
        a, b, c = (round(angle, 5) for angle in world.plate.attitude_rad(now_s))
        return PoseFrame(
            time_s=round(now_s, 3),
            attitude_rad=(a, b, c),
            pieces={
                number: [
                    *(round(each, 2) for each in pose[:3]),
                    *(round(each, 4) for each in pose[3:]),
                ]
                for number, pose in world.poses(now_s).items()
            },
        )

    def breakable(self) -> Sequence[BreakableInfo]:
        """Every fault that this table can have. In the table's thread."""
        faults, places = self._session.faults, self._session.profile.places
        return [
            BreakableInfo(name, len(of), [] if not of or of[0] == places else list(of[0]))
            for name in faults.names
            for of in (faults.targets_of(name),)
        ]

    def broken(self) -> Sequence[BrokenInfo]:
        """Every fault that it has, by the game's places. In the table's thread."""
        of_plate = dict(
            zip(self._session.profile.places, self._session.host.overlay.places, strict=True)
        )
        return [
            BrokenInfo(name, [of_plate.get(target, target) for target in targets])
            for name, targets in self._session.faults.active
        ]

    def settle(self) -> None:
        """Answer what has been done by now, and let the table's own hand go on."""
        now_s = self._session.clock.now()
        done = [entry for entry in self._under_way if entry[0] <= now_s]
        for entry in done:
            self._under_way.remove(entry)
            entry[1].set_result(None)
        self._deeds.mend_due()
        self._session.hands.tire()
        self._own.step()

    def do(self, command: HandsCommand) -> Future[None]:
        """Have it done."""
        answer: Future[None] = Future()
        answer.set_running_or_notify_cancel()

        def begin() -> None:
            try:
                if isinstance(command, CarryOut):
                    self._own.carry_out(answer)
                    return
                end_s = self._deeds.begin(command)
                if end_s <= self._session.clock.now():
                    answer.set_result(None)
                else:
                    self._under_way.append((end_s, answer))
            except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
                answer.set_exception(error)

        self._call(begin).add_done_callback(lambda begun: _refuse(answer, begun))
        return answer


def _refuse(answer: Future[None], begun: Future[None]) -> None:
    """Where it was not even begun, because too much waits already."""
    why = begun.exception()
    if why is not None:
        answer.set_exception(why)
