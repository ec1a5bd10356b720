"""Packages that agents install from, made by `make dist`. `make clients` asks the clients' own validators."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from helpers import contents

from release import build
from vault_mem import __version__

SERVER = {"command": "vault-mem", "args": ["mcp", "--tools", "core"]}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build(folder, "io.github.somebody")
    return folder


def test_one_plugin_for_several_agents(dist: Path):
    plugin = dist / "vault-mem-plugin"
    manifests = ("plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json")
    for name in manifests:
        manifest = json.loads((plugin / name).read_text())
        assert (manifest["name"], manifest["version"]) == ("vault-mem", __version__)
    assert json.loads((plugin / ".mcp.json").read_text())["mcpServers"] == {"vault-mem": SERVER}
    assert json.loads((plugin / "gemini-extension.json").read_text())["mcpServers"] == {"vault-mem": SERVER}
    codex = json.loads((plugin / ".codex-plugin/plugin.json").read_text())
    assert (plugin / codex["skills"] / "vault-mem/SKILL.md").exists() and (plugin / codex["mcpServers"]).exists()
    hook = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]["SessionStart"][0]["hooks"][0]
    assert "wake-up --public-only" in hook["command"] and "timeout" not in hook


def test_the_bundle_and_the_registry(dist: Path):
    (bundle,) = dist.glob("*.mcpb")
    with zipfile.ZipFile(bundle) as opened:
        manifest = json.loads(opened.read("manifest.json"))
        assert manifest["server"]["entry_point"] in opened.namelist()
        assert f'"vault-mem=={__version__}"' in opened.read("pyproject.toml").decode()
    assert manifest["server"]["mcp_config"]["args"][-3:] == SERVER["args"]
    registry = json.loads((dist / "server.json").read_text())
    assert registry["name"] == "io.github.somebody/vault-mem" and len(registry["description"]) <= 100
    assert [each["value"] for each in registry["packages"][0]["packageArguments"]] == SERVER["args"]


def test_the_same_source_makes_the_same_bytes(dist: Path, tmp_path: Path):
    build(tmp_path, "io.github.somebody")
    assert contents(tmp_path) == contents(dist)
