"""The files of the page, read once when the server starts, so that no request leads to a file on the disk."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from vault_mem.web.bundle import bundled

_PLACE = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
_PACKED_ALREADY = (".png", ".woff2")


@dataclass(frozen=True)
class File:
    """A file as sent: compressed unless it already is, with a tag of its version."""

    type: str
    body: bytes
    packed: bytes | None
    tag: str


@cache
def files() -> dict[str, File]:
    """All files of the page, by their path below `static`, and `page.js`, which has all that `js/app.js` needs."""
    found = {path.relative_to(_PLACE).as_posix(): path for path in _PLACE.rglob("*") if path.suffix in _TYPES}
    bodies = {name: path.read_bytes() for name, path in sorted(found.items())}
    modules = {name: body.decode() for name, body in bodies.items() if name.endswith("js")}
    bodies["page.js"] = bundled(modules, "js/app.js").encode()
    return {name: _as_sent(body, Path(name).suffix) for name, body in bodies.items()}


def _as_sent(body: bytes, ending: str) -> File:
    packed = None if ending in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
    return File(_TYPES[ending], body, packed, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page() -> tuple[bytes, bytes]:
    """The page up to the answers to its first questions, and the rest."""
    before, _, after = files()["index.html"].body.partition(b"{}")
    return before, after


def send_file(request: Request) -> Response:
    """A file of the page."""
    file = files().get(request.path_params["name"])
    if file is None:
        return Response("There is nothing here.\n", 404, media_type="text/plain")
    headers = {"etag": file.tag, "cache-control": "private, no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers=headers | {"content-encoding": "gzip"}, media_type=file.type)
    return Response(file.body, headers=headers, media_type=file.type)
