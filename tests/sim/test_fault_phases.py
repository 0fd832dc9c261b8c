"""Every fault in every phase: what the table says, what goes on, and that nothing is lost."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host.cli.scenario import command

SCENARIOS = sorted(Path(__file__).parent.joinpath("scenarios", "faults").glob("*.scenario"))

GAME = "game momentum size=7 pie=false"
# How a phase is reached, and how play goes on from it.
PHASES = {
    "setup": (
        ["game momentum size=7", "put red d4", f"{GAME} marbles=7", "setup by-hand"],
        ["take d4", "expect phase turn"],
    ),
    "turn": (
        [GAME, "put red d4"],
        ["put blue f6", "expect within 3s to-move red", "expect cells d4=red f6=blue"],
    ),
    "settle": (
        [GAME, "put red d4", "put blue d5"],
        ["move d4 d3", "expect within 3s to-move red", "expect cells d3=red d4=empty d5=blue"],
    ),
    "fix": (
        [GAME, "put red d4", "put red b6"],
        ["take b6", "expect phase turn", "expect to-move blue"],
    ),
    "paused": (
        [GAME, "put red d4", "tilt 8 0"],
        ["tilt 0 0", "expect phase turn", "expect to-move blue"],
    ),
    "over": (
        ["game momentum width=4 height=4 marbles=1 pie=false", "put red d4"],
        ["press confirm", "expect phase setup"],
    ),
}
# Faults that pause play, and what is said (not while the plate is tilted and nothing can be said).
LOST = {
    "i2c-nack": "does not answer",
    "i2c-stuck": "hangs",
    "spi-silent": "does not answer",
    "imu-axis-dead x": "x axis",
    "imu-axis-dead y": "y axis",
    "imu-axis-dead z": "z axis",
    "scan-stall": "too busy",
    "wrong-id": "no MPU-6050",
    "lights-brownout": "no supply",
}
# Faults that do not, and how long each is left to do its worst.
BORNE = {
    "button-bounce confirm": 1,
    "chip-reset imu": 0,
    "sensor-dead d4": 1,
    "sensor-dead f2": 1,
    "sensor-stuck d4": 2,
    "sensor-swapped d4 f6": 2,
    "sensor-swapped d5 f6": 2,
    "sensor-noisy d4": 4,
    "sensor-noisy f2": 4,
}


def seen(session):
    standing = session.host.standing
    position = None if standing.position is None else dict(standing.position.cells)
    return standing.phase.value, standing.to_move, position, standing.moves


def reach(play, session, phase):
    """Into the phase; how the game stands there."""
    play("\n".join([*PHASES[phase][0], f"expect phase {phase}"]))
    before = seen(session)
    assert before[0] == phase
    return before, dict(session.host.sight.cells)


def go_on(play, phase):
    play("\n".join(PHASES[phase][1]))


@pytest.mark.parametrize("phase", PHASES)
def test_a_lost_part_pauses_play_which_resumes_as_it_was(play, session, phase):
    before, cells = reach(play, session, phase)
    for fault, said in LOST.items():
        name = fault.split()[0]
        play(f"fault {fault}")
        if name == "wrong-id":
            play("fault chip-reset imu")  # what makes the driver look
        play(f'expect within 4s phase paused\nexpect within 4s say "{said}"\nexpect lights legal')
        if name == "lights-brownout":
            assert not any(map(any, session.table.lights))
        play(f"heal {name}")
        if phase == "paused":
            play("wait 5s\nexpect phase paused")
        else:
            play(f"expect within 8s phase {phase}")
        assert session.host.sight.faults == ()
        assert b"".join(map(bytes, session.table.lights)).hex() == shown(session)
        assert seen(session) == before, fault
        assert session.host.sight.cells == cells, fault
    go_on(play, phase)


@pytest.mark.parametrize("fault", BORNE)
def test_play_goes_on_under_what_can_be_borne(play, session, fault):
    """Through every phase but the tilted one, the fault there from each phase's beginning."""
    name = fault.split()[0]
    for phase in ("setup", "turn", "settle", "fix", "over"):
        before, cells = reach(play, session, phase)
        play(f"fault {fault}\nwait {BORNE[fault]}s")
        if name != "chip-reset":
            play(f"expect within 3s phase {phase}")
        play(f"heal {name}\nwait 6s\nexpect within 8s phase {phase}")
        assert seen(session) == before, phase
        assert session.host.sight.cells == cells, phase
        go_on(play, phase)
        play("wait 8s")  # a healed sensor is watched for a while


def shown(session):
    """What the host believes to be on the strip, in place order."""
    light_of, lights = session.profile.light_of, session.host.plate.shown
    return b"".join(
        lights[3 * light_of(index) : 3 * light_of(index) + 3]
        for index in range(session.profile.size)
    ).hex()


@pytest.mark.parametrize("phase", ["turn", "settle"])
def test_a_full_disk_loses_nothing_and_confirms_nothing(play, session, phase):
    before, _ = reach(play, session, phase)
    play("fault disk-full")
    go_on_steps = PHASES[phase][1]
    play("\n".join([go_on_steps[0], "expect within 2s phase paused", "wait 2s"]))
    assert seen(session)[1:] == before[1:]
    play('expect say "cannot be written"\nheal disk-full')
    play("\n".join(go_on_steps[1:]))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_fault_scenario_holds(path):
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 0, result.output
