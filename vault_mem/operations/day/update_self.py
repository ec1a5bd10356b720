"""update-self: what the agent says of itself in SELF.md, fields and questions, edited in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vault_mem.errors import EditRefused, InvalidInput, NotFound, SecretFound
from vault_mem.notes import self_model
from vault_mem.notes.secrets import find_secret
from vault_mem.notes.self_model import SelfModel, read_self
from vault_mem.operations.changing import changes
from vault_mem.operations.memory.results import writable
from vault_mem.operations.workspace import Workspace
from vault_mem.result import Result, plain
from vault_mem.vault.folder import Folder
from vault_mem.vault.journal import Transaction
from vault_mem.vault.steps import read

SELF = "SELF.md"
_NEW = "# Self\n"
LONGEST_LINE = 2000


@dataclass(frozen=True)
class SelfResult(Result):
    """What SELF.md says now; `op` names the operation where something was changed."""

    model: SelfModel
    op: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        resolved = [{"question": each.text, "answer": each.answer} for each in self.model.resolved]
        said = {"fields": self.model.fields, "open": plain(self.model.open), "resolved": resolved}
        return {"status": "updated" if self.op else "unchanged", "path": SELF, **said, "op": self.op}


def show_self(folder: Folder) -> SelfResult:
    """What SELF.md says; nothing if there is none."""
    return SelfResult(read_self((read(folder, SELF) or b"").decode("utf-8", "replace")))


@changes
def update_self(
    workspace: Workspace,
    *,
    fields: Mapping[str, str] | None = None,
    ask: Sequence[str] = (),
    resolve: Sequence[tuple[str, str]] = (),
) -> SelfResult:
    """Set fields (an empty value removes one), ask questions, resolve others by number or words, in one step."""
    folder, fields = workspace.folder, fields or {}
    for text in (*(f"{name} = {value}" for name, value in fields.items()), *ask, *(answer for _, answer in resolve)):
        kind = find_secret(text)
        if kind is not None:  # the file is public; what was found is never quoted
            raise SecretFound(
                f"this looks like it contains {kind}", f"{SELF} is public: leave it out, or use remember --private"
            )
    before = read(folder, SELF)
    try:
        text = _NEW if before is None else before.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EditRefused(f"{SELF} is not UTF-8 text and was left alone", "save it as UTF-8 first") from error
    # Look all numbers up first: resolving a question renumbers those after it.
    numbered = [(_number(read_self(text), which), _line(answer, "an answer")) for which, answer in resolve]
    if len({number for number, _ in numbered}) < len(numbered):
        raise InvalidInput("a question can be resolved only once")
    for number, answer in sorted(numbered, reverse=True):
        text = self_model.with_answer(text, number, answer)
    for name, value in fields.items():
        text = self_model.with_field(text, _name(name), _line(value, f"the field {name}", empty=True))
    for question in ask:
        asked = _line(question, "a question")
        if asked.casefold() not in {each.text.casefold() for each in read_self(text).open}:
            text = self_model.with_question(text, asked)
    done = [f"set {', '.join(fields)}"] if fields else []
    done += [f"{len(ask)} question(s) asked"] if ask else []
    done += [f"{len(resolve)} question(s) resolved"] if resolve else []
    transaction = Transaction(folder, "update-self", "; ".join(done))
    if before is not None or text != _NEW:
        transaction.write(SELF, before, text.encode())
    op = transaction.commit() if transaction.steps else ""
    workspace.notices += transaction.notices
    return SelfResult(show_self(folder).model, op)


def _number(model: SelfModel, which: str) -> int:
    """The number of the open question meant by a number or by some of its words."""
    wanted = which.strip()
    if wanted.isascii() and wanted.isdigit():
        if not 1 <= int(wanted) <= len(model.open):
            raise NotFound(f"No open question {wanted}", f"there are {len(model.open)}: vault-mem update-self")
        return int(wanted)
    exact = [each.number for each in model.open if each.text.casefold() == wanted.casefold()]
    near = exact or [each.number for each in model.open if wanted and wanted.casefold() in each.text.casefold()]
    if len(near) != 1:
        said = "More than one open question has" if near else "No open question has"
        raise NotFound(f"{said} the words {wanted!r}", "vault-mem update-self lists them with their numbers")
    return near[0]


def _name(name: str) -> str:
    cleaned = _line(name, "a field's name")
    if any(sign in cleaned for sign in ":：["):
        raise InvalidInput(f"a field's name has no colon or bracket: {cleaned!r}")
    return cleaned


def _line(text: str, what: str, *, empty: bool = False) -> str:
    """The text as one line of a list."""
    line = " ".join(writable(text, what).split())
    if not line and not empty:
        raise InvalidInput(f"{what} is empty")
    if len(line) > LONGEST_LINE or "\0" in line:
        raise InvalidInput(f"{what} is a line of at most {LONGEST_LINE} characters", "keep more in a memory: remember")
    return line
