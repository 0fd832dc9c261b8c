"""Tests that every driver of a kind must pass: ``pytest --pyargs tiltboard.testing.conformance``.

By default, the tests run on models of the four built-in tables. ``--tiltboard-profile FILE`` runs
the tests on another table, and ``--tiltboard-real PROFILE`` on the real board of this machine.
"""
