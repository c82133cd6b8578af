"""`hoptrail export`: the knowledge base as JSONL, GraphML or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def export(
    kb: options.KnowledgeBase,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="File ending in .jsonl, .graphml or .csv.")
    ],
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Write everything that was indexed to a file."""
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, emit_text

    with Hoptrail.open(kb, **context) as hoptrail:
        hoptrail.export(to)
    size = to.stat().st_size
    if as_json:
        emit_json({"path": str(to), "bytes": size})
    else:
        emit_text(f"wrote {to} ({size:,} bytes)")
