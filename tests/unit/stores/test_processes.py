"""Real processes: one that writes and is killed, others that read meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from hoptrail.core.errors import KnowledgeBaseLockedError
from hoptrail.stores.knowledge_base import KnowledgeBase

DOCUMENTS = 8
WRITER = """
import sys
import time
from pathlib import Path
import numpy as np
from hoptrail.core.types import Chunk, Document, Entity, Extraction, NodeUsage
from hoptrail.stores.knowledge_base import KnowledgeBase

class OnesEmbedder:
    name, dim = "ones", 4

    def embed(self, texts):
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

embedder = OnesEmbedder()
with KnowledgeBase.open(Path(sys.argv[1]), embedder=embedder, create=True) as kb:
    print("ready", flush=True)
    entities = []
    for i in range(int(sys.argv[2])):
        text = f"Text {i} of many."
        chunk_id = Chunk.make_id(f"s/{i}", 0, len(text), text)
        chunk = Chunk(chunk_id, f"s/{i}", "T", text, 0, len(text))
        kb.put_document(Document(f"s/{i}", "T", text, "s"), [chunk])
        if chunk.id not in kb.extraction_status("nlp"):
            kb.put_extraction(f"s/{i}", chunk.id, "nlp", Extraction(), NodeUsage(1))
        entities.append(Entity(f"e{i:03}", f"Entity {i}", chunk_ids=(chunk.id,)))
        kb.replace_graph(entities, [], [])
        texts = kb.texts_without_vectors()
        kb.put_embeddings(texts, embedder.embed(texts))
        kb.publish()
        # Readers must get to see generations in between.
        time.sleep(0.05)
"""


@contextmanager
def writer(folder: Path, documents: int = DOCUMENTS) -> Iterator[subprocess.Popen[str]]:
    """Start a writer and wait until it has the base open."""
    command = [sys.executable, "-c", WRITER, str(folder), str(documents)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_readers_in_other_processes_and_threads_always_see_one_whole_generation(
    folder: Path,
) -> None:
    def read_until(done: threading.Event) -> set[int]:
        seen = set()
        while not done.is_set():
            kb.refresh()
            with kb.pinned():
                index = kb.index
                seen.add(index.generation)
                sizes = {len(index.chunk_ids), len(index.entity_ids), len(index.doc_ids)}
                sizes |= {len(kb.vectors("chunk")), len(kb.vectors("entity"))}
                assert sizes == {index.generation}
                assert len(kb.store.entities(index.entity_ids.tolist())) == index.generation
        return seen

    done = threading.Event()
    with writer(folder) as process:
        with KnowledgeBase.open(folder) as kb, ThreadPoolExecutor(3) as threads:
            readers = [threads.submit(read_until, done) for _ in range(3)]
            assert process.wait(60) == 0
            time.sleep(0.05)
            done.set()
            seen = set().union(*(reader.result() for reader in readers))
    assert DOCUMENTS in seen
    assert len(seen) > 2


@pytest.mark.slow
def test_the_lock_holds_across_processes_and_dies_with_its_holder(folder: Path) -> None:
    with writer(folder, documents=100_000) as process:
        with pytest.raises(KnowledgeBaseLockedError, match=f"process {process.pid}"):
            KnowledgeBase.open(folder, writable=True)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        KnowledgeBase.open(folder, writable=True).close()
