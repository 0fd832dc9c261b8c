"""Sweeps (guided calibrations) of simulated tables, with all requests and refusals."""

from __future__ import annotations

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.commissioning.progress import FORMAT, Progress, SweepPart
from tiltboard.firmware_host.commissioning.results import calibration_of, findings
from tiltboard.firmware_host.commissioning.sweep import Sweep, run_sweep
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.hw_sim.session.simulated_builder import Maker
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.wiring_errors import miswire


class StoppedError(Exception):
    """The test has seen enough of the sweep."""


class Swept:
    """A sweep (guided calibration) of a table with ``profile`` by a simulated maker.

    ``faults``: faults as for ``--fault``. ``mishap``: a generator that gets this object, makes a
    mistake at some point, and yields until it is corrected; after it returns, the maker continues
    without mistakes. ``stop``: number of accepted tasks after which the sweep ends.
    """

    def __init__(
        self,
        profile,
        *faults,
        seed=1,
        progress=None,
        parts=tuple(SweepPart),
        prepare=None,
        mishap=None,
        stop=None,
        patience_s=40.0,
    ):
        self.profile = profile
        progress = progress or Progress(FORMAT, profile.name, wanted=parts)
        self.parts = progress.wanted
        self.sweep = Sweep(profile, progress, keep=self._keep)
        self._stop = stop
        self.refused: list[str] = []
        self.asked: list[object] = []
        self.kept: list[Progress] = []
        with SimTable(profile, seed) as self.table:
            for fault in faults:
                name, *targets = fault.split()
                miswire(self.table, name, targets)
            if prepare is not None:
                prepare(self.table)
            self.maker = Maker(self.table, seed)
            self.step = self.sweep.step
            acting = iter(()) if mishap is None else mishap(self)
            accepted_s = 0.0

            def tell(step):
                nonlocal accepted_s
                self.step = step
                if not self.asked or step.task not in (None, self.asked[-1]):
                    self.asked.append(step.task)
                said = str(step.refused or "")
                if said and (not self.refused or said != self.refused[-1]):
                    self.refused.append(said)
                if step.accepted:
                    accepted_s = self.table.clock.now()
                assert self.table.clock.now() < accepted_s + patience_s, (step, self.refused)
                if step.task is None:
                    self.lights = self.table.lights
                answer = next(acting, "over")
                return self.maker.follow(step) if answer == "over" else answer

            plate = build_plate(profile, self.table.buses)
            try:
                pacer = Pacer(self.table.clock, profile.scans_per_s)
                run_sweep(self.sweep, plate, pacer.wait, tell)
            except StoppedError:
                pass
            else:
                assert next(acting, "over") == "over", "the mishap did not come to its end"
            finally:
                plate.close()
            self.duration_s = self.table.clock.now()

    def _keep(self, progress):
        self.kept.append(progress)
        if len(self.kept) == self._stop:
            raise StoppedError

    @property
    def places(self):
        """The places at which the strong piece was requested, in order."""
        return [task.place for task in self.asked if task.ask.name == "PLACE"]

    @property
    def found(self):
        """The findings at the end of the sweep: subject, state and text."""
        told = [*self.sweep.troubles, *findings(self.profile, self.sweep.progress)]
        return [(each.subject, each.state.value, str(each.found)) for each in told]

    def calibration(self, made_s=0.0, before=None):
        """Return the calibration that the table gets."""
        return calibration_of(
            self.profile, self.sweep.progress, made_s, before=before, proven=self.parts
        )


@pytest.fixture(scope="session")
def swept():
    """The class ``Swept``, which a test calls to run a sweep."""
    return Swept


@pytest.fixture(scope="session")
def plate_10():
    return unhurried("plate-10")


@pytest.fixture(scope="session")
def small(plate_10):
    """plate-10's wiring with 4 x 3 places; the other inputs are unused."""
    return msgspec.structs.replace(plate_10, name="small", columns=4, rows=3)
