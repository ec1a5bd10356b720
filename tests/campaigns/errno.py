"""Make every disk call of every operation fail once, below Python, and check the vault right then and after a command.

    python -m tests.campaigns.errno --seed 1 --cases 200
    python -m tests.campaigns.errno --only rename --call vault:57:EIO:once

A call on the vault or the index fails once, or from then on (a full disk stays full), or the process is killed instead
of making it. Then, and after the next command: the operation is done completely or not at all, the answer said which,
no memory is in two files, `doctor` reports nothing false, the index lists what the files hold, and `undo` takes back
the operation if it was done, and the one before it if not.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import hashlib
import json
import random
import re
import shutil
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import preload
from .operations import OPERATIONS, Operation, answered
from .preload import CHANGING, CREATE, KILL, LIST, META, NAME, ON, ONCE, OPEN, READ, READING, STAT, SYNC, WRITE, Call
from .stage import OLD, PATIENCE, UNEXPECTED, Answer, Stage, differences, forked, ids, parser_of, staged, tree

SPACE = CREATE | WRITE | NAME | META | SYNC  # calls that need a writable disk with room on it
# What each kind of call can really fail with.
ERRORS = {
    OPEN: ("EIO", "EMFILE"),
    CREATE: ("EIO", "ENOSPC", "EDQUOT", "EMFILE", "EROFS"),
    READ: ("EIO",),
    WRITE: ("EIO", "ENOSPC", "EDQUOT"),
    SYNC: ("EIO", "ENOSPC", "EDQUOT", "EROFS", "ENOTSUP"),
    NAME: ("EIO", "ENOSPC", "EDQUOT", "EROFS", "ENOTSUP"),
    META: ("EIO", "EDQUOT", "EROFS", "ENOTSUP"),
    STAT: ("EIO",),
    LIST: ("EIO", "EMFILE"),
}
# Errors that go on once they have begun, and the calls that they hit.
LASTING = {"ENOSPC": SPACE & ~SYNC, "EDQUOT": SPACE & ~SYNC, "EROFS": SPACE, "EMFILE": OPEN | CREATE | LIST}
VIEW_WARNING = "could not be kept up to date"
UNDO = answered("undo")
ROW = 8  # how many cases are run in one process
LIST_ALL = ("list", "--all", "--closed", "--json")
NEXT = (("status",), ("recall", "harbour"), LIST_ALL)


@dataclass(frozen=True)
class Case:
    """One failure: which call of which operation, how."""

    operation: Operation
    area: str  # "vault" or "index": whose calls are counted
    call: Call
    error: str  # empty for a kill
    how: int

    @property
    def name(self) -> str:
        return f"{self.area}:{self.call.number}:{self.error or 'KILL'}:{('', 'once', 'on', 'kill')[self.how]}"


@dataclass
class Clean:
    """What an operation does when nothing fails, and what `undo` does after it and without it."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    undone_before: dict[str, bytes]
    undone_after: dict[str, bytes]
    findings: list[set[str]]
    code: int
    calls: dict[str, list[Call]]


@dataclass
class Aftermath:
    """What the next commands found."""

    next: Answer
    now: dict[str, bytes]
    doctor: Answer
    listed: list[str]
    unsettled: list[str]
    undo: Answer
    undone: dict[str, bytes]
    left: list[str]


Seen = dict[str, Aftermath]


@dataclass
class Done:
    """A case that was run: whether the call was reached, the answer, and the files at once and after more commands."""

    fired: bool
    answer: Answer
    at_once: dict[str, bytes]
    key: str
    after: Aftermath | Answer


@dataclass
class Report:
    """Counts, and failures grouped by message, call and kind of file."""

    cases: int = 0
    fired: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, case: Case, problems: Iterable[str]) -> None:
        category = _category(case.call.path)
        for problem in problems:
            label = f"{problem} [{case.call.name} {category}]"
            self.failures.setdefault(label, []).append((case.operation.name, case.name))


def clean(stage: Stage, operation: Operation, untouched: dict[str, Aftermath]) -> Clean:
    """The operation with nothing failing; `untouched` keeps what commands find if it is not run at all."""
    _set(stage, operation)
    before = tree(stage)
    kind = operation.name if operation.before is not OPERATIONS[0].before else ""
    if kind not in untouched:
        untouched[kind] = _after(stage, ("status",))  # unasked writes that are due come before `undo`
        _set(stage, operation)
    done = forked(lambda: _listened(stage, operation))
    after = tree(stage)
    later = _after(stage, ("status",))
    if isinstance(done, Answer) or done[0].code not in (0, 3):
        raise RuntimeError(f"{operation.name} fails by itself: {done}")
    answer, calls = done
    findings = [_findings(untouched[kind].doctor), _findings(later.doctor)]
    return Clean(before, after, untouched[kind].undone, later.undone, findings, answer.code, calls)


