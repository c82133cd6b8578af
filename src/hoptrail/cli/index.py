"""`hoptrail index`: documents and triples into a knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options, source_options
from hoptrail.cli.costs import HINT, agree_on_cost, may_spend, print_forecast, served_embedder
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.options import folder_of, no_empty_base
from hoptrail.cli.output import STATUS, emit_json, results, warn
from hoptrail.cli.source_options import Extractor, Ocr, loaders_on_stderr
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.indexing.loading.feeds.feed import Feed
    from hoptrail.indexing.options import IndexOptions


def index(
    kb: options.KnowledgeBase,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Files, folders, https://, s3://, neo4j://, sources of the settings, - for stdin.",
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
    extractor: source_options.ExtractorOption = Extractor.AUTO,
    beta: options.Beta = options.MODELS_SHARE,
    triples: Annotated[
        list[Path] | None,
        typer.Option("--triples", metavar="FILE", help="Triples to add; repeatable."),
    ] = None,
    model: source_options.Model = None,
    code: Annotated[
        bool, typer.Option("--code", help="Also read files of code in folders, as text.")
    ] = False,
    no_ignore: options.NoIgnore = False,
    ocr: source_options.OcrOption = Ocr.AUTO,
    ocr_pages: options.OcrPages = 1000,
    private_addresses: source_options.PrivateAddresses = False,
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME", help="Nodes to read from Neo4j; repeatable."),
    ] = None,
    name_properties: Annotated[
        list[str] | None,
        typer.Option(
            "--name-property",
            metavar="NAME",
            help="Their names in Neo4j; repeatable, first counts.",
        ),
    ] = None,
    text_properties: Annotated[
        list[str] | None,
        typer.Option("--text-property", metavar="NAME", help="Their texts in Neo4j; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Forecast calls, tokens, dollars and minutes only.")
    ] = False,
    embedder: options.Embedder = None,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Also extract again what failed before.")
    ] = False,
    concurrency: options.Concurrency = 8,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="Processes that read the documents."),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray", metavar="ADDRESS", help="Ray cluster that does: HOST:PORT, auto or local."
        ),
    ] = None,
    gpus_per_worker: Annotated[
        float,
        typer.Option("--gpus-per-worker", metavar="X", min=0, help="GPUs, or a part, from Ray."),
    ] = 0.0,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="I/N", help="Only read this part, for hoptrail merge; needs --into."
        ),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Folder of the shards.")
    ] = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Index documents and triples into a knowledge base.

    The output folder of a Microsoft GraphRAG run is imported with its graph and reports, and so is
    the graph of a Neo4j database (user and password: NEO4J_USERNAME, NEO4J_PASSWORD). A run that
    was stopped is continued by the same command, and pays for nothing twice.

    With --workers, --ray or --shard many processes read the documents: see docs/scale.md.
    """
    if into is not None and shard is None and workers is None and ray is None:
        raise typer.BadParameter("--into goes with --shard, --workers or --ray")
    if gpus_per_worker and ray is None:
        raise typer.BadParameter("--gpus-per-worker goes with --ray")
    if shard is not None and (dry_run or workers is not None or ray is not None):
        raise typer.BadParameter("--shard goes without --dry-run, --workers and --ray")
    if (loader or crawl) and (shard is not None or workers is not None or ray is not None):
        raise typer.BadParameter("--loader and --crawl go without --shard, --workers and --ray")
    if not (paths or triples or retry_failed or loader or crawl):
        raise typer.BadParameter(
            "give at least one PATH, --loader, --crawl, --triples FILE or --retry-failed"
        )
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

    from hoptrail.api import Hoptrail
    from hoptrail.indexing.options import NAME_PROPERTIES, TEXT_PROPERTIES, IndexOptions

    chosen = IndexOptions(
        source=source,
        extractor=extractor.value,
        beta=beta,
        triples=tuple(triples or ()),
        retry_failed=retry_failed,
        concurrency=concurrency,
        max_usd=max_usd,
        code=code,
        ignore=not no_ignore,
        ocr=ocr.value,
        ocr_pages=ocr_pages,
        private_addresses=private_addresses,
        graph_labels=tuple(labels or ()),
        name_properties=tuple(name_properties or NAME_PROPERTIES),
        text_properties=tuple(text_properties or TEXT_PROPERTIES),
    )
    if shard is not None:
        from hoptrail.cli.shards import index_one_shard

        index_one_shard(
            paths or [],
            chosen,
            shard,
            into,
            folder_of(kb),
            model,
            embedder,
            yes=yes,
            as_json=as_json,
        )
        return
    spread = _Spread(workers, ray, gpus_per_worker, into)
    run = _Run([*(paths or []), *([feed] if feed else [])], chosen, model, spread)
    with ExitStack() as cleanup:
        if dry_run:
            target, is_new = existing_or_temporary(kb, cleanup)
            hoptrail = cleanup.enter_context(
                Hoptrail.open(target, create=is_new, embedder=embedder, **context)
            )
            _print_forecast(run.forecast(hoptrail), as_json)
            return
        tell_if_new(kb, [*run.paths, *chosen.triples])
        cleanup.enter_context(no_empty_base(folder_of(kb)))
        hoptrail = cleanup.enter_context(
            Hoptrail.open(kb, create=True, writable=True, embedder=embedder, **context)
        )
        if not yes and max_usd is None:
            _agree_on_cost(hoptrail, run, served_embedder(embedder), as_json)
        exit_code = print_report(run.index(hoptrail), as_json)
        tell_of_stores(hoptrail.publications)
    if exit_code:
        raise typer.Exit(exit_code)


