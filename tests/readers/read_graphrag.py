"""Finds passages of a published base with neo4j-graphrag; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from neo4j import GraphDatabase
from neo4j_graphrag.retrievers import HybridRetriever, VectorCypherRetriever

_WITH_ENTITIES = """OPTIONAL MATCH (node)-[:MENTIONS]->(e:__Entity__)
    RETURN node.title AS title, collect(e.name) AS names"""


def titles(request: Request) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    with GraphDatabase.driver(request.uri, auth=(request.user, request.password)) as driver:
        hybrid = HybridRetriever(
            driver, f"{request.space}_chunks", f"{request.space}_text", return_properties=["title"]
        )
        graph = VectorCypherRetriever(driver, f"{request.space}_chunks", _WITH_ENTITIES)
        for question, vector in request.vectors.items():
            words = "".join(one for one in question if one.isalnum() or one == " ")
            rows = hybrid.get_search_results(query_text=words, query_vector=vector, top_k=3).records
            found[question] = [row["node"]["title"] for row in rows]
            rows = graph.get_search_results(query_vector=vector, top_k=3).records
            assert any(row["names"] for row in rows), "passages name no entity"
    return found


answer(titles)
