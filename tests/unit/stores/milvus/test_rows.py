from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hoptrail.core.types import Chunk, Community, Entity, Relation
from hoptrail.stores.milvus.rows import NEVER, batches, in_edition, rows_of
from hoptrail.stores.milvus.schema import LONGEST_TEXT, collection_of, space_of
from hoptrail.stores.serving import Rows
from hoptrail.stores.vector_search import SERVED_KINDS, ServedKind, predicate_key

CHUNK = Chunk("c1", "s/1", "Aby", "Aby lies on the Ulm.", 0, 20, 7)
TOLD = Relation("r1", "aby", "lies on", "ulm", "Aby lies on the Ulm.")
BARE = Relation("r2", "aby", "near", "bro")
ALSO_BARE = Relation("r3", "bro", "near", "cid")


def rows(kind: ServedKind, *items: Any, vectors: list[list[float]] | None = None) -> list[Any]:
    given = vectors or [[1.0, 0.0]] * len(items)
    return list(rows_of(kind, Rows(items, np.array(given, dtype=np.float32))))


def test_a_passage_bears_its_own_text_and_title() -> None:
    [row] = rows("chunk", CHUNK)
    assert (row["item_id"], row["text"], row["title"], row["doc_id"]) == (
        "c1",
        "Aby lies on the Ulm.",
        "Aby",
        "s/1",
    )


@pytest.mark.parametrize(
    ("kind", "item"),
    [("chunk", CHUNK), ("entity", Entity("e", "Aby", "town")), ("report", Community("c", 0))],
)
def test_an_item_without_a_vector_has_no_row(kind: ServedKind, item: object) -> None:
    assert rows(kind, item, vectors=[[0.0, 0.0]]) == []


def test_relations_without_a_text_share_the_row_of_their_predicate() -> None:
    told, *shared = rows("relation", TOLD, BARE, ALSO_BARE)
    assert (told["item_id"], told["source"], told["target"]) == ("r1", "aby", "ulm")
    assert {row["item_id"] for row in shared} == {predicate_key("near")}
    assert {row["predicate"] for row in shared} == {"near"}


def test_a_text_is_cut_between_characters_to_what_a_field_holds() -> None:
    [row] = rows("entity", Entity("e" * 70_000, "Aby", "town"))
    assert len(row["item_id"].encode()) == LONGEST_TEXT
    [row] = rows("chunk", Chunk("c", "d", "t", "北" * 40_000, 0, 1, 1))
    assert LONGEST_TEXT - 3 < len(row["text"].encode()) <= LONGEST_TEXT


def test_a_row_is_another_one_where_anything_of_it_is() -> None:
    [row] = rows("chunk", CHUNK)
    keys = {
        in_edition(row, "chunk", "kb", 1)["pk"],
        in_edition(row, "chunk", "kb", 2)["pk"],
        in_edition(row, "chunk", "other", 1)["pk"],
        in_edition({**row, "text": "Aby."}, "chunk", "kb", 1)["pk"],
        in_edition({**row, "vector": np.array([0.0, 1.0])}, "chunk", "kb", 1)["pk"],
    }
    assert len(keys) == 5
    assert in_edition(row, "chunk", "kb", 1)["pk"] in keys, "the same row again has the same key"
    assert in_edition(row, "chunk", "kb", 1)["died"] == NEVER


def test_requests_stay_below_what_a_server_takes() -> None:
    many = rows("chunk", *[Chunk(f"c{i}", "d", "t", "x" * 60_000, 0, 1, 1) for i in range(300)])
    parts = list(batches(many))
    assert sum(map(len, parts)) == 300
    assert max(sum(len(row["text"]) for row in part) for part in parts) < 16 << 20
    assert len(parts) > 1


def test_names_of_collections_are_what_milvus_takes() -> None:
    space = space_of('a "model"/with: signs', 384)
    assert all(collection_of(kind, space).isidentifier() for kind in SERVED_KINDS)
    assert space != space_of('a "model"/with: signs', 768)
