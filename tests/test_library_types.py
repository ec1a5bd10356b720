"""B-1: types that checkers and frameworks can read, closed sets as enums, plain values of any kind."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

import vault_mem
from vault_mem import AsyncVault, Draft, Filters, InvalidInput, Kind, LinkType, Vault, library
from vault_mem.mcp.tools import BY_NAME
from vault_mem.model import GIVEN
from vault_mem.python import arguments

PROJECT = Path(vault_mem.__file__).parent.parent
PROGRAM = """
from datetime import date, datetime
from enum import Enum
from vault_mem import AsyncVault, Filters, Found, InvalidInput, Kind, LinkType, Memory, Vault

class Mine(str, Enum):
    TASK = "task"

def day(vault: Vault) -> list[str]:
    memory, links, linked, duplicate_of = vault.remember("The standup moved to 3pm", kind=Kind.FACT, tags={"work"})
    count: int = links
    near: list[Found] = linked
    same: Found | None = duplicate_of
    if memory is None:
        return []
    vault.remember("Call the harbour", kind=Mine.TASK, valid_to=date(2030, 1, 1), metadata={"run": 7})
    vault.tag(memory, add=("a", "b"))
    vault.link(memory, memory.id, LinkType.RELATED)
    found = vault.recall("standup", 3, tags=["work"], since=datetime(2026, 1, 1), min_relevance=0.2)
    first: Found = found[0]
    saved: bool = vault.remember("again").saved
    return [each.memory.content for each in found]

async def night(vault: AsyncVault) -> list[Memory]:
    result = await vault.list(kind="fact", n=3)
    return [*result]
