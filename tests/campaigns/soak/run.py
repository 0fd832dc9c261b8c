"""Plays one game of a soak, which its number determines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.campaigns.soak.deals import deal, games_of
from tests.campaigns.soak.judge import SoakError
from tests.campaigns.soak.robot import Robot
from tests.campaigns.soak.seat import Seat
from tests.campaigns.soak.totals import Totals
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.session import SimSession


class Plan:
    """The order of tables and games. ``games``: names of games, or empty for all that each table
    can carry.

    Raises ConfigError if no game is left.
    """

    def __init__(self, profiles: Sequence[Profile], games: Sequence[str] = ()) -> None:
        carried = [
            (profile, [name for name in games_of(profile) if not games or name in games])
            for profile in profiles
        ]
        self._tables = [(profile, names) for profile, names in carried if names]
        if not self._tables:
            raise ConfigError(
                "No {table} can carry {games}.",
                remedy="Choose another table, or another game.",
                table=" and no ".join(profile.name for profile in profiles),
                games=" or ".join(games),
            )

    def of(self, number: int) -> tuple[Profile, str]:
        """Return the table and the game of game ``number``: all tables in turn, then the next
        games.
        """
        round_number, at = divmod(number, len(self._tables))
        profile, names = self._tables[at]
        return profile, names[round_number % len(names)]


def play(plan: Plan, state: Path, seed: int, number: int, totals: Totals) -> None:
    """Play one game on a new table, and add a failure to ``totals``."""
    profile, name = plan.of(number)
    stream = Streams(seed).stream(f"soak-{number}")
    with SimSession(profile, state, seed=stream.randrange(2**31)) as session:
        session.host.do(deal(profile, name, stream))
        session.tick()
        seat = Seat(session, stream, totals)
        try:
            Robot(seat).play()
            _check_end(seat)
        except (SoakError, TiltboardError) as problem:
            totals.failures.append(f"game {number}, {name} on {profile.name}: {problem}")
            totals.failures[-1] += "\n" + where(seat)
        totals.back += seat.judge.taken_back
        totals.played(name, profile.name, seat.judge.confirmed, session.clock.now())


def where(seat: Seat) -> str:
    """Return the state of a game as text, for a report."""
    host, status = seat.session.host, seat.status
    return "\n".join(
        (
            f"  at {seat.now():.1f} s, {status.phase}, to move {status.to_move}, said"
            f" {str(status.say)!r}",
            f"  options {dict(host.game.options)}",
            f"  moves {' '.join(status.moves)}; before that {' '.join(seat.judge.moves)};"
            f" meant {seat.judge.meant}",
            f"  stands {seat.eyes.reads()}",
            f"  seen   {dict(host.sight.cells)}",
            f"  lit {dict(status.roles)}",
            f"  lately {', '.join(seat.trouble.lately)}",
            f"  masked {dict(host.sight.faulty)}, blind {sorted(host.sight.unobservable)}, unsure"
            f" {sorted(host.sight.unsure)}; faults: {seat.trouble.active}",
        )
    )


def _check_end(seat: Seat) -> None:
    host = seat.session.host
    if host.status.outcome != seat.position.outcome:
        raise SoakError("a wrong result")
    seat.trouble.heal_all()
    seat.wait(1.5)  # A full disk has space again after this time.
    record = host.journal.current()
    if record is None or tuple(record.moves) != seat.judge.moves:
        raise SoakError("the journal is not what was played")
