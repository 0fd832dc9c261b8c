"""Measures the errors of estimated piece positions, and the fraction of pieces within their error
circles.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.perception.bands import STRONG_CLASSES
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import Observation
from tiltboard.ground.measured import Measured
from tiltboard_lab.bench.perception import CLASSES, DRIFT_MT, RandomBoard

BOARDS = 20
PUT = 20  # Number of pieces that are added to each random board.
OFFSET_MM = 5.0
# Number of scans per measurement. This number of scans is enough to detect and check all pieces
# twice, and also enough to start the program.
SCANS = 80
LEVELS = (("nominal", 1.0), ("3 x noise", 3.0))
# Pairs of (position error, radius of the error circle) in mm, by the kind of piece.
Found = dict[str, list[tuple[float, float]]]


def run(
    echo: Callable[[str], None],
    profile: str = "plate-10",
    boards: int = BOARDS,
    seed: int = 1,
) -> None:
    """Print the distribution of the position errors over random boards, to which pieces are added
    one at a time. The conditions are nominal noise, three times the noise, and a drift of each
    sensor's zero reading.
    """
    from tiltboard.hw_sim.rng import Streams

    table = load_profile(profile)
    stream = Streams(seed).stream("bench-positions")
    echo(
        Measured(
            "Pieces within {off_mm:.0f} mm of their middles on {boards} random boards; mm",
            off_mm=OFFSET_MM,
            boards=boards,
        )
    )
    echo(f"  {'':<58}{'pieces':>7}{'median':>8}{'95 %':>8}{'99 %':>8}{'circle':>8}{'in it':>8}")
    for name, noise in LEVELS:
        found: Found = {}
        for _ in range(boards):
            board = RandomBoard(table, stream, noise, OFFSET_MM)
            stood = set(board.pieces)
            perception = board.perception()
            _seen(perception, board)
            for index in stream.sample(sorted(set(range(table.size)) - stood), PUT):
                board.put(index, stream.choice(CLASSES), OFFSET_MM)
                _note(found, board, stood, _seen(perception, board), "")
            board.drift(DRIFT_MT)
            drifted = f", {DRIFT_MT} mT of drift later"
            _note(found, board, stood, _seen(perception, board), drifted)
        for what, pairs in sorted(found.items()):
            echo(Measured("  {what:<58}{row}", what=f"{name}: {what}", row=_row(pairs)))


def _seen(perception: Perception, board: RandomBoard) -> Observation:
    *_, last = map(perception.observe, board.frames(SCANS))
    return last


def _note(found: Found, board: RandomBoard, stood: set[int], seen: Observation, when: str) -> None:
    for index, at in seen.positions.items():
        if seen.magnets[index] is board.pieces.get(index):
            east, north = board.offsets_mm[index]
            error = hypot(at.east_mm - east, at.north_mm - north)
            what = "strong" if board.pieces[index] in STRONG_CLASSES else "weak"
            what = f"{what}, there at the start" if index in stood else what
            found.setdefault(what + when, []).append((error, at.within_mm))


def _row(pairs: list[tuple[float, float]]) -> Measured:
    errors, circles = (sorted(column) for column in zip(*pairs, strict=True))
    count = len(pairs)
    inside = sum(error <= circle for error, circle in pairs) / count
    at = [errors[count * share // 100] for share in (50, 95, 99)]
    return Measured(
        "{pieces:7}{median_mm:8.1f}{in_95_percent_mm:8.1f}{in_99_percent_mm:8.1f}"
        "{circle_mm:8.1f}{inside:8.1%}",
        pieces=count,
        median_mm=at[0],
        in_95_percent_mm=at[1],
        in_99_percent_mm=at[2],
        circle_mm=circles[count // 2],
        inside=inside,
    )
