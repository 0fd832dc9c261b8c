"""Measurements of tiltboard on the simulated table, one module for each ``tiltboard bench``
command. docs/benchmarks.md has the results.
"""
