"""`hoptrail backup`: a knowledge base as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def backup(
    kb: Annotated[str, typer.Argument(metavar="KB", help="Folder or name of the base.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file to make.")],
    as_json: options.AsJson = False,
) -> None:
    """Write a knowledge base and its conversations into one file.

    It may be in use meanwhile. `hoptrail restore` makes a knowledge base of the file again.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, emit_text

    with Hoptrail.open(kb) as hoptrail:
        written = hoptrail.backup(file)
    size = file.stat().st_size
    if as_json:
        emit_json({"path": str(file), "bytes": size, "files": written})
    else:
        emit_text(f"wrote {file} ({size:,} bytes)")


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
