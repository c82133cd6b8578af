"""Finds entities of a published base with LlamaIndex's property graph; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore


def titles(request: Request) -> dict[str, list[str]]:
    store = Neo4jPropertyGraphStore(
        username=request.user,
        password=request.password,
        url=request.uri,
        refresh_schema=False,  # that needs APOC
    )
    found: dict[str, list[str]] = {}
    for question, vector in request.vectors.items():
        query = VectorStoreQuery(query_embedding=vector, similarity_top_k=3)
        nodes, _ = store.vector_query(query)
        found[question] = [node.properties.get("name", node.id) for node in nodes]
        assert store.get_rel_map(nodes, depth=1), "entities have no relations"
    store.close()
    return found


answer(titles)
