"""Write docs/cli.md from the commands' own help; with --check, say whether it still matches.

Run it from the project's environment: `python docs/generate_cli.py [--check]`.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from vault_mem.cli.console import Console
from vault_mem.cli.main import cli, run

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 100
INTRODUCTION = """\
# Command reference

This page is the help of the commands themselves, written by `docs/generate_cli.py`; `--check` tells whether it is up to
date. The [README](../README.md) shows the commands at work, [format.md](format.md) explains the fields of a memory, and
[guard.md](guard.md) what `remember` refuses.

Common to all commands:

- `--vault DIR` and `--json` can come before or after the command's name.
- The answer goes to standard output. Notices, progress and errors go to standard error; with `--json` an error is a
  document on standard output too: `{"error": {"code": ..., "message": ..., "hint": ...}}`.
- An ID is an id or its beginning (`mem_` may be left out), a title, a file name, a path or a `[[wikilink]]`.
- A DATE is `2026-11-15`, `2026-11-15T23:25` or as people say it: `yesterday`, `last week`, `in March`, 3日前. It is in
  the vault's time zone unless it has an offset of its own.
- `-v` logs to standard error, `-vv` more; `VAULT_MEM_DEBUG=1` shows where an internal error came
  from. Both pass a redactor: private texts, and anything that looks like a credential, are not in them.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | error: no vault, a setting or model that cannot be used, a failed write; `doctor`: something needs attention |
| 2 | usage: an unknown command or option, a value that makes no sense, an empty text |
| 3 | not saved, because it repeats a memory |
| 4 | no memory or setting of that name |
| 5 | a file changed meanwhile; nothing was overwritten |
| 6 | stopped, because going on could lose something or another process is in the way |
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, *(_section(words) for words in _commands())]
    return "\n".join(parts)


def _commands() -> Iterator[list[str]]:
    """The words of every command: none for the program itself, then each command, then its subcommands."""
    yield []
    context = click.Context(cli)
    for name in cli.list_commands(context):
        yield [name]
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ([name, below] for below in command.list_commands(context))


def _section(words: list[str]) -> str:
    title = " ".join(["vault-mem", *words])
    return f"{'#' * (3 if len(words) > 1 else 2)} {title}\n\n```text\n{_help(words)}\n```\n"


def _help(words: list[str]) -> str:
    """What `vault-mem WORDS --help` prints on a console of a fixed width."""
    out, errors = io.StringIO(), io.StringIO()
    console = Console(cwd=Path.cwd(), env={}, stdin=io.BytesIO(), stdout=out, stderr=errors, width=WIDTH)
    code = run([*words, "--help"], console)
    if code or errors.getvalue():
        raise SystemExit(f"vault-mem {' '.join(words)} --help ended with {code}: {errors.getvalue()}")
    return out.getvalue().rstrip()


def main(arguments: list[str]) -> int:
    """Write the page, or compare it with the commands as they are."""
    os.environ["COLUMNS"] = str(WIDTH)  # click asks the terminal where it is not told
    wanted = page()
    if arguments == ["--check"]:
        held = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        changes = difflib.unified_diff(
            held.splitlines(), wanted.splitlines(), "docs/cli.md", "the commands", lineterm=""
        )
        sys.stdout.writelines(f"{line}\n" for line in changes)
        if held != wanted:
            sys.stderr.write("docs/cli.md is out of date: run python docs/generate_cli.py\n")
        return int(held != wanted)
    if arguments:
        sys.stderr.write("usage: python docs/generate_cli.py [--check]\n")
        return 2
    PAGE.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
