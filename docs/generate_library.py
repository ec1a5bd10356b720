"""Write the reference in docs/library.md from the docstrings; with --check, say whether it still matches.

Run it from the project's environment: `python docs/generate_library.py [--check]`. What stands above the line that says
so is written by hand.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import vault_mem
from vault_mem import errors, library, types
from vault_mem.python.vault import Vault
from vault_mem.register import COMMANDS, GROUPS

PAGE = Path(__file__).with_name("library.md")
SOURCE = Path(vault_mem.__file__).with_name("library.py")
LINE = "<!-- From here on written by docs/generate_library.py -->"
# The methods of a command that has not just the one of its own name; where it has none, why.
METHODS: dict[str, tuple[str, ...] | str] = {
    "remember": ("remember", "remember_many", "update"),
    "recall": ("recall", "ask", "trusted_ids"),
    "search": ("search", "search_all"),
    "show": ("show", "show_in"),
    "list": ("list", "list_due"),
    "why-not": ("why_not", "ask_why_not"),
    "graph": ("graph", "graph_overview"),
    "episode": ("create_episode", "episode", "episodes", "add_to_episode", "remove_from_episode"),
    "tidy": ("tidy", "tidy_candidates", "tidy_apply", "tidy_log", "summary_candidates"),
    "review": ("review", "review_versions", "review_answer"),
    "forget": ("forget", "look_at_purge"),
    "restore": ("restore", "trash"),
    "undo": ("undo", "look_at_undo"),
    "history": ("history", "operations"),
    "backup": ("backup", "check_backup", "restore_backup"),
    "wake-up": ("wake_up", "wake_up_within"),
    "introspect": ("introspect", "introspect_within"),
    "update-self": ("show_self", "update_self"),
    "setup": "it changes the settings of agents that a person uses",
    "mcp": "it is a server of its own; `as_tools()` has its tools",
    "web": "it is a server of its own, for a person and a browser",
    "config": ("settings", "set_setting"),
    "views": ("rebuild_views",),
    "daemon": "a program starts no daemon; `watch=True` does the same inside it",
    "import": ("import_", "import_sessions"),
    "sessions": ("sessions", "session", "remove_sessions", "said_around"),
    "hint": ("hint", "hint_stats", "note_used"),
    "eval": ("evaluate",),
    "git-merge": "git calls it",
    "help": "`help(Vault)`, and this page",
    "completion": "it is for shells",
}
ALIASES = """\
| `Ref` | a memory: its id or its beginning, its title, text, file name, path or wikilink, a `Memory` or a `Found` |
| `Texts` | one text, or any iterable of texts |
| `When` | a `datetime`, a `date`, ISO 8601 text or `"last week"`; in the vault's zone where it has none |
| `Metadata` | a mapping of names to texts, numbers and booleans |
| `StrPath` | a text or a `Path`; `~` is your home |
| `Kind` | event, fact, relation, task, summary, mood |
| `LinkType` | similar, caused_by, leads_to, related |"""
OWN = ("settle", "close_files", "as_tools")


def reference() -> str:
    """Everything below the line."""
    return "\n".join([LINE, "", "## Reference", *_commands(), *_vault(), *_types(), *_errors()]) + "\n"


def _commands() -> Iterator[str]:
    yield "\n### Commands and methods\n"
    yield "| command | method |\n| --- | --- |"
    for command in COMMANDS:
        found = _methods(command)
        told = found if isinstance(found, str) else ", ".join(f"[`{each}`](#{each})" for each in found)
        yield f"| `{command}` | {'none: ' if isinstance(found, str) else ''}{told} |"


def _methods(command: str) -> tuple[str, ...] | str:
    name = command.replace("-", "_")
    if command not in METHODS and not hasattr(Vault, name):
        raise SystemExit(f"docs/generate_library.py: which methods has {command}, or why has it none?")
    return METHODS.get(command, (name,))


def _vault() -> Iterator[str]:
    signatures = _signatures()
    yield "\n### Vault\n"
    yield f"```python\n{_folded(f'Vault({_parameters(inspect.signature(Vault.__init__))}) -> Vault')}\n```\n"
    yield _words(Vault)
    for group in GROUPS:
        yield f"\n### {group}\n"
        for command, entry in COMMANDS.items():
            methods = _methods(command)
            for name in () if isinstance(methods, str) or entry.group != group else methods:
                yield from _method(name, signatures.pop(name))
    yield "\n### The vault object\n"
    for name in OWN:
        signature = signatures.pop(name, None) or f"{name}({_parameters(inspect.signature(getattr(Vault, name)))})"
        yield from _method(name, signature)
    if signatures:
        raise SystemExit(f"docs/generate_library.py: of which command are {', '.join(signatures)}?")


def _method(name: str, signature: str) -> Iterator[str]:
    yield f"\n#### {name}\n\n```python\n{signature}\n```\n"
    yield _words(getattr(Vault, name))


def _signatures() -> dict[str, str]:
    """The signatures as they are written, by name."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    vault = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Vault")
    found = {}
    for each in vault.body:
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_") and each.name not in ("of", "root"):
            each.args.args = [arg for arg in each.args.args if arg.arg != "self"]
            line = f"{each.name}({ast.unparse(each.args)}) -> {ast.unparse(each.returns) if each.returns else 'None'}"
            found[each.name] = _folded(_with_defaults(line).replace("builtins.", ""))
    return found


