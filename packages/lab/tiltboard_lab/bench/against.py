"""``tiltboard bench engines --against open_spiel``: compares the engine's kernels with OpenSpiel's
search in C++ by playing connect four. Tiltboard's connect four is in the test package
``tests/connect_four``; OpenSpiel has its own connect four.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import TYPE_CHECKING, Any

import msgspec

from tiltboard.firmware_host.engines.search.compiled import can_compile
from tiltboard.firmware_host.engines.search.limits import Limits, ThinkingBudget
from tiltboard.games.base import Game
from tiltboard.games.registry import EVERY_GAME
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.errors import extra_command
from tiltboard.ground.measured import Measured
from tiltboard_lab.bench.timing import timed
from tiltboard_lab.studies.match import even_opening, play, score

if TYPE_CHECKING:
    from tiltboard_kernels.search import FastTree

GAME = "connect-four"
SIMULATIONS = 100_000  # Number of simulations in one search.
_ROLLOUTS = 20_000
_BATCH = 100_000
_OPENING = 4
_THEIR_EXPLORATION = 2.0  # The exploration constant in OpenSpiel's own examples.
_MEMORY_MB = 1000


def run(echo: Callable[[str], None], seconds: float, games: int, move_ms: int) -> None:
    """Print the rollouts and simulations per second and the score of a match, or the reason why the
    comparison cannot run.

    ``seconds``: CPU time in seconds for each measurement. ``games``: number of games in the match.
    ``move_ms``: time for a move in milliseconds.
    """
    missing = _missing()
    if missing:
        echo(Measured("Not compared with OpenSpiel: {missing}", missing=missing))
        return
    from tiltboard_kernels.board import board_of
    from tiltboard_kernels.search import FastTree, fast_tree
    from tiltboard_kernels.tree import PLAYOUTS
    from tiltboard_lab.bench.playouts import playouts

    game = EVERY_GAME[GAME].create({})
    board, best = board_of(game), fast_tree(game, random.Random(1))
    if board is None or best is None:
        # This branch never runs, because the package with connect four has kernels.
        raise TypeError(game)
    start = game.rules.start()
    row = board.encoded(start)
    seed = best.seed
    playouts(board.tables, row, seed, 1)
    theirs = OpenSpiel(1, rollouts=_ROLLOUTS)
    _told(
        echo,
        "rollouts",
        _rate(lambda: playouts(board.tables, row, seed, _BATCH), _BATCH, seconds),
        _rate(lambda: theirs.searched(()), _ROLLOUTS, seconds),
    )
    theirs = OpenSpiel(SIMULATIONS)
    plain = FastTree(board, random.Random(1), PLAYOUTS)

    def ours() -> None:
        plain.forget()
        plain.search(start, ThinkingBudget(Limits(nodes=SIMULATIONS), cpu_s))

    _told(
        echo,
        f"simulations of plain UCT with a solver, {SIMULATIONS:,} a move",
        _rate(ours, SIMULATIONS, seconds),
        _rate(lambda: theirs.searched(()), SIMULATIONS, seconds),
    )
    echo(_match(game, best, games, move_ms))


def _missing() -> str:
    """Return a sentence that names a missing package and the command that installs the package.
    Return "" if no package is missing.
    """
    try:
        version("open_spiel")
    except PackageNotFoundError:
        return f"open_spiel is not installed: {extra_command('agents', './packages/lab')}"
    if not can_compile():
        return "numba is not installed: pip install ./packages/kernels"
    from tiltboard_kernels import KERNELS

    if GAME not in EVERY_GAME or not entry_points(group=KERNELS, name=GAME):
        return f"{GAME} is not installed: pip install tests/connect_four"
    return ""


def _told(echo: Callable[[str], None], what: str, ours: float, theirs: float) -> None:
    echo(
        Measured(
            "{game}, {what} per CPU-second: {ours_per_cpu_s:,.0f},"
            " OpenSpiel {openspiel_per_cpu_s:,.0f}: {ratio_x:.1f} times",
            game=GAME,
            what=what,
            ours_per_cpu_s=ours,
            openspiel_per_cpu_s=theirs,
            ratio_x=ours / theirs,
        )
    )


def _rate(work: Callable[[], object], each: int, seconds: float) -> float:
    """Return the units of work done per second of CPU time.

    ``each``: units of work in one call of ``work``. ``seconds``: CPU time of the measurement in
    seconds.
    """
    times, _, used_s = timed(lambda: bool(work()), seconds)
    return times * each / used_s


class OpenSpiel:
    """OpenSpiel's C++ search, which plays OpenSpiel's own connect four.

    ``simulations``: number of simulations for each move. ``rollouts``: number of random games from
    each leaf of the tree.
    """

    def __init__(self, simulations: int, *, rollouts: int = 1, seed: int = 1) -> None:
        import pyspiel

        self._game = pyspiel.load_game("connect_four")
        self._bot = pyspiel.MCTSBot(
            self._game,
            pyspiel.RandomRolloutEvaluator(rollouts, seed),
            *(_THEIR_EXPLORATION, simulations, _MEMORY_MB, True, seed, False),
        )
        self.moves = 0
        self.used_s = 0.0

    def searched(self, columns: Sequence[int]) -> int:
        """Return the column, counted from 0, that the bot plays after the moves ``columns``. Add
        the CPU time to ``used_s``.
        """
        state = self._game.new_initial_state()
        for column in columns:
            state.apply_action(column)
        begun_s = cpu_s()
        found = int(self._bot.step(state))
        self.used_s += cpu_s() - begun_s
        self.moves += 1
        return found

    def move(self, names: Sequence[str], _: Any) -> int:
        """Return the bot's move after the moves ``names``, as a column number counted from 0."""
        return self.searched([int(name) - 1 for name in names])


