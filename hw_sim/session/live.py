"""A simulated table in real time for a page: the table's hands, its faults, and the pieces on its
plate.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import msgspec

from tiltboard.firmware_host.config.files import Tell, read_kept, sealed
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import (
    BreakableInfo,
    BrokenInfo,
    CarryOut,
    HandsCommand,
    LoosePiece,
    PoseFrame,
    Tilt,
)
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.base import Game
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.hw_sim.faults import TITLES
from tiltboard.hw_sim.session.auto_hand import OwnHand
from tiltboard.hw_sim.session.hand_rules import HandRules
from tiltboard.hw_sim.session.scripted_hands import Deeds
from tiltboard.hw_sim.session.session import SimSession
from tiltboard.hw_sim.world import MagnetKind, World
from tiltboard.hw_sim.world.paths import Point

PLATE_NAME = "plate.json"

_log = logging.getLogger(__name__)


class Lying(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece at rest on the plate, as stored in the file."""

    label: str
    magnet: MagnetKind
    factor: float
    at_mm: Point
    """Position of the piece's foot from the plate's centre, in mm."""


class KeptPlate:
    """The file in folder ``state`` that keeps the pieces on the plate. No game depends on this
    file.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / PLATE_NAME
        self._kept: list[Lying] = []
        self._complained = False

    def restore(self, world: World, tell: Tell | None = None) -> None:
        """Put the pieces of the file on the empty plate of ``world``.

        If the file cannot be read, the plate stays empty and a warning is logged. ``tell``:
        function that receives a message about a damaged file, or None.
        """
        self._kept = read_kept(self._path, list[Lying], "the simulated plate is empty", tell)
        for piece in self._kept:
            world.add_resting(piece.label, piece.magnet, piece.factor, piece.at_mm)

    def save(self, world: World) -> None:
        """Write the pieces that stand on the plate to the file, if they have changed. Pieces in
        hands are left out.
        """
        lying = [
            Lying(piece.label, piece.kind, piece.factor, piece.here)
            for piece in world.pieces.values()
            if piece.stands
        ]
        if lying == self._kept:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_bytes(sealed(msgspec.json.encode(lying)))
            fresh.replace(self._path)
        except OSError as error:
            if not self._complained:
                _log.warning("What lies on the simulated plate could not be kept: %s.", error)
            self._complained = True
            return
        self._kept, self._complained = lying, False


# The hands that a page offers on a simulated table (``table.preview.HandsPort``).

Call = Callable[[Callable[[], None]], Future[None]]


def at_once(work: Callable[[], None]) -> Future[None]:
    """Run ``work`` in the caller's thread. A caller that steps the table itself passes this
    function to PageHands as ``call``.
    """
    done: Future[None] = Future()
    try:
        work()
        done.set_result(None)
    except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
        done.set_exception(error)
    return done


class PageHands:
    """Carries out actions of a page. Each action is answered when the hand has finished and left
    the table.

    ``call``: function that runs work in the table's thread. ``settle`` must be called in that
    thread after each step.
    """

    def __init__(self, session: SimSession, call: Call) -> None:
        self._session = session
        self._call = call
        self._deeds = Deeds(session)
        self._own = OwnHand(session)
        self._rules = HandRules(session)
        self._under_way: list[tuple[float, Future[None]]] = []
        self._playing: tuple[Game, bool] | None = None

    @property
    def pegs(self) -> bool:
        """True if tiles slide between pegs. Read it in the table's thread."""
        return self._session.pegs

    def loose(self) -> Sequence[LoosePiece]:
        """Return the position of every piece on or above the plate. Call it in the table's
        thread.
        """
        now_s = self._session.clock.now()
        return [
            LoosePiece(piece.piece_id, piece.label, round(x, 1), round(y, 1), round(z, 1))
            for piece in self._session.table.world.pieces.values()
            for x, y, z in (piece.at(now_s),)
        ]

    def poses(self) -> PoseFrame:
        """Return the present poses of plate and pieces. Call it in the table's thread."""
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
        """Return every fault that this table can have. Call it in the table's thread."""
        faults, places = self._session.faults, self._session.profile.places
        return [
            BreakableInfo(
                name, TITLES[name], len(of), [] if not of or of[0] == places else list(of[0])
            )
            for name in faults.names
            for of in (faults.targets_of(name),)
        ]

    def broken(self) -> Sequence[BrokenInfo]:
        """Return every active fault, with the game's names of places. Call it in the table's
        thread.
        """
        of_plate = dict(
            zip(self._session.profile.places, self._session.host.overlay.places, strict=True)
        )
        return [
            BrokenInfo(name, [of_plate.get(target, target) for target in targets])
            for name, targets in self._session.faults.active
        ]

    def settle(self) -> None:
        """Answer all actions that are done by now, and let the automatic hand continue."""
        now_s = self._session.clock.now()
        done = [entry for entry in self._under_way if entry[0] <= now_s]
        for entry in done:
            self._under_way.remove(entry)
            entry[1].set_result(None)
        self._deeds.mend_due()
        self._session.hands.tire()
        self._level_for_another_game()
        self._own.step()

    def _level_for_another_game(self) -> None:
        """Level the plate for the next game, and after free play."""
        host, plate = self._session.host, self._session.table.world.plate
        before, self._playing = self._playing, (host.game, host.status.phase is Phase.FREE)
        if before in (None, self._playing) or (self._playing[1] and before[0] is host.game):
            return
        if any(plate.commanded_rad(self._session.clock.now())[:2]):
            self._deeds.begin(Tilt(0.0, 0.0))
        position = host.status.position
        if before[1] and position is not None:
            self._own.put_back(position.cells)

    def do(self, command: HandsCommand) -> Future[None]:
        """Begin an action in the table's thread. The result is set when the hand has finished, or
        an error if the action is refused.
        """
        answer: Future[None] = Future()
        answer.set_running_or_notify_cancel()

        def begin() -> None:
            if isinstance(command, CarryOut):
                self._own.carry_out(answer)
                return
            self._rules.check(command)
            end_s = self._deeds.begin(command)
            if end_s <= self._session.clock.now():
                answer.set_result(None)
            else:
                self._under_way.append((end_s, answer))

        def refuse(begun: Future[None]) -> None:
            why = begun.exception()
            if why is not None:
                answer.set_exception(why)

        self._call(begin).add_done_callback(refuse)
        return answer


