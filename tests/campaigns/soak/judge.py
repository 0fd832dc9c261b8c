"""Compares each decision of the table with the rules and with the physical pieces.

The judge is independent of the referee: it plays the table's moves in a game of its own, and reads
the simulated world instead of the sensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.campaigns.soak.eyes import Eyes
from tiltboard.firmware_host.table.status import GameStatus
from tiltboard.games.base import Position, Shift, Turn
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.boards import SwitchBoard
from tiltboard.hw_sim.session import SimSession

SEEN_S = 0.5  # Maximum age of the sensors' view of a place, in seconds.
# Maximum age for a place whose sensor has failed and whose neighbours infer its piece.
GUESSED_S = 2.0
STOOD_S = 3.0  # Time for which a board must stay for a take-back by hand, in seconds.
BLINK_S = 0.5  # Changes shorter than this need not be detected, in seconds.
OBEYED_S = 4.0  # Maximum time until a button press or a request is carried out, in seconds.
# Maximum time to detect that a linear sensor has failed, in seconds, plus GUESSED_S.
NOTICED_S = 1.0
BROKEN = ("sensor-dead", "sensor-stuck", "sensor-noisy")
ANY = "any"  # Any of the moves that explain the board is right.


class SoakError(AssertionError):
    """The table made an error: a wrong decision, a wrong light, or a dead end."""


class Judge:
    """Checks the table's decisions in one game.

    ``moves`` are the confirmed moves, and ``position`` is the position after them. ``meant`` is the
    move that the hands have made or that was answered, if several moves lead to the same board, or
    ``ANY``. ``taken_back`` counts the moves that were taken back.
    """

    def __init__(self, session: SimSession, eyes: Eyes) -> None:
        self._session = session
        self._eyes = eyes
        host = session.host
        game = game_type(host.game.name).create(host.game.options)
        self._line: list[Position] = [game.start()]
        self._game_id = host.status.game_id
        self._standing: GameStatus | None = None
        self._asked_back: list[float] = []
        self._masked_s: dict[str, float] = {}
        self._broken_s: dict[str, float] = {}
        self._host = host
        self._host_s = -NOTICED_S - GUESSED_S
        self._guessed: set[str] = set()  # Places whose sensors failed before the last start.
        self._failed_s: dict[tuple[str, tuple[str, ...]], float] = {}
        self._switches = isinstance(session.table.hall_board, SwitchBoard)
        self.moves: tuple[str, ...] = ()
        self.meant = ANY
        self.taken_back = 0
        self.confirmed = 0

    @property
    def position(self) -> Position:
        """The position after the confirmed moves, by the rules alone."""
        return self._line[-1]

    @property
    def before(self) -> Position | None:
        """The position before the last confirmed move, or None at the start."""
        return self._line[-2] if len(self._line) > 1 else None

    def asked_back(self) -> None:
        """Note that ``back`` was pressed, so that the table can take one move back."""
        self._asked_back.append(self._session.clock.now())

    def look(self) -> bool:
        """Check the table after a scan, and return whether the list of moves has changed. Raises
        SoakError.
        """
        self._eyes.look()
        host, now_s = self._session.host, self._session.clock.now()
        for place in host.sight.faulty:
            self._masked_s[place] = now_s
        if host is not self._host:
            self._host, self._host_s = host, now_s
        if now_s - self._host_s < NOTICED_S + GUESSED_S:
            self._guessed.update(host.sight.faulty)
        self._guessed &= host.sight.faulty.keys()
        self._note_broken(now_s)
        status = host.status
        if status is self._standing:
            return False
        self._standing = status
        if status.game_id != self._game_id:
            raise SoakError("another game was begun")
        moves = status.moves
        if moves == self.moves:
            return False
        same = 0
        while same < min(len(moves), len(self.moves)) and moves[same] == self.moves[same]:
            same += 1
        if same < len(self.moves):
            self._check_taken_back(self.moves[same:])
            del self._line[same + 1 :]
        if same < len(moves):
            self._check_made(moves[same:])
        self.moves = moves
        self.meant = ANY
        if status.position is None or status.position.cells != self.position.cells:
            raise SoakError("a wrong position")
        return True

    def _note_broken(self, now_s: float) -> None:
        """Note the places of failed sensors. A table detects a failed linear sensor after some
        time.
        """
        host, places = self._session.host, self._session.profile.places
        active = [fault for fault in self._session.faults.active if fault[0] in BROKEN]
        self._failed_s = {fault: self._failed_s.get(fault, now_s) for fault in active}
        for (_, targets), since_s in self._failed_s.items():
            if self._switches or now_s - since_s < NOTICED_S:
                place = host.overlay.places[places.index(targets[0])]
                self._broken_s[place] = now_s

    def _check_made(self, made: Sequence[str]) -> None:
        """Check that the last of the moves ``made`` is the only legal explanation of the board."""
        for move in made:
            before = self.position
            if move not in before.legal():
                raise SoakError(f"a wrong verdict: {move} is not legal")
            self._line.append(before.play(move).position)
        self.confirmed += len(made)
        after = self.position
        turn = before.play(made[-1])
        wrong = self._not_seen(after.cells, turn)
        if wrong and self._session.host.sight.unobservable:
            # If no sensor shows a part of the move, a later move on top of that part proves it.
            acts = (after.play(move).act for move in after.legal())
            if any(not self._not_seen(_with(after.cells, act), turn) for act in acts):
                wrong = ""
        if wrong:
            raise SoakError(f"a wrong verdict: {made[-1]}, but {wrong}")
        others = {
            move: other
            for move in before.legal()
            for other in (before.play(move).position,)
            if other.cells == after.cells and other != after
        }
        if others and self.meant != ANY and self.meant in others:
            raise SoakError(f"a wrong verdict: {made[-1]}, but {self.meant} was meant")

    def _not_seen(self, wanted: Mapping[str, str], turn: Turn) -> str:
        """Return the places that have not been as ``wanted`` for the last moment, as text.

        Places without a working sensor are excluded, and so are uncertain places that ``turn`` does
        not change.
        """
        now_s, sight = self._session.clock.now(), self._session.host.sight
        shifts = (*turn.act, *turn.consequences)
        touched = {place for s in shifts for place in (s.source, s.target) if place is not None}
        blind = sight.unobservable | (sight.unsure - touched)
        late = [cells for _, cells in self._eyes.past(now_s - GUESSED_S, now_s)]
        fresh = [cells for _, cells in self._eyes.past(now_s - SEEN_S, now_s)]
        unknown = blind | self._unknowable()
        wrong = []
        for place in sorted({*wanted, *(place for cells in fresh for place in cells)} - unknown):
            guessed = now_s - self._masked_s.get(place, -GUESSED_S) < GUESSED_S
            seen = {cells.get(place) for cells in (late if guessed else fresh)}
            if wanted.get(place) not in seen:
                listed = " or ".join(sorted(piece or "nothing" for piece in seen))
                wrong.append(f"{listed} stands on {place}")
        return ", ".join(wrong)

    def _unknowable(self) -> set[str]:
        """Return the places whose piece no table could know.

        There the magnet is too weak to be detected, also by the neighbours of a failed sensor. Or
        the sensor has failed just now or before the last start, or is a switch, which has no noise
        to show a failure.
        """
        now_s = self._session.clock.now()
        found = {place for place, at_s in self._broken_s.items() if now_s - at_s < GUESSED_S}
        faulty = self._session.host.sight.faulty.keys()
        found |= self._guessed
        return found | self._eyes.unfelt_since(now_s) | (self._eyes.weak() & faulty)

    def _check_taken_back(self, moves: Sequence[str]) -> None:
        now_s = self._session.clock.now()
        self.taken_back += len(moves)
        self._asked_back = [at_s for at_s in self._asked_back if now_s - at_s < OBEYED_S]
        if len(self._asked_back) >= len(moves):
            del self._asked_back[: len(moves)]
            return
        before = self.before
        if len(moves) > 1 or before is None:
            raise SoakError(f"a wrong verdict: {' '.join(moves)} taken back")
        blind = self._session.host.sight.unobservable | self._unknowable()
        blind |= self._eyes.unfelt_since(now_s - STOOD_S)
        for lasted_s, cells in self._eyes.past(now_s - STOOD_S, now_s - SEEN_S):
            differ = {
                place
                for place in {*cells, *before.cells} - blind
                if cells.get(place) != before.cells.get(place)
            }
            if lasted_s > BLINK_S and differ:
                places = " ".join(sorted(differ))
                raise SoakError(f"a wrong verdict: {moves[0]} taken back, but see {places}")


def _with(cells: Mapping[str, str], act: Sequence[Shift]) -> Mapping[str, str]:
    board = dict(cells)
    for shift in act:
        if shift.source is not None:
            board.pop(shift.source, None)
        if shift.target is not None:
            board[shift.target] = shift.piece
    return board
