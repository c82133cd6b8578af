"""Hoptrail as a LlamaIndex query engine: the response bears the trail and its quotes.

pip install "hoptrail[llama-index]"
python examples/llama_index_query_engine.py kb "Who founded the yard that built the Grey Petrel?"
"""

from __future__ import annotations

import sys

from llama_index.core.base.response.schema import RESPONSE_TYPE

from hoptrail import Hoptrail
from hoptrail.llama_index import HoptrailQueryEngine


def answer(folder: str, question: str) -> RESPONSE_TYPE:
    """Return the response of Hoptrail's own query engine."""
    with Hoptrail.open(folder) as h:
        return HoptrailQueryEngine(h).query(question)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    response = answer(*sys.argv[1:3])
    print(response)
    for hop in (response.metadata or {})["trail"]:
        print(hop["hop"], hop["claim"], f"({hop['support']})")
    for quote in response.source_nodes:
        print(f'"{quote.text}"', quote.node.ref_doc_id)
