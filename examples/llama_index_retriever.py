"""Hoptrail as the retriever of a LlamaIndex query engine: it finds, your LLM answers.

    pip install "hoptrail[llama-index]"
    python examples/llama_index_retriever.py kb "Who founded the yard that built the Grey Petrel?"

Without a model of yours, LlamaIndex's mock LLM shows the prompt that it would be sent.
"""

from __future__ import annotations

import sys

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from hoptrail import Hoptrail
from hoptrail.llama_index import HoptrailRetriever


def answer(folder: str, question: str, llm: LLM) -> RESPONSE_TYPE:
    """Return the response of a query engine over the best five passages."""
    with Hoptrail.open(folder) as h:
        retriever = HoptrailRetriever(h, "ket", k=5)
        return RetrieverQueryEngine.from_args(retriever, llm=llm).query(question)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    response = answer(*sys.argv[1:3], llm=MockLLM())  # put your LLM in its place
    print(response)
    for found in response.source_nodes:
        print(f"{found.score:.2f}", found.node.ref_doc_id)
