"""Asks a person for something, and waits until the sensors have seen it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from drivers.errors import TiltboardError
from firmware_host.messages import Message, text
from firmware_host.scenario import prompts
from firmware_host.scenario.real_table import RealTable
from firmware_host.scenario.run import NotSeenError, SkippedError, Tick
from firmware_host.scenario.witness import Seen, Witness
from firmware_host.table.standing import Asked, Role


class StoppedError(TiltboardError):
    """Somebody at the terminal ended the run."""


class Terminal(Protocol):
    """Where a person reads what to do, and may answer."""

    def tell(self, message: Message) -> None:
        """Show a line."""

    def reply(self) -> str | None:
        """A line that was typed since the last call; None if there is none. Does not wait."""


@dataclass(slots=True)
class _Promise:
    """What is to be asked at ``due_s``, while other steps go on, and how it is seen.

    ``tilted``: until then somebody holds the plate.
    """

    due_s: float
    prompt: Message
    seen: Seen
    tilted: bool = False
    told: bool = False


class Prompter:
    """Asks on ``terminal``, by the lights and on the page. What is not seen ``time_out_s`` after it
    was asked for fails.
    """

    def __init__(
        self, table: RealTable, witness: Witness, terminal: Terminal, time_out_s: float
    ) -> None:
        self._table = table
        self._witness = witness
        self._terminal = terminal
        self.time_out_s = time_out_s
        self._promises: list[_Promise] = []

    @property
    def promised(self) -> bool:
        """Whether something is still to be asked or seen."""
        return bool(self._promises)

    @property
    def busy(self) -> bool:
        """Whether somebody still holds the plate."""
        return any(promise.tilted for promise in self._promises)

    def tick(self) -> None:
        """One scan; asks for what is due by now. Raises NotSeenError, StoppedError."""
        self._table.tick()
        now_s = self._table.clock.now()
        for promise in tuple(self._promises):
            if now_s < promise.due_s:
                continue
            if not promise.told:
                promise.told = True
                self._show(promise.prompt)
            if promise.seen():
                self._promises.remove(promise)
                self._table.host.upkeep.asked = None
            elif now_s >= promise.due_s + self.time_out_s:
                self._promises.remove(promise)
                raise self.not_seen(promise.prompt)

    def ask(
        self,
        prompt: Message,
        seen: Collection[Seen],
        tick: Tick,
        roles: Mapping[str, Role] | None = None,
        piece_for: Mapping[str, str] | None = None,
    ) -> None:
        """Ask, and scan until all of ``seen`` have been true, one after the other."""
        left = deque(seen)
        due_s = self._table.clock.now() + self.time_out_s
        self._show(prompt, roles, piece_for)
        try:
            while True:
                while left and left[0]():
                    left.popleft()
                if not left:
                    return
                if self._table.clock.now() >= due_s:
                    raise self.not_seen(prompt)
                match self._terminal.reply():
                    case None:
                        pass
                    case "again":
                        due_s = self._table.clock.now() + self.time_out_s
                        self._terminal.tell(prompt)
                    case "skip":
                        raise SkippedError("Somebody chose to skip it.")
                    case "stop":
                        raise StoppedError("The run was stopped here.")
                    case _:
                        self._terminal.tell(prompts.KEYS)
                tick()
        finally:
            self._table.host.upkeep.asked = None

    def _show(
        self,
        prompt: Message,
        roles: Mapping[str, Role] | None = None,
        piece_for: Mapping[str, str] | None = None,
    ) -> None:
        self._table.host.upkeep.asked = Asked(prompt, roles, piece_for or {})
        self._terminal.tell(prompt)

    def promise(self, after_s: float, prompt: Message, seen: Seen, *, tilted: bool = False) -> None:
        """Ask for it later, while other steps go on. ``tilted``: somebody holds the plate until
        then.
        """
        self._promises.append(_Promise(self._table.clock.now() + after_s, prompt, seen, tilted))

    def not_seen(self, prompt: Message) -> NotSeenError:
        """The error to raise where nobody did in time what ``prompt`` asks."""
        cells = " ".join(f"{place}={piece}" for place, piece in sorted(self._witness.cells.items()))
        return NotSeenError(
            "asked '{prompt}', but the sensors have not seen it in {seconds:g} s; they see {cells}",
            prompt=prompt,
            seconds=self.time_out_s,
            cells=cells or text("nothing"),
        )
