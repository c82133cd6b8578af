"""Entities that are one: `hoptrail consolidate` asks a model, `hoptrail merges` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import agree_on_cost, cost_table, print_forecast, served_embedder, spent
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.output import emit, emit_json, emit_text, grid, printable, results
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hoptrail.core.types.graph import Merge


def consolidate(
    kb: options.KnowledgeBase,
    entity_types: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="NAME", help="Entity type of the schema; repeatable."),
    ] = None,
    similarity: Annotated[
        float, typer.Option("--similarity", help="Least cosine of entities to be asked about.")
    ] = 0.6,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model that decides."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Forecast calls, tokens and dollars only.")
    ] = False,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    concurrency: options.Concurrency = 8,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Merge entities that a model finds to be one, and bring their types into a schema.

    What was decided is kept: a run that was stopped is continued by the same command, and later
    ones ask about new entities only, beside those that they look like. Types are left alone until
    --type has named a schema.

    With --json: `merged, apart, labelled, unlabelled, failed, usage`. --dry-run: `forecast{types,
    entities, calls, prompt_tokens, completion_tokens, usd, embedding{texts, calls, tokens, usd}}`.
    """
    context = options.context_fields(assignments, seed=seed)
    from hoptrail.api import Hoptrail
    from hoptrail.cli.progress import show_progress
    from hoptrail.indexing.options import ConsolidationOptions

    chosen = ConsolidationOptions(
        entity_types=tuple(entity_types or ()),
        similarity=similarity,
        concurrency=concurrency,
        max_usd=max_usd,
    )

    with Hoptrail.open(kb, writable=not dry_run, **context) as hoptrail:
        if dry_run:
            forecast = hoptrail.forecast_consolidation(options=chosen, model=model)
            print_forecast(forecast, forecast_table(forecast), as_json=as_json)
            return
        if not yes and max_usd is None:
            forecast = hoptrail.forecast_consolidation(options=chosen, model=model)
            table = forecast_table(forecast)
            embedder = served_embedder()
            agree_on_cost(forecast, table, "extractor", model, embedder=embedder, as_json=as_json)
        with show_progress() as progress:
            report = hoptrail.consolidate(options=chosen, model=model, progress=progress)
        tell_of_stores(hoptrail.publications)
    emit(report, show_report, as_json=as_json)


def forecast_table(forecast: dict[str, Any]) -> Table:
    """Return the forecast of `--dry-run` as a table."""
    return cost_table(forecast, "types", "entities")


def show_report(report: dict[str, Any], console: Console) -> None:
    """Print what was decided."""
    table = grid()
    table.add_row("pairs merged", f"{report['merged']:,}")
    table.add_row("pairs kept apart", f"{report['apart']:,}")
    if report["labelled"] or report["unlabelled"]:
        table.add_row("types relabelled", f"{report['labelled']:,}")
        table.add_row("types left", f"{report['unlabelled']:,}")
    table.add_row("model", spent(report["usage"]))
    console.print(table)
    if report["failed"]:
        console.print(
            f"{report['failed']:,} calls failed; run again to repeat them", style="yellow"
        )


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
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb, writable=bool(undo), **context) as hoptrail:
        shown = hoptrail.undo_merges(undo) if undo else hoptrail.merges()
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json({"merges": [merge.to_json() for merge in shown]})
    elif undo:
        emit_text(f"undone: {counted(len(shown), 'merge')}")
    else:
        _show(shown, results())


def _show(found: list[Merge], console: Console) -> None:
    if not found:
        console.print("no merges", style="dim")
        return
    table = grid()
    for merge in found:
        table.add_row(merge.id, printable(f"{merge.merged} = {merge.kept}"), merge.reason)
    console.print(table)
