"""Finds passages of a published base with langchain-neo4j; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from given_vectors import Given
from langchain_neo4j import Neo4jVector


def titles(request: Request) -> dict[str, list[str]]:
    store = Neo4jVector.from_existing_index(
        Given(request),
        url=request.uri,
        username=request.user,
        password=request.password,
        index_name=f"{request.space}_chunks",
        text_node_property="text",
    )
    return {
        question: [found.metadata["title"] for found in store.similarity_search(question, k=3)]
        for question in request.vectors
    }


answer(titles)