"""
WRONG = [
    'vault.remember("x", importanc=3)',
    'vault.remember("x", importance="high")',
    'vault.recall("x", budgett=3)',
    "vault.recall(None)",
    'vault.show("x").memmory',
    'awaited.list(kindd="fact")',
]


def methods(kind: type = Vault) -> Iterator[tuple[str, typing.Any]]:
    for name, method in inspect.getmembers(kind, callable):
        if not name.startswith("_"):
            yield name, method


@pytest.mark.parametrize("kind", [Vault, AsyncVault])
def test_hints_resolve_at_run_time(kind: type) -> None:
    # B-1: 52 of 53 methods raised NameError
    for name, method in methods(kind):
        assert "return" in typing.get_type_hints(method), name
        assert not any(each.kind is each.VAR_KEYWORD for each in inspect.signature(method).parameters.values()), name


def test_every_method_and_parameter_has_its_words() -> None:
    # B-1: help(Vault) is complete
    for name, method in methods():
        assert method.__doc__, name


def test_keywords_are_those_of_the_one_table_of_fields(vault: Vault) -> None:
    # B-1: a field that is added there is missing here until it is spelled out
    signature = inspect.signature(Vault.remember).parameters
    draft = {"content", "created", "metadata", *GIVEN}
    others = {"self", "force", "dedup_threshold", "link_threshold", "max_links", "allow_secret", "replace_all"}
    assert set(signature) - others == draft
    blank = Draft("")
    for name in draft:
        if name not in ("content", "metadata"):
            default = signature[name].default
            assert (list(default) if isinstance(default, tuple) else default) == getattr(blank, name), name
    filters = {each.name for each in dataclasses.fields(Filters)} - {"ids"} | {"episode"}
    for method in (Vault.recall, Vault.search, Vault.list):
        found = set(inspect.signature(method).parameters) - {"self", "query", "n", "filters", "budget", "min_relevance"}
        assert found == filters
    tool = {each.name for each in BY_NAME["remember"].parameters} - {"summary_of", "to"} | {"sources"}
    assert tool - set(signature) == set()


def test_async_methods_are_those_of_vault() -> None:
    # B-4
    plain = {name: inspect.signature(method) for name, method in methods() if name != "of"}
    awaited = {name: inspect.signature(method) for name, method in methods(AsyncVault)}
    assert set(plain) == set(awaited)
    for name in plain.keys() - {"as_tools"}:
        assert plain[name] == awaited[name], name
        assert getattr(AsyncVault, name).__doc__ == getattr(Vault, name).__doc__ or name == "close_files"


def test_every_plain_parameter_is_read() -> None:
    # B-2: what is neither checked at the door nor read by the method would fail deep inside
    read_by_the_method = (
        "Ref",
        "Texts",
        "When",
        "StrPath",
        "Iterable",
        "Filters",
        "Request",
        "Callable",
        "Sequence",
        "Mapping[str, str]",
    )
    for name, method in methods(library.Vault):
        for each in inspect.signature(method).parameters.values():
            annotation = str(each.annotation)
            if each.name not in ("self", "workspace") and arguments.reader(annotation) is None:
                assert annotation.startswith(read_by_the_method), (name, each.name, annotation)


class Own(str, Enum):  # noqa: UP042 - as many programs have it
    TASK = "task"
    WORK = "work"


def test_enums_strings_and_any_iterable_of_tags(vault: Vault) -> None:
    # B-1: `kind: K.TASK` was written, a broken note
    saved = vault.remember("Call the harbour master", kind=Own.TASK, tags=(each for each in (Own.WORK, "sea"))).memory
    assert (saved.kind, saved.tags) == ("task", ["work", "sea"])
    text = (vault.root / saved.path).read_text()
    assert "kind: task\n" in text
    assert "Own" not in text
    assert vault.remember("Buy rope", kind=Kind.TASK, force=True).memory.kind == "task"
    assert vault.tag(saved, add="urgent").memory.tags == ["work", "sea", "urgent"]  # was u, r, g, e, n, t
    assert vault.tag(saved, add={"a"}, remove=Own.WORK).memory.tags == ["sea", "urgent", "a"]
    assert [each.id for each in vault.list(kind=Kind.TASK, tags="sea")] == [saved.id]
    other = vault.remember("The harbour master is Ann", force=True).memory
    assert vault.link(saved, other, LinkType.CAUSED_BY).type == "caused_by"
    with pytest.raises(InvalidInput, match="unknown kind"):
        vault.remember("x", kind=Own.WORK)


def test_a_users_program_passes_mypy(tmp_path: Path) -> None:
    # B-1
    pytest.importorskip("mypy")
    cache = PROJECT / "build" / "mypy-user"  # the package is read once, not in every run
    options = ["--strict", "--no-error-summary", "--follow-imports=silent", f"--cache-dir={cache}"]
    check(tmp_path, [sys.executable, "-m", "mypy", *options], ": error:")


def test_a_users_program_passes_pyright(tmp_path: Path) -> None:
    # B-1
    pyright = shutil.which("pyright") or (shutil.which("pyright", path=str(Path(sys.executable).parent)))
    if pyright is None:
        pytest.skip("pyright is not installed (make frameworks)")
    check(tmp_path, [pyright, "--pythonpath", sys.executable], " - error: ")


def check(folder: Path, checker: list[str], sign: str) -> None:
    """The program is clean, and each wrong line is told."""
    right = folder / "program.py"
    right.write_text(PROGRAM)
    wrong = folder / "wrong.py"
    lines = "".join(f"    {line}\n" for line in WRONG)
    wrong.write_text(
        f"from vault_mem import AsyncVault, Vault\n\ndef wrong(vault: Vault, awaited: AsyncVault) -> None:\n{lines}"
    )
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PROJECT)]}))
    done = subprocess.run(
        [*checker, str(right), str(wrong)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(PROJECT)},
    )
    errors = [line for line in done.stdout.splitlines() if sign in line]
    assert [line for line in errors if "program.py" in line] == [], done.stdout
    told = {int(line.split("wrong.py:")[1].split(":")[0]) for line in errors if "wrong.py:" in line}
    assert told == set(range(4, 4 + len(WRONG))), done.stdout + done.stderr


def test_the_page_has_every_command_and_method() -> None:
    # B-4: every command has its method, or the page says why not
    from vault_mem.register import COMMANDS

    page = (PROJECT / "docs" / "library.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"\n| `{command}` | " in page, command
    for name, _ in methods():
        assert name == "of" or f"\n#### {name}\n" in page, name
    assert "none: " in page


def test_importing_it_loads_no_operation() -> None:
    # B-3: types and operations are loaded when they are used, and hints resolve all the same
    code = """
import sys, typing
from vault_mem import Vault
heavy = {"numpy", "pyarrow", "lancedb", "vault_mem.types", "vault_mem.operations.memory.remember"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
hints = typing.get_type_hints(Vault.recall)
from vault_mem import RecallResult
assert hints["return"] is RecallResult
assert typing.get_type_hints(Vault.__init__)["watch"] == bool | None
assert typing.get_type_hints(Vault.init)["return"].__name__ == "InitResult"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
