"""The whole collection as it lies: the baseline that does not retrieve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages


class FullRetriever(Retriever):
    """Passages in the order of their documents, as many as the budget holds.

    Nothing is ranked: the first passages are returned where not all of them fit.
    """

    name_in_registry: ClassVar[str] = "full"
    uses_vector: ClassVar[bool] = False
    finds_graph: ClassVar[bool] = False

    def _search(self, query: Query, view: View) -> Evidence:
        by_document = np.argsort(view.index.chunk_doc, kind="stable").astype(np.int32)
        rows = fill_budget(view.index, by_document, self.budget, at_least=self.k)
        hits = load_passages(view, rows, np.zeros(len(rows), dtype=np.float32), channel="full")
        in_order = sorted(hits, key=lambda hit: (hit.item.doc_id, hit.item.start))
        return Evidence(chunks=tuple(in_order))
