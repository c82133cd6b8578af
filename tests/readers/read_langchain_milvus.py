"""Finds passages of published vectors with langchain-milvus; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from given_vectors import Given
from langchain_milvus import Milvus

_PRESENT = 'kb == "readers" and died == 2147483647'


def titles(request: Request) -> dict[str, list[str]]:
    store = Milvus(
        Given(request),
        connection_args={"uri": request.uri, "user": request.user, "password": request.password},
        collection_name=request.space,
        primary_field="pk",
        text_field="text",
        vector_field="vector",
    )
    found: dict[str, list[str]] = {}
    for question in request.vectors:
        documents = store.similarity_search(question, k=3, expr=_PRESENT)
        assert all(document.page_content for document in documents), "passages have no text"
        found[question] = [document.metadata["title"] for document in documents]
    return found


answer(titles)
