"""Adapts the rules of Momentum to the host: names the cells, and explains the consequences of moves
and refused moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from tiltboard.games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    Outcome,
    PieceLook,
    Position,
    RulesError,
    Shift,
    Turn,
)
from tiltboard.games.momentum.options import CUSHION, HOLE, PRESETS, SPECS, MomentumBoard, read
from tiltboard.games.momentum.rules import COMPLETE, FULL, SWAP, MomentumRules, State
from tiltboard.games.rules import cell_name
from tiltboard.games.search import Evaluate, Weights, numbers
from tiltboard.ground.override import override

COLOURS = ("red", "blue", "white", "green")
# Number of rings of cells, counted by distance from the edge. A marble three steps from the edge is
# as safe as a marble further inside.
RINGS = 4


ROLLS, FALLS_IN, ROLLS_OFF = "rolls", "falls in", "rolls off"
# Sentences that explain why a marble moves. The key states what happens to the marble, and whether
# the new marble hit this marble directly.
REASONS = {
    (ROLLS, True): "{move} hits {hit}, which rolls to {target}.",
    (ROLLS, False): "{move} hits {hit}, so {source} rolls to {target}.",
    (FALLS_IN, True): "{move} hits {hit}, which rolls into the hole.",
    (FALLS_IN, False): "{move} hits {hit}, so {source} rolls into the hole.",
    (ROLLS_OFF, True): "{move} hits {hit}, which rolls off the board.",
    (ROLLS_OFF, False): "{move} hits {hit}, so {source} rolls off the board.",
}


class MomentumGame(Game):
    """A game of Momentum with fixed options."""

    name = "momentum"
    weights, levels = numbers(__package__, "weights"), numbers(__package__, "levels")

    def __init__(self, options: Mapping[str, Any], board: MomentumBoard) -> None:
        """Create a game on ``board``. ``options`` must contain all options; an unset option is
        None.
        """
        self.options = options
        self.rules: MomentumRules = MomentumRules(board, options)
        self._board = board
        self.board = board.points
        self.blocked = board.blocked
        self.players = COLOURS[: self.rules.players]
        self.pieces = self.players
        if len(self.players) == 4:  # Rule M8: four players form two teams.
            self.teams = (self.players[::2], self.players[1::2])
        self.hexagonal = options["hex"] is not None
        # The names shown to people give column and row, as on other boards.
        if self.hexagonal:
            self.labels = {place: cell_name(*point) for place, point in self.board.items()}

    def evaluation(self, weights: Weights) -> Evaluate | None:
        """Return a function that estimates how good a state of a two-player game is. The estimate
        depends on the distances of the marbles from the edge, and on how many marbles each player
        still needs. Return None for more than two players.
        """
        if self.rules.players != 2:
            return None
        # Values of an empty cell, of a red marble and of a blue marble, in this order, because the
        # content of a cell is used as the index.
        worth = [
            (at, (0, weights["rings"][near], -weights["rings"][near]))
            for at, near in rings(self.rules).items()
        ]
        (tempo,), near_end = weights["tempo"], weights["near_end"]
        marbles, most = self.rules.marbles, len(near_end) - 1

        def evaluate(state: Any) -> int:
            cells = state.cells
            value = 0
            for at, each in worth:
                value += each[cells[at]]
            red, blue = state.held
            value += near_end[min(marbles - red, most)] - near_end[min(marbles - blue, most)]
            return int(tempo + (value if state.turn % 2 == 0 else -value))

        return evaluate

    @property
    def playout_rules(self) -> MomentumRules:
        """Rules without the forced block (rule M8), for random playouts. Playouts with these rules
        are a hundred times as fast and give nearly the same results.
        """
        if not self.rules.must_block:
            return self.rules
        return MomentumRules(self._board, {**self.options, "must_block": False})

    def cells(self, state: State) -> Mapping[str, str]:
        """Return the colour of the marble on each occupied cell, by cell name."""
        return {
            name: self.players[cell - 1]
            for name, index in self.rules.index.items()
            if isinstance(cell := state.cells[index], int) and cell
        }

    def reserve(self, state: State) -> Mapping[str, int]:
        """Return how many marbles each player has off the board, by player name. The player to move
        always has at least one marble, because the game ends when a player brings in the last
        marble.
        """
        held = zip(self.players, state.held, strict=True)
        return {player: self.rules.marbles - count for player, count in held}

    def outcome(self, position: Position) -> Outcome:
        """Return the result of the game. The ``places`` of the result are the cells of all marbles
        of the winner or of the winning team.
        """
        winner, team = self.rules.winner(position.state)
        players = self.players
        shown = {players[member] for member in (team if winner is None else (winner,))}
        return Outcome(
            None if winner is None else players[winner],
            position.state.ended,
            tuple(players[member] for member in team) if team and self.teams else None,
            places=tuple(place for place, colour in position.cells.items() if colour in shown),
        )

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the turn: either a dropped marble with the marbles that it pushes, or a swap."""
        player, cells, names = before.mover, before.cells, self.rules.names
        if move == SWAP:
            (place, piece), *_ = cells.items()
            act = (Shift(piece, place, None), Shift(player, None, place))
            return Turn(SWAP, player, act, (), after)
        pushes = self.rules.pushes(before.state, after.state, self.rules.index[move])
        consequences = tuple(
            Shift(cells[names[source]], names[source], None if target is None else names[target])
            for source, target in pushes
        )
        return Turn(move, player, (Shift(player, None, move),), consequences, after)

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """Return a sentence that explains why marbles move. The sentence names the marble that was
        hit, and the cell to which the last marble in line goes.
        """
        if shift.source is None or turn.move not in self.board:
            return "", {}
        x, y = self.board[turn.move]
        far_x, far_y = self.board[shift.source]
        dx, dy = ((b > a) - (b < a) for a, b in ((x, far_x), (y, far_y)))
        at = {point: place for place, point in self.board.items()}
        hit, beyond = at[x + dx, y + dy], at.get((far_x + dx, far_y + dy), "")
        end = FALLS_IN if self.blocked.get(beyond) == HOLE else ROLLS_OFF
        if shift.target is not None:
            end = ROLLS
        params = {"move": turn.move, "hit": hit, "source": shift.source, "target": shift.target}
        return REASONS[end, hit == shift.source], params

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why the player to move cannot drop ``piece`` on ``place``,
        or None.
        """
        if not position.over and piece != position.mover:
            return IllegalMoveError(
                "{player}'s turn.",
                player=position.mover,
            )
        if place == SWAP:  # ``swap`` is the name of a move, but not of a place.
            return IllegalMoveError("{place} is not a cell of this board.", place=place)
        return self.refusal(position, place)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that explains why ``move`` cannot be played, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move == SWAP:
            if self.rules.may_swap(position.state):
                return None
            if len(self.players) != 2:
                return IllegalMoveError("Swapping is for two players only.")
            if not self.options["pie"]:
                return IllegalMoveError("This game is played without swapping.")
            return IllegalMoveError("Only the second player may swap, and only on the first turn.")
        if self.blocked.get(move) == HOLE:
            return IllegalMoveError(
                "{place} is a hole. Drop your marble on an open space.", place=move
            )
        if self.blocked.get(move) == CUSHION:
            return IllegalMoveError(
                "{place} is a cushion. Drop your marble on an open space.", place=move
            )
        if move in self.options["missing"]:
            return IllegalMoveError("{place} is missing from this board.", place=move)
        if move not in self.rules.index:
            return IllegalMoveError("{place} is not a cell of this board.", place=move)
        if move in position.cells:
            return IllegalMoveError(
                "{place} is not empty. Drop your marble on an empty space.", place=move
            )
        if move not in position.legal():
            following = self.players[(position.state.turn + 1) % len(self.players)]
            return IllegalMoveError(
                "{place} lets {next} win immediately. {player} has to block that.",
                place=move,
                next=following,
                player=position.mover,
            )
        return None


def rings(rules: MomentumRules) -> dict[int, int]:
    """Return how many steps each cell is away from the nearest cell at an edge of the board or of a
    hole. The number is at most ``RINGS - 1``.
    """
    start = rules.start().cells
    edge = [at for at in rules.cells if any(start[at + step] is None for step in rules.steps)]
    found = dict.fromkeys(edge, 0)
    queue = deque(edge)
    while queue:
        at = queue.popleft()
        for step in rules.steps:
            if at + step in rules.names and at + step not in found:
                found[at + step] = min(found[at] + 1, RINGS - 1)
                queue.append(at + step)
    return {at: found.get(at, RINGS - 1) for at in rules.cells}


class MomentumType(GameType):
    """The game type Momentum, which creates games from options."""

    name = "momentum"
    credit = Credit(
        "Momentum",
        "Phil Leduc",
        2010,
        "Whoever programs or sells Momentum in any form is asked to contact its author, "
        "Phil Leduc, for permission.",
    )
    option_specs = SPECS
    presets = PRESETS
    look = PieceLook("{colour} marble")
    last_piece = "Last marble"
    lets = "{player} {move} let {winner}'s last marble in"
    reasons: Mapping[str, str] = {
        "wins": "It brings {player}'s last marble in.",
        "wins-in": "{player}'s last marble is in within {turns} turns, whatever {other} does.",
        "twice": "Whatever {other} does, {player}'s last marble comes in next turn.",
        "only": "Nothing else stops {other}'s last marble. One threat is {move}.",
        "blocks": "It stops {other}'s last marble, which {move} would bring in.",
        "threatens": "It threatens {player}'s last marble next turn, so {other} has to answer.",
        "race": "{player} wins the race for the last marble, but not soon.",
        "lasts": "{other} wins in any case. This takes the longest.",
        "quiet": "{player}'s marbles are safer there, and the chances are {share} %.",
    }
    to_put = "Drop a marble on any lit space."
    aim = "Marbles push marbles. Get all of yours onto the board."
    rules_summary = (
        "Take turns to drop a marble of your colour on any empty space.",
        (
            "Your marble bumps its eight neighbours. Each bump runs down the row of touching "
            "marbles, and the last one rolls on one space – whoever it belongs to. A marble that "
            "rolls off the board or into a hole goes back to its owner; one against a cushion "
            "stays."
        ),
        "Have all your marbles on the board at the end of your turn, and you win.",
        (
            "With two players, the second may swap on their first turn: take over the marble "
            "already there."
        ),
        (
            "With three players, you must block the next player's win if you can. With four, Red "
            "and White play Blue and Green, and one complete set wins for both."
        ),
        "If a number of rounds was agreed, whoever then holds more than half of the marbles on "
        "the board wins; otherwise it is a draw, as it is when no empty cell is left.",
    )

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return the text that states the number of marbles that decided the game."""
        if outcome.reason == COMPLETE:
            count = {"count": len(outcome.places)}
            if outcome.team:
                return "all {count} of {winner}'s marbles are on the board", count
            return "all {count} marbles are on the board", count
        if outcome.reason == FULL:
            return "no space is left", {}
        if outcome.winner or outcome.team:
            return "more than half of the marbles on the board after the last round", {}
        return "nobody has more than half of the marbles after the last round", {}

    @override
    def create(self, options: Mapping[str, Any]) -> MomentumGame:
        return MomentumGame(*read(options))

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Return whether the board is a hexagon, whose cells have names with commas, such as
        ``0,-1``.
        """
        return options.get("hex") is not None


MOMENTUM = MomentumType()
