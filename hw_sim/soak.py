"""Random games under random faults, played by a robot that follows only lights and sentences.

It knows what it meant, and what really stands on the plate; the table knows neither. Everything
follows from the seed and the number of the game, so that one game can be played again alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drivers.errors import TiltboardError
from firmware_host.commands import NewGame
from firmware_host.errors import JournalError
from firmware_host.profile import Profile
from firmware_host.standing import Phase, Role, Standing
from games.base import Position
from hw_sim.errors import FaultError, HandsError
from hw_sim.rng import Stream, Streams
from hw_sim.session import SimSession

OFF_CENTRE_MM = 3.4  # two neighbours further off toward each other would touch
DISTURBED = 0.25  # of the robot's deeds are followed by something else
LONGEST_FAULT_S = 12.0
MOST_FAULTS = 2
AGAIN_S = 7.0  # what the table does not take notice of, a person does again
DEAD_END_S = 240.0  # after everything has healed
CONFIRM = "press confirm"
# The first piece on crossed wires is taken for standing at the other place before its neighbours
# contradict: the table then says so. That is no verdict that can be held against the hands.
LEFT_OUT = frozenset({"sensor-swapped"})
TAKEN = (Role.WRONG, Role.REMOVE, Role.LIFT)


class SoakError(AssertionError):
    """The table did what it must not: a wrong verdict, or a dead end."""


@dataclass(slots=True)
class Totals:
    """What was played and done to the table. ``failures``: sentences, with the game's number."""

    games: int = 0
    moves: int = 0
    table_s: float = 0.0
    taken_back: int = 0
    done_again: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    disturbances: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def play(profile: Profile, state: Path, seed: int, number: int, totals: Totals) -> None:
    """One game on a table of its own; what goes wrong is added to ``totals``."""
    stream = Streams(seed).stream(f"soak-{number}")
    with SimSession(profile, state, seed=stream.randrange(2**31)) as session:
        robot = _Robot(session, stream, totals)
        try:
            robot.play()
        except (SoakError, TiltboardError) as problem:
            totals.failures.append(f"game {number}: {robot.where()}: {problem}")
        totals.games += 1
        totals.moves += len(robot.meant)
        totals.table_s += session.clock.now()


