"""Random games of a simulated robot. The robot knows only the requests that the referee publishes,
and the referee detects every piece without errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from typing import Any

from tiltboard.firmware_host.referee.referee import Referee
from tiltboard.firmware_host.table.commands import Answer, GameRequest, TakeBack
from tiltboard.firmware_host.table.move_line import Line, PendingMove
from tiltboard.firmware_host.table.sight import Sight, Stillness
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard.games.base import Game, Shift, Turn
from tiltboard.games.registry import game_type
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.measured import Measured

GAMES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("momentum", {}),
    ("attraktion", {}),
    ("attraktion", {"size": 8}),
    ("gravity-connect", {}),
    ("gravity-trap", {}),
)
SCAN_S = 0.02
TAKEN_BACK = 0.02  # Probability that a move is taken back immediately.
MIXED_UP = 0.02  # Probability that pieces are swapped before a turn.
MAX_STEPS = 200  # Maximum number of steps that the robot may need for one move.
TAKEN = (Role.LIFT, Role.REMOVE, Role.WRONG)


class StrandedError(TiltboardError):
    """Raised if the published requests cannot be carried out, or do not lead to the requested
    position.
    """


class Tabletop:
    """A simulated board whose pieces are detected without errors. The robot has one hand and a box
    of pieces.
    """

    def __init__(self, game: Game, rng: Random) -> None:
        self.game = game
        self.rng = rng
        self.turn: Turn | None = None
        """The turn that the robot carries out, or None while it restores the board."""
        self.referee = Referee(self, Line.of(game, 1))
        self.cells: dict[str, str] = {}
        """The pieces on the board, by place."""
        self.hand: Counter[str] = Counter()
        """The pieces in the hand, by kind."""
        self.box: Counter[str] = Counter()
        """The pieces that the robot can take from the box now, by kind."""
        self.moves: list[str] = []
        self._now_s = 0.0
        self.status: GameStatus
        self.look()

    # The referee calls these methods to record the game, because the board replaces the journal.

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Add a move to the list ``moves``."""
        self.moves.append(move)

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Ignore a pending move."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Delete the moves with the number ``to`` and higher numbers."""
        del self.moves[to:]

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Ignore the result of the game."""

    # The actions of the robot's hand.

    def look(self, *requests: GameRequest) -> GameStatus:
        """Run one scan after ``requests``, and return the new state of the game."""
        self._now_s += SCAN_S
        sight = Sight(self._now_s, True, dict(self.cells), frozenset(), Stillness.STILL, (0.0, 0.0))
        for request in requests:
            self.referee.carry_out(request)
        self.status = self.referee.step(sight, self._now_s)
        return self.status

    def take(self, place: str) -> None:
        """Take the piece from ``place`` into the hand. Raises StrandedError if ``place`` is empty,
        because an empty place means that the referee has requested an impossible step.
        """
        if place not in self.cells:
            raise self.stranded(f"nothing stands on {place}")
        self.hand[self.cells.pop(place)] += 1
        self.look()

    def put(self, piece: str, place: str) -> None:
        """Put a piece on an empty place, from the hand if possible, otherwise from the box. Raises
        StrandedError.
        """
        if place in self.cells:
            raise self.stranded(f"{place} is occupied")
        stock = self.hand if self.hand[piece] else self.box
        if not stock[piece]:
            raise self.stranded(f"no {piece} is in the hand")
        stock[piece] -= 1
        self.cells[place] = piece
        self.look()

    def carry(self, shift: Shift) -> None:
        """Carry out one published step: move, take or put a piece. Raises StrandedError."""
        if shift.source is not None:
            if self.cells.get(shift.source) != shift.piece:
                raise self.stranded(f"no {shift.piece} stands on {shift.source}")
            self.take(shift.source)
        if shift.target is not None:
            self.put(shift.piece, shift.target)

    def stranded(self, why: str) -> StrandedError:
        """Return an error that lists the moves and the requests that led to the error."""
        asked = [f"{s.piece} {s.source}-{s.target}" for s in self.status.shifts]
        return StrandedError(
            "{game} {moves}, {say!r}, {asked}: {why}.",
            remedy="Play these moves to see it again.",
            game=self.game.name,
            moves=" ".join(self.moves),
            say=str(self.status.say),
            asked=", ".join(asked),
            why=why,
        )


def by_list(table: Tabletop) -> None:
    """Carry out all published steps without looking at the board between two steps."""
    steps = table.status.shifts
    if table.turn and len(steps) != least(table.cells, table.turn.position.cells, steps):
        raise table.stranded(f"{len(steps)} steps are not the least")
    for step in steps:
        table.carry(step)


def by_first(table: Tabletop) -> None:
    """Carry out only the first published step."""
    table.carry(table.status.shifts[0])


def by_lights(table: Tabletop) -> None:
    """Follow one light: put the requested piece on its place, or take the piece from its place."""
    status = table.status
    lit = dict(sorted(status.roles.items()))
    wanted = {p: status.piece_for[p] for p, role in lit.items() if role is Role.PUT}
    ready = [p for p, piece in wanted.items() if table.hand[piece] or table.box[piece]]
    place = table.rng.choice([*ready, *(p for p in lit if lit[p] in TAKEN)] or [*wanted])
    if place in wanted:
        table.put(wanted[place], place)
    else:
        table.take(place)


def by_anything(table: Tabletop) -> None:
    """Do a random action that a person could do next. The action carries, takes or puts a piece
    that the turn moves, or carries out the first published step.
    """
    position = table.status.position if table.turn is None else table.turn.position
    after = {} if position is None else position.cells
    shifts = [*(table.turn.consequences if table.turn else ()), *table.status.shifts]
    free = [
        s
        for s in shifts
        if s.source is not None
        and table.cells.get(s.source) == s.piece != after.get(s.source)
        and s.target not in table.cells
    ]
    lit = [place for place, role in table.status.roles.items() if role in TAKEN]
    held = [(p, place) for place, p in after.items() if table.hand[p] and place not in table.cells]
    what = table.rng.choice(["carry", "carry", "take", "put", "list"])
    if what == "carry" and free:
        table.carry(table.rng.choice(free))
    elif what == "take" and lit:
        table.take(table.rng.choice(sorted(lit)))
    elif what == "put" and held:
        table.put(*table.rng.choice(sorted(held)))
    elif table.status.shifts:
        by_first(table)


Way = Callable[[Tabletop], None]
WAYS: Mapping[str, Way] = {
    "the list at once": by_list,
    "the list's first step": by_first,
    "lights alone": by_lights,
    "any order": by_anything,
}


def least(cells: Mapping[str, str], after: Mapping[str, str], steps: Sequence[Shift]) -> int:
    """Return the minimum number of actions that turn the board ``cells`` into the board ``after``.

    Each piece that leaves its place takes one action. Each piece that comes from the box takes one
    more action. If ``steps`` moves pieces in a circle, each piece that must wait in the box also
    takes one more action.
    """
    go = sum(after.get(place) != piece for place, piece in cells.items())
    come = (Counter(after.values()) - Counter(cells.values())).total()
    return go + max(come, sum(step.source is None for step in steps))


def play(game: Game, way: Way, rng: Random) -> int:
    """Play one random game to its end, and return its number of moves. Raises StrandedError.

    ``way``: the function that carries out the referee's requests.
    """
    table = Tabletop(game, rng)
    while table.status.phase is not Phase.OVER:
        position = table.status.position
        if position is None or table.status.phase is not Phase.TURN:
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
    """Carry out the player's own actions of a turn, without the consequences that the rules add."""
    table.box = Counter(s.piece for s in (*turn.act, *turn.consequences) if s.source is None)
    for shift in sorted(turn.act, key=lambda shift: shift.target is not None):
        table.carry(shift)
    if table.status.question is not None and turn.entrance is not None:
        table.look(Answer(turn.entrance.side))


