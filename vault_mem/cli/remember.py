"""vault-mem remember."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, beside, finish, moment, open_vault, scaffolded
from vault_mem.cli.console import Console
from vault_mem.model import DEFAULT_CATEGORY, DEFAULT_EMOTION, DEFAULT_IMPORTANCE, DEFAULT_KIND, KINDS
from vault_mem.notes.origin import stamped
from vault_mem.vault.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault_mem.library import Vault
    from vault_mem.operations.memory.remember import RememberResult

DUPLICATE_EXIT = 3


@click.command(
    cls=Command,
    examples="""vault-mem remember "The standup moved to 3pm" --tag work
                vault-mem remember "Haruka prefers tea" --kind fact --person Haruka
                echo "..." | vault-mem remember - --private        # private text goes by stdin
                vault-mem remember "The standup moved to 4pm" --supersedes mem_651b9d294720""",
)
@click.argument("text", required=False)
@click.option("--private", is_flag=True, help="Keep this memory internal: in private/, never in views, logs or git.")
@click.option("--importance", type=int, default=DEFAULT_IMPORTANCE, help="1 to 5, default 3.")
@click.option("--category", default=DEFAULT_CATEGORY, help="A word of your choice, default daily.")
@click.option("--kind", default=DEFAULT_KIND, help=f"One of {', '.join(KINDS)}; default event.")
@click.option("--tag", "tags", multiple=True, help="A tag (repeatable).")
@click.option("--person", "people", multiple=True, help="A person it is about (repeatable).")
@click.option("--emotion", default=DEFAULT_EMOTION, help="The main emotion, default neutral.")
@click.option("--secondary", multiple=True, help="Another emotion in it (repeatable).")
@click.option("--intensity", type=float, help="How strong the emotion is, 0 to 1.")
@click.option("--valence", type=float, help="How pleasant, -1 to 1.")
@click.option("--arousal", type=float, help="How stirring, -1 to 1.")
@click.option("--body-state", help="How the body feels.")
@click.option("--about-time", help="The time it is about, in any words.")
@click.option("--valid-from", metavar="DATE", help="True from then on.")
@click.option("--valid-to", metavar="DATE", help="True until then.")
@click.option("--status", help="For tasks: open, done, ...")
@click.option("--confidence", type=float, help="How sure, 0 to 1.")
@click.option("--salience", type=float, help="How much it stands out, 0 to 1.")
@click.option("--source", help="Where it comes from.")
@click.option("--scope", help="For a summary: tag:…, person:…, project:… or month:2026-11.")
@click.option("--of", "sources", multiple=True, metavar="ID", help="For a summary: what it was made from (repeatable).")
@click.option(
    "--supersedes", multiple=True, metavar="ID", help="Close this memory: the new one takes its place (repeatable)."
)
@click.option(
    "--update", "update_id", metavar="ID", help="Replace the text of this memory; the old one is kept as a revision."
)
@click.option("--replace-all", is_flag=True, help="With --update, or a new mood: replace what was added by hand, too.")
@click.option("--last-blocked", is_flag=True, help="Take the text, and its fields, that was refused last.")
@click.option("--force", is_flag=True, help="Save even if it repeats a memory.")
@click.option("--to", "target", metavar="DIR", help="Save it in this vault; by default the nearest, or by save_to.")
@click.option("--allow-secret", is_flag=True, help="Save in public even if it looks like a credential.")
@click.option("--dedup-threshold", type=float, help="Distance below which it is a repetition.")
@click.option("--link-threshold", type=float, help="Distance below which memories are linked.")
@click.pass_obj
def command(
    console: Console,
    /,
    text: str | None,
    update_id: str | None,
    replace_all: bool,
    last_blocked: bool,
    force: bool,
    target: str | None,
    allow_secret: bool,
    dedup_threshold: float | None,
    link_threshold: float | None,
    valid_from: str | None,
    valid_to: str | None,
    **fields: Any,
) -> int:
    """Save TEXT (or standard input, with -) as a memory, unless it only repeats one."""
    if (text is None) != last_blocked:
        missing = 'Missing the text. Give it as an argument, "-" to read standard input, or --last-blocked.'
        raise click.UsageError("--last-blocked takes no text." if last_blocked else missing)
    content = console.read_text() if text == "-" else text or ""  # before the vault is opened: it may take its time
    console.vault = target or _kept_in(console, str(fields["kind"]), fields["people"]) or console.vault
    vault = open_vault(console)
    if last_blocked:
        return _last_blocked(
            console,
            vault,
            update_id,
            list(fields["supersedes"]),
            force=force,
            allow_secret=allow_secret,
            replace_all=replace_all,
        )
    if update_id is not None:
        given = [name for name in fields if _given(name)]
        if given:
            raise click.UsageError(
                f"--update replaces the text alone; it does not take --{given[0].replace('_', '-')}."
            )
        return _update(console, vault, update_id, content, allow_secret=allow_secret, replace_all=replace_all)
    others = [] if force else beside(console, vault)
    repeated = vault.repeated_in(others, content) if others else None
    if repeated is not None:
        from vault_mem.operations.memory.remember import RememberResult

        return answer(console, vault, RememberResult(None, 0, [], repeated))
    if console.for_tool:
        fields["source"] = stamped(f"agent:{console.env.get('VAULT_MEM_AGENT') or 'unknown'}", fields["source"])
    elif console.interactive:
        fields["source"] = stamped("hand", fields["source"])
    fields |= {name: list(fields[name]) for name in ("tags", "people", "secondary", "supersedes", "sources")}
    result = vault.remember(
        content,
        force=force,
        allow_secret=allow_secret,
        replace_all=replace_all,
        dedup_threshold=dedup_threshold,
        link_threshold=link_threshold,
        valid_from=moment(valid_from, vault, "--valid-from"),
        valid_to=moment(valid_to, vault, "--valid-to", ahead=True),
        **fields,
    )
    return answer(console, vault, result)


def _kept_in(console: Console, kind: str, people: Sequence[str]) -> str | None:
    """The vault that the user's settings have for this kind of memory, or for these people; not where one is named."""
    if console.vaults or console.env.get("VAULT_MEM_VAULT"):
        return None
    wanted = {f"kind:{kind}", *(f"person:{person}" for person in people)}
    rules = (rule.rpartition("=") for rule in load_settings(None, console.env).settings.save_to)
    return next((place for what, _, place in rules if what in wanted), None)


