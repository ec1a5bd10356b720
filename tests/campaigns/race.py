"""Editors save notes all the time while commands change them; afterwards every word an editor saved is looked for.

    python -m tests.campaigns.race --seconds 60
    python -m tests.campaigns.race --seconds 60 --served        # through a daemon

Editors append in place, append late (the file stays open for a while), save by renaming a new file into place, and save
by truncating. Like real ones, they look again just before they save, and no two work on one note at the same time. At
the end, a word that is in no file is lost; one that is only in `.vault-mem/` (but not in the trash) is hidden. There
must be neither.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from .late import prepare
from .operations import answered
from .paths import end_daemons
from .stage import UNEXPECTED, Answer, Stage, forked, ids, parser_of, staged, tree

EDITORS = 3
NOTES = ("dues", "chain", "soup", "lamps", "lamps2", "task", "closed", "secret", "letter", "turned")


class Editor(threading.Thread):
    """An editor that saves a note now and then, each time with a new word."""

    def __init__(self, stage: Stage, seed: int, stop: threading.Event, busy: dict[str, threading.Lock]) -> None:
        super().__init__(daemon=True)
        self.stage, self.stop, self.busy = stage, stop, busy
        self.rng = random.Random(seed)
        self.saved: list[tuple[str, str, str]] = []
        self.number = 0

    def run(self) -> None:
        while not self.stop.wait(self.rng.uniform(0.005, 0.1)):
            name = self.rng.choice(NOTES)
            if not self.busy[name].acquire(blocking=False):
                continue
            try:
                self._save(name)
            except OSError:
                continue  # the note was moved or removed before anything was written
            finally:
                self.busy[name].release()

    def _save(self, name: str) -> None:
        path = _find(self.stage, self.stage.names[name])
        if path is None:
            return
        self.number += 1
        word = f"zq{self.rng.getrandbits(40):010x}n{self.number}"
        style = self.rng.choice(["append", "late", "rename", "truncate"])
        if getattr(self, f"_{style}")(path, f"\n{word}\n".encode()):
            self.saved.append((word, style, name))

    def _append(self, path: Path, line: bytes) -> bool:
        with path.open("r+b", buffering=0) as file:
            file.seek(0, os.SEEK_END)
            file.write(line)
        return True

    def _late(self, path: Path, line: bytes) -> bool:
        with path.open("r+b", buffering=0) as file:
            time.sleep(self.rng.uniform(0, 0.4))
            file.seek(0, os.SEEK_END)
            file.write(line)
        return True

    def _rename(self, path: Path, line: bytes) -> bool:
        read = path.read_bytes()
        new = path.with_name(f".~{path.name}.swp")
        new.write_bytes(read + line)
        if path.read_bytes() != read:  # it was changed meanwhile: a real editor would ask
            new.unlink()
            return False
        new.replace(path)
        return True

    def _truncate(self, path: Path, line: bytes) -> bool:
        read = path.read_bytes()
        with path.open("r+b", buffering=0) as file:
            if file.read() != read:
                return False
            file.seek(0)
            file.truncate()
            file.write(read + line)
        return True


def _find(stage: Stage, id_: str) -> Path | None:
    """A memory's file by its id, as a person finds it by its title."""
    for folder in ("memories", "private"):
        for path in (stage.vault / folder).rglob("*.md"):
            try:
                if f"id: {id_}".encode() in path.read_bytes()[:400]:
                    return path
            except OSError:
                continue
    return None


def commands(rng: random.Random) -> tuple[str, ...]:
    """A random command line, mostly one that changes a note."""
    one, other = rng.sample(NOTES, 2)
    return rng.choice(
        [
            ("tag", f"{{{one}}}", f"+t{rng.randrange(1000)}"),
            ("edit", f"{{{one}}}", "--set", f"importance={rng.randint(1, 5)}"),
            ("rename", f"{{{one}}}", f"name {rng.randrange(1000)}"),
            ("link", f"{{{one}}}", f"{{{other}}}"),
            ("unlink", f"{{{one}}}", f"{{{other}}}"),
            ("private", f"{{{one}}}"),
            ("publish", f"{{{one}}}"),
            ("forget", f"{{{one}}}"),
            ("restore", f"{{{one}}}"),
            ("restore", f"{{{other}}}"),
            ("close", f"{{{one}}}"),
            ("reopen", f"{{{one}}}"),
            ("confirm", f"{{{one}}}"),
            answered("undo"),
            ("remember", f"A thought of number {rng.randrange(10**6)}", "--importance", "5"),
            ("recall", "harbour"),
            ("tidy",),
            ("consolidate",),
            ("views", "rebuild"),
            ("doctor",),
        ]
    )


