"""Going through a recorded game again, position by position, with the game's own rules."""

from __future__ import annotations

from firmware_host.config.errors import NotPossibleError
from firmware_host.journal.records import GameRecord
from firmware_host.messages import text
from games.base import Game, Position, RulesError
from games.registry import game_type


def rules_of(record: GameRecord) -> Game:
    """The rules that ``record`` was played by. Raises NotPossibleError where there are none."""
    try:
        return game_type(record.game).create(record.options)
    except RulesError as error:
        raise NotPossibleError(
            "Game {number} cannot be played by this version: {why}",
            remedy="Start another game. The journal keeps this one.",
            number=record.id,
            why=text(error.template, **error.params),
        ) from error


def positions(record: GameRecord) -> tuple[Position, ...]:
    """The start and the position after each move: one more than there are moves.

    Raises NotPossibleError, naming the move, where the rules do not allow it.
    """
    reached = [rules_of(record).start()]
    for ply, move in enumerate(record.moves, start=1):
        try:
            reached.append(reached[-1].play(move).position)
        except RulesError as error:
            raise NotPossibleError(
                "Game {number} cannot be replayed. Move {ply}, {move}: {why}",
                remedy="Start another game. The journal keeps this one.",
                number=record.id,
                ply=ply,
                move=move,
                why=text(error.template, **error.params),
            ) from error
    return tuple(reached)
