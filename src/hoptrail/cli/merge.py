"""`hoptrail merge`: take the documents of another knowledge base in."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def merge(
    other: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder or name of the base to take in.")
    ],
    kb: options.KnowledgeBase,
    max_usd: options.MaxUsd = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Take the documents of another knowledge base in.

    Nothing is read again, and the other base stays as it is. Communities of the graph are found
    anew by hoptrail communities.

    With --json: as `hoptrail index`.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.index_view import show_report
    from hoptrail.cli.output import emit_json, results
    from hoptrail.cli.progress import show_progress
    from hoptrail.cli.publish import tell_of_stores

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        with show_progress() as progress:
            report = hoptrail.merge(other, max_usd=max_usd, progress=progress)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        show_report(report, results())