def _with_defaults(line: str) -> str:
    """The names of constants as their values, and spaces as a reader expects them."""
    line = re.sub(r"DEFAULT_\w+", lambda name: repr(getattr(library, name.group())), line)
    return re.sub(r"(?<=[\w\]])=(?=\S)", " = ", line)


def _parameters(signature: inspect.Signature) -> str:
    shown = [str(each) for name, each in signature.parameters.items() if name != "self"]
    keywords = [each.kind is each.KEYWORD_ONLY for name, each in signature.parameters.items() if name != "self"]
    if True in keywords:
        shown.insert(keywords.index(True), "*")
    return ", ".join(shown).replace("'", "").replace("types.", "")


def _folded(line: str) -> str:
    """A long signature with a line for each parameter."""
    if len(line) <= 100:
        return line
    head, _, rest = line.partition("(")
    inside, _, end = rest.rpartition(") -> ")
    parts, depth, part = [], 0, ""
    for sign in inside:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += sign
    return "\n".join([f"{head}(", *(f"    {each}," for each in [*parts, part.strip()]), f") -> {end}"])


def _words(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def _types() -> Iterator[str]:
    yield "\n### Types\n"
    yield "All are in `vault_mem.types`. Results have `to_dict()` and `notices`; those that are sequences say so.\n"
    yield f"| name | what it takes |\n| --- | --- |\n{ALIASES}"
    for name, found in sorted(vars(types).items()):
        if not dataclasses.is_dataclass(found):
            continue
        several = ", a sequence" if hasattr(found, "__getitem__") and not issubclass(found, tuple) else ""
        fields = ", ".join(f"`{each.name}`" for each in dataclasses.fields(found))
        yield f"\n#### {name}\n\n{_words(found)}\n\nFields{several}: {fields}."


def _errors() -> Iterator[str]:
    yield "\n### Errors\n"
    yield "Each has `message`, `hint` (what to do about it) and `code`.\n\n| error | is a | when |\n| --- | --- | --- |"
    for name in vault_mem.__all__:
        found = getattr(errors, name, None)
        if isinstance(found, type) and issubclass(found, Exception):
            yield f"| `{name}` | `{found.__bases__[0].__name__}` | {_words(found).splitlines()[0]} |"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it with the code as it is."""
    held = PAGE.read_text(encoding="utf-8")
    wanted = held.partition(LINE)[0] + reference()
    if arguments != ["--check"]:
        PAGE.write_text(wanted, encoding="utf-8", newline="\n")
        return 0
    changes = difflib.unified_diff(held.splitlines(), wanted.splitlines(), "docs/library.md", "the code", lineterm="")
    sys.stdout.writelines(f"{line}\n" for line in changes)
    if held != wanted:
        sys.stderr.write("docs/library.md is out of date: run python docs/generate_library.py\n")
    return int(held != wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
