"""vault-mem remember."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from vault_mem.cli.common import Command, finish, moment, open_vault, other_vaults_for, reply, scaffolded, vault_name
from vault_mem.cli.console import Console
from vault_mem.errors import InvalidInput, VaultNotFound
from vault_mem.fields import Form
from vault_mem.messages import notices, save_and_find, scaffolds
from vault_mem.model import GIVEN, fields_of
from vault_mem.notes.origin import stamped
from vault_mem.vault.find import find_vault, other_vaults
from vault_mem.vault.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vault_mem.library import Vault
    from vault_mem.operations.memory.drafts import Draft
    from vault_mem.operations.memory.remember import Expected, RememberResult
    from vault_mem.operations.vaults.several import OtherVault

DUPLICATE_EXIT = 3
_OPTIONS: dict[Form, dict[str, Any]] = {
    Form.TEXT: {},
    Form.TEXTS: {"multiple": True},
    Form.NAMES: {"multiple": True, "metavar": "ID"},
    Form.WHOLE: {"type": int},
    Form.NUMBER: {"type": float},
    Form.FLAG: {"is_flag": True},
    Form.TIME: {"metavar": "DATE"},
}


def _fields(command: Callable[..., int]) -> Callable[..., int]:
    """Decorator: adds an option for every field that a user can give."""
    for name, each in reversed(GIVEN.items()):
        kind = _OPTIONS[each.form]
        said = each.help.removesuffix(".")
        said += ", " + each.limits.removeprefix("from ") if each.form is Form.NUMBER else ""
        said += " (repeatable)" if kind.get("multiple") else ""
        ended = said if said.endswith(".") else f"{said}."
        default = {} if kind.get("multiple") else {"default": each.default}
        command = click.option(each.flag, name, help=ended, **kind, **default)(command)
    return command


@Command.with_examples("""vault-mem remember "The standup moved to 3pm" --tag work
                          vault-mem remember "Haruka prefers tea" --kind fact --person Haruka
                          echo "..." | vault-mem remember - --private        # private text goes by stdin
                          vault-mem remember "The standup moved to 4pm" --supersedes mem_651b9d294720""")
@click.argument("text", required=False)
@_fields
@click.option(
    "--update", "update_id", metavar="ID", help="Replace the text of this memory; the old text is kept in its history."
)
@click.option("--replace-all", is_flag=True, help="With --update or a new mood: also replace what was added by hand.")
@click.option("--last-blocked", is_flag=True, help="Save the text that was refused last, with its fields.")
@click.option("--force", is_flag=True, help="Save it even if it repeats a memory.")
@click.option(
    "--to", "target", metavar="DIR", help="Save it in this vault (default: the nearest, or by the setting save_to)."
)
@click.option("--allow-secret", is_flag=True, help="Save it publicly even if it looks like a credential.")
@click.option("--dedup-threshold", type=float, help="Maximum distance of a repetition.")
@click.option("--link-threshold", type=float, help="Maximum distance of linked memories.")
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
    **fields: Any,
) -> int:
    """Save TEXT (- reads standard input) as a memory, unless it only repeats one."""
    if (text is None) != last_blocked:
        raise click.UsageError("--last-blocked takes no text." if last_blocked else save_and_find.NO_TEXT)
    content = console.read_text() if text == "-" else text or ""  # before opening the vault: input may be slow
    if target and console.for_tool:
        _must_answer_here(console, target)
    console.vault = target or _kept_in(console, str(fields["kind"]), fields["people"]) or console.vault
    vault = open_vault(console)
    how: dict[str, Any] = {"allow_secret": allow_secret, "replace_all": replace_all}
    if last_blocked:
        return _last_blocked(console, vault, update_id, list(fields["supersedes"]), how, force=force)
    if update_id is not None:
        given = [name for name in fields if _given(name)]
        if given:
            raise click.UsageError(f"--update replaces only the text; it does not take --{given[0].replace('_', '-')}.")
        return _update(console, vault, update_id, content, how)
    if console.for_tool:
        fields["source"] = stamped(f"agent:{console.env.get('VAULT_MEM_AGENT') or 'unknown'}", fields["source"])
    elif console.interactive:
        fields["source"] = stamped("hand", fields["source"])
    fields |= {name: list(fields[name]) for name in (*fields_of(Form.TEXTS), *fields_of(Form.NAMES)) if name in GIVEN}
    for name in fields_of(Form.TIME):
        if name in GIVEN:
            fields[name] = moment(fields[name], vault, GIVEN[name].flag, ahead=name == "valid_to")
    others = [] if force else other_vaults_for(console, vault)
    if others:
        from vault_mem.operations.memory.drafts import Draft
        from vault_mem.operations.memory.remember import RememberResult

        known = _known_in(vault, others, Draft(content, **fields))
        if known.duplicate_of is not None:
            return answer(console, vault, RememberResult(None, 0, [], known.duplicate_of))
    result = vault.remember(
        content, force=force, dedup_threshold=dedup_threshold, link_threshold=link_threshold, **how, **fields
    )
    return answer(console, vault, _with_others(result, known) if others else result)


def _known_in(vault: Vault, others: list[OtherVault], draft: Draft) -> Expected:
    """What the other vaults know about a text. If they have it already, it is kept for `--last-blocked`."""
    from vault_mem.operations.memory import blocked
    from vault_mem.operations.vaults.several import known_in

    known = known_in(others, draft)
    if known.duplicate_of is not None:
        blocked.keep_refused(vault.workspace, draft, known.duplicate_of.memory.id)
    return known


def _with_others(result: RememberResult, known: Expected) -> RememberResult:
    """The result of a save, with what it changes or may replace in other vaults."""
    if result.changed is None and known.changed is not None:
        result = replace(result, changed=known.changed, differs=known.differs)
    return replace(result, may_replace=[*result.may_replace, *known.may_replace])


def _must_answer_here(console: Console, target: str) -> None:
    """Raise InvalidInput unless the target is one of the vaults given to the model."""
    nearest = find_vault(console.vault, console.cwd, console.env)
    known = [nearest, *other_vaults(nearest, console.vaults, console.cwd, console.env)]
    try:
        offered = find_vault(target, console.cwd, console.env) in known
    except VaultNotFound:
        offered = False
    if not offered:
        names = ", ".join(vault_name(console, root) for root in known)
        raise InvalidInput(f"{target} is not one of the vaults offered here", f"they are: {names}")


def _kept_in(console: Console, kind: str, people: Sequence[str]) -> str | None:
    """The vault that the setting save_to names for this kind or these people; None if a vault was named explicitly."""
    if console.vaults or console.env.get("VAULT_MEM_VAULT"):
        return None
    wanted = {f"kind:{kind}", *(f"person:{person}" for person in people)}
    rules = (rule.rpartition("=") for rule in load_settings(None, console.env).settings.save_to)
    return next((vault for what, _, vault in rules if what in wanted), None)


def _given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def answer(console: Console, vault: Vault, result: RememberResult) -> int:
    """Print what became of a text; returns the exit code."""
    data, scaffold = save_and_find.remembered(result, vault.workspace.folder.now())
    scaffold = scaffolded(console, vault, scaffold, "duplicate" if result.duplicate_of else "saved")
    commands = save_and_find.ways_on(result.duplicate_of) if result.duplicate_of else []
    document = result.to_dict() | {"commands": commands, "scaffold": scaffold}
    console.answer(document, scaffolds.compose(data, scaffold))
    if result.duplicate_of and not console.json:
        console.notice(save_and_find.blocked_hints(result.duplicate_of))
    finish(console, vault)
    return DUPLICATE_EXIT if result.duplicate_of else 0


def _last_blocked(
    console: Console, vault: Vault, update_id: str | None, supersedes: list[str], how: dict[str, Any], *, force: bool
) -> int:
    from vault_mem.operations.memory import blocked
    from vault_mem.operations.memory.remember import remember

    draft, kept = blocked.last_refused(vault.workspace.folder)
    if update_id is not None:
        code = _update(console, vault, update_id, draft.content, how)
    else:
        again = replace(draft, supersedes=supersedes or draft.supersedes)
        result = remember(vault.workspace, again, force=force, **how)
        code = answer(console, vault, result)
    if code in (0, DUPLICATE_EXIT):  # saved, or refused again and kept again
        try:
            vault.workspace.folder.tree.drop(kept)
        except OSError as error:
            console.note(notices.STILL_BLOCKED.format(error=error.strerror))
    return code


def _update(console: Console, vault: Vault, id_: str, content: str, how: dict[str, Any]) -> int:
    result = vault.update(id_, content, **how)
    reply(console, vault, result, save_and_find.updated(result), status="updated")
    return 0
