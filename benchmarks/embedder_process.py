"""The embedder in a process of its own, so that the memory of the one that asks is without it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

import numpy as np

from hoptrail.core.embedding import FloatArray

MODEL = "all-MiniLM-L6-v2"


class EmbedderProcess:
    """An `Embedder` that asks another process, and remembers what it was told."""

    def __init__(self) -> None:
        start = multiprocessing.get_context("spawn")
        self._pipe, other = start.Pipe()
        self._process = start.Process(target=_serve, args=(other,), daemon=True)
        self._known: dict[str, FloatArray] = {}

    def __enter__(self) -> Self:
        self._process.start()
        self.name, self.dim = self._pipe.recv()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.join()

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._pipe.send(new)
            self._known.update(zip(new, self._pipe.recv(), strict=True))
        found = [self._known[text] for text in texts]
        return np.array(found, dtype=np.float32).reshape(len(texts), self.dim)


def _serve(pipe: Connection) -> None:
    from hoptrail.models.embedder import load_embedder

    embedder = load_embedder(MODEL)
    pipe.send((embedder.name, embedder.dim))
    while True:
        pipe.send(embedder.embed(pipe.recv()))
