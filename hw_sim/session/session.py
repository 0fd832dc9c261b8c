"""A simulated table that runs the real host in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.assemble import open_host
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.faults import SimDisk
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.world import World

RESTART_S = 1.0  # Time in seconds until a killed service runs again.
POWER_UP_S = 3.0  # Time in seconds until the Pi has booted and the service runs.


class SimSession:
    """One table and its service, which can be killed and restarted.

    ``state``: folder of the journal and the calibration, whose files survive kills and power cuts.
    ``first_game``: game with which the table starts, as for ``open_host``. Use the session as a
    context manager, so that the buses are released.
    """

    def __init__(
        self,
        profile: Profile,
        state: Path,
        *,
        seed: int = 1,
        settings: Settings | None = None,
        first_game: NewGame | None = None,
        world: type[World] = World,
        clock: VirtualClock | None = None,
    ) -> None:
        self.profile = profile
        self.table = SimTable(profile, seed, SimDisk(state), world=world, clock=clock)
        self.clock = self.table.clock
        self.hands = self.table.hands
        self.faults = self.table.faults
        self._state = state
        self._settings = settings or Settings()
        self._first_game = first_game
        self._boots = 0
        self._stocked_for: Overlay | None = None

    def __enter__(self) -> Self:
        self.table.__enter__()
        try:
            self.start()
        except BaseException:
            self.table.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.host.close()
        finally:
            self.table.__exit__(*error)

    @property
    def pegs(self) -> bool:
        """True if pegs and walls are on the plate. This is so if the plate tilts, the world has
        physics, and the game's pieces enter from the edges.
        """
        tilts = self.profile.sees_tilt and self.table.world.falls
        return tilts and bool(self.host.game.edge_slots)

    def tick(self) -> None:
        """Run one scan, and wait until the next scan is due."""
        self.host.step()
        self.wait()

    def wait(self) -> None:
        """Wait until the next scan is due."""
        self._stock_trays()
        self._pacer.wait()

    def run_until(self, time_s: float) -> None:
        """Run scans until the clock has reached ``time_s``."""
        while self.clock.now() < time_s:
            self.tick()

    def kill(self) -> None:
        """Kill the service between two instructions and restart it."""
        self._die()
        self.clock.sleep(RESTART_S)
        self.start()

    def power_cut(self) -> None:
        """Cut the whole table's power, restore it and restart the service."""
        self._die()
        self.table.power_cycle()
        self._boots += 1
        self.clock.sleep(POWER_UP_S)
        self.start()

    def _die(self) -> None:
        # When a process dies, the system closes the files of the process and releases its locks.
        # Nothing is written, and no chip receives a command.
        self.host.journal.close()
        self.table.buses.pin_factory.close()
        self.table.buses.close_ports()

    def start(self) -> None:
        """Start the service at the beginning, after a kill or after a power cut."""
        self.host: Host = open_host(
            self.profile,
            self.table.buses,
            self._state,
            self._settings,
            self._first_game,
            boot=f"simulated {self._boots}",
        )
        if self.table.disk is not None:
            self.table.disk.refill_after_reopening()
        self._pacer = Pacer(self.clock, self.profile.scans_per_s)
        self._stock_trays()

    def _stock_trays(self) -> None:
        """Fill the trays with the pieces of the present game."""
        overlay = self.host.overlay
        if overlay is not self._stocked_for:
            self._stocked_for = overlay
            self.table.world.trays = {
                piece: MagnetKind(overlay.magnet_of(piece).value) for piece in overlay.pieces
            }
            kind = game_type(self.host.game.name)
            self.table.world.bodies = {piece: kind.look_of(piece).body for piece in overlay.pieces}
            places = overlay.index_of_game_place.values()
            self.table.world.set_lanes(places if self.pegs else ())
