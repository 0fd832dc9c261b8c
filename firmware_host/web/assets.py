"""The page's own files, read once and served with an ETag."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from games.registry import GAMES

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: what is sent, and the headers that go with it."""

    body: bytes
    headers: dict[str, str]


def load_assets() -> dict[str, Asset]:
    """Every file of the page by name, and in ``games.css`` what the games say of their boards."""
    folder = resources.files("firmware_host.web") / "static"
    loaded = {}
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    files["games.css"] = "\n".join(kind.style for kind in GAMES.values()).encode()
    for name, body in files.items():
        kind = MEDIA_TYPES.get(name.rpartition(".")[2])
        if kind is None:
            continue
        tag = hashlib.sha256(body).hexdigest()[:24]
        # no-cache: keep it, but ask each time whether it is still good; a new version shows at once
        headers = {"content-type": kind, "etag": f'"{tag}"', "cache-control": "no-cache"}
        loaded[name] = Asset(body, headers)
    return loaded


def serve(assets: dict[str, Asset], name: str, request: Request) -> Response:
    """The file, 304 where the browser has it already, or 404."""
    asset = assets.get(name)
    if asset is None:
        return PlainTextResponse("There is no such file.", 404)
    known = request.headers.get("if-none-match", "")
    if asset.headers["etag"] in (tag.strip().removeprefix("W/") for tag in known.split(",")):
        return Response(status_code=304, headers=asset.headers)
    return Response(asset.body, headers=asset.headers)