def mix_up(table: Tabletop, but: Collection[str | None]) -> None:
    """Swap the pieces of 2, 3 or 8 places, so that the board is wrong. No legal move swaps pieces
    in this way.

    ``but``: the places whose pieces are not swapped.
    """
    places = sorted(table.cells.keys() - but)
    mixed = table.rng.sample(places, min(len(places), table.rng.choice([2, 3, 8])))
    pieces = [table.cells[place] for place in mixed]
    table.cells |= zip(mixed, [*pieces[1:], *pieces[:1]], strict=True)
    table.look()


def restore(table: Tabletop, way: Way, before: Mapping[str, str]) -> None:
    """Follow the requests until the board again has the pieces ``before``. Raises StrandedError."""
    table.box = Counter(before.values()) - Counter(table.cells.values())
    follow(table, way, None)
    if table.cells != before:
        raise table.stranded("the board should be as it was")


def follow(table: Tabletop, way: Way, turn: Turn | None) -> None:
    """Follow the requests until the referee has no more requests. Raises StrandedError.

    ``turn``: the turn to carry out, or None to restore the board.
    """
    table.turn = turn
    phase = Phase.FIX if turn is None else Phase.SETTLE
    for _ in range(MAX_STEPS):
        if table.status.phase in (Phase.TURN, Phase.OVER):
            table.hand.clear()  # Put the pieces from the hand back into the box.
            return
        if table.status.phase is not phase:
            raise table.stranded(f"the phase is {table.status.phase}")
        way(table)
    raise table.stranded("the list leads nowhere")


def run(echo: Callable[[str], None], games: int = 20, only: Collection[str] = ()) -> None:
    """Play ``games`` random games on each board for each way in which the robot follows the
    requests. Print the results.

    ``only``: the names of the games to play, or empty for all games.
    """
    for name, options in GAMES:
        if only and name not in only:
            continue
        game = game_type(name).create(options)
        said = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        for how, way in WAYS.items():
            moves = [play(game, way, Random(f"{said} {how} {n}")) for n in range(games)]
            echo(
                Measured(
                    "{game}, {way}: {games} games to the end, {moves} moves",
                    game=said,
                    way=how,
                    games=games,
                    moves=sum(moves),
                )
            )
