"""Adapts the rules of Attraktion to the host: names the spaces, and explains the consequences of
moves and refused moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltboard.games.attraktion.rules import FULL, NO_PIECES, AttraktionRules, AttraktionState
from tiltboard.games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    Limit,
    OptionSpec,
    Outcome,
    PieceLook,
    Position,
    Preset,
    RulesError,
    Shift,
    Turn,
    checked,
)
from tiltboard.games.rules import bits
from tiltboard.ground.override import override

PLAYERS = ("white", "black")

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "size", "int", "Rows and columns of the board; 8 is for learners.", 10, 1, 26,
        label="Size", limit=Limit.SIDE,
    ),
    OptionSpec(
        "pieces", "int", "Pieces of each player; else half the spaces each.", None, 1,
        label="Pieces each",
    ),
)  # fmt: skip
PRESETS = tuple(
    Preset({"Board": label}, {"size": size})
    for size, label in ((10, "10 x 10"), (8, "8 x 8, to learn"), (7, "7 x 7"), (5, "5 x 5"))
)


class AttraktionGame(Game):
    """A game of Attraktion with fixed options."""

    name = "attraktion"
    players = PLAYERS
    pieces = PLAYERS

    def __init__(self, size: int, pieces: int) -> None:
        self.options = {"size": size, "pieces": pieces}
        self.rules: AttraktionRules = AttraktionRules(size, pieces)
        self.board = {name: self.rules.point(name) for name in sorted(self.rules.index)}

    def _spaces(self, numbers: int) -> list[str]:
        """Return the names of the spaces with a set bit in ``numbers``, sorted by code point."""
        return sorted(self.rules.names[at] for at in bits(numbers))

    def figures(self, state: AttraktionState) -> Mapping[str, int]:
        """Return how many winning positions (rule A3) each player has, by player name."""
        found = zip(PLAYERS, self.rules.winning(state), strict=True)
        return {player: middles.bit_count() for player, middles in found}

    def outcome(self, position: Position) -> Outcome:
        """Return the result of the game. In ``extra``, ``positions`` lists each player's winning
        positions (rule A3), each named by the space in the middle. ``places`` lists these middle
        spaces for both players.
        """
        middles = self.rules.winning(position.state)
        found = {p: self._spaces(each) for p, each in zip(PLAYERS, middles, strict=True)}
        won = self.rules.result(position.state)
        return Outcome(
            PLAYERS[won[0]] if won else None,
            position.state.ended,
            extra={"positions": found},
            places=tuple(sorted(place for places in found.values() for place in places)),
        )

    def cells(self, state: AttraktionState) -> Mapping[str, str]:
        """Return the colour of the piece on each occupied space, by space name."""
        owned = zip(PLAYERS, self.rules.sides(state), strict=True)
        return dict(sorted((name, player) for player, b in owned for name in self._spaces(b)))

    def reserve(self, state: AttraktionState) -> Mapping[str, int]:
        """Return how many pieces each player has not yet placed, by player name."""
        pieces, turn = self.rules.pieces, state.turn
        return {"white": pieces - (turn + 1) // 2, "black": pieces - turn // 2}

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the turn: the player's act places one piece, and the consequences are the pieces
        that this piece attracts.
        """
        player, names = before.mover, self.rules.names
        pulled = self.rules.pulled_pieces(before.state, self.rules.index[move])
        shifts = ((names[source], names[target]) for source, target in pulled)
        consequences = tuple(Shift(before.cells[a], a, b) for a, b in shifts)
        return Turn(move, player, (Shift(player, None, move),), consequences, after)

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """Return a sentence that explains why a piece moves. The sentence names the attracted
        piece, or the row of pieces of one colour that moves.
        """
        params = {"move": turn.move, "source": shift.source, "target": shift.target}
        if shift in turn.consequences:
            return "{move} pulls {source} to {target}.", params
        return (
            "{move} pulls a row one space closer. Move the {piece} piece from {source} to {target}."
        ), {**params, "piece": shift.piece}

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why the player to move cannot place ``piece`` on
        ``place``, or None.
        """
        if not position.over and piece != position.mover:
            return IllegalMoveError(
                "{player}'s turn.",
                player=position.mover,
            )
        return self.refusal(position, place)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that explains why ``move`` cannot be played, or None."""
        if position.state.ended == NO_PIECES:
            return IllegalMoveError("The game is over: no piece is left to place.")
        if position.over:
            return IllegalMoveError("The game is over.")
        if move not in self.board:
            return IllegalMoveError("{place} is not a space of this board.", place=move)
        if move in position.cells:
            return IllegalMoveError(
                "{place} is not empty. Place your piece on an empty space.", place=move
            )
        return None


class AttraktionType(GameType):
    """The game type Attraktion, which creates games from options."""

    name = "attraktion"
    credit = Credit("Attraktion", "Jaroslaw Cichocki", 2005)
    option_specs = SPECS
    look = PieceLook("{colour} piece", "stone")
    emblem = PLAYERS
    presets = PRESETS
    figure = "Winning positions"
    lets = "{player} {move} let {winner} make a winning position"
    reasons: Mapping[str, str] = {
        "wins": "It makes the winning position.",
        "wins-in": "{player} has a winning position within {turns} turns, whatever {other} does.",
        "twice": "Whatever {other} does, a winning position comes next turn.",
        "only": "Nothing else stops {other}'s winning position. One threat is {move}.",
        "blocks": "It spoils the winning position that {other} would make with {move}.",
        "threatens": "It threatens a winning position next turn, so {other} has to answer.",
        "race": "{player} gets a winning position by force, but not soon.",
        "lasts": "{other} wins in any case. This takes the longest.",
        "quiet": "It pulls pieces where {player} needs them. The chances are {share} %.",
    }
    to_put = "Place a piece on any lit space."
    aim = (
        "Every new piece pulls its row and column closer. Trap a piece between four of yours, "
        "corner to corner."
    )
    rules_summary = (
        "Take turns to place one piece of your colour on any empty space.",
        "The new piece then attracts: along its row and its column, from the nearest piece "
        "outward, every piece of either colour moves one space toward it, unless that space is "
        "taken. One that has just moved leaves room for the next.",
        "A winning position is a piece with opposing pieces on all four spaces diagonally next to "
        "it. What stands beside it does not matter, and positions may share pieces.",
        "After every turn both sides' winning positions are counted, and whoever has more wins, "
        "even on the other's turn. While they are equal the game goes on.",
        "It is a draw when the board is full, or when the player to move has no piece left.",
    )

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return the text that states how many winning positions each player has. For a draw, the
        text states why the game is a draw.
        """
        if outcome.winner is None:
            full = outcome.reason == FULL
            return "the board is full" if full else "no piece is left to place", {}
        counts = sorted(map(len, outcome.extra["positions"].values()))
        params = {"more": counts[1], "fewer": counts[0]}
        if counts[1] == 1:
            return "{more} winning position to {fewer}", params
        return "{more} winning positions to {fewer}", params

    @override
    def create(self, options: Mapping[str, Any]) -> AttraktionGame:
        values = checked("Attraktion", SPECS, options)
        size: int = values.get("size", 10)
        return AttraktionGame(size, values.get("pieces", (size * size + 1) // 2))


ATTRAKTION = AttraktionType()
