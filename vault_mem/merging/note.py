"""Merging notes: the front matter key by key, the text by lines."""

from __future__ import annotations

from vault_mem.merging import Merged
from vault_mem.merging.lines import MIDDLE, OURS, THEIRS, ended, marked, merge_text, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Block = list[str] | None  # the lines of one key, or None

FENCE = "---"
# If one side sets one of these and the other removes it, setting wins.
_SETTING_WINS = frozenset(
    {"valid_to", "last_confirmed", "importance", "created", "id", "start", "end", "private", "status"}
)


class _OddFrontMatter(Exception):
    """Front matter that is not a plain list of keys."""


def merge_note(base: str, ours: str, theirs: str, name: str = "") -> Merged:
    """Merge two versions of a note. The result is always a readable note: what is undecided is in its text.

    `name` is the file's. If git took two memories for one that was renamed, it tells which of them belongs there.
    """
    was, one, other = (memories_in(each) for each in (base, ours, theirs))
    named_twice = bool(base.strip()) and "" in was  # a note without an id, to which each side gave one
    if len({*one, *other} - {""}) > 1 and not named_twice:
        return _merge_several(was, one, other, name)
    parts = [cut(each) for each in (base, ours, theirs)]
    body = merge_text(*(text[len(head) :] for text, (head, _) in zip((base, ours, theirs), parts, strict=True)))
    heads = [head for head, front in parts[1:] if front is not None]
    if not heads:
        return body
    lines, undecided = _merged_front(*(front or [] for _, front in parts))
    fences = split(heads[0])
    text = (fences[0] + "".join(lines) + ended(fences[-1]) if lines else "") + body.text
    if undecided:
        both = ["".join("".join(each[side] or ()) for each in undecided.values()) for side in (0, 1)]
        text = ended(text) + marked(*both)
    return Merged(text, [*undecided, *body.conflicts])


def _id(front: list[str] | None) -> str:
    return next((_value([line]) for line in front or () if line.startswith("id:")), "")


def memories_in(text: str) -> dict[str, str]:
    """The memories in a file, by id: one, or several that a merge put together because git took them for one."""
    texts = text.replace("\r\n", "\n").split("\n" + OURS + MIDDLE + FENCE)
    if len(texts) == 1 or text.count(THEIRS) < len(texts) - 1:
        return {_id(cut(text)[1]): text}
    first, *others = texts
    found = {_id(cut(first + "\n")[1]): first + "\n"}
    for other in others:
        while other.endswith(THEIRS):
            other = other.removesuffix(THEIRS)
        found.setdefault(_id(cut(FENCE + other)[1]), FENCE + other)
    return found if all(found) else {_id(cut(text)[1]): text}


def _merge_several(was: dict[str, str], one: dict[str, str], other: dict[str, str], name: str) -> Merged:
    """Merge different memories: the one with the file's name, and below it the others, whole, between marks."""
    texts, conflicts = {}, ["id"]
    for id_ in {**one, **other}:
        if id_ in one and id_ in other:
            merged = merge_note(was.get(id_, ""), one[id_], other[id_], name)
            texts[id_] = merged.text
            conflicts += merged.conflicts
        else:
            texts[id_] = (one | other)[id_]
    first = next((id_ for id_ in texts if id_[4:12] in name), next(iter(texts)))
    below = "".join(marked("", text) for id_, text in texts.items() if id_ != first)
    return Merged(ended(texts[first]) + below, conflicts)


def cut(text: str) -> tuple[str, list[str] | None]:
    """A note's front matter with its fences, and the lines between them; None if it has none."""
    if not text.startswith(FENCE):
        return "", None
    lines = split(text)
    if lines[0].rstrip() != FENCE:
        return "", None
    for number, line in enumerate(lines[1:], 1):
        if line.startswith(FENCE) and line.rstrip() == FENCE:
            return "".join(lines[: number + 1]), lines[1:number]
    return "", None


def _merged_front(
    base: list[str], ours: list[str], theirs: list[str]
) -> tuple[list[str], dict[str, tuple[Block, Block]]]:
    """The lines of the merged front matter, and both versions of each key that is undecided."""
    try:
        was, one, other = blocks(base), blocks(ours), blocks(theirs)
    except _OddFrontMatter:
        merged = merge_text("".join(base), "".join(ours), "".join(theirs))
        return (ours, {"front matter": (ours, theirs)}) if merged.conflicts else (split(merged.text), {})
    lines: list[str] = []
    undecided: dict[str, tuple[Block, Block]] = {}
    for key in _order(one, other):
        b, o, t = was.get(key), one.get(key), other.get(key)
        if t in (b, o) or o == b:
            lines += (o if t in (b, o) else t) or ()
            continue
        chosen = _chosen(key, b, o, t)
        if chosen is None:
            undecided[key] = (o, t)
            chosen = o or []
        lines += chosen
    return lines, undecided


def blocks(front: list[str]) -> dict[str, list[str]]:
    """The lines of each key, with comments and items below it; those before the first key have no key."""
    found: dict[str, list[str]] = {}
    key = ""
    for line in front:
        if line[:1] not in " \t-#\n" and ":" in line:
            key = line.partition(":")[0].strip().strip("\"'")
            if key in found:
                raise _OddFrontMatter
        elif line[:1] not in " \t-#\n" or (line[:1] == "-" and not key):
            raise _OddFrontMatter
        found.setdefault(key, []).append(line if line.endswith("\n") else line + "\n")
    return found


