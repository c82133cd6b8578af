"""`hoptrail delete`: documents, with everything that only they supported."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def delete(
    documents: Annotated[
        list[str], typer.Argument(metavar="DOC_ID", help="Ids as `info --documents` lists them.")
    ],
    kb: options.KnowledgeBase,
    max_usd: options.MaxUsd = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Delete documents and what only they supported.

    No model is called; a served embedder is where entities read otherwise without the documents.
    Where the file of a document is still in its folder, the next sync or index
    of that folder adds it again.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.cost_agreement import agree_on_cost, served_embedder
    from hoptrail.cli.cost_view import embedding_table
    from hoptrail.cli.output import counted, emit_json, emit_text, warn
    from hoptrail.cli.publish import tell_of_stores

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        served = served_embedder()
        if served is not None and not yes and max_usd is None:
            embedding = hoptrail.forecast_deletion(documents)
            forecast = {"calls": 0, "usd": embedding["usd"], "embedding": embedding}
            table = embedding_table(embedding)
            agree_on_cost(forecast, table, "", None, embedder=served, as_json=as_json)
        report = hoptrail.delete(documents, max_usd=max_usd)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"deleted {counted(len(report['deleted']), 'documents')}")
        for note in report["notes"]:
            warn(note)
