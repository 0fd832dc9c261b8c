"""Whole random games by a robot that knows only what is published, over a referee that sees all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from typing import Any

from tiltboard.firmware_host.referee.referee import Referee
from tiltboard.firmware_host.table.commands import Answer, GameRequest, TakeBack
from tiltboard.firmware_host.table.move_line import Line, PendingMove
from tiltboard.firmware_host.table.sight import Sight, Stillness
from tiltboard.firmware_host.table.standing import Phase, Role, Standing
from tiltboard.games.base import Game, Shift, Turn
from tiltboard.games.registry import game_type
from tiltboard.ground.errors import TiltboardError

GAMES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("momentum", {}),
    ("attraktion", {}),
    ("attraktion", {"size": 8}),
    ("gravity-connect", {}),
    ("gravity-trap", {}),
)
SCAN_S = 0.02
TAKEN_BACK = 0.02  # Share of moves that are undone right after them.
MIXED_UP = 0.02  # Share of turns that begin with swapped pieces.
MAX_STEPS = 200  # The maximum of steps for one move.
TAKEN = (Role.LIFT, Role.REMOVE, Role.WRONG)


class StrandedError(TiltboardError):
    """Raised when what is published cannot be carried out, or leads nowhere."""


class Tabletop:
    """A board that is seen perfectly, one hand, and the box of pieces beside it."""

    def __init__(self, game: Game, rng: Random) -> None:
        self.game = game
        self.rng = rng
        self.turn: Turn | None = None
        """The turn that is being carried out, or None while the board is put right."""
        self.referee = Referee(self, Line.of(game, 1))
        self.cells: dict[str, str] = {}
        """The pieces on the board."""
        self.hand: Counter[str] = Counter()
        """Pieces in the hand."""
        self.box: Counter[str] = Counter()
        """Pieces that may be taken from the box now."""
        self.moves: list[str] = []
        self._now_s = 0.0
        self.standing: Standing
        self.look()

    # The referee's journal

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Add a move, in memory only."""
        self.moves.append(move)

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Ignore a pending move."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Drop the moves from number ``to`` on."""
        del self.moves[to:]

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Ignore the result."""

    # The hand

    def look(self, *requests: GameRequest) -> Standing:
        """Run one scan after ``requests``, and return the new standing."""
        self._now_s += SCAN_S
        sight = Sight(self._now_s, True, dict(self.cells), frozenset(), Stillness.STILL, (0.0, 0.0))
        for request in requests:
            self.referee.carry_out(request)
        self.standing = self.referee.step(sight, self._now_s)
        return self.standing

    def take(self, place: str) -> None:
        """Into the hand. Raises StrandedError."""
        if place not in self.cells:
            raise self.stranded(f"nothing stands on {place}")
        self.hand[self.cells.pop(place)] += 1
        self.look()

    def put(self, piece: str, place: str) -> None:
        """Put a piece from the hand, or else from the box, on a place. Raises StrandedError."""
        if place in self.cells:
            raise self.stranded(f"{place} is occupied")
        stock = self.hand if self.hand[piece] else self.box
        if not stock[piece]:
            raise self.stranded(f"no {piece} is in the hand")
        stock[piece] -= 1
        self.cells[place] = piece
        self.look()

    def carry(self, shift: Shift) -> None:
        """Carry out one step of the list. Raises StrandedError."""
        if shift.source is not None:
            if self.cells.get(shift.source) != shift.piece:
                raise self.stranded(f"no {shift.piece} stands on {shift.source}")
            self.take(shift.source)
        if shift.target is not None:
            self.put(shift.piece, shift.target)

    def stranded(self, why: str) -> StrandedError:
        """Return the error with the moves and requests that led to it."""
        asked = [f"{s.piece} {s.source}-{s.target}" for s in self.standing.shifts]
        return StrandedError(
            "{game} {moves}, {say!r}, {asked}: {why}.",
            remedy="Play these moves to see it again.",
            game=self.game.name,
            moves=" ".join(self.moves),
            say=str(self.standing.say),
            asked=", ".join(asked),
            why=why,
        )


def by_list(table: Tabletop) -> None:
    """Carry out the whole list without looking again."""
    steps = table.standing.shifts
    if table.turn and len(steps) != least(table.cells, table.turn.position.cells, steps):
        raise table.stranded(f"{len(steps)} steps are not the least")
    for step in steps:
        table.carry(step)


def by_first(table: Tabletop) -> None:
    """Carry out the first step of the list that is published now."""
    table.carry(table.standing.shifts[0])


def by_lights(table: Tabletop) -> None:
    """Serve one light: put the piece that it asks for, or take the one that stands there."""
    standing = table.standing
    lit = dict(sorted(standing.roles.items()))
    wanted = {p: standing.piece_for[p] for p, role in lit.items() if role is Role.PUT}
    ready = [p for p, piece in wanted.items() if table.hand[piece] or table.box[piece]]
    place = table.rng.choice([*ready, *(p for p in lit if lit[p] in TAKEN)] or [*wanted])
    if place in wanted:
        table.put(wanted[place], place)
    else:
        table.take(place)


def by_anything(table: Tabletop) -> None:
    """Something of the move that a person might do next, by the rules' own list or by this one."""
    position = table.standing.position if table.turn is None else table.turn.position
    after = {} if position is None else position.cells
    shifts = [*(table.turn.consequences if table.turn else ()), *table.standing.shifts]
    free = [
        s
        for s in shifts
        if s.source is not None
        and table.cells.get(s.source) == s.piece != after.get(s.source)
        and s.target not in table.cells
    ]
    lit = [place for place, role in table.standing.roles.items() if role in TAKEN]
    held = [(p, place) for place, p in after.items() if table.hand[p] and place not in table.cells]
    what = table.rng.choice(["carry", "carry", "take", "put", "list"])
    if what == "carry" and free:
        table.carry(table.rng.choice(free))
    elif what == "take" and lit:
        table.take(table.rng.choice(sorted(lit)))
    elif what == "put" and held:
        table.put(*table.rng.choice(sorted(held)))
    elif table.standing.shifts:
        by_first(table)


