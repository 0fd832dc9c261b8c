"""Tests that any part of a kind passes: ``pytest --pyargs tiltboard.testing.conformance``.

They run on the models of the four usual tables; ``--tiltboard-profile FILE`` runs them on yours,
and ``--tiltboard-real PROFILE`` on the board wired to this machine.
"""
