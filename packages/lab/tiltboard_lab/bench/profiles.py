"""Compares all built-in profiles: bus times, delay from touch to light, CPU time per scan, and
errors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tiltboard.drivers.lights import Look
from tiltboard.firmware_host.config.profile import Profile, load_profile, profile_names
from tiltboard.hw_sim.session.bench import (
    GOAL_SCAN_MS,
    SHARES,
    TOLERANCE_MM,
    at_share,
    limit_s,
    measured_s,
    scan_cpu_ms,
)
from tiltboard_lab.bench.perception import through_the_chips

TOUCHES = 60
BUS_SCANS = 200
CPU_SCANS = 300
ERROR_SCANS = 5_000
NOISE = 3  # Factor by which the datasheet's noise is multiplied. Switches have no noise.


def run(echo: Callable[[str], None], touches: int = TOUCHES, scans: int = ERROR_SCANS) -> None:
    """Print a few lines for each built-in profile."""
    from tiltboard.hw_sim.rng import Streams

    for name in profile_names():
        table = load_profile(name)
        echo(f"{name}: {table.columns} x {table.rows} places, {table.scans_per_s} scans/s")
        echo(_buses(table))
        delays_s, most_s = measured_s(table, touches), limit_s(table)
        shown = ", ".join(
            f"{label} {at_share(delays_s, share) * 1000:.1f} ms" for label, share in SHARES
        )
        end = "light" if table.lights is not None else "standing (no lights)"
        echo(f"  touch to {end}, {touches} pieces: {shown}; max is")
        echo(f"    {delays_s[-1] / most_s:.2f} of the limit of {most_s * 1000:.1f} ms")
        _, whole, frozen = scan_cpu_ms(name, CPU_SCANS)
        alone = (
            ""
            if frozen is None
            else f"; without it {frozen / GOAL_SCAN_MS:.2f} of {GOAL_SCAN_MS} ms"
        )
        echo(f"  CPU per scan with the simulation: {whole:.3f} ms{alone}")
        tally = through_the_chips(table, Streams(1).stream("bench-profiles"), scans)
        noise = f", {NOISE} x noise" if table.measures else ""
        echo(f"  {tally.scans} scans, {tally.pieces} pieces, {TOLERANCE_MM:g} mm off{noise}:")
        echo(
            f"    {tally.events} false events, {tally.missed} missed,"
            f" {tally.wrong} wrong, {tally.unsure} unsure"
        )
        errors = tally.events + tally.missed + tally.wrong + tally.unsure
        echo(f"    {per_million(errors, tally.scans * table.size)}")


def per_million(errors: int, readings: int) -> str:
    """Return the number of errors per million readings as text.

    If there are no errors, the text states the upper limit of the rate at 95 % confidence: three
    divided by the number of readings.
    """
    if errors:
        return f"{errors / readings * 1e6:.2g} errors per million of {readings} readings"
    return f"under {3 / readings * 1e6:.2g} errors per million (95 %): none in {readings} readings"


def _buses(table: Profile) -> str:
    """Return the bus times of scans and light updates as text.

    Virtual time passes within a step only while a bus is busy or a driver waits.
    """
    from tiltboard.hw_sim.session import SimSession

    with tempfile.TemporaryDirectory() as state, SimSession(table, Path(state)) as session:
        plate, clock = session.host.plate, session.clock
        scans_s: list[float] = []
        lights_s = 0.0
        session.run_until(clock.now() + 2.0)
        for number in range(BUS_SCANS):
            began_s = clock.now()
            plate.scan()
            scans_s.append(clock.now() - began_s)
            session.wait()
            if table.lights is not None and number % 10 == 0:
                look = Look((26 * (number // 10 % 2), 0, 0))
                began_s = clock.now()
                plate.show([look] * table.size)
                lights_s = max(lights_s, clock.now() - began_s)
                session.wait()
    mean_s = sum(scans_s) / len(scans_s)
    period = mean_s * table.scans_per_s
    lights = "no lights" if table.lights is None else f"light update {lights_s * 1000:.2f} ms"
    return f"  bus: scan {mean_s * 1000:.2f} ms ({period:.2f} of its turn), {lights}"
