"""Measures publishing to a server: a whole base, and one document that was replaced.

The base is a copy of the one that is named, so its embedder need not be at hand. Of this process
both the clock and the processor are told; the rest is the server's.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hoptrail.core.types import Chunk
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.publication import Publication, bring_in_step
from hoptrail.stores.registry import open_store
from hoptrail.stores.serving import ServingStore

NAME = "bench_servers"


def main() -> None:
    """Publish a copy of a base, then a document of it that was replaced."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kb", type=Path, help="folder of a knowledge base")
    parser.add_argument("server", help="such as bolt://127.0.0.1:7687; NEO4J_PASSWORD is set")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "kb"
        shutil.copytree(arguments.kb, folder)
        store = open_store(arguments.server, NAME)
        with KnowledgeBase.open(folder, writable=True) as kb:
            with timed("the whole base"):
                tell(bring_in_step(kb, store))
            for _ in range(5):
                replace_document(kb)
                with timed("one document"):
                    tell(bring_in_step(kb, store))
        remove(store)


def replace_document(kb: KnowledgeBase) -> None:
    """Publish another text of the first document in the folder; it states no facts."""
    first = kb.document_records()[0]
    (document,) = kb.store.documents([first.id])
    longer = replace(document, text=f"{document.text} More is not known.")
    end = len(longer.text)
    id_ = Chunk.make_id(longer.id, 0, end, longer.text)
    kb.put_document(longer, [Chunk(id_, longer.id, longer.title, longer.text, 0, end, 100)])
    kb.publish()


def tell(told: Publication | None) -> None:
    """Print how many items were written and taken away."""
    if told is not None:
        print(f"  {sum(told.put.values()):,} put, {sum(told.gone.values()):,} gone")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print the seconds that something took."""
    clock, processor = time.perf_counter(), time.process_time()
    yield
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(f"{what}: {clock:.2f} s, of them {processor:.2f} s in this process")


def remove(store: ServingStore) -> None:
    """Take the base from the server, if the store can."""
    getattr(store, "remove", lambda: None)()
    store.close()


if __name__ == "__main__":
    main()