Way = Callable[[Tabletop], None]
WAYS: Mapping[str, Way] = {
    "the list at once": by_list,
    "the list's first step": by_first,
    "lights alone": by_lights,
    "any order": by_anything,
}


def least(cells: Mapping[str, str], after: Mapping[str, str], steps: Sequence[Shift]) -> int:
    """Return the fewest actions of a hand that lead from one board to the other: one for each piece
    that leaves, and one for each that comes from the box or waits in it until a ring of ``steps``
    opens.
    """
    go = sum(after.get(place) != piece for place, piece in cells.items())
    come = (Counter(after.values()) - Counter(cells.values())).total()
    return go + max(come, sum(step.source is None for step in steps))


def play(game: Game, way: Way, rng: Random) -> int:
    """Play one random game to its end; return its number of moves. Raises StrandedError."""
    table = Tabletop(game, rng)
    while table.standing.phase is not Phase.OVER:
        position = table.standing.position
        if position is None or table.standing.phase is not Phase.TURN:
            raise table.stranded("it is nobody's turn")
        before, moves = dict(position.cells), [*table.moves]
        turn = position.play(rng.choice(position.legal()))
        if rng.random() < MIXED_UP:
            mix_up(table, {shift.source for shift in turn.act})
            restore(table, way, before)
        act(table, turn)
        follow(table, way, turn)
        if table.moves != [*moves, turn.move] or table.cells != dict(turn.position.cells):
            raise table.stranded(f"{turn.move} was meant")
        if rng.random() < TAKEN_BACK:
            table.look(TakeBack())
            restore(table, way, before)
            if table.moves != moves:
                raise table.stranded(f"{turn.move} was to be taken back")
    return len(table.moves)


def act(table: Tabletop, turn: Turn) -> None:
    """Make the mover's own actions of a turn."""
    table.box = Counter(s.piece for s in (*turn.act, *turn.consequences) if s.source is None)
    for shift in sorted(turn.act, key=lambda shift: shift.target is not None):
        table.carry(shift)
    if table.standing.question is not None and turn.entrance is not None:
        table.look(Answer(turn.entrance.side))


def mix_up(table: Tabletop, but: Collection[str | None]) -> None:
    """Pieces change places: no move does that, if it is not of those ``but`` which it carries."""
    places = sorted(table.cells.keys() - but)
    mixed = table.rng.sample(places, min(len(places), table.rng.choice([2, 3, 8])))
    pieces = [table.cells[place] for place in mixed]
    table.cells |= zip(mixed, [*pieces[1:], *pieces[:1]], strict=True)
    table.look()


def restore(table: Tabletop, way: Way, before: Mapping[str, str]) -> None:
    """Follow until ``before`` stands there. Raises StrandedError."""
    table.box = Counter(before.values()) - Counter(table.cells.values())
    follow(table, way, None)
    if table.cells != before:
        raise table.stranded("the board should be as it was")


def follow(table: Tabletop, way: Way, turn: Turn | None) -> None:
    """Follow the requests until there are none left. Raises StrandedError."""
    table.turn = turn
    phase = Phase.FIX if turn is None else Phase.SETTLE
    for _ in range(MAX_STEPS):
        if table.standing.phase in (Phase.TURN, Phase.OVER):
            table.hand.clear()  # what was taken off goes into the box
            return
        if table.standing.phase is not phase:
            raise table.stranded(f"the phase is {table.standing.phase}")
        way(table)
    raise table.stranded("the list leads nowhere")


def run(echo: Callable[[str], None], games: int = 20, only: Collection[str] = ()) -> None:
    """``games`` random games of each board, by each way; ``only``: the games of these names."""
    for name, options in GAMES:
        if only and name not in only:
            continue
        game = game_type(name).create(options)
        said = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        for how, way in WAYS.items():
            moves = [play(game, way, Random(f"{said} {how} {n}")) for n in range(games)]
            echo(f"{said}, {how}: {games} games to the end, {sum(moves)} moves")
