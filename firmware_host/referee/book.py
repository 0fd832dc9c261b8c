"""The board held against what should be on it: which moves explain it, and what is left to do.

A place is *hidden* if neither its own sensor nor those around it tell what stands there. What is
believed of it is what was last known or said; whatever else may be so is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tiltboard.firmware_host.table.line import PendingMove
from tiltboard.firmware_host.table.standing import Role
from tiltboard.games.base import Game, Position, Shift, Turn


def said_over(cells: Mapping[str, str], claims: Mapping[str, str | None]) -> Mapping[str, str]:
    """``cells`` as they are by what people have said, or the rules have left no doubt of."""
    if not claims:
        return cells
    return {place: piece for place, piece in {**cells, **claims}.items() if piece is not None}


def arriving(turn: Turn) -> Shift:
    """What the hand puts on the board, first."""
    return next(shift for shift in turn.act if shift.target is not None)


def carried(turn: Turn) -> Mapping[str, str]:
    """Place -> piece that the hand carries from there to another place."""
    return {s.source: s.piece for s in turn.act if s.source is not None and s.target is not None}


def captured(turn: Turn) -> Mapping[str, str]:
    """Place -> piece that the hand takes off the board there."""
    return {s.source: s.piece for s in turn.act if s.source is not None and s.target is None}


def ends(turn: Turn) -> Mapping[str, tuple[str, ...]]:
    """Of each piece that is played: where the hand puts it -> the places where it may be seen."""
    on = {shift.source: shift.target for shift in turn.consequences}
    targets = [shift.target for shift in turn.act if shift.target is not None]
    return {place: tuple(dict.fromkeys((place, on.get(place) or place))) for place in targets}


@dataclass(frozen=True, slots=True)
class Finding:
    """A board held against a plan.

    ``strays``: place -> piece that stands where it should not. ``missing``: place -> piece that
    must stand there and does not (also under a stray). ``todo``: what the plan still asks for at
    places that are not in error: LIFT, REMOVE or PUT. ``wanted``: place -> piece for the PUTs of
    ``todo``. ``shifts``: what is left of the plan, each from where its piece stands now; None: it
    has left. A piece that has no way of its own any more, because one like it stands there or has
    taken its place, has target None and the role LIFT.
    """

    strays: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    todo: Mapping[str, Role] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    shifts: tuple[Shift, ...] = ()

    @property
    def right(self) -> bool:
        """Whether nothing stands wrong; the plan may be unfinished."""
        return not self.strays and not self.missing

    @property
    def done(self) -> bool:
        """The board is exactly the plan's end."""
        return self.right and not self.todo