@dataclass(frozen=True, slots=True)
class _Spread:
    """By which processes the documents are read, and where their shards lie."""

    workers: int | None
    ray: str | None
    gpus_per_worker: float
    into: Path | None


@dataclass(frozen=True, slots=True)
class _Run:
    """The inputs of the command with the way to index them."""

    paths: list[str | Feed]
    options: IndexOptions
    model: str | None
    spread: _Spread

    def forecast(self, hoptrail: Hoptrail) -> dict[str, Any]:
        with loaders_on_stderr():
            return hoptrail.forecast(self.paths, options=self.options, model=self.model)

    def index(self, hoptrail: Hoptrail) -> dict[str, Any]:
        from hoptrail.cli.progress import show_progress

        with loaders_on_stderr(), show_progress() as progress:
            return hoptrail.index(
                self.paths,
                options=self.options,
                model=self.model,
                progress=progress,
                workers=self.spread.workers,
                ray=self.spread.ray,
                gpus_per_worker=self.spread.gpus_per_worker,
                into=self.spread.into,
            )


def existing_or_temporary(kb: str, cleanup: ExitStack) -> tuple[str, bool]:
    """Return where a forecast looks, and whether that is new: it leaves no base behind."""
    from tempfile import TemporaryDirectory

    from hoptrail.stores.records.folder import prepare_folder

    folder = folder_of(kb)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        prepare_folder(folder, create=False)
        return kb, False
    return cleanup.enter_context(TemporaryDirectory(prefix="hoptrail-")), True


def tell_if_new(kb: str, inputs: Sequence[str | Path | Feed]) -> None:
    """Say where a knowledge base is going to be made: its name may have been left out.

    None is going to be where no input is there. "-", an address and what is no path always are.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.stores.records.folder import holds_database

    named = {"-", *load_settings().sources}
    may_be_read = any(
        not isinstance(item, str | Path)
        or str(item) in named
        or "://" in str(item)
        or Path(item).expanduser().exists()
        for item in inputs
    )
    if may_be_read and not holds_database(folder_of(kb)):
        warn(f"no knowledge base in {folder_of(kb)} yet: making one there")
    STATUS.say("loading the embedding model")


def _agree_on_cost(hoptrail: Hoptrail, run: _Run, embedder: str | None, as_json: bool) -> None:
    """Ask before money is spent; where nobody can be asked, refuse.

    Raises:
        SettingsError: If the run would cost money and no terminal can be asked.
        typer.Exit: If the user says no.
    """
    from hoptrail.cli.index_view import forecast_table

    if not may_spend(run.options.extractor, run.model, embedder):
        return
    if "-" in run.paths:
        # A forecast would read standard input to its end, and nobody could be asked.
        raise SettingsError("the cost of documents on stdin cannot be forecast", hint=HINT)
    forecast = run.forecast(hoptrail)
    table = forecast_table(forecast)
    agree_on_cost(forecast, table, "extractor", run.model, embedder=embedder, as_json=as_json)


def _print_forecast(forecast: dict[str, Any], as_json: bool) -> None:
    from hoptrail.cli.index_view import forecast_table

    print_forecast(forecast, forecast_table(forecast), as_json=as_json)


def print_report(report: dict[str, Any], as_json: bool) -> int:
    """Print what a run did and return the exit code: 1 where the model read none of its passages.

    All else of such a run is done and stands, so that the report is printed as ever.
    """
    from hoptrail.cli.index_view import nothing_read, show_report

    error = nothing_read(report)
    if as_json:
        emit_json(report if error is None else {**report, "error": error})
    else:
        show_report(report, results())
    if error is None:
        return 0
    warn(f"error: {error['message']} ({error['hint']})")
    return 1
