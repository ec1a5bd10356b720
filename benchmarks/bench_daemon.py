"""Daemon: commands from the shell through a warm daemon, against a bare Python of the same interpreter.

The package is installed as a user would have it, not editable and in its own environment: once by the pip that comes
with this Python and once by a current one, which write different scripts. Calls and bare Python are taken in turns, so
that a busy moment affects both alike. Then further vaults in the same process: what each costs, and how much they slow
each other down.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from benchmarks import bench_scale
from benchmarks.harness import PROJECT, Figure, Setting, Target, interleaved
from benchmarks.vaults import memories, questions, write_vault
from vault_mem import __version__
from vault_mem.daemon import protocol
from vault_mem.daemon.start import control

ROUNDS = 40
FIRST_ROUNDS = 5
CALLS = 20_000
MEMORY_TARGET = 500.0
FURTHER, SMALL = 10, 100  # vaults, and memories in each
LARGE = 100_000
# LanceDB keeps as many threads as it has needed at once, and ends those that were idle for ten seconds.
QUIET_SECONDS = 15
# How much the memory of a daemon may grow between its first calls and its last ones.
FLAT = 1.1


def run(setting: Setting) -> Iterator[Figure]:
    """Medians of calls from the shell; the daemon's memory, open files and threads over many calls."""
    count = 1_000 if setting.quick else 10_000
    setting.progress("installing the package")
    python, bundled = _installed(setting.folder / "venv")
    script = python.with_name("vault-mem")
    vault = write_vault(setting.folder / "vault", memories(count))
    vault.reindex()
    runtime = setting.folder / "run"
    if len(os.fsencode(runtime)) > 70:  # the path of a socket must be short
        runtime = Path("/tmp") / f"vault-mem-bench-{os.getpid()}"
    runtime.mkdir(mode=0o700)
    env = os.environ | {"VAULT_MEM_RUNTIME_DIR": str(runtime), "VAULT_MEM_DAEMON": "on"}
    random = Random(7)
    asked = questions(500)

    def call(*arguments: str | Path, env: dict[str, str] = env, told: str = "") -> None:
        subprocess.run(
            [*map(str, arguments)], cwd=vault.root, env=env, stdout=subprocess.DEVNULL, input=told.encode(), check=True
        )

    def stop() -> None:
        call(script, "daemon", "stop", "--all")

    def first() -> None:
        call(script, "recall", "roof repair")

    def in_process() -> None:
        call(script, "recall", "roof repair", env=env | {"VAULT_MEM_DAEMON": "off"})

    try:
        in_process()
        setting.progress("first commands")
        firsts: list[float] = []
        alone: list[float] = []
        for _ in range(FIRST_ROUNDS):
            stop()
            (taken,), (reference,) = interleaved(1, first, in_process)
            firsts.append(taken)
            alone.append(reference)
        yield Figure(
            "daemon: first command, none running",
            statistics.median(firsts) * 1000,
            "ms",
            statistics.median(alone) * 1000,
            "in-process",
            Target("≤", 1.3, of_ratio=True),
        )
        setting.progress("calls from the shell")
        yield from _calls(count, python, script, bundled, call, asked, random)
        if not setting.quick:
            setting.progress(f"{LARGE:,} memories")
            yield from _large(setting.folder / "large", python, script, call, asked, random)
        yield from _saves(vault.root, script, env, random)
        setting.progress("further vaults")
        yield from _further(setting.folder, vault.root, script, env, asked)
        setting.progress("many calls")
        stop()  # the next daemon serves only this vault
        first()
        yield from _many(vault.root, env, asked, random, 500 if setting.quick else CALLS)
    finally:
        stop()


