"""U-4: nobody but the browser that was given a token gets in, whoever asks and however."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from vault_mem.web import gate as gates
from web.asking import ADDRESS, Browser, Site


def stranger(site: Site, address: str = ADDRESS) -> TestClient:
    return TestClient(site.gate, base_url=address, follow_redirects=False)


# another user of this machine: they can connect, and may see the address on a command line


def test_a_token_is_good_once(site: Site) -> None:
    token = site.gate.new_token()
    first, second = (stranger(site).get(f"/open?token={token}") for _ in range(2))
    assert first.status_code == 303 and first.headers["location"].startswith("/v/")
    assert second.status_code == 401 and "set-cookie" not in second.headers and "Press Enter" in second.text


def test_a_token_is_good_for_a_minute(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    token = site.gate.new_token()
    later = time.monotonic() + gates.TOKEN_SECONDS + 1
    monkeypatch.setattr(gates.time, "monotonic", lambda: later)
    assert stranger(site).get(f"/open?token={token}").status_code == 401


def test_a_new_token_ends_the_one_before(site: Site) -> None:
    old, new = site.gate.new_token(), site.gate.new_token()
    assert stranger(site).get(f"/open?token={old}").status_code == 401
    assert stranger(site).get(f"/open?token={new}").status_code == 303


@pytest.mark.parametrize("query", ["", "?token=", "?token=x", "?token=%00", "?token=é"])
def test_no_token_no_entry(site: Site, query: str) -> None:
    assert stranger(site).get(f"/open{query}").status_code == 401


def test_looking_ahead_uses_up_no_token(site: Site) -> None:
    """A browser's address bar, or a chat that shows what a link leads to, may fetch it first."""
    token = site.gate.new_token()
    assert stranger(site).head(f"/open?token={token}").status_code == 401
    assert stranger(site).get(f"/open?token={token}", headers={"sec-purpose": "prefetch"}).status_code == 403
    assert stranger(site).get(f"/open?token={token}").status_code == 303


def test_the_cookie_is_for_this_page_alone(site: Site) -> None:
    opened = stranger(site).get(f"/open?token={site.gate.new_token()}")
    cookie = opened.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    # servers on other ports of this host get cookies too: not this one, for they do not know its folder
    assert f"path={opened.headers['location']}" in cookie and len(opened.headers["location"]) > 32


@pytest.mark.parametrize("path", ["", "api/status", "api/recall?q=key", "static/style.css", "api/events", "nothing"])
def test_without_the_cookie_there_is_nothing(site: Site, browser: Browser, path: str) -> None:
    for folder in (browser.folder, "/", "/v/00000000000000000000000000000000/"):
        answer = stranger(site).get(folder + path)
        assert answer.status_code == 401 and "Press Enter" in answer.text
    theirs = "; ".join(f"{name}={value}" for name, value in site.browser().client.cookies.items())
    assert stranger(site).get(browser.folder + path, headers={"cookie": theirs}).status_code == 401


# DNS rebinding: a name of somebody else's that leads here


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8765.evil.example",
        "127.0.0.1.evil.example:8765",
        "[::1]:8765",
        "[::ffff:127.0.0.1]:8765",
        "0.0.0.0:8765",
        "2130706433:8765",
        "127.1:8765",
        "localhost.:8765",
        "１２７.0.0.1:8765",
        "user@127.0.0.1:8765",
        "",
    ],
)
def test_another_host_is_refused(browser: Browser, host: str) -> None:
    for path in (browser.folder, f"{browser.folder}api/status", "/open?token=x"):
        answer = browser.client.get(path, headers={"host": host.encode()})
        assert answer.status_code == 403 and answer.json()["error"]["code"] == "host"


def test_two_hosts_are_refused(browser: Browser) -> None:
    twice = [("host", "127.0.0.1:8765"), ("host", "evil.example")]
    assert browser.client.get(f"{browser.folder}api/status", headers=twice).status_code in (400, 403)


# another site in the same browser, which sends cookies where it can


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765", "http://localhost:8765"],
)
def test_another_origin_is_refused(browser: Browser, origin: str) -> None:
    answer = browser.send("check", {"content": "x"}, origin=origin)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "origin"
    assert browser.ask("status", headers={"origin": origin}).status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("sent_from", ["cross-site", "same-site"])
def test_a_request_of_another_page_is_refused(browser: Browser, sent_from: str) -> None:
    for path in ("status", "recall?q=key", "events"):
        assert browser.ask(path, headers={"sec-fetch-site": sent_from}).status_code == 403


def test_a_change_needs_its_origin_the_pages_secret_and_json(browser: Browser) -> None:
    draft = {"content": "The attic window sticks."}
    url = f"{browser.folder}api/remember"
    good = {"origin": ADDRESS, "x-csrf": browser.csrf}
    for headers, status in (
        ({"x-csrf": browser.csrf}, 403),
        ({"origin": ADDRESS}, 403),
        (good | {"x-csrf": "guessed"}, 403),
        (good | {"content-type": "text/plain"}, 415),
        (good | {"content-type": "application/x-www-form-urlencoded"}, 415),
    ):
        assert browser.client.post(url, json=draft, headers=headers).status_code == status
    assert browser.get("recall", q="attic window sticks")["answered"] is False


