"""Runs a scenario: hands act, the table scans, expectations are held against what it shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firmware_host import commands
from firmware_host.boards import read_board
from games.contract import options_from_text
from games.registry import game_type
from hw_sim.hands import Action as HandAction
from hw_sim.scenario import steps as s
from hw_sim.scenario.claims import TableView, describe, holds
from hw_sim.session import SimSession

QUIET_S = 0.5  # a bare expect waits until nothing has changed for that long
PATIENCE_S = 5.0  # but not longer than this


@dataclass(frozen=True, slots=True)
class StepReport:
    """How the table was after a step. ``failure``: what an expectation found instead, else None."""

    step: s.Step
    view: TableView
    failure: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        view = self.view
        return {
            "t": round(view.time_s, 6),
            "step": self.step.text,
            "phase": view.phase.value,
            "to_move": view.to_move,
            "cells": dict(sorted(view.cells.items())),
            "lights": {place: role.value for place, role in sorted(view.lights.items())},
            "say": view.say,
            "result": None if view.outcome is None else view.outcome.as_json(),
        }


class ScenarioRunner:
    """Carries steps out one by one on ``session``."""

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._heal_at: list[tuple[float, str, tuple[str, ...]]] = []
        self._signs: tuple[object, ...] = ()
        self._quiet_since_s = session.clock.now()

    def run(self, steps: tuple[s.Step, ...]) -> Iterator[StepReport]:
        """Yield a report per step; ends after the first expectation that does not hold.

        Raises TiltboardError for a step that no hand could do, and RulesError for a game or
        option that does not exist.
        """
        for step in steps:
            failure = self._do(step.action)
            if not isinstance(step.action, s.Expect | s.Wait):
                self._quiet_since_s = self._now()
            yield StepReport(step, self.view(), failure)
            if failure is not None:
                return

    def view(self) -> TableView:
        """The table as it shows itself now."""
        host = self._session.host
        standing = host.standing
        return TableView(
            time_s=self._session.clock.now(),
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

    def _do(self, action: s.Action) -> str | None:
        hands = self._session.hands
        index = self._session.host.overlay.index_of
        match action:
            case s.NewGame():
                self._new_game(action)
            case s.SetupByHand():
                pass
            case s.Put(piece, place, offset_mm):
                self._session.host.overlay.magnet_of(piece)
                self._finish(hands.put(piece, index(place), offset_mm))
            case s.Take(place):
                self._finish(hands.take(index(place)))
            case s.Move(source, target):
                self._finish(hands.move(index(source), index(target)))
            case s.Slide(source, target):
                self._finish(hands.slide(index(source), index(target)))
            case s.Knock(places):
                self._finish(hands.knock([index(place) for place in places]))
            case s.Tilt():
                self._tilt(action)
            case s.Press(button, held_s):
                self._finish(hands.press(button, held_s))
            case s.Bump():
                self._finish(hands.bump())
            case s.Wait(duration_s):
                self._run_until(self._now() + duration_s)
            case s.Answer(value):
                self._wait_quiet()
                self._session.host.do(commands.Answer(value))
                self._tick()
            case s.Kill():
                self._session.kill()
            case s.PowerCut():
                self._session.power_cut()
            case s.Fault(name, targets, for_s):
                self._session.faults.inject(name, targets)
                if for_s is not None:
                    self._heal_at.append((self._now() + for_s, name, targets))
            case s.Heal(name, targets):
                self._session.faults.heal(name, targets)
            case s.Expect():
                return self._expect(action)
        return None

    def _new_game(self, action: s.NewGame) -> None:
        host = self._session.host
        kind = game_type(action.game)
        host.do(
            commands.NewGame(
                kind.name, options_from_text(kind, action.options, read_board=read_board)
            )
        )
        if not action.by_hand:
            self._session.hands.clear()
        self._wait_quiet()

    def _tilt(self, action: s.Tilt) -> None:
        x_rad, y_rad = math.radians(action.x_deg), math.radians(action.y_deg)
        tilted = self._session.hands.tilt(x_rad, y_rad, for_s=action.for_s)
        if action.for_s is None:
            self._finish(tilted)

    def _expect(self, action: s.Expect) -> str | None:
        if action.within_s is None:
            self._wait_quiet()
        else:
            deadline_s = self._now() + action.within_s
            while not holds(action.claim, self.view()) and self._now() < deadline_s:
                self._tick()
        view = self.view()
        if holds(action.claim, view):
            return None
        late = "" if action.within_s is None else f" after {action.within_s:g} s"
        return describe(action.claim, view) + late

    # Time

    def _now(self) -> float:
        return self._session.clock.now()

    def _tick(self) -> None:
        for entry in [entry for entry in self._heal_at if entry[0] <= self._now()]:
            self._heal_at.remove(entry)
            self._session.faults.heal(entry[1], entry[2])
        self._session.tick()
        self._watch()

    def _run_until(self, time_s: float) -> None:
        while self._now() < time_s:
            self._tick()

    def _finish(self, action: HandAction) -> None:
        self._run_until(action.end_s)

    def _wait_quiet(self) -> None:
        """Until hands, readings and commanded tilt have been unchanged for QUIET_S."""
        started_s = self._now()
        while self._now() - self._quiet_since_s < QUIET_S and self._now() - started_s < PATIENCE_S:
            self._tick()

    def _watch(self) -> None:
        """Note whether anything has changed with the last scan."""
        observation = self._session.host.observation
        signs = (observation.magnets, observation.unsure, observation.stillness)
        busy = self._session.hands.busy_until_s > self._now()
        if signs != self._signs or busy or not observation.ready:
            self._signs = signs
            self._quiet_since_s = self._now()