def _set(stage: Stage, operation: Operation) -> None:
    stage.restore()
    operation.before(stage)


def _listened(stage: Stage, operation: Operation) -> tuple[Answer, dict[str, list[Call]]]:
    """The answer, and the calls of each area, numbered as if only that area were watched."""
    faults = preload.Faults()
    faults.watch(stage.vault, stage.index)
    with faults.listening() as calls:
        answer = stage.command(*operation.words, stdin=operation.stdin, seed=99)
    areas: dict[str, list[Call]] = {"vault": [], "index": []}
    for call in calls:
        area = areas["vault" if Path(call.path).is_relative_to(stage.vault) else "index"]
        area.append(replace(call, number=len(area) + 1))
    return answer, areas


def _after(stage: Stage, words: tuple[str, ...]) -> Aftermath:
    """What the next commands find; raises RuntimeError if they hang or crash."""
    result = forked(lambda: _look(stage, words), 120)
    if not isinstance(result, Aftermath):
        raise RuntimeError(f"{result.ended} {result.err[-300:]}")
    return result


def _look(stage: Stage, words: tuple[str, ...]) -> Aftermath:
    handed_over = any(stage.vault.glob(".vault-mem/inbox/*.in"))
    answer = stage.command(*words, seed=200, to_the_end=handed_over)
    now = tree(stage)
    doctor = stage.command("doctor", "--json", seed=201)
    listed = answer if words == LIST_ALL else stage.command(*LIST_ALL, seed=202)
    unsettled = [path.name for path in (stage.vault / ".vault-mem/journal").glob("*") if _unsettled(path.name)]
    undo = stage.command(*UNDO, seed=203)
    held = [each["id"] for each in listed.json["memories"]] if listed.code == 0 else [f"exit {listed.code}"]
    # what is left in sessions/ and the inbox is cleaned up only by the next command that writes or purges sessions
    left = [path.name for path in stage.vault.rglob("*.tmp") if not {"sessions", "inbox"} & set(path.parts)]
    return Aftermath(answer, now, doctor, held, unsettled, undo, tree(stage), left)


def _unsettled(name: str) -> bool:
    return name.endswith((".pending", ".conflict", ".kept"))


def _findings(doctor: Answer) -> set[str]:
    try:
        return {f"{each['check']}: {each.get('path', '')}" for each in doctor.json["findings"]}
    except (ValueError, KeyError):
        return {f"doctor: exit {doctor.code}"}


def run_case(stage: Stage, known: Clean, case: Case, seen: Seen) -> tuple[bool, str, list[str]]:
    """Whether the call was reached, where the operation stood in the end, and what was wrong."""
    done = forked(lambda: _row(stage, [case], seen)[0], 2 * PATIENCE)
    if isinstance(done, Answer):
        fired, answer, at_once = case.how == KILL and done.ended == "killed by signal 9", done, tree(stage)
        next_, key = _next(stage, case)
        after = seen.get(key) or forked(lambda: _look(stage, next_), 2 * PATIENCE)
        done = Done(fired, answer, at_once, key, after)
    return _judged(known, case, done, seen)


def run_row(stage: Stage, known: Mapping[str, Clean], row: list[Case], seen: Seen) -> list[tuple[bool, str, list[str]]]:
    """The same for several, one after the other in one process; a case that fails there is run again by itself."""
    done = forked(lambda: _row(stage, row, seen), 2 * PATIENCE * len(row)) if len(row) > 1 else Answer(None)
    found = []
    for number, case in enumerate(row):
        clean = known[case.operation.name]
        judged = None if isinstance(done, Answer) else _judged(clean, case, done[number], seen)
        if judged is None or judged[-1]:
            alone = run_case(stage, clean, case, seen)
            if judged and not alone[-1]:
                print(f"only in a row: {case.operation.name} {case.name} {judged[-1]}", flush=True)
            judged = alone
        found.append(judged)
    return found


