"""The automatic hand of the simulated table, which carries out the requests of the table and of
players.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import pairwise

from tiltboard.firmware_host.table.commands import SeatMove
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard.firmware_host.table.zones import ZoneOverlay
from tiltboard.games.base import Position, Shift
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.session.session import SimSession
from tiltboard.hw_sim.world.paths import Gesture, Path, Point
from tiltboard.hw_sim.world.pieces import BODY_HEIGHT_MM, SimulatedPiece

# Delay in seconds before the hand reports the result of a request that no sensor can detect.
SAYS_S = 6.0
STEADY_MM = 4.0  # Amplitude in mm of a hand's tremor when the hand stacks a piece.
SHAKY_MM = 2.0  # Amplitude in mm that each challenge of the game adds to the hand's tremor.
# Delay in seconds between the last move and the removal of pieces that are no longer in the game.
TIDIES_S = 1.5


class SeatHand:
    """Acts for the players of tower games. The hand puts pieces down, takes returned pieces off the
    plate, and reports results that no sensor can detect.
    """

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._world = session.table.world
        # The player's request that is in progress, and the number of moves made before this
        # request.
        self._doing: tuple[str, int] | None = None
        # The move to report for the request if its result is already known, otherwise None.
        self._outcome_known: str | None = None
        # Pieces to stack on the place ``self._at``, in the order in which they are stacked.
        self._to_stack: list[str] = []
        self._at = 0
        self._tremble_mm = 0.0
        self._stacked: list[int] = []  # Ids of the pieces that the hand has stacked on others.
        self._stream = Streams(session.table.seed).stream("seat-hand")
        self._says_s = 0.0
        self._moves = 0
        self._tidies_s = 0.0

    def step(self, overlay: ZoneOverlay) -> None:
        """Continue the present request. Call this method after each step of the host."""
        room, now_s = self._session.host.session.seat_referee, self._session.clock.now()
        made = len(self._session.host.status.moves)
        if room is None:  # A new game without a seat referee has just begun.
            return
        if made != self._moves:
            self._moves, self._tidies_s = made, now_s + TIDIES_S
        if now_s < self._session.hands.busy_until_s:
            return
        if room.for_hands is None:
            doubt = room.proposal is None or not room.proposal.sure
            if self._doing is not None and doubt and now_s >= self._tidies_s:
                self._tidy(overlay, room.position)
        elif self._doing != (room.for_hands, made):
            self._doing, self._says_s = (room.for_hands, made), now_s + SAYS_S
            self._outcome_known, self._to_stack, self._stacked = None, [], []
            # An impossible request is not an error here, because the hand reports its result later.
            with suppress(HandsError):
                self._do(overlay, room.position, room.for_hands)
        elif self._to_stack:
            self._says_s = now_s + SAYS_S
            self._stack(room.for_hands)
        elif now_s >= self._says_s:
            self._says_s = now_s + SAYS_S
            self._session.host.submit(SeatMove(None, self._outcome(room.for_hands)))

    def _outcome(self, wish: str) -> str:
        """Return the move that the hand reports. The move states either that the stack stands or
        that the stack fell.
        """
        pieces = self._world.pieces
        high = (at in pieces and pieces[at].here[2] > BODY_HEIGHT_MM / 2 for at in self._stacked)
        return self._outcome_known or (wish if all(high) else _failure_report(wish))

    def _do(self, overlay: ZoneOverlay, position: Position, wish: str) -> None:
        hands, falls = self._session.hands, self._world.falls
        words = wish.split(":")
        zone = words[{"place": 4, "event": 3, "take": 2}[words[1]]]
        if not falls:
            outcome = overlay.game.attempted(position, wish, self._stream)
            if outcome != wish:
                # Fallen pieces stay on the plate until the hand removes them later.
                self._outcome_known = outcome
                return
        if words[1] != "place":
            for index in self._standing(overlay, zone)[-1:]:
                hands.take(index)
            return
        if overlay.game.spins(position) and self._session.profile.spins:
            hands.spin_plate(math.tau)  # The piece is put down while the plate spins.
        troops = words[3].split("+")
        under = int(words[5].partition("=")[2]) if len(words) > 5 else 0
        there = [at for at in self._places(overlay, zone) if self._height(at) == under]
        if falls and there:
            self._at, self._to_stack = there[0], troops
            self._tremble_mm = STEADY_MM + SHAKY_MM * overlay.game.forced(position)
        elif falls:
            # The tower that the piece belongs on has already fallen.
            self._outcome_known = _failure_report(wish)
        if there and under == 0:
            # If this piece cannot be put down, stacking on it fails, too.
            hands.put(troops[0], there[0])
            self._to_stack = self._to_stack[1:]

    def _stack(self, wish: str) -> None:
        troop, *self._to_stack = self._to_stack
        try:
            done = self._session.hands.stack(troop, self._at, tremble_mm=self._tremble_mm)
        except HandsError:  # The tower that the piece belongs on leans or is gone.
            self._outcome_known, self._to_stack = _failure_report(wish), []
        else:
            self._stacked.append(done.piece_ids[0])

    def _height(self, index: int) -> int:
        """Return the number of pieces stacked on the place."""
        top_mm = self._world.top_mm(*self._session.profile.centre_mm(index))
        return round(top_mm / BODY_HEIGHT_MM)

    def _tidy(self, overlay: ZoneOverlay, position: Position) -> None:
        """Find the zone that has the most surplus pieces, and take one piece off this zone."""
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
        return [at for at in self._places(overlay, zone) if self._world.piece_at(at) is not None]


def _failure_report(wish: str) -> str:
    """Return the move that reports the failure of ``wish``."""
    who, what, _, *where = wish.split(":")
    return ":".join([who, what, "fail", *where[:2]])


# The following class makes fast motions to carry out the table's requests.

ROLL_S = 0.25  # Duration of a roll to a neighbouring place, in seconds.
# Fixed part of the duration of a hop, in seconds. The time of the flight at HOP_MM_S is added.
HOP_S = 0.25
HOP_MM_S = 2000.0
HOP_MM = 45.0
LOWER_S = 0.2
ABOVE_MM = 60.0
STAGGER_S = 0.3  # Time in seconds over which the starts of many movements are spread.
# Delay in seconds after the last piece has come to rest. The host accepts the sensors' reading
# before this delay is over.
SEEN_S = 0.2
# Timeout in seconds. If the table's requests stay unchanged for this time, the hand gives up.
GIVEN_UP_S = 1.5
ASKING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)
LEAVING = (Role.WRONG, Role.REMOVE, Role.LIFT)


class OwnHand:
    """Moves the pieces as the table requests. Use this class only in the table's thread, and call
    ``step`` after each host step.
    """

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._world = session.table.world
        self._at_seats = SeatHand(session)
        self._waiting: list[Future[None]] = []
        # The overlay (the board's spaces on the plate) of the present game. Each game that begins
        # or resumes has a new overlay.
        self._overlay: Overlay | None = None
        # The shifts (movements of pieces) that were carried out last.
        self._done: tuple[Shift, ...] | None = None
        self._moves = False  # True if the hand also makes the other player's move in a lesson.
        self._ready_s = 0.0  # Time by which the sensors have detected the last shifts.
        self._refused: HandsError | None = None

    def carry_out(self, answer: Future[None]) -> None:
        """Carry out the table's present requests and all requests that follow. When no request is
        left, set the result of ``answer``.
        """
        self._waiting.append(answer)
        self._moves = self._session.host.status.phase is Phase.TURN

    def put_back(self, cells: Mapping[str, str]) -> None:
        """Put the pieces of ``cells`` on the board immediately and remove all other pieces. The
        plate of a tower game stays unchanged.
        """
        overlay = self._session.host.overlay
        if not isinstance(overlay, ZoneOverlay):
            stood = {overlay.index_of(place): label for place, label in cells.items()}
            self._session.hands.set_up(stood)

    def step(self) -> None:
        """Begin the table's requests that are due, and finish the requests that have been carried
        out.
        """
        status, now_s = self._session.host.status, self._session.clock.now()
        session = self._session.host.session
        if (session.opponents.moving or session.from_seat) and not self._waiting:
            # Bots and players on phones cannot move pieces, so the automatic hand moves the pieces
            # for them.
            self._waiting.append(Future())
        if self._session.host.overlay is not self._overlay:
            self._overlay = self._session.host.overlay
            self._take_over(self._overlay)
            self._end()
            if status.outcome is not None and status.position is not None:
                # After the end of a game, the host does not request any pieces.
                self.put_back(status.position.cells)
        held = any(piece.held for piece in self._world.pieces.values())
        if isinstance(self._overlay, ZoneOverlay) and not held:
            self._at_seats.step(self._overlay)
        if not self._waiting or held or now_s < self._ready_s:
            return
        sight = self._session.host.sight
        unsure = sight.unsure - sight.faulty.keys()
        if self._done and unsure and now_s < self._ready_s + GIVEN_UP_S:
            # Many pieces came to rest together, and the sensors have not detected all of them yet.
            return
        steps = self._requested_shifts(status)
        if not steps and status.phase not in ASKING:
            self._refused = None  # A player or a later scan has fulfilled the request.
            self._end()
        elif steps != self._done:
            self._done, self._refused = steps, None
            self._ready_s = self._begin(steps, now_s) + SEEN_S
        elif now_s > self._ready_s + GIVEN_UP_S:
            self._end()

    def _end(self) -> None:
        """Answer all waiting callers, with the last error if there was one."""
        waiting, self._waiting, self._done = self._waiting, [], None
        for answer in waiting:
            if self._refused is None:
                answer.set_result(None)
            else:
                answer.set_exception(self._refused)
        self._refused = None

    def _take_over(self, overlay: Overlay) -> None:
        """Adapt the pieces on the plate to a new game. Each piece gets the name of the new game's
        piece with the same magnet.

        A piece is removed if it is in a hand, is between or beside the game's places, or has a
        magnet that the game does not use.
        """
        called = {kind: label for label, kind in self._world.trays.items()}
        board = set(overlay.index_of_game_place.values())
        gone = [piece for piece in self._world.pieces.values() if piece.held]
        if not isinstance(overlay, ZoneOverlay):
            gone += self._between_places()
        for piece in gone:
            self._world.remove(piece)
        for piece in [*self._world.pieces.values()]:
            if piece.label in overlay.pieces:
                continue
            on_board = any(self._world.piece_at(index) is piece for index in board)
            if on_board and piece.kind in called:
                piece.label = called[piece.kind]
            else:
                self._world.remove(piece)

    def _requested_shifts(self, status: GameStatus) -> tuple[Shift, ...]:
        """Return the shifts (movements of pieces) that the table requests.

        If the table gives no list of shifts, each piece on a lit place goes to the centre of its
        place, or off the board if the place must be empty.
        """
        if status.position is None:
            return ()
        if status.phase not in ASKING:
            return status.shifts if self._moves else ()
        if status.shifts:
            return status.shifts
        lit = [place for place, role in status.roles.items() if role in LEAVING]
        wanted = status.position.cells
        return tuple(Shift(wanted.get(p, ""), p, p if p in wanted else None) for p in lit)

    # The following methods carry out the requests.

    def _begin(self, steps: Sequence[Shift], now_s: float) -> float:
        """Begin all possible shifts, and return the time at which the last piece comes to rest."""
        end_s = now_s
        going_first = sorted(steps, key=lambda step: step.source is None)
        single = [each for step in going_first for each in self._one_by_one(step)]
        for at, step in enumerate(single):
            try:
                end_s = max(end_s, self._do(step, now_s, now_s + STAGGER_S * at / len(single)))
            except HandsError as error:
                self._refused = error
        return end_s

    def _one_by_one(self, step: Shift) -> list[Shift]:
        """Split the shift of a row of equal pieces into several shifts of one place each. The
        foremost piece moves first.
        """
        board = self._session.host.game.board
        first, last = board.get(step.source or ""), board.get(step.target or "")
        if first is None or last is None:
            return [step]
        (x, y), (x_end, y_end) = first, last
        count = max(abs(x_end - x), abs(y_end - y))
        dx, dy = (x_end - x) / max(count, 1), (y_end - y) / max(count, 1)
        names = {spot: place for place, spot in board.items()}
        line = [names.get((round(x + dx * at), round(y + dy * at)), "") for at in range(count + 1)]
        straight = {abs(dx), abs(dy)} <= {0.0, 1.0} and all(line)
        if count < 2 or not straight:
            return [step]
        run = [self._world.piece_at(self._index(place)) for place in line[:-1]]
        if len({piece and piece.label for piece in run}) > 1:
            return [step]
        return [Shift(step.piece, start, end) for start, end in pairwise(line)][::-1]

    def _do(self, step: Shift, now_s: float, start_s: float) -> float:
        """Carry out one shift and return the time at which the shift is complete. Raises
        HandsError.

        Pieces that come from a tray or leave the plate start at ``start_s``.
        """
        hands = self._session.hands
        if step.source is None:
            return now_s if step.target is None else self._bring(step.piece, step.target, start_s)
        index = self._index(step.source)
        piece = self._world.piece_at(index)
        if piece is None or self._world.trays.get(step.piece, piece.kind) != piece.kind:
            return now_s  # A player has already moved this piece.
        if step.target is not None:
            return self._go(piece, self._middle(step.target))
        end_s = now_s
        while piece is not None:  # The magnets of a tower stick together, so take the whole tower.
            end_s = max(end_s, hands.start(piece, _take, at_s=start_s, leaves=True).end_s)
            piece = self._world.piece_at(index)
        return end_s

    def _go(self, piece: SimulatedPiece, goal: Point) -> float:
        """Move a piece to another place: along the plate to a neighbouring place, otherwise through
        the air. Return the time at which the piece arrives.
        """
        hands = self._session.hands
        hands.traffic.check_room(goal, piece)
        if math.dist(piece.here[:2], goal[:2]) < 1.5 * self._session.profile.pitch_mm:
            # On a diagonal, two other pieces can block the way along the plate.
            with suppress(HandsError):
                return hands.start(piece, partial(_go, goal=goal, duration_s=ROLL_S)).end_s
        return hands.start(piece, partial(_hop, goal=goal)).end_s

    def _bring(self, label: str, place: str, start_s: float) -> float:
        """Bring a piece that stands between places or, if there is none, a new piece from its tray.
        Return the time at which the piece arrives.
        """
        goal = self._middle(place)
        lost = next((each for each in self._between_places() if each.label == label), None)
        if lost is not None:
            return self._go(lost, goal)
        self._session.hands.traffic.check_room(goal, None)
        piece = self._world.new_piece(label, (*goal[:2], ABOVE_MM))
        lower = partial(_go, goal=goal, duration_s=LOWER_S)
        return self._session.hands.bring(piece, lower, at_s=start_s).end_s

    def _between_places(self) -> list[SimulatedPiece]:
        """Return the pieces that stand too far from every place to be detected reliably."""
        profile = self._session.profile
        middles = [profile.centre_mm(index) for index in range(len(profile.places))]
        return [
            piece
            for piece in self._world.pieces.values()
            if piece.stands
            and min(math.dist(piece.here[:2], spot) for spot in middles) > profile.pitch_mm / 2
        ]

    def _index(self, place: str) -> int:
        return self._session.host.overlay.index_of(place)

    def _middle(self, place: str) -> Point:
        return (*self._session.profile.centre_mm(self._index(place)), 0.0)


def _go(path: Path, goal: Point, duration_s: float) -> Gesture:
    path.to(goal, duration_s)
    return Gesture(path, path.end_s, path.end_s)


def _take(path: Path) -> Gesture:
    x, y, z = path.end
    return _go(path, (x, y, z + ABOVE_MM), LOWER_S)


def _hop(path: Path, goal: Point) -> Gesture:
    """Move a piece through the air to ``goal``, above all pieces on the plate."""
    (x, y, _), above = path.end, (*goal[:2], HOP_MM)
    path.to((x, y, HOP_MM), LOWER_S / 2)
    path.over(above, HOP_MM, HOP_S + math.dist((x, y), goal[:2]) / HOP_MM_S)
    return _go(path, goal, LOWER_S / 2)
