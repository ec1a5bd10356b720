"""Completion scripts, made from the command tree. They are static, so that pressing Tab starts no program."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from vault_mem.cli.tree import tree
from vault_mem.model import KINDS
from vault_mem.register import COMMANDS
from vault_mem.vault.settings import Settings

Spec = dict[str, Any]


def script(shell: str) -> str:
    """The script for bash, zsh or fish."""
    nodes = list(_walk(tree(), ""))
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](nodes)


def _filled(shell: str, **parts: str) -> str:
    """The template in `shells/`, filled in."""
    text = (Path(__file__).parent / "shells" / shell).read_text(encoding="utf-8").removesuffix("\n")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _walk(node: Spec, chain: str) -> Iterator[tuple[str, Spec]]:
    """Every command with the words that lead to it."""
    yield chain, node
    for below in node.get("commands", ()):
        yield from _walk(below, f"{chain} {below['name'].rsplit(' ', 1)[-1]}".strip())


def _words(node: Spec) -> list[tuple[str, str]]:
    """What can come next besides options: subcommands, or the choices of an argument."""
    if "commands" in node:
        return [(below["name"].rsplit(" ", 1)[-1], below["summary"]) for below in node["commands"]]
    if node["name"] == "vault-mem help":
        return [(name, entry.summary) for name, entry in COMMANDS.items()]
    if node["name"] in ("vault-mem config get", "vault-mem config set", "vault-mem config unset"):
        return [(each.name, "") for each in fields(Settings)]
    return [(choice, "") for argument in node["arguments"][:1] for choice in argument.get("choices", ())]


def _options(node: Spec) -> list[tuple[str, str]]:
    return [(name, option["help"]) for option in node["options"] for name in option["names"]]


def _values(nodes: list[tuple[str, Spec]], known: str, unknown: str) -> str:
    """For each option that takes a value, the shell's `case` branch that completes it: `known` if it has choices."""
    return "\n".join(
        f'        "{chain} {name}") {known.format(" ".join(choices)) if choices else unknown}'
        for chain, node in nodes
        for option in node["options"]
        if not option["flag"]
        for choices in [_choices(option)]
        for name in option["names"]
    )


def _choices(option: Spec) -> list[str]:
    return option.get("choices") or (list(KINDS) if "--kind" in option["names"] else [])


def _parents(nodes: list[tuple[str, Spec]]) -> list[tuple[str, str, str]]:
    return [chain.rpartition(" ") for chain, _ in nodes if chain]


def _steps(nodes: list[tuple[str, Spec]]) -> str:
    """All pairs of a command and a subcommand, as a pattern for the shell's `case`."""
    return "|".join(f'"{above}/{name}"' for above, _, name in _parents(nodes))


def _bash(nodes: list[tuple[str, Spec]]) -> str:
    cases = []
    for chain, node in nodes:
        words = " ".join(name for name, _ in _words(node))
        options = " ".join(name for name, _ in _options(node))
        cases.append(f'        "{chain}") words="{words}" options="{options}" ;;')
    values = _values(nodes, 'COMPREPLY=($(compgen -W "{}" -- "$cur")); return ;;', "return ;;")
    return _filled("bash", steps=_steps(nodes), values=values, cases="\n".join(cases))


def _zsh(nodes: list[tuple[str, Spec]]) -> str:
    def described(pairs: list[tuple[str, str]]) -> str:
        texts = [f"{name.replace(':', chr(92) + ':')}:{text}" if text else name for name, text in pairs]
        return " ".join(shlex.quote(text) for text in texts)

    cases = [
        f'        "{chain}") words_=({described(_words(node))}); options=({described(_options(node))}) ;;'
        for chain, node in nodes
    ]
    values = _values(nodes, "names=({}); _describe value names; return ;;", "_files; return ;;")
    return _filled("zsh", steps=_steps(nodes), values=values, cases="\n".join(cases))


def _fish(nodes: list[tuple[str, Spec]]) -> str:
    steps = " ".join(f'"{above}/{name}"' for above, _, name in _parents(nodes))
    lines = [_filled("fish", steps=steps)]
    for chain, node in nodes:
        here = f"complete -c vault-mem -n '__vault_mem_at {chain}'"
        lines += [f"{here} -f -a {name}{_fish_text(text)}" for name, text in _words(node)]
        for option in node["options"]:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"]
            )
            choices = _choices(option)
            value = "" if option["flag"] else f" -x -a {shlex.quote(' '.join(choices))}" if choices else " -r"
            lines.append(f"{here} {names}{value}{_fish_text(option['help'])}")
    return "\n".join(lines)


def _fish_text(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f" -d '{quoted}'" if text else ""
