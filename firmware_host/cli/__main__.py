"""Runs ``python -m tiltboard.firmware_host.cli``, which is the same as ``tiltboard``."""

from tiltboard.firmware_host.cli.entry import main

main()
