"""The games' rules for programs: positions that never change, their moves, texts and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tiltboard.games import drawing
from tiltboard.games.base import (
    Game,
    GameType,
    Outcome,
    Position,
    RulesError,
    Shift,
)
from tiltboard.games.registry import EVERY_GAME, game_type

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def game_names() -> tuple[str, ...]:
    """Return the names of all games that are installed.

    >>> "momentum" in game_names()
    True
    """
    return tuple(EVERY_GAME)


def rules(name: str, **options: Any) -> GameRules:
    """Return the rules of a game with these options; ``tiltboard rules --help`` lists them.

    Raises RulesError for a game or an option that does not exist or does not fit.

        >>> game = rules("momentum", size=3, marbles=3)
        >>> game.players, game.options["size"]
        (('red', 'blue'), 3)
    """
    kind = game_type(str(name), EVERY_GAME)
    return GameRules(kind, kind.create(options))


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules of one game with its options fixed.

    >>> game = rules("momentum", size=3, marbles=3)
    >>> game.start().to_move, len(game.start().legal)
    ('red', 9)
    """

    _kind: GameType = field(repr=False)
    _game: Game = field(repr=False)

    @property
    def name(self) -> str:
        """The game's name, such as ``momentum``."""
        return self._game.name

    @property
    def options(self) -> Mapping[str, Any]:
        """All options, defaults filled in; None where one is not set."""
        return self._game.options

    @property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        return self._game.players

    @property
    def places(self) -> tuple[str, ...]:
        """The places of the board."""
        return tuple(self._game.board)

    @property
    def summary(self) -> tuple[str, ...]:
        """The rules in English, a short paragraph each."""
        return tuple(self._kind.rules_summary)

    def start(self) -> GamePosition:
        """Return the position before the first move."""
        return GamePosition(self, (self._game.start(),))

    def perft(self, depth: int) -> int:
        """Count the sequences of ``depth`` legal moves from the start; see ``GamePosition.perft``.

        >>> [rules("momentum", size=3, marbles=3).perft(depth) for depth in range(4)]
        [1, 9, 81, 600]
        """
        return self.start().perft(depth)

    def read(self, text: str) -> GamePosition:
        """Return the last position of a game written by ``GamePosition.text`` or by ``tiltboard
        games export``.

        Raises TiltboardError, naming the line, for a text that cannot be read, and RulesError for
        one of another game or with other options.

            >>> game = rules("momentum", size=3, marbles=3)
            >>> game.read(game.start().play("b2").text()).cells
            {'b2': 'red'}
        """
        from tiltboard.firmware_host.journal.text_format import read_game

        played = read_game(str(text))
        if played.game != self.name:
            raise RulesError(
                "This is a game of {theirs}, not of {ours}.", theirs=played.game, ours=self.name
            )
        if dict(played.options) != dict(self.options):
            other = sorted(k for k, v in self.options.items() if played.options.get(k) != v)
            raise RulesError(
                "This game was played with other options: {names}.", names=", ".join(other)
            )
        return self.start().play(*played.moves)


