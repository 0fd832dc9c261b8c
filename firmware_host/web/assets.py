"""The static files of the page, read once and served with an ETag. Responses are compressed if the
browser accepts gzip.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tiltboard.games.registry import GAMES

_IMPORT = re.compile(r'^import \{([^}]*)\} from "/static/([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(modules: Mapping[str, str], first: str) -> str:
    """Return one script that contains the module ``first`` and all modules that it imports. Raises
    ValueError if modules import each other, if a module or an imported name is missing, or if the
    form of an import or export is not supported.
    """
    exports: dict[str, list[str]] = {}
    parts: list[str] = []
    under_way: list[str] = []

    def add(name: str) -> None:
        if name in under_way or name not in modules:
            raise ValueError(f"{' -> '.join([*under_way, name])}: a circle, or no such module")
        under_way.append(name)
        text, heads = modules[name], []
        for names, other in _IMPORT.findall(text):
            if other not in exports:
                add(other)
            wanted = [each.strip() for each in names.split(",") if each.strip()]
            if missing := set(wanted) - set(exports[other]):
                raise ValueError(f"{name}: {other} does not export {', '.join(sorted(missing))}")
            heads.append(f"const {{ {', '.join(wanted)} }} = {_script_name(other)};\n")
        body = _EXPORT.sub(r"\1", _IMPORT.sub("", text))
        if unknown := _OTHER.search(body):
            raise ValueError(f"{name}: {unknown[0]}")
        exports[name] = [each for _, each in _EXPORT.findall(text)]
        own = f"// {name}\n{''.join(heads)}{body}"
        if name != first:
            given = f"return {{ {', '.join(exports[name])} }};\n"
            own = f"const {_script_name(name)} = (() => {{\n{own}{given}}})();\n"
        parts.append(own)
        under_way.pop()

    add(first)
    return "\n".join(parts)


def _script_name(module: str) -> str:
    return "$" + module.removesuffix(".js").replace("-", "_")


WORKER = "worker.js"
SCRIPTS = ("main.js", "club.js")  # Scripts that are served together with all modules they import.
PAGES = ("index.html", "club.html")
# Files whose content is inserted into each page that names them in a comment.
PARTS = ("head.html", "drawings.svg")
SHEET = "page.css"  # Name of the file that contains all style sheets.
SHEETS = (
    "tokens",
    "base",
    "plate",
    "boards",
    "games",
    "panels",
    "calibration",
    "room",
    "playground",
)
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "webmanifest": "application/manifest+json",
}


@dataclass(frozen=True)
class Asset:
    """A file to serve, and its media type."""

    body: bytes
    kind: str

    @cached_property
    def tag(self) -> str:
        """The ETag of the file, a hash of its content."""
        return hashlib.sha256(self.body).hexdigest()[:24]

    @cached_property
    def compressed(self) -> bytes:
        """The content compressed with gzip. It is computed on first use, so that compression does
        not delay the start on a Pi.
        """
        return gzip.compress(self.body, mtime=0)


def load_assets() -> dict[str, Asset]:
    """Return all files of the page by name.

    Modules are included both individually and as joined scripts. All style sheets are joined into
    one, which includes the games' own styles for their boards. The service worker contains the
    names of the files that the page requests, and a version number that changes when any file
    changes.
    """
    folder = resources.files("tiltboard.firmware_host.web") / "static"
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    worker = files.pop(WORKER)
    modules = {name: body.decode() for name, body in files.items() if name.endswith(".js")}
    files |= {script: bundle(modules, script).encode() for script in SCRIPTS}
    for part in PARTS:
        body = files.pop(part)
        for page in PAGES:
            files[page] = files[page].replace(f"<!-- {part} -->".encode(), body)
    games = "\n".join(kind.style for kind in GAMES.values()).encode()
    sheets = [games if name == "games" else files.pop(f"{name}.css") for name in SHEETS]
    files[SHEET] = b"\n".join(sheets)
    loaded = {
        name: Asset(body, kind)
        for name, body in sorted(files.items())
        if (kind := MEDIA_TYPES.get(name.rpartition(".")[2])) is not None
    }
    version = hashlib.sha256("".join(asset.tag for asset in loaded.values()).encode()).hexdigest()
    page = files["index.html"].decode()
    asked = [name for name in loaded if f'"/static/{name}"' in page]
    script = f"const VERSION = {json.dumps(version[:24])};\nconst FILES = {json.dumps(asked)};\n"
    loaded[WORKER] = Asset(script.encode() + worker, MEDIA_TYPES["js"])
    return loaded


def routes(pages: Mapping[str, str]) -> list[Route]:
    """Return the routes for all files, and for the paths in ``pages``, which map to names of
    files.
    """
    files = load_assets()

    async def serve(name: str | None, request: Request) -> Response:
        """Return the file, status 304 if the browser already has the file, or status 404."""
        asset = files.get(name or request.path_params["name"])
        if asset is None:
            return PlainTextResponse("There is no such file.", 404)
        wishes = request.headers.get("accept-encoding", "").split(",")
        compressed = "gzip" in (wish.partition(";")[0].strip() for wish in wishes)
        tag = f'"{asset.tag}-gzip"' if compressed else f'"{asset.tag}"'
        # With no-cache, a browser stores the file, but asks before every use whether the file has
        # changed.
        headers = {"content-type": asset.kind, "etag": tag, "cache-control": "no-cache"}
        headers["vary"] = "accept-encoding"
        if compressed:
            headers["content-encoding"] = "gzip"
        known = request.headers.get("if-none-match", "")
        if tag in (each.strip().removeprefix("W/") for each in known.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(asset.compressed if compressed else asset.body, headers=headers)

    at = {"/static/{name}": None, **pages}
    return [Route(path, partial(serve, name)) for path, name in at.items()]
