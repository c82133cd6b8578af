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
    """Ask at least so many questions, each as new as the server is.

    One is answered before "ready" is printed and one is begun after the file is there: however
    slow the machine, the first sees what was published before, the last all that came since.
    """
    source = Neo4jStore.open(url, name).source(HashingEmbedder())
    retrievers = [make_retriever(one, source) for one in ("ppr", "vector", "dot")]

    def ask(number: int) -> str:
        source.refresh()
        question = f"Which mill was built after Town {number % 6}, {number}?"
        return json.dumps(marks(retrievers[number % 3].retrieve(question)))

    first = ask(0)
    print("ready", first, sep="\n", flush=True)
    asked = 1
    while asked < least or not stop.exists():
        print(ask(asked), flush=True)
        asked += 1
    print(ask(asked), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
