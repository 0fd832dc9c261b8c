"""Starts ``tiltboard``; imports nothing first, so that it can be stopped from the first moment."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command. Ctrl-C while the program is still being read ends it without a word."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:  # a shell has it ignored by what runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tiltboard.firmware_host.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    run()