class _Robot:
    def __init__(self, session: SimSession, stream: Stream, totals: Totals) -> None:
        self._session = session
        self._stream = stream
        self._totals = totals
        self._heal: list[tuple[float, str, tuple[str, ...]]] = []
        self._progress_s = 0.0
        self._deed_s = 0.0
        self._dropped: str | None = None
        self._knocked = False  # since the drop: the table may see another move in what stands
        self.meant: list[str] = []

    def where(self) -> str:
        """How it stands, for a report."""
        standing = self._session.host.standing
        healing = ", ".join(" ".join((name, *targets)) for _, name, targets in self._heal)
        return (
            f"{self._now():.1f} s, {standing.phase}, said {str(standing.say)!r}, meant"
            f" {' '.join(self.meant)} + {self._dropped}, confirmed {' '.join(standing.moves)},"
            f" stands {self._truth()}, seen {dict(self._session.host.sight.cells)},"
            f" faults [{healing}]"
        )

    def play(self) -> None:
        """Until the game is over."""
        stream = self._stream
        size = stream.choice((4, 5, 5, 6))
        options = {"width": size, "height": size, "marbles": stream.randint(2, 5), "pie": False}
        self._session.host.do(NewGame("momentum", options))
        self._wait(2.5)
        while not self._follow():
            if stream.random() < DISTURBED:
                self._disturb()
            self._wait(stream.uniform(0.1, 0.8))
        self._finish()

    def _follow(self) -> bool:
        """Do the next thing that the table asks for. Whether the game is over."""
        standing = self._session.host.standing
        self._check(standing)
        if self._heal:
            self._progress_s = self._now()
        elif self._now() - self._progress_s > DEAD_END_S:
            raise SoakError("a dead end")
        match standing.phase:
            case Phase.OVER:
                return standing.outcome is not None
            case Phase.PAUSED:
                pass
            case Phase.TURN:
                self._move(standing)
            case _:
                self._obey(standing)
        return False

    def _check(self, standing: Standing) -> None:
        confirmed = list(standing.moves)
        if confirmed == self.meant:
            return
        as_meant = self._dropped is not None and confirmed == [*self.meant, self._dropped]
        if as_meant or (self._knocked and confirmed[:-1] == self.meant):
            self.meant, self._dropped = confirmed, None
        elif confirmed == self.meant[: len(confirmed)]:
            self._totals.taken_back += 1
            self.meant = confirmed
        else:
            raise SoakError("a wrong verdict")
        self._progress_s = self._now()

    def _move(self, standing: Standing) -> None:
        position, truth = standing.position, self._truth()
        if position is None or position.to_move is None:
            return
        if truth == dict(position.cells):
            self._dropped = None
            move = self._stream.choice(position.legal())
            self._put(position.to_move, move)
            self._dropped, self._knocked = move, False
        elif self._now() - self._deed_s > AGAIN_S:
            self._again(standing, position.cells)

    def _obey(self, standing: Standing) -> None:
        truth = self._truth()
        for place, role in sorted(standing.roles.items()):
            if role in TAKEN and place in truth:
                self._take(place)
                return
        for place, piece in sorted(standing.piece_for.items()):
            if standing.roles.get(place) is Role.PUT and place not in truth:
                self._put(piece, place)
                return
        if self._now() - self._deed_s > AGAIN_S:
            wanted = {**truth, **standing.piece_for}
            self._again(standing, wanted)

    def _again(self, standing: Standing, wanted: Mapping[str, str]) -> None:
        """The table does not see what was done: confirm where it asks, else do it again."""
        self._totals.done_again += 1
        self._deed_s = self._now()
        if CONFIRM in str(standing.say):
            self._session.hands.press("confirm", 0.2)
            return
        truth = self._truth()
        extra = sorted(place for place in truth if wanted.get(place) != truth[place])
        if extra:
            self._take(extra[0])
            return
        lit = sorted(place for place in standing.roles if place in truth)
        if standing.phase is not Phase.TURN and lit:
            self._take(lit[0])
            return
        lacking = sorted(place for place in wanted if place not in truth)
        if lacking:
            self._put(wanted[lacking[0]], lacking[0])

    def _finish(self) -> None:
        host = self._session.host
        position: Position = host.game.start()
        for move in self.meant:
            position = position.play(move).position
        if host.standing.outcome != position.outcome:
            raise SoakError("a wrong result")
        record = host.journal.current()
        if record is None or list(record.moves) != self.meant:
            raise SoakError("the journal is not what was played")

    # What is done to the table

    def _disturb(self) -> None:
        kind = self._stream.choice(
            ("fault", "fault", "fault", "knock", "tilt", "bump", "kill", "power-cut")
        )
        session, stream = self._session, self._stream
        match kind:
            case "fault":
                self._break()
                return
            case "knock":
                places = sorted(self._truth())
                if not places:
                    return
                index = session.host.overlay.index_of(stream.choice(places))
                try:
                    session.hands.knock([index])
                except HandsError:
                    return
                self._knocked = True
            case "tilt":
                x, y = (math.radians(stream.uniform(-9, 9)) for _ in range(2))
                session.hands.tilt(x, y, for_s=stream.uniform(0.5, 3.0))
            case "bump":
                session.hands.bump()
            case _:
                self._restart(kind)
        self._totals.disturbances[kind] += 1

    def _restart(self, kind: str) -> None:
        """Die and come back; with a full disk the service may have to wait for room."""
        try:
            self._session.kill() if kind == "kill" else self._session.power_cut()
        except JournalError:
            self._session.faults.heal("disk-full")
            self._heal = [entry for entry in self._heal if entry[1] != "disk-full"]
            self._session.start_again()

    def _break(self) -> None:
        if len(self._heal) >= MOST_FAULTS:
            return
        stream, faults = self._stream, self._session.faults
        name = stream.choice(sorted(set(faults.names) - LEFT_OUT))
        targets = tuple(stream.choice(list(known)) for known in faults.targets_of(name))
        if name.startswith(("sensor", "weak")):  # where it matters
            targets = (stream.choice(sorted(self._session.host.game.board)),)
        try:
            faults.inject(name, targets)
        except FaultError:
            return  # nothing stands there, or it is broken already
        self._totals.faults[name] += 1
        if (name, targets) in faults.active:
            until_s = self._now() + stream.uniform(0.5, LONGEST_FAULT_S)
            self._heal.append((until_s, name, targets))

    # Hands and time

    def _put(self, piece: str, place: str) -> None:
        radius, angle = OFF_CENTRE_MM * self._stream.random(), math.tau * self._stream.random()
        offset = radius * math.cos(angle), radius * math.sin(angle)
        index = self._session.host.overlay.index_of(place)
        try:
            self._until(self._session.hands.put(piece, index, offset).end_s)
        except HandsError:
            self._until(self._session.hands.put(piece, index).end_s)
        self._deed_s = self._now()

    def _take(self, place: str) -> None:
        index = self._session.host.overlay.index_of(place)
        self._until(self._session.hands.take(index).end_s)
        self._deed_s = self._now()

    def _truth(self) -> dict[str, str]:
        """What stands where, as anybody at the table sees."""
        world, places = self._session.table.world, self._session.host.overlay.places
        standing = ((place, world.piece_at(index)) for index, place in enumerate(places))
        return {place: piece.label for place, piece in standing if piece is not None}

    def _now(self) -> float:
        return self._session.clock.now()

    def _wait(self, duration_s: float) -> None:
        self._until(self._now() + duration_s)

    def _until(self, time_s: float) -> None:
        while self._now() < time_s:
            for entry in [entry for entry in self._heal if entry[0] <= self._now()]:
                self._heal.remove(entry)
                self._session.faults.heal(entry[1], entry[2])
            self._session.tick()
