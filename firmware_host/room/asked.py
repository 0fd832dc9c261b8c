"""What may be asked of a game of seats now, and by whom."""

from __future__ import annotations

from collections.abc import Container

from firmware_host.config.errors import NotPossibleError
from firmware_host.room.chance import CHANCE
from firmware_host.room.proposals import Proposal
from firmware_host.table.line import Line
from firmware_host.table.seat_commands import SeatMove
from games.base import Position
from games.seated import SeatedGame


def check_move(
    game: SeatedGame,
    position: Position,
    asked: SeatMove,
    computers: Container[str],
    proposed: tuple[Proposal | None, ...],
) -> None:
    """Raises NotPossibleError where the move is not his who asks. ``computers``: players whose
    moves of hands anybody tells; so does anybody how what is ``proposed`` went.
    """
    who = asked.move.partition(":")[0]
    theirs = who in game.players and who != asked.player
    if theirs and not (
        (who in computers and game.takes_back(asked.move))
        or any(_tells(game, position, each, asked.move) for each in proposed)
    ):
        raise NotPossibleError("This is another player's move.", remedy="Sit down there.")
    secret = game.shown_move(asked.move, "") != asked.move  # which cards lie where
    if who == CHANCE and (game.at_once(position) or secret):
        raise NotPossibleError("The table deals this itself.", remedy="Wait a moment.")


def _tells(game: SeatedGame, position: Position, proposed: Proposal | None, move: str) -> bool:
    """Whether ``move`` says that it was done, or that it failed."""
    if proposed is None:
        return False
    failed = game.failure(position, proposed.move)
    return move == proposed.move or (failed is not None and move.startswith(failed))


def check_hands(game: SeatedGame, position: Position, move: str) -> None:
    """Raises RulesError where it is not legal that hands do it, NotPossibleError where it needs
    none.
    """
    refusal = game.refusal(position, move)
    if refusal is not None:
        raise refusal
    if game.failure(position, move) is None:
        raise NotPossibleError("This needs no hands.", remedy="Say it yourself.")


def kept_moves(line: Line, game: SeatedGame) -> int | None:
    """How many moves are left after the one that may be taken back; None: none may be."""
    for at in range(len(line.moves) - 1, -1, -1):
        if game.takes_back(line.moves[at]):
            return at
        if not game.passes(line.moves[at]):
            return None
    return None
