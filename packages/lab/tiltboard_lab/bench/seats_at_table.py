"""``tiltboard bench seats --physics``: bots play a game with private views (seats) at the simulated
table.

A simulated player puts down and stacks the bots' pieces. The program proposes the moves that the
sensors detect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.table.commands import NewGame, SeatBot
from tiltboard.games.base import GameType
from tiltboard.games.registry import HOSTED
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PageHands, at_once

LONGEST_S = 3 * 3600.0  # Maximum duration of a game, in seconds on the table's clock.
TIDIES_S = 30.0  # Time allowed for clearing the table after a game, in seconds.


@dataclass
class AtTable:
    """The results of all games in one mode."""

    games: int = 0
    moves: int = 0
    time_s: float = 0.0
    unfinished: int = 0
    placed: int = 0
    """Number of placements and event cards, including those that ``failed`` and ``proposed`` also
    count.
    """
    failed: int = 0
    proposed: int = 0


def run(
    echo: Callable[[str], None],
    modes: Mapping[str, Mapping[str, Any]],
    *,
    games: int,
    levels: Sequence[str],
    seed: int = 1,
    physics: bool = True,
) -> None:
    """Play ``games`` games of each mode, and print one line for each mode.

    ``seed``: the seed of the first game. The seed of each further game is one higher.
    """
    for name, options in modes.items():
        tally = AtTable()
        for number in range(seed, seed + games):
            with TemporaryDirectory() as folder, opened(Path(folder), physics=physics) as session:
                play(session, {**options, "seed": number}, levels, tally)
        echo(
            Measured(
                "{mode}: {games} games ({levels}), {unfinished} unfinished,"
                " {moves_per_game:.0f} moves and {game_minutes:.1f} minutes a game;"
                " {placed} placements and events, {failed} failed, {proposed} proposed by sensors",
                mode=name,
                games=games,
                levels=", ".join(levels),
                unfinished=tally.unfinished,
                moves_per_game=tally.moves / games,
                game_minutes=tally.time_s / games / 60,
                placed=tally.placed,
                failed=tally.failed,
                proposed=tally.proposed,
            )
        )


def seated_game() -> GameType:
    """Return the first installed game in which each player has a private view (seat). Raises
    LookupError if no such game is installed.
    """
    found = next((kind for kind in HOSTED.values() if kind.seated), None)
    if found is None:
        raise LookupError("no game of seats is installed")
    return found


def modes_of(kind: GameType) -> dict[str, dict[str, Any]]:
    """Return the options for each mode of a game. The modes are the answers to the first question
    of the game's presets, and the options come from the first preset with that answer.
    """
    modes: dict[str, dict[str, Any]] = {}
    for preset in kind.presets:
        answer = next(iter(preset.choices.values())).lower()
        modes.setdefault(answer, dict(preset.options))
    return modes


def opened(folder: Path, *, physics: bool) -> SimSession:
    """Return a simulated table that stores its games in ``folder``."""
    stands_in = world_class(physics=physics)
    return SimSession(load_profile("plate-10"), folder, settings=Settings(), world=stands_in)


def play(
    session: SimSession, options: Mapping[str, Any], levels: Sequence[str], tally: AtTable
) -> None:
    """Play one game until the table is cleared, and add the game's results to ``tally``.

    A game that cannot continue counts as unfinished. Raises RulesError if a move is not allowed by
    the rules.
    """
    kind = seated_game()
    game = kind.create(options)
    if not isinstance(game, SeatedGame):
        raise TypeError(f"{game.name} is not a game of seats")
    hands, host = PageHands(session, at_once), session.host
    session.tick()
    host.submit(NewGame(kind.name, options))
    session.tick()
    for at, player in enumerate(game.players):
        host.submit(SeatBot(player, levels[at % len(levels)]))
    session.tick()
    begun_s = session.clock.now()
    end_s = begun_s + LONGEST_S
    while session.clock.now() < end_s:
        room = host.session.seat_referee
        made, proposed = len(host.status.moves), None if room is None else room.proposal
        session.tick()
        hands.settle()
        for move in host.status.moves[made:]:
            if game.takes_back(move) and ":see:" not in move:
                tally.placed += 1
                tally.failed += ":fail:" in move
                tally.proposed += proposed is not None and proposed.seen and proposed.move == move
            if host.status.outcome is not None:
                end_s = session.clock.now() + TIDIES_S
    tally.games += 1
    tally.moves += len(host.status.moves)
    tally.time_s += session.clock.now() - begun_s
    tally.unfinished += host.status.outcome is None
