"""help and completion: the command tree, for agents and for shells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command

from vault_mem.cli.main import COMMANDS
from vault_mem.imports.formats import FORMATS

PROJECT = Path(__file__).parent.parent


@pytest.fixture
def bare(tmp_path: Path, env: dict[str, str]) -> Command:
    """The command where there is no vault."""
    return Command(tmp_path, env)


def test_the_whole_tree_as_one_document(bare: Command):
    tree = bare.json("help", "--all")
    assert {each["name"] for each in tree["commands"]} == {f"vault-mem {name}" for name in COMMANDS}
    assert set(tree["exit_codes"]) == set("0123456")
    for command in tree["commands"]:
        assert command["summary"] and command["help"] and command["usage"].startswith(command["name"])
        assert all(option["names"] and option["help"] and option["type"] for option in command["options"])
        assert {"--json", "--vault"} <= {name for option in command["options"] for name in option["names"]}
        assert command["examples"] or "commands" in command
        assert all("vault-mem" in line for line in command["examples"])


def test_arguments_options_and_subcommands(bare: Command):
    commands = {each["name"].split()[-1]: each for each in bare.json("help", "--all")["commands"]}
    assert commands["show"]["arguments"] == [{"name": "ID", "required": True, "multiple": False, "type": "text"}]
    options = {name: each for each in commands["remember"]["options"] for name in each["names"]}
    assert options["--importance"]["type"] == "integer" and options["--importance"]["default"] == 3
    assert options["--tag"]["multiple"] and not options["--tag"]["flag"]
    assert options["--private"]["type"] == "boolean"
    assert {each["name"] for each in commands["config"]["commands"]} >= {"vault-mem config get", "vault-mem config set"}
    formats = next(each for each in commands["import"]["options"] if "--format" in each["names"])
    assert formats["choices"] == list(FORMATS) and formats["default"] == "auto"
    assert bare.json("help", "config", "set")["name"] == "vault-mem config set"


def test_a_line_for_each_command(bare: Command):
    # what an agent reads first is short
    answer = bare.run("help", "--json")
    assert len(answer.out) <= 6000
    index = {each["name"]: each for each in answer.json["commands"]}
    assert set(index) == set(COMMANDS) and set(answer.json["exit_codes"]) == set("0123456")
    assert index["show"] == {"name": "show", "arguments": "ID", "summary": "Show one memory with its links."}
    assert "apply, candidates, log, schema" in index["tidy"]["summary"]


def test_help_says_what_the_commands_say(bare: Command):
    assert bare.run("help").out == bare.run("--help").out
    assert bare.run("help", "recall").out == bare.run("recall", "--help").out
    assert bare.run("help", "config", "set").out == bare.run("config", "set", "--help").out
    wrong = bare.run("help", "forgive")
    assert wrong.code == 2 and "forgive" in wrong.err
    assert bare.run("help", "show", "more").code == 2


def complete(bare: Command, line: str) -> list[str]:
    """What bash offers at the end of a line."""
    script = bare.run("completion", "bash").out
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f'COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _vault_mem; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, timeout=30, check=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_bash_completes(bare: Command):
    assert set(complete(bare, "vault-mem ")) == set(COMMANDS)
    assert complete(bare, "vault-mem rem") == ["remember"]
    assert complete(bare, "vault-mem remember --pri") == ["--private"]
    assert sorted(complete(bare, "vault-mem setup c")) == ["claude-code", "cline", "codex", "copilot", "cursor"]
    assert complete(bare, "vault-mem import x --format mc") == ["mcp-memory-service"]
    assert complete(bare, "vault-mem config se") == ["set"]
    assert complete(bare, "vault-mem config set --us") == ["--user"]
    assert complete(bare, "vault-mem --vault init rec") == ["recall"]
    assert complete(bare, "vault-mem remember --category ") == []
    assert complete(bare, "vault-mem -v reca") == ["recall"]
    assert complete(bare, "vault-mem remember -v --pri") == ["--private"]
    assert complete(bare, "vault-mem remember --kind f") == ["fact"]
    assert complete(bare, "vault-mem help conso") == ["consolidate"]
    assert complete(bare, "vault-mem config set dedup_t") == ["dedup_threshold"]


def said_of(bare: Command, command: str, option: str) -> str:
    """What an option is for, as its command's help says it."""
    options = bare.json("help", command)["options"]
    return str(next(each["help"] for each in options if option in each["names"]))


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
def test_fish_completes(bare: Command):
    recall = f"recall\t{COMMANDS['recall'].summary}"
    expected = {
        "vault-mem reca": recall,
        "vault-mem -v reca": recall,
        "vault-mem --vault config reca": recall,
        "vault-mem remember config se": "",  # words of a text are no commands
        "vault-mem remember --vault /x --forc": f"--force\t{said_of(bare, 'remember', '--force')}",
        "vault-mem remember --kind rel": f"relation\t{said_of(bare, 'remember', '--kind')}",
        "vault-mem help conso": f"consolidate\t{COMMANDS['consolidate'].summary}",
        "vault-mem config set dedup_t": "dedup_threshold",
    }
    ask = "".join(f"complete -C '{line}'; echo;" for line in expected)
    script = bare.run("completion", "fish").out
    done = subprocess.run(
        ["fish", "-N", "-c", f"{script}\n{ask}"],
        cwd=bare.cwd, env=bare.env, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    offered = [line for line in done.stdout.split("\n") if line]
    assert offered == [each for each in expected.values() if each] and not done.stderr


# zsh completes in its line editor alone, so it gets a terminal of its own.
_ZPTY = """
zmodload zsh/zpty
zpty line 'stty cols 120 rows 100; exec zsh -f -i'
zpty -w line "PROMPT=; autoload -Uz compinit; compinit -u -D; source $1; bindkey '^I' list-choices; echo RE''ADY"
zpty -r -m line out '*READY*'
zpty -w -n line "$2"$'\t'
zpty -r -m line out "*$3*" && print -r -- found
zpty -d line
"""


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("vault-mem -v reca", f"recall  -- {COMMANDS['recall'].summary[:20]}"),
        ("vault-mem --vault /x config se", "set  -- "),
        ("vault-mem remember --kind rel", "relation"),
        ("vault-mem help conso", f"consolidate  -- {COMMANDS['consolidate'].summary[:10]}"),
        ("vault-mem config set dedup_t", "dedup_threshold"),
    ],
)
def test_zsh_completes(line, offered, bare: Command, tmp_path: Path):
    script = tmp_path / "vault-mem.zsh"
    script.write_text(bare.run("completion", "zsh").out)
    command = ["zsh", "-fc", _ZPTY, "zsh", str(script), line, offered]
    done = subprocess.run(command, env=bare.env, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "found\n", done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_know_every_command_and_option(shell, bare: Command):
    script = bare.run("completion", shell).out
    for command in bare.json("help", "--all")["commands"]:
        assert command["name"].split()[-1] in script
        for option in command["options"]:
            for name in option["names"]:
                long = name.startswith("--")
                assert (f"-{'l' if long else 's'} {name.lstrip('-')}" if shell == "fish" else name) in script
    if shutil.which(shell):
        done = subprocess.run([shell, "-n", "-c", script], capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, done.stderr


def test_completion_and_help_load_nothing_heavy(env: dict[str, str]):
    code = (
        "import sys; from vault_mem.cli.console import Console; from vault_mem.cli.main import run\n"
        "for words in (['completion', 'zsh'], ['help', '--json']): run(words, Console.of_process())\n"
        "sys.exit(bool({'lancedb', 'numpy', 'model2vec', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0


def test_the_reference_is_a_snapshot_of_every_help_page():
    """After a change: `python docs/generate_cli.py`; the diff of docs/cli.md shows what a user will read."""
    done = subprocess.run([sys.executable, PROJECT / "docs/generate_cli.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[:2000]
