"""The confirmed moves of a game and their positions. Every confirmed move is in the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.games.base import Game, Outcome, Position, Turn


class PendingMove(msgspec.Struct, frozen=True):
    """A move that people are carrying out and that is not confirmed yet."""

    move: str
    requested: bool = False
    """True if a button or a page requested the move, so that people have not started to carry out
    the move.
    """
    extras: dict[str, str] = msgspec.field(default_factory=dict)
    """Place -> captured piece that was put on this place instead of being taken off the board."""


@dataclass(frozen=True, slots=True)
class Line:
    """One game as stored in the journal: its confirmed moves and their positions."""

    game: Game
    game_id: int
    moves: tuple[str, ...]
    reached: tuple[Position, ...]
    """All positions from the start to the last move. There is one more position than there are
    moves.
    """
    position: Position
    """The last position, which results from the turn ``last``."""
    last: Turn | None
    agreed: Outcome | None = None
    """The result if the players ended the game themselves (by agreement, resigning or time), or
    None otherwise.
    """

    @classmethod
    def of(
        cls,
        game: Game,
        game_id: int,
        moves: Sequence[str] = (),
        reached: Sequence[Position] = (),
        *,
        agreed: Outcome | None = None,
    ) -> Line:
        """Return the game with ``moves``. Positions that are not in ``reached`` are computed.
        Raises IllegalMoveError.
        """
        known = list(reached) or [game.start()]
        for move in moves[len(known) - 1 :]:
            known.append(known[-1].after(move))
        last = known[-2].play(moves[-1]) if moves else None
        return cls(game, game_id, tuple(moves), tuple(known), known[-1], last, agreed)

    def with_move(self, turn: Turn) -> Line:
        """Return the game with the confirmed move ``turn`` added."""
        moves, reached = (*self.moves, turn.move), (*self.reached, turn.position)
        return replace(self, moves=moves, reached=reached, position=turn.position, last=turn)

    def cut_to(self, to: int) -> Line:
        """Return the game cut back to its first ``to`` moves, without a result that the players
        agreed on.
        """
        return Line.of(self.game, self.game_id, self.moves[:to], self.reached[: to + 1])

    @property
    def outcome(self) -> Outcome | None:
        """The result, whether agreed by the players or given by the rules, or None while the game
        is not over.
        """
        return self.agreed or self.position.outcome

    @property
    def before(self) -> Position | None:
        """The position before the last confirmed move, or None if there is no move."""
        return self.reached[-2] if self.moves else None


RESIGNED = "resigned"
AGREED = "agreed"
TIME_UP = "time"
AGREED_DRAW = Outcome(None, AGREED)  # Result of a game in which all sides have offered a draw.


def sides(game: Game) -> tuple[tuple[str, ...], ...]:
    """Return the groups of players who win together: the teams, or each player alone."""
    return game.teams or tuple((player,) for player in game.players)


def side_of(game: Game, player: str) -> tuple[str, ...]:
    """Return the side of ``player``: the team, or the player alone. If there is no such player,
    raises a NotPossibleError that lists the players.
    """
    for side in sides(game):
        if player in side:
            return side
    raise NotPossibleError(
        "There is no player {name}; the players are: {known}.",
        name=player,
        known=", ".join(game.players),
    )


def resignation(game: Game, player: str, reason: str = RESIGNED) -> Outcome:
    """Return the result if ``player`` resigns or runs out of time. The other side wins.

    Raises NotPossibleError if there is no such player, or if there are more than two sides.
    """
    mine = side_of(game, player)
    others = [side for side in sides(game) if side != mine]
    if len(others) != 1:
        raise NotPossibleError(
            "With more than two sides nobody can resign: who would have won?",
            remedy="Begin a new game; this one is kept.",
        )
    [winners] = others
    return Outcome(
        winners[0] if len(winners) == 1 else None,
        reason,
        winners if game.teams else None,
        extra={"by": player},
    )


def agreed_end(game: Game, result: Mapping[str, Any] | None) -> Outcome | None:
    """Return the outcome stored in ``result`` if the players of ``game`` ended the game themselves,
    or None if the rules ended the game.
    """
    if result is None:
        return None
    try:
        ends = [AGREED_DRAW]
        if result.get("reason") in (RESIGNED, TIME_UP):
            ends.append(resignation(game, str(result.get("by")), str(result["reason"])))
    except NotPossibleError:
        return None
    return next((end for end in ends if end.as_json() == dict(result)), None)


class JournalPort(Protocol):
    """The journal, which stores the moves of games permanently. Each call is safely on disk when it
    returns, or raises JournalError. Repeating a successful call changes nothing.
    """

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Store ``move`` as the confirmed move number ``ply``, counted from 1."""

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Store the move that people are carrying out, or None if that move was cancelled."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Take back moves until only ``to`` moves remain. ``ply``: number of moves played before
        that.
        """

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Store the result of the game in the form of ``Outcome.as_json``."""
