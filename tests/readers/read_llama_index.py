"""Finds entities of a published base with LlamaIndex's property graph; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

# The name of a node is its id to LlamaIndex.
_NAMES = "UNWIND $ids AS id MATCH (e:__Entity__ {id: id}) RETURN e.name AS name"


def titles(request: Request) -> dict[str, list[str]]:
    store = Neo4jPropertyGraphStore(
        username=request.user,
        password=request.password,
        url=request.uri,
        refresh_schema=False,  # that needs APOC
    )
    # Its index spans all bases of the database.
    base = MetadataFilter(key="kb", value=request.space.rpartition("_")[0])
    only = MetadataFilters(filters=[base])
    found: dict[str, list[str]] = {}
    for question, vector in request.vectors.items():
        query = VectorStoreQuery(query_embedding=vector, similarity_top_k=3, filters=only)
        nodes, _ = store.vector_query(query)
        rows = store.structured_query(_NAMES, {"ids": [node.id for node in nodes]})
        found[question] = [row["name"] for row in rows]
        assert store.get_rel_map(nodes, depth=1), "entities have no relations"
    store.close()
    return found


answer(titles)
