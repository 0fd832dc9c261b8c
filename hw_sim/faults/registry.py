"""The faults of one table: which it can have, which it has.

A target is a place ("d4"), a button ("confirm"), an I2C bus ("1" or "i2c-1"), a chip ("imu" or
"mpu6050", "0x20") or an axis ("x"); a fault of the only bus or chip of its kind needs none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hw_sim.errors import FaultError
from hw_sim.faults.chips import AXES, chip_kinds, chips_of
from hw_sim.faults.computer import computer_kinds
from hw_sim.faults.kind import FaultKind
from hw_sim.faults.lights import lights_kinds
from hw_sim.faults.links import i2c_kinds, node_kinds, spi_kinds
from hw_sim.faults.sensors import button_kinds, magnet_kinds, sensor_kinds
from hw_sim.parts import TableParts

ROOMS: Final = (
    sensor_kinds,
    magnet_kinds,
    button_kinds,
    i2c_kinds,
    chip_kinds,
    spi_kinds,
    node_kinds,
    lights_kinds,
    computer_kinds,
)


class Faults:
    """What is wrong with one table. ``active``: name and targets, in the order of injection."""

    def __init__(self, table: TableParts) -> None:
        self._table = table
        self.active: list[tuple[str, tuple[str, ...]]] = []
        self._kinds: Mapping[str, FaultKind] = {
            name: kind for kinds_of in ROOMS for name, kind in kinds_of(table).items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Every fault that this table can have."""
        return tuple(self._kinds)

    def targets_of(self, name: str) -> tuple[Sequence[str], ...]:
        """What each target of that fault may be. Raises FaultError for an unknown fault."""
        kind = self._kind(name)
        return (self._known(kind.what),) * kind.targets

    def inject(self, name: str, targets: Sequence[str] = ()) -> None:
        """Break something, and see that it is broken.

        Raises FaultError for an unknown fault or target, one already there, or no visible effect.
        """
        kind = self._kind(name)
        chosen = self._targets(name, kind, targets)
        if (name, chosen) in self.active:
            raise FaultError(
                "{name} {targets} is already there.",
                remedy="Heal it first.",
                name=name,
                targets=" ".join(chosen),
            )
        kind.apply(chosen)
        if not kind.shows(chosen):
            kind.undo(chosen)
            raise FaultError(
                "{name} {targets} was applied and shows no effect.",
                remedy="Look at the order of faults: another one may hide it.",
                name=name,
                targets=" ".join(chosen),
            )
        if not kind.momentary:
            self.active.append((name, chosen))

    def heal(self, name: str, targets: Sequence[str] = ()) -> None:
        """Mend it; without targets, every fault of that name.

        What was over at once (chip-reset) is healed already. Raises FaultError if it is not there.
        """
        kind = self._kind(name)
        if kind.momentary:
            self._targets(name, kind, targets)
            return
        wanted = self._targets(name, kind, targets) if targets else None
        found = [
            (known, chosen)
            for known, chosen in self.active
            if known == name and wanted in (None, chosen)
        ]
        if not found:
            raise FaultError(
                "There is no {name} {targets} to heal.",
                remedy="Name a fault that was injected.",
                name=name,
                targets=" ".join(targets),
            )
        for fault in found:
            self.active.remove(fault)
            kind.undo(fault[1])

    def shows(self, name: str, targets: Sequence[str] = ()) -> bool:
        """Whether that fault's effect can be seen now, injected or not."""
        kind = self._kind(name)
        return kind.shows(self._targets(name, kind, targets))

    def _kind(self, name: str) -> FaultKind:
        kind = self._kinds.get(name)
        if kind is None:
            raise FaultError(
                "This table cannot have the fault {name!r}.",
                remedy="It can have: {known}.",
                name=name,
                known=", ".join(self._kinds),
            )
        return kind

    def _targets(self, name: str, kind: FaultKind, given: Sequence[str]) -> tuple[str, ...]:
        """Checked targets; the only bus or chip may be left out."""
        known = self._known(kind.what)
        chosen = tuple(self._other_names.get(target, target) for target in given)
        if not chosen and len(known) == 1:
            chosen = (known[0],) * kind.targets
        if len(chosen) != kind.targets or any(target not in known for target in chosen):
            raise FaultError(
                "{name} takes {count} of: {known}; not {given!r}.",
                remedy="Name what is to fail.",
                name=name,
                count=kind.targets,
                known=_listed(known),
                given=" ".join(given),
            )
        return chosen

    @property
    def _other_names(self) -> Mapping[str, str]:
        """What else buses and chips are called -> their names here."""
        names = {f"i2c-{number}": str(number) for number in self._table.buses.i2c_buses}
        if self._table.imu is not None:
            names[type(self._table.imu).__name__.lower()] = "imu"
        return names

    def _known(self, what: str) -> Sequence[str]:
        return {
            "place": self._table.profile.places,
            "button": tuple(self._table.world.buttons),
            "i2c": tuple(str(number) for number in self._table.buses.i2c_buses),
            "chip": tuple(chips_of(self._table)),
            "identity": ("imu",),
            "axis": AXES,
            "nothing": (),
            "spi": tuple(f"{bus}.{device}" for bus, device in self._table.buses.spi_ports),
        }[what]


def _listed(known: Sequence[str]) -> str:
    if not known:
        return "nothing"
    return ", ".join(known) if len(known) <= 4 else f"{known[0]} to {known[-1]}"
