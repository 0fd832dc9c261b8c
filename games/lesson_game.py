"""Lessons and puzzles: games that start from a given position and follow a fixed line of moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltboard.games.base import Game, IllegalMoveError, Outcome, Position, RulesError, Shift, Turn
from tiltboard.games.lesson import Lesson, LessonStep
from tiltboard.games.rules import Rules

_ANOTHER_WAY = IllegalMoveError("Not yet: this lesson goes another way.")
_NOT_HERE = IllegalMoveError("Not here: take it back and try again.")


class _LineRules(Rules):
    """The rules of a game, restricted to the position after ``opening`` and the moves of ``line``.

    If ``free`` is true, the first player can try any legal move, but the line continues only after
    the correct move. Raises IllegalMoveError if a move of ``opening`` or ``line`` does not exist in
    the game.
    """

    def __init__(
        self, rules: Rules, opening: Sequence[str], line: Sequence[str], *, free: bool
    ) -> None:
        self._rules = rules
        self.players = rules.players
        self._free = free
        self._begun = len(opening)
        states, numbers = [rules.start()], []
        for name in (*opening, *line):
            number = rules.number(name)
            if number is None:
                raise IllegalMoveError("{move} is not a legal move now.", move=name)
            numbers.append(number)
            states.append(rules.apply(states[-1], number))
        self._start, self._line = states[self._begun], numbers[self._begun :]
        self._keys = [rules.key(state) for state in states[self._begun :]]

    def start(self) -> Any:
        return self._start

    def moves(self, state: Any) -> Sequence[int]:
        made = state.turn - self._begun
        if not 0 <= made < len(self._keys) or self.key(state) != self._keys[made]:
            return []
        if self._free and made % 2 == 0:
            return self._rules.moves(state)
        return self._line[made : made + 1]

    # The methods below work as in the unrestricted rules.

    def apply(self, state: Any, move: int) -> Any:
        return self._rules.apply(state, move)

    def result(self, state: Any) -> tuple[int, ...] | None:
        return self._rules.result(state)

    def key(self, state: Any) -> int:
        return self._rules.key(state)

    def name(self, move: int) -> str:
        return self._rules.name(move)

    def number(self, name: str) -> int | None:
        return self._rules.number(name)

    def mover(self, state: Any) -> int:
        return self._rules.mover(state)


class _AlongALine(Game):
    """The game ``game``, restricted to a line of moves by ``_LineRules``. ``elsewhere`` is the
    error for legal moves that are not on the line.
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
        self.name, self.options, self.players = game.name, game.options, game.players
        self.pieces, self.teams, self.labels = game.pieces, game.teams, game.labels
        self.board, self.blocked, self.hexagonal = game.board, game.blocked, game.hexagonal
        self.edge_slots, self.drawing = game.edge_slots, game.drawing
        self.rules = _LineRules(game.rules, opening, line, free=free)

    def step_at(self, position: Position) -> int:
        """Return the number of moves made since the end of the opening."""
        return int(position.state.turn) - len(self.opening)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        if move in position.legal():
            return None
        return self._game.refusal(Position(self._game, position.state), move) or self._elsewhere

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        whole = Position(self._game, position.state)
        return self._game.drop_refusal(whole, piece, place) or self._elsewhere

    # The methods below work as in the unrestricted game.

    def cells(self, state: Any) -> Mapping[str, str]:
        return self._game.cells(state)

    def figures(self, state: Any) -> Mapping[str, int]:
        return self._game.figures(state)

    def outcome(self, position: Position) -> Outcome:
        return self._game.outcome(position)

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        return self._game.turn(before, move, after)

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        return self._game.why(turn, shift)

    def reserve(self, state: Any) -> Mapping[str, int]:
        return self._game.reserve(state)


class GuidedGame(_AlongALine):
    """The game ``game``, restricted so that the next move of ``lesson`` is the only legal move."""

    def __init__(self, game: Game, lesson: Lesson) -> None:
        line = [step.move for step in lesson.steps]
        super().__init__(game, lesson.opening, line, _ANOTHER_WAY, free=False)
        self.lesson = lesson

    def next_step(self, position: Position) -> LessonStep | None:
        """Return the next step of the lesson, or None after the last step."""
        at = self.step_at(position)
        return self.lesson.steps[at] if at < len(self.lesson.steps) else None

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why ``piece`` cannot be dropped on ``place``, or None.
        Also return None if the next step moves a piece to ``place``.
        """
        turns = [position.play(move) for move in position.legal()]
        goals = {shift.target for turn in turns for shift in (*turn.act, *turn.consequences)}
        found = super().drop_refusal(position, piece, place)
        return None if place in goals and found is self._elsewhere else found


class PuzzleGame(_AlongALine):
    """A puzzle for the solver, who is the player to move after the moves of ``opening``.

    ``line`` is the solution: the solver's first move, the other player's answer, the solver's next
    move and so on. After the last answer, the solver must win with the next move. After a wrong
    move, the solver must undo the move to continue.
    """

    def __init__(self, game: Game, opening: Sequence[str], line: Sequence[str]) -> None:
        super().__init__(game, opening, line, _NOT_HERE, free=True)
        self.solver = self.start().mover
