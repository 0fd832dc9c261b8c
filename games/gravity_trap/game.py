"""Adapts the rules of Gravity Trap to the host: names the bases, and explains the consequences of
moves and refused moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltboard.games.base import (
    Credit,
    Drawing,
    Game,
    GameType,
    IllegalMoveError,
    OptionError,
    OptionSpec,
    Outcome,
    PieceBody,
    PieceLook,
    Position,
    Preset,
    RulesError,
    Shift,
    Turn,
    checked,
    json_object,
)
from tiltboard.games.gravity_trap.board import (
    DEFAULT,
    SHIPPED,
    TrapBoard,
    curve,
    read,
    shipped_board,
    shipped_text,
)
from tiltboard.games.gravity_trap.rules import GravityTrapRules, TrapSolver, TrapState
from tiltboard.games.search import Evaluate, Weights, numbers
from tiltboard.ground.override import override

POD = "pod"
STUCK = "stuck"
NO_COPY, ALLOW = "no-copy", "allow"

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "board",
        "board",
        "The board, by name or as a file. The first one is our own reconstruction.",
        DEFAULT,
        choices=SHIPPED,
        label="Board",
        choice_labels=tuple(shipped_board(name).title for name in SHIPPED),
    ),
    OptionSpec(
        "mirror",
        "choice",
        "May the second player copy every move on the opposite side? Usually not, where the "
        "board knows what is opposite.",
        None,
        choices=(NO_COPY, ALLOW),
        label="Copying moves",
        choice_labels=("not allowed", "allowed"),
    ),
)


class GravityTrapGame(Game):
    """A game of Gravity Trap with fixed options."""

    name = "gravity-trap"
    weights, levels = numbers(__package__, "weights"), numbers(__package__, "levels")
    players = ("red", "blue")
    pieces = (*players, POD)

    def __init__(self, board: TrapBoard, options: Mapping[str, Any]) -> None:
        """Create a game on ``board``. ``options`` must contain all options; its entry ``board`` is
        a name or an object.
        """
        self.options = options
        self.layout = board
        self.rules: GravityTrapRules = GravityTrapRules(board, no_copy=options["mirror"] == NO_COPY)
        self.index = dict(sorted((str(base), base - 1) for base in board.bases))
        self.board = {str(base): place for base, place in sorted(board.positions.items())}
        drawn, places = [], []
        for number, track in enumerate(board.tracks, start=1):
            closed = number in board.closed
            drawn.append(curve([board.positions[base] for base in track], closed=closed))
            places.append(tuple(map(str, (*track, track[0]) if closed else track)))
        self.drawing = Drawing(tuple(drawn), tuple(places), board.hole, board.title)

    def outcome(self, position: Position) -> Outcome:
        """Return the result of the game. ``margin`` is the number of pods that the winner's ship
        can still reach in one move. ``places`` lists the base of that ship and the bases of these
        pods.
        """
        state = position.state
        within = self._named(self.rules.reach(state, state.winner))
        return Outcome(
            self.players[state.winner],
            STUCK,
            extra={"margin": len(within)},
            places=(self.rules.name(state.ships[state.winner]), *within),
        )

    def evaluation(self, weights: Weights) -> Evaluate | None:
        """Return a function that evaluates states by the number of pods that each ship can
        reach.
        """
        rules, (tempo, mine, theirs) = self.rules, weights["mobility"]

        def evaluate(state: Any) -> int:
            if state.turn < 2:
                return 0
            mover = state.turn % 2
            ours, others = rules.reach(state, mover), rules.reach(state, 1 - mover)
            return int(tempo + mine * ours.bit_count() - theirs * others.bit_count())

        return evaluate

    def exact_search(self) -> TrapSolver:
        """Return an exact search that proves which player wins."""
        return TrapSolver(self.rules)

    def cells(self, state: TrapState) -> Mapping[str, str]:
        """Return the ship or pod on each occupied base, by base name."""
        ships = dict(zip(state.ships, self.players, strict=False))
        return {
            name: ships.get(base, POD)
            for name, base in self.index.items()
            if base in ships or state.pods >> base & 1
        }

    def figures(self, state: TrapState) -> Mapping[str, int]:
        """Return how many pods each player's ship can reach, by player name. Empty until both ships
        are placed.
        """
        if not state.pods:
            return {}
        return {p: self.rules.reach(state, n).bit_count() for n, p in enumerate(self.players)}

    def _named(self, bases: int) -> tuple[str, ...]:
        return tuple(name for name, base in self.index.items() if bases >> base & 1)

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the turn: the player lifts the ship, removes the pod and lands the ship on the
        base where the pod was.

        ``path`` follows the track on which the ship passes the fewest bases. When the second ship
        is placed, the pods come from the box.
        """
        ship, state = before.mover, before.state
        if state.turn < 2:
            placed = (name for name, piece in after.cells.items() if piece == POD)
            pods = tuple(Shift(POD, None, name) for name in placed)
            return Turn(move, ship, (Shift(ship, None, move),), pods, after)
        source = self.rules.name(state.ships[state.turn % 2])
        ways: list[tuple[int, ...]] = []
        for track in self.layout.tracks:
            if int(source) in track and int(move) in track:
                start, end = track.index(int(source)), track.index(int(move))
                ways.append(track[start : end + 1] if start < end else track[end : start + 1][::-1])
        act = (Shift(ship, source, move), Shift(POD, move, None))
        path = min(ways, key=len)
        return Turn(move, ship, act, (), after, tuple(map(str, path)))

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why the player to move cannot put ``piece`` on ``place``,
        or None.
        """
        if not position.over and piece != position.mover:
            if piece == POD:
                return IllegalMoveError("Pods stay put until a ship lands on them.")
            return IllegalMoveError(
                "Only {player}'s ship can move now.",
                player=position.mover,
            )
        return self.refusal(position, place)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that explains why ``move`` cannot be played, or None."""
        state: TrapState = position.state
        if position.over:
            return IllegalMoveError("The game is over.")
        if move not in self.index:
            return IllegalMoveError("{place} is not a base of this board.", place=move)
        if move in position.legal():
            return None
        base, ships = self.index[move], state.ships
        if state.turn < 2:
            return IllegalMoveError("Base {place} is taken. Start on a free one.", place=move)
        mine, other = ships[state.turn % 2], ships[1 - state.turn % 2]
        if base == mine:
            return IllegalMoveError(
                "{player}'s ship is on base {place} already. Fly somewhere else.",
                player=position.mover,
                place=move,
            )
        if base == other:
            return IllegalMoveError(
                "The other ship is on base {place}. Land somewhere else.", place=move
            )
        if not self.rules.near[mine] >> base & 1:
            return IllegalMoveError(
                "No track joins bases {source} and {place}. Stay on one track.",
                source=self.rules.name(mine),
                place=move,
            )
        if not state.pods >> base & 1:
            return IllegalMoveError("Base {place} has no pod. Land on a pod.", place=move)
        return IllegalMoveError(
            "Base {place} is opposite to the move just made: the player who began opposite may "
            "not copy every move, unless it is the only one.",
            place=move,
        )


