"""Draws QR codes for pages, printed sheets and terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from io import BytesIO, StringIO

import segno

# Colours of a QR code: the contrast is high enough for cameras, even on dark pages.
DARK, LIGHT = "#1b1410", "#ffffff"
QUIET = 3  # Width of the margin around a QR code, in modules (its smallest squares).
_SHEET = """\
<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ margin: 10mm; font: 5mm/1.3 sans-serif; text-align: center; }}
figure {{ display: inline-block; width: 60mm; margin: 5mm; break-inside: avoid; }}
svg {{ width: 50mm; height: 50mm; }}
</style>
{figures}
"""


# Cache the QR codes, because drawing one takes 0.1 s on a small Pi and pages request codes often.
@lru_cache(64)
def qr_svg(address: str) -> str:
    """Return a QR code that contains ``address``, as a scalable SVG document.

    The code has the smallest possible size with medium error correction.
    """
    drawn = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(drawn, "svg", border=QUIET, dark=DARK, light=LIGHT, xmldecl=False, omitsize=True)
    return drawn.getvalue().decode()


def qr_sheet(title: str, codes: Iterable[tuple[str, str, str]]) -> str:
    """Return an HTML document with QR codes for printing.

    ``codes``: three texts for each QR code: its content, the text above it, and the text below it.
    """
    figures = (
        f"<figure>{qr_svg(what)}<figcaption>{escape(over)}<br>"
        f"<b>{escape(under)}</b></figcaption></figure>"
        for what, over, under in codes
    )
    return _SHEET.format(title=escape(title), figures="\n".join(figures))


def qr_terminal(address: str) -> str:
    """Return a QR code that contains ``address`` as text for a terminal, drawn with half-block
    characters.
    """
    drawn = StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()


def wifi_code(ssid: str, password: str) -> str:
    """Return the content of a QR code with which a phone joins a Wi-Fi network (in ZXing's format
    WIFI:).
    """
    name, secret = (re.sub(r'([\\;,":])', r"\\\1", each) for each in (ssid, password))
    return f"WIFI:T:WPA;S:{name};P:{secret};;"