class _Ours:
    """Tiltboard's best compiled search, which gets the same total CPU time as the opponent.

    CPU time that is saved on easy moves is available for later moves. Each move gets at least half
    of the opponent's mean time per move.
    """

    def __init__(self, tree: FastTree, other: OpenSpiel) -> None:
        self._tree, self._other = tree, other
        self.moves = 0
        self.used_s = 0.0

    def move(self, _: Sequence[str], state: Any) -> int:
        """Return the best move that the search finds within its CPU time."""
        theirs_s = self._other.used_s / self._other.moves
        time_s = max((self.moves + 1) * theirs_s - self.used_s, theirs_s / 2)
        begun_s = cpu_s()
        found = self._tree.search(state, ThinkingBudget(Limits(time_s=time_s), cpu_s))
        self.used_s += cpu_s() - begun_s
        self.moves += 1
        return found.move


def _match(game: Game, tree: FastTree, games: int, move_ms: int) -> Measured:
    """Play a match and return the result. Each even opening is played twice, and the players change
    sides for the second game. OpenSpiel gets the number of simulations that it can do in about
    ``move_ms`` milliseconds.
    """
    trial = OpenSpiel(1000)
    trial.searched(())
    theirs = OpenSpiel(round(1000 * move_ms / 1000 / trial.used_s))
    theirs.searched(())
    tree.search(game.rules.start(), ThinkingBudget(Limits(nodes=1), cpu_s))
    ours = _Ours(tree, theirs)
    pairs = []
    for pair in range((games + 1) // 2):
        dice = random.Random(f"opening {pair}")
        begun = even_opening(game, _OPENING, dice, kernels=True)
        first = play(game.rules, begun, (ours, theirs))
        second = play(game.rules, begun, (theirs, ours))
        pairs.append((first, msgspec.structs.replace(second, share=1 - second.share)))
    result = score(pairs)
    low, high = result.interval
    return Measured(
        "{game}, match against OpenSpiel: +{won} ={drawn} -{lost}, {share_percent:.0f} %"
        " [{low_percent:.0f}, {high_percent:.0f}]; CPU a move: {our_move_ms:.1f} and"
        " {openspiel_move_ms:.1f} ms",
        game=GAME,
        won=result.won,
        drawn=result.drawn,
        lost=result.lost,
        share_percent=100 * result.share,
        low_percent=100 * low,
        high_percent=100 * high,
        our_move_ms=1000 * ours.used_s / ours.moves,
        openspiel_move_ms=1000 * theirs.used_s / theirs.moves,
    )