def test_the_secret_of_one_browser_is_not_that_of_another(site: Site, browser: Browser) -> None:
    assert browser.send("check", {"content": "x"}, **{"x-csrf": site.browser().csrf}).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PURGE"])
def test_other_methods_are_refused(browser: Browser, method: str) -> None:
    assert browser.client.request(method, f"{browser.folder}api/undo").status_code == 405


def test_no_get_changes_anything(browser: Browser) -> None:
    for path in ("undo", "remember", "edit", "check", "private", "review/rv-00000000"):
        assert browser.ask(path).status_code == 405
        assert browser.client.head(f"{browser.folder}api/{path}").status_code == 405
    assert browser.client.head(f"{browser.folder}api/events").status_code == 200  # and it ends


def test_every_answer_keeps_to_itself(site: Site, browser: Browser) -> None:
    answers = [
        browser.client.get(browser.folder),
        browser.ask("status"),
        browser.ask("nothing"),
        stranger(site).get("/"),
        browser.client.get(browser.folder, headers={"host": "evil.example"}),
    ]
    for each in answers:
        policy = each.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';") and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy and "*" not in policy
        assert each.headers["x-frame-options"] == "DENY" and each.headers["x-content-type-options"] == "nosniff"
        assert each.headers["referrer-policy"] == "no-referrer"
        assert each.headers["cross-origin-resource-policy"] == "same-origin"
    assert browser.ask("status").headers["cache-control"] == "no-store"


# tricks with paths and bodies


def sent_as_it_is(site: Site, browser: Browser, path: str) -> tuple[int, bytes]:
    """A request whose path no client has tidied up, as the server hands it over."""
    cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    headers = [(b"host", b"127.0.0.1:8765"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": b""}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(site.gate(scope | {"headers": headers}, receive, send))
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)


@pytest.mark.parametrize(
    "path",
    [
        "static/../../answers.py",
        "static/..%2f..%2fanswers.py",
        "static/%2e%2e/%2e%2e/answers.py",
        "static/..\\answers.py",
        "static//style.css",
        "static/style.css%00.png",
        "static/./style.css",
        "static/%73tyle.css",
        "static/",
        "static",
        "api/memory/..%2f..%2fetc%2fpasswd",
        "api//status",
        "api/status/",
        "api/%73tatus",
        "API/status",
        "/evil.example/",
        "api/memory/%E2%80%AE",
        "../../open",
    ],
)
def test_no_path_leads_elsewhere(site: Site, browser: Browser, path: str) -> None:
    assert sent_as_it_is(site, browser, f"{browser.folder}static/style.css")[0] == 200
    status, body = sent_as_it_is(site, browser, browser.folder + path)
    assert status in (401, 404) and b"def " not in body, body[:200]


def test_only_files_of_the_page_are_served(browser: Browser) -> None:
    page = browser.client.get(browser.folder)
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    style = browser.client.get(f"{browser.folder}static/style.css")
    assert style.status_code == 200 and style.headers["content-type"].startswith("text/css")
    again = browser.client.get(f"{browser.folder}static/style.css", headers={"if-none-match": style.headers["etag"]})
    assert again.status_code == 304 and not again.content
    for name in ("app.py", "__init__.py", "nothing.js"):
        assert browser.client.get(f"{browser.folder}static/{name}").status_code == 404


def test_huge_and_broken_bodies(browser: Browser) -> None:
    url = f"{browser.folder}api/remember"
    headers = {"origin": ADDRESS, "x-csrf": browser.csrf, "content-type": "application/json"}

    def endless():
        for _ in range(40):
            yield b"x" * 100_000

    for content, statuses in (
        (b"x" * (gates.MOST_BYTES + 1), (413,)),
        (endless(), (400, 413)),  # without a length that could be looked at first
        (b"", (400,)),
        (b"{", (400,)),
        (b"[1]", (400,)),
        (b"[" * 100_000, (400,)),
        (b'{"content": 3}', (400,)),
        (b'{"content": "\xff"}', (400,)),
        (b'{"content": "x", "tags": "a"}', (400,)),
        (b'{"content": "x", "importance": 9}', (400,)),
        (b'{"content": "a\\ud800b"}', (400,)),
    ):
        answer = browser.client.post(url, content=content, headers=headers)
        assert answer.status_code in statuses, (content[:20] if isinstance(content, bytes) else content, answer.text)


def test_strange_values_in_addresses(browser: Browser) -> None:
    for path in (
        "recall",
        "recall?q=",
        "recall?q=a&n=0",
        "recall?q=a&n=100000",
        "recall?q=a&n=-1",
        "recall?q=a&n=１",
        "recall?q=a&kind=nothing",
        "recall?q=a&since=yesterdayish",
        "timeline?by=century",
        "timeline?as_of=x",
        "graph?around=mem_7d3fd0812983&depth=99",
        "agent/recall?q=a&budget=0",
    ):
        assert browser.ask(path).status_code == 400, path
    for path in ("memory/mem_000000000000", "memory/nothing", "history/000000-x", "graph?around=mem_000000000000"):
        assert browser.ask(path).status_code == 404, path
