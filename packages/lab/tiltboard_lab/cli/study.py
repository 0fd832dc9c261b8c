"""The commands ``tiltboard study``: statistics, weights, puzzles and boards from many games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from tiltboard.firmware_host.cli.cli_output import (
    AS_JSON,
    LINES_AS_JSON,
    is_json_wanted,
    misuse,
    say,
)
from tiltboard.firmware_host.cli.options import OPTIONS
from tiltboard.firmware_host.messages import text
from tiltboard_lab.cli.studying import (
    KERNELS,
    RECORD_TASKS,
    SEED,
    found_by,
    made_of,
    pairs_options,
    points,
    tell_score,
    worker_options,
)

if TYPE_CHECKING:
    from tiltboard.games.base import Game
    from tiltboard_lab.studies.boards import Judged
    from tiltboard_lab.studies.selfplay import GameCount

F = TypeVar("F", bound=Callable[..., Any])
_MAX_LINES = 20


@click.group(name="study", epilog="Example: tiltboard study openings --game momentum --games 200")
def command() -> None:
    """Study the games with many games of bots: openings, weights, puzzles, boards.

    packages/lab/docs/studies.md has the results so far.
    """


def _played(opening: int, level: int) -> Callable[[F], F]:
    """Return a decorator that adds the options for a study that plays its own games.

    ``opening`` and ``level``: the default values of ``--opening`` and ``--level``.
    """
    options = (
        click.option("--game", required=True, help="Game to study."),
        OPTIONS,
        click.option("--games", type=click.IntRange(1), default=100, show_default=True),
        click.option(
            "--level",
            type=click.IntRange(1, 10),
            default=level,
            show_default=True,
            help="Level of all bots.",
        ),
        click.option(
            "--nodes",
            type=click.IntRange(1),
            default=2000,
            show_default=True,
            help="Maximum number of positions that a bot searches for a move.",
        ),
        click.option(
            "--opening",
            type=click.IntRange(0, 20),
            default=opening,
            show_default=True,
            help="Random moves at the start of each game; the first moves take turns.",
        ),
        SEED,
        RECORD_TASKS,
        worker_options,
    )

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@command.command(epilog="Example: tiltboard study openings --game momentum --option pie=false")
@AS_JSON
@_played(opening=1, level=8)
@click.option(
    "--plies",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="Number of moves in an opening.",
)
def openings(*, plies: int, **asked: Any) -> None:
    """Count the winners of many games, in all games and after each opening.

    The score is the first player's, with its 95 % interval; a draw counts half.
    """
    from tiltboard_lab.studies.selfplay import SelfPlay, counted

    made, job, where = _asked(SelfPlay, asked)
    with found_by(job, asked["games"], made.name, *where) as found:
        every, lines = counted(found, made.rules.players, plies)
    _tell(text("All games"), every)
    for line, count in sorted(lines.items(), key=lambda pair: -pair[1].share)[:_MAX_LINES]:
        _tell(line, count)


def _asked(kind: Any, asked: dict[str, Any], **more: Any) -> tuple[Game, Any, tuple[Any, ...]]:
    """Return the game, the job, and the values of ``--record``, ``--workers`` and ``--on``."""
    from tiltboard.firmware_host.engines.search.compiled import is_warm

    made = made_of(asked["game"], asked["options"])
    job = kind(
        game=made.name,
        options=dict(made.options),
        level=asked["level"],
        nodes=asked["nodes"],
        opening=asked["opening"],
        seed=asked["seed"],
        kernels=is_warm(),
        **more,
    )
    return made, job, (asked["record"], asked["workers"], asked["on"])


def _tell(line: object, count: GameCount) -> None:
    low, high = count.interval
    say(
        text(
            "{line}: {games} games, first player {share} % [{low}, {high}], {draws} drawn,"
            " {moves} moves a game",
            line=line,
            games=count.games,
            share=round(100 * count.share),
            low=round(100 * low),
            high=round(100 * high),
            draws=count.draws,
            moves=round(count.moves / count.games, 1),
        )
    )


@command.command(epilog="Example: tiltboard study tune --game momentum --games 500 --level 7")
@AS_JSON
@_played(opening=6, level=8)
def tune(**asked: Any) -> None:
    """Fit the weights of a game's evaluation to the results of games.

    Prints the weights in the form of the game's search.toml. Test the new weights in a match.
    """
    from tiltboard_lab.studies.tuning import Tuning, as_toml, check, fit_weights

    made, job, where = _asked(Tuning, asked)
    check(made)
    with found_by(job, asked["games"], made.name, *where) as found:
        result = fit_weights(found, made.weights)
    say(
        text(
            "Positions: {positions}. In games that were not used for the fit, the log loss changes"
            " from {before} to {after} (0.693 is a coin toss).",
            positions=result.samples,
            before=f"{result.before:.3f}",
            after=f"{result.after:.3f}",
        )
    )
    if is_json_wanted():
        say(text("Weights: {weights}", weights=result.weights))
    else:
        click.echo(as_toml(result.weights))


@command.command(
    epilog="Example: tiltboard study puzzles --game gravity-connect --out puzzles.jsonl"
)
@AS_JSON
@_played(opening=2, level=4)
@click.option(
    "--turns",
    type=click.IntRange(1, 4),
    default=2,
    show_default=True,
    help="Maximum number of the winner's turns.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the puzzles to this file, one per line.",
)
def puzzles(*, turns: int, out: Path | None, **asked: Any) -> None:
    """Find positions in which only one move wins, or only one move does not lose, with proofs."""
    import msgspec

    from tiltboard_lab.studies.selfplay import Mining, distinct

    if out is not None:
        # If the file cannot be written, report the error before the games are played.
        out.open("ab").close()
    made, job, where = _asked(Mining, asked, turns=turns)
    with found_by(job, asked["games"], made.name, *where) as found:
        mined = distinct(found, made)
    for kind, said in (
        ("win", text("One move wins")),
        ("save", text("One move does not lose")),
    ):
        for within in range(1, turns + 1):
            many = sum((each.kind, each.turns) == (kind, within) for each in mined)
            say(text("{kind}, turns: {turns}, puzzles: {many}", kind=said, turns=within, many=many))
    if out is not None:
        out.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in mined))


@command.command(epilog="Example: tiltboard study exercises puzzles.jsonl > exercises.jsonl")
@click.argument("file", type=click.File("rb"))
@LINES_AS_JSON
def exercises(file: BinaryIO) -> None:
    """Complete the puzzles in a file for solving, and print them on standard output.

    Adds a refutation of each wrong move. Omits puzzles that end with the first move.
    """
    import msgspec

    from tiltboard.firmware_host.config.errors import NotPossibleError
    from tiltboard.firmware_host.engines.puzzles import Puzzle
    from tiltboard.games.registry import game_type
    from tiltboard_lab.studies.puzzles import exercise

    for number, line in enumerate(file, start=1):
        try:
            mined = msgspec.json.decode(line, type=Puzzle)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise NotPossibleError(
                "Line {number} of {file} does not hold a puzzle: {why}.",
                remedy="Use a file that `tiltboard study puzzles --out` wrote.",
                number=number,
                file=file.name,
                why=str(error),
            ) from error
        made = exercise(game_type(mined.game).create(mined.options), mined)
        if made.kind == "save" or made.turns == 1 or made.following:
            click.echo(msgspec.json.encode(made))


@command.command(
    epilog="Example: tiltboard study solve --game momentum --option size=5 --option marbles=3"
)
@click.option("--game", required=True, help="Game to study.")
@OPTIONS
@click.option(
    "--plies",
    type=click.IntRange(1, 99),
    default=9,
    show_default=True,
    help="Maximum number of plies until the win.",
)
@AS_JSON
def solve(*, game: str, options: tuple[str, ...], plies: int) -> None:
    """Prove who wins from the start and in how many plies, by the rules alone.

    The search can visit every position within those plies, so use a small board.
    """
    from tiltboard.firmware_host.engines.proof import ProofSearch
    from tiltboard_lab.studies.puzzles import won

    made = made_of(game, options, for_two=True)
    search = ProofSearch(made.rules)
    found = won(search, made.rules, plies)
    if found is None:
        say(
            text(
                "Nobody wins by force within {plies} plies; {looked} positions searched.",
                plies=plies,
                looked=search.looked,
            )
        )
        return
    winner, within, move = found
    say(
        text(
            "{player} wins in {plies} plies{by}; {looked} positions searched.",
            player=made.players[winner],
            plies=within,
            by="" if move is None else f", by {move}",
            looked=search.looked,
        )
    )


@command.command(epilog="Example: tiltboard study book --game momentum > book.jsonl")
@click.option("--game", required=True, help="Game to study.")
@OPTIONS
@click.option(
    "--lines", type=click.IntRange(1), default=120, show_default=True, help="Number of lines."
)
@click.option(
    "--plies", type=click.IntRange(1, 12), default=5, show_default=True, help="Plies of each line."
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=5000,
    show_default=True,
    help="Number of positions that a bot searches for a move.",
)
@SEED
@LINES_AS_JSON
def book(
    *, game: str, options: tuple[str, ...], lines: int, plies: int, nodes: int, seed: int
) -> None:
    """Make an opening book of lines to positions that level 10 rates as even.

    The moves are random among those that level 10 rates nearly as good as the best move. Prints the
    book in the form of a game's book.jsonl.
    """
    import msgspec

    from tiltboard.firmware_host.engines.search.compiled import is_warm
    from tiltboard_lab.studies.selfplay import book_of

    made = made_of(game, options, for_two=True)
    found = book_of(made, lines, plies, nodes, seed=seed, kernels=is_warm())
    click.echo(msgspec.json.encode(found))


@command.command(epilog="Example: tiltboard study levels --game attraktion --record levels.jsonl")
@click.option("--game", required=True, help="Game to study.")
@OPTIONS
@click.option(
    "--games",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="Games of each level against the one below, rounded up to pairs.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=4000,
    show_default=True,
    help="Maximum number of positions that a bot searches for a move.",
)
@click.option(
    "--naive", is_flag=True, help="Also play each level against random, one-ply and two-ply."
)
@pairs_options
@KERNELS
@SEED
@RECORD_TASKS
@worker_options
@AS_JSON
def levels(
    *,
    game: str,
    options: tuple[str, ...],
    games: int,
    nodes: int,
    naive: bool,
    opening: int,
    even: bool,
    kernels: bool,
    seed: int,
    record: Path | None,
    workers: int,
    on: str,
) -> None:
    """Let each level play against the next lower level, and print the strength of all levels.

    The number of positions limits each move, so the results are the same on every machine.
    """
    from tiltboard.firmware_host.engines.search.compiled import is_warm
    from tiltboard_lab.studies.ladder import Ladder, heights, pairings, scores

    made = made_of(game, options, for_two=True)
    job = Ladder(
        game=made.name,
        options=dict(made.options),
        opening=opening,
        even=even,
        nodes=nodes,
        seed=seed,
        kernels=kernels and is_warm(),
        naive=naive,
    )
    count = (games + 1) // 2 * len(pairings(naive=naive))
    with found_by(job, count, made.name, record, workers, on) as found:
        told = scores(found, naive=naive)
    for (level, other), score in told.items():
        tell_score(str(level), other, score, (score.share, *score.interval))
    for level, height in heights(told).items():
        elo, low, high = map(points, height)
        say(
            text(
                "Level {level}: Elo {elo} [{low}, {high}]", level=level, elo=elo, low=low, high=high
            )
        )


@command.command(epilog="Example: tiltboard study boards --climbs 8 --record boards.jsonl")
@click.option("--board", default="whirl", show_default=True, help="Board to start the search from.")
@click.option(
    "--climbs", type=click.IntRange(1), default=4, show_default=True, help="Number of searches."
)
@click.option(
    "--steps",
    type=click.IntRange(0),
    default=60,
    show_default=True,
    help="Number of changes tried in each search; 0 rates random boards.",
)
@click.option("--as-it-is", is_flag=True, help="Only rate the board itself, by name or file.")
@SEED
@RECORD_TASKS
@worker_options
@AS_JSON
def boards(
    *,
    board: str,
    climbs: int,
    steps: int,
    as_it_is: bool,
    seed: int,
    record: Path | None,
    workers: int,
    on: str,
) -> None:
    """Search for boards of Gravity Trap that parity does not decide, and print their exact results.

    Parity is the mean difference between the win rates for neighbouring numbers of pods: 0 if
    parity does not matter, 100 if it decides the game. Each board is symmetric under a half turn.
    """
    import random

    from tiltboard.firmware_host.cli.rules import load_board
    from tiltboard.games.gravity_trap.board import SHIPPED, shipped_board
    from tiltboard_lab.studies.boards import Boards, judged

    if as_it_is:
        whole = shipped_board(board) if board in SHIPPED else load_board(Path(board))
        _tell_board(judged(whole, Boards(board=board, steps=0).games, random.Random(seed)))
        return
    if board not in SHIPPED:
        raise misuse(
            text("There is no such board. Choose one of: {known}.", known=", ".join(SHIPPED))
        )
    job = Boards(board=board, steps=steps, seed=seed)
    with found_by(job, climbs, board, record, workers, on) as found:
        for each in sorted(found, key=lambda one: one.judged.parity):
            _tell_board(each.judged)
            say(text("Tracks: {tracks}", tracks=each.tracks))


def _tell_board(judged: Judged) -> None:
    say(
        text(
            "Parity {parity}. The first player wins {share} % of the pairs of starts;"
            " {wins} of that player's starts win against every reply.",
            parity=round(100 * judged.parity),
            share=round(100 * judged.share),
            wins=judged.replies.count(0),
        )
    )
    shares = ", ".join(f"{pods}: {100 * rate:.0f} %" for pods, rate in judged.rates.items())
    say(
        text(
            "Share of wins of the player to move, by the number of pods left: {shares}",
            shares=shares,
        )
    )
