"""The base class of a bench and of a table with a game. The class provides methods with checked
arguments, a list of steps, and a report.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.messages import nearest
from tiltboard.ground.clock import Clock
from tiltboard.hw_sim.errors import SimulationError

P = ParamSpec("P")
T = TypeVar("T")


class ExpectationError(SimulationError, AssertionError):
    """Raised if a state that a test expects does not occur before the timeout. The message states
    the actual state.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:
    ...     try:
    ...         bench.until(lambda frame: frame.pressed, within=0.1)
    ...     except ExpectationError as error:
    ...         print(str(error).split(";")[0])
    This did not come about within 0.1 s
    """


class NotPossibleHereError(SimulationError):
    """Raised if an action is not possible at this table, or not by hand. Pytest skips the test.

    >>> from tiltboard.testing import Bench
    >>> try:
    ...     Bench("matrix-gpio").part("imu")
    ... except NotPossibleHereError as error:
    ...     print(error)
    matrix-gpio has no imu.
    """


class Subject:
    """A table under test, with the list of steps so far."""

    profile: Profile
    """The profile of the table."""
    clock: Clock
    """The clock of the table, which is virtual if the table is simulated."""

    def __init__(self, profile: Profile, clock: Clock, title: str) -> None:
        self.profile, self.clock = profile, clock
        self._title = title
        self._began_s = clock.now()
        self.steps: list[str] = []
        """The steps so far, each with its time in seconds since the table was opened."""

    def note(self, step: str) -> None:
        """Add a line with the current time to the list of steps."""
        self.steps.append(f"{self.clock.now() - self._began_s:9.2f} s  {step}")

    def index_of(self, place: str) -> int:
        """Return the index of a place on the plate. Raises SimulationError for an unknown place."""
        known(place, "place", self.profile.places)
        return self.profile.places.index(place)

    def _check_open(self) -> None:
        """Raise SimulationError if the table is not open."""

    def state_lines(self) -> Iterable[str]:
        """Yield lines that describe the state of the table, for the report."""
        return ()

    def report(self) -> str:
        """Return the report that a failed test shows: the steps with their times, and the state of
        the table.
        """
        return "\n".join([self._title, *self.steps, *self.state_lines()])


S = TypeVar("S", bound=Subject)


def checked(do: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Return the method ``do`` with a check of the arguments. Arguments that do not fit the
    parameters raise SimulationError.
    """
    signature = inspect.signature(do)
    plain = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    shown = str(inspect.Signature(plain[1:]))

    @wraps(do)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True
        try:
            signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise SimulationError(
                "{name} is called as {name}{shown}: {why}.",
                name=do.__name__,
                shown=shown,
                why=str(error),
            ) from None
        return do(self, *args, **kwargs)

    return call


def verb(do: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Return the method ``do`` as a step of a test. The step checks its arguments and adds a line
    to the list of steps.
    """

    @checked
    @wraps(do)
    def step(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True
        self._check_open()
        given = [*map(_shown, args), *(f"{name}={_shown(each)}" for name, each in kwargs.items())]
        self.note(" ".join([do.__name__, *given]))
        return do(self, *args, **kwargs)

    return step


def _shown(value: object) -> str:
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return value if isinstance(value, str) else repr(value)


def known(name: Any, what: str, names: Collection[str]) -> str:
    """Return ``name`` if it is one of ``names``. Otherwise, raise SimulationError with the closest
    name.
    """
    if not isinstance(name, str) or name not in names:
        raise SimulationError(
            "There is no {what} {name!r} here; {hint}",
            what=what,
            name=name,
            hint=nearest(str(name), names),
        )
    return name


def condition_on(what: str, condition: Any) -> Any:
    """Return ``condition`` if it can be called with one argument. Otherwise, raise
    SimulationError.
    """
    try:
        inspect.signature(condition).bind(what)
    except ValueError:  # Some built-in functions have no signature.
        return condition
    except TypeError as error:
        raise SimulationError(
            "A condition is a function of the {what}: {why}.", what=what, why=str(error)
        ) from None
    return condition


def loaded(profile: Any) -> Profile:
    """Return a profile. If ``profile`` is a name or a path, load the profile from its file. Raises
    ConfigError.
    """
    return profile if isinstance(profile, Profile) else load_profile(profile)


def whole(value: Any, what: str) -> int:
    """Return ``value`` if it is a whole number. Otherwise, raise SimulationError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise SimulationError("{what} is a whole number, not {value!r}.", what=what, value=value)
    return value


def number(value: Any, what: str, low: float, high: float) -> float:
    """Return ``value`` if it is a number from ``low`` to ``high``. Otherwise, raise
    SimulationError.
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise SimulationError(
            "{what} is a number from {low:g} to {high:g}, not {value!r}.",
            what=what,
            low=low,
            high=high,
            value=value,
        )
    return float(value)
