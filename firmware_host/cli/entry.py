"""Starts ``tiltboard``, which can be stopped from the first moment on."""

from __future__ import annotations

import sys

from tiltboard.firmware_host import stop


def main() -> None:
    """Run the command. Whoever is told to stop says so by the shell's statuses, 130 for Ctrl-C and
    143 for a request to end, because 1 and 2 have their meanings; what was opened is closed first.
    """
    stop.hear()
    from tiltboard.firmware_host.cli.main import main as run

    stop.raise_requests()
    try:
        run()
    except BaseException as error:
        # A request may have become another error on its way, or no error where a library swallowed
        # it, so the record decides.
        status = stop.status(error.code if isinstance(error, SystemExit) else error)
        if status is None:
            raise
        sys.exit(status)
    finally:
        stop.over()
