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
    """Write everything that was indexed to a file.

    CSV is the table of relations, and the entities go to a second file, NAME_entities.csv.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, emit_text

    with Hoptrail.open(kb, **context) as hoptrail:
        written = hoptrail.export(to)
    sizes = {str(path): path.stat().st_size for path in written}
    if as_json:
        files = [{"path": path, "bytes": size} for path, size in sizes.items()]
        emit_json({**files[0], "files": files})
    else:
        for path, size in sizes.items():
            emit_text(f"wrote {path} ({size:,} bytes)")
