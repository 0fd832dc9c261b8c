"""From calibrated fields to pieces: which magnet stands where, how sure, and what happened."""

from __future__ import annotations

from firmware_host.perception.calibration import (
    Calibration,
    read_calibration,
    uncalibrated,
    write_calibration,
)
from firmware_host.perception.perception import ALL_CLASSES, Perception

__all__ = [
    "ALL_CLASSES",
    "Calibration",
    "Perception",
    "read_calibration",
    "uncalibrated",
    "write_calibration",
]
