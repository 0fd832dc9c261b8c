"""Measurements of tiltboard on the simulated table, one module for each ``tiltboard bench``
command. Their results are in docs/benchmarks.md.
"""
