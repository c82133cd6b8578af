"""`hoptrail sync`: the documents of a folder, a loader or a crawl in step with what is there."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options, source_options
from hoptrail.cli.index import (
    existing_or_temporary,
    print_report,
    tell_if_new,
)
from hoptrail.cli.options import folder_of, no_empty_base
from hoptrail.cli.output import emit
from hoptrail.cli.source_options import Extractor, Ocr

if TYPE_CHECKING:
    from hoptrail.indexing.loading.feeds.feed import Feed


def sync(
    kb: options.KnowledgeBase,
    folder: Annotated[
        str | None,
        typer.Argument(metavar="FOLDER", help="Folder, s3://, or a source of the settings."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and sync whenever files change.")
    ] = False,
    source: source_options.Source = None,
    loader: source_options.Loader = None,
    loader_arguments: source_options.LoaderArguments = None,
    loader_id: source_options.LoaderId = None,
    crawl: source_options.CrawlAddress = None,
    depth: source_options.Depth = None,
    below: source_options.Below = False,
    delay: source_options.Delay = None,
    max_documents: source_options.MaxDocuments = None,
    max_seconds: source_options.MaxSeconds = None,
    private_addresses: source_options.PrivateAddresses = False,
    extractor: source_options.ExtractorOption = Extractor.AUTO,
    beta: options.Beta = options.MODELS_SHARE,
    model: source_options.Model = None,
    code: Annotated[bool, typer.Option("--code", help="Also read files of code, as text.")] = False,
    no_ignore: options.NoIgnore = False,
    ocr: source_options.OcrOption = Ocr.AUTO,
    ocr_pages: options.OcrPages = 1000,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Delete all where no file is left.")
    ] = False,
    moved: Annotated[
        bool, typer.Option("--moved", help="The folder of this name was moved here.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would change, and forecast the cost.")
    ] = False,
    embedder: options.Embedder = None,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    concurrency: options.Concurrency = 8,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Bring a folder's documents in step with its files: add, replace, delete.

    A file that cannot be read keeps its documents, and so does a loader or crawl that did not come
    to its end. A run that was stopped is continued by the same command, and pays for nothing twice.
    """
    if watch and dry_run:
        raise typer.BadParameter("--dry-run lists once; leave --watch out")
    context = options.context_fields(assignments, seed=seed)
    feed = source_options.named_feed(
        source,
        loader,
        loader_arguments,
        loader_id,
        crawl,
        depth,
        below,
        delay,
        max_documents,
        max_seconds,
    )
    synced = _synced(folder, feed, loader=loader, source=source, watch=watch)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.folder_sync import FolderSync, watch_folder
    from hoptrail.indexing.options import IndexOptions

    chosen = IndexOptions(
        source=source,
        extractor=extractor.value,
        beta=beta,
        concurrency=concurrency,
        max_usd=max_usd,
        code=code,
        ignore=not no_ignore,
        ocr=ocr.value,
        ocr_pages=ocr_pages,
        private_addresses=private_addresses,
    )
    run = FolderSync(synced, chosen, model, embedder, allow_empty=allow_empty, moved=moved)
    with ExitStack() as cleanup:
        if dry_run:
            target, is_new = existing_or_temporary(kb, cleanup)
            hoptrail = cleanup.enter_context(
                Hoptrail.open(target, create=is_new, embedder=embedder, **context)
            )
            _print_plan(run.plan(hoptrail), as_json)
            return
        tell_if_new(kb, [synced])
        cleanup.enter_context(no_empty_base(folder_of(kb)))
        # Without the writer's lock, which a round takes for itself.
        hoptrail = cleanup.enter_context(
            Hoptrail.open(kb, create=True, embedder=embedder, **context)
        )
        run.agree_on_cost(hoptrail, is_agreed=yes, watch=watch, as_json=as_json)
        if watch:
            watch_folder(run, hoptrail, as_json=as_json)
            exit_code = 0
        else:
            exit_code = print_report(run.sync(hoptrail), as_json)
    if exit_code:
        raise typer.Exit(exit_code)


def _synced(
    folder: str | None,
    feed: Feed | None,
    *,
    loader: str | None,
    source: str | None,
    watch: bool,
) -> str | Feed:
    """Return what is to be synced.

    Raises:
        typer.BadParameter: If that is not one thing, or cannot be.
    """
    from hoptrail.core.settings import load_settings

    if feed is None:
        if folder is None:
            raise typer.BadParameter("give a FOLDER, --loader or --crawl")
        if watch and ("://" in folder or folder in load_settings().sources):
            raise typer.BadParameter("--watch follows the files of a folder")
        return folder
    if folder is not None:
        raise typer.BadParameter("give a FOLDER, --loader or --crawl, one of them")
    if watch:
        raise typer.BadParameter("--watch follows the files of a folder")
    if source is None and loader is not None:
        # Two loaders of one class would delete each other's documents.
        raise typer.BadParameter("name the source with --source NAME")
    return feed


def _print_plan(plan: dict[str, Any], as_json: bool) -> None:
    from hoptrail.cli.index_view import show_plan

    emit(plan, show_plan, as_json=as_json)
