"""``python -m firmware_host.cli``: the same as ``tiltboard``."""

from firmware_host.cli.entry import main

main()