def _judged(known: Clean, case: Case, done: Done, seen: Seen) -> tuple[bool, str, list[str]]:
    after, answer = done.after, done.answer
    problems = _problems_of_answer(known, case, answer, done.at_once, done.fired)
    if not isinstance(after, Aftermath):
        return done.fired, "?", [*problems, f"the commands after it: {after.ended} {after.err[-300:]}"]
    if done.key:
        seen[done.key] = after
    if VIEW_WARNING in answer.said and _same_but_views(after.now, known.after):
        return done.fired, "after, but for a view", problems  # allowed, since the answer says so (SPEC F-1)
    state = "after" if after.now == known.after else "before" if after.now == known.before else "between"
    if case.operation.hands_over and answer.code == 0 and state != "after":
        problems.append("handed over, and not taken in by the next command")
    return done.fired, state, problems + _problems_after(known, case, after, state)


def _row(stage: Stage, row: list[Case], seen: Seen) -> list[Done]:
    """Cases of one area, in this process."""
    from vault_mem.index import table

    faults = preload.Faults()
    faults.watch(getattr(stage, row[0].area))
    found = []
    for case in row:
        gc.collect()
        table._session.cache_clear()  # LanceDB's cache is of files that are about to be replaced
        _set(stage, case.operation)
        found.append(_failing(stage, faults, case, seen))
    return found


def _failing(stage: Stage, faults: preload.Faults, case: Case, seen: Seen) -> Done:
    """Run the operation and, in the same process as in a daemon, the commands after it.

    These are skipped, and their earlier result is used, if the disk is as it was when they were run before.
    """
    code = getattr(errno, case.error) if case.error else 0
    faults.arm(
        case.call.number, case.how, code, CHANGING | READING, LASTING.get(case.error, 0) if case.how == ON else 0
    )
    answer = stage.command(*case.operation.words, stdin=case.operation.stdin, seed=99)
    fired = faults.fired
    faults.disarm()
    gc.collect()  # closes databases, as the end of a process would
    now = tree(stage)
    next_, key = _next(stage, case)
    after = seen.get(key) or _look(stage, next_)
    if key:
        seen[key] = after
    return Done(fired, answer, now, key, after)


def _next(stage: Stage, case: Case) -> tuple[tuple[str, ...], str]:
    """The next command, which depends only on the operation and what it left on disk, and a key for its result."""
    state = _state(stage) if case.area == "vault" else ""
    next_ = random.Random(f"{case.operation.name} {state or case.name}").choice(NEXT)
    return next_, state and f"{state} {next_}"


def _state(stage: Stage) -> str:
    """What the next commands depend on: every file of the vault, and what an index that did not fail knows."""
    digest = hashlib.blake2b()
    for path in sorted(stage.vault.rglob("*")):
        found = path.lstat()
        about = f"{path.relative_to(stage.vault)} {found.st_mode} {found.st_mtime < OLD + 1}"
        digest.update(about.encode() + (path.read_bytes() if path.is_file() else b""))
    for current in stage.index.glob("*/current"):
        uri = f"file:{current.parent / current.read_text()}/state.db?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as states:
            for table in ("files", "gone", "renames", "unhealed", "meta"):
                rows = states.execute(f"SELECT * FROM {table}").fetchall()
                digest.update(repr(sorted(map(_lasting, rows))).encode())
    return digest.hexdigest()


def _lasting(row: tuple[Any, ...]) -> tuple[str, ...]:
    """A row of the index's states without times, inodes and counts."""
    if row[0] in ("table_version", "commits", "optimized"):
        return (row[0], str(row[1] == "null"))
    return tuple(str(each) for each in row if not (isinstance(each, int) and each > 1000))


def _problems_of_answer(known: Clean, case: Case, answer: Answer, now: dict[str, bytes], fired: bool) -> list[str]:
    if case.how == KILL and fired:
        return []
    if answer.ended:
        return [f"{answer.ended} {answer.err[-300:]}".strip()]
    if unexpected := UNEXPECTED.search(answer.said):
        return [unexpected.group()]
    found = []
    told = (VIEW_WARNING in answer.said and _same_but_views(now, known.after)) or case.operation.hands_over
    if answer.code == known.code and now != known.after and not told and not _says_unsettled(answer):
        found.append("said it was done, and it was not")
    if answer.code != known.code and now != known.before:
        whole = now == known.after
        if not _says_unsettled(answer) and not (whole and "is done, but" in answer.said):
            found.append("said it had failed, and it was done" if whole else "failed and left it in between")
    folder_sync = case.call.name in ("fsync", "fdatasync") and Path(case.call.path).is_dir()
    if case.error == "ENOTSUP" and folder_sync and answer.code != known.code:
        found.append("a folder that cannot be synced is taken for an error")
    return found


def _same_but_views(now: dict[str, bytes], then: dict[str, bytes]) -> bool:
    return all(each[1:].startswith(("MEMORY.md", "memory/")) for each in differences(now, then))


