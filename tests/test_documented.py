"""Every command shown in README and docs runs as shown (SPEC U-1).

A page's commands are run in order, in a copy of the sample vault. Above a block that installs something, starts a
server or needs a network stands `<!-- parsed only: why -->`: its commands must exist, with these options. `[…]` around
an option says that it can be left out, and `ID`, `mem_…` and other words in capitals stand for what a reader has.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from conftest import SAMPLE, Command
from helpers import at, at_a_terminal, no_longer_than

from vault_mem import Vault
from vault_mem.cli import tree
from vault_mem.cli.console import Console
from vault_mem.cli.main import cli as program
from vault_mem.index.state import SCHEMA_VERSION

PROJECT = SAMPLE.parent
PAGES = [PROJECT / "README.md", PROJECT / "README.ja.md", SAMPLE / "README.md"]
PAGES += [page for page in sorted((PROJECT / "docs").glob("*.md")) if page.name not in ("cli.md", "requirements.md")]
MARK = re.compile(r"<!-- parsed only: (.+) -->")
# What a reader types beside our command; none of it is ours to test.
OTHERS = {"cat", "echo", "git", "gpg", "make", "mkdir", "npm", "pip", "pipx", "python", "rm", "tar", "uv"}
# What the pages' placeholders stand for here; a title names a memory as well as an id does.
FACT, TASK = "The lift is out of order", "Call Onishi about the rafts"
STAND_INS = {"ID": FACT, "mem_…": FACT, "mem_651b9d294720": FACT, "DATE": "2026-11-15", "TEXT": "because"}
STAND_INS |= {"SOURCE": "~/notes", "OUT": "~/out.jsonl", "DIR": "~/me"}
# Said twice, these are proposals to review.
TWICE = ["The kettle leaks.", "The bakery opens at seven."]


@dataclass
class Line:
    text: str
    number: int
    parsed_only: bool


def shown(page: Path) -> Iterator[Line]:
    """The lines of a page's blocks that are commands."""
    lines = page.read_text(encoding="utf-8").splitlines()
    fenced = marked = False
    dollar = False
    for number, line in enumerate(lines, start=1):
        if line.startswith("```"):
            fenced = not fenced
            dollar = False
            continue
        if MARK.fullmatch(line.strip()):
            marked = True
        indented = line.startswith("    ")
        if not fenced and not indented:
            marked = marked and (not line.strip() or MARK.fullmatch(line.strip()) is not None)
            dollar = dollar and not line.strip()
            continue
        text = line.strip()
        dollar = dollar or text.startswith("$ ")
        if text.startswith("$ ") or (
            not dollar and re.match(r"(?:[\w ]+\| ?)?vault-mem |cd |echo .*\| vault-mem", text)
        ):
            yield Line(text.removeprefix("$ "), number, marked)


def commands(line: str) -> list[list[list[str]]]:
    """A line as a shell reads it: what follows on one another, each a pipe of commands."""
    line = re.sub(r"\[(-[^\[\]]*?)(?: \| [^\[\]]*)?\]|\[filters\]| [<>] \S+", "", line)
    reader = shlex.shlex(line, posix=True, punctuation_chars="|&")
    reader.whitespace_split = True
    steps: list[list[list[str]]] = [[[]]]
    for word in reader:
        if word == "&&":
            steps.append([[]])
        elif word == "|":
            steps[-1].append([])
        else:
            of_task = steps[-1][-1][1:2] == ["done"] and word == "mem_…"
            steps[-1][-1].append(TASK if of_task else STAND_INS.get(word, word))
    return steps


