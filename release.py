"""make dist: wheel and sdist, tried in an empty environment; and what agents install from.

That is a plugin folder, an .mcpb bundle and a server.json, all from the texts and commands that `setup` writes.

python release.py FOLDER [--namespace io.github.NAME] [--packages-only]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

from vault_mem import __version__
from vault_mem.setup.options import SKILL, SetupOptions, server_arguments, wake_up

_PROJECT = Path(__file__).resolve().parent
# Without these a wheel would install, and then know no words.
_NEEDED = ("vault_mem/embedding/default/model.safetensors", "vault_mem/embedding/default/tokenizer.json")
_NEEDED += ("vault_mem/judge/data/weights.json", "vault_mem/ranking/weights.json", "vault_mem/py.typed")
_PLUGIN = "vault-mem-plugin"
_MAIN = "from vault_mem.client import main\n\nmain()\n"
_REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def build(folder: Path, namespace: str = "io.github.vault-mem") -> None:
    """Write all packages into a folder. `namespace` is the publisher's in the registry of MCP servers."""
    about = tomllib.loads((_PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about["version"] = __version__
    options = SetupOptions("claude-code", "user", "mcp", folder, {})
    for name, content in _plugin(about, options).items():
        _write(folder / _PLUGIN / name, content)
    _write(folder / "server.json", _registry(about, options, namespace))
    _bundle(folder / f"vault-mem-{about['version']}.mcpb", about, options)


def _plugin(about: dict[str, Any], options: SetupOptions) -> dict[str, Any]:
    """One folder that Claude Code, Codex and Gemini each know by a manifest of their own."""
    head = {key: about[key] for key in ("name", "version", "description", "license", "keywords")}
    owner = {"name": "vault-mem"}
    servers = {"vault-mem": {"command": "vault-mem", "args": server_arguments(options)}}
    gemini = {key: about[key] for key in ("name", "version", "description")}
    # no timeout: one client counts it in seconds, another in milliseconds
    start = [{"hooks": [{"type": "command", "command": wake_up(options)}]}]
    return {
        "plugin.json": head | {"author": owner},
        ".claude-plugin/plugin.json": head | {"author": owner},
        ".claude-plugin/marketplace.json": {
            "name": "vault-mem",
            "description": about["description"],
            "owner": owner,
            "plugins": [{"name": "vault-mem", "source": "./", "description": about["description"]}],
        },
        ".codex-plugin/plugin.json": head | {"author": owner, "skills": "./skills/", "mcpServers": "./.mcp.json"},
        "gemini-extension.json": gemini | {"mcpServers": servers, "contextFileName": "GEMINI.md"},
        ".mcp.json": {"mcpServers": servers},
        "hooks/hooks.json": {"hooks": {"SessionStart": start}},
        SKILL: options.skill,
        "GEMINI.md": options.lines,
    }


def _registry(about: dict[str, Any], options: SetupOptions, namespace: str) -> dict[str, Any]:
    arguments = [{"type": "positional", "value": each} for each in server_arguments(options)]
    package = {
        "registryType": "pypi",
        "identifier": about["name"],
        "version": about["version"],
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": arguments,
        "environmentVariables": [
            {"name": "VAULT_MEM_VAULT", "description": "The folder of the vault", "format": "filepath"}
        ],
    }
    return {
        "$schema": _REGISTRY_SCHEMA,
        "name": f"{namespace}/vault-mem",
        "title": "vault-mem",
        "description": about["description"],
        "version": about["version"],
        "packages": [package],
    }


def _bundle(path: Path, about: dict[str, Any], options: SetupOptions) -> None:
    """A bundle without the package itself, which uv installs: its libraries differ from machine to machine."""
    arguments = ["run", "--directory", "${__dirname}", "main.py", "--vault", "${user_config.vault}"]
    manifest = {
        "manifest_version": "0.4",
        **{key: about[key] for key in ("name", "version", "description", "license", "keywords")},
        "display_name": "vault-mem",
        "author": {"name": "vault-mem"},
        "server": {
            "type": "uv",
            "entry_point": "main.py",
            "mcp_config": {"command": "uv", "args": [*arguments, *server_arguments(options)]},
        },
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault",
                "description": "The folder of the vault; `vault-mem init FOLDER` makes one.",
                "required": True,
            }
        },
        "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": about["requires-python"]}},
    }
    needs = f'dependencies = ["{about["name"]}=={about["version"]}"]'
    project = f'[project]\nname = "vault-mem-bundle"\nversion = "{about["version"]}"\n'
    project += f'requires-python = "{about["requires-python"]}"\n{needs}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in (("manifest.json", _json(manifest)), ("main.py", _MAIN), ("pyproject.toml", project)):
            bundle.writestr(zipfile.ZipInfo(name), text)  # without a time: the same source makes the same bytes


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else _json(content), encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def distribute(folder: Path) -> None:
    """Build wheel and sdist, look into them, and take the tour with the wheel alone, from another folder."""
    for old in (*folder.glob("*.whl"), *folder.glob("*.tar.gz")):
        old.unlink()
    _call(sys.executable, "-m", "build", "--outdir", folder, _PROJECT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    _call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    with zipfile.ZipFile(wheel) as opened, tarfile.open(sdist) as packed:
        held = [opened.namelist(), [name.partition("/")[2] for name in packed.getnames()]]
    for file, names in zip((wheel, sdist), held, strict=True):
        missing = [name for name in _NEEDED if name not in names]
        if missing:
            sys.exit(f"{file.name} lacks {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="vault-mem-dist-") as place:
        _tour(wheel, Path(place))


def _tour(wheel: Path, place: Path) -> None:
    """The tour of `make demo` in an environment that has the wheel and nothing of the clone."""
    venv.create(place / "env", with_pip=True)
    python = next(each for name in ("bin/python", "Scripts/python.exe") if (each := place / "env" / name).exists())
    _call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    shutil.copy(_PROJECT / "demo.py", place)
    shutil.copytree(_PROJECT / "sample_vault", place / "sample_vault")
    _call(python, place / "demo.py", cwd=place)
    size = sum(path.lstat().st_size for path in (place / "env").rglob("*") if not path.is_dir())
    print(f"\nInstalled with all it needs: {size / 1e6:.0f} MB")


def _call(*command: object, cwd: Path = _PROJECT) -> None:
    subprocess.run([str(each) for each in command], cwd=cwd, check=True)


def main() -> None:
    """What `make dist` runs."""
    parser = argparse.ArgumentParser(description="Make wheel and sdist, and the packages that agents install from.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages-only", action="store_true", help="without wheel and sdist, which need a network")
    parser.add_argument("--namespace", default="io.github.vault-mem", help="the publisher's, in the MCP registry")
    given = parser.parse_args()
    build(given.folder, given.namespace)
    if not given.packages_only:
        distribute(given.folder.resolve())


if __name__ == "__main__":
    main()
