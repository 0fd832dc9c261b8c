"""Compares the board with the legal moves: which moves lead to this board, and which steps remain.

A place is *hidden* if no working sensor can read the piece on the place: neither the place's own
sensor nor a neighbouring one. The piece on a hidden place is assumed to be the piece that was last
read or reported. If other pieces are possible, people are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tiltboard.firmware_host.table.move_line import PendingMove
from tiltboard.firmware_host.table.status import Role
from tiltboard.games.base import Game, Position, Shift, Turn


def said_over(cells: Mapping[str, str], claims: Mapping[str, str | None]) -> Mapping[str, str]:
    """Return the board ``cells``, corrected by the pieces that people have reported. ``claims``:
    place -> the reported piece, or None if people reported an empty place.
    """
    if not claims:
        return cells
    return {place: piece for place, piece in {**cells, **claims}.items() if piece is not None}


def arriving(turn: Turn) -> Shift:
    """Return the first shift (movement of one piece) of ``turn`` that puts a piece on the board.
    Only shifts that the player makes by hand count.
    """
    return next(shift for shift in turn.act if shift.target is not None)


def moved_pieces(turn: Turn) -> Mapping[str, str]:
    """Return the pieces that the player moves to another place in ``turn``: place of origin ->
    piece.
    """
    return {s.source: s.piece for s in turn.act if s.source is not None and s.target is not None}


def captured_pieces(turn: Turn) -> Mapping[str, str]:
    """Return the pieces that the player takes off the board in ``turn``: place -> piece."""
    return {s.source: s.piece for s in turn.act if s.source is not None and s.target is None}


def ends(turn: Turn) -> Mapping[str, tuple[str, ...]]:
    """Return the possible final places of each piece that the player puts down in ``turn``: place
    where the piece is put down -> places where the piece can end up.
    """
    on = {shift.source: shift.target for shift in turn.consequences}
    targets = [shift.target for shift in turn.act if shift.target is not None]
    return {place: tuple(dict.fromkeys((place, on.get(place) or place))) for place in targets}


@dataclass(frozen=True, slots=True)
class BoardDiff:
    """The differences between the board and a plan (the steps of a move)."""

    misplaced: Mapping[str, str] = field(default_factory=dict)
    """Place -> wrong piece on that place."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Place -> piece that is missing on that place, even if a wrong piece is there."""
    todo: Mapping[str, Role] = field(default_factory=dict)
    """Place -> remaining action of the plan on that place: LIFT, REMOVE or PUT. Places with an
    error are not listed.
    """
    wanted: Mapping[str, str] = field(default_factory=dict)
    """Place with the role PUT -> piece that the plan wants on that place."""
    shifts: tuple[Shift, ...] = ()
    """The remaining shifts (movements of pieces) of the plan. A shift's source is the present place
    of the piece, or None if the piece is off the board. If an equal piece already fills the target,
    the surplus piece gets a shift without a target, and the surplus piece's place has the role
    LIFT.
    """

    @property
    def right(self) -> bool:
        """True if no piece is wrong or missing; the plan can still be unfinished."""
        return not self.misplaced and not self.missing

    @property
    def done(self) -> bool:
        """True if no piece is wrong or missing and no step of the plan remains."""
        return self.right and not self.todo


