"""Command lines made from `help --json --all`, tool calls made from their schemas, and notes cut up and sewn together.

    python -m tests.campaigns.fuzz lines --seed 1 --cases 500
    python -m tests.campaigns.fuzz tools --cases 200
    python -m tests.campaigns.fuzz notes --cases 200

Nothing may hang, crash or fail in an unforeseen way; JSON is one document; no control character is printed raw; no
memory is in two files; and a note that is only read keeps its bytes.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .stage import UNEXPECTED, Answer, Stage, forked, ids, parser_of, staged, summed_up, tree

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CODES = {0, 1, 2, 3, 4, 5, 6}
# Commands that serve for ever, wait for a person, or start processes of their own.
LEFT_OUT = ("mcp", "daemon run", "daemon start", "daemon restart", "daemon install", "daemon uninstall", "eval")
TEXTS = [
    *(
        "",
        " ",
        "harbour",
        "港の灯",
        "ﾊｰﾊﾞｰ",
        "The harbour dues rise in spring",
        "-",
        "--",
        "-1",
        "0",
        "3",
        "5",
        "-0",
        "0.05",
    ),
    *(
        "1e999",
        "nan",
        "inf",
        "1" * 30,
        "2026-11-16",
        "2026-13-45",
        "9999-12-31T23:59:59+14:00",
        "0001-01-01",
        "yesterday",
    ),
    *(
        "true",
        "null",
        "[]",
        "{}",
        "\\",
        "a" * 5000,
        "\x1b]52;c;eA==\x07",
        "\u202eesrever",
        "null\x01",
        "\ufeff",
        "\u2028",
    ),
    *("e\u0301", "😀", "👩\u200d👩\u200d👧", "[[harbour]]", "[[", "---", "---\nid: x\n---\n", "\n", "a\nb", "\t"),
    *("#tag", "+tag", "-tag", "a=b", "=", "a/b", "con.md", "%s %n {x}", "$(touch x)", "`x`", "'", '"', "jsonl"),
    *(
        "mem_000000000000",
        "mem_",
        "ep_000000000000",
        "000001",
        "999999-20261116T000000",
        "tag:harbour",
        "month:2026-11",
    ),
    *("quiet_seconds", "timezone", "Asia/Tokyo"),
]
PLACES = ["{out}/plan.json", "{out}/import.jsonl", "{out}/new", "{out}/no/such/place", "{out}", "{vault}/memories"]


class Problem(Exception):
    """A case that went wrong, and how."""


# ---- command lines


def commands() -> list[dict[str, Any]]:
    """Every command that can be called, as `help --json --all` tells it."""
    from vault_mem.cli.console import Console
    from vault_mem.cli.main import run

    out = io.StringIO()
    run(["help", "--json", "--all"], Console(Path.cwd(), os.environ, io.BytesIO(), out, sys.stderr))

    def below(command: dict[str, Any]) -> Iterator[dict[str, Any]]:
        words = command["name"].split()[1:]
        if words and " ".join(words) not in LEFT_OUT:
            yield command | {"words": words}
        for each in command.get("commands", ()):
            yield from below(each)

    return list(below(json.loads(out.getvalue())))


def value(rng: random.Random, stage: Stage, what: dict[str, Any]) -> str:
    """A value for an option or argument: mostly of the right kind, sometimes anything."""
    wild = rng.random() < 0.25
    if what.get("choices") and not wild:
        return str(rng.choice(what["choices"]))
    if what["type"] == "integer" and not wild:
        return str(rng.choice([-1, 0, 1, 2, 3, 5, 10, 200, 10**9, 10**30]))
    if what["type"] == "float" and not wild:
        return str(rng.choice([-1.0, 0, 0.05, 0.3, 0.5, 1, 2, "nan", "inf", "1e-320"]))
    kind = rng.random()
    if kind < 0.45:
        id_ = rng.choice(list(stage.names.values()))
        return id_ if rng.random() < 0.8 else id_[: rng.randint(3, 12)]
    return stage.fill((rng.choice(PLACES),))[0] if kind < 0.6 else rng.choice(TEXTS)


def path_value(rng: random.Random, stage: Stage) -> str:
    """A path that stays within the stage."""
    return stage.fill((rng.choice(PLACES),))[0]


def line(rng: random.Random, stage: Stage, command: dict[str, Any]) -> list[str]:
    """One command line: some of the options, most of the arguments, in any order."""
    words = []
    writes = command["words"][0] in ("export", "backup", "init", "setup", "import")
    for option in rng.sample(command["options"], min(len(command["options"]), rng.choice([0, 0, 1, 1, 2, 3, 6]))):
        name = rng.choice(option["names"])
        if name in ("-h", "--help", "--follow", "--user") or (writes and option["type"] == "text"):
            continue
        if name == "--vault":
            words += [name, path_value(rng, stage) if rng.random() < 0.3 else str(stage.vault)]
        elif option["flag"] or name in ("-v", "--verbose"):
            words.append(name)
        else:
            words += [name] + [value(rng, stage, option) for _ in range(2 if name == "--resolve" else 1)]
    for argument in command["arguments"]:
        for _ in range(rng.choice([1, 1, 1, 0, 2]) if not argument.get("multiple") else rng.randint(0, 3)):
            words.append(path_value(rng, stage) if writes else value(rng, stage, argument))
    if rng.random() < 0.4 and "--json" not in words:
        words.append("--json")
    if rng.random() < 0.05:
        words.append(rng.choice(["--no-such-option", "--", "-x", "--json=1"]))
    return [*command["words"], *words]


def check_line(stage: Stage, words: list[str], answer: Answer) -> None:
    if answer.code not in CODES:
        raise Problem(f"exit code {answer.code}")
    if unexpected := UNEXPECTED.search(answer.said):
        raise Problem(unexpected.group())
    found = RAW.search(answer.said)
    if found:
        raise Problem(f"said a control character raw: {found.group()!r}")
    before_dashes = words[: words.index("--")] if "--" in words else words
    silent = "--hook" in words or "capture" in before_dashes  # hooks print nothing about errors into an agent's session
    if "--json" in before_dashes and not silent and answer.code != 2:
        try:
            json.loads(answer.out)
        except ValueError as error:
            raise Problem(f"--json is no document: {answer.out[:60]!r} {answer.err[:60]!r}") from error


def check_vault(stage: Stage) -> None:
    doubled = [id_ for id_, keys in ids(tree(stage)).items() if len(keys) > 1]
    if doubled:
        raise Problem("a memory is in two files")


def run_lines(stage: Stage, rng: random.Random, count: int, fail: Callable[[str, str], None]) -> int:
    """Run command lines in rows of ten, each row on a restored vault."""
    known = commands()
    done = 0
    while done < count:
        lines = [line(rng, stage, rng.choice(known)) for _ in range(min(10, count - done))]
        stdin = rng.choice(TEXTS)
        stage.restore()
        result = forked(lambda lines=lines, stdin=stdin: _row(stage, lines, stdin), 300)
        if isinstance(result, Answer):  # run them one by one to see which it was
            for each in lines:
                alone = forked(lambda each=each, stdin=stdin: _row(stage, [each], stdin), 120)
                if isinstance(alone, Answer):
                    fail(f"{each[0]}: {alone.ended}", _spelled(each) + alone.err[-400:])
            fail(f"a row of lines {result.ended}", " ; ".join(map(_spelled, lines)) + result.err[-400:])
        else:
            for problem, words in result:
                fail(f"{words[0]}: {problem}", _spelled(words))
        done += len(lines)
    return done


def _row(stage: Stage, lines: list[list[str]], stdin: str) -> list[tuple[str, list[str]]]:
    os.chdir(stage.out)  # relative paths lead here
    stage.settings = {"EDITOR": "true", "HF_HUB_OFFLINE": "1"}
    os.environ["HF_HUB_OFFLINE"] = "1"
    found = []
    for number, words in enumerate(lines):
        answer = stage.command(*words, stdin=stdin, seed=number)
        try:
            check_line(stage, words, answer)
            check_vault(stage)
        except Problem as problem:
            found.append((str(problem), words))
    return found


def _spelled(words: list[str]) -> str:
    return " ".join(shlex.quote(each if len(each) < 200 else each[:40] + "…") for each in words)


# ---- tool calls


def argument(rng: random.Random, stage: Stage, schema: dict[str, Any]) -> Any:
    """A value by its schema; now and then of another type."""
    if rng.random() < 0.08:
        return rng.choice([None, True, 0, -1, 1.5, "", [], {}, [[]], {"a": {"b": []}}, "x" * 3000, float("1e308")])
    kind = schema.get("type")
    if schema.get("enum") and rng.random() < 0.8:
        return rng.choice(schema["enum"])
    if kind == "array":
        return [argument(rng, stage, schema.get("items", {"type": "string"})) for _ in range(rng.randint(0, 3))]
    if kind == "object":
        extra = schema.get("additionalProperties") or {"type": "string"}
        inner = schema.get("properties") or {rng.choice(TEXTS): extra}
        return {name: argument(rng, stage, each) for name, each in inner.items() if isinstance(each, dict)}
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("integer", "number"):
        return rng.choice([schema.get("minimum", 0), schema.get("maximum", 7), 1, 2, 5, -1, 10**6])
    return rng.choice([*stage.names.values(), *TEXTS])


async def _call_tools(stage: Stage, rng: random.Random, count: int, fail: Callable[[str, str], None]) -> int:
    from mcp import Client, StdioServerParameters, stdio_client

    env = {**stage.env, "HF_HUB_OFFLINE": "1"}
    start = StdioServerParameters(
        command=sys.executable, args=["-m", "vault_mem", "mcp"], env=env, cwd=str(stage.vault)
    )
    done = 0
    while done < count:
        stage.restore()
        async with Client(stdio_client(start)) as client:
            tools = (await client.list_tools()).tools
            for _ in range(min(100, count - done)):
                tool = rng.choice(tools)
                schema = tool.input_schema
                given = {
                    name: argument(rng, stage, each)
                    for name, each in schema["properties"].items()
                    if name in schema.get("required", ()) or rng.random() < 0.25
                }
                again = f"{tool.name} {json.dumps(given, ensure_ascii=False)[:300]}"
                try:
                    result = await asyncio.wait_for(client.call_tool(tool.name, given), 90)
                except Exception as error:
                    fail(f"{tool.name}: {type(error).__name__} {str(error)[:100]}", again)
                    break  # go on with a new server
                told = json.dumps(result.structured_content, default=str) + "".join(
                    each.text for each in result.content if hasattr(each, "text")
                )
                if unexpected := UNEXPECTED.search(told):
                    fail(f"{tool.name}: {unexpected.group()}", again)
                if RAW.search(told) or any(RAW.search(text) for text in _texts(result.structured_content)):
                    fail(f"{tool.name}: said a control character raw", again)
                done += 1
        doubled = [id_ for id_, keys in ids(tree(stage)).items() if len(keys) > 1]
        if doubled:
            fail("a memory is in two files", "after a row of calls")
    return done


def _texts(given: Any) -> list[str]:
    if isinstance(given, dict):
        return [text for pair in given.items() for each in pair for text in _texts(each)]
    if isinstance(given, list):
        return [text for each in given for text in _texts(each)]
    return [given] if isinstance(given, str) else []


def run_tools(stage: Stage, rng: random.Random, count: int, fail: Callable[[str, str], None]) -> int:
    return asyncio.run(_call_tools(stage, rng, count, fail))


# ---- notes


def mutated(rng: random.Random, notes: list[bytes]) -> bytes:
    """Two hostile notes cut and sewn together, with some bytes changed."""
    one, other = (rng.choice(notes)[:20_000] for _ in range(2))
    at, to = rng.randint(0, len(one)), rng.randint(0, len(other))
    data = bytearray(one[:at] + other[to:] if rng.random() < 0.7 else one)
    for _ in range(rng.choice([0, 0, 1, 3, 20])):
        if data:
            data[rng.randrange(len(data))] = rng.choice(b"\x00\t\n\r \"#'-:[]{}|>*&!%@`\xc3\xff\x1b")
    return bytes(data)


def run_notes(stage: Stage, rng: random.Random, count: int, fail: Callable[[str, str], None]) -> int:
    """Put in twenty notes at a time; commands that only read must leave them as they are."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from hostile import hostile_notes

    notes = [each.data for each in hostile_notes() if len(each.data) < 100_000]
    done = 0
    while done < count:
        stage.restore()
        given = {}
        for number in range(20):
            key = f"{rng.choice(['memories', 'private', 'episodes'])}/fuzzed {number}.md"
            given[key] = mutated(rng, notes)
            (stage.vault / key).write_bytes(given[key])  # just written, so unasked work leaves it alone
        kept = {key: _seen(stage.vault / key) for key in given}
        result = forked(lambda: _read_all(stage), 300)
        if isinstance(result, Answer):
            fail(f"notes: {result.ended}", result.err[-600:])
            _keep(given, result.ended)
        else:
            for problem, words in result:
                fail(f"notes: {problem}", f"{_spelled(words)} (notes in {_keep(given, problem)})")
        for key, before in kept.items():
            if _seen(stage.vault / key) != before:
                fail("notes: a note that was only read has changed", _keep({key: given[key]}, "changed"))
        done += len(given)
    return done


