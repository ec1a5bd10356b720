"""What operations say, in Python's words: a program has methods and keywords, no shell and no options."""

from __future__ import annotations

import re

from vault_mem.errors import VaultMemError
from vault_mem.register import COMMANDS

_METHODS = {"import": "import_", "history": "operations", "views": "rebuild_views", "why-not": "why_not"}
_METHODS |= {"config": "settings", "eval": "evaluate", "update-self": "update_self", "wake-up": "wake_up"}
# Phrases whose method is not called like the command.
_PHRASES = {
    "`vault-mem episode list`": "vault.episodes()",
    "`vault-mem restore --list`": "vault.trash()",
    "`vault-mem init FOLDER`": "Vault.init(FOLDER)",
    "vault-mem config set --user vault FOLDER": 'vault.set_setting("vault", FOLDER, user=True)',
    "vault-mem eval --help": "help(Vault.evaluate)",
    "name it with --memory ID": "give it as one of ids",
}
# Text that means nothing to a program: examples at the prompt, options that only the shell has.
_TRY = re.compile(r'\s*(?:;\s*)?try: vault-mem \w+ "\.\.\."')
_VAULT = re.compile(r" \(--vault\)")
_NEGATIVE = re.compile(r"--no-([a-z-]+)")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)(?:[ =](?=[\d.]))?")
_COUNT = re.compile(r"(?<![\w-])-n\b")
_NAMES = "|".join(COMMANDS)
_QUOTED = re.compile(rf"`vault-mem ({_NAMES})\b([^`]*)`")
_COMMAND = re.compile(rf"vault-mem ({_NAMES})\b((?: (?:mem_\w+|ep_\w+|ID|\d+))*)(?: \.\.\.)?")
_PLURAL = {"tag": "tags", "person": "people", "of": "sources", "yes": "sure", "vault": "a path"}


def in_python(text: str) -> str:
    """A message with methods and keywords in place of commands and options."""
    for command, call in _PHRASES.items():
        text = text.replace(command, call)
    text = _VAULT.sub("", _TRY.sub("", text))
    text = _COMMAND.sub(_call, _QUOTED.sub(_call, text))
    text = _NEGATIVE.sub(lambda found: f"{found.group(1).replace('-', '_')}=False", text)
    text = _OPTION.sub(lambda found: _PLURAL.get(found.group(1), found.group(1).replace("-", "_")), text)
    return _COUNT.sub("n", text)


def _call(found: re.Match[str]) -> str:
    command, arguments = found.groups()
    words = [each for each in arguments.split() if not each.startswith("-") and "=" not in each and each != "..."]
    given = ", ".join(each if each.isupper() else f'"{each}"' for each in words)
    return f"vault.{_METHODS.get(command, command)}({given})"


def reword(error: VaultMemError) -> None:
    """Say what went wrong in Python's words."""
    error.message, error.hint = in_python(error.message), in_python(error.hint)
    error.args = (error.message,)
