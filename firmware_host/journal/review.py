"""Going through a recorded game again, position by position, with the game's own rules."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.config.errors import NotPossibleError
from firmware_host.journal.records import GameRecord
from firmware_host.messages import text
from games.base import Game, Position, RulesError
from games.registry import game_type


@dataclass(frozen=True, slots=True)
class Replay:
    """A game gone through. ``positions``: the start and the one after each move."""

    game: Game
    moves: tuple[str, ...]
    positions: tuple[Position, ...]


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


def replay(record: GameRecord, known: Replay | None = None) -> Replay:
    """Go through ``record``; ``known``: of the same game, as it stood earlier. What both have in
    common is not gone through again.

    Raises NotPossibleError, naming the move, where the rules do not allow it.
    """
    if known is None:
        game = rules_of(record)
        known = Replay(game, (), (game.start(),))
    same = 0
    for move, earlier in zip(record.moves, known.moves, strict=False):
        if move != earlier:
            break
        same += 1
    reached = list(known.positions[: same + 1])
    for ply, move in enumerate(record.moves[same:], start=same + 1):
        try:
            reached.append(reached[-1].after(move))
        except RulesError as error:
            raise NotPossibleError(
                "Game {number} cannot be replayed. Move {ply}, {move}: {why}",
                remedy="Start another game. The journal keeps this one.",
                number=record.id,
                ply=ply,
                move=move,
                why=text(error.template, **error.params),
            ) from error
    return Replay(known.game, record.moves, tuple(reached))