@dataclass(frozen=True, slots=True)
class Plan:
    """The way from ``before`` to ``after`` by ``shifts``, which are simultaneous."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    shifts: tuple[Shift, ...] = ()

    @property
    def places(self) -> frozenset[str]:
        """Places that the plan touches."""
        return frozenset(p for s in self.shifts for p in (s.source, s.target) if p is not None)

    def filled(
        self, cells: Mapping[str, str], position: Mapping[str, str], hidden: Collection[str]
    ) -> Mapping[str, str]:
        """``cells``, with hidden places as the plan leaves them possible.

        What is believed counts where the plan allows it, and where it contradicts both the plan and
        the ``position`` from which the move was made.
        """
        if not hidden:
            return cells
        board, moving = dict(cells), self.places
        for place in hidden:
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
        """Whether pieces that were lifted have yet to land; those that leave the board do not."""
        standing = Counter(cells.values())
        for shift in self.shifts:
            if shift.target is None and shift.source not in cells:
                standing[shift.piece] += 1
        return bool(Counter(self.before.values()) - standing)

    def has_too_many(self, cells: Mapping[str, str], hidden: Collection[str]) -> bool:
        """Whether more pieces of a kind stand there than there are: one has landed where another
        of its kind is to go, which has not left its place yet. What moves from or to ``hidden``
        places is not counted there.
        """
        moving = self.places
        counted = [piece for p, piece in cells.items() if p not in hidden or p not in moving]
        from_box = Counter(shift.piece for shift in self.shifts if shift.source is None)
        return bool(Counter(counted) - Counter(self.before.values()) - from_box)

    def allows(self, cells: Mapping[str, str]) -> bool:
        """Whether nothing stands wrong: ``hold(cells).right``, sooner found."""
        moving, before, after = self.places, self.before, self.after
        for place in cells.keys() | before.keys() | after.keys():
            piece = cells.get(place)
            if piece != after.get(place) and (
                place not in moving or piece not in (None, before.get(place))
            ):
                return False
        return True

    def hold(self, cells: Mapping[str, str]) -> Finding:
        """Compare a board with the plan."""
        if cells == self.after:
            return Finding()
        strays: dict[str, str] = {}
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
                    strays[place] = piece
                if new is not None and place not in moving:
                    missing[place] = new
            elif piece is not None:
                todo[place] = Role.REMOVE if place in leaving else Role.LIFT
            elif new is not None:
                todo[place] = Role.PUT
                wanted[place] = new
        return Finding(strays, missing, todo, wanted, self._left(cells, todo))

    def _left(self, cells: Mapping[str, str], todo: Mapping[str, Role]) -> tuple[Shift, ...]:
        """The shifts that are still to be done, in the plan's order."""
        standing = {place for place, role in todo.items() if role is not Role.PUT}
        left = [
            s if s.source is None or s.source in standing else replace(s, source=None)
            for s in self.shifts
            if s.target is None or cells.get(s.target) != self.after[s.target]
        ]
        going = {s.source for s in left}
        over = [Shift(self.before[p], p, None) for p in sorted(standing) if p not in going]
        return (*(s for s in left if s.source or s.target), *over)


def carried_out(cells: Mapping[str, str], shifts: Sequence[Shift]) -> dict[str, str]:
    """``cells`` after simultaneous ``shifts``."""
    result = dict(cells)
    for shift in shifts:
        if shift.source is not None:
            result.pop(shift.source, None)
    for shift in shifts:
        if shift.target is not None:
            result[shift.target] = shift.piece
    return result


@dataclass(frozen=True, slots=True)
class Pending:
    """A move that was made, or asked for by button, and is not confirmed yet. ``extras``: as in
    ``made``.
    """

    turn: Turn
    plan: Plan
    requested: bool = False
    extras: Mapping[str, str] = field(default_factory=dict)

    @property
    def record(self) -> PendingMove:
        """As it is noted in the journal."""
        return PendingMove(self.turn.move, self.requested, dict(self.extras))

    @property
    def touched(self) -> frozenset[str]:
        """Every place that the move changes."""
        act = {p for s in self.turn.act for p in (s.source, s.target) if p is not None}
        return self.plan.places | act

    def answered(
        self, cells: Mapping[str, str], position: Mapping[str, str], hidden: Collection[str]
    ) -> Mapping[str, str]:
        """``cells`` once somebody has said that this was played: what was played stands on the
        first hidden place where it may, unless it is seen.
        """
        board = dict(self.plan.filled(cells, position, hidden))
        played = {shift.target: shift.piece for shift in self.turn.act}
        for place, found in ends(self.turn).items():
            unread = [end for end in found if end in hidden]
            seen = (end for end in found if end not in hidden)
            if unread and not any(cells.get(e) == played[place] != position.get(e) for e in seen):
                board[unread[0]] = played[place]
        return board

    @classmethod
    def noted(cls, position: Position, record: PendingMove) -> Pending:
        """A pending move from the journal. Raises IllegalMoveError."""
        turn = position.play(record.move)
        if record.requested:
            return cls.asked(position, turn)
        return cls.made(position, turn, record.extras)

    @classmethod
    def made(
        cls, position: Position, turn: Turn, extras: Mapping[str, str] | None = None
    ) -> Pending:
        """The hand has done the act; the consequences remain.

        ``extras``: pieces that should have left the board with the act, and stand there instead.
        """
        acted = {**carried_out(position.cells, turn.act), **(extras or {})}
        off = tuple(Shift(piece, place, None) for place, piece in (extras or {}).items())
        plan = Plan(acted, turn.position.cells, (*off, *turn.consequences))
        return cls(turn, plan, extras=extras or {})

    @classmethod
    def asked(cls, position: Position, turn: Turn) -> Pending:
        """Act and consequences are still to be done; a piece that then falls goes there at once."""
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
class Landing:
    """A piece is in the hand, and what it captures has been taken up: where it lands is clear.

    ``extras``: captured pieces that still stand on the board, elsewhere.
    """

    turn: Turn
    extras: Mapping[str, str]


