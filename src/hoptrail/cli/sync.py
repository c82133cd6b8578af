"""`hoptrail sync`: the documents of a folder, a loader or a crawl in step with what is there."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options, source_options
from hoptrail.cli.costs import HINT, agree_on_cost, may_spend, served_embedder
from hoptrail.cli.failures import report_error
from hoptrail.cli.index import existing_or_temporary, print_report, tell_if_new
from hoptrail.cli.index_view import forecast_table, round_line, show_plan
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.options import folder_of, no_empty_base
from hoptrail.cli.output import emit, emit_json, emit_text, warn
from hoptrail.cli.progress import show_progress
from hoptrail.cli.source_options import Extractor, Ocr, loaders_on_stderr
from hoptrail.core.errors import (
    CostLimitError,
    HoptrailError,
    InputError,
    NothingIndexedError,
    SettingsError,
)

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.indexing.loading.feeds.feed import Feed
    from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed
    from hoptrail.indexing.options import IndexOptions

_GATHER_MS = 1_600  # changes within this time are one round
_QUIET_MS = 200  # or up to when nothing has changed for so long
_LOOK_MS = 500
_RETRY_SECONDS = 5.0
_INTERVAL = 60.0
_NOT_WATCHED = "--watch follows the files of a folder or of an object store"


def sync(
    kb: options.KnowledgeBase,
    folder: Annotated[
        str | None,
        typer.Argument(metavar="FOLDER", help="Folder, s3://, or a source of the settings."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and sync whenever files change.")
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            metavar="SECONDS",
            min=1,
            help="With --watch: between two looks at an object store.  [default: 60]",
        ),
    ] = None,
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
    if interval is not None and not watch:
        raise typer.BadParameter("--interval belongs to --watch")
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
    with loaders_on_stderr():
        synced = _synced(folder, feed, loader=loader, source=source, watch=watch)

    from hoptrail.api import Hoptrail
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
            emit(run.plan(hoptrail), show_plan, as_json=as_json)
            return
        tell_if_new(kb, [synced])
        cleanup.enter_context(no_empty_base(folder_of(kb)))
        # Without the writer's lock, which a round takes for itself.
        hoptrail = cleanup.enter_context(
            Hoptrail.open(kb, create=True, embedder=embedder, **context)
        )
        run.agree_on_cost(hoptrail, is_agreed=yes, watch=watch, as_json=as_json)
        if watch:
            keep_watch(run, hoptrail, interval=interval or _INTERVAL, as_json=as_json)
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
    if feed is None:
        if folder is None:
            raise typer.BadParameter("give a FOLDER, --loader or --crawl")
        return _watched(folder) if watch else folder
    if folder is not None:
        raise typer.BadParameter("give a FOLDER, --loader or --crawl, one of them")
    if watch:
        raise typer.BadParameter(_NOT_WATCHED)
    if source is None and loader is not None:
        # Two loaders of one class would delete each other's documents.
        raise typer.BadParameter("name the source with --source NAME")
    return feed


def _watched(folder: str) -> str | Feed:
    """Return what is to be watched: a folder, or an object store where that is named.

    Raises:
        typer.BadParameter: If it can be neither.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed
    from hoptrail.indexing.loading.inputs import as_synced

    sources = load_settings().sources
    if "://" not in folder and folder not in sources:
        return folder
    store = as_synced(folder, sources)
    if not isinstance(store, ObjectStoreFeed):
        raise typer.BadParameter(_NOT_WATCHED)
    return store


class FolderSync:
    """Syncs one folder, once or many times.

    Args:
        folder: The folder, or what else is in step with its documents.
        options: How to index; `max_usd` limits all rounds together.
        model: Chat model that extracts, where it was named.
        embedder: The embedder, where it was named.
        allow_empty: Whether all documents may be deleted.
        moved: Whether the folder of its source was moved here.
    """

    def __init__(
        self,
        folder: str | Feed,
        options: IndexOptions,
        model: str | None,
        embedder: str | None,
        *,
        allow_empty: bool,
        moved: bool,
    ) -> None:
        self.folder = folder
        self._options = options
        self._model = model
        self._embedder = embedder
        self._choices = {"allow_empty": allow_empty, "moved": moved}

    def plan(self, hoptrail: Hoptrail) -> dict[str, Any]:
        """Return what a sync would do; changes nothing."""
        with loaders_on_stderr():
            return hoptrail.plan_sync(
                self.folder, options=self._options, model=self._model, **self._choices
            )

    def sync(self, hoptrail: Hoptrail) -> dict[str, Any]:
        """Sync and return the report."""
        with loaders_on_stderr(), show_progress() as progress:
            report = hoptrail.sync(
                self.folder,
                options=self._options,
                model=self._model,
                progress=progress,
                **self._choices,
            )
        tell_of_stores(hoptrail.publications)
        self._choices["moved"] = False  # it is there now
        if self._options.max_usd is not None:
            left = max(0.0, self._options.max_usd - report["usage"]["usd"])
            self._options = replace(self._options, max_usd=left)
        return report

    def agree_on_cost(
        self, hoptrail: Hoptrail, *, is_agreed: bool, watch: bool, as_json: bool
    ) -> None:
        """Ask before money is spent; where nobody can be asked, refuse.

        Raises:
            SettingsError: If the run would cost money and nobody can be asked.
            typer.Exit: If the user says no.
        """
        if is_agreed or self._options.max_usd is not None:
            return
        embedder = served_embedder(self._embedder)
        if not may_spend(self._options.extractor, self._model, embedder):
            return
        if watch:
            raise SettingsError(
                "what a model will cost while a folder is watched is unknown", hint=HINT
            )
        forecast = self.plan(hoptrail)["forecast"]
        table = forecast_table(forecast)
        agree_on_cost(forecast, table, "extractor", self._model, embedder=embedder, as_json=as_json)


