"""Write what the table of fields (vault_mem/model.py) says where it cannot be looked up; with --check, only compare.

That is the table in docs/format.md, and the keywords of `Vault.remember`, which type checkers read. Run it from the
project's environment: `python docs/generate_fields.py [--check]`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import vault_mem
from vault_mem.fields import FieldInfo, Form
from vault_mem.model import FIELDS

PAGE = Path(__file__).with_name("format.md")
LIBRARY = Path(vault_mem.__file__).with_name("library.py")
# the keywords between the star and the first that is no field
KEYWORDS = re.compile(
    r"(?<=def remember\(\n        self,\n        content: str,\n        \*,\n).*?(?=        created:)", re.DOTALL
)
HEAD = "| key | type | default | example | meaning |\n| --- | --- | --- | --- | --- |\n"
_OTHERS_BEFORE = (
    (
        "id",
        "`mem_` + 12 hex digits",
        "given by the tool",
        "mem_49b707a0883d",
        "which memory this is, wherever the file is",
    ),
    ("created", "time", "see below", "2026-11-06T16:20:00", "when it was remembered"),
)
_OTHERS_AFTER = (
    ("links", "list of links", "none", '"[[note\\|Title · similar 0.93]]"', "see [Links](#links)"),
    ("title", "text", "first heading or sentence", "Bergen batch", "read, never written"),
    ("meta_…", "one text, number or boolean", "none", "meta_run: 7", "a program's own (`metadata` in the library)"),
)
_TYPES = {
    Form.TEXT: "text",
    Form.TEXTS: "list of words",
    Form.NAMES: "list of links",
    Form.FLAG: "true or false",
    Form.TIME: "time",
}


def _type(each: FieldInfo) -> str:
    if each.choices:
        return ", ".join(f"`{choice}`" for choice in each.choices)
    return _TYPES.get(each.form) or f"{each.form} {each.limits.removeprefix('from ')}".replace("-", "−")


def _default(each: FieldInfo) -> str:
    if each.form in (Form.TEXTS, Form.NAMES):
        return "none"
    if each.default is None:
        return "not set"
    return f"`{each.default}`" if isinstance(each.default, str) else str(each.default).lower()


def _row(name: str, type_: str, default: str, example: str, meaning: str) -> str:
    return f"| `{name}` | {type_} | {default} | `{example}` | {meaning} |\n"


def _rows() -> str:
    rows = [*_OTHERS_BEFORE]
    for name, each in FIELDS.items():
        said = each.help.removesuffix(".")
        rows.append((name, _type(each), _default(each), each.example, each.meaning or said[:1].lower() + said[1:]))
    return "".join(_row(*row) for row in (*rows, *_OTHERS_AFTER))


def page() -> str:
    """The page with the table as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(HEAD)
    after = rest[rest.index("\n\n") + 1 :]
    return before + HEAD + _rows() + after


def keywords() -> str:
    """The library's module with the keywords as they should be."""
    lines = "".join(f"        {name}: {_annotation(name, each)},\n" for name, each in FIELDS.items() if each.given)
    return KEYWORDS.sub(lambda _: lines, LIBRARY.read_text(encoding="utf-8"), count=1)


def _annotation(name: str, each: FieldInfo) -> str:
    if each.form in (Form.TEXTS, Form.NAMES):
        return "Texts = ()" if each.form is Form.TEXTS else "Iterable[Ref] = ()"
    type_ = {Form.TEXT: "str", Form.WHOLE: "int", Form.NUMBER: "float", Form.FLAG: "bool", Form.TIME: "When"}[each.form]
    if each.choices:
        type_ = f"{name.title()} | str"
    return f"{type_} | None = None" if each.default is None else f"{type_} = {each.default!r}".replace("'", '"')


def main() -> int:
    """Write both, or check them."""
    wanted = {PAGE: page(), LIBRARY: keywords()}
    wrong = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    if "--check" not in sys.argv:
        for path in wrong:
            path.write_text(wanted[path], encoding="utf-8")
        return 0
    for path in wrong:
        sys.stderr.write(f"{path.name} does not have the fields of model.py: run `python docs/generate_fields.py`\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
