"""Write vault_mem/python/awaitable.py from the methods of `Vault`; with --check, say whether it still matches.

Run it from the project's environment: `python docs/generate_async.py [--check]`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parent.parent
MODULE = PROJECT / "vault_mem" / "python" / "awaitable.py"
HEAD = '''"""`AsyncVault`: the methods of `Vault` for asyncio, written by docs/generate_async.py from theirs."""

# ruff: noqa: A002 - parameters are named as those of Vault
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from vault_mem.model import DEFAULT_CATEGORY, DEFAULT_EMOTION, DEFAULT_IMPORTANCE, DEFAULT_KIND
from vault_mem.python.running import Running, in_thread
from vault_mem.python.vault import Vault
from vault_mem.types import *  # noqa: F403
from vault_mem.library import DEFAULT_RESULTS


class AsyncVault(Running):
    """A vault for asyncio: the methods of `Vault`, each to be awaited; the event loop goes on meanwhile.

    A task that is cancelled leaves nothing half done: a call that has not begun never begins, and one that has is
    waited for. `async with AsyncVault(…) as vault:` watches the files as `with Vault(…)` does, and closes them.
    """
'''


def module() -> str:
    """The whole module."""
    source = (PROJECT / "vault_mem" / "library.py").read_text(encoding="utf-8")
    found = next(each for each in ast.parse(source).body if isinstance(each, ast.ClassDef) and each.name == "Vault")
    methods = [
        each
        for each in found.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_") and each.name not in ("of", "root")
    ]
    text = HEAD + "".join(_method(each) for each in methods)
    names = sorted({each for each in _types() if _used(each, text)})
    text = text.replace(
        "from vault_mem.types import *  # noqa: F403", f"from vault_mem.types import {', '.join(names)}"
    )
    return _formatted(text)


def _method(method: ast.FunctionDef) -> str:
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in method.decorator_list)
    arguments = method.args
    given = [each.arg for each in arguments.args if each.arg != "self"]
    given += [f"{each.arg}={each.arg}" for each in arguments.kwonlyargs]
    returns = ast.unparse(method.returns) if method.returns else "None"
    doc = ast.get_docstring(method, clean=True) or ""
    first, *rest = doc.splitlines()
    words = "\n".join([first, *(f"        {line}" if line else "" for line in rest)])
    words += "\n        " if rest else ""
    if static:
        signature, where = ast.unparse(arguments), f"Vault.{method.name}"
        head, run = f"    @staticmethod\n    async def {method.name}({signature})", "in_thread"
    else:
        head, run = f"    async def {method.name}({ast.unparse(arguments)})", "self._run"
        where = f"self.vault.{method.name}"
    call = f"await {run}({', '.join([where, *given])})"
    body = call if returns == "None" else f"return {call}"
    return f'\n{head} -> {returns}:\n        """{words}"""\n        {body}\n'


def _types() -> list[str]:
    tree = ast.parse((PROJECT / "vault_mem" / "types.py").read_text(encoding="utf-8"))
    for each in tree.body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and each.targets[0].id == "__all__":
            return list(ast.literal_eval(each.value))
    raise AssertionError("types.py names what it exports")


def _used(name: str, text: str) -> bool:
    return re.search(rf"[:\[| >(]{name}\b(?!\()", text.partition("class AsyncVault")[2]) is not None


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    for words in (
        ["check", "--fix", "-q", "--select", "I,F401", "--stdin-filename", str(MODULE), "-"],
        ["format", "-q", "--stdin-filename", str(MODULE), "-"],
    ):
        done = subprocess.run([ruff, *words], input=text, capture_output=True, text=True, cwd=PROJECT, check=False)
        text = done.stdout
    return text


def main() -> int:
    """Write the module, or check it."""
    wanted = module()
    if "--check" not in sys.argv:
        MODULE.write_text(wanted, encoding="utf-8")
        return 0
    if MODULE.read_text(encoding="utf-8") == wanted:
        return 0
    print("vault_mem/python/awaitable.py is out of date: python docs/generate_async.py")  # noqa: T201
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
