"""A program has a file open and goes on writing after our command has moved, replaced or removed it.

    python -m tests.campaigns.late --all
    python -m tests.campaigns.late --only 'forget, append'

It appends a line, saves in two halves with the command in between, or overwrites the text with words in its middle, and
closes the file, sometimes after a second command. After the next one its words must be where a person sees them (in the
trashed copy after `forget`, within `private/` after `private`), the command's own change must still stand, no memory
may be in two files, and a command must have said what happened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .operations import answered
from .stage import Answer, Stage, forked, ids, parser_of, staged, summed_up, tree

WORDS = "zqlate words of an editor"


@dataclass(frozen=True)
class Case:
    """A command, the file that an editor has open meanwhile, how it writes, and how to check the command's change."""

    name: str
    words: tuple[str, ...]
    file: Callable[[Stage], Path]
    stands: Callable[[Stage], bool]
    style: str = "append"
    stdin: str = ""
    then: tuple[str, ...] = ()


def note(name: str) -> Callable[[Stage], Path]:
    """The file of a memory before the command."""
    return lambda stage: _of(stage, stage.names[name])


def _of(stage: Stage, id_: str) -> Path:
    return stage.vault / next(key for key in ids(tree(stage))[id_] if not key.startswith(".vault-mem"))


def _notes(stage: Stage, name: str) -> list[str]:
    return [key for key in ids(tree(stage)).get(stage.names[name], []) if not key.startswith(".vault-mem")]


def _says(stage: Stage, name: str, text: str) -> bool:
    return any(text.encode() in (stage.vault / key).read_bytes() for key in _notes(stage, name))


_PLAIN = [
    ("rename", ("rename", "{dues}", "Fees"), note("dues"), lambda stage: "fees" in _notes(stage, "dues")[0].lower()),
    ("private", ("private", "{lamps}"), note("lamps"), lambda stage: _notes(stage, "lamps")[0].startswith("private/")),
    ("publish", ("publish", "{turned}"), note("turned"), lambda stage: "memories/" in _notes(stage, "turned")[0]),
    ("forget", ("forget", "{chain}"), note("chain"), lambda stage: not _notes(stage, "chain")),
    ("merge, the removed", ("merge", "{lamps}", "{lamps2}"), note("lamps2"), lambda stage: not _notes(stage, "lamps2")),
    ("undo", answered("undo"), note("soup"), lambda stage: not _says(stage, "soup", "kitchen")),
    ("tag", ("tag", "{chain}", "+bell"), note("chain"), lambda stage: _says(stage, "chain", "bell")),
    (
        "a view",
        ("remember", "The dock was dredged", "--importance", "5"),
        lambda stage: stage.vault / "MEMORY.md",
        lambda stage: b"The dock was dredged" in (stage.vault / "MEMORY.md").read_bytes(),
    ),
]
_SECOND = {
    "rename": ("private", "{dues}"),
    "private": ("publish", "{lamps}"),
    "publish": ("tag", "{turned}", "+second"),
    "forget": ("restore", "{chain}"),
    "merge, the removed": answered("undo"),
    "tag": ("rename", "{chain}", "Chains"),
}
# Smaller changes: a line of front matter, a link to a renamed note.
_LESS = [
    ("edit", ("edit", "{dues}", "--set", "importance=5"), "dues", lambda stage: _says(stage, "dues", "importance: 5")),
    ("link", ("link", "{chain}", "{task}"), "chain", lambda stage: _says(stage, "chain", "call-the-chandler")),
    ("unlink", ("unlink", "{dues}", "{lamps}"), "dues", lambda stage: not _says(stage, "dues", "forty-lamps")),
    ("close", ("close", "{lamps}"), "lamps", lambda stage: _says(stage, "lamps", "valid_to")),
    ("merge, the kept", ("merge", "{lamps}", "{lamps2}"), "lamps", lambda stage: not _notes(stage, "lamps2")),
    ("rename, who names it", ("rename", "{dues}", "Fees"), "soup", lambda stage: _says(stage, "soup", "[[fees-")),
    ("forget, who names it", ("forget", "{dues}"), "soup", lambda stage: not _says(stage, "soup", "[[")),
    ("private --scrub", ("private", "{dues}", "--scrub"), "soup", lambda stage: not _says(stage, "soup", "[[the-harb")),
    ("episode add", ("episode", "add", "{story}", "{lamps}"), "story", lambda stage: _says(stage, "story", "forty-l")),
]
_VIEWS = [
    (file, ("remember", "The dock was dredged", "--importance", "5", "--category", "introspection"))
    for file in ("memory/{today}.md", "memory/inner-monologue-latest.md")
] + [("SELF.md", ("update-self", "--set", "name=Quay")), ("REVIEW.md", ("review", "accept", "1"))]


def view(key: str) -> Callable[[Stage], Path]:
    """A file of the vault; {today} stands for the latest daily log."""
    return lambda stage: stage.vault / key.replace("{today}", max(_days(stage), default="none"))


