"""Who may use the server: the person who was given a token, in the browser that exchanged it for a cookie.

Any user of this machine can connect, any website can make a browser send requests here, and its domain may resolve to
this machine (DNS rebinding). So each request must have our own address as its host, our own page or nothing as its
origin, and the cookie; a change must also have the CSRF token. Cookies are not bound to ports, so the page is in a
folder with a random name, to which the cookie is bound: no other server on this host ever receives it.
"""

from __future__ import annotations

import hmac
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_SECONDS = 60
MOST_BYTES = 2_000_000
COOKIE = "vault-mem"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "x-dns-prefetch-control": "off",
}
# With more browsers than this, the oldest must open the page again.
_MOST_SESSIONS = 16
# Our paths have no other characters: no escapes, no backslashes, no empty or dotted parts.
_PATH = re.compile(r"/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*(?:[A-Za-z0-9_-][A-Za-z0-9._-]*)?")
_STRANGER = "This page belongs to whoever started vault-mem web. Press Enter in that terminal for a new address.\n"


@dataclass
class BrowserSession:
    """One browser that exchanged a token: its cookie, the folder of its page, and its CSRF token."""

    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    folder: str = field(default_factory=lambda: f"/v/{secrets.token_hex(16)}/")
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    tabs: set[str] = field(default_factory=set)  # the keys of tabs that show private memories

    def sees_private(self, key: str) -> bool:
        """Whether the tab with this key shows private memories."""
        return bool(key) and key in self.tabs


class Refusal(Exception):
    """A request that is refused."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Gate:
    """Lets requests through to the app, with `scope["browser"]` and a path below the page's folder."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._sessions: dict[str, BrowserSession] = {}
        self._token, self._until = "", 0.0
        self._lock = threading.Lock()

    def new_token(self) -> str:
        """A token that is valid once and for a minute; it replaces the previous one."""
        with self._lock:
            self._token, self._until = secrets.token_urlsafe(32), time.monotonic() + TOKEN_SECONDS
            return self._token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        try:
            await self._answer(scope, receive, _safely(send))
        except Refusal as refusal:
            document = {"error": {"code": refusal.code, "message": str(refusal), "hint": ""}}
            stranger = refusal.status == 401
            answer = PlainTextResponse(_STRANGER, 401) if stranger else JSONResponse(document, refusal.status)
            await answer(scope, receive, _safely(send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _one_of_each(scope)
        path = _checked_path(scope)
        self._check_origin(scope["method"], headers)
        if path == "/open":
            await self._open(scope)(scope, receive, send)
            return
        session = self._session(path, headers)
        if scope["method"] == "POST":
            _check_change(session, headers)
        inner = "/" + path.removeprefix(session.folder)
        scope = dict(scope, path=inner, raw_path=inner.encode(), root_path="", browser=session)
        await self._app(scope, receive, send)

    def _check_origin(self, method: str, headers: Mapping[str, str]) -> None:
        """SPEC U-4: the host is our own address, and the origin is our own page or missing."""
        host = headers.get("host", "")
        if host not in self._hosts:
            raise Refusal(403, "host", "this is not the address that vault-mem web printed")
        if method not in ("GET", "HEAD", "POST"):
            raise Refusal(405, "method", "only GET and POST")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        if (origin is None and method == "POST") or origin not in (None, f"http://{host}"):
            raise Refusal(403, "origin", "the request comes from another page")
        if site not in ("same-origin", "none") or "prefetch" in headers.get("sec-purpose", ""):
            raise Refusal(403, "origin", "the request comes from another page")

    def _open(self, scope: Scope) -> Response:
        """Exchange the token for a cookie."""
        given = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token", [""])
        if scope["method"] != "GET" or not self._take_token(given[0]):
            raise Refusal(401, "session", "")
        session = BrowserSession()
        while len(self._sessions) >= _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[session.folder] = session
        answer = RedirectResponse(session.folder, 303)
        answer.set_cookie(COOKIE, session.cookie, path=session.folder, httponly=True, samesite="strict")
        return answer

    def _take_token(self, given: str) -> bool:
        with self._lock:
            good = bool(self._token) and time.monotonic() < self._until and _same(given, self._token)
            if good:
                self._token = ""
            return good

    def _session(self, path: str, headers: Mapping[str, str]) -> BrowserSession:
        """The session of a request, found by the folder in its path and its cookie."""
        session = self._sessions.get("/".join(path.split("/")[:3]) + "/")
        if session is None or not any(_same(each, session.cookie) for each in _cookies(headers)):
            raise Refusal(401, "session", "")
        return session


def _one_of_each(scope: Scope) -> dict[str, str]:
    """The headers by name. Only cookies may be sent twice; anything else is an attack."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key in found and key != "cookie":
            raise Refusal(400, "headers", f"{key} is there twice")
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found


def _checked_path(scope: Scope) -> str:
    path = str(scope["path"])
    raw = scope.get("raw_path") or path.encode()
    if not _PATH.fullmatch(path) or raw.partition(b"?")[0] != path.encode():
        raise Refusal(404, "not_found", "there is nothing here")
    return path


def _cookies(headers: Mapping[str, str]) -> list[str]:
    parts = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return [value for name, _, value in parts if name == COOKIE]


def _check_change(session: BrowserSession, headers: Mapping[str, str]) -> None:
    """Raise Refusal unless a change is JSON, has the CSRF token, and is no larger than a memory may be."""
    if not _same(headers.get("x-csrf", ""), session.csrf):
        raise Refusal(403, "csrf", "load the page again")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "content_type", "a change is JSON")
    if not headers.get("content-length", "0").isdigit() or int(headers.get("content-length", "0")) > MOST_BYTES:
        raise Refusal(413, "too_long", f"at most {MOST_BYTES // 1_000_000} MB")


def _safely(send: Send) -> Send:
    """Send an answer with headers that restrict it to our own page."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            given = list(message.get("headers", ()))
            if not any(name == b"cache-control" for name, _ in given):
                own.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*given, *own]}
        await send(message)

    return with_headers


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
