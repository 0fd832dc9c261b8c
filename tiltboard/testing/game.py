"""A table with the whole host, for tests. A test carries out steps of a scenario at the table and
checks the state that the table shows.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, cast

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.scenario.parse import ScenarioStep, parse_scenario
from tiltboard.firmware_host.scenario.run import Actor, ScenarioRunner, StepReport
from tiltboard.firmware_host.scenario.trace import Recorder
from tiltboard.firmware_host.table.status import Role
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.override import override
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands
from tiltboard.testing.bench import MAX_WAIT_S, plug_of
from tiltboard.testing.subject import (
    ExpectationError,
    NotPossibleHereError,
    Subject,
    checked,
    condition_on,
    known,
    loaded,
    number,
    verb,
    whole,
)

READY_WITHIN_S = 20.0


class GameTable(Subject):
    """A table with a running host, for tests that play games.

    Use it as a context manager. ``profile`` is a profile, the name of a built-in profile, or the
    path of a profile's file. ``state`` is the folder of journal and calibration, or None for a
    temporary folder. ``actor`` carries out the steps at a table that is already open; without
    ``actor``, simulated hands carry out the steps.

        >>> with GameTable("plate-7", seed=3) as played:
        ...     played.do("game momentum size=5 marbles=5").put("red", "c3").put("blue", "c4")
        ...     played.phase, played.lit("lift"), played.lit("put")
        ...     played.move("c3", "c2").kill().expect("cells c2=red c4=blue")
        <GameTable plate-7: settle>
        ('settle', ['c3'], ['c2'])
        <GameTable plate-7: turn>
    """

    def __init__(
        self,
        profile: str | PathLike[str] | Profile = "plate-10",
        *,
        seed: int = 1,
        state: Path | None = None,
        actor: Actor | None = None,
        clock: VirtualClock | None = None,
    ) -> None:
        wired = loaded(profile)
        title = f"{wired.name}, {'real' if actor else f'simulated, seed {seed}'}"
        super().__init__(wired, (clock or VirtualClock()) if actor is None else actor.clock, title)
        self._actor, self._seed, self._state = actor, whole(seed, "seed"), state
        self._closing = ExitStack()
        self._runner: ScenarioRunner | None = None
        self._recorder: Recorder | None = None
        self.session: SimSession | None = None
        """The session of the simulated table while it is open, or None at a real table."""
        self.trace: Path | None = None
        """The file to which every scan is written, for ``tiltboard replay``, or None."""

    def __enter__(self) -> Self:
        if self._runner is not None:
            raise SimulationError("This table is open already.")
        if self._actor is None:
            enter, clock = self._closing.enter_context, cast(VirtualClock, self.clock)
            state = self._state or Path(enter(TemporaryDirectory()))
            self.session = enter(SimSession(self.profile, state, seed=self._seed, clock=clock))
            self._actor = SimulatedHands(self.session)
        self._runner = ScenarioRunner(self._acting, self._record)
        until_s = self.clock.now() + READY_WITHIN_S
        while self.session and not self.host.look.observation.ready and self.clock.now() < until_s:
            self._running.tick()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the host and remove the simulated chips, faults and hands."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
        self._closing.close()
        self._runner = None
        if self.session is not None:
            self._actor = None

    def record(self, path: str | PathLike[str]) -> None:
        """Write every later scan to the file ``path``. Raises TraceError if the file exists and is
        not a trace.
        """
        self.trace = Path(path)
        self._recorder = Recorder(self.trace)

    # Methods that carry out steps

    @checked
    def do(self, text: str) -> Self:
        """Carry out steps of the scenario language, one per line (docs/scenarios.md). Each step
        waits until its action is finished. Raises ExpectationError if an expectation fails, and
        SimulationError for an invalid or impossible step.
        """
        __tracebackhide__ = True
        self.run(text)
        return self

    def run(self, text: str, source: str = "") -> list[StepReport]:
        """Carry out steps like ``do``, and return a report on the table after each step.
        ``source``: the file name in error messages.
        """
        __tracebackhide__ = True
        if not isinstance(text, str):
            raise SimulationError("Steps are a text with a line each, not {value!r}.", value=text)
        reports: list[StepReport] = []
        steps: tuple[ScenarioStep, ...] = ()

        def why(error: object) -> str:
            at = len(reports) - isinstance(error, Message)
            return f"{source}:{steps[at].line}: {error}" if source and steps else str(error)

        try:
            steps = parse_scenario(source or "steps", text)
            for report in self._running.run(steps):
                self.note(report.step.text)
                reports.append(report)
                if report.failure is not None:
                    raise ExpectationError("{why}", why=why(report.failure))
                if report.skipped is not None:
                    raise NotPossibleHereError("{why}", why=why(report.skipped))
        except (ExpectationError, NotPossibleHereError):
            raise
        except (TiltboardError, RulesError) as error:
            if steps:
                self.note(f"{steps[len(reports)].text} (not done)")
            raise SimulationError("{why}", why=why(error)) from error
        return reports

    def _step(self, *words: object) -> Self:
        __tracebackhide__ = True
        return self.do(" ".join(shlex.quote(str(word)) for word in words))

    @checked
    def game(self, name: str, /, **options: object) -> Self:
        """Start the game ``name`` with the given options, and set up the plate for the game. The
        options have the same form as for ``tiltboard.rules``.
        """
        __tracebackhide__ = True
        given = (f"{key}={_text(each)}" for key, each in options.items() if each is not None)
        return self._step("game", name, *given)

    @checked
    def put(self, piece: str, place: str, *, east_mm: float = 0.0, north_mm: float = 0.0) -> Self:
        """Put a piece of the game on a place, at the given distances from the middle of the
        place.
        """
        __tracebackhide__ = True
        off = ("at", east_mm, north_mm) if east_mm or north_mm else ()
        return self._step("put", piece, place, *off)

    @checked
    def take(self, place: str) -> Self:
        """Remove the piece from a place."""
        __tracebackhide__ = True
        return self._step("take", place)

    @checked
    def move(self, source: str, target: str) -> Self:
        """Lift the piece on the place ``source`` and put it on the place ``target``."""
        __tracebackhide__ = True
        return self._step("move", source, target)

    @checked
    def slide(self, source: str, target: str) -> Self:
        """Push the piece on the place ``source`` to the place ``target`` without lifting it."""
        __tracebackhide__ = True
        return self._step("slide", source, target)

    @checked
    def knock(self, *places: str) -> Self:
        """Knock the pieces on these places to free places beside them."""
        __tracebackhide__ = True
        return self._step("knock", *places)

    @checked
    def tilt(self, *, x_deg: float = 0.0, y_deg: float = 0.0, for_s: float | None = None) -> Self:
        """Tilt the plate and keep it tilted. With ``for_s``, return immediately; the plate becomes
        level again after ``for_s`` seconds.
        """
        __tracebackhide__ = True
        return self._step("tilt", x_deg, y_deg, *(() if for_s is None else ("for", f"{for_s}s")))

    @checked
    def press(self, button: str, *, for_s: float = 0.1) -> Self:
        """Press a button (``confirm`` or ``back``) for ``for_s`` seconds and release it."""
        __tracebackhide__ = True
        return self._step("press", button, f"{for_s}s")

    @checked
    def answer(self, value: str) -> Self:
        """Give an answer to the question that the table asks."""
        __tracebackhide__ = True
        return self._step("answer", value)

    @checked
    def kill(self) -> Self:
        """Stop the service without warning and start it again."""
        __tracebackhide__ = True
        return self._step("kill")

    @checked
    def power_cut(self) -> Self:
        """Switch the power of the whole table off and on again."""
        __tracebackhide__ = True
        return self._step("power-cut")

    @checked
    def advance(self, seconds: float) -> Self:
        """Let the table scan for ``seconds`` seconds."""
        __tracebackhide__ = True
        return self._step("wait", f"{number(seconds, 'seconds', 0.0, MAX_WAIT_S):f}s")

    @checked
    def expect(self, claim: str, *, within: float | None = None) -> Self:
        """Check a claim of the scenario language, such as ``cells d4=red``. Without ``within``, the
        check waits until the table is quiet. With ``within``, the claim must become true within
        that number of seconds. Raises ExpectationError.
        """
        __tracebackhide__ = True
        if within is None:
            return self.do(f"expect {claim}")
        return self.do(f"expect within {number(within, 'within', 0.0, MAX_WAIT_S):f}s {claim}")

    @verb
    def until(self, condition: Callable[[Self], object], *, within: float = 5.0) -> Self:
        """Scan until ``condition(table)`` is true. Raises ExpectationError after ``within``
        seconds.
        """
        __tracebackhide__ = True
        condition_on("table", condition)
        end_s = self.clock.now() + number(within, "within", 0.0, MAX_WAIT_S)
        while not condition(self):
            if self.clock.now() >= end_s:
                raise ExpectationError(
                    "This did not come about within {seconds:g} s; {phase}: {say}",
                    seconds=within,
                    phase=self.phase,
                    say=self.says,
                )
            self._running.tick()
        return self

    @contextmanager
    def fault(self, name: str, *targets: str) -> Iterator[Self]:
        """Return a context in which the table has the fault ``name`` (docs/scenarios.md)."""
        self._step("fault", name, *targets)
        try:
            yield self
        finally:
            if self.session is None or any(each == name for each, _ in self.session.faults.active):
                self._step("heal", name, *targets)

    @contextmanager
    def unplugged(self, part: str) -> Iterator[Self]:
        """Return a context in which the plug of a part is pulled: hall, imu, lights or panel."""
        name, targets = plug_of(self.profile, part)
        with self.fault(name, *targets):
            yield self

    # Properties and methods that show the state of the table.

    @override
    def _check_open(self) -> None:
        _ = self._running

    @property
    def _acting(self) -> Actor:
        if self._actor is None:
            raise SimulationError(
                "This table is not open.", remedy='Use it as a context: with GameTable("plate-10").'
            )
        return self._actor

    @property
    def _running(self) -> ScenarioRunner:
        _ = self._acting
        if self._runner is None:
            raise SimulationError(
                "This table is not open.", remedy='Use it as a context: with GameTable("plate-10").'
            )
        return self._runner

    @property
    def host(self) -> Host:
        """The host of the table. The method ``kill`` replaces the host. This property is not part
        of the public interface.
        """
        return self._acting.host

    @property
    def phase(self) -> str:
        """The phase of the game: ``setup``, ``turn``, ``settle``, ``fix``, ``paused`` or
        ``over``.
        """
        return str(self.host.status.phase)

    @property
    def to_move(self) -> str | None:
        """The player to move, or None after the end of the game."""
        return self.host.status.to_move

    @property
    def says(self) -> str:
        """The message that the table shows, in English."""
        return str(self.host.status.say)

    @property
    def moves(self) -> tuple[str, ...]:
        """The confirmed moves of the game."""
        return tuple(self.host.status.moves)

    @property
    def cells(self) -> Mapping[str, str]:
        """The piece that the sensors detect on each occupied place, by place name."""
        return dict(self.host.sight.cells)

    def lit(self, role: str) -> list[str]:
        """Return the places whose light has this role (its meaning), such as legal, lift, put,
        remove, wrong or last.
        """
        known(role, "role", [str(each) for each in Role])
        roles = self.host.status.roles
        return sorted(place for place, found in roles.items() if str(found) == role)

    def state_lines(self) -> Iterable[str]:
        """Yield lines that describe the phase, the message, the lights, the faults and the
        trace.
        """
        with suppress(SimulationError):
            yield f"{self.phase}: {self.says}"
            roles = sorted(self.host.status.roles.items())
            lit = ", ".join(f"{place} {role}" for place, role in roles if role != "off")
            yield f"lights: {lit or 'dark'}"
        if self.session is not None:
            active = [" ".join((name, *targets)) for name, targets in self.session.faults.active]
            yield f"faults: {', '.join(active) or 'none'}"
        if self.trace is not None:
            yield f"trace: tiltboard replay {self.trace} --profile {self.profile.name}"

    def _record(self, host: Host) -> None:
        if self._recorder is not None:
            self._recorder.record(host)

    def __repr__(self) -> str:
        phase = "closed" if self._actor is None else self.phase
        return f"<{type(self).__name__} {self.profile.name}: {phase}>"


def _text(option: object) -> str:
    """Return the value of an option as a text of the scenario language."""
    if isinstance(option, bool):
        return str(option).lower()
    return " ".join(map(str, option)) if isinstance(option, list | tuple) else str(option)
