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
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Delete documents and what only they supported.

    No model is called. Where the file of a document is still in its folder, the next sync or index
    of that folder adds it again.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import counted, emit_json, emit_text, warn

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        report = hoptrail.delete(documents)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"deleted {counted(len(report['deleted']), 'documents')}")
        for note in report["notes"]:
            warn(note)
