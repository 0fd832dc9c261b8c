"""The simulated world with physics, in which pieces slide, tip, stack and fall. Physics needs the
engine MuJoCo.
"""

from __future__ import annotations

from importlib.util import find_spec

from tiltboard.ground.errors import extra_command
from tiltboard.hw_sim.errors import SimulationError
from tiltboard.hw_sim.world.world import World


def has_physics() -> bool:
    """Return whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


def world_class(*, physics: bool) -> type[World]:
    """Return the class of the world, with or without physics. Raises SimulationError if ``physics``
    is true and MuJoCo is not installed.
    """
    if not physics:
        return World
    if not has_physics():
        raise SimulationError(
            "There is no physics engine here.",
            remedy="Leave out --physics, or in a clone of tiltboard run: {command}",
            command=extra_command("physics"),
        )
    from tiltboard.hw_sim.physics.world import RigidWorld

    return RigidWorld
