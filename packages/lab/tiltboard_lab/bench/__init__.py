"""Measurements, one file each: ``tiltboard bench NAME``. They drive the simulated table."""
