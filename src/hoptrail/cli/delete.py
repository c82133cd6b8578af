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

    No model is called.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import counted, emit_json, emit_text
    from hoptrail.cli.publish import tell_of_stores

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        report = hoptrail.delete(documents)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"deleted {counted(len(documents), 'documents')}")