def _order(one: dict[str, list[str]], other: dict[str, list[str]]) -> list[str]:
    """The keys of both: those of the first in order, each key of the other alone after its predecessor there."""
    keys = list(one)
    before = ""
    for key in other:
        if key not in one:
            keys.insert(keys.index(before) + 1 if before in keys else len(keys) if before else 0, key)
        before = key
    return keys


def _chosen(key: str, base: Block, ours: Block, theirs: Block) -> Block:
    """The merged value of a key that both sides changed; None if it is undecided."""
    if key in _SETTING_WINS and (ours is None or theirs is None):
        return ours or theirs
    rule = _RULES.get(key)
    if rule is None or ours is None or theirs is None:
        return _merged_list(base, ours, theirs)
    if key in ("created", "id") and base is not None:
        return None
    try:
        return rule(ours, theirs)
    except ValueError:
        return None


def _value(block: list[str]) -> str:
    return block[0].partition(":")[2].partition(" #")[0].strip().strip("\"'")


def _time(block: list[str]) -> object:
    from datetime import datetime

    return datetime.fromisoformat(_value(block)).replace(tzinfo=None)


def _by(choose: Callable[..., list[str]], measure: Callable[[list[str]], Any]) -> Callable[..., list[str]]:
    return lambda ours, theirs: choose((ours, theirs), key=lambda block: (measure(block), block))


def _either(*words: str) -> Callable[[list[str], list[str]], list[str]]:
    """The side whose value is one of these words."""

    def choose(ours: list[str], theirs: list[str]) -> list[str]:
        found = [block for block in (ours, theirs) if _value(block).lower() in words]
        if not found:
            raise ValueError
        return found[0]

    return choose


# How to decide between two changes of a key. A memory was over at the latest when the first side closed it.
_RULES: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "last_confirmed": _by(max, _time),
    "valid_to": _by(min, _time),
    "created": _by(min, _time),
    "start": _by(min, _time),
    "end": _by(max, _time),
    "importance": _by(max, lambda block: float(_value(block))),
    "id": _by(min, _value),
    "private": _either("true", "yes", "1", "on", "y"),
    "status": _either("done"),
}


def _merged_list(base: Block, ours: Block, theirs: Block) -> Block:
    """Merge lists as sets, with the additions and removals of both sides. None if one is not a list."""
    was, one, other = (_items(each) for each in (base, ours, theirs))
    if was is None or one is None or other is None:
        return None
    kept = {}
    for name in was:
        if name in one and name in other:
            kept[name] = (
                one[name]
                if other[name] == was[name]
                else other[name]
                if one[name] == was[name]
                else max(one[name], other[name])
            )
    added = {name: item for name, item in [*other.items(), *one.items()] if name not in was}
    both = any(name not in one for name in added) and any(name not in other for name in added)
    kept.update({name: added[name] for name in (sorted(added) if both else added)})
    head = (ours or theirs or [""])[0].partition(":")[0]
    dash = next((line[: line.index("-")] for block in (ours, theirs) for line in (block or ())[1:]), "  ")
    if not kept:
        return [] if ours is None or theirs is None else [f"{head}: []\n"]
    return [f"{head}:\n", *(f"{dash}- {item}\n" for item in kept.values())]


def _items(block: Block) -> dict[str, str] | None:
    """The items of a list by name; None if it is not a plain list."""
    if block is None:
        return {}
    value = block[0].partition(":")[2].strip()
    if value and (len(block) > 1 or value[0] != "[" or value[-1] != "]"):
        return None
    if value:
        inner = value[1:-1].strip()
        if any(sign in inner for sign in "[]{}\"'#"):
            return None
        items = [each.strip() for each in inner.split(",")] if inner else []
    else:
        items = [line.strip()[1:].strip() for line in block[1:]]
        if any(not line.lstrip().startswith("- ") for line in block[1:]):
            return None
    return {_name(item): item for item in items}


def _name(item: str) -> str:
    """The name of an item: the target of a link, else the item itself."""
    plain = item.strip("\"'")
    return plain[2:].partition("]]")[0].partition("|")[0].strip() if plain.startswith("[[") else plain


def sides(text: str) -> tuple[str, str, str] | None:
    """The base and both sides of a text with git's marks; None if it has none.

    If the marks have no base (`merge.conflictStyle`), it is the text around them.
    """
    base: list[str] = []
    ours: list[str] = []
    theirs: list[str] = []
    state = ""
    marks = 0
    for line in split(text):
        bare = line.rstrip("\r\n")
        if not state and (bare == "<" * 7 or bare.startswith("<" * 7 + " ")):
            state = "ours"
            marks += 1
        elif state == "ours" and (bare == "|" * 7 or bare.startswith("|" * 7 + " ")):
            state = "base"
        elif state in ("ours", "base") and bare == "=" * 7:
            state = "theirs"
        elif state == "theirs" and (bare == ">" * 7 or bare.startswith(">" * 7 + " ")):
            state = ""
        else:
            for name, side in (("base", base), ("ours", ours), ("theirs", theirs)):
                if state in ("", name):
                    side.append(line)
    return ("".join(base), "".join(ours), "".join(theirs)) if marks and not state else None


def is_marked(text: str) -> bool:
    """Whether a text has both sides of a conflict."""
    return OURS[:7] in text and MIDDLE in text.replace("\r", "") and THEIRS[:7] in text and sides(text) is not None