def _days(stage: Stage) -> list[str]:
    return [path.stem for path in (stage.vault / "memory").glob("2*.md")]


def _update(style: str) -> Case:
    words = ("remember", "-", "--update", "{lamps}")
    text = "Fifty lamps are on the quay"
    return Case(f"update, {style}", words, note("lamps"), lambda stage: _says(stage, "lamps", "Fifty"), style, text)


CASES = [
    *(
        Case(f"{name}, {style}", words, file, stands, style)
        for name, words, file, stands in _PLAIN
        for style in ("append", "in two halves")
    ),
    _update("append"),
]
MORE = [
    *(Case(f"{name}, rewritten", words, file, stands, "rewritten") for name, words, file, stands in _PLAIN),
    *(
        Case(f"{name}, append after a second command", words, file, lambda stage: True, then=_SECOND[name])
        for name, words, file, _ in _PLAIN
        if name in _SECOND
    ),
    *(
        Case(f"{name}, {style}", words, note(file), stands, style)
        for name, words, file, stands in _LESS
        for style in ("append", "rewritten")
    ),
    *(
        Case(f"{key} and {words[0]}, {style}", words, view(key), lambda stage: True, style)
        for key, words in _VIEWS
        for style in ("append", "rewritten")
    ),
    _update("rewritten"),
]


def run_case(stage: Stage, case: Case) -> list[str]:
    stage.restore()
    path = case.file(stage)
    whole = path.read_bytes()
    with path.open("r+b", buffering=0) as editor:
        if case.style == "in two halves":
            editor.truncate(0)
            editor.write(whole)  # the first half of a save is the old text; the new words follow
        answer = forked(lambda: stage.command(*case.words, stdin=case.stdin, seed=99))
        if case.then:
            forked(lambda: stage.command(*case.then, seed=98))
        words = f"\n{WORDS}\n".encode()
        if case.style == "rewritten":
            editor.seek(0)
            editor.truncate()
            *most, last = whole.splitlines(keepends=True)
            editor.write(b"".join([*most, words, last]))
        else:
            editor.seek(0, 2)
            editor.write(words)
    following = forked(lambda: [stage.command("status", seed=1), stage.command("doctor", seed=2)])
    if answer.ended or isinstance(following, Answer):
        return [f"hung or crashed: {answer.ended} {following}"]
    if answer.code not in (0, 5):
        return [f"the command fails: {answer.said.strip()[:100]}"]
    return _problems(stage, case, answer, following)


def _problems(stage: Stage, case: Case, answer: Answer, following: list[Answer]) -> list[str]:
    found = []
    places = [
        str(path.relative_to(stage.vault))
        for path in stage.vault.rglob("*")
        if path.is_file() and WORDS.encode() in path.read_bytes()
    ]
    seen = [key for key in places if not key.startswith(".vault-mem/") or key.startswith(".vault-mem/trash/")]
    if not seen:
        found.append(f"the words are hidden in {places[0]}" if places else "the words are lost")
    if case.words == ("private", "{lamps}") and not case.then and any(not key.startswith("private/") for key in seen):
        found.append(f"the words came out of private/: {seen}")
    if answer.code == 0 and not _stands(stage, case):
        found.append("what the command said it did is reverted")
    if any(len(keys) > 1 for keys in ids(tree(stage)).values()):
        found.append("a memory is in two files")
    told = "".join(each.said for each in (answer, *following))
    if seen and case.name.split(",")[0] != "tag" and not any(word in told for word in TELLING):
        found.append("nobody said so")
    return found


TELLING = ("late", "edit made", "conflict", "still open", "written after", "kept")


def _stands(stage: Stage, case: Case) -> bool:
    try:
        return case.stands(stage)
    except (IndexError, OSError):
        return False


def prepare(stage: Stage) -> None:
    """On this stage the clock runs, and files are quiet at once."""
    stage.settings = {"VAULT_MEM_NOW": ""}
    with (stage.vault / "vault-mem.toml").open("a") as file:
        file.write("\nquiet_seconds = 0\n")
    for word in ("status", "status"):
        forked(lambda word=word: stage.command(word))
    stage.save()


def main() -> int:
    parser = parser_of("late", __doc__)
    parser.add_argument("--all", action="store_true", help="all cases, and not only the seventeen chief ones")
    parser.add_argument("--only", action="append", help="only this case (repeatable)")
    options = parser.parse_args()
    failures: dict[str, list[str]] = {}
    cases = [*CASES, *MORE] if options.all or options.only else CASES
    cases = [case for case in cases if not options.only or case.name in options.only]
    with staged("late") as stage:
        prepare(stage)
        for case in cases:
            problems = run_case(stage, case)
            if problems:
                failures[case.name] = problems
            print(f"{case.name}: {'; '.join(problems) or 'well'}", flush=True)
    return summed_up(options, len(cases), "cases", failures)


if __name__ == "__main__":
    sys.exit(main())