def parse(arguments: list[str]) -> None:
    """See that there is such a command, with such options and arguments."""
    console = Console(Path(), {}, io.BytesIO(), io.StringIO(), io.StringIO())
    context = program.make_context("vault-mem", list(arguments), obj=console)
    command: click.Command = program
    while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, found.make_context(name, rest, parent=context)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A reader's home folder as it is to begin with, in `home.first`; the index is made once."""
    folder = tmp_path_factory.mktemp("reader")
    env = {"HOME": str(folder / "home"), "PATH": "", "VAULT_MEM_INDEX_DIR": str(folder / "index")}
    env |= {"VAULT_MEM_DAEMON": "off", "VAULT_MEM_NOW": "2026-11-17T09:00:00+09:00", "VAULT_MEM_DEBUG": "raise"}
    home = folder / "home"
    shutil.copytree(SAMPLE, home / "sample_vault")
    for name in ("notes", "backups", "projects/app"):
        (home / name).mkdir(parents=True)
    (home / "notes" / "Ferry.md").write_text("The ferry to Oki leaves at nine.\n", encoding="utf-8")
    Vault.init(home / "me", env=env)
    reader = Command(home / "sample_vault", env)
    reader.run("remember", f"{FACT}.", "--kind", "fact")
    reader.run("remember", f"{TASK}.", "--kind", "task")
    printer = reader.json("remember", "The printer is on the second floor.", "--kind", "fact")["memory"]["id"]
    for text in (*TWICE, *TWICE):
        reader.run("remember", text, "--kind", "fact", "--force")
    for minute, text in enumerate((TWICE[1], f"{FACT}.", TWICE[0])):  # refused, the last one last
        later = at(f"2026-11-17T09:0{minute}:00")
        assert reader.run("remember", text, "--kind", "fact", env=later).code == 3
    reader.run("consolidate", "--all")
    plan = {"state_updates": [{"op": "close", "state_id": printer, "reason": "it is gone"}]}
    (reader.cwd / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    shutil.copytree(home, folder / "home.first")
    return Command(home, env)


def begin(world: Command) -> Command:
    """Everything as a reader has it who starts with a page."""
    home = Path(world.env["HOME"])
    shutil.rmtree(home)
    shutil.copytree(home.with_name("home.first"), home)
    return Command(home, world.env)


def obey(reader: Command, line: Line) -> list[str]:
    """Do what a line says; returns what went wrong."""
    for pipe in commands(line.text):
        *before, words = [[re.sub("^~", reader.env["HOME"], word) for word in each] for each in pipe]
        if words[0] == "cd":
            reader.cwd = (reader.cwd / words[1]).resolve()
            continue
        if words[0] in OTHERS:
            continue
        assert words[0] == "vault-mem", line.text
        try:
            parse(words[1:])
        except click.exceptions.ClickException as error:
            return [error.format_message()]
        if line.parsed_only:
            continue
        stdin = " ".join(before[0][1:]) if before else "A text from a pipe."
        answer = at_a_terminal(reader, *words[1:], typed="y\n") if not before else reader.run(*words[1:], stdin=stdin)
        expected = (0, 1) if "doctor" in words else (0, 3)  # it found something; a repetition
        if answer.code not in expected:
            return [f"exit {answer.code}: {answer.err}"]
    return []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_every_command_shown_runs(world: Command, page: Path):
    lines = list(shown(page))
    if not any("vault-mem" in line.text for line in lines):
        pytest.skip("it shows no command")
    reader = begin(world)
    reader.cwd /= "" if page.parent == PROJECT else "sample_vault"
    with no_longer_than(120):  # a server that is not marked as one would never end
        wrong = [f"{page.name}:{line.number}: {line.text}\n  {each}" for line in lines for each in obey(reader, line)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["README.md", "README.ja.md"])
def test_what_a_newcomer_asks_is_answered(world: Command, name: str):
    reader = begin(world)
    asked, unanswered = 0, []
    for line in shown(PROJECT / name):
        obey(reader, line)
        for [words] in (pipe for pipe in commands(line.text) if len(pipe) == 1):
            if words[:2] == ["vault-mem", "recall"] and not line.parsed_only:
                asked += 1
                unanswered += [] if reader.json(*words[1:])["answered"] else [line.text]
    assert asked > 1 and not unanswered


def test_every_example_of_a_help_page_parses():
    def below(node: dict) -> Iterator[str]:
        yield from node["examples"]
        for each in node.get("commands", ()):
            yield from below(each)

    wrong = []
    for example in (each for command in tree.tree()["commands"] for each in below(command)):
        for pipe in commands(example):
            for words in pipe:
                try:
                    if words and words[0] == "vault-mem":
                        parse(words[1:])
                except click.exceptions.ClickException as error:
                    wrong.append(f"{example}: {error.format_message()}")
    assert not wrong, "\n".join(wrong)


def test_pages_say_the_version_of_the_index():
    assert f"| {SCHEMA_VERSION} |" in (PROJECT / "docs/upgrading.md").read_text(encoding="utf-8")


def test_the_first_hour(tmp_path: Path, env: dict[str, str]):
    """What a stranger types, in order; each step finds the next one on the screen."""
    reader = Command(tmp_path, env)
    lost = reader.run("recall", "tea")
    assert lost.code == 1 and "vault-mem init" in lost.err and "config set --user vault" in lost.err
    assert "Save and find:" in reader.run().out
    typo = reader.run("rember", "x")
    assert typo.code == 2 and "remember" in typo.err
    made = reader.run("init", "notes").out
    assert 'remember "..."' in made
    reader.cwd = tmp_path / "notes"
    assert reader.run("recall", "tea").out == "No related memories.\n"
    first = reader.run("remember", "Haruka prefers tea after three.", "--kind", "fact", "--person", "Haruka").out
    assert first.startswith("Saved") and "---" not in first  # no link was made: no question about connections
    again = reader.run("remember", "After three, Haruka prefers tea.")
    assert again.code == 3 and "--last-blocked --force" in again.err
    assert "tea after three" in reader.run("recall", "Does Haruka prefer coffee or tea?").out
    assert "tea after three" in reader.run("recall", "春香は何を飲む？").out
    changed = reader.run("remember", "Haruka prefers coffee after three.", "--kind", "fact")
    assert changed.code == 0 and "tea → coffee" in changed.out and "--supersedes" in changed.out
    assert reader.run("close", "Haruka prefers tea after three").code == 0
    assert "tea" not in reader.run("recall", "Does Haruka prefer coffee or tea?").out
    assert reader.run("people", "--closed").out.endswith("Haruka\n")
    assert "Haruka prefers coffee" in reader.run("history").out
    undone = reader.run("undo").out
    assert undone.startswith("Undone: close") and "Haruka prefers tea" in undone
    assert reader.run("private", "Haruka prefers tea after three").code == 0
    assert reader.run("backup", str(tmp_path / "b.tar.gz")).code == 0
    assert reader.run("doctor").out.startswith("All well")
