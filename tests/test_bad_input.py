"""Bad input: one clear line saying what and what to do, the right exit code, nothing half-written. And --help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, leftovers, memory, one_line

from vault_mem.register import COMMANDS


def refused(cli: Command, root: Path, code: int, *arguments: str, stdin: bytes = b"", says: str = "") -> None:
    before = contents(root)
    answer = cli.run(*arguments, stdin=stdin)
    assert answer.code == code, answer
    assert answer.out == ""
    assert one_line(answer.err), answer.err
    assert says in answer.err
    assert contents(root) == before
    assert leftovers(root) == []
    as_json = cli.run("--json", *arguments, stdin=stdin)
    assert as_json.code == code
    assert as_json.err == ""
    assert set(as_json.json) == {"error"}
    assert set(as_json.json["error"]) == {"code", "message", "hint"}
    assert says in as_json.json["error"]["message"] + as_json.json["error"]["hint"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n", "\u3000"])
def test_empty_text(cli: Command, root: Path, text: str) -> None:
    refused(cli, root, 2, "remember", text, says="empty")
    refused(cli, root, 2, "remember", "-", stdin=text.encode(), says="empty")


def test_no_text(cli: Command, root: Path) -> None:
    answer = cli.run("remember")
    assert answer.code == 2
    assert "Missing the text" in answer.err


def test_five_megabytes(cli: Command, root: Path) -> None:
    text = ("a line of a very long text\n" * 200_000)[:5_000_000]
    refused(cli, root, 2, "remember", "-", stdin=text.encode(), says="too long: 5.0 MB")
    refused(cli, root, 2, "remember", text, says="too long")


def test_one_megabyte_is_taken(cli: Command, root: Path) -> None:
    text = "言葉" * 166_000
    made = cli.json("remember", "-", stdin=text)
    assert made["status"] == "saved"
    assert (root / made["memory"]["path"]).read_text().endswith(text + "\n")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\xff\xfe", b"\xff\xfeh\0i\0", bytes(range(256)), b"caf\xe9"])
def test_binary_on_stdin(cli: Command, root: Path, data: bytes) -> None:
    refused(cli, root, 2, "remember", "-", stdin=data, says="text")
    refused(cli, root, 2, "recall", "-", stdin=data, says="UTF-8")


def test_nul_bytes(cli: Command, root: Path) -> None:
    refused(cli, root, 2, "remember", "-", stdin=b"a\0b", says="NUL")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--kind", "thought"], "event, fact, relation, task, summary, mood"),
        (["--kind", ""], "kind"),
        (["--importance", "9"], "importance must be from 1 to 5, not 9"),
        (["--importance", "0"], "importance must be from 1 to 5"),
        (["--intensity", "1.5"], "intensity must be from 0 to 1"),
        (["--valence", "-2"], "valence must be from -1 to 1"),
        (["--arousal", "nan"], "arousal"),
        (["--confidence", "inf"], "confidence"),
        (["--salience", "-0.1"], "salience"),
        (["--category", "two\nlines"], "category must be one line"),
        (["--category", " "], "category"),
        (["--emotion", ""], "emotion"),
        (["--source", "a\nb"], "source"),
        (["--valid-from", "whenever"], "--valid-from should be a date such as"),
        (["--valid-to", "2026-02-30"], "--valid-to"),
        (["--valid-from", "2026-11-15", "--valid-to", "2026-11-14"], "valid_to is before valid_from"),
    ],
)
def test_fields(cli: Command, root: Path, options: list[str], says: str) -> None:
    refused(cli, root, 2, "remember", "A text", *options, says=says)


@pytest.mark.parametrize("field", ["--tag", "--person", "--category", "--source", "--secondary"])
def test_text_that_is_not_unicode(cli: Command, root: Path, field: str) -> None:
    # bytes of an argument that are not UTF-8 arrive as lone surrogates: refused, or written so that it can be read
    before = contents(root)
    answer = cli.run("remember", "A text", field, "caf\udce9")
    assert "Traceback" not in answer.err
    if answer.code == 0:
        assert cli.json("doctor")["healthy"]
    else:
        assert answer.code == 2
        assert contents(root) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", "caf\udce9"],
        ["recall", "caf\udce9"],
        ["compare", "caf\udce9", "b"],
        ["list", "--category", "caf\udce9"],
        ["show", "caf\udce9"],
        ["recall", "x", "--tag", "\udcff"],
    ],
)
def test_arguments_that_are_not_unicode(cli: Command, root: Path, arguments: list[str]) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "A text")
    answer = cli.run(*arguments)
    assert answer.code in (0, 2, 4)
    assert "Traceback" not in answer.err


def test_line_breaks_in_lists_are_written_safely(cli: Command, root: Path) -> None:
    made = cli.json("remember", "A text", "--tag", "two\nlines", "--tag", "- x: [", "--person", "---")["memory"]
    assert cli.json("show", made["id"])["tags"] == ["two\nlines", "- x: ["]
    assert cli.json("doctor")["healthy"]


# ---- vaults that are none


def test_a_file_for_a_vault(cli: Command, root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    refused(cli, root, 1, "--vault", str(tmp_path / "file"), "remember", "x", says="is a file, not a vault folder")
    refused(cli, root, 1, "--vault", str(tmp_path / "none"), "list", says="does not exist")
    refused(cli, root, 1, "--vault", str(tmp_path), "list", says="vault-mem init")


def test_no_vault_at_all(tmp_path: Path, env: dict[str, str]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    outside = Command(empty, env)
    for command in (["remember", "x"], ["recall", "x"], ["list"], ["show", "x"], ["compare", "a", "b"], ["status"]):
        answer = outside.run(*command)
        assert answer.code == 1
        assert answer.err.startswith("error: no vault here: ")
        assert "vault-mem init" in answer.err
        assert one_line(answer.err)
    assert outside.run("list", "--json").json["error"]["code"] == "no_vault"
    assert list(empty.iterdir()) == []
    assert not Path(env["VAULT_MEM_INDEX_DIR"]).exists()


def test_no_vault_in_a_real_process(tmp_path: Path, env: dict[str, str]) -> None:
    answer = Command(tmp_path, env).spawn("recall", "x")
    assert answer.code == 1
    assert one_line(answer.err)


# ---- usage


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
def test_in_a_folder_that_was_deleted(tmp_path: Path, env: dict[str, str]) -> None:
    line = (
        f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone && {sys.executable} -m vault_mem status"
    )
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env={**os.environ, **env}, check=False)
    assert (done.returncode, one_line(done.stderr)) == (1, True)
    assert "no vault here" in done.stderr


def test_unknown_commands_and_options(cli: Command, root: Path) -> None:
    answer = cli.run("rember", "x")
    assert answer.code == 2
    assert "Did you mean 'remember'?" in answer.err
    assert cli.run("frobnicate").code == 2
    assert cli.run("recall", "x", "--frob").code == 2
    assert cli.run("recall", "x", "y").code == 2
    error = cli.run("recall", "x", "--frob", "--json")
    assert error.code == 2
    assert error.json["error"]["code"] == "usage"
    assert error.err == ""


def test_no_command(cli: Command) -> None:
    answer = cli.run()
    assert answer.code in (0, 2)
    assert "Save and find:" in answer.out + answer.err
    assert "Traceback" not in answer.err
    assert not answer.err.startswith("error: Usage")


def test_a_text_that_looks_like_an_option(cli: Command) -> None:
    made = cli.run("--json", "remember", "--", "--json is an option")
    assert made.json["memory"]["content"] == "--json is an option"


def test_json_before_and_after_the_command(cli: Command) -> None:
    assert cli.run("--json", "list").json == cli.run("list", "--json").json


def test_a_text_called_json_does_not_switch_the_output(cli: Command) -> None:
    answer = cli.run("show", "--", "--json")
    assert answer.code == 4
    assert answer.out == ""


@pytest.mark.parametrize("command", list(COMMANDS))
def test_help_has_examples(cli: Command, command: str) -> None:
    # issue 2: examples in --help
    for flag in ("--help", "-h"):
        answer = cli.run(command, flag)
        assert answer.code == 0
        assert answer.err == ""
        assert f"vault-mem {command}" in answer.out.split("\n")[0]
        examples = answer.out.split("Examples:")
        assert len(examples) == 2, "no examples"
        assert f"vault-mem {command}" in examples[1]
        assert "--json" in answer.out


@pytest.mark.parametrize("sub", ["list", "get", "set", "unset"])
def test_help_of_config(cli: Command, sub: str) -> None:
    answer = cli.run("config", sub, "--help")
    assert answer.code == 0
    assert "Examples:" in answer.out


def test_help_and_version(cli: Command, tmp_path: Path, env: dict[str, str]) -> None:
    outside = Command(tmp_path, env)
    answer = outside.run("--help")
    assert answer.code == 0
    for command in COMMANDS:
        assert f"  {command} " in answer.out
    assert "Exit codes: 0 done, 1 error, 2 usage, 3 not saved (duplicate), 4 not found, 5 conflict, 6 unsafe." in (
        " ".join(answer.out.split())
    )
    import vault_mem

    assert outside.run("--version").out == f"vault-mem {vault_mem.__version__}\n"


def test_examples_in_help_work(cli: Command, root: Path) -> None:
    # the first example of each command that needs nothing else
    import shlex

    for command in ("remember", "recall", "list", "compare", "status", "doctor", "reindex"):
        help_ = cli.run(command, "--help").out
        example = help_.split("Examples:\n")[1].splitlines()[0].strip()
        assert cli.run(*shlex.split(example)[1:]).code == 0, example


def test_plain_text_when_piped(cli: Command) -> None:
    # no colours, no progress
    answer = cli.spawn("reindex")
    assert "\x1b" not in answer.out + answer.err
    assert answer.err == ""


def test_a_closed_pipe(cli: Command, root: Path) -> None:
    # `vault-mem list | head -1`
    import os
    import subprocess
    import sys

    for number in range(30):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", "A long line of text " * 20)
    done = subprocess.run(
        f"{sys.executable} -m vault_mem list --all --json | head -c 10",
        shell=True,
        cwd=root,
        env={**os.environ, **cli.env},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_the_internal_error_is_one_line(root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from vault_mem.operations.memory import show

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(show, "list_memories", fail)
    quiet = Command(root, {key: value for key, value in env.items() if key != "VAULT_MEM_DEBUG"})
    answer = quiet.run("list")
    assert answer.code == 1
    assert answer.err.startswith("error: unexpected ZeroDivisionError in ")
    assert quiet.run("list", "--json").json["error"]["code"] == "internal"


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (("recall", "-mtime"), "To look for words that begin with a dash, put -- before them."),
        (("search", "--force-with-lease"), "To look for words that begin with a dash, put -- before them."),
        (("remember", "-mtime counts days"), "To save a text that begins with a dash, put -- before it."),
    ],
)
def test_words_that_look_like_an_option(cli: Command, command: tuple[str, str], hint: str) -> None:  # C-1
    assert hint in cli.run(*command).err
    answer = cli.run(*command, "--json")
    assert answer.code == 2 and hint in answer.out
    assert cli.run(command[0], "--", command[1]).code == 0
    assert "--" not in cli.run("list", "--force-with-lease").err.replace("--force-with-lease", "")
