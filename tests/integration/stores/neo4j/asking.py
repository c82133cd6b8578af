"""A process that asks questions of a published base until a file is there.

Prints for each question the marks of the generations that its evidence is of, as a JSON list.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from hoptrail.core.types import Evidence
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.testing import HashingEmbedder

_MARK = re.compile(r"in the year (\d{1,9})")


def marks(evidence: Evidence) -> list[str]:
    """Return the years that passages and entities tell."""
    texts = [hit.item.text for hit in evidence.chunks]
    texts += [hit.item.description for hit in evidence.entities]
    return sorted({mark for text in texts for mark in _MARK.findall(text)})


def main(url: str, name: str, least: int, stop: Path) -> None:
    """Ask at least so many questions, each as new as the server is."""
    source = Neo4jStore.open(url, name).source(HashingEmbedder())
    retrievers = [make_retriever(one, source) for one in ("ppr", "vector", "dot")]
    print("ready", flush=True)
    asked = 0
    while asked < least or not stop.exists():
        source.refresh()
        question = f"Which mill was built after Town {asked % 6}, {asked}?"
        print(json.dumps(marks(retrievers[asked % 3].retrieve(question))), flush=True)
        asked += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
