"""`hoptrail reembed`: move a knowledge base to another embedder."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def reembed(
    kb: options.KnowledgeBase,
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAME", help="Package, folder or hub name.")
    ],
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute all vectors again with another embedder.

    Texts and graph stay as they are.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, emit_text, notes

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        with notes().status("embedding"):
            report = hoptrail.reembed(embedder)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"{kb} now uses {embedder}")