@dataclass(frozen=True, eq=False)
class GamePosition:
    """One position of a game, with the moves that led to it. It never changes: a move returns the
    next one.

        >>> game = rules("momentum", size=3, marbles=3)
        >>> after = game.start().play("b2", "c3")  # blue's drop pushes the red marble to a1
        >>> print(after)
        3 . . B
        2 . . .
        1 R . .
          a b c
        >>> after.undo(2) == game.start()
        True
    """

    rules: GameRules
    """The rules it is played by."""
    _reached: tuple[Position, ...] = field(repr=False)
    moves: tuple[str, ...] = ()
    """The moves that led here."""

    @property
    def to_move(self) -> str | None:
        """The player to move; None once the game is over."""
        return self._now.to_move

    @property
    def cells(self) -> Mapping[str, str]:
        """The piece on each occupied place. Pieces that stand on each other are joined by ``+``,
        the lowest first.
        """
        return self._now.cells

    @property
    def reserve(self) -> Mapping[str, int]:
        """Player -> pieces still to be played; empty in games without a reserve."""
        return self._now.reserve

    @property
    def legal(self) -> tuple[str, ...]:
        """Every legal move, sorted; empty once the game is over."""
        return self._now.legal()

    @property
    def result(self) -> Outcome | None:
        """The end of the game (``winner``, ``reason``, ``places``); None while it continues."""
        return self._now.outcome

    @property
    def consequences(self) -> tuple[Shift, ...]:
        """The other pieces that the last move has moved: ``piece``, ``source``, ``target``.

        >>> after = rules("momentum", size=3, marbles=3).start().play("b2", "c3")
        >>> [(shift.piece, shift.source, shift.target) for shift in after.consequences]
        [('red', 'b2', 'a1')]
        """
        return self._reached[-2].play(self.moves[-1]).consequences if self.moves else ()

    def play(self, *moves: str) -> GamePosition:
        """Return the position after these moves. Raises RulesError, naming the rule, for the first
        one that is not legal.
        """
        reached = list(self._reached)
        for move in moves:
            reached.append(reached[-1].play(move).position)
        return replace(self, _reached=tuple(reached), moves=(*self.moves, *moves))

    def undo(self, count: int = 1) -> GamePosition:
        """Return the position ``count`` moves earlier. Raises RulesError if there are fewer."""
        if not isinstance(count, int) or not 0 <= count <= len(self.moves):
            raise RulesError("There are {number} moves to undo.", number=len(self.moves))
        kept = len(self.moves) - count
        return replace(self, _reached=self._reached[: kept + 1], moves=self.moves[:kept])

    def perft(self, depth: int) -> int:
        """Count the sequences of ``depth`` legal moves from here: a check of a game's rules.

        Raises RulesError for a game with secrets or chance, whose moves cannot be listed, and for
        a ``depth`` that is not a whole number from 0 on.
        """
        game = self._now.game
        if not isinstance(depth, int) or depth < 0:
            raise RulesError("A depth is a whole number from 0 on, not {depth}.", depth=repr(depth))
        if game.seated:
            raise RulesError("The moves of {game} cannot be counted.", game=game.name)
        moves, apply = game.rules.moves, game.rules.apply

        def count(state: Any, left: int) -> int:
            if left == 0:
                return 1
            if left == 1:
                return len(moves(state))
            return sum(count(apply(state, move), left - 1) for move in moves(state))

        return count(self._now.state, depth)

    def text(self, started: datetime = EPOCH) -> str:
        """Return the game so far as the text that ``GameRules.read``, ``tiltboard games import``
        and people read (docs/journal.md). ``started``: the date in it, with a time zone.
        """
        from tiltboard.firmware_host.journal.records import JournalGame
        from tiltboard.firmware_host.journal.text_format import write_game

        result = None if self.result is None else self.result.as_json()
        options, started_s = self.rules.options, started.timestamp()
        return write_game(
            JournalGame(self.rules.name, options, started_s, "", self.moves, result, id=0)
        )

    def svg(self, move: str | None = None) -> str:
        """Return a picture of the position as SVG; with ``move``, also what that move does: its
        own piece with a ring, and an arrow for each piece that it moves. Raises as ``play`` does.

            >>> rules("momentum", size=3, marbles=3).start().svg(move="b2").startswith("<svg")
            True
        """
        kind, turn = game_type(self.rules.name, EVERY_GAME), None
        if move is not None:
            turn = self._now.play(move)
        return drawing.picture(self._now, kind, turn)

    _repr_svg_ = svg
    """The picture that a notebook shows."""

    @property
    def _now(self) -> Position:
        return self._reached[-1]

    def __str__(self) -> str:
        return drawing.board_text(self._now)

    def __eq__(self, other: object) -> bool:
        """Positions are equal if game, options and state are, whatever moves led to them."""
        if not isinstance(other, GamePosition):
            return NotImplemented
        ours, theirs = self.rules, other.rules
        same = ours.name == theirs.name and dict(ours.options) == dict(theirs.options)
        return same and bool(self._now.state == other._now.state)

    def __hash__(self) -> int:
        return hash((self.rules.name, *sorted(self.cells.items())))
