"""vault-mem tag."""

from __future__ import annotations

import click

from vault_mem.cli.common import Command, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean


class _TagCommand(Command):
    """Lets -word remove a tag, which click would take for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read -word as --remove word."""
        words: list[str] = []
        for number, word in enumerate(args):
            if word == "--":
                return super().parse_args(ctx, [*words, *args[number:]])
            is_tag = len(word) > 1 and word[0] == "-" and word[1] != "-" and word != "-h"
            words += ["--remove", word[1:]] if is_tag else [word]
        return super().parse_args(ctx, words)


@_TagCommand.with_examples("""vault-mem tag mem_651b9d294720 +house -garden
                              vault-mem tag 651b9d house keys --remove garden""")
@click.argument("id_", metavar="ID")
@click.argument("tags", nargs=-1, metavar="[+TAG | -TAG]...")
@click.option("--remove", multiple=True, metavar="TAG", help="Remove this tag, like -TAG (repeatable).")
def command(console: Console, id_: str, tags: tuple[str, ...], remove: tuple[str, ...]) -> None:
    """Add tags to a memory (+TAG or TAG), and remove tags (-TAG)."""
    if not tags and not remove:
        raise click.UsageError(keep_clean.WHICH_TAGS)
    vault = open_vault(console)
    result = vault.tag(id_, [each.removeprefix("+") for each in tags], remove)
    status = "tagged" if result.changed else "unchanged"
    reply(console, vault, result, keep_clean.tagged(result), status=status)