def _says_unsettled(answer: Answer) -> bool:
    """Whether the answer itself says that the next command will finish or take back the operation."""
    return "next command" in answer.said


def _problems_after(known: Clean, case: Case, after: Aftermath, state: str) -> list[str]:
    found = []
    keys_of = ids(after.now)
    doubled = sorted(id_ for id_, keys in keys_of.items() if len(keys) > 1)
    lost = sorted(ids(known.before).keys() & ids(known.after).keys() - keys_of.keys())
    if lost:
        found.append("a memory is in no file")
    if doubled:
        found.append("a memory is in two files")
    if state == "between" and not lost and not doubled:
        nearer = min((differences(after.now, known.before), differences(after.now, known.after)), key=len)
        found.append(f"neither whole nor not there: {' '.join(_generic(each) for each in nearer[:4])}")
    if unexpected := UNEXPECTED.search(after.next.said + after.doctor.said + after.undo.said):
        found.append(f"later: {unexpected.group()}")
    elif after.next.code != 0:
        found.append(f"the next command fails: {after.next.said.strip()[:80]}")
    held = {
        id_ for id_, keys in keys_of.items() if id_.startswith("mem_") and any(".vault-mem" not in key for key in keys)
    }
    if not lost and not doubled and held - {""} != set(after.listed) - _provisional(after):
        found.append("the index lists other memories than the files hold")
    if after.left:
        found.append("a temporary file is left behind")
    if state != "between":
        found += _problems_of_doctor(known, after, state) + _problems_of_undo(known, after, state)
    return found


def _provisional(after: Aftermath) -> set[str]:
    """Ids that are listed but in no file: those of notes that have no id yet."""
    text = b"".join(after.now.values())
    return {id_ for id_ in after.listed if id_.encode() not in text}


def _problems_of_doctor(known: Clean, after: Aftermath, state: str) -> list[str]:
    expected = known.findings[0] | known.findings[1]
    found = [f"doctor finds {each}" for each in sorted(map(_generic, _findings(after.doctor) - expected))[:2]]
    told = [each for each in found if "interrupted" in each]
    if after.unsettled and not told:
        found.append(f"doctor is silent about {_generic(after.unsettled[0])}")
    return [each for each in found if not (after.unsettled and each in told)]


def _problems_of_undo(known: Clean, after: Aftermath, state: str) -> list[str]:
    wanted = known.undone_after if state == "after" else known.undone_before
    if after.undone == wanted:
        return []
    if after.undone in (known.undone_before, known.undone_after):
        return ["undo takes back another operation"]
    if after.undone == after.now:
        return [f"undo does nothing: {_generic(after.undo.said.strip()[:60])}"]
    return [f"undo leaves {' '.join(_generic(each) for each in differences(after.undone, wanted)[:4])}"]


def _generic(text: str) -> str:
    """The text without particular ids and numbers, so that equal failures are grouped."""
    text = re.sub(r"(?:mem|ep)_[0-9a-f]{12}", "ID", text)
    text = re.sub(r"-[0-9a-f]{8}\.md", "-ID.md", text)
    text = re.sub(r"\d{6}-\d{8}T\d{6}", "OP", text)
    text = re.sub(r"\.vault-mem-[0-9a-f]{12}", ".vault-mem-TMP", text)
    return re.sub(r"[0-9a-f]{20,}|(?<=g-)[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f-]{27}", "…", text)


def _category(path: str) -> str:
    parts = Path(path).parts
    for base in ("vault", "index"):
        if base in parts:
            rest = parts[parts.index(base) + 1 :]
            return _generic("/".join(rest) if base == "vault" else f"index …/{rest[-1] if rest else ''}")
    return path


def cases_of(operation: Operation, known: Clean) -> list[Case]:
    """Every call with every error that it can fail with, and a kill instead of each call that changes something."""
    found = []
    for area, calls in known.calls.items():
        for call in calls:
            for error in ERRORS[call.kind]:
                if error == "EMFILE" and call.name.startswith("readdir"):
                    continue  # it opens nothing
                found.append(Case(operation, area, call, error, ONCE))
                if error in LASTING and call.kind & LASTING[error]:
                    found.append(Case(operation, area, call, error, ON))
            if call.kind & CHANGING:
                found.append(Case(operation, area, call, "", KILL))
    return found