class Book:
    """Legal moves of ``position``, each carried out at most once.

    ``drops``: moves that are named by the empty place on which a piece is put. ``entries``: places
    on which a piece may be put by moves with names of their own -> those moves. ``movers``: places
    of pieces that may be carried over the board -> the moves. ``swap``: the pie rule's. ``passes``:
    moves that change nothing on the board.
    """

    def __init__(self, game: Game, position: Position) -> None:
        self.position = position
        legal = position.legal()
        cells = position.cells
        self.still = Plan(cells, cells)
        # A move that is named by an empty place puts a piece there (the contract: a cell).
        self.drops = frozenset(m for m in legal if m in game.board and m not in cells)
        self._made: dict[str, Pending] = {}
        others = [self._pending(m) for m in legal if m not in self.drops]
        # No board shows a pass, so it is never matched: somebody has to say it.
        self.passes = tuple(
            each.turn for each in others if not each.plan.shifts and not each.turn.act
        )
        self._others = tuple(each for each in others if each.turn not in self.passes)
        turns = [pending.turn for pending in self._others]
        self._acts = tuple((turn, carried(turn), captured(turn)) for turn in turns)
        self.swap = next((turn for turn, _, taken in self._acts if _swaps(turn, taken)), None)
        self.entries = _by_place(
            (turn.act[0].target, turn)
            for turn in turns
            if len(turn.act) == 1 and turn.act[0].source is None
        )
        self.movers = _by_place((place, turn) for turn, held, _ in self._acts for place in held)

    def match(
        self,
        cells: Mapping[str, str],
        hidden: Set[str] = frozenset(),
        *,
        hand_empty: bool = True,
    ) -> tuple[Pending, ...]:
        """The legal move whose act stands on ``cells``, with any part of its consequences.

        One piece that has merely changed its place was not dropped there, although a drop may push
        such a piece off and so leave the same board; unless it may have been pushed to where nobody
        sees. ``hand_empty``: every piece that was lifted must have landed again. Two moves can look
        alike (a drop, and the one on the place that it pushes to): then the one with more still to
        do, because a complete one would have been confirmed before; else the first by code point.
        Only moves that come in by different sides, or that touch places which nobody sees
        (``hidden``), are all given: which it was, must be asked.
        """
        finding = self.still.hold(cells)
        strays, missing = finding.strays, finding.missing
        displaced = len(strays) == 1 and [*strays.values()] == [*missing.values()] and not hidden
        places = hidden if displaced else strays.keys() | hidden
        drops = [self._pending(p) for p in sorted(places & self.drops)]
        fitting: list[tuple[int, Pending]] = []
        for pending in (*drops, *self._others):
            board = pending.plan.filled(cells, self.position.cells, hidden)
            if hidden and pending.plan.has_too_many(board, hidden):
                continue
            if pending.plan.allows(board) and not (hand_empty and pending.plan.in_hand(board)):
                fitting.append((len(pending.plan.hold(board).todo), pending))
        if not fitting:
            return self._with_extras(cells)
        unlike = all(pending.turn.entrance is not None for _, pending in fitting)
        if unlike or any(pending.touched & hidden for _, pending in fitting):
            return tuple(pending for _, pending in fitting)
        return (max(fitting, key=lambda found: found[0])[1],)

    def is_seen(self, pending: Pending, cells: Mapping[str, str], hidden: Set[str]) -> bool:
        """Whether ``cells`` show ``pending`` with nothing supposed of ``hidden`` places."""
        if not pending.plan.allows(cells):
            return False
        before = self.position.cells
        played = {shift.target: shift.piece for shift in pending.turn.act}
        return hidden.isdisjoint(pending.touched) or all(
            any(cells.get(end) == played[place] != before.get(end) for end in found)
            for place, found in ends(pending.turn).items()
        )

    def unseen(self, cells: Mapping[str, str], hidden: Set[str]) -> tuple[Pending, ...]:
        """Moves that explain ``cells`` by something on ``hidden`` places that is not seen."""
        if not hidden:
            return ()
        found = self.match(cells, hidden, hand_empty=False)
        return tuple(each for each in found if not self.is_seen(each, cells, hidden))

    def without_the_move(self, finding: Finding) -> Finding:
        """``finding`` without what the player to move has done rightly: the only one of several
        pieces that may stand where it was put, or the piece that was lifted to be carried.
        """
        strays, missing = finding.strays, finding.missing
        if len(strays) > 1 and not missing:
            cells = self.position.cells
            good = [place for place, each in strays.items() if self.match({**cells, place: each})]
            if len(good) == 1:
                rest = {p: piece for p, piece in strays.items() if p != good[0]}
                return replace(finding, strays=rest)
        held = [place for place in missing if place in self.movers]
        if not strays and len(held) == 1 and len(missing) > 1:
            return replace(finding, missing={p: m for p, m in missing.items() if p not in held})
        return finding

    def in_hand(self, cells: Mapping[str, str], hidden: Set[str]) -> Landing | tuple[Turn, ...]:
        """What a hand is about to do with the piece that it holds, if a legal move asks for that:
        the only move left, or those that are possible.
        """
        finding = self.still.hold(cells)
        extras, missing, lifted = finding.strays, finding.missing.keys(), []
        for turn, held_at, taken_at in self._acts:
            held, taken = held_at.keys(), taken_at.keys()
            # It is held, or may be where it stood ``hidden``, and what it captures was taken up
            up = taken | held - hidden <= missing <= taken | held
            if held and taken and up and _are_among(extras, taken_at):
                return Landing(turn, extras)
            # Nothing is missing but that piece and what the move takes off
            if not extras and (held or taken) and (held or taken) <= missing <= taken | held:
                lifted.append(turn)
        return tuple(lifted)

    def captures_first(self, finding: Finding) -> tuple[Turn, ...]:
        """Moves of which a hand has so far done nothing but take up what they capture."""
        if finding.strays or not finding.missing:
            return ()
        missing = finding.missing.keys()
        return tuple(turn for turn, held, taken in self._acts if held and taken.keys() == missing)

    def _with_extras(self, cells: Mapping[str, str]) -> tuple[Pending, ...]:
        """The move that carried a piece to where it stands, while what it captures has not left
        the board but stands elsewhere.
        """
        for pending, (turn, held, taken) in zip(self._others, self._acts, strict=True):
            acted = pending.plan.before
            if held and taken and all(cells.get(p) == piece for p, piece in acted.items()):
                extras = {p: piece for p, piece in cells.items() if p not in acted}
                if extras and _are_among(extras, taken):
                    return (Pending.made(self.position, turn, extras),)
        return ()

    def _pending(self, move: str) -> Pending:
        if move not in self._made:
            self._made[move] = Pending.made(self.position, self.position.play(move))
        return self._made[move]


def _swaps(turn: Turn, taken: Mapping[str, str]) -> bool:
    """Whether the turn's act puts another piece where one leaves the board."""
    return any(s.source is None and s.target in taken for s in turn.act)


def _are_among(pieces: Mapping[str, str], taken: Mapping[str, str]) -> bool:
    """Whether ``pieces`` are no others than some that are ``taken`` off the board."""
    return not Counter(pieces.values()) - Counter(taken.values())


def _by_place(found: Iterable[tuple[str | None, Turn]]) -> Mapping[str, tuple[Turn, ...]]:
    places: dict[str, tuple[Turn, ...]] = {}
    for place, turn in found:
        if place is not None:
            places[place] = (*places.get(place, ()), turn)
    return places
