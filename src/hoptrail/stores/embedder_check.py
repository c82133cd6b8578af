"""Makes sure that questions and passages are embedded by the same model."""

from __future__ import annotations

from pathlib import Path

from hoptrail.core.embedding import Embedder, probe_vector
from hoptrail.core.errors import EmbedderMismatchError
from hoptrail.stores.embedding_table import EmbedderRecord


def check_embedder(record: EmbedderRecord, embedder: Embedder, folder: Path) -> None:
    """Raise unless the embedder is the one on record.

    Raises:
        EmbedderMismatchError: If name, dimension or the vector of the probe text differ.
    """
    if embedder.name != record.name:
        problem = f"it was embedded with {record.name!r}, not {embedder.name!r}"
    elif embedder.dim != record.dim:
        problem = f"its vectors have {record.dim} dimensions, not {embedder.dim}"
    elif not record.is_same(embedder.name, probe_vector(embedder)):
        problem = f"{embedder.name!r} gives other vectors than when it was embedded"
    else:
        return
    raise EmbedderMismatchError(
        f"{folder}: {problem}",
        hint=f"embed it anew with: hoptrail reembed --kb {folder} --embedder {embedder.name}",
    )
