"""The library under load: eight threads on one Vault, thousands of calls in a row, hundreds of operations undone.

python -m tests.campaigns.library threads --cases 1000
python -m tests.campaigns.library calls --cases 5000
python -m tests.campaigns.library undo --cases 200
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .stage import Stage, ids, parser_of, staged, tree

THREADS = 8
NOTES = ("dues", "chain", "soup", "lamps", "lamps2", "task", "closed", "secret", "letter", "turned")
READS = ("recall", "search", "show", "list", "status", "wake_up", "compare")
WRITES = ("remember", "tag", "edit", "close", "reopen", "confirm", "link", "forget", "restore", "undo", "private")


def call(vault: Any, stage: Stage, rng: random.Random, names: tuple[str, ...] = READS + WRITES) -> str:
    """One call of the library, chosen by chance; returns its name. Raises what the library raises."""
    one, other = (stage.names[name] for name in rng.sample(NOTES, 2))
    number = rng.randrange(10**6)
    calls: dict[str, Callable[[], Any]] = {
        "recall": lambda: vault.recall("the harbour", 3),
        "search": lambda: vault.search("quay"),
        "show": lambda: vault.show(one),
        "list": lambda: vault.list(),
        "status": lambda: vault.status(),
        "wake_up": lambda: vault.wake_up(),
        "compare": lambda: vault.compare(one, other),
        "remember": lambda: vault.remember(f"Thought {number} about the harbour", private=number % 5 == 0, force=True),
        "tag": lambda: vault.tag(one, [f"t{number % 50}"]),
        "edit": lambda: vault.edit(one, fields={"importance": 1 + number % 5}),
        "close": lambda: vault.close(one),
        "reopen": lambda: vault.reopen(one),
        "confirm": lambda: vault.confirm(one),
        "link": lambda: vault.link(one, other),
        "forget": lambda: vault.forget(one),
        "restore": lambda: vault.restore(one),
        "undo": lambda: vault.undo(),
        "private": lambda: vault.private(one),
        "rename": lambda: vault.rename(one, f"name {number}"),
        "merge": lambda: vault.merge(one, other),
    }
    name = rng.choice(names)
    calls[name]()
    return name


def _opened(stage: Stage) -> Any:
    from vault_mem import Vault

    return Vault(stage.vault, env=stage.env)


def threads(stage: Stage, count: int, seed: int) -> dict[str, Any]:
    """Calls of every kind from eight threads at once; only errors of the library's own family may come out."""
    from vault_mem.errors import VaultMemError

    vault, done, odd = _opened(stage), Counter[str](), []

    def work(number: int) -> None:
        rng = random.Random(f"{seed} {number}")
        for _ in range(count // THREADS):
            try:
                done[call(vault, stage, rng)] += 1
            except VaultMemError as error:
                done[error.code] += 1
            except BaseException as error:
                odd.append(f"{type(error).__name__}: {str(error)[:100]} in {_where(error)}")

    workers = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(1800)
    stuck = sum(worker.is_alive() for worker in workers)
    if stuck:
        odd.append(f"{stuck} threads are stuck")
    return {"calls": dict(done), "failures": sorted(set(odd))[:20] + _disagreeing(stage)}


def _where(error: BaseException) -> str:
    """The innermost lines that raised it."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in reversed(frames))


def _disagreeing(stage: Stage) -> list[str]:
    """How the index, opened by another Vault, differs from what the files hold."""
    vault = _opened(stage)
    listed = {memory.id for memory in vault.list(n=None).memories}
    from vault_mem.operations.memory.filters import Filters

    listed |= {memory.id for memory in vault.list(Filters(closed=True), n=100_000).memories}
    keys_of = ids(tree(stage))
    held = {id_ for id_, keys in keys_of.items() if id_.startswith("mem_") and not keys[-1].startswith(".vault-mem/")}
    found = [f"{id_} is in {len(keys)} files" for id_, keys in keys_of.items() if len(keys) > 1]
    return found + ([] if listed == held else [f"the index and the files disagree about {sorted(listed ^ held)[:5]}"])


def calls(stage: Stage, count: int, seed: int) -> dict[str, Any]:
    """Calls in a row on one Vault: handles, threads and memory must not grow once it has warmed up."""
    from vault_mem.errors import VaultMemError

    vault, rng, done, odd = _opened(stage), random.Random(seed), Counter[str](), set()
    names = (*READS, *READS, "tag", "edit", "close", "reopen", "confirm", "undo")  # none makes the vault grow
    warm: dict[str, int] = {}
    for number in range(count):
        if number == count // 3:
            warm = held()
        try:
            done[call(vault, stage, rng, names)] += 1
        except VaultMemError as error:
            done[error.code] += 1
        except Exception as error:
            odd.add(f"{type(error).__name__}: {str(error)[:100]} in {_where(error)}")
    now = _rested(warm)
    return {
        "calls": dict(done),
        "warm": warm,
        "end": now,
        "failures": sorted(odd) + grown(warm, now) + _disagreeing(stage),
    }


def grown(warm: dict[str, int], now: dict[str, int]) -> list[str]:
    """What the process holds more of than after warming up."""
    most = {key: number for key, number in warm.items() if key in ("our threads", "LanceDB's threads")}
    most |= {"handles": warm["handles"] + 8, "kilobytes": int(warm["kilobytes"] * 1.15) + 30_000}
    return [f"{key}: {warm[key]} became {now[key]}" for key in most if now[key] > most[key]]


def held() -> dict[str, int]:
    """What this process holds: open files, threads, memory."""
    status = Path("/proc/self/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    names = []
    for path in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it has just ended
            names.append(path.read_text())
    theirs = sum(name.startswith("lance") for name in names)
    return {
        "handles": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "our threads": len(names) - theirs,
        "LanceDB's threads": theirs,
        "kilobytes": int(fields["VmRSS"].split()[0]),
    }


def _rested(warm: dict[str, int]) -> dict[str, int]:
    """What is held once LanceDB's pool has ended its threads, which it does after ten idle seconds."""
    until = time.monotonic() + 20
    while grown(warm, now := held()) and time.monotonic() < until:
        time.sleep(0.5)
    return now


def undo(stage: Stage, count: int, seed: int) -> dict[str, Any]:
    """Undo operations of every kind one by one: every file must get its bytes and its time back."""
    from vault_mem.errors import VaultMemError

    with (stage.vault / "vault-mem.toml").open("a") as file:
        file.write("\nreview = false\n")  # proposals that come unasked would be operations of their own
    vault, rng, made = _opened(stage), random.Random(seed), Counter[str]()
    names = tuple(name for name in (*WRITES, "rename", "merge") if name not in ("undo",))
    first, done, odd = pictures(stage), 0, []
    history = []
    while done < count:
        before = pictures(stage)
        try:
            name = call(vault, stage, rng, names)
        except VaultMemError:
            continue
        if pictures(stage) != before:
            history.append((name, before))
            made[name] += 1
            done += 1
    for name, before in reversed(history):
        try:
            vault.undo()
        except VaultMemError as error:
            odd.append(f"undo of {name}: {error.message[:100]}")
            break
        now = pictures(stage)
        wrong = sorted(key for key in now.keys() | before.keys() if now.get(key) != before.get(key))
        if wrong:
            odd.append(f"undo of {name}: {', '.join(_difference(key, now, before) for key in wrong[:3])}")
    if not odd and pictures(stage) != first:
        odd.append("the first state did not come back")
    return {"calls": dict(made), "failures": odd[:20], "operations": done}


def pictures(stage: Stage) -> dict[str, tuple[bytes, int]]:
    """Bytes and modification time of every note and view; logs only grow and are left out."""
    found = {}
    for path in sorted(stage.vault.rglob("*.md")):
        key = str(path.relative_to(stage.vault))
        if not key.startswith(".vault-mem/"):
            found[key] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


def _difference(key: str, now: dict[str, tuple[bytes, int]], then: dict[str, tuple[bytes, int]]) -> str:
    if key not in now or key not in then:
        return f"{key} is {'missing' if key not in now else 'left'}"
    return f"{key} has other {'bytes' if now[key][0] != then[key][0] else 'time'}"


WORK = {"threads": threads, "calls": calls, "undo": undo}


def main() -> int:
    parser = parser_of("library", __doc__, seed=1, cases=200)
    parser.add_argument("what", choices=WORK)
    parser.add_argument("--stage", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:  # this is the child process, which may crash
        stage = Stage(options.stage, json.loads((options.stage / "names.json").read_text()), {"VAULT_MEM_NOW": ""})
        print(json.dumps(WORK[options.what](stage, options.cases, options.seed)))
        return 0
    with staged("library") as stage:
        (stage.folder / "names.json").write_text(json.dumps(stage.names))
        command = [sys.executable, "-m", "tests.campaigns.library", options.what, "--stage", str(stage.folder)]
        command += ["--cases", str(options.cases), "--seed", str(options.seed)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=7200, check=False)
        report = json.loads(done.stdout) if done.returncode == 0 else {"calls": {}, "failures": [_end_of(done)]}
    if options.json:
        options.json.write_text(json.dumps(report, indent=2))
    print(f"{options.what}, {options.cases} cases: {len(report['failures'])} failures; {report['calls']}")
    for failure in report["failures"]:
        print(f"  {failure}")
    return 1 if report["failures"] else 0


def _end_of(done: subprocess.CompletedProcess[str]) -> str:
    return f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"


if __name__ == "__main__":
    sys.exit(main())