def _seen(path: Path) -> tuple[bytes, int]:
    return path.read_bytes(), path.stat().st_mtime_ns


def _keep(given: dict[str, bytes], why: str) -> str:
    """Save the notes of a failed row, for whoever looks into it."""
    folder = Path(tempfile.mkdtemp(prefix="vault-mem-fuzzed-"))
    for key, data in given.items():
        (folder / key.replace("/", " ")).write_bytes(data)
    return str(folder)


def _read_all(stage: Stage) -> list[tuple[str, list[str]]]:
    stage.settings = {"VAULT_MEM_NOW": ""}  # the real time: what was just written is not quiet yet
    found = []
    asked: list[list[str]] = [["status"], ["list", "--all", "--closed", "--json"], ["recall", "harbour link text"]]
    asked += [["doctor"], ["graph"], ["wake-up"], ["introspect"], ["tidy", "candidates"], ["tidy", "--dry-run"]]
    asked += [["search", "heading"], ["stats"], ["emotion-trend"], ["episode", "list"]]
    for words in asked:
        answer = stage.command(*words, seed=5)
        try:
            check_line(stage, words, answer)
        except Problem as problem:
            found.append((str(problem), words))
    return found


CAMPAIGNS = {"lines": run_lines, "tools": run_tools, "notes": run_notes}


def main() -> int:
    parser = parser_of("fuzz", __doc__, seed=1, cases=200)
    parser.add_argument("what", choices=CAMPAIGNS)
    options = parser.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    failures: dict[str, list[str]] = {}
    started = time.monotonic()
    with staged("fuzz") as stage:
        rng = random.Random(options.seed)
        done = CAMPAIGNS[options.what](
            stage, rng, options.cases, lambda label, again: failures.setdefault(label, []).append(again)
        )
    return summed_up(options, done, f"{options.what} in {time.monotonic() - started:.0f} s", failures)


if __name__ == "__main__":
    sys.exit(main())
