"""The runner of scenarios: an actor carries out the steps, the host scans the table, and the runner
checks expectations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol, TypeAlias

from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.firmware_host.scenario import parse as s
from tiltboard.firmware_host.table.commands import Answer, NewGame, SeatMove
from tiltboard.firmware_host.table.hands import HandAction
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.status import GameStatus, Role
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

# Time for which nothing must change before an ``expect`` step without ``within`` is checked, in
# seconds.
QUIET_S = 0.5
# Minimum number of scans without a change before an expectation is checked. Each reading is the
# mean of this number of scans.
QUIET_SCANS = 4


class UnknownNameError(TiltboardError, LookupError):
    """Raised if a scenario names a place, piece or player that the game does not have."""


@dataclass(frozen=True, slots=True)
class TableView:
    """The state of the table as a person sees it.

    ``overlay`` and ``players`` contain all valid names of places, pieces and players, so that
    misspelt names are rejected.
    """

    time_s: float
    status: GameStatus
    cells: Mapping[str, str]
    """Place -> piece that the sensors detect."""
    overlay: Overlay
    players: Collection[str]


def compare(claim: s.Expect, view: TableView) -> tuple[bool, Message, Message]:
    """Return three values: whether ``claim`` is true, a sentence with the expected value, and a
    sentence with the actual value. Raises UnknownNameError if a name does not exist.
    """
    status, says = view.status, str(view.status.say)
    match claim.what, claim.words:
        case "phase", [phase]:
            said = text("it is {found}: {say}", found=status.phase, say=says)
            return status.phase == phase, text("phase {phase}", phase=phase), said
        case "to-move", [player]:
            if player != "none":
                _check_name("player", player, view.players)
            found = status.to_move or "none"
            return found == player, text("to-move {player}", player=player), _it_is(found)
        case "result", [result]:
            if result not in ("draw", "none"):
                _check_name("player", result, view.players)
            over = status.outcome
            found = "none" if over is None else over.winner or "draw"
            return found == result, text("result {result}", result=result), _it_is(found)
        case "cells", cells:
            wrong = []
            for cell in cells:
                place, _, piece = cell.partition("=")
                _check_name("place", place, view.overlay.places)
                if piece != "empty":
                    _check_name("piece", piece, view.overlay.pieces)
                there = view.cells.get(place, "empty")
                wrong += [f"{place}={there}"] if there != piece else []
            expected = text("cells {expected}", expected=" ".join(cells))
            return not wrong, expected, text("there is {wrong}", wrong=" ".join(wrong))
        case "light", [place, role]:
            _check_name("place", place, view.overlay.places)
            lit = status.roles.get(place, Role.OFF)
            return lit == role, text("light {place} {role}", place=place, role=role), _it_is(lit)
        case "lights", [role, *places]:
            for place in places:
                _check_name("place", place, view.overlay.places)
            roles, all_places = status.roles, view.overlay.places
            with_role = [at for at in all_places if roles.get(at, Role.OFF) == role]
            named = " ".join(places) or "none"
            return (
                set(with_role) == set(places),
                text("lights {role} exactly on {expected}", role=role, expected=named),
                text("it is on {found}", found=" ".join(with_role) or "none"),
            )
    [wanted] = claim.words
    expected = text("the table to say {wanted!r}", wanted=wanted)
    return wanted.casefold() in says.casefold(), expected, text("it says {found!r}", found=says)


def _it_is(found: str) -> Message:
    return text("it is {found}", found=found)


def _check_name(what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise UnknownNameError(
            "There is no {what} {name!r} here; {hint}",
            what=what,
            name=name,
            hint=nearest(name, names),
        )


Act: TypeAlias = HandAction | s.Meanwhile | s.Wait | s.Kill | s.PowerCut
Tick: TypeAlias = Callable[[], None]


class SkippedError(TiltboardError):
    """Raised for a step that is not possible at this table, or that the person skips. The run
    continues.
    """


class NotSeenError(TiltboardError):
    """Raised if the sensors did not detect an expected change before the timeout."""


class Actor(Protocol):
    """The person or simulation that carries out the steps at a table whose host is running.

    ``tick``, an argument of the methods ``act`` and ``set_up``, is a function of the runner. The
    function calls the actor's own method ``tick`` and then checks for changes.
    """

    @property
    def host(self) -> Host:
        """The current host. A restart replaces it by another host."""

    @property
    def clock(self) -> Clock:
        """The clock of the table."""

    @property
    def busy(self) -> bool:
        """True while an action is still in progress, such as a moving hand or a timed tilt."""

    @property
    def patience_s(self) -> float:
        """Maximum time for which an expectation waits until the table is quiet, in seconds."""

    def tick(self) -> None:
        """Run one scan, and wait until the next scan is due."""

    def act(self, action: Act, tick: Tick) -> None:
        """Carry out a step, and return when the step is done. ``tick``: function to call for each
        scan.

        Raises SkippedError or NotSeenError, or TiltboardError for an impossible step.
        """

    def set_up(self, tick: Tick) -> None:
        """Set up the plate for the game that has just been started. Raises the same errors as
        ``act``.
        """


@dataclass(frozen=True, slots=True)
class StepReport:
    """The state of the table after a step."""

    step: s.ScenarioStep
    view: TableView
    failure: Message | None = None
    """Description of an expectation that failed, or None."""
    skipped: Message | None = None
    """Reason why the step was skipped, or None."""

    def as_json(self) -> dict[str, Any]:
        """Return the report as the JSON object that ``--json`` prints."""
        view, status = self.view, self.view.status
        skipped = {} if self.skipped is None else {"skipped": str(self.skipped)}
        return {
            "t": round(view.time_s, 6),
            "step": self.step.text,
            "phase": status.phase.value,
            "to_move": status.to_move,
            "cells": dict(sorted(view.cells.items())),
            "lights": {place: role.value for place, role in sorted(status.roles.items())},
            "say": str(status.say),
            "result": None if status.outcome is None else status.outcome.as_json(),
            **skipped,
        }


class ScenarioRunner:
    """Runs the steps of a scenario with ``actor``. ``seen``: function that is called after each
    scan.
    """

    def __init__(self, actor: Actor, seen: Callable[[Host], None] = lambda _: None) -> None:
        self._actor = actor
        self._seen = seen
        self._signs: tuple[object, ...] = ()
        self._quiet_since_s = actor.clock.now()
        self._quiet_scans = 0

    def run(self, steps: tuple[s.ScenarioStep, ...]) -> Iterator[StepReport]:
        """Yield a report for each step, up to the first expectation that fails.

        If a step is skipped, all following steps are skipped until the next game starts. Raises
        TiltboardError for an impossible step, and RulesError for a game that cannot be played.
        """
        skipped_line: int | None = None
        for step, following in zip_longest(steps, steps[1:]):
            failure: Message | None = None
            skipped: Message | None = None
            by_hand = following is not None and isinstance(following.action, s.SetupByHand)
            if isinstance(step.action, NewGame):
                skipped_line = None
            if skipped_line is not None:
                skipped = text("Line {line}, before it, was skipped.", line=skipped_line)
            else:
                try:
                    failure = self._do(step.action, by_hand=by_hand)
                except SkippedError as error:
                    skipped_line, skipped = step.line, Message(error.template, error.params)
                except NotSeenError as error:
                    failure = Message(error.template, error.params)
            if not isinstance(step.action, s.Expect | s.Wait):
                self._restart_quiet_time()
            yield StepReport(step, self.view(), failure, skipped)
            if failure is not None:
                return

    def view(self) -> TableView:
        """Return the current state of the table."""
        host = self._actor.host
        seen = host.status, host.sight.cells, host.overlay
        return TableView(self._now(), *seen, host.game.players)

    # Execution of individual steps

    def _do(self, action: s.Action, *, by_hand: bool) -> Message | None:
        match action:
            case NewGame():
                self._actor.host.do(action)
                if not by_hand:
                    self._actor.set_up(self.tick)
                self._restart_quiet_time()
                self._wait_quiet()
            case s.SetupByHand():
                pass
            case Answer(value=value):
                self._wait_quiet()
                host = self._actor.host
                if isinstance(host.game, SeatedGame) and host.status.question is None:
                    who = value.partition(":")[0]
                    host.do(SeatMove(who if who in host.game.players else None, value))
                else:
                    host.do(action)
                self.tick()
            case s.Expect():
                return self._expect(action)
            case action:
                self._actor.act(action, self.tick)
        return None

    def _expect(self, claim: s.Expect) -> Message | None:
        deadline_s = self._now() + (claim.within_s or 0.0)
        if claim.within_s is None:
            self._wait_quiet()
        holds, expected, found = compare(claim, self.view())
        while not holds and claim.within_s is not None and self._now() < deadline_s:
            self.tick()
            holds, expected, found = compare(claim, self.view())
        if holds:
            return None
        if claim.within_s is None:
            return text("expected {expected}, but {found}", expected=expected, found=found)
        return text(
            "expected {expected} within {seconds} s, but {found}",
            expected=expected,
            seconds=f"{claim.within_s:g}",
            found=found,
        )

    # Time, and waiting for quiet periods

    def _now(self) -> float:
        return self._actor.clock.now()

    def tick(self) -> None:
        """Run one scan, and wait until the next scan is due."""
        self._actor.tick()
        self._seen(self._actor.host)
        self._watch()

    def _wait_quiet(self) -> None:
        """Wait until readings, hands and commanded tilt have been unchanged for QUIET_S seconds."""
        actor, started_s = self._actor, self._now()
        while (
            self._now() - self._quiet_since_s < QUIET_S or self._quiet_scans < QUIET_SCANS
        ) and self._now() - started_s < actor.patience_s:
            self.tick()

    def _watch(self) -> None:
        """If the last scan differs from the previous scan, start the quiet time again."""
        host = self._actor.host
        observation = host.look.observation
        lost = tuple((fault.part, fault.template) for fault in host.sight.faults)
        signs = (observation.magnets, observation.unsure, observation.stillness, lost)
        self._quiet_scans += 1
        if signs != self._signs or self._actor.busy or not observation.ready:
            self._signs = signs
            self._restart_quiet_time()

    def _restart_quiet_time(self) -> None:
        """Start the quiet time (time without a change) again."""
        self._quiet_since_s = self._now()
        self._quiet_scans = 0
