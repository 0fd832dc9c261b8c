"""Measurements, one file each: ``tiltboard bench``. Speed and memory are measured here, not tested.

Like the launcher, these may use the simulated table; each imports it when it runs.
"""
