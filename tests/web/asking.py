"""A page's browser without a page: the app behind its gate, asked over HTTP in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nh3", reason="the page's libraries are not installed: pip install 'vault-mem[web]'")
pytest.importorskip("uvicorn", reason="the page's libraries are not installed: pip install 'vault-mem[web]'")

from starlette.testclient import TestClient

from vault_mem.web.app import application
from vault_mem.web.events import Hub
from vault_mem.web.gate import Gate
from vault_mem.web.vault import SeenVault

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


class Browser:
    """One browser that has exchanged a token: it sends its cookie, and as the page does, where it comes from."""

    def __init__(self, gate: Gate) -> None:
        self.client = TestClient(gate, base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=True)
        opened = self.client.get(f"/open?token={gate.new_token()}")
        assert opened.status_code == 303, opened.text
        self.folder = opened.headers["location"]
        self.key = ""
        self.csrf = self.get("status")["csrf"]

    def ask(self, path: str, **options: Any) -> Any:
        headers = ({"x-private": self.key} if self.key else {}) | options.pop("headers", {})
        return self.client.get(f"{self.folder}api/{path}", headers=headers, **options)

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        answer = self.ask(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def send(self, path: str, body: Any, **headers: str) -> Any:
        own = {"origin": ADDRESS, "x-csrf": self.csrf} | ({"x-private": self.key} if self.key else {})
        return self.client.post(f"{self.folder}api/{path}", json=body, headers=own | headers)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self.send(path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def switch_private(self, on: bool) -> None:
        self.key = self.post("private", on=on).get("key", "")


class Site:
    """A served vault: its files, its gate, and browsers as many as one wants."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self.root = root
        self.vault = SeenVault(root, env=env)
        self.hub = Hub(self.vault)
        self.gate = Gate(application(self.vault, self.hub), PORT)

    def browser(self) -> Browser:
        return Browser(self.gate)


def environment(place: Path) -> dict[str, str]:
    (place / "home").mkdir()
    own = {"HOME": str(place / "home"), "VAULT_MEM_INDEX_DIR": str(place / "index"), "VAULT_MEM_DAEMON": "off"}
    return own | {"VAULT_MEM_NOW": "2026-11-17T12:00:00+09:00", "VAULT_MEM_DEBUG": "raise"}
