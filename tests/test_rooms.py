"""The house: who imports whom, where a contract of import-linter cannot see it."""

from __future__ import annotations

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import vault_mem
from vault_mem import Vault

# What writes notes, views or the journal, and what only those who write need.
WRITERS = tuple(
    "vault_mem.vault.journal vault_mem.vault.steps vault_mem.vault.carry vault_mem.vault.late vault_mem.vault.history "
    "vault_mem.vault.marked vault_mem.vault.traces vault_mem.notes.edit vault_mem.judge.judge "
    "vault_mem.operations.changing vault_mem.operations.memory.drafts vault_mem.operations.memory.guard "
    "vault_mem.operations.memory.remember vault_mem.operations.memory.replaced vault_mem.operations.git "
    "vault_mem.operations.unasked vault_mem.operations.upkeep vault_mem.operations.vaults".split()
)

ANSWERS = """
import os, sys
from pathlib import Path
from vault_mem.cli.console import Console
from vault_mem.cli.main import run

root = Path(sys.argv[1])
WRITERS = tuple(sys.argv[2].split())

def no_writer(where):
    found = [name for name in sys.modules if any(name == each or name.startswith(each + ".") for each in WRITERS)]
    assert not found, f"{where}: {found}"

assert run(["recall", "coffee in the morning", "--vault", str(root)], Console.of_process()) == 0
no_writer("by itself")

from vault_mem.daemon.engine import Engine, Loan
from vault_mem.daemon.request import ClientRequest
from vault_mem.vault.folder import Folder

folder = Folder(root, os.environ)
engine = Engine(folder, os.open(os.devnull, os.O_RDONLY), root / "cookies", lambda engine: None)
engine.borrow()
asked = b"\\0".join([b"1", b"r1", os.fsencode(root), b"80", b"", b"0", b"recall", b"coffee in the morning"])
loan = Loan(engine, ClientRequest(asked))
console = Console.of_process()
console.opening, console.vault = (lambda console, what: loan.open(folder, console, what)), str(root)
assert run(["recall", "coffee in the morning"], console) == 0
loan.end(sound=True)
no_writer("in a daemon")
"""


def test_an_answer_loads_nothing_that_writes(tmp_path: Path, env: dict[str, str]) -> None:
    Vault.init(tmp_path / "vault", env=env)
    with Vault(tmp_path / "vault", env=env) as vault:
        vault.remember("I drink coffee every morning", kind="fact")
        vault.remember("I stopped drinking coffee, and switched to tea in the morning", kind="fact")
    command = [sys.executable, "-c", ANSWERS, str(tmp_path / "vault"), " ".join(WRITERS)]
    answered = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert answered.returncode == 0, answered.stderr
    assert answered.stdout.count("I drink coffee every morning") == 2


def test_only_the_index_speaks_to_its_table_and_states() -> None:
    package = Path(vault_mem.__file__).parent
    inside = re.compile(r"""\bindex\.(?:state|table)\b|\bn = 0 AND|(?<=["'(])(?:SELECT|INSERT|UPDATE|DELETE) """)
    found = [
        f"{path.relative_to(package)}:{number}"
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] not in ("index", "imports", "store")  # databases of their own
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if inside.search(line)
    ]
    assert found == []


def test_operations_have_no_cycle() -> None:
    graph = grimp.build_graph("vault_mem", exclude_type_checking_imports=True, cache_dir=None)
    operations = {name for name in graph.modules if name.startswith("vault_mem.operations")}
    TopologicalSorter(
        {name: graph.find_modules_directly_imported_by(name) & operations for name in operations}
    ).prepare()
