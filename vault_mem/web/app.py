"""The app behind the gate: routes, request bodies in, JSON out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from vault_mem import redact
from vault_mem.errors import InvalidInput, VaultMemError
from vault_mem.visible import all_visible
from vault_mem.web import answers
from vault_mem.web.events import Hub
from vault_mem.web.files import page, send_file
from vault_mem.web.gate import MOST_BYTES, BrowserSession
from vault_mem.web.vault import SeenVault, seeing

_ASKED = {
    "status": answers.status,
    "facets": answers.facets,
    "list": answers.listed,
    "recall": answers.recall,
    "why-not": answers.why_not,
    "memory/{id}": answers.memory,
    "agent/wake-up": answers.wake_up,
    "agent/recall": answers.agent_recall,
    "timeline": answers.timeline,
    "timeline/memories": answers.timeline_memories,
    "graph": answers.graph,
    "review": answers.review,
    "history": answers.history,
    "history/{op}": answers.operation,
    "health": answers.health,
}
_CHANGED = {
    "review/{key}": answers.answer_review,
    "undo": answers.undo,
    "check": answers.check,
    "remember": answers.remember,
    "edit": answers.edit,
}
_STATUS = {
    "invalid_input": 400,
    "private": 403,
    "not_found": 404,
    "conflict": 409,
    "duplicate": 409,
    "edit_refused": 409,
    "secret": 422,
}
# Problems of vault, disk, index or settings, after which the page may ask again.
_NOT_NOW = 503
# For a text field, or sanitised HTML: sent unchanged.
_AS_THEY_ARE = ("raw", "yours", "theirs", "html")
# The page's first requests, whose answers are sent along with the page to save round trips.
_FIRST = {"api/status": (answers.status, {}), "api/list?n=12": (answers.listed, {"n": "12"})}
# Seconds; our page never takes longer to send a body.
_PATIENCE = 15.0
MOST_TABS = 64


def application(
    vault: SeenVault, hub: Hub, *, japanese: bool = False, report: Callable[[str], object] = lambda _: None
) -> Starlette:
    """The app that answers the page; the gate decides who may ask. `report` is called with unexpected errors."""

    def route(path: str, answer: Callable[[answers.Call], answers.Answer], method: str) -> Route:
        async def endpoint(request: Request) -> Response:
            return await _answered(request, vault, answer, japanese, report)

        return Route(f"/api/{path}", endpoint, methods=[method])

    async def events(request: Request) -> Response:
        session, key = _session(request), request.headers.get("x-private", "")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        stream = hub.listen(lambda: session.sees_private(key))
        return StreamingResponse(stream, media_type="text/event-stream")

    parts = page()

    async def opened(request: Request) -> Response:
        return StreamingResponse(_page(parts, _session(request), vault, japanese), media_type="text/html")

    app = Starlette(
        routes=[
            *(route(path, answer, "GET") for path, answer in _ASKED.items()),
            *(route(path, answer, "POST") for path, answer in _CHANGED.items()),
            Route("/api/private", _switch, methods=["POST"]),
            Route("/api/events", events),
            Route("/", opened),
            Route("/static/{name:path}", send_file),
        ]
    )
    app.router.redirect_slashes = False
    return app


async def _page(
    parts: tuple[bytes, bytes], session: BrowserSession, vault: SeenVault, japanese: bool
) -> AsyncIterator[bytes]:
    """The page, then its first answers: the browser loads files while these are prepared."""
    yield parts[0]
    sent = {}
    for path, (answer, given) in _FIRST.items():
        call = answers.Call(vault, given, {}, private=False, csrf=session.csrf, japanese=japanese)
        # if this fails, the page asks again and gets the error
        with contextlib.suppress(Exception), seeing(private=False):
            sent[path] = _shown({"private": False} | await run_in_threadpool(answer, call))
    yield _as_bytes(sent).replace(b"<", rb"\u003c")  # so that no text of a note can end the script element
    yield parts[1]


async def _answered(
    request: Request,
    vault: SeenVault,
    answer: Callable[[answers.Call], answers.Answer],
    japanese: bool,
    report: Callable[[str], object],
) -> Response:
    """The answer, or the error as JSON."""
    session = _session(request)
    private = session.sees_private(request.headers.get("x-private", ""))
    try:
        body = await _body(request) if request.method == "POST" else {}
        given = {**request.query_params, **request.path_params}
        call = answers.Call(vault, given, body, private, session.csrf, japanese)
        with seeing(private=private):
            return _json({"private": private} | await run_in_threadpool(answer, call))
    except VaultMemError as error:
        return _error(error.code, error.message, error.hint, getattr(error, "more", {}))
    except ClientDisconnect:
        return Response(status_code=400)
    except Exception as error:  # the server keeps running; the error may quote private text
        if vault.folder.env.get("VAULT_MEM_DEBUG") == "raise":
            raise
        report(f"{answer.__name__}: {redact.trace(error)}")
        return _error("internal", f"unexpected {type(error).__name__}", "vault-mem doctor may know more", {})


async def _switch(request: Request) -> Response:
    """Switch private memories on or off, for the tab that asks."""
    session = _session(request)
    try:
        on = (await _body(request)).get("on")
    except VaultMemError as error:
        return _error(error.code, error.message, error.hint, {})
    session.tabs.discard(request.headers.get("x-private", ""))
    if on is not True:
        return _json({"on": False})
    while len(session.tabs) >= MOST_TABS:
        session.tabs.pop()
    key = secrets.token_urlsafe(24)
    session.tabs.add(key)
    return _json({"on": True, "key": key})


async def _body(request: Request) -> Mapping[str, Any]:
    """The body of a change: one JSON object, no larger than a memory may be."""
    parts = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE):
            async for part in request.stream():
                parts += part
                if len(parts) > MOST_BYTES:
                    raise InvalidInput(f"at most {MOST_BYTES // 1_000_000} MB")
        document = json.loads(parts)
    except (ValueError, RecursionError, TimeoutError) as error:
        raise InvalidInput("the request is not JSON") from error
    if not isinstance(document, dict):
        raise InvalidInput("the request is not a JSON object")
    return document


def _session(request: Request) -> BrowserSession:
    session: BrowserSession = request.scope["browser"]
    return session


def _error(code: str, message: str, hint: str, more: Mapping[str, Any]) -> Response:
    status = 500 if code == "internal" else _STATUS.get(code, _NOT_NOW)
    return _json({"error": {"code": code, "message": message, "hint": hint}, **more}, status)


def _json(document: Mapping[str, Any], status: int = 200) -> Response:
    return Response(_as_bytes(_shown(document)), status, media_type="application/json")


def _shown(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each if name in _AS_THEY_ARE else all_visible(each) for name, each in document.items()}


def _as_bytes(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