def sample(cases: list[Case], count: int, rng: random.Random) -> list[Case]:
    """Some of every kind: same operation, call, file and failure.

    Calls that change the vault count for more than those that only read, or the index's.
    """
    if count <= 0 or count >= len(cases):
        return cases
    weight = {(True, "vault"): 6.0, (True, "index"): 2.0, (False, "vault"): 1.0, (False, "index"): 0.5}
    alike: Counter[tuple[str, ...]] = Counter()
    keyed = []
    for case in rng.sample(cases, len(cases)):
        kind = (case.operation.name, case.call.name, _category(case.call.path), case.error, str(case.how))
        keyed.append(((alike[kind] + rng.random()) / weight[bool(case.call.kind & CHANGING), case.area], case))
        alike[kind] += 1
    return [case for _, case in sorted(keyed, key=lambda pair: pair[0])[:count]]


def campaign(stage: Stage, options: argparse.Namespace) -> Report:
    """All cases that were asked for."""
    rng, report = random.Random(options.seed), Report()
    chosen = [each for each in OPERATIONS if not options.only or each.name in options.only]
    chosen = [each for each in chosen if each.name not in (options.without or ())]
    if 0 < options.operations < len(chosen):
        chosen = rng.sample(chosen, options.operations)
    known: dict[str, Clean] = {}
    untouched: dict[str, Aftermath] = {}
    seen: Seen = {}
    cases: list[Case] = []
    for operation in chosen:
        known[operation.name] = clean(stage, operation, untouched)
        cases += cases_of(operation, known[operation.name])
    total = len(cases)
    named = [case for case in cases if case.name in (options.call or ())]
    cases = named if options.call else sample(cases, options.cases, rng)
    rng.shuffle(cases)
    started = time.monotonic()
    for row in rows_of(cases):
        for case, (fired, state, problems) in zip(row, run_row(stage, known, row, seen), strict=True):
            report.cases += 1
            report.fired += fired
            report.outcomes[state] += 1
            report.add(case, problems)
            if options.verbose and problems:
                print(f"{case.operation.name} {case.name} {case.call.name} {case.call.path}: {problems}", flush=True)
        if report.cases // 100 > (report.cases - len(row)) // 100:
            if options.json:  # if the run is broken off, what it found so far is saved
                options.json.write_text(json.dumps(summary(report), indent=2))
            passed = f"{time.monotonic() - started:.0f} s"
            print(f"{report.cases}/{len(cases)} of {total}, {passed}, {len(report.failures)} kinds", flush=True)
    return report


def rows_of(cases: list[Case]) -> list[list[Case]]:
    """Group cases that can be run in one process: only failing calls on the vault.

    A kill ends its process, and a process that has already opened the index makes different calls on it.
    """
    rows: list[list[Case]] = []
    waiting: list[Case] = []
    for case in cases:
        if case.area == "vault" and case.how != KILL:
            waiting.append(case)
        else:
            rows.append([case])
        if len(waiting) == ROW:
            rows.append(waiting)
            waiting = []
    return [*rows, waiting] if waiting else rows


def summary(report: Report) -> dict[str, Any]:
    failed = sum(len(each) for each in report.failures.values())
    return {
        "cases": report.cases,
        "reached": report.fired,
        "states": dict(report.outcomes),
        "failures": failed,
        "kinds": {label: _described(each) for label, each in sorted(report.failures.items())},
    }


def _described(found: list[tuple[str, str]]) -> dict[str, Any]:
    """How often it happened, in which operations, and how to reproduce the first case."""
    names = sorted({name for name, _ in found})
    return {"count": len(found), "operations": names, "again": f"--only {found[0][0]!r} --call {found[0][1]}"}


def main() -> int:
    parser = parser_of("errno", __doc__, seed=1)
    parser.add_argument("--cases", type=int, default=200, help="how many, 0 for all")
    parser.add_argument("--operations", type=int, default=0, help="only this many operations, chosen by the seed")
    parser.add_argument("--only", action="append", help="only this operation (repeatable)")
    parser.add_argument("--without", action="append", help="not this operation (repeatable)")
    parser.add_argument("--call", action="append", help="only this case, as a summary names it (repeatable)")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if preload.missing():
        print(f"skipped: {preload.missing()}")
        return 77
    preload.ensure("tests.campaigns.errno")
    preload.clean_up()
    with staged("errno") as stage:
        shutil.rmtree(stage.vault / ".git")  # git's own calls do not fail, and doctor would run it each time
        stage.save()
        report = summary(campaign(stage, options))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2))
    print("{cases} cases, {reached} reached, in the end {states}: {failures} failures".format(**report))
    for label, each in report["kinds"].items():
        print(f"  {each['count']:4d} × {label}\n         {', '.join(each['operations'])}\n         {each['again']}")
    return 1 if report["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