def _installed(place: Path) -> tuple[Path, Path]:
    """Create a virtual environment with the package as a user would have it, and this one's other packages.

    Returns its Python, and the script that the pip of this Python writes; a current pip writes `vault-mem` beside it.
    """
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = place / "bin" / "python"
    libraries = next((place / "lib").glob("python*")) / "site-packages"
    mine = Path(next(path for path in sys.path if path.endswith("site-packages")))
    wheels = place / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(PROJECT)]
    subprocess.run(build, check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wheel = [*install, "--no-deps", "--force-reinstall", str(next(wheels.glob("vault_mem-*.whl")))]
    subprocess.run(wheel, check=True)
    bundled = python.with_name("vault-mem").rename(python.with_name("vault-mem-bundled"))
    subprocess.run([*install, "--upgrade", "pip"], check=False)  # fails without a registry: only one script then
    subprocess.run(wheel, check=True)
    (libraries / "others.pth").write_text(f"{mine}\n")  # searched after our own
    return python, bundled


def _calls(
    count: int,
    python: Path,
    script: Path,
    bundled: Path,
    call: Callable[..., None],
    asked: list[str],
    random: Random,
) -> Iterator[Figure]:
    def remember() -> None:
        call(script, "remember", f"{random.choice(asked)} Noted as number {random.randrange(10**9)}.", "--force")

    transcript = script.with_name("session.jsonl")

    def capture() -> None:
        said = {"role": "user", "content": random.choice(asked)}
        record = {"type": "user", "message": said, "timestamp": "2026-11-17T08:00:00Z", "sessionId": "s", "cwd": "/app"}
        with transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        told = {"session_id": "s", "transcript_path": str(transcript), "hook_event_name": "Stop", "cwd": "/app"}
        call(script, "capture", "--agent", "claude-code", told=json.dumps(told))

    def hint() -> None:
        told = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": random.choice(asked)}
        call(script, "hint", "--hook", "claude-code", told=json.dumps(told))

    def recall(script: Path) -> None:
        call(script, "recall", random.choice(asked))

    calls: dict[str, tuple[Callable[[], None], float | None]] = {
        "--version": (lambda: call(script, "--version"), 6),
        "--help": (lambda: call(script, "--help"), 6),
        f"recall, {count:,} memories": (lambda: recall(script), 3),
        f"recall, {count:,} memories, script of the bundled pip": (lambda: recall(bundled), None),
        f"remember, {count:,} memories": (remember, 7),
        "capture, after an answer": (capture, 3),
        f"hint, per prompt, {count:,} memories": (hint, 4),
    }
    for each, _ in calls.values():
        each()
    for name, (each, limit) in calls.items():
        reference, taken = interleaved(ROUNDS, lambda: call(python, "-I", "-c", "pass"), each)
        yield Figure(
            f"daemon: vault-mem {name}",
            statistics.median(taken) * 1000,
            "ms",
            statistics.median(reference) * 1000,
            "bare Python",
            Target("≤", limit, of_ratio=True) if limit else None,
        )


def _large(
    root: Path, python: Path, script: Path, call: Callable[..., None], asked: list[str], random: Random
) -> Iterator[Figure]:
    """A recall in a large vault, once its indexes are built and its texts are read ahead."""
    write_vault(root, memories(LARGE, seed=9, words=bench_scale.WORDS)).reindex()
    bench_scale.prepare(root)

    def recall() -> None:
        call(script, "--vault", root, "recall", random.choice(asked))

    interleaved(ROUNDS, recall)
    reference, taken = interleaved(ROUNDS, lambda: call(python, "-I", "-c", "pass"), recall)
    value, bare = (statistics.median(each) * 1000 for each in (taken, reference))
    yield Figure(
        f"daemon: vault-mem recall, {LARGE:,} memories", value, "ms", bare, "bare Python", Target("≤", 4, of_ratio=True)
    )


def _further(folder: Path, first: Path, script: Path, env: dict[str, str], asked: list[str]) -> Iterator[Figure]:
    """What further small vaults cost in the same process, and whether they wait for each other."""
    place = protocol.address_for(str(first), env)

    def memory() -> float:
        time.sleep(QUIET_SECONDS / 2)
        return float((control(place, protocol.STATUS) or {})["memory_bytes"]) / 1e6

    def save(root: Path) -> Callable[[], object]:
        command = [str(script), "remember", random_text(), "--force"]
        return lambda: subprocess.run(command, cwd=root, env=env, stdout=subprocess.DEVNULL, check=True)

    def random_text() -> str:
        return f"Saved as {os.urandom(4).hex()}."

    roots = [folder / f"further-{number}" for number in range(FURTHER)]
    empty = [folder / f"empty-{number}" for number in range(FURTHER)]
    for root in (*roots, *empty):
        write_vault(root, memories(SMALL) if root in roots else [])
    before = memory()
    for root in roots:
        for question in asked[:20]:
            _ask(place, root, env, "recall", question)
    yield Figure(
        f"daemon: memory of a further vault, {SMALL} memories",
        (memory() - before) / FURTHER,
        "MB",
        target=Target("≤", 25),
    )
    new, old = [], []
    for root, known in zip(empty, roots, strict=True):
        (taken,), (reference,) = interleaved(1, save(root), save(known))
        new.append(taken)
        old.append(reference)
    yield Figure(
        "daemon: first save in a new vault",
        statistics.median(new) * 1000,
        "ms",
        statistics.median(old) * 1000,
        "in an old one",
        Target("≤", 1.5, of_ratio=True),
    )
    quiet = [_seconds(partial(_ask, place, roots[0], env, "recall", question)) for question in asked[:ROUNDS]]
    ended = threading.Event()

    def rebuild() -> None:
        while not ended.is_set():
            _ask(place, first, env, "reindex")

    thread = threading.Thread(target=rebuild)
    thread.start()
    busy = [_seconds(partial(_ask, place, roots[0], env, "recall", question)) for question in asked[:ROUNDS]]
    ended.set()
    thread.join()
    yield Figure(
        "daemon: recall while another vault is rebuilt",
        statistics.median(busy) * 1000,
        "ms",
        statistics.median(quiet) * 1000,
        "without",
        Target("≤", 5, of_ratio=True),
    )
    for root in (*roots, *empty):
        control(place, protocol.STOP, str(root))


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _saves(root: Path, script: Path, env: dict[str, str], random: Random) -> Iterator[Figure]:
    """Seconds from saving a file until an answer contains it."""
    taken: list[float] = []
    for number in range(20):
        word = f"quokka{random.randrange(10**9)}"
        path = root / "memories" / f"saved-{number}.md"
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.write_text(f"An editor saved this line about {word}.\n", encoding="utf-8")
        started = time.perf_counter()
        temporary.replace(path)
        found = subprocess.run(
            [str(script), "recall", word], cwd=root, env=env, capture_output=True, text=True, check=True
        )
        taken.append(time.perf_counter() - started)
        if word not in found.stdout:
            raise AssertionError(f"recall did not find what was saved: {found.stdout}")
    yield Figure("daemon: saved by an editor, found", statistics.median(taken) * 1000, "ms", target=Target("≤", 150))


def _many(root: Path, env: dict[str, str], asked: list[str], random: Random, count: int) -> Iterator[Figure]:
    """Memory, open files and threads of the daemon while it answers many requests."""
    place = protocol.address_for(str(root), env)
    process = Path(f"/proc/{(control(place, protocol.STATUS) or {})['pid']}")
    if not process.exists():
        return
    sizes: list[float] = []

    def opened() -> tuple[int, int]:
        """Open files and threads, once the daemon is idle."""
        time.sleep(QUIET_SECONDS)
        return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))

    before = opened()
    for number in range(count):
        kind = random.randrange(10)
        if kind == 0:
            _ask(place, root, env, "remember", f"Call {number}: {random.choice(asked)} {random.random()}", "--force")
        elif kind == 1:
            _ask(place, root, env, "list", "-n", "20")
        elif kind == 2:
            (root / "memories" / "churn.md").write_text(f"Turn {number} of the wheel.\n", encoding="utf-8")
        else:
            _ask(place, root, env, "recall", random.choice(asked))
        if number % max(count // 100, 1) == 0:
            sizes.append(int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
    tenth = max(len(sizes) // 10, 1)
    warm = statistics.median(sizes[tenth : 2 * tenth])
    most = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmHWM:"))
    yield Figure(
        f"daemon: memory, most in {count:,} calls",
        int(most.split()[1]) * 1024 / 1e6,
        "MB",
        target=Target("≤", MEMORY_TARGET),
    )
    yield Figure(
        f"daemon: memory after {count:,} calls",
        statistics.median(sizes[-tenth:]),
        "MB",
        warm,
        f"after {count // 5:,}",
        Target("≤", FLAT, of_ratio=True),
    )
    for name, first, last in zip(("open files", "threads"), before, opened(), strict=True):
        yield Figure(
            f"daemon: {name} after {count:,} calls", last, "", first, "before", Target("≤", 1.2, of_ratio=True)
        )


def _ask(place: str, root: Path, env: dict[str, str], *arguments: str) -> None:
    """Send a request over the socket itself, since starting a process is not measured here."""
    environment = [f"{name}={value}" for name, value in env.items() if name.startswith(("VAULT_MEM_", "HOME", "XDG_"))]
    head = [__version__, os.urandom(8).hex(), str(root), "80", "", str(len(environment))]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(place + ".sock")
        parts = [os.fsencode(part) for part in (*head, *environment, *arguments)]
        connection.sendall(protocol.message(protocol.REQUEST, b"\0".join(parts)))
        messages = protocol.Messages(connection)
        while (received := messages.next()) is not None:
            if received[0] == protocol.EXIT:
                return
    raise AssertionError("the daemon did not answer")
