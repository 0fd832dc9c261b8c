"""Compares all built-in profiles: bus times, delay from touch to light, CPU time per scan, and
errors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.profile import Profile, load_profile, profile_names
from tiltboard.ground.measured import Measured
from tiltboard.hw_sim.session.bench import (
    DELAYS_MS,
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
        echo(
            Measured(
                "{profile}: {columns} x {rows} places, {scans_per_s} scans/s",
                profile=name,
                columns=table.columns,
                rows=table.rows,
                scans_per_s=table.scans_per_s,
            )
        )
        echo(_buses(table))
        delays_s, most_s = measured_s(table, touches), limit_s(table)
        at_ms = [at_share(delays_s, share) * 1000 for _, share in SHARES]
        end = "light" if table.lights is not None else "standing (no lights)"
        echo(
            Measured(
                "  touch to {end}, {pieces} pieces: min {min_ms:.1f} ms, median {median_ms:.1f} ms,"
                " 95 % {in_95_percent_ms:.1f} ms, max {max_ms:.1f} ms; max is",
                end=end,
                pieces=touches,
                **dict(zip(DELAYS_MS, at_ms, strict=True)),
            )
        )
        echo(
            Measured(
                "    {of_limit:.2f} of the limit of {limit_ms:.1f} ms",
                of_limit=delays_s[-1] / most_s,
                limit_ms=most_s * 1000,
            )
        )
        _, whole, frozen = scan_cpu_ms(name, CPU_SCANS)
        alone = Measured("")
        if frozen is not None:
            alone = Measured(
                "; without it {alone_of_goal:.2f} of {goal_ms} ms",
                alone_of_goal=frozen / GOAL_SCAN_MS,
                goal_ms=GOAL_SCAN_MS,
            )
        echo(
            Measured(
                "  CPU per scan with the simulation: {simulated_ms:.3f} ms{alone}",
                simulated_ms=whole,
                alone=alone,
            )
        )
        tally = through_the_chips(table, Streams(1).stream("bench-profiles"), scans)
        noise = Measured(", {noise_x} x noise", noise_x=NOISE) if table.measures else Measured("")
        echo(
            Measured(
                "  {scans} scans, {pieces} pieces, {off_mm:g} mm off{noise}:",
                scans=tally.scans,
                pieces=tally.pieces,
                off_mm=TOLERANCE_MM,
                noise=noise,
            )
        )
        echo(
            Measured(
                "    {false_events} false events, {missed} missed, {wrong} wrong, {unsure} unsure",
                false_events=tally.events,
                missed=tally.missed,
                wrong=tally.wrong,
                unsure=tally.unsure,
            )
        )
        errors = tally.events + tally.missed + tally.wrong + tally.unsure
        echo(Measured("    {errors}", errors=per_million(errors, tally.scans * table.size)))


def per_million(errors: int, readings: int) -> Measured:
    """Return the number of errors per million readings.

    If there are no errors, the text states the upper limit of the rate at 95 % confidence: three
    divided by the number of readings.
    """
    if errors:
        return Measured(
            "{errors_per_million:.2g} errors per million of {readings} readings",
            errors_per_million=errors / readings * 1e6,
            readings=readings,
        )
    return Measured(
        "under {max_errors_per_million:.2g} errors per million (95 %): none in {readings} readings",
        max_errors_per_million=3 / readings * 1e6,
        readings=readings,
    )


def _buses(table: Profile) -> Measured:
    """Return the bus times of scans and light updates.

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
                look = LightPattern((26 * (number // 10 % 2), 0, 0))
                began_s = clock.now()
                plate.show([look] * table.size)
                lights_s = max(lights_s, clock.now() - began_s)
                session.wait()
    mean_s = sum(scans_s) / len(scans_s)
    period = mean_s * table.scans_per_s
    lights = Measured("no lights")
    if table.lights is not None:
        lights = Measured("light update {light_update_ms:.2f} ms", light_update_ms=lights_s * 1000)
    return Measured(
        "  bus: scan {scan_ms:.2f} ms ({of_period:.2f} of its turn), {lights}",
        scan_ms=mean_s * 1000,
        of_period=period,
        lights=lights,
    )
