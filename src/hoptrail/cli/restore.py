"""`hoptrail restore`: a knowledge base from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What hoptrail backup wrote.")],
    kb: Annotated[Path, typer.Argument(metavar="KB", help="A new or empty folder.")],
    as_json: options.AsJson = False,
) -> None:
    """Make a knowledge base of a backup, in a new folder.

    Where the base is published to a server, `hoptrail publish` fills that after it.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import counted, emit_json, emit_text

    restored = Hoptrail.restore(file, kb)
    with Hoptrail.open(kb) as hoptrail:
        counts = hoptrail.info()["counts"]
    if as_json:
        emit_json({"kb": str(kb), "files": restored, "counts": counts})
    else:
        emit_text(f"restored {counted(counts['documents'], 'documents')} to {kb}")
