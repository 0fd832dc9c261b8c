"""Starts ``tiltboard`` in such a way that a signal can stop the program from the first moment."""

from __future__ import annotations

import sys

from tiltboard.firmware_host import stop


def main() -> None:
    """Run the command. A request to stop ends the command after everything is closed. The exit
    status is then the usual one in a shell: 130 for Ctrl-C and 143 for SIGTERM.
    """
    stop.hear()
    from tiltboard.firmware_host.cli.main import main as run

    stop.raise_requests()
    try:
        run()
    except BaseException as error:
        # A library can swallow a request to stop, or convert it into another error, so the recorded
        # request decides the status.
        status = stop.status(error.code if isinstance(error, SystemExit) else error)
        if status is None:
            raise
        sys.exit(status)
    finally:
        stop.over()