def campaign(stage: Stage, seconds: float, seed: int, served: bool) -> dict[str, Any]:
    rng, stop = random.Random(seed), threading.Event()
    busy = {name: threading.Lock() for name in NOTES}
    editors = [Editor(stage, seed * 100 + number, stop, busy) for number in range(EDITORS)]
    runtime = tempfile.mkdtemp(prefix="vm-", dir="/tmp")
    codes: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    unexpected: list[str] = []
    runner = _editors_apart(stage, editors, stop)
    deadline, done = time.monotonic() + seconds, 0
    try:
        while time.monotonic() < deadline:
            words = commands(rng)
            answer = _served(stage, words, runtime) if served else forked(lambda words=words: stage.command(*words))
            codes[answer.ended or str(answer.code)] += 1
            if answer.code == 1 and answer.err:
                refused[f"{words[0]}: {answer.err.splitlines()[0]}"] += 1
            if found := UNEXPECTED.search(answer.said) or answer.ended:
                unexpected.append(f"{' '.join(words)}: {found if isinstance(found, str) else found.group()}")
            done += 1
        saved = runner()
        for _ in range(3):  # files displaced last are dealt with once nobody has them open
            time.sleep(1)
            answer = _served(stage, ("status",), runtime) if served else forked(lambda: stage.command("status"))
    finally:
        stop.set()
        end_daemons(runtime)
        shutil.rmtree(runtime, ignore_errors=True)
    return _judged(stage, saved, done, codes, unexpected) | {"refused": dict(refused)}


def _editors_apart(stage: Stage, editors: list[Editor], stop: threading.Event) -> Any:
    """Run the editors in a process of their own; calling the result ends them and returns what they saved."""
    end_reader, end_writer = os.pipe()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LanceDB warns of forks
        child = os.fork()
    if child == 0:
        os.close(end_writer)
        for editor in editors:
            editor.start()
        os.read(end_reader, 1)
        stop.set()
        for editor in editors:
            editor.join(10)
        with os.fdopen(writer, "w") as pipe:
            json.dump([each for editor in editors for each in editor.saved], pipe)
        os._exit(0)
    os.close(end_reader)
    os.close(writer)

    def finish() -> list[list[str]]:
        os.close(end_writer)
        with os.fdopen(reader) as pipe:
            saved = json.load(pipe)
        os.waitpid(child, 0)
        return list(saved)

    return finish


def _served(stage: Stage, words: tuple[str, ...], runtime: str) -> Answer:
    env = {**os.environ, **stage.env, "VAULT_MEM_DAEMON": "on", "VAULT_MEM_RUNTIME_DIR": runtime}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vault_mem", *stage.fill(words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=stage.vault,
            env=env,
            timeout=90,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(None, ended="hung")
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def _judged(
    stage: Stage, saved: list[list[str]], done: int, codes: Counter[str], unexpected: list[str]
) -> dict[str, Any]:
    seen, hidden = b"", b""
    for path in stage.vault.rglob("*"):
        key = str(path.relative_to(stage.vault))
        if not path.is_file() or path.is_symlink():
            continue
        if key.startswith(".vault-mem/") and not key.startswith(".vault-mem/trash/"):
            hidden += path.read_bytes()
        elif not key.startswith(("history/", "private/.history/")) and not path.name.startswith(".~"):
            seen += path.read_bytes()
    lost, only_hidden = [], []
    for word, style, name in saved:
        if word.encode() not in seen:
            (only_hidden if word.encode() in hidden else lost).append(f"{word} ({style}, {name})")
    return {
        "commands": done,
        "codes": dict(codes),
        "saves": len(saved),
        "by style": dict(Counter(style for _, style, _ in saved)),
        "lost": lost,
        "hidden": only_hidden,
        "unexpected": sorted(set(unexpected)),
        "doubled": sorted(id_ for id_, keys in ids(tree(stage)).items() if len(keys) > 1),
    }


def main() -> int:
    parser = parser_of("race", __doc__, seed=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--served", action="store_true", help="commands go through a daemon")
    options = parser.parse_args()
    with staged("race") as stage:
        prepare(stage)
        report = campaign(stage, options.seconds, options.seed, options.served)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2))
    print(f"{report['commands']} commands {report['codes']}, {report['saves']} saves {report['by style']}")
    for reason, count in report["refused"].items():
        print(f"  {count} × {reason}")
    for what in ("lost", "hidden", "unexpected", "doubled"):
        print(f"{len(report[what])} {what}: {'; '.join(report[what][:8])}")
    return 1 if report["lost"] or report["hidden"] or report["unexpected"] else 0


if __name__ == "__main__":
    sys.exit(main())
