"""The stage of the campaigns: a vault in which every command has something to do, and commands run in forked children.

A child is a real process that can fail, be killed or time out, without the second that Python and LanceDB take to
start. Everything random depends on a seed: the clock stands still, and each module that asks for random digits gets a
sequence of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import os
import pickle
import random
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault_mem.cli.console import Console
from vault_mem.cli.main import run, settle
from vault_mem.register import COMMANDS, module_of

CLOCK = "2026-11-16T09:00:00+09:00"
OLD = 1_763_200_000  # a day and more before that clock: every file of the stage has long been quiet
PATIENCE = 90.0  # a command of this small vault takes half a second
ASLEEP = 15.0  # no command sleeps for this long: it polls locks, and waits for git ten seconds at most

_ID = re.compile(rb"^id: ['\"]?((?:mem|ep)_[0-9a-f]{12})", re.MULTILINE)
# How a command says that it failed in an unforeseen way.
UNEXPECTED = re.compile(r"unexpected \w+ in [\w.]+:\d+")
_OP = re.compile(rb"\d{6}-\d{8}T\d{6}")


@dataclass
class Answer:
    """What a command said. `code` is None if it hung or was killed."""

    code: int | None
    out: str = ""
    err: str = ""
    ended: str = ""  # "hung", "killed by signal 11", or why the harness itself failed

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass
class Stage:
    """A vault with its index and surroundings in a folder of its own; `restore` brings back how it was made."""

    folder: Path
    names: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    _copied: dict[Path, Any] = field(default_factory=dict)

    @property
    def vault(self) -> Path:
        return self.folder / "now" / "vault"

    @property
    def index(self) -> Path:
        return self.folder / "now" / "index"

    @property
    def home(self) -> Path:
        return self.folder / "now" / "home"

    @property
    def out(self) -> Path:
        return self.folder / "now" / "out"

    @property
    def env(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", ""),
            "VAULT_MEM_INDEX_DIR": str(self.index),
            "VAULT_MEM_DAEMON": "off",
            "VAULT_MEM_RUNTIME_DIR": "/tmp/vault-mem-campaigns",  # so that `daemon stop --all` ends no other daemon
            "VAULT_MEM_NOW": CLOCK,
            **self.settings,
        }

    def fill(self, words: tuple[str, ...]) -> list[str]:
        known = self.names | {"out": str(self.out), "vault": str(self.vault)}
        return [re.sub(r"\{(\w+)\}", lambda match: known.get(match[1], match[0]), word) for word in words]

    def command(self, *words: str, stdin: str | bytes = b"", seed: int = 0, to_the_end: bool = False) -> Answer:
        """Run a command in this process; `to_the_end`: also what its process would do after the answer."""
        data = self.fill((stdin,))[0].encode() if isinstance(stdin, str) else stdin
        out, err = io.StringIO(), io.StringIO()
        with _seeded(seed):
            console = Console(self.vault, self.env, io.BytesIO(data), out, err)
            code = run(self.fill(words), console)
            if to_the_end:
                settle(console, words)
        return Answer(code, out.getvalue(), err.getvalue())

    def save(self) -> None:
        """Keep the stage as it is now, for `restore`."""
        for path in sorted(self.vault.rglob("*"), reverse=True):
            if path.is_file():
                os.utime(path, (OLD, OLD))
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        shutil.copytree(self.folder / "now", self.folder / "kept", symlinks=True)

    def restore(self) -> None:
        """Restore the stage as saved, copying only files that have changed since the last time."""
        _bring_back(self.folder / "kept", self.folder / "now", self._copied)

    def start_over(self) -> None:
        """Restore the stage completely, after another process has used it."""
        self._copied = {}
        self.restore()


def _bring_back(kept: Path, now: Path, copied: dict[Path, Any]) -> None:
    """Make the folder `now` like `kept`; `copied` has the stat of each file right after it was copied."""
    there, wanted = ({entry.name: entry for entry in os.scandir(folder)} for folder in (now, kept))
    for name in there.keys() - wanted.keys():
        _remove(now / name)
    for name, entry in wanted.items():
        path = now / name
        if entry.is_dir(follow_symlinks=False):
            if name in there and not there[name].is_dir(follow_symlinks=False):
                _remove(path)
            path.mkdir(exist_ok=True)
            _bring_back(kept / name, path, copied)
        elif name not in there or _look_of(path) != copied.get(path) or name.endswith("-shm"):  # is mapped
            if name in there:
                _remove(path)
            shutil.copy2(entry.path, path, follow_symlinks=False)
            copied[path] = _look_of(path)
    shutil.copystat(kept, now)


def _look_of(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def forked(work: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What `work` returns in a forked child, or an Answer that says how the child ended without returning."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LanceDB warns of forks
        child = os.fork()
    if child == 0:
        os.close(reader)
        _be_quiet()
        try:
            result = work()
        except BaseException:
            result = Answer(None, ended="the harness failed", err=traceback.format_exc())
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    data, hung = _received(reader, child, seconds)
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if hung:
        return Answer(None, ended="hung")
    if os.WIFSIGNALED(status):
        return Answer(None, ended=f"killed by signal {os.WTERMSIG(status)}")
    return pickle.loads(data)


def _be_quiet() -> None:
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nowhere, handle)


def _received(reader: int, child: int, seconds: float) -> tuple[bytes, bool]:
    """What a child sent, and whether it hangs: it took too long, or has slept for a while without any work."""
    begun = awake = time.monotonic()
    worked, data = -1, b""
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], 0.2)
            now = time.monotonic()
            if ready:
                part = os.read(reader, 1 << 20)
                if not part:
                    return data, False
                data, awake = data + part, now
            work, asleep = _work(child)
            if work != worked or not asleep:
                worked, awake = work, now
            if now - begun > seconds or now - awake > ASLEEP:
                return data, True
    finally:
        os.close(reader)


def _work(process: int) -> tuple[int, bool]:
    """The processor time that a process has had, in ticks, and whether it sleeps."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12]), fields[0] in "SD"
    except (OSError, IndexError, ValueError):
        return 0, False


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Make `secrets.token_hex` depend on a seed, with a sequence for each module that calls it."""
    rows: dict[str, random.Random] = {}

    def digits(size: int = 32) -> str:
        name = sys._getframe(1).f_globals["__name__"]
        row = rows.setdefault(name, random.Random(f"{seed} {name}"))
        return row.randbytes(size).hex()

    real, secrets.token_hex = secrets.token_hex, digits
    try:
        yield
    finally:
        secrets.token_hex = real


def warm_up() -> None:
    """Import what commands import, so that children need not; must start no threads, as forks lose them."""
    import importlib

    for name in COMMANDS:
        importlib.import_module(f"vault_mem.cli.{module_of(name)}")
    for path in (Path(__file__).parents[2] / "vault_mem").rglob("*.py"):
        parts = path.relative_to(Path(__file__).parents[2]).with_suffix("").parts
        if (
            parts[1] in ("index", "operations", "ranking", "embedding", "judge", "notes", "vault")
            and path.stem[0] != "_"
        ):
            importlib.import_module(".".join(parts))
    for name in ("library", "messages.keep_clean", "messages.agents_day", "messages.the_vault"):
        importlib.import_module(f"vault_mem.{name}")
    import numpy as np

    from vault_mem.embedding.embedder import Embedder

    _ = Embedder().static  # loaded and hashed once; children share it
    np.quantile(np.arange(9), 0.5)
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page that it shares with us


# ---- the vault


def build(folder: Path) -> Stage:
    """A vault with memories of every kind, linked, private, closed and forgotten ones, an episode and proposals."""
    stage = Stage(folder)
    for each in (stage.home, stage.out, stage.index):
        each.mkdir(parents=True)
    warm_up()
    made = forked(lambda: _grow(stage), 300)
    if not isinstance(made, dict):
        raise RuntimeError(f"the stage could not be built: {made}")
    stage.names = made
    stage.save()
    return stage


def _grow(stage: Stage) -> dict[str, str]:
    from vault_mem import Vault
    from vault_mem.operations.upkeep.review import Suggestion, propose

    seed = iter(range(1, 1000))

    def done(*words: str, stdin: str = "") -> Any:
        answer = stage.command(*words, "--json", stdin=stdin, seed=next(seed))
        assert answer.code == 0, (words, answer)
        return answer.json

    def saved(text: str, *options: str) -> str:
        return str(done("remember", "-", "--force", *options, stdin=text)["memory"]["id"])

    with contextlib.chdir(stage.folder):
        stage.command("init", str(stage.vault), seed=next(seed))
    subprocess.run(["git", "init", "-q", "--template=", stage.vault], check=True, capture_output=True)
    names = stage.names
    names["dues"] = saved("The harbour dues rise in spring", "--kind", "fact", "--tag", "harbour")
    names["chain"] = saved("The bicycle wants a new chain", "--category", "introspection")
    names["soup"] = saved("Soup was hot and salty today", "--person", "Kaya", "--emotion", "happy")
    names["lamps"] = saved("Forty lamps stand on the quay", "--kind", "fact", "--importance", "5")
    names["lamps2"] = saved("Forty lamps stand on the quay", "--kind", "fact", "--importance", "5")
    names["task"] = saved("Call the chandler about the rope", "--kind", "task", "--status", "open")
    names["mood"] = saved("Calm since the ferry runs again", "--kind", "mood")
    names["closed"] = saved("The old ferry leaves at nine", "--kind", "fact")
    names["gone"] = saved("A forgettable walk along the pier")
    names["secret"] = saved("My fear of the deep harbour basin", "--private", "--tag", "fear")
    names["letter"] = saved("The letter is from Kaya", "--private", "--kind", "fact")
    names["turned"] = saved("I was proud of the repaired winch", "--importance", "5", "--category", "introspection")
    done("link", "{dues}", "{lamps}", "--type", "caused_by")
    done("link", "{gone}", "{soup}")
    done("edit", "{soup}", "--content", "-", stdin=f"Soup was hot and salty, as the [[{_stem(stage, 'dues')}]] were")
    done("close", "{closed}")
    names["story"] = done(
        "episode", "create", "--memory", names["dues"], "--memory", names["soup"], "--summary", "A day"
    )["episode"]["id"]
    done("private", "{turned}")
    done("forget", "{gone}", "--reason", "dull")
    done("update-self", "--ask", "Is the harbour dear to me?")
    stage.command("remember", "-", stdin="The harbour dues rise in spring", seed=next(seed))  # refused, and kept
    vault = Vault(stage.vault, env=stage.env)
    vault.status()
    propose(vault.workspace, [Suggestion("link", (names["chain"], names["task"]), "both want repair")])
    propose(vault.workspace, [Suggestion("link", (names["secret"], names["dues"]), "the same harbour")])
    names["early"] = done("tag", "{dues}", "+tariff").get("op", "")
    done("tag", "{soup}", "+kitchen")
    if not names["early"]:
        names["early"] = done("history")["operations"][1]["op"]
    plan = {"op": "upsert", "kind": "fact", "body_text": "The quay has a crane", "reason": "it was seen"}
    (stage.out / "plan.json").write_text(json.dumps({"state_updates": [plan]}))
    items = [
        {"id": f"mem_0000000000{number:02x}", "created": "2026-11-01T08:00:00+00:00", "content": f"Import {text}"}
        for number, text in enumerate(["of salt", "of tea", "of tar"])
    ]
    (stage.out / "import.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    done("reindex")  # an index in one piece is copied and opened in half the time
    done("status")
    return names


def _stem(stage: Stage, name: str) -> str:
    id_ = stage.names[name]
    return next(path.stem for path in stage.vault.rglob("*.md") if id_.encode() in path.read_bytes()[:200])


# ---- what is compared


def tree(stage: Stage) -> dict[str, bytes]:
    """What a person has: notes, views and logs, the trash and the deletion log, without temporary files and numbers."""
    found = {}
    for path in sorted(stage.vault.rglob("*")):
        key = str(path.relative_to(stage.vault))
        if key.startswith(".git/") or key.endswith(".tmp") or (path.is_dir() and not path.is_symlink()):
            continue
        if key.startswith(".vault-mem/") and not key.startswith((".vault-mem/trash/", ".vault-mem/deletions")):
            continue
        data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[key] = _OP.sub(b"OPERATION", data)
    return found


def ids(kept: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The files of each memory; a trashed copy is one too."""
    found: dict[str, list[str]] = {}
    for key, data in kept.items():
        if key.startswith(".vault-mem/trash/"):
            found.setdefault(Path(key).stem, []).append(key)
        elif key.endswith(".md") and (match := _ID.search(data[:400])) and data.startswith(b"---"):
            found.setdefault(match[1].decode(), []).append(key)
    return found


