"""``tiltboard bench seats --physics``: computer players by themselves at the simulated table, whose
own hand puts their pieces down and stacks them; the sensors propose what they see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings
from firmware_host.table.commands import NewGame
from firmware_host.table.seat_commands import SeatComputer
from games.gravity_warfare import GRAVITY_WARFARE
from hw_sim.page_hands import PageHands
from hw_sim.session import SimSession
from hw_sim.worlds import world

LONGEST_S = 3 * 3600.0  # of a game, by the table's clock


@dataclass
class AtTable:
    """What games of one mode came to. ``placed``: placements and events, of which ``failed`` did
    not hold and ``proposed`` were the sensors' proposals.
    """

    games: int = 0
    moves: int = 0
    time_s: float = 0.0
    unfinished: int = 0
    placed: int = 0
    failed: int = 0
    proposed: int = 0


def run(
    echo: Callable[[str], None],
    modes: Mapping[str, Mapping[str, Any]],
    *,
    games: int,
    levels: Sequence[str],
    rounds: int,
    physics: bool = True,
) -> None:
    """A line a mode."""
    for name, options in modes.items():
        tally = AtTable()
        for number in range(1, games + 1):
            with TemporaryDirectory() as folder:
                play(
                    {**options, "rounds": rounds, "seed": number},
                    levels, tally, Path(folder), physics=physics,
                )  # fmt: skip
        echo(
            f"{name}: {games} games ({', '.join(levels)}), {tally.unfinished} unfinished, "
            f"{tally.moves / games:.0f} moves and {tally.time_s / games / 60:.1f} minutes a game; "
            f"{tally.placed} placements and events, {tally.failed} failed, "
            f"{tally.proposed} proposed by sensors"
        )


def play(
    options: Mapping[str, Any],
    levels: Sequence[str],
    tally: AtTable,
    folder: Path,
    *,
    physics: bool = True,
) -> SimSession:
    """One game to its end, counted; the table as it stood then. A move that the rules do not allow
    raises RulesError, and what nobody can go on from is unfinished.
    """
    game = GRAVITY_WARFARE.create(options)
    with SimSession(
        load_profile("plate-10"), folder, settings=Settings(), world=world(physics=physics)
    ) as session:
        hands = PageHands(session, _at_once)
        session.tick()
        seats = [
            SeatComputer(player, levels[at % len(levels)]) for at, player in enumerate(game.players)
        ]
        for command in (NewGame("gravity-warfare", options), *seats):
            asked = session.host.submit(command)
            session.tick()
            session.tick()
            asked.result(0)
        begun_s = session.clock.now()
        while session.host.standing.outcome is None and session.clock.now() < LONGEST_S:
            before, proposed = session.host.standing.moves, session.host.playing.room.proposal
            session.tick()
            hands.settle()
            for move in session.host.standing.moves[len(before) :]:
                if game.takes_back(move) and ":see:" not in move:
                    tally.placed += 1
                    tally.failed += ":fail:" in move
                    seen = proposed is not None and proposed.seen and proposed.move == move
                    tally.proposed += seen
        tally.games += 1
        tally.moves += len(session.host.standing.moves)
        tally.time_s += session.clock.now() - begun_s
        tally.unfinished += session.host.standing.outcome is None
        return session


def _at_once(work: Callable[[], None]) -> Future[None]:
    done: Future[None] = Future()
    done.set_result(work())
    return done
