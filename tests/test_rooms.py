"""The house: who imports whom, where a contract of import-linter cannot see it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType

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


def calls(of: Callable[[], object]) -> Counter[str]:
    """How often each function of the package is called meanwhile, by file and name."""
    found: Counter[str] = Counter()
    package = str(Path(vault_mem.__file__).parent)

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            found[f"{frame.f_code.co_filename[len(package) + 1 :]}:{frame.f_code.co_name}"] += 1

    sys.setprofile(note)
    try:
        of()
    finally:
        sys.setprofile(None)
    return found


def test_each_way_goes_down_the_rooms_once(vault: Vault) -> None:
    # docs/design.md, "The ways through it": looked at once, ranked once, embedded once, synced again after a change
    kiln = vault.remember("Kaya moved the kiln to the shed.").memory
    fired = vault.remember("The kiln in the shed is fired on Fridays.").memory
    assert kiln and fired
    steps = {
        "freshen": "operations/workspace.py:freshen",
        "sync": "index/sync.py:sync",
        "rank": "ranking/rank.py:rank",
        "embed": "embedding/static.py:encode",
        "read": "notes/parse.py:parse",
        "change": "operations/changing.py:changing",
    }

    def way(of: Callable[[], object]) -> dict[str, int]:
        found = calls(of)
        return {step: found[call] for step, call in steps.items() if found[call]}

    assert way(lambda: vault.recall("kiln")) == {"freshen": 1, "sync": 1, "rank": 1, "embed": 1}
    saved = way(lambda: vault.remember("The glaze arrives on Monday."))
    assert saved == {"freshen": 1, "sync": 2, "embed": 1, "read": 1, "change": 1}
    for change in (lambda: vault.private(fired.id), lambda: vault.forget(kiln.id)):
        found = way(change)
        assert {step: found[step] for step in ("freshen", "sync", "change")} == {"freshen": 1, "sync": 2, "change": 1}
        assert "embed" not in found  # the text is the same in its new place
    boat = vault.remember("The boat is green.").memory
    assert boat
    file = vault.root / boat.path
    file.write_text(file.read_text(encoding="utf-8").replace("green", "red"), encoding="utf-8")
    edited = way(lambda: vault.recall("boat"))
    assert edited == {"freshen": 1, "sync": 1, "rank": 1, "embed": 2, "read": 1}  # the note, and the query


def test_only_the_index_speaks_to_its_table_and_states() -> None:
    package = Path(vault_mem.__file__).parent
    inside = re.compile(r"""\bindex\.(?:state|table)\b|\bn = 0 AND|(?<=["'(])(?:SELECT|INSERT|UPDATE|DELETE) """)
    found = [
        f"{path.relative_to(package)}:{number}"
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] not in ("index", "imports", "store")  # databases of their own
        and path.name != "database.py"  # what these have in common
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
