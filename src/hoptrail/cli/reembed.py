"""`hoptrail reembed`: move a knowledge base to another embedder."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def reembed(
    kb: options.KnowledgeBase,
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder", metavar="NAME", help="Package, folder, hub name or provider:model."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Forecast texts, calls, tokens and dollars only.")
    ] = False,
    max_usd: options.MaxUsd = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute all vectors again with another embedder.

    Texts and graph stay as they are. A run that was stopped is continued by the same command, and
    pays for nothing twice.

    With --json: as `hoptrail index`. --dry-run: `forecast{calls, usd, embedding{texts, calls,
    tokens, usd}}`.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.cost_agreement import agree_on_cost, print_forecast, served_embedder
    from hoptrail.cli.cost_view import embedding_table
    from hoptrail.cli.output import emit_json, emit_text
    from hoptrail.cli.progress import show_progress
    from hoptrail.cli.publish import tell_of_stores

    with Hoptrail.open(kb, writable=not dry_run, **context) as hoptrail:
        served = served_embedder(embedder)
        if dry_run or (served is not None and not yes and max_usd is None):
            embedding = hoptrail.forecast_reembedding(embedder)
            forecast = {"calls": 0, "usd": embedding["usd"], "embedding": embedding}
            table = embedding_table(embedding)
            if dry_run:
                print_forecast(forecast, table, as_json=as_json)
                return
            agree_on_cost(forecast, table, "", None, embedder=served, as_json=as_json)
        with show_progress() as progress:
            report = hoptrail.reembed(embedder, max_usd=max_usd, progress=progress)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"{kb} now uses {embedder}")
