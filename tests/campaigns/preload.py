"""The preloaded library that makes disk calls fail: compiled when needed, controlled by the test process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("faults.c")

OPEN, CREATE, READ, WRITE, SYNC, NAME, META, STAT, LIST = (1 << place for place in range(9))
CHANGING = CREATE | WRITE | SYNC | NAME | META
READING = OPEN | READ | STAT | LIST
COUNT, ONCE, ON, KILL = range(4)


@dataclass(frozen=True)
class Call:
    """One disk call: its number within the command, what it does, its name in the C library, and its path."""

    number: int
    kind: int
    name: str
    path: str


def missing() -> str:
    """Why calls cannot be made to fail here; empty if they can."""
    if sys.platform != "linux":
        return "calls are failed by a preloaded library, on Linux alone"
    return "" if shutil.which("cc") else "there is no C compiler (cc) to build the library of faults with"


def ensure(module: str) -> None:
    """Restart this process with the library preloaded, unless it already is."""
    if "VAULT_MEM_FAULTS" in os.environ:
        return
    library = str(Path(tempfile.mkdtemp(prefix="vault-mem-faults-")) / "faults.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    env = os.environ | {"LD_PRELOAD": library, "VAULT_MEM_FAULTS": library, "TOKENIZERS_PARALLELISM": "false"}
    os.execve(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], env)


def clean_up() -> None:
    """Remove the compiled library, which this process has in memory; programs that it starts do not load it."""
    shutil.rmtree(Path(os.environ["VAULT_MEM_FAULTS"]).parent, ignore_errors=True)
    os.environ.pop("LD_PRELOAD", None)


class Faults:
    """The library within this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faults_seen.restype = ctypes.c_long

    def watch(self, *folders: Path) -> None:
        """Only calls on paths below these count; to be called once in a process."""
        for folder in folders:
            self._library.faults_watch(os.fsencode(folder.resolve()))

    def arm(self, number: int, how: int, code: int, kinds: int = CHANGING | READING, later: int = 0) -> None:
        """Fail call number `number` of these `kinds`; with ON, also all calls of the kinds `later` after it."""
        self._library.faults_arm(ctypes.c_long(number), how, code, kinds, later, -1)

    def disarm(self) -> None:
        self._library.faults_arm(ctypes.c_long(0), COUNT, 0, 0, 0, -1)

    @property
    def fired(self) -> bool:
        return bool(self._library.faults_fired())

    @contextlib.contextmanager
    def listening(self, kinds: int = CHANGING | READING) -> Iterator[list[Call]]:
        """The calls that are made within the block."""
        calls: list[Call] = []
        with tempfile.TemporaryFile() as file:
            self._library.faults_arm(ctypes.c_long(0), COUNT, 0, kinds, 0, file.fileno())
            try:
                yield calls
            finally:
                self.disarm()
            file.seek(0)
            for line in file.read().decode(errors="surrogateescape").splitlines():
                number, kind, name, path = line.split("\t", 3)
                calls.append(Call(int(number), int(kind), name, path))
