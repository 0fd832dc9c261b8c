"""The pytest plug-in: fixtures with a simulated or real table, and scenario files as tests.

The plug-in imports other modules of tiltboard only when a test needs them, because pytest loads the
plug-in in every run.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tiltboard.firmware_host.config.profile import Profile
    from tiltboard.ground.clock import Clock
    from tiltboard.testing.bench import AnyBench
    from tiltboard.testing.game import GameTable

USUAL = "plate-10"
BOARD = pytest.StashKey[Any]()
MARK = "tiltboard(*profiles, seed=1): the tables that the test runs on, and their seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line options of the plug-in."""
    group = parser.getgroup("tiltboard", "tiltboard: simulated and real tables")
    group.addoption(
        "--tiltboard-profile",
        action="append",
        metavar="PROFILE",
        help="run on this table, whatever tests are marked with: a profile's name or file; again"
        " for several",
    )
    group.addoption(
        "--tiltboard-seed",
        type=int,
        metavar="N",
        help="the seed of the simulated tables: other tolerances, other hands",
    )
    group.addoption(
        "--tiltboard-real",
        metavar="PROFILE",
        help="run on the board wired to this machine; a person is asked to act",
    )
    group.addoption(
        "--tiltboard-servo",
        metavar="GPIO:PLACE:POLE",
        help='a servo of this machine that puts a piece on a real board, as "12:a1:south"',
    )
    group.addoption(
        "--tiltboard-record",
        metavar="DIR",
        help="keep the trace of each test there; with --tiltboard-real also the report (default:"
        " tiltboard-reports)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and open the real board for exclusive use if requested."""
    config.addinivalue_line("markers", MARK)
    real, named = config.getoption("--tiltboard-real"), config.getoption("--tiltboard-profile")
    if real and named:
        raise pytest.UsageError("--tiltboard-real names the profile; leave --tiltboard-profile out")
    for name in (*(named or ()), *([real] if real else ())):
        _profile(name)
    if not real or config.option.collectonly:
        return
    from tiltboard.testing.board import RealBoard

    folder = Path(config.getoption("--tiltboard-record") or "tiltboard-reports")
    board = RealBoard.open(_profile(real), config.getoption("--tiltboard-servo"), folder)
    config.stash[BOARD] = board
    config.add_cleanup(board.close)
    config.option.xmlpath = config.option.xmlpath or str(board.folder / "junit.xml")


def _profile(name: str) -> Profile:
    from tiltboard.firmware_host.config.profile import load_profile
    from tiltboard.ground.errors import TiltboardError

    try:
        return load_profile(name)
    except TiltboardError as error:
        raise pytest.UsageError(f"tiltboard: {error}") from None


def _tables(config: pytest.Config, mark: pytest.Mark | None) -> tuple[str, ...]:
    """Return the names of the profiles on which a test runs: from the command line, otherwise from
    the mark, otherwise the default.
    """
    real, named = config.getoption("--tiltboard-real"), config.getoption("--tiltboard-profile")
    return tuple([real] if real else named or (mark.args if mark else ()) or (USUAL,))


def _check(mark: pytest.Mark) -> None:
    """Raise CollectError if the mark has invalid arguments."""
    others = sorted(mark.kwargs.keys() - {"seed"})
    seed = mark.kwargs.get("seed", 1)
    if others:
        raise pytest.Collector.CollectError(
            f"pytest.mark.tiltboard takes profiles and seed, not {', '.join(others)}."
        )
    if type(seed) is not int or seed < 0:
        raise pytest.Collector.CollectError(
            f"The seed of a table is a whole number from 0, not {seed!r}."
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each of its profiles."""
    if "tiltboard_profile" in metafunc.fixturenames:
        mark = metafunc.definition.get_closest_marker("tiltboard")
        if mark is not None:
            _check(mark)
        tables = _tables(metafunc.config, mark)
        names = [Path(name).stem if "/" in name else name for name in map(str, tables)]
        metafunc.parametrize("tiltboard_profile", tables, ids=names, indirect=True)


@pytest.fixture
def tiltboard_profile(request: pytest.FixtureRequest) -> Profile:
    """The profile of the table on which the test runs."""
    return _profile(str(request.param))


@pytest.fixture
def tiltboard_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the test's table: from the command line, otherwise from the mark, otherwise 1."""
    given = request.config.getoption("--tiltboard-seed")
    mark = request.node.get_closest_marker("tiltboard")
    return int(given if given is not None else mark.kwargs.get("seed", 1) if mark else 1)


@pytest.fixture
def tiltboard_clock(request: pytest.FixtureRequest) -> Clock:
    """The clock of the test's table, which is virtual if the table is simulated."""
    from tiltboard.ground.clock import SystemClock
    from tiltboard.hw_sim.clock import VirtualClock

    return SystemClock() if BOARD in request.config.stash else VirtualClock()


@pytest.fixture
def tiltboard_bench(
    request: pytest.FixtureRequest,
    tiltboard_profile: Profile,
    tiltboard_seed: int,
    tiltboard_clock: Any,
    tmp_path: Path,
) -> Iterator[AnyBench]:
    """A table with its drivers and without a game (``tiltboard.testing.Bench``)."""
    from tiltboard.testing.bench import Bench

    board = request.config.stash.get(BOARD, None)
    if board is not None:
        made: AnyBench = board.bench()
    else:
        made = Bench(tiltboard_profile, seed=tiltboard_seed, clock=tiltboard_clock)
    with made:
        made.record(_trace(request.node, tmp_path))
        yield made


@pytest.fixture
def tiltboard_game(
    request: pytest.FixtureRequest,
    tiltboard_profile: Profile,
    tiltboard_seed: int,
    tiltboard_clock: Any,
    tmp_path: Path,
) -> Iterator[GameTable]:
    """A table with a running host (``tiltboard.testing.GameTable``)."""
    made = {"seed": tiltboard_seed, "state": tmp_path, "clock": tiltboard_clock}
    with _game_table(request.node, tiltboard_profile, **made) as table:
        table.record(_trace(request.node, tmp_path))
        yield table


@contextmanager
def _game_table(item: pytest.Item, profile: Profile, **made: Any) -> Iterator[GameTable]:
    from tiltboard.testing.game import GameTable

    board = item.config.stash.get(BOARD, None)
    with ExitStack() as closing:
        if board is not None:
            made = {"actor": closing.enter_context(board.person(made["state"]))}
        yield closing.enter_context(GameTable(profile, **made))


def _trace(item: pytest.Item, usual: Path) -> Path:
    """Return the file for the trace of a test. For a real board, the file is stored with the
    report.
    """
    board = item.config.stash.get(BOARD, None)
    folder = board.folder if board else item.config.getoption("--tiltboard-record")
    if folder is None:
        return usual / "tiltboard.trace"
    Path(folder).mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in item.nodeid)
    found = Path(folder) / f"{name.strip('-')}.trace"
    found.unlink(missing_ok=True)
    return found


@pytest.fixture
def tiltboard_page(
    request: pytest.FixtureRequest, tiltboard_profile: Profile, tiltboard_seed: int, tmp_path: Path
) -> Iterator[str]:
    """The URL of the page of a simulated table in real time, served to this machine only."""
    if BOARD in request.config.stash:
        pytest.skip("the page of a real table is its service's own")
    from tiltboard.firmware_host.config.settings import Settings
    from tiltboard.firmware_host.web.server import WebServer
    from tiltboard.hw_sim.session.live import LiveTable

    table = LiveTable(tiltboard_profile, tmp_path, Settings(), seed=tiltboard_seed).table
    server = WebServer(table, 0)
    table.start()
    try:
        server.start()
        yield server.url
    finally:
        server.stop()
        table.stop()


# Scenario files as tests


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect files with the suffix .scenario."""
    if file_path.suffix == ".scenario":
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


class ScenarioFile(pytest.File):
    """A scenario file, with one test for each profile."""

    def collect(self) -> Iterable[ScenarioItem]:
        """Yield one test for each profile."""
        for table in _tables(self.config, None):
            yield ScenarioItem.from_parent(self, name=table, table=table)


class ScenarioItem(pytest.Item):
    """A scenario on a table with one profile."""

    def __init__(self, *, table: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._table = table
        self.funcargs: dict[str, object] = {}

    def runtest(self) -> None:
        """Run all steps of the scenario."""
        from tempfile import TemporaryDirectory

        profile, seed = _profile(self._table), self.config.getoption("--tiltboard-seed")
        with TemporaryDirectory() as state:
            made = {"seed": 1 if seed is None else seed, "state": Path(state)}
            with _game_table(self, profile, **made) as table:
                self.funcargs["table"] = table
                trace = _trace(self, Path(state))
                if trace.parent != Path(state):
                    table.record(trace)
                table.run(self.path.read_text("utf-8"), str(self.path))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return the line of the scenario that failed, and the reason."""
        from tiltboard.ground.errors import TiltboardError

        if not isinstance(excinfo.value, TiltboardError):
            return str(super().repr_failure(excinfo, style))
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the file and the name of the test for the report."""
        return self.path, None, f"{self.path.name}[{self.name}]"


# Reports of failed tests


def _subjects(item: pytest.Item) -> list[Any]:
    from tiltboard.testing.subject import Subject

    found = getattr(item, "funcargs", {}).values()
    # For a bound method, use the object to which the method belongs.
    owners = (getattr(each, "__self__", each) for each in found)
    return [*dict.fromkeys(each for each in owners if isinstance(each, Subject))]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test if its fixtures require an action that is not possible at this table."""
    with _skipping(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test if it requires an action that is not possible at this table."""
    with _skipping(item):
        return (yield)


@contextmanager
def _skipping(item: pytest.Item) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if _uses_a_table(item):
            from tiltboard.testing.subject import NotPossibleHereError

            if isinstance(error, NotPossibleHereError):
                raise pytest.skip.Exception(str(error), _use_item_location=True) from None
        raise


def _uses_a_table(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    return isinstance(item, ScenarioItem) or "tiltboard_profile" in names


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the steps at the table and the table's final state to the report of a failed test."""
    report = yield
    if not _uses_a_table(item) or (call.when != "call" and report.passed):
        return report
    told = "\n\n".join(subject.report() for subject in _subjects(item))
    if report.failed and told:
        report.sections.append(("tiltboard", told))
    board = item.config.stash.get(BOARD, None)
    if board is not None:
        board.add(report, told)
    return report
