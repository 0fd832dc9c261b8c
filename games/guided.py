"""A game that begins in its middle and goes along a line of moves: a lesson, or a puzzle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Game, IllegalMoveError, Outcome, Position, RulesError, Shift, Turn
from games.lesson import Lesson, Step
from games.rules import Rules


class _AlongALine(Game):
    """``game`` from the position after ``opening`` on, with ``line`` as its only legal moves.
    ``free``: whoever moves first may try any move, after which it goes on if that was the right
    one. ``elsewhere``: said of a move that only the line does not allow.
    """

    def __init__(
        self,
        game: Game,
        opening: Sequence[str],
        line: Sequence[str],
        elsewhere: IllegalMoveError,
        *,
        free: bool,
    ) -> None:
        self._game = game
        self._elsewhere = elsewhere
        self.opening, self.line = tuple(opening), tuple(line)
        self.name, self.players, self.pieces = game.name, game.players, game.pieces
        self.board, self.blocked, self.teams = game.board, game.blocked, game.teams
        self.labels, self.hexagonal = game.labels, game.hexagonal
        self.edge_slots, self.drawing = game.edge_slots, game.drawing
        self.rules = _LineRules(game.rules, opening, line, free=free)

    def step_at(self, position: Position) -> int:
        """How many moves have been made since the opening."""
        return int(position.state.turn) - len(self.opening)

    @property
    def options(self) -> Mapping[str, Any]:
        """Those of the game."""
        return self._game.options

    def cells(self, state: Any) -> Mapping[str, str]:
        """As the game has it."""
        return self._game.cells(state)

    def figures(self, state: Any) -> Mapping[str, int]:
        """As the game itself."""
        return self._game.figures(state)

    def outcome(self, position: Position) -> Outcome:
        """As the game has it."""
        return self._game.outcome(position)

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """As the game has it."""
        return self._game.turn(before, move, after)

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """As the game tells it."""
        return self._game.why(turn, shift)

    def reserve(self, state: Any) -> Mapping[str, int]:
        """As the game has it."""
        return self._game.reserve(state)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """By the game's rules, or because the line goes another way."""
        if move in position.legal():
            return None
        return self._game.refusal(Position(self._game, position.state), move) or self._elsewhere

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """As ``refusal``, for a piece that was put somewhere."""
        whole = Position(self._game, position.state)
        return self._game.drop_refusal(whole, piece, place) or self._elsewhere


class GuidedGame(_AlongALine):
    """``game`` as far as ``lesson`` goes: the only legal move is the next one of it."""

    def __init__(self, game: Game, lesson: Lesson) -> None:
        line = [step.move for step in lesson.steps]
        super().__init__(game, lesson.opening, line, _ANOTHER_WAY, free=False)
        self.lesson = lesson

    def next_step(self, position: Position) -> Step | None:
        """What is to be done; None after the last one."""
        at = self.step_at(position)
        return self.lesson.steps[at] if at < len(self.lesson.steps) else None

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """None also where the next step brings a piece."""
        turns = [position.play(move) for move in position.legal()]
        goals = {shift.target for turn in turns for shift in (*turn.act, *turn.consequences)}
        found = super().drop_refusal(position, piece, place)
        return None if place in goals and found is self._elsewhere else found


class PuzzleGame(_AlongALine):
    """After ``opening`` whoever is to move, the ``solver``, finds ``line``: the solution, what the
    other side then answers, the next solution and so on. After its last answer he is to win at
    once; after a wrong move there is nothing but to take it back.
    """

    def __init__(self, game: Game, opening: Sequence[str], line: Sequence[str]) -> None:
        super().__init__(game, opening, line, _NOT_HERE, free=True)
        self.solver = self.start().mover


class _LineRules(Rules):
    """``rules`` of which only a line may be played. Its moves are not listed beforehand, so that
    nobody looks ahead by them. Raises IllegalMoveError for a move that is none.
    """

    def __init__(
        self, rules: Rules, opening: Sequence[str], line: Sequence[str], *, free: bool
    ) -> None:
        self._rules = rules
        self.players = rules.players
        self._free = free
        self._begun = len(opening)
        self._start = rules.start()
        for name in opening:
            self._start = rules.apply(self._start, self._numbered(name))
        self._line = [self._numbered(name) for name in line]
        state = self._start
        self._keys = [rules.key(state)]  # of the positions on the way, before each move and at last
        for move in self._line:
            state = rules.apply(state, move)
            self._keys.append(rules.key(state))

    def _numbered(self, name: str) -> int:
        move = self._rules.number(name)
        if move is None:
            raise IllegalMoveError("{move} is not a legal move now.", move=name)
        return move

    def start(self) -> Any:
        """The position after the opening."""
        return self._start

    def moves(self, state: Any) -> Sequence[int]:
        """What may be made or tried now."""
        made = state.turn - self._begun
        if not 0 <= made < len(self._keys) or self.key(state) != self._keys[made]:
            return []
        if self._free and made % 2 == 0:
            return self._rules.moves(state)
        return self._line[made : made + 1]

    def apply(self, state: Any, move: int) -> Any:
        """As the rules have it."""
        return self._rules.apply(state, move)

    def result(self, state: Any) -> tuple[int, ...] | None:
        """As the rules have it."""
        return self._rules.result(state)

    def key(self, state: Any) -> int:
        """As the rules have it."""
        return self._rules.key(state)

    def name(self, move: int) -> str:
        """As the rules have it."""
        return self._rules.name(move)

    def number(self, name: str) -> int | None:
        """As the rules have it."""
        return self._rules.number(name)

    def mover(self, state: Any) -> int:
        """As the rules have it."""
        return self._rules.mover(state)


_ANOTHER_WAY = IllegalMoveError("Not yet: this lesson goes another way.")
_NOT_HERE = IllegalMoveError("Not here: take it back and try again.")
