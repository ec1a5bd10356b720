"""U-4: the command as a person runs it: what it prints, who gets in, how it ends, and what it costs the others."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Command

from web import asking  # noqa: F401 - skips where the page's libraries are missing


def _change(events: http.client.HTTPResponse) -> dict[str, list[str]]:
    lines = [events.readline() for _ in range(3)]
    assert lines[0] != b": \n", "nothing was heard for a while"
    assert lines[0] == b"event: change\n" and lines[2] == b"\n"
    return json.loads(lines[1].partition(b": ")[2])


@dataclass
class Running:
    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].split("/")[0])

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()


def started(cli: Command, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "vault_mem", "web", "--no-browser", *options]
    env = {**os.environ, **cli.env}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cli.cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def running(cli: Command) -> Iterator[Running]:
    process = started(cli)
    assert process.stdout
    yield Running(process, process.stdout.readline().strip())
    process.kill()
    process.communicate()


def test_from_the_first_line_to_ctrl_c(cli: Command, root: Path, running: Running) -> None:
    assert running.address.startswith(f"http://127.0.0.1:{running.port}/open?token=")
    way = running.address.partition(str(running.port))[2]
    opened = running.get(way)
    assert opened.status == 303
    assert running.get(way).status == 401
    assert running.process.stdin and running.process.stdout
    running.process.stdin.write("\n")
    running.process.stdin.flush()
    again = running.process.stdout.readline().strip()
    assert again.startswith("http://127.0.0.1:") and again != running.address

    page = opened.headers["location"]
    cookie = opened.headers["set-cookie"].partition(";")[0]
    assert running.get(f"{page}api/status").status == 401
    status = json.loads(running.get(f"{page}api/status", cookie=cookie).read())
    assert status["root"] == str(root) and status["memories"] == 0
    events = running.get(f"{page}api/events", cookie=cookie)
    assert events.readline() == b"event: hello\n"
    assert events.readline() == b'data: {"private": false}\n' and events.readline() == b"\n"
    first = cli.json("remember", "The page hears of this at once.")["memory"]  # from another process
    told = _change(events)
    while not any(path.startswith("memories/") for path in told["paths"]):
        told = _change(events)
    assert told["all"]  # the month's folder is new, and what is in it may be there before it is watched
    found = json.loads(running.get(f"{page}api/recall?q=hears+of+this", cookie=cookie).read())
    assert [each["id"] for each in found["results"]] == [first["id"]]
    second = cli.json("remember", "A kettle of tea for the ferryman.")["memory"]
    while second["path"] not in told["paths"]:
        told = _change(events)
    assert second["id"] in told["ids"]

    kept = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    times = []
    for _ in range(40):  # on one connection, where answers used to wait 40 ms for an acknowledgement
        began = time.monotonic()
        kept.request("GET", f"{page}static/icon.svg", headers={"cookie": cookie})
        kept.getresponse().read()
        times.append(time.monotonic() - began)
    assert sorted(times[20:])[5] < 0.03

    taken = started(cli, "--port", str(running.port)).communicate(timeout=60)
    assert taken[0] == "" and f"port {running.port} is taken" in taken[1]
    with socket.socket() as elsewhere:  # on no other address of this machine
        assert elsewhere.connect_ex(("127.0.0.2", running.port)) != 0
    running.process.send_signal(signal.SIGINT)  # with a stream open
    assert running.process.wait(15) == 0
    assert "Traceback" not in running.process.stderr.read()  # type: ignore[union-attr]


def test_no_vault_no_address(tmp_path: Path, env: dict[str, str]) -> None:
    told = Command(tmp_path, env).run("web", "--no-browser")
    assert told.code == 1 and told.out == "" and "no vault" in told.err.lower()


def test_other_commands_load_nothing_of_it(cli: Command) -> None:
    looks = (
        "import sys; from vault_mem.cli.console import Console; from vault_mem.cli.main import run\n"
        "for words in (['--help'], ['web', '--help'], ['recall', 'anything']): run(words, Console.of_process())\n"
        "sys.exit([name for name in sys.modules if name.partition('.')[0] in "
        "('starlette', 'uvicorn', 'markdown_it', 'nh3', 'anyio') or name.startswith('vault_mem.web')] or 0)"
    )
    env = {**os.environ, **cli.env}
    done = subprocess.run([sys.executable, "-c", looks], cwd=cli.cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
