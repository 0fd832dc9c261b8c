"""Starts ``tiltboard``, which can be stopped from the first moment on."""

from __future__ import annotations

import sys

from tiltboard.firmware_host import stop


def main() -> None:
    """Run the command. A request to stop ends it with the shell's status, 130 for Ctrl-C and 143
    for SIGTERM, after everything open is closed.
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