def keep_watch(run: FolderSync, hoptrail: Hoptrail, *, interval: float, as_json: bool) -> None:
    """Sync now and after every change, until Ctrl-C; each round is told in one line.

    A later round that fails, as while another process writes, is told and tried again. Between
    rounds no lock is held. Ctrl-C between rounds is the end; within one it is an interruption.

    Args:
        run: Syncs a folder or an object store.
        hoptrail: The base.
        interval: Seconds between two looks at an object store.
        as_json: Whether rounds are told as JSON.

    Raises:
        HoptrailError: If the first round fails, but for a folder that is empty yet.
        CostLimitError: Once `--max-usd` is spent.
    """
    from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed
    from hoptrail.indexing.loading.files import real_path

    # A shell that starts a program in the background makes it deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(run.folder, ObjectStoreFeed):
        folder = run.folder.root
        changes = _changed_objects(run.folder, interval, as_json=as_json)
    else:
        folder = real_path(str(run.folder))
        changes = _changes(folder, real_path(hoptrail.stored.path), as_json=as_json)
    is_first, next_try = True, time.monotonic()
    is_due = True  # files may have changed before the watcher was there
    for has_changed in changes:
        is_due |= has_changed
        if not is_due or time.monotonic() < next_try:
            continue
        is_due = not _round(run, hoptrail, is_first=is_first, as_json=as_json)
        if is_due:
            next_try = time.monotonic() + _RETRY_SECONDS
        if is_first:
            _tell(f"watching {folder}; Ctrl-C ends", as_json)
            is_first = False


def _tell(line: str, as_json: bool) -> None:
    """Print a line about the watching itself: among the rounds, unless these are JSON."""
    if as_json:
        warn(line)
    else:
        emit_text(line)


def _changes(folder: str, base: str, *, as_json: bool) -> Iterator[bool]:
    """Yield again and again whether files have changed, until Ctrl-C; begins with a first look.

    A folder that vanishes is waited for.
    """
    from watchfiles import watch

    is_back = False
    try:
        while True:
            if not os.path.isdir(folder):
                if not is_back:
                    line = f"{folder} is gone; nothing is deleted, and watching goes on with it"
                    _tell(line, as_json)
                is_back = True
                time.sleep(_LOOK_MS / 1000)
                continue
            for changes in watch(
                folder,
                watch_filter=lambda _, path: _is_document(path, folder, base),
                debounce=_GATHER_MS,
                step=_QUIET_MS,
                rust_timeout=_LOOK_MS,
                yield_on_timeout=True,
                raise_interrupt=True,
            ):
                if not os.path.isdir(folder):
                    break
                yield bool(changes) or is_back
                is_back = False
    except KeyboardInterrupt:
        _tell("stopped watching", as_json)


def _changed_objects(store: ObjectStoreFeed, interval: float, *, as_json: bool) -> Iterator[bool]:
    """Yield after each look at an object store whether it has changed, until Ctrl-C.

    A look is one listing. A store that cannot be listed is waited for.
    """
    known: dict[str, str] | None = None
    is_told = False
    try:
        while True:
            try:
                found = store.versions()
            except InputError as error:
                if not is_told:
                    line = f"{error.message}; nothing is deleted, and watching goes on"
                    _tell(line, as_json)
                is_told = True
                yield False
            else:
                is_told = False
                yield found != known
                known = found
            time.sleep(interval)
    except KeyboardInterrupt:
        _tell("stopped watching", as_json)


def _round(run: FolderSync, hoptrail: Hoptrail, *, is_first: bool, as_json: bool) -> bool:
    """Do a round, and return whether it succeeded.

    Raises:
        HoptrailError: If it is the first, or has failed as later ones would.
    """
    began = time.monotonic()
    try:
        report = run.sync(hoptrail)
    except (CostLimitError, SettingsError):
        raise
    except HoptrailError as error:
        if is_first and not isinstance(error, NothingIndexedError):
            raise
        report_error(error, as_json)
        return isinstance(error, NothingIndexedError)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"{time.strftime('%H:%M:%S')}  {round_line(report, time.monotonic() - began)}")
    return True


def _is_document(path: str, folder: str, base: str) -> bool:
    """Return whether a change may be one of a document: not of the base, and nothing hidden."""
    from hoptrail.indexing.loading.files import is_below

    below = os.path.relpath(path, folder)
    is_hidden = any(part.startswith(".") and part != "." for part in below.split(os.sep))
    return not is_hidden and not is_below(path, base)