class GravityTrapType(GameType):
    """The game type Gravity Trap, which creates games from options."""

    name = "gravity-trap"
    credit = Credit(
        "Gravity Trap",
        "Mike McManaway",
        2008,
        "The drawing of the printed board is not in its rules: the board used here is our own "
        "reconstruction. Owners of a printed board can enter theirs.",
    )
    option_specs = SPECS
    look = PieceLook(
        "{colour} ship",
        "ship",
        body=PieceBody(27.2, height_mm=32.5, mass_g=18.0, foot_mm=6.0, mast_mm=17.0),
    )
    looks: Mapping[str, PieceLook] = {
        POD: PieceLook(
            "pod", "pod", "yellow", "slate", body=PieceBody(diameter_mm=24.8, mass_g=16.0)
        )
    }
    emblem = ("red", POD)
    presets = tuple(
        Preset({"Board": shipped_board(name).title}, {"board": name}) for name in SHIPPED
    )
    figure = "Pods in reach"
    lets = "{player} {move} let {winner} fly last"
    reasons: Mapping[str, str] = {
        "wins": "It leaves {other}'s ship no pod to fly to.",
        "wins-in": "{other}'s ship is stuck within {turns} turns, wherever it flies.",
        "twice": "Wherever {other} flies, {player} traps that ship next turn.",
        "only": "Anywhere else, {other} traps {player} next turn. One threat is {move}.",
        "blocks": "It keeps a pod for {player} after {other}'s {move}.",
        "threatens": "It threatens to trap {other} next turn. Few ways lead out.",
        "race": "Counted to the end, {other} runs out of pods first.",
        "lasts": "Counted to the end, {player} runs out of pods first. This takes the longest.",
        "quiet": "It keeps {player}'s ways open. The chances are {share} %.",
    }
    to_put = "Put your ship on any lit base."
    to_lift = "Pick up your ship."
    aim = "Hop from pod to pod. Win when your rival has nowhere left to land."
    rules_summary = (
        "Red puts a ship on any base, then blue on another. A pod goes on every other base, and "
        "red begins.",
        "In your turn, fly your ship along one of the tracks through its base to a pod on that "
        "track. You may fly over pods, empty bases and the other ship, but not change the track "
        "on the way. The pod that you land on is knocked into the hole.",
        "If your ship has landed where it can reach no pod any more, you have lost. If it can, "
        "and the other ship cannot, you have won. The winner counts the pods still "
        "in reach.",
        "Whoever starts second on the base opposite to the other ship may not simply copy every "
        "move on the opposite side; a copy that is the only move is allowed. As soon as one move "
        "was different, everything is free.",
    )

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return the text that states which ship is stuck, and how many pods the other ship can
        still reach.
        """
        margin = outcome.extra["margin"]
        if not margin:
            return "the other ship can't reach a pod any more", {}
        if margin == 1:
            return "the other ship is stuck, and {winner}'s still reaches 1 pod", {}
        return "the other ship is stuck, and {winner}'s still reaches {margin} pods", {
            "margin": margin
        }

    def board_of(self, text: str) -> Mapping[str, Any]:
        """Parse a board file, as TOML or as the JSON object of a board, and check the board
        completely. Raises OptionError.
        """
        if text.lstrip().startswith("{"):
            return TrapBoard.from_json(json_object("board", text)).as_json()
        return read(text).as_json()

    @override
    def largest_files(self) -> Mapping[str, str]:
        return {"board": shipped_text(DEFAULT)}

    @override
    def create(self, options: Mapping[str, Any]) -> GravityTrapGame:
        values = checked("Gravity Trap", SPECS, options)
        chosen = values.get("board", DEFAULT)
        named = isinstance(chosen, str)
        board = shipped_board(chosen) if named else TrapBoard.from_json(chosen)
        mirror = values.get("mirror", ALLOW if board.opposite is None else NO_COPY)
        if mirror == NO_COPY and board.opposite is None:
            raise OptionError(
                "Copying moves can only be forbidden on a board that says which bases are "
                "opposite to each other."
            )
        kept = chosen if named else board.as_json()
        return GravityTrapGame(board, {"board": kept, "mirror": mirror})


GRAVITY_TRAP = GravityTrapType()
