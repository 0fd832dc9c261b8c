"""Starts ``tiltboard`` so that a signal can stop the program even while modules are imported."""

from __future__ import annotations

import sys

from tiltboard.firmware_host import stop


def main() -> None:
    """Run the command. A request to stop ends the command after everything is closed. The exit
    status is then 130 for Ctrl-C and 143 for SIGTERM, as usual in a shell.
    """
    stop.hear()
    from tiltboard.firmware_host.cli.main import main as run

    stop.raise_requests()
    try:
        run()
    except BaseException as error:
        # A library can swallow a request to stop, or raise another error in its place, so the exit
        # status follows the recorded request.
        status = stop.status(error.code if isinstance(error, SystemExit) else error)
        if status is None:
            raise
        sys.exit(status)
    finally:
        stop.over()