def _given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def answer(console: Console, vault: Vault, result: RememberResult) -> int:
    """Say what became of a text; returns the exit code."""
    from vault_mem import messages

    data, scaffold = messages.remembered(result, vault.workspace.folder.now())
    scaffold = scaffolded(console, vault, scaffold, "duplicate" if result.duplicate_of else "saved")
    console.answer(
        result.to_dict()
        | {
            "commands": messages.ways_on(result.duplicate_of.memory.id) if result.duplicate_of else [],
            "scaffold": scaffold,
        },
        messages.compose(data, scaffold),
    )
    if result.duplicate_of and not console.json:
        console.notice(messages.blocked_hints(result.duplicate_of.memory.id))
    finish(console, vault)
    return DUPLICATE_EXIT if result.duplicate_of else 0


def _last_blocked(
    console: Console,
    vault: Vault,
    update_id: str | None,
    supersedes: list[str],
    *,
    force: bool,
    allow_secret: bool,
    replace_all: bool,
) -> int:
    from vault_mem.operations.memory import blocked
    from vault_mem.operations.memory.remember import remember

    draft, kept = blocked.last(vault.workspace.folder)
    if update_id is not None:
        code = _update(console, vault, update_id, draft.content, allow_secret=allow_secret, replace_all=replace_all)
    else:
        again = replace(draft, supersedes=supersedes or draft.supersedes)
        result = remember(vault.workspace, again, force=force, allow_secret=allow_secret, replace_all=replace_all)
        code = answer(console, vault, result)
    if code in (0, DUPLICATE_EXIT):  # saved, or refused again and kept again
        try:
            vault.workspace.folder.tree.drop(kept)
        except OSError as error:
            console.notice(f"note: it is still kept as the text refused last: {error.strerror}")
    return code


def _update(
    console: Console, vault: Vault, id_: str, content: str, *, allow_secret: bool, replace_all: bool = False
) -> int:
    from vault_mem import messages
    from vault_mem.operations.upkeep.edit_memory import update_memory

    result = update_memory(vault.workspace, id_, content, replace_all=replace_all, allow_secret=allow_secret)
    console.answer(result.to_dict() | {"status": "updated"}, messages.updated(result))
    finish(console, vault)
    return 0
