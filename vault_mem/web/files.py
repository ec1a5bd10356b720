"""The files of the page: read once, when the server starts, so that no request names a file on the disk."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

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
    """A file as it is sent: packed, unless it is already, with what tells one version from another."""

    type: str
    body: bytes
    packed: bytes | None
    tag: str


@cache
def files() -> dict[str, File]:
    """All files of the page, by their path below `static`."""
    found = {}
    for path in sorted(_PLACE.rglob("*")):
        if path.suffix in _TYPES and path.is_file():
            body = path.read_bytes()
            packed = None if path.suffix in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
            tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            found[path.relative_to(_PLACE).as_posix()] = File(_TYPES[path.suffix], body, packed, tag)
    return found


def send_file(request: Request) -> Response:
    """A file of the page; without a name, the page itself."""
    file = files().get(request.path_params.get("name", "index.html"))
    if file is None:
        return Response("There is nothing here.\n", 404, media_type="text/plain")
    headers = {"etag": file.tag, "cache-control": "private, no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers=headers | {"content-encoding": "gzip"}, media_type=file.type)
    return Response(file.body, headers=headers, media_type=file.type)
