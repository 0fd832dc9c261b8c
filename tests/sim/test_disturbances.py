"""Tests of firmware_host/referee/guidance.py and firmware_host/perception/motion_gate.py: what
hands do to a table besides playing, in every phase of ``fault_phases.toml``: nothing is
confirmed or lost by it, and when it is put right the game stands as before.
"""

import tomllib
from pathlib import Path

import pytest

from tests.campaigns.soak.eyes import Eyes
from tests.unhurried import unhurried
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands
from tiltboard.hw_sim.world import paths

PHASES = tomllib.loads(Path(__file__).with_name("fault_phases.toml").read_text())["phases"]
MAIN = [name for name, phase in PHASES.items() if "only" not in phase]
# plate-7 has switches, as matrix-gpio has on a table; a node's sensors are plate-10's. What a phase
# makes of a disturbance is the referee's. With physics, what hands do comes about otherwise, and is
# seen by the same sensors.
TABLES = {
    "plate-10": MAIN,
    "plate-7": ("turn", "settle", "paused"),
    "plate-10+physics": ("settle",),
}
BESIDE = {"c3": "d3", "E3": "D3"}  # where nothing stands in any phase, and no move puts a piece
KNOCKED = {"settle": "c4"}  # the piece on c3 may by chance jump to where it is to go
# The piece is to be taken off: once it is in the air the game has begun, and to put it is a move.
MEANT = {"setup": ("slide", "knock", "slow")}
SLOW_S = 1.1  # in all less than the 3 s after which a piece that is away is taken back
RESTS_S = 3.0
RESTS_MM = 35.0
LOW_MM = 60.0


class Table:
    """A simulated table in one phase, and somebody's clumsy hands."""

    def __init__(self, session, phase):
        self.session = session
        self.name, self.phase = phase, PHASES[phase]
        self.piece, self.free = self.phase["piece"], self.phase["free"]
        self.phases = set()
        self._runner = ScenarioRunner(SimulatedHands(session))
        self._eyes = Eyes(session)

    def play(self, *steps):
        for report in self._runner.run(parse_scenario("cell", "\n".join(steps))):
            assert report.failure is None, f"{report.step.text}: {report.failure}"

    def wait(self, duration_s):
        """Watch what the table shows meanwhile."""
        end_s = self.session.clock.now() + duration_s
        while self.session.clock.now() < end_s:
            self.session.tick()
            self.phases.add(self.session.host.status.phase.value)
            assert self.kept == self.before["kept"]

    @property
    def kept(self):
        """What no disturbance may change for a moment."""
        status = self.session.host.status
        return status.moves, status.to_move, dict(status.position.cells)

    @property
    def stands(self):
        """All that is as before when it has been put right."""
        host = self.session.host
        asked = host.status.question
        return {
            "kept": self.kept,
            "phase": host.status.phase.value,
            "asked": None if asked is None or asked.offer else asked.choices,
            "roles": dict(host.status.roles),
            "seen": dict(host.sight.cells),
            "journal": tuple(host.journal.load(host.status.game_id).moves),
        }

    # What hands do

    def bump(self):
        self.wait(self.session.hands.bump().end_s - self.session.clock.now() + 0.5)

    def slide(self):
        index, hands = self.session.host.overlay.index_of, self.session.hands
        for way in ((self.piece, BESIDE[self.piece]), (BESIDE[self.piece], self.piece)):
            action = hands.slide(*map(index, way))
            self.wait(action.end_s - self.session.clock.now() + 1.5)

    def knock(self):
        index, hands = self.session.host.overlay.index_of, self.session.hands
        stood = self._eyes.pieces()
        knocked = KNOCKED.get(self.name, self.piece)
        hands.knock([index(knocked)])
        self.wait(2.0)
        (astray,) = self._eyes.pieces().keys() - stood.keys()
        action = hands.move(index(astray), index(knocked))
        self.wait(action.end_s - self.session.clock.now() + 1.5)

    def slow(self):
        """Lifts a piece, slowly, looks under it, and puts it back as slowly."""
        table = self.session.table
        piece = table.world.piece_at(self.session.host.overlay.index_of(self.piece))
        x, y, _ = piece.here
        path = paths.Path(self.session.clock.now(), piece.here).to((x, y, LOW_MM), SLOW_S)
        path = path.wait(0.5).to((x, y, 0.0), SLOW_S)
        table.world.set_going(piece, path)
        self.wait(2 * SLOW_S + 2.0)

    def rest(self):
        """Holds a piece low over an empty place while thinking, and goes away with it."""
        session = self.session
        index = session.host.overlay.index_of(self.free)
        label = session.host.overlay.piece_of(Magnet.S_STRONG)
        x, y = session.profile.centre_mm(index)
        piece = session.table.world.new_piece(label, (x, y, 90.0))
        piece.comes = True
        path = paths.Path(session.clock.now(), piece.here).to((x, y, RESTS_MM), 0.5)
        path = path.wait(RESTS_S).to((x, y, 90.0), 0.5)
        session.table.world.set_going(piece, path, leaves=True)
        self.wait(RESTS_S + 2.0)


@pytest.fixture(scope="module")
def session(request, tmp_path_factory):
    name, _, physics = request.param.partition("+")
    if physics:
        pytest.importorskip("mujoco")
    folder, kind = tmp_path_factory.mktemp(name), world_class(physics=bool(physics))
    with SimSession(unhurried(name), folder, seed=1, world=kind) as running:
        yield running


@pytest.mark.parametrize(
    ("session", "phase"),
    [(table, phase) for table, phases in TABLES.items() for phase in phases],
    indirect=["session"],
    scope="module",
)
def test_nothing_is_lost_by_what_clumsy_hands_do(session, phase):
    profile = session.profile
    table = Table(session, phase)
    if profile.imu is not None:
        table.play("tilt 0 0", "wait 0.5s")
    shown = PHASES[phase].get("shown", phase)
    table.play(*PHASES[phase]["reach"], f"expect phase {shown}", "wait 3s")
    table.before = before = table.stands
    for disturb in (table.bump, table.slide, table.knock, table.slow, table.rest):
        table.phases.clear()
        name = disturb.__name__
        if name in MEANT.get(phase, ()):
            continue
        disturb()
        for _ in range(10):
            if table.stands == before:
                break
            table.wait(0.5)
        assert table.stands == before, name
        if name == "bump":
            assert table.phases <= {shown, "paused"}
        elif name == "rest" or phase in ("paused", "over"):
            assert table.phases == {shown}, name
        elif name in ("slide", "knock") and phase != "question":  # it may be asked anew
            assert table.phases >= {"fix"}, name
        table.play("wait 0.2s")
    table.play(*PHASES[phase]["on"])
