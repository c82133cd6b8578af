"""Reads passages and graph of a published base with langchain-neo4j; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from given_vectors import Given
from langchain_core.language_models import FakeListChatModel
from langchain_neo4j import GraphCypherQAChain, Neo4jGraph, Neo4jVector

_ENTITY = [{"property": "kb", "type": "STRING"}, {"property": "name", "type": "STRING"}]
_SCHEMA = {  # as Neo4jGraph reads it where the server has APOC
    "node_props": {"__Entity__": _ENTITY},
    "rel_props": {},
    "relationships": [{"start": "__Entity__", "type": "WAS_BORN_IN", "end": "__Entity__"}],
    "metadata": {},
}
_BIRTHPLACE = """MATCH (p:__Entity__ {kb: '%s', name: 'Marie Curie'})-[:WAS_BORN_IN]->(t:__Entity__)
    RETURN t.name AS name"""


def titles(request: Request) -> dict[str, list[str]]:
    server = {"url": request.uri, "username": request.user, "password": request.password}
    store = Neo4jVector.from_existing_index(
        Given(request),
        **server,
        index_name=f"{request.space}_chunks",
        text_node_property="text",
    )
    _read_graph(Neo4jGraph(**server, refresh_schema=False), request.space.rpartition("_")[0])
    return {
        question: [found.metadata["title"] for found in store.similarity_search(question, k=3)]
        for question in request.vectors
    }


def _read_graph(graph: Neo4jGraph, kb: str) -> None:
    """Query the graph as it is, and by the chain that lets a model write the query."""
    query = _BIRTHPLACE % kb
    assert {"name": "Warsaw"} in graph.query(query)
    graph.structured_schema = _SCHEMA
    model = FakeListChatModel(responses=[query, "Marie Curie was born in Warsaw."])
    chain = GraphCypherQAChain.from_llm(
        model, graph=graph, allow_dangerous_requests=True, return_intermediate_steps=True
    )
    told = chain.invoke({"query": "Where was Marie Curie born?"})
    assert {"name": "Warsaw"} in told["intermediate_steps"][1]["context"], told
    assert told["result"] == "Marie Curie was born in Warsaw."


answer(titles)
