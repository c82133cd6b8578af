"""The tables that the documents of a base hold, as `info` lists them."""

from __future__ import annotations

from itertools import groupby

from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.types import JsonDict
from hoptrail.stores.knowledge_base import KnowledgeBase


def list_tables(kb: KnowledgeBase) -> list[JsonDict]:
    """Return each table: `doc_id`, `number` in it, `name`, `columns`, `rows` and `totals`.

    Each of the `columns` has its `label`, the `kind` of its values (number, date, time or text) and
    their `unit`; `rows` counts those that tell of a thing, `totals` those that sum others up.
    """
    found: list[JsonDict] = []
    for _, chunks in groupby(kb.iter_table_chunks(), key=lambda chunk: chunk.doc_id):
        found += [_listed(table) for table in assemble_tables(chunks)]
    return found


def _listed(table: Table) -> JsonDict:
    return {
        "doc_id": table.doc_id,
        "number": table.number,
        "name": table.name,
        "columns": [
            {"label": column.label, "kind": column.kind, "unit": column.unit}
            for column in table.columns
        ],
        "rows": len(table.body),
        "totals": len(table.rows) - len(table.body),
    }
