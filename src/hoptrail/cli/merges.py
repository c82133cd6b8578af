"""`hoptrail merges`: which entities were found to be one, and taking that back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.core.types.graph import Merge


def merges(
    kb: options.KnowledgeBase,
    undo: Annotated[
        list[str] | None,
        typer.Option("--undo", metavar="ID", help="Keep these two apart for good; repeatable."),
    ] = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """List the merged entities, or with --undo take merges back. No model is called.

    With --json: `merges[{id, entity_id, kept, merged, reason}]`, with --undo those taken back.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import counted, emit_json, emit_text, results
    from hoptrail.cli.publish import tell_of_stores

    with Hoptrail.open(kb, writable=bool(undo), **context) as hoptrail:
        shown = hoptrail.undo_merges(undo) if undo else hoptrail.merges()
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json({"merges": [merge.to_json() for merge in shown]})
    elif undo:
        emit_text(f"undone: {counted(len(shown), 'merges')}")
    else:
        _show(shown, results())


def _show(found: list[Merge], console: Console) -> None:
    from hoptrail.cli.output import grid, printable

    if not found:
        console.print("no merges", style="dim")
        return
    table = grid()
    for merge in found:
        table.add_row(merge.id, printable(f"{merge.merged} = {merge.kept}"), merge.reason)
    console.print(table)


def merge(
    other: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder or name of the base, or of shards.")
    ],
    kb: options.KnowledgeBase,
    embedder: options.Embedder = None,
    max_usd: options.MaxUsd = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Take the documents of another knowledge base in, or the shards of a run.

    Nothing is read again, and what is taken in stays as it is. Communities of the graph are found
    anew by hoptrail communities. Shards are made by hoptrail index --shard; the knowledge base may
    be a new one then.

    With --json: as `hoptrail index`.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.index import folder_of, no_empty_base
    from hoptrail.cli.index_view import show_report
    from hoptrail.cli.output import emit_json, results
    from hoptrail.cli.progress import show_progress
    from hoptrail.cli.publish import tell_of_stores
    from hoptrail.core.settings import load_settings
    from hoptrail.indexing.shards.shard_set import holds_shards

    is_of_shards = holds_shards(load_settings().base_of(other).records)
    with (
        no_empty_base(folder_of(kb)),
        Hoptrail.open(
            kb, create=is_of_shards, writable=True, embedder=embedder, **context
        ) as hoptrail,
    ):
        with show_progress() as progress:
            report = hoptrail.merge(other, max_usd=max_usd, progress=progress)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        show_report(report, results())
