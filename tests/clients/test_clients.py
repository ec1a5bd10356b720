"""A-1: what `setup` writes is accepted by the real clients, reaches their models, and is taken out byte for byte."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from clients.conftest import PATIENCE, Place
from clients.model_api import SAID
from release import build
from vault_mem.daemon.holding import alive
from vault_mem.vault import jsonc

QUESTION = "What is the lighthouse keeper at Sada called?"
FACT, SECRET = "Umeko", "letters in the lamp"
COLUMNS = (
    *("accepted", "connects", "hook reaches the model", "tool reaches the model", "removal exact", "still starts"),
    *("hint reaches the model", "session captured"),
)
_rows: dict[str, dict[str, str]] = {}


@dataclass(frozen=True)
class Client:
    """How a client is told about the stand-in, asked what it has, and asked a question without a person."""

    agent: str
    program: str
    prepare: Callable[[Place], None]
    listed: tuple[str, ...]
    connected: str
    ask: tuple[str, ...]
    hook: bool = True
    hint: bool = True
    capture: bool = True
    bridge: str = ""  # the tool by which it offers those of servers, where it hides them


def _claude(place: Place) -> None:
    place.env |= {
        "ANTHROPIC_BASE_URL": place.model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _codex(place: Place) -> None:
    folder = place.home / ".codex"
    folder.mkdir()
    provider = f'name = "stand-in"\nbase_url = "{place.model.url}/v1"\nwire_api = "responses"\n'
    (folder / "config.toml").write_text(
        f'model = "gpt-5"\nmodel_provider = "standin"\n\n[model_providers.standin]\n{provider}'
    )


def _gemini(place: Place) -> None:
    folder = place.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    place.env |= {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": place.model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _opencode(place: Place) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model.url}/v1", "apiKey": "none"},
        "models": {"stand-in": {}},
    }
    settings = place.home / "provider.json"
    settings.write_text(json.dumps({"provider": {"standin": provider}, "model": "standin/stand-in"}))
    place.env |= {"OPENCODE_CONFIG": str(settings)}


def _copilot(place: Place) -> None:
    place.env |= {
        "COPILOT_PROVIDER_BASE_URL": f"{place.model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _qwen(place: Place) -> None:
    place.env |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{place.model.url}/v1", "OPENAI_MODEL": "gpt-4.1"}


CLIENTS = (
    Client(
        "claude-code",
        "claude",
        _claude,
        ("mcp", "list"),
        "Connected",
        ("-p", QUESTION, "--allowedTools", "mcp__vault-mem__recall"),
    ),
    Client(
        "codex",
        "codex",
        _codex,
        ("mcp", "list"),
        "enabled",
        (
            *("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"),
            *("--dangerously-bypass-hook-trust", QUESTION),
        ),
    ),
    Client(
        "gemini",
        "gemini",
        _gemini,
        ("mcp", "list"),
        "Connected",
        ("-m", "gemini-2.5-pro", "-p", QUESTION, "--approval-mode", "yolo"),
    ),
    Client(
        "copilot",
        "copilot",
        _copilot,
        ("mcp", "list"),
        "vault-mem",
        ("-p", QUESTION, "--allow-all-tools"),
        hint=False,
        capture=False,
    ),
    Client("opencode", "opencode", _opencode, ("mcp", "list"), "connected", ("run", QUESTION), hook=False, hint=False),
    Client(
        "qwen",
        "qwen",
        _qwen,
        ("mcp", "list"),
        "Connected",
        ("-p", QUESTION, "--approval-mode", "yolo", "--auth-type", "openai"),
        bridge="tool_call",
    ),
)


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    """What was seen, as the table of docs/setup.md."""
    yield
    head = f"| client | {' | '.join(COLUMNS)} |\n| --- |{' --- |' * len(COLUMNS)}\n"
    lines = [f"| {name} | {' | '.join(row.get(each, '') for each in COLUMNS)} |\n" for name, row in _rows.items()]
    Path(__file__).parents[2].joinpath("build/clients/table.md").write_text(head + "".join(lines))


# Receipts, the daemon's folder and the cache are our own.
_OWN = (".local/state/vault-mem", ".cache/vault-mem", "run/")


def _files(place: Place) -> dict[str, bytes]:
    """What the home folder holds beside what is our own, by name."""
    found = {str(path.relative_to(place.home)): path for path in place.home.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(_OWN)}


def _value(name: str, raw: bytes) -> Any:
    """What settings say, however they are written."""
    return tomllib.loads(raw.decode()) if name.endswith(".toml") else jsonc.parse(raw.decode()).value


def _without_ours(value: Any) -> Any:
    """Settings without what `setup` added, and without what holds nothing else."""
    if isinstance(value, list):
        return [each for each in value if "vault-mem" not in json.dumps(each)]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_ours(each) for key, each in value.items() if not key.startswith("vault-mem")}
    return {key: each for key, each in kept.items() if each or each == value[key]}


def _taken_out(place: Place, agent: str, *options: str, before: dict[str, bytes], set_up: dict[str, bytes]) -> str:
    """Take out what `setup` added after the client has run; says how exact that could be (A-1).

    A file that the client has not written stands as it did before setup, byte for byte. In one that it has, our
    entries are gone and all else is as the client left it. What the client made for itself is not touched.
    """
    used = _files(place)
    place.remove(agent, *options)
    left = _files(place)
    ours = {name for name, raw in set_up.items() if before.get(name) != raw}
    rewritten = sorted(name for name in ours if used[name] != set_up[name])
    for name in ours:
        if name not in rewritten:
            assert left.get(name) == before.get(name), name
        else:
            assert _value(name, left[name]) == _without_ours(_value(name, used[name])), name
    own = {name: raw for name, raw in used.items() if name not in ours}
    assert {name: left.get(name) for name in own} == own
    return f"yes; ours alone in {', '.join(Path(name).name for name in rewritten)}" if rewritten else "yes"


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.agent)
def test_a_client(client: Client, place: Place) -> None:
    client.prepare(place)
    row = _rows.setdefault(f"{client.agent} {place.version(client.program)}", {})
    nothing = _said(place.run(client.program, *client.listed))
    before = _files(place)
    options = ("--user", "--capture", "--per-prompt")
    place.setup(client.agent, *options)
    place.remove(client.agent, "--user")
    assert _files(place) == before
    place.setup(client.agent, *options)
    set_up = _files(place)
    listed = place.run(client.program, *client.listed)
    said = listed.stdout + listed.stderr
    assert "vault-mem" in said, said
    row["accepted"] = "yes"
    assert client.connected in said, said
    row["connects"] = "yes" if client.agent != "codex" else "when asked"
    call = {"query": QUESTION}
    place.model.calls = [("recall", call)]
    if client.bridge:
        place.model.calls = [(client.bridge, {"name": "mcp__vault-mem__recall", "arguments": call})]
    asked = place.run(client.program, *client.ask)
    assert SAID in asked.stdout, asked.stdout + asked.stderr
    assert not place.model.calls, "the model was offered no tool recall"
    first = next(json.dumps(body, ensure_ascii=False) for _, body in place.model.requests
                 if _offers(body, client.bridge or "recall"))  # fmt: skip
    if client.hook:
        assert FACT in first and "vault-mem-data" in first
    row["hook reaches the model"] = "yes" if client.hook else "it has none"
    result = json.dumps(place.model.requests[-1][1], ensure_ascii=False)
    assert result.count(FACT) > first.count(FACT)
    row["connects"] = row["tool reaches the model"] = "yes"
    assert SECRET not in first  # private memories come in only when they are asked for
    assert first.count(FACT) == client.hook + client.hint
    row["hint reaches the model"] = "yes" if client.hint else "it has none"
    if client.capture:
        _captured(place)
    row["session captured"] = "yes" if client.capture else "no"
    row["removal exact"] = _taken_out(place, client.agent, "--user", before=before, set_up=set_up)
    assert _said(place.run(client.program, *client.listed)) == nothing  # it knows of no server, as before
    heard = len(place.model.requests)
    again = place.run(client.program, *client.ask)
    assert SAID in again.stdout, again.stdout + again.stderr
    assert FACT not in place.model.heard_since(heard)  # and nothing of ours reaches its model
    row["still starts"] = "yes"


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def _offers(body: Any, tool: str) -> bool:
    """Whether a request offers our tools: clients ask other models for titles and such before."""
    return isinstance(body, dict) and tool in json.dumps(body.get("tools") or [])


def _captured(place: Place, project: Path | None = None) -> None:
    """What was said is kept, and what our hooks and tools added to it is not (K-1)."""
    for _ in range(20):
        kept = [path.read_text() for path in place.vault.glob("sessions/*/*.md")]
        if SAID in "".join(kept):
            break
        time.sleep(0.5)  # the hook hands over and ends; the daemon takes it in
        place.run("vault-mem", "--vault", str(place.vault), "status")
    (text,) = kept
    said = [part.split("\n", 1) for part in text.split("\n## ")[1:]]
    # an answer that was captured halfway goes on in a turn of its own
    assert [role for role, _ in groupby(head[17:] for head, _ in said)] == ["user", "assistant"], text
    assert said[0][1].strip(' \n"') == QUESTION and SAID in said[-1][1]  # opencode quotes what it is given
    assert FACT not in text and SECRET not in text and f'project: "{project or place.project}"' in text


def _saved_last(said: str) -> str:
    """The id that the answer to the last `remember` names: both clients give their models the JSON."""
    return re.findall(r"memory\W+id\W+(mem_[0-9a-f]{12})", said)[-1]


_WORK = ("wake_up", "remember", "recall", "update_memory", "forget")


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_an_agent_at_work(agent: str, place: Place) -> None:
    # A-1, K-6: a session with all five tools, one after the other, and what became of the vault
    client = next(each for each in CLIENTS if each.agent == agent)
    client.prepare(place)
    place.setup(agent, "--user")
    place.model.calls = [
        ("wake_up", {}),
        ("remember", {"content": "The ferry to Sada leaves pier 3 at 7:40.", "kind": "fact", "importance": 4}),
        ("recall", {"query": "When does the ferry to Sada leave?"}),
        ("update_memory", lambda said: {"memory_id": _saved_last(said), "fields": {"tags": ["ferry"]}}),
        ("remember", {"content": "Ringo the cat was at the harbour today.", "kind": "event"}),
        ("forget", lambda said: {"memory_id": _saved_last(said), "reason": "no longer wanted"}),
    ]
    tools = ("--allowedTools", ",".join(f"mcp__vault-mem__{name}" for name in _WORK))
    ask = (*client.ask[:2], *tools) if agent == "claude-code" else client.ask
    asked = place.run(client.program, *ask)
    assert SAID in asked.stdout and not place.model.calls, asked.stdout + asked.stderr
    listed = place.run("vault-mem", "--vault", str(place.vault), "list", "--json")
    kept = {each["content"]: each for each in json.loads(listed.stdout)["memories"]}
    ferry = kept["The ferry to Sada leaves pier 3 at 7:40."]
    assert ferry["tags"] == ["ferry"] and agent.split("-")[0] in ferry["source"]
    assert not any("Ringo" in content for content in kept)
    assert len(list(place.vault.glob(".vault-mem/trash/*.json"))) == 1


def test_a_project_is_accepted_by_claude_code(place: Place) -> None:
    _claude(place)
    before = {path: path.read_bytes() for path in place.project.rglob("*") if path.is_file()}
    place.setup("claude-code")
    assert "Pending approval" in place.run("claude", "mcp", "list").stdout  # a person trusts the folder first
    place.remove("claude-code")
    assert {path: path.read_bytes() for path in place.project.rglob("*") if path.is_file()} == before


def test_the_inspector(place: Place) -> None:
    # strict about the protocol
    server = ["vault-mem", "--vault", str(place.vault), "mcp"]
    listed = place.run("mcp-inspector", "--cli", *server, "--method", "tools/list")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["tools"]) == 20
    called = place.run(
        *("mcp-inspector", "--cli", *server, "--method", "tools/call", "--tool-name", "recall"),
        *("--tool-arg", "query=lighthouse"),
    )
    assert FACT in json.loads(called.stdout)["content"][0]["text"], called.stderr
    read = place.run("mcp-inspector", "--cli", *server, "--method", "resources/read", "--uri", "memory://digest")
    assert FACT in read.stdout
    prompts = place.run("mcp-inspector", "--cli", *server, "--method", "prompts/list")
    assert "save_session" in prompts.stdout


def test_packages_pass_the_clients_own_validators(place: Place) -> None:
    build(place.project)
    plugin = str(place.project / "vault-mem-plugin")
    manifest = f"{plugin}/.claude-plugin/plugin.json"
    place.run("mcpb", "unpack", str(next(place.project.glob("*.mcpb"))), str(place.project / "bundle"))
    for command in (
        ("claude", "plugin", "validate", "--strict", plugin),
        ("claude", "plugin", "validate", "--strict", manifest),
        ("gemini", "extensions", "validate", plugin),
        ("mcpb", "validate", str(place.project / "bundle/manifest.json")),
    ):
        checked = place.run(*command)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_codex_installs_the_plugin(place: Place) -> None:
    # it has no validator: a marketplace of one plugin, installed, and its server is there
    build(place.project)
    (place.home / ".codex").mkdir()
    plugin = {"name": "vault-mem", "source": {"source": "local", "path": "./vault-mem-plugin"}}
    policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    market = place.project / ".agents/plugins/marketplace.json"
    market.parent.mkdir(parents=True)
    market.write_text(json.dumps({"name": "here", "plugins": [plugin | {"policy": policy, "category": "Other"}]}))
    for words in (("marketplace", "add", str(place.project)), ("add", "vault-mem@here")):
        done = place.run("codex", "plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    listed = place.run("codex", "mcp", "list")
    assert "vault-mem" in listed.stdout and "mcp --tools core" in listed.stdout, listed.stdout + listed.stderr


@pytest.mark.skipif(not (shutil.which("bwrap") and shutil.which("socat")), reason="its sandbox needs bwrap and socat")
def test_claude_codes_sandbox(place: Place) -> None:
    # as it is by default, where no socket can be made: reads answer, and a save says what would let it write
    _claude(place)
    place.setup("claude-code", "--user")
    sandbox = ("--settings", json.dumps({"sandbox": {"enabled": True, "autoAllowBashIfSandboxed": True}}))

    def shell(command: str) -> str:
        """What a command says that the model runs; it ends well, so that the client passes its output on as it is."""
        call = {"command": f"{command}; touch ~/written 2>/dev/null; true", "description": "try it"}
        place.model.calls = [("Bash", call)]
        asked = place.run("claude", "-p", QUESTION, *sandbox)
        assert SAID in asked.stdout and not place.model.calls, asked.stdout + asked.stderr
        assert not (place.home / "written").exists()  # it was a sandbox
        return json.dumps(place.model.requests[-1][1]["messages"][-1], ensure_ascii=False)

    vault = f"vault-mem --vault {place.vault}"
    assert FACT in shell(f"{vault} recall lighthouse")
    refused = shell(f"{vault} remember 'The lamp was cleaned on Friday.'")
    assert f"{place.vault}/.vault-mem: Read-only" in refused and "setup AGENT --sandbox" in refused
    place.setup("claude-code", "--user", "--sandbox")
    assert "Saved (id: mem_" in shell(f"{vault} remember 'The lamp was cleaned on Friday.'")


def test_codex_sandbox(place: Place) -> None:
    # reads answer, saves are saved, though the home folder is read-only there and sockets are closed
    (place.home / ".codex").mkdir()
    shutil.move(place.vault, place.project / "vault")
    place.env["VAULT_MEM_VAULT"] = str(place.project / "vault")
    sandbox = ("codex", "sandbox", "-c", 'sandbox_mode="workspace-write"', "--", sys.executable, "-m", "vault_mem")
    found = place.run(*sandbox, "recall", "lighthouse", "--json")
    assert FACT in found.stdout, found.stderr
    saved = place.run(*sandbox, "remember", "The lamp was cleaned on Friday.", "--json")
    assert json.loads(saved.stdout)["status"] == "saved", saved.stderr
    assert not alive(str(place.project / "vault"))  # no daemon was left


def _openclaw_settings(place: Place, port: int) -> dict[str, Any]:
    known = {"id": "stand-in", "name": "stand-in", "contextWindow": 100_000, "maxTokens": 1000, "input": ["text"]}
    provider = {
        "baseUrl": f"{place.model.url}/v1",
        "apiKey": "none",
        "api": "openai-completions",
        "models": [known],
    }
    return {
        "gateway": {"mode": "local", "port": port, "bind": "loopback", "auth": {"mode": "token", "token": "t"}},
        "models": {"mode": "merge", "providers": {"standin": provider}},
        "agents": {"defaults": {"model": {"primary": "standin/stand-in"}}},
    }


@contextmanager
def _gateway(place: Place, openclaw: tuple[str, ...], port: int) -> Iterator[None]:
    """OpenClaw's Gateway, which runs its hooks, once it says that it is ready: after a minute, or several."""
    with (place.home / "gateway.log").open("w") as log:
        running = subprocess.Popen(
            [*openclaw, "gateway", "run"],
            cwd=place.project,
            env=place.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        ends = time.monotonic() + PATIENCE
        while not _ready(port):
            assert running.poll() is None and time.monotonic() < ends, (place.home / "gateway.log").read_text()
            time.sleep(1)
        yield
    finally:
        running.terminate()
        running.wait(60)


def _ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False


def _asked(place: Place, *command: str) -> subprocess.CompletedProcess[str]:
    """What its Gateway answers; beside other work it takes no connection for a while."""
    for _ in range(10):
        done = place.run(*command)
        if "Gateway not reachable" not in done.stderr:
            break
    return done


def test_openclaw(place: Place) -> None:
    openclaw = ("node", str(place.bin.parent / "openclaw" / "openclaw.mjs"))
    row = _rows.setdefault(f"openclaw {place.run(*openclaw, '--version').stdout.split()[1]}", {})
    settings = place.home / ".openclaw/openclaw.json"
    settings.parent.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings.write_text(f"// mine\n{json.dumps(_openclaw_settings(place, port), indent=2)}\n")
    before = _files(place)
    place.setup("openclaw", "--capture")
    place.remove("openclaw")
    assert _files(place) == before
    place.setup("openclaw", "--capture")
    set_up = _files(place)
    checked = place.run(*openclaw, "config", "validate")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    row["accepted"] = "yes"
    for hook in ("vault-mem", "vault-mem-capture"):
        assert "agent:bootstrap" in place.run(*openclaw, "hooks", "info", hook).stdout
    servers = place.run(*openclaw, "mcp", "list")
    assert "vault-mem" in servers.stdout, servers.stdout + servers.stderr
    assert "vault-mem" in place.run(*openclaw, "skills", "list").stdout
    place.env["OPENCLAW_GATEWAY_TOKEN"] = "t"
    ask = (*openclaw, "agent", "--agent", "main", "--message")
    with _gateway(place, openclaw, port):
        place.model.calls = [("tool_call", {"id": "vault-mem__recall", "args": {"query": QUESTION}})]
        asked = _asked(place, *ask, QUESTION)
        assert SAID in asked.stdout, asked.stderr + (place.home / "gateway.log").read_text()
        assert not place.model.calls, "the model was offered no tool"
        first, last = (json.dumps(place.model.requests[at][1], ensure_ascii=False) for at in (0, -1))
        assert first.count(FACT) == 1 and "vault-mem-data" in first and SECRET not in first
        assert last.count(FACT) > 1
        row["connects"] = row["hook reaches the model"] = row["tool reaches the model"] = "yes"
        # what was said before is captured when it begins
        assert SAID in _asked(place, *ask, "And now?").stdout
        _captured(place, place.home / ".openclaw/workspace")
        row["session captured"], row["hint reaches the model"] = "yes", "it has none"
    row["removal exact"] = _taken_out(place, "openclaw", before=before, set_up=set_up)
    assert place.run(*openclaw, "config", "validate").returncode == 0
    heard = len(place.model.requests)
    with _gateway(place, openclaw, port):
        assert SAID in _asked(place, *ask, QUESTION).stdout
    assert "vault-mem-data" not in place.model.heard_since(heard)
    row["still starts"] = "yes"
