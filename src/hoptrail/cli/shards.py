"""`hoptrail index --shard`: one part of the documents; `hoptrail merge`: parts into one base."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import may_spend, served_embedder
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.options import folder_of, no_empty_base
from hoptrail.cli.output import STATUS, emit, emit_json, grid, printable, results, warn
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.shards.shard_folder import ShardState


def index_one_shard(
    paths: Sequence[str],
    options: IndexOptions,
    shard: str,
    into: Path | None,
    base: Path,
    model: str | None,
    embedder: str | None,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Index a shard as far as that is possible now, and print how far it is.

    Raises:
        HoptrailError: What stopped it.
    """
    from hoptrail.cli.progress import show_progress
    from hoptrail.core.settings import load_settings
    from hoptrail.indexing.shards.shard_folder import Shard
    from hoptrail.indexing.spreading.shard_run import ShardTask, index_shard
    from hoptrail.indexing.spreading.spread_run import divided_inputs

    if into is None or not paths:
        raise typer.BadParameter("--shard needs a PATH and --into DIR")
    part = Shard.parse(shard)
    divided, whole = divided_inputs(paths)
    if whole or options.triples:
        raise InputError(
            "triples and the graphs of other programs are not divided into shards",
            hint="give them to hoptrail index without --shard, before or after hoptrail merge",
        )
    if not yes and options.max_usd is None:
        _require_agreement(options, model, embedder)
    task = ShardTask(divided, options, part, into.resolve(), load_settings(), embedder, model, base)
    STATUS.say("loading the embedding model")
    with show_progress() as progress:
        state = index_shard(task, progress=progress)
    _print(state, into, as_json)
    if state.stopped_by is not None:
        raise state.stopped_by.error()


def _require_agreement(options: IndexOptions, model: str | None, embedder: str | None) -> None:
    """Refuse to spend where nobody agreed: a scheduler has no terminal.

    Raises:
        SettingsError: If something would be spent.
    """
    if may_spend(options.extractor, model, served_embedder(embedder)):
        raise SettingsError(
            "a shard for which a model is called needs --yes or --max-usd",
            hint="the cost of all shards: the same command with --dry-run and without --shard",
        )


def _print(state: ShardState, into: Path, as_json: bool) -> None:
    from hoptrail.cli.index_view import list_skipped

    if as_json:
        told = state.to_json()
        del told["settings"]
        emit_json(told)
    else:
        table, console = grid(), results()
        table.add_row("shard", f"{state.shard}, {state.stage}")
        table.add_row("documents", f"{state.documents:,}")
        table.add_row("chunks", f"{state.chunks:,}")
        console.print(table)
        for note in state.notes:
            console.print(printable(note), style="yellow")
        list_skipped(console, [(one.path, one.reason) for one in state.skipped])
    if state.stage == "loaded":
        all_shards = counted(state.count, "shard")
        warn(
            "the model reads the passages that are central among those of all shards: run the "
            f"same command again when all {all_shards} in {into} are loaded (--beta 1 needs one "
            "run)"
        )


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
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.index_view import show_report
    from hoptrail.cli.progress import show_progress
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
    emit(report, show_report, as_json=as_json)