# Maximum delay, in seconds, that the virtual clock makes up for; a longer delay is dropped.
CATCH_UP_S = 0.5


class LiveTable:
    """A simulated table that a page can play on. The pieces on its plate are kept for the next
    start.

    ``seed``: number that varies the table and its hands. ``first_game``: game with which the table
    starts, as for ``open_host``.
    """

    def __init__(
        self,
        profile: Profile,
        state: Path,
        settings: Settings,
        *,
        first_game: NewGame | None = None,
        seed: int = 1,
        real: Clock | None = None,
        world: type[World] = World,
    ) -> None:
        self._session = SimSession(
            profile, state, seed=seed, settings=settings, first_game=first_game, world=world
        )
        self._real = real or SystemClock()
        self._session.clock.start_calendar_s = self._real.calendar()
        self._plate = KeptPlate(state)
        self._hands = PageHands(self._session, self._call)
        self._ahead_s = 0.0  # Real clock minus virtual clock, in s.
        close = self._session.__exit__
        self.table = Table(self._open, self._wait, self._real, hands=self._hands, close=close)

    def _call(self, work: Callable[[], None]) -> Future[None]:
        return self.table.call(work)

    def _open(self) -> Host:
        damaged: list[Message] = []
        self._plate.restore(self._session.table.world, damaged.append)
        self._session.__enter__()
        for each in damaged:
            self._session.host.tell_damaged(each)
        self._ahead_s = self._real.now() - self._session.clock.now()
        return self._session.host

    def _wait(self) -> None:
        self._session.wait()
        self._hands.settle()
        self._plate.save(self._session.table.world)
        delay_s = self._session.clock.now() + self._ahead_s - self._real.now()
        if delay_s < -CATCH_UP_S:
            self._ahead_s -= delay_s
        self._real.sleep(delay_s)
