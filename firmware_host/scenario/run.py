"""Runs a scenario: somebody acts, the table scans, expectations are held against what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from firmware_host.messages import Message, text
from firmware_host.scenario import steps as s
from firmware_host.scenario.actor import Actor, NotSeenError, SkippedError
from firmware_host.scenario.claims import TableView, describe, holds
from firmware_host.table.commands import Answer, NewGame

QUIET_S = 0.5  # a bare expect waits until nothing has changed for that long
QUIET_SCANS = 4  # nor in so many scans: what a place reads is the mean of as many


@dataclass(frozen=True, slots=True)
class StepReport:
    """How the table was after a step. ``failure``: what an expectation found instead, else None.

    ``skipped``: why the step was not done, else None.
    """

    step: s.Step
    view: TableView
    failure: Message | None = None
    skipped: Message | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        view = self.view
        skipped = {} if self.skipped is None else {"skipped": str(self.skipped)}
        return {
            "t": round(view.time_s, 6),
            "step": self.step.text,
            "phase": view.phase.value,
            "to_move": view.to_move,
            "cells": dict(sorted(view.cells.items())),
            "lights": {place: role.value for place, role in sorted(view.lights.items())},
            "say": view.say,
            "result": None if view.outcome is None else view.outcome.as_json(),
            **skipped,
        }


class ScenarioRunner:
    """Has the steps carried out one by one by ``actor``."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._signs: tuple[object, ...] = ()
        self._quiet_since_s = actor.clock.now()
        self._quiet_scans = 0

    def run(self, steps: tuple[s.Step, ...]) -> Iterator[StepReport]:
        """Yield a report per step; ends after the first expectation that does not hold.

        What follows a step that was skipped, to the next game, depends on it and is skipped too.
        Raises TiltboardError for a step that no hand could do, RulesError for a game that cannot be
        played so.
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
                self._changed()
            yield StepReport(step, self.view(), failure, skipped)
            if failure is not None:
                return

    def view(self) -> TableView:
        """The table as it shows itself now."""
        host = self._actor.host
        standing = host.standing
        return TableView(
            time_s=self._now(),
            phase=standing.phase,
            to_move=standing.to_move,
            cells=host.sight.cells,
            lights=standing.roles,
            say=str(standing.say),
            outcome=standing.outcome,
            places=host.overlay.places,
            pieces=host.overlay.pieces,
            players=host.game.players,
        )

    # Steps

    def _do(self, action: s.Action, *, by_hand: bool) -> Message | None:
        match action:
            case NewGame():
                self._actor.host.do(action)
                if not by_hand:
                    self._actor.set_up(self._tick)
                self._changed()
                self._wait_quiet()
            case s.SetupByHand():
                pass
            case Answer():
                self._wait_quiet()
                self._actor.host.do(action)
                self._tick()
            case s.Expect():
                return self._expect(action)
            case deed:
                self._actor.act(deed, self._tick)
        return None

    def _expect(self, action: s.Expect) -> Message | None:
        if action.within_s is None:
            self._wait_quiet()
        else:
            deadline_s = self._now() + action.within_s
            while not holds(action.claim, self.view()) and self._now() < deadline_s:
                self._tick()
        view = self.view()
        if holds(action.claim, view):
            return None
        return describe(action.claim, view, action.within_s)

    # Time

    def _now(self) -> float:
        return self._actor.clock.now()

    def _tick(self) -> None:
        self._actor.tick()
        self._watch()

    def _wait_quiet(self) -> None:
        """Until hands, readings and commanded tilt have been unchanged for QUIET_S."""
        actor, started_s = self._actor, self._now()
        while (
            self._now() - self._quiet_since_s < QUIET_S or self._quiet_scans < QUIET_SCANS
        ) and self._now() - started_s < actor.patience_s:
            self._tick()

    def _watch(self) -> None:
        """Note whether anything has changed with the last scan."""
        host = self._actor.host
        observation = host.observation
        lost = tuple((fault.part, fault.template) for fault in host.sight.faults)
        signs = (observation.magnets, observation.unsure, observation.stillness, lost)
        self._quiet_scans += 1
        if signs != self._signs or self._actor.busy or not observation.ready:
            self._signs = signs
            self._changed()

    def _changed(self) -> None:
        """The time of quiet begins now."""
        self._quiet_since_s = self._now()
        self._quiet_scans = 0
