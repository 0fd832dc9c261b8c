"""QR codes, as pictures that a page shows and a phone's camera reads."""

from __future__ import annotations

from io import BytesIO, StringIO

import segno
from starlette.datastructures import URL

from firmware_host.web.guard import LOCAL_NAMES

DARK, LIGHT = "#1b1410", "#ffffff"  # as cameras want it, in the dark mode of a page too
QUIET = 3  # modules of margin


def qr_svg(address: str) -> str:
    """``address`` as an SVG document, which scales. Medium error correction, as little as fits."""
    drawn = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(drawn, "svg", border=QUIET, dark=DARK, light=LIGHT, xmldecl=False, omitsize=True)
    return drawn.getvalue().decode()


def qr_terminal(address: str) -> str:
    """The same for a terminal, in half blocks."""
    drawn = StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()


def page_for_phones(asked: URL, name: str | None) -> str:
    """The page's address for another device. ``asked``: under which this one has it; ``name``: this
    machine's in its network, None where it serves itself alone.
    """
    if name is None or asked.hostname not in LOCAL_NAMES:
        return str(asked)
    return str(asked.replace(hostname=name))
