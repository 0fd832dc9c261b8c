"""A game that begins in its middle and allows less than its rules: a lesson, or a puzzle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Game, IllegalMoveError, Outcome, Position, RulesError, Shift, Turn
from games.lesson import Lesson, Step
from games.rules import Rules


class WrappedGame(Game):
    """``game`` from the position after ``opening`` on, by other ``rules`` on the same states."""

    def __init__(self, game: Game, opening: Sequence[str], rules: Rules) -> None:
        self._game = game
        self.opening = tuple(opening)
        self.name, self.players, self.pieces = game.name, game.players, game.pieces
        self.board, self.blocked, self.teams = game.board, game.blocked, game.teams
        self.labels, self.hexagonal = game.labels, game.hexagonal
        self.edge_slots, self.drawing = game.edge_slots, game.drawing
        self.rules = rules

    def start(self) -> Position:
        """The position after the opening."""
        state = self._game.rules.start()
        for move in self.opening:
            number = self._game.rules.number(move)
            if number is None:
                raise IllegalMoveError("{move} is not a legal move now.", move=move)
            state = self._game.rules.apply(state, number)
        return Position(self, state)

    def step_at(self, position: Position) -> int:
        """How many moves have been made since."""
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


class GuidedGame(WrappedGame):
    """``game`` as far as ``lesson`` goes: the only legal move is the next one of it."""

    def __init__(self, game: Game, lesson: Lesson) -> None:
        script = (*lesson.opening, *(step.move for step in lesson.steps))
        super().__init__(game, lesson.opening, GuidedRules(game.rules, script))
        self.lesson = lesson

    def next_step(self, position: Position) -> Step | None:
        """What is to be done; None after the last one."""
        at = self.step_at(position)
        return self.lesson.steps[at] if at < len(self.lesson.steps) else None

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """The lesson goes its own way."""
        return None if move in position.legal() else _ANOTHER_MOVE

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """As ``refusal``, for a piece that was put somewhere."""
        turns = [position.play(move) for move in position.legal()]
        goals = {shift.target for turn in turns for shift in (*turn.act, *turn.consequences)}
        if place in goals and self._game.drop_refusal(position, piece, place) is None:
            return None
        return _ANOTHER_MOVE


class PuzzleGame(WrappedGame):
    """After ``opening`` whoever is to move finds ``line``: the solution, what the other side then
    answers, the next solution and so on. After its last answer he is to win at once.
    """

    rules: PuzzleRules

    def __init__(self, game: Game, opening: Sequence[str], line: Sequence[str]) -> None:
        super().__init__(game, opening, PuzzleRules(game.rules, len(opening)))
        self.line = tuple(line)
        start = self.start()
        self.solver = start.mover
        self.rules.expect(start.state, line)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """By the game's rules; after a wrong move there is nothing but to take it back."""
        if move in position.legal():
            return None
        return self._game.refusal(position, move) or _NOT_HERE

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """As ``refusal``, for a piece that was put somewhere."""
        return self._game.drop_refusal(position, piece, place) or _NOT_HERE


class WrappedRules(Rules):
    """``rules`` of which a subclass allows fewer moves. They are not listed beforehand, so that
    nobody looks ahead by them.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.players = rules.players

    def start(self) -> Any:
        """As the rules have it."""
        return self._rules.start()

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


class GuidedRules(WrappedRules):
    """Rules of which only ``script`` may be played."""

    def __init__(self, rules: Rules, script: Sequence[str]) -> None:
        super().__init__(rules)
        self._script = script

    def moves(self, state: Any) -> Sequence[int]:
        """The next of the script, if it is legal."""
        wanted = self._script[state.turn] if state.turn < len(self._script) else None
        return [move for move in self._rules.moves(state) if self._rules.name(move) == wanted]


class PuzzleRules(WrappedRules):
    """Any move of the solver's after ``begun`` moves; the line goes on after the right ones."""

    def __init__(self, rules: Any, begun: int) -> None:
        super().__init__(rules)
        self._begun = begun
        self._keys: list[int] = []  # of the positions on the way, before each move of the line
        self._line: list[int] = []

    def expect(self, state: Any, line: Sequence[str]) -> None:
        """Note what is expected from ``state`` on, move by move."""
        for name in line:
            move = self.number(name)
            if move is None:
                raise IllegalMoveError("{move} is not a legal move now.", move=name)
            self._keys.append(self.key(state))
            self._line.append(move)
            state = self.apply(state, move)
        self._keys.append(self.key(state))

    def moves(self, state: Any) -> Sequence[int]:
        """What may be tried now."""
        made = state.turn - self._begun
        if not 0 <= made < len(self._keys) or (self._keys and self.key(state) != self._keys[made]):
            return self._rules.moves(state) if made == 0 else []
        if made % 2 == 0:
            return self._rules.moves(state)
        return self._line[made : made + 1]


_ANOTHER_MOVE = IllegalMoveError("Not yet: this lesson goes another way.")
_NOT_HERE = IllegalMoveError("Not here: take it back and try again.")