def differences(now: Mapping[str, bytes], then: Mapping[str, bytes]) -> list[str]:
    """The files that differ, with a sign: + more, - missing, ~ other."""
    signs = []
    for key in sorted(now.keys() | then.keys()):
        if now.get(key) != then.get(key):
            signs.append(("-" if key not in now else "+" if key not in then else "~") + key)
    return signs


shared: Stage | None = None  # the stage to use if campaigns are run one after the other (`__main__`)


@contextlib.contextmanager
def staged(name: str) -> Iterator[Stage]:
    """A stage in a folder of its own, in memory if possible."""
    if shared is not None:
        yield shared
        return
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix=f"vault-mem-{name}-", dir=memory if memory.is_dir() else None))
    try:
        yield build(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def parser_of(name: str, doc: str, **numbers: int) -> argparse.ArgumentParser:
    """The options that campaigns share; `numbers` are options with their defaults."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.campaigns.{name}", description=doc.split("\n")[0])
    for option, default in numbers.items():
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--json", type=Path, help="write the summary there")
    return parser


def summed_up(options: argparse.Namespace, done: int, what: str, failures: dict[str, list[str]]) -> int:
    """Print how a campaign ended, each kind of failure with its first case; returns the exit code."""
    failed = sum(map(len, failures.values()))
    kinds = {label: [len(each), each[0]] for label, each in sorted(failures.items())}
    if options.json:
        options.json.write_text(json.dumps({"cases": done, "failures": failed, "kinds": kinds}, indent=2))
    print(f"{done} {what}: {failed} failures")
    for label, (count, first) in kinds.items():
        print(f"  {count:4d} × {label}\n         {first}")
    return 1 if failures else 0
