"""One redactor for everything that is logged: private texts are never in it, at any level, in no exception."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory

from vault_mem import Vault, redact
from vault_mem.operations.memory import remember as operation

TOKEN = "qX7vZanzibar"
HEX = "a1b2c3d4e5f6"  # looks like an id, and need not be one
FIELDS = [
    *("--tag", f"{TOKEN}-tag"),
    *("--person", f"{TOKEN}-person"),
    *("--emotion", f"{TOKEN}-emotion"),
    *("--secondary", f"{TOKEN}-second"),
    *("--body-state", f"{TOKEN}-body"),
    *("--source", f"{TOKEN}-source"),
]


@pytest.fixture
def debug(root: Path, env: dict[str, str]) -> Command:
    """The command with debugging on, as a person turns it on."""
    return Command(root, env | {"VAULT_MEM_DEBUG": "1"})


def test_a_private_remember_logs_what_may_be_known(cli: Command) -> None:
    # P-4: the placeholder with length, privacy, category and importance; free text is dropped
    text = f"My {TOKEN} is hidden"
    answer = cli.run("remember", "-", "--private", *FIELDS, "--importance", "4", "-vv", stdin=text)
    assert answer.code == 0
    assert TOKEN not in answer.err
    assert "Tool invocation: remember {'content': '[REDACTED_PRIVATE_MEMORY]'" in answer.err
    assert (
        f"Routing: remember {{'content': '[REDACTED_PRIVATE_MEMORY]', 'content_length': {len(text)}, "
        "'private': True, 'category': 'daily', 'importance': 4}"
    ) in answer.err
    answer = cli.run("remember", f"{TOKEN} as an argument", "--private", "--force", "-v")
    assert TOKEN not in answer.err
    assert f"'content_length': {len(TOKEN) + len(' as an argument')}" in answer.err


def test_public_logging_is_as_it_is(cli: Command) -> None:
    # P-4
    answer = cli.run("-v", "remember", "The dues rise", "--tag", "harbour")
    assert "Tool invocation: remember {" in answer.err
    assert "'text': 'The dues rise'" in answer.err
    assert "'tags': ('harbour',)" in answer.err
    assert re.search(r"Routing: remember \{.*'content': 'The dues rise'", answer.err)
    assert cli.run("remember", "Quiet").err == ""
    assert "took" not in answer.err
    assert "took" in cli.run("list", "-vv").err


def test_other_commands_log_no_free_text(cli: Command) -> None:
    # P-4: it may be about a private memory
    made = cli.json("remember", "-", "--private", stdin=f"{TOKEN} one")["memory"]
    for arguments in (
        ("recall", f"{TOKEN} one"),
        ("recall", HEX),
        ("remember", f"{TOKEN} two", "--update", made["id"]),
        ("compare", f"{TOKEN} two", made["id"]),
        ("forget", made["id"], "--reason", f"{TOKEN} three"),
        ("restore", made["id"]),
        ("publish", made["id"]),
        ("private", made["id"]),
        ("history", made["id"]),
    ):
        answer = cli.run(*arguments, "-vv")
        assert answer.code == 0, answer.err
        assert TOKEN not in answer.err, arguments
        assert HEX not in answer.err, arguments
        assert f"Tool invocation: {arguments[0]}" in answer.err
        assert made["id"] in answer.err or arguments[0] == "recall"


def fail_quoting(*_: object, **__: object) -> None:
    try:
        raise ValueError(f"the text was {TOKEN}")
    except ValueError as error:
        raise RuntimeError(f"again: {TOKEN}") from error


def test_exceptions(debug: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # P-3, FR-3: neither the log nor the trace of VAULT_MEM_DEBUG has a message that may quote
    monkeypatch.setattr(operation, "guard", fail_quoting)
    for arguments in (("--private",), ()):
        answer = debug.run("remember", "-", *arguments, "-vv", "--tag", "x", stdin="plain words")
        assert answer.code == 1
        assert TOKEN not in answer.err + answer.out
        assert "RuntimeError: (its message is withheld" in answer.err
        assert "ValueError: (its message is withheld" in answer.err
        assert "in fail_quoting" in answer.err
        assert answer.err.count("Traceback") >= 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("text", "--kind", TOKEN),
        ("text", "--importance", TOKEN),
        ("text", "--valid-from", TOKEN),
        (TOKEN, "and", f"{TOKEN} again"),
        ("text", f"--{TOKEN}"),
        ("text", f"--tagg={TOKEN}"),
        ("text", "--emotion", f"{TOKEN}\nover two lines"),
        ("text", "--intensity", "9", "--tag", TOKEN),
        ("text", "--supersedes", TOKEN),
        ("-", "--source", f"{TOKEN}\x00 '{TOKEN}'"),
    ],
)
def test_errors_quote_nothing_that_was_given_with_private(debug: Command, arguments: tuple[str, ...]) -> None:
    # P-3: values in our own messages, and in those of the command line
    for more in ((), ("--json",)):
        answer = debug.run("remember", *arguments, "--private", "-vv", *more)
        assert answer.code != 0
        assert TOKEN.casefold() not in (answer.err + answer.out).casefold()


def test_the_same_errors_in_public_say_what_is_wrong(cli: Command) -> None:
    # P-4: public ones are as they were
    assert TOKEN in cli.run("remember", "text", "--kind", TOKEN).err
    assert TOKEN in cli.run("remember", "text", "--importance", TOKEN).err


def test_problems_of_private_notes_do_not_quote_them(cli: Command, root: Path) -> None:
    # P-3: broken front matter is told by line
    memory(root, "private/a.md", "mem_00000000000a", "Text", f"importance: {TOKEN}")
    memory(root, "private/b.md", "mem_00000000000b", "Text", f"tags: *{TOKEN}")
    memory(root, "private/c.md", "mem_00000000000c", f"See [[{TOKEN}]]", "created: 2026-13-45")
    memory(root, "memories/d.md", "mem_00000000000d", "Text", "private: true", f"importance: {TOKEN}")
    for command in ("doctor", "status"):
        answer = cli.run(command, "-vv")
        assert "private/a.md:4" in answer.out
        assert "private/b.md" in answer.out
        assert TOKEN not in answer.out + answer.err
    memory(root, "memories/e.md", "mem_00000000000e", "Text", "importance: telling")
    assert "telling" in cli.run("doctor").out


def test_a_log_file_with_the_same_filter(vault: Vault) -> None:
    # P-4: what a daemon attaches; the library's own records are clean before any handler sees them
    out = io.StringIO()
    plain = logging.StreamHandler(out)
    package = logging.getLogger("vault_mem")
    package.addHandler(plain)
    package.setLevel(logging.DEBUG)
    try:
        vault.remember(f"{TOKEN} hidden", private=True, tags=[f"{TOKEN}-tag"])
        with redact.sealing():
            redact.seal({"content": f"{TOKEN} sealed\nand a second line of it"})
            redact.logger("vault_mem.test").warning("%s; %r", f"{TOKEN} sealed", "and a second line of it")
    finally:
        package.removeHandler(plain)
        package.setLevel(logging.NOTSET)
    assert TOKEN not in out.getvalue()
    assert "second line" not in out.getvalue()
    assert out.getvalue().count(redact.PRIVATE) >= 2
    record = logging.LogRecord("other", logging.ERROR, "x", 1, "key %s", ("ghp_" + "a1B2" * 9,), None)
    assert redact.Redactor().filter(record)
    assert record.getMessage() == "key [REDACTED_SECRET]"
    assert redact.clean(f"{TOKEN} sealed") == f"{TOKEN} sealed"  # forgotten with its command


def test_an_explicit_category_is_no_secret(cli: Command) -> None:
    # P-4: it is logged, and not covered because it stood on the command line
    for option in (["--category", "health"], ["--category=health"]):
        err = cli.run("-v", "remember", "Nobody knows of Reykjavik", "--private", "--force", *option).err
        assert "'category': 'health'" in err
        assert "Reykjavik" not in err
