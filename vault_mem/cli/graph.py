"""vault-mem graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vault_mem.cli.common import Command, finish, open_vault, reply
from vault_mem.cli.console import Console
from vault_mem.messages import keep_clean

if TYPE_CHECKING:
    from vault_mem.operations.upkeep.graph import GraphLink, GraphResult


@Command.with_examples("""vault-mem graph
                          vault-mem graph mem_651b9d294720 --depth 2
                          vault-mem graph 651b9d --mermaid --public-only
                          vault-mem graph --dot > vault.dot""")
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--depth", type=click.IntRange(1), help="How many links away from ID (default: 1).")
@click.option("--dot", is_flag=True, help="Print it for Graphviz.")
@click.option("--mermaid", is_flag=True, help="Print it for Mermaid, which Obsidian renders.")
@click.option("--public-only", is_flag=True, help="Leave private memories out, for pasting it elsewhere.")
def command(console: Console, id_: str | None, depth: int | None, dot: bool, mermaid: bool, public_only: bool) -> None:
    """Show the memories linked to ID. Without ID, show the shape of the whole vault.

    That is its clusters, hubs, bridges (single links between two parts), orphans and dead links. Wikilinks in a text
    count as related.
    """
    if dot + mermaid + console.json > 1:
        raise click.UsageError("Choose one of --json, --dot and --mermaid.")
    if depth is not None and id_ is None:
        raise click.UsageError("--depth needs an ID.")
    vault = open_vault(console)
    if id_ is None and not (dot or mermaid):
        shape = vault.graph_overview(public_only=public_only)
        reply(console, vault, shape, keep_clean.graph_overview(shape))
        return
    picture = vault.graph(id_, depth or 1, public_only=public_only)
    text = _dot(picture) if dot else _mermaid(picture) if mermaid else keep_clean.graph_around(picture)
    console.answer(picture.to_dict(), text, as_is=dot or mermaid)
    finish(console, vault, picture)


def _dot(picture: GraphResult) -> str:
    lines = ["digraph memories {", "  node [shape=box];"]
    for node in picture.nodes:
        style = "".join((", style=bold" * (node.id == picture.centre), ", style=dashed" * node.private))
        lines.append(f"  {node.id} [label={_quoted(node.title)}{style}];")
    for arc in picture.arcs:
        both = "" if _directed(arc) else ", dir=none"
        lines.append(f"  {arc.source} -> {arc.target} [label={_quoted(_label(arc))}{both}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _mermaid(picture: GraphResult) -> str:
    lines = ["graph LR"]
    for node in picture.nodes:
        title = " ".join(node.title.split()).replace("#", "#35;").replace('"', "#quot;")
        lines.append(f'  {node.id}["{title}"]')
    for arc in picture.arcs:
        arrow = "-->" if _directed(arc) else "---"
        lines.append(f'  {arc.source} {arrow}|"{_label(arc)}"| {arc.target}')
    return "\n".join(lines)


def _directed(arc: GraphLink) -> bool:
    return arc.type in ("caused_by", "leads_to")


def _label(arc: GraphLink) -> str:
    return arc.type if arc.confidence is None else f"{arc.type} {arc.confidence:.2f}"
