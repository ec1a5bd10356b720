"""The page's modules as one script, made when the server starts, so that the browser sends one request.

This is no parser: it knows `import` and `export` as the files of `static` use them, at the beginning of a line (in
minified files anywhere). Every module becomes a function that returns its exports.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import\s*(?:(?P<default>\w+)|\{(?P<names>[^}]*)\})\s*from\s*"(?P<path>[^"]+)";', re.MULTILINE)
_DECLARED = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
_LISTED = re.compile(r"\bexport ?\{([^}]*)\};?")
_DEFAULT = re.compile(r"\bexport default ")


def bundled(modules: Mapping[str, str], first: str) -> str:
    """All modules that `first` needs, then `first` itself; `modules` has the texts by path."""
    done: dict[str, str] = {}

    def add(path: str) -> None:
        text = modules[path]
        for each in _IMPORT.finditer(text):
            needed = _beside(path, each["path"])
            if needed not in done:
                add(needed)
        done[path] = f"const m{len(done)} = (() => {{\n{_as_function(path, text, list(done))}\n}})();\n"

    add(first)
    return "".join(done.values())


def _as_function(path: str, text: str, before: list[str]) -> str:
    exported = [each[1] for each in _DECLARED.finditer(text)]
    for each in _LISTED.finditer(text):
        exported += [_pair(name, of="export") for name in each[1].split(",")]
    if _DEFAULT.search(text):
        exported.append("default: main")

    def imported(each: re.Match[str]) -> str:
        module = f"m{before.index(_beside(path, each['path']))}"
        names = [_pair(name, of="import") for name in (each["names"] or "").split(",") if name.strip()]
        wanted = [f"default: {each['default']}"] if each["default"] else names
        return f"const {{ {', '.join(wanted)} }} = {module};"

    text = _LISTED.sub("", _DECLARED.sub("", _IMPORT.sub(imported, text)))
    return f"{_DEFAULT.sub('const main = ', text)}\nreturn {{ {', '.join(exported)} }};"


def _pair(name: str, *, of: str) -> str:
    """`a as b` as an entry of an object: for an import `a` is the key, for an export the value."""
    inner, _, outer = name.strip().partition(" as ")
    if not outer:
        return inner
    return f"{inner}: {outer}" if of == "import" else f"{outer}: {inner}"


def _beside(path: str, named: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