@dataclass(frozen=True, slots=True)
class Plan:
    """A change to the board from the pieces ``before`` to the pieces ``after``, made by
    simultaneous ``shifts`` (movements of pieces).
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    shifts: tuple[Shift, ...] = ()

    @property
    def places(self) -> frozenset[str]:
        """Places that a piece leaves or reaches in the plan."""
        return frozenset(p for s in self.shifts for p in (s.source, s.target) if p is not None)

    def fill_unobserved(
        self, cells: Mapping[str, str], position: Mapping[str, str], unobserved: Collection[str]
    ) -> Mapping[str, str]:
        """Return the board ``cells`` with a piece added on each hidden place, as the plan allows.

        If the plan allows the piece assumed so far, that piece is kept. The assumed piece is also
        kept if it contradicts both the plan and ``position``, the board before the move.
        """
        if not unobserved:
            return cells
        board, moving = dict(cells), self.places
        for place in unobserved:
            old, new, believed = self.before.get(place), self.after.get(place), cells.get(place)
            if believed not in (old, new, None, position.get(place)):
                continue
            allowed = believed if believed in (old, new, None) else old
            piece = allowed if place in moving else new
            if piece is None:
                board.pop(place, None)
            else:
                board[place] = piece
        return board

    def in_hand(self, cells: Mapping[str, str]) -> bool:
        """Return whether a lifted piece must still land on the board. A piece that the plan takes
        off the board does not count.
        """
        status = Counter(cells.values())
        for shift in self.shifts:
            if shift.target is None and shift.source not in cells:
                status[shift.piece] += 1
        return bool(Counter(self.before.values()) - status)

    def has_too_many(self, cells: Mapping[str, str], unobserved: Collection[str]) -> bool:
        """Return whether the board shows more pieces of a kind than exist. This happens while a
        piece is on the target of an equal piece that has not left yet. The plan's ``unobserved``
        places are not counted.
        """
        moving = self.places
        counted = [piece for p, piece in cells.items() if p not in unobserved or p not in moving]
        from_box = Counter(shift.piece for shift in self.shifts if shift.source is None)
        return bool(Counter(counted) - Counter(self.before.values()) - from_box)

    def allows(self, cells: Mapping[str, str]) -> bool:
        """Return whether no piece on the board ``cells`` is wrong or missing according to the plan.
        The result is the same as that of ``hold(cells).right``, but computed faster.
        """
        moving, before, after = self.places, self.before, self.after
        for place in cells.keys() | before.keys() | after.keys():
            piece = cells.get(place)
            if piece != after.get(place) and (
                place not in moving or piece not in (None, before.get(place))
            ):
                return False
        return True

    def hold(self, cells: Mapping[str, str]) -> BoardDiff:
        """Return the differences between the board ``cells`` and the plan."""
        if cells == self.after:
            return BoardDiff()
        misplaced: dict[str, str] = {}
        missing: dict[str, str] = {}
        todo: dict[str, Role] = {}
        wanted: dict[str, str] = {}
        moving = self.places
        leaving = {s.source for s in self.shifts if s.target is None}
        for place in sorted(cells.keys() | self.before.keys() | self.after.keys()):
            piece, old, new = cells.get(place), self.before.get(place), self.after.get(place)
            if piece == new:
                continue
            if place not in moving or piece not in (None, old):
                if piece is not None:
                    misplaced[place] = piece
                if new is not None and place not in moving:
                    missing[place] = new
            elif piece is not None:
                todo[place] = Role.REMOVE if place in leaving else Role.LIFT
            elif new is not None:
                todo[place] = Role.PUT
                wanted[place] = new
        return BoardDiff(misplaced, missing, todo, wanted, self._remaining_shifts(cells, todo))

    def _remaining_shifts(
        self, cells: Mapping[str, str], todo: Mapping[str, Role]
    ) -> tuple[Shift, ...]:
        """Return the remaining shifts in the plan's order, followed by the shifts that take surplus
        pieces off the board.
        """
        status = {place for place, role in todo.items() if role is not Role.PUT}
        left = [
            s if s.source is None or s.source in status else replace(s, source=None)
            for s in self.shifts
            if s.target is None or cells.get(s.target) != self.after[s.target]
        ]
        going = {s.source for s in left}
        over = [Shift(self.before[p], p, None) for p in sorted(status) if p not in going]
        return (*(s for s in left if s.source or s.target), *over)


def carried_out(cells: Mapping[str, str], shifts: Sequence[Shift]) -> dict[str, str]:
    """Return the board that results from ``cells`` after simultaneous ``shifts``."""
    result = dict(cells)
    for shift in shifts:
        if shift.source is not None:
            result.pop(shift.source, None)
    for shift in shifts:
        if shift.target is not None:
            result[shift.target] = shift.piece
    return result


@dataclass(frozen=True, slots=True)
class AwaitedMove:
    """A move that was made, or requested by button or page, and is not confirmed yet."""

    turn: Turn
    plan: Plan
    requested: bool = False
    extras: Mapping[str, str] = field(default_factory=dict)
    """Place -> captured piece on that place, which people must still take off the board."""

    @property
    def record(self) -> PendingMove:
        """The move in the form that the journal stores."""
        return PendingMove(self.turn.move, self.requested, dict(self.extras))

    @property
    def touched(self) -> frozenset[str]:
        """Places that a piece leaves or reaches in the move or in one of its consequences."""
        act = {p for s in self.turn.act for p in (s.source, s.target) if p is not None}
        return self.plan.places | act

    def cells_after_answer(
        self, cells: Mapping[str, str], position: Mapping[str, str], unobserved: Collection[str]
    ) -> Mapping[str, str]:
        """Return ``cells`` after a person has reported that this move was played. Each piece that
        the player put down is added on the first hidden place where that piece can be. No piece is
        added if a sensor detects the piece on another place.
        """
        board = dict(self.plan.fill_unobserved(cells, position, unobserved))
        played = {shift.target: shift.piece for shift in self.turn.act}
        for place, found in ends(self.turn).items():
            unread = [end for end in found if end in unobserved]
            seen = (end for end in found if end not in unobserved)
            if unread and not any(cells.get(e) == played[place] != position.get(e) for e in seen):
                board[unread[0]] = played[place]
        return board

    @classmethod
    def from_journal(cls, position: Position, record: PendingMove) -> AwaitedMove:
        """Return the awaited move for a pending move from the journal. Raises IllegalMoveError if
        the move is not legal in ``position``.
        """
        turn = position.play(record.move)
        if record.requested:
            return cls.asked(position, turn)
        return cls.made(position, turn, record.extras)

    @classmethod
    def made(
        cls, position: Position, turn: Turn, extras: Mapping[str, str] | None = None
    ) -> AwaitedMove:
        """Return the awaited move for ``turn`` when the player's own part is done and only the
        consequences remain.

        ``extras``: place -> captured piece that is still on the board, on that place.
        """
        acted = {**carried_out(position.cells, turn.act), **(extras or {})}
        off = tuple(Shift(piece, place, None) for place, piece in (extras or {}).items())
        plan = Plan(acted, turn.position.cells, (*off, *turn.consequences))
        return cls(turn, plan, extras=extras or {})

    @classmethod
    def asked(cls, position: Position, turn: Turn) -> AwaitedMove:
        """Return the awaited move for ``turn`` before any part of the move is done. If a piece
        falls after the player has put it down, the plan moves this piece directly to its final
        place.
        """
        put = {shift.target: shift.source for shift in turn.act}
        falling = {shift.source for shift in turn.consequences} & put.keys() - {None}
        shifts = (
            *(shift for shift in turn.act if shift.target not in falling),
            *(
                replace(shift, source=put[shift.source]) if shift.source in falling else shift
                for shift in turn.consequences
            ),
        )
        return cls(turn, Plan(position.cells, turn.position.cells, shifts), requested=True)


@dataclass(frozen=True, slots=True)
class HeldPiece:
    """The only possible move while a player holds the moving piece and any captured piece is
    already off the board.
    """

    turn: Turn
    extras: Mapping[str, str]
    """Place -> captured piece on that place, which people must still take off the board."""


class MoveMatcher:
    """Finds the legal moves of ``position`` that lead to a given board. The result of playing each
    move is cached.
    """

    def __init__(self, game: Game, position: Position) -> None:
        self.position = position
        legal = position.legal()
        cells = position.cells
        self.still = Plan(cells, cells)
        # In the rules interface, a move with the name of an empty place puts a piece on that place.
        self.drops = frozenset(m for m in legal if m in game.board and m not in cells)
        """Moves that are named after the empty place on which they put a piece."""
        self._made: dict[str, AwaitedMove] = {}
        others = [self._pending(m) for m in legal if m not in self.drops]
        # A pass changes no piece, so the sensors cannot detect it, and a player must report it.
        self.passes = tuple(
            each.turn for each in others if not each.plan.shifts and not each.turn.act
        )
        """Legal moves that change no piece (passes)."""
        self._others = tuple(each for each in others if each.turn not in self.passes)
        turns = [pending.turn for pending in self._others]
        self._acts = tuple((turn, moved_pieces(turn), captured_pieces(turn)) for turn in turns)
        self.swap = next((turn for turn, _, taken in self._acts if _swaps(turn, taken)), None)
        """The swap move of the pie rule, or None if a swap is not legal."""
        self.entries = _by_place(
            (turn.act[0].target, turn)
            for turn in turns
            if len(turn.act) == 1 and turn.act[0].source is None
        )
        """Place -> moves that put one piece on that place but have another name, such as entries
        from a side.
        """
        self.movers = _by_place((place, turn) for turn, held, _ in self._acts for place in held)
        """Place -> moves that carry the piece of that place to another place."""

    def match(
        self,
        cells: Mapping[str, str],
        unobserved: Set[str] = frozenset(),
        *,
        hand_empty: bool = True,
    ) -> tuple[AwaitedMove, ...]:
        """Return the legal moves that lead to the board ``cells``, whether or not their
        consequences have been carried out.

        ``unobserved``: places that no working sensor can read. ``hand_empty``: True if every lifted
        piece must have landed again.

        If only one piece has changed its place, the result does not include a drop that pushes an
        equal piece off the board, although such a drop leaves the same board. If there are hidden
        places, such a drop is included.

        Two moves can leave the same board: a drop, and a drop on the place to which the first drop
        pushes a piece. In this case the move with more steps left is returned, because a complete
        move would have been confirmed earlier. If both have equally many steps left, the move whose
        name sorts first is returned. Several moves are returned only if all of them enter from a
        side, or one of them touches a hidden place. People are then asked which move was made.
        """
        finding = self.still.hold(cells)
        misplaced, missing = finding.misplaced, finding.missing
        displaced = (
            len(misplaced) == 1 and [*misplaced.values()] == [*missing.values()] and not unobserved
        )
        places = unobserved if displaced else misplaced.keys() | unobserved
        drops = [self._pending(p) for p in sorted(places & self.drops)]
        fitting: list[tuple[int, AwaitedMove]] = []
        for pending in (*drops, *self._others):
            board = pending.plan.fill_unobserved(cells, self.position.cells, unobserved)
            if unobserved and pending.plan.has_too_many(board, unobserved):
                continue
            if pending.plan.allows(board) and not (hand_empty and pending.plan.in_hand(board)):
                fitting.append((len(pending.plan.hold(board).todo), pending))
        if not fitting:
            return self._with_extras(cells)
        unlike = all(pending.turn.entrance is not None for _, pending in fitting)
        if unlike or any(pending.touched & unobserved for _, pending in fitting):
            return tuple(pending for _, pending in fitting)
        return (max(fitting, key=lambda found: found[0])[1],)

    def is_seen(self, pending: AwaitedMove, cells: Mapping[str, str], unobserved: Set[str]) -> bool:
        """Return whether the board ``cells`` shows the move ``pending`` without any assumption
        about the ``unobserved`` places.
        """
        if not pending.plan.allows(cells):
            return False
        before = self.position.cells
        played = {shift.target: shift.piece for shift in pending.turn.act}
        return unobserved.isdisjoint(pending.touched) or all(
            any(cells.get(end) == played[place] != before.get(end) for end in found)
            for place, found in ends(pending.turn).items()
        )

    def unseen(self, cells: Mapping[str, str], unobserved: Set[str]) -> tuple[AwaitedMove, ...]:
        """Return the moves that explain the board ``cells`` only if the piece on one of the
        ``unobserved`` places has changed undetected.
        """
        if not unobserved:
            return ()
        found = self.match(cells, unobserved, hand_empty=False)
        return tuple(each for each in found if not self.is_seen(each, cells, unobserved))

    def without_the_move(self, finding: BoardDiff) -> BoardDiff:
        """Return ``finding`` without the piece that can belong to the player's next move. This
        piece is either the only extra piece whose placement is legal, or a lifted piece that a
        legal move carries.
        """
        misplaced, missing = finding.misplaced, finding.missing
        if len(misplaced) > 1 and not missing:
            cells = self.position.cells
            good = [
                place for place, each in misplaced.items() if self.match({**cells, place: each})
            ]
            if len(good) == 1:
                rest = {p: piece for p, piece in misplaced.items() if p != good[0]}
                return replace(finding, misplaced=rest)
        held = [place for place in missing if place in self.movers]
        if not misplaced and len(held) == 1 and len(missing) > 1:
            return replace(finding, missing={p: m for p, m in missing.items() if p not in held})
        return finding

    def in_hand(
        self, cells: Mapping[str, str], unobserved: Set[str]
    ) -> HeldPiece | tuple[Turn, ...]:
        """Return the only move that the held piece can make, or else all possible moves of the held
        piece. The result is empty if no legal move lifts that piece. ``unobserved``: places that no
        working sensor can read.
        """
        finding = self.still.hold(cells)
        extras, missing, lifted = finding.misplaced, finding.missing.keys(), []
        for turn, held_at, taken_at in self._acts:
            held, taken = held_at.keys(), taken_at.keys()
            # The captured piece is off the board. The moving piece is in the hand, or is still on a
            # hidden place.
            up = taken | held - unobserved <= missing <= taken | held
            if held and taken and up and _are_among(extras, taken_at):
                return HeldPiece(turn, extras)
            # Only the moving piece and the pieces that the move captures are missing.
            if not extras and (held or taken) and (held or taken) <= missing <= taken | held:
                lifted.append(turn)
        return tuple(lifted)

    def captures_first(self, finding: BoardDiff) -> tuple[Turn, ...]:
        """Return the moves for which people have so far only taken the captured pieces off the
        board.
        """
        if finding.misplaced or not finding.missing:
            return ()
        missing = finding.missing.keys()
        return tuple(turn for turn, held, taken in self._acts if held and taken.keys() == missing)

    def _with_extras(self, cells: Mapping[str, str]) -> tuple[AwaitedMove, ...]:
        """Return the move whose piece has landed while the captured piece is on another place of
        the board, or an empty tuple if no move fits.
        """
        for pending, (turn, held, taken) in zip(self._others, self._acts, strict=True):
            acted = pending.plan.before
            if held and taken and all(cells.get(p) == piece for p, piece in acted.items()):
                extras = {p: piece for p, piece in cells.items() if p not in acted}
                if extras and _are_among(extras, taken):
                    return (AwaitedMove.made(self.position, turn, extras),)
        return ()

    def _pending(self, move: str) -> AwaitedMove:
        if move not in self._made:
            self._made[move] = AwaitedMove.made(self.position, self.position.play(move))
        return self._made[move]


def _swaps(turn: Turn, taken: Mapping[str, str]) -> bool:
    """Return whether ``turn`` puts another piece on the place of a captured piece."""
    return any(s.source is None and s.target in taken for s in turn.act)


def _are_among(pieces: Mapping[str, str], taken: Mapping[str, str]) -> bool:
    """Return whether all ``pieces`` can be captured pieces. ``taken``: the captured pieces.
    ``pieces`` must not have more pieces of a kind than ``taken``.
    """
    return not Counter(pieces.values()) - Counter(taken.values())


def _by_place(found: Iterable[tuple[str | None, Turn]]) -> Mapping[str, tuple[Turn, ...]]:
    places: dict[str, tuple[Turn, ...]] = {}
    for place, turn in found:
        if place is not None:
            places[place] = (*places.get(place, ()), turn)
    return places
