"""How many of the names and relations that the rules find are right, by hand-labelled samples.

    python -m benchmarks.extraction_samples.score [--unlabelled FILE]

draws 50 names and 50 worded relations from each of four corpora, compares them with `labels.jsonl`
and prints the shares that are right. Items without a label are written to FILE to be labelled, and
counted as wrong until they are. What the labels mean is told in README.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data_sets import data_folder
from benchmarks.everyday.generate import write
from hoptrail.core.text import name_key
from hoptrail.core.types import VALUE_TYPES, Chunk, Document
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.indexing.extraction.phrases import extract_phrases
from hoptrail.indexing.extraction.rows import WROTE
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import load_documents

PER_CORPUS = 50
LABELS = Path(__file__).with_name("labels.jsonl")
CORPORA = {
    "everyday": None,  # generated, see benchmarks/everyday
    "2wiki": "2wiki/dev_corpus.jsonl",
    "lihua": "lihua_world/docs.jsonl",
    "carol": "christmas_carol/text_gutenberg.txt",
}
KINDS = ("name", "relation")


@dataclass(frozen=True, slots=True)
class Item:
    """A name of a document, or a relation with its sentence; `words` are what is judged."""

    corpus: str
    kind: str
    doc_id: str
    words: tuple[str, ...]
    sentence: str

    @property
    def digest(self) -> str:
        """The item's identity in `labels.jsonl`, and its place in the order of drawing."""
        told = "\0".join((self.corpus, self.kind, self.doc_id, *self.words, self.sentence))
        return hashlib.sha256(told.encode()).hexdigest()[:24]


def items_of(corpus: str, chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what the rules read in some chunks, each document's own title left out."""
    for chunk in chunks:
        found = extract_phrases(chunk)
        for entity in found.entities:
            is_title = name_key(entity.name) == name_key(chunk.title)
            if not is_title and entity.type not in VALUE_TYPES:
                yield Item(corpus, "name", chunk.doc_id, (entity.name,), "")
        for relation in found.relations:
            if relation.predicate not in {CO_OCCURS, WROTE}:
                words = (relation.subject, relation.predicate, relation.object)
                yield Item(corpus, "relation", chunk.doc_id, words, relation.description)


def draw(items: Iterable[Item]) -> list[Item]:
    """Return the items with the lowest digests: by chance, and most of them again next time."""
    by_digest = {item.digest: item for item in items}
    return [by_digest[digest] for digest in sorted(by_digest)[:PER_CORPUS]]


def chunks_of(corpus: str, folder: Path) -> list[Chunk]:
    """Return the passages of a corpus, from a folder where the everyday documents are written."""
    path = CORPORA[corpus]
    if path is None:
        write(folder)
    source = folder / "documents" if path is None else data_folder(path) / path
    loaded = load_documents([source], source=corpus)
    documents = (item for item in loaded if isinstance(item, Document))
    return [chunk for document in documents for chunk in chunk_document(document)]


def read_labels() -> dict[str, str]:
    """Return the label of each digest."""
    if not LABELS.exists():
        return {}
    rows = map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())
    return {row["digest"]: row["label"] for row in rows}


def main() -> int:
    """Draw, score and print."""
    parser = argparse.ArgumentParser(description="Score what the rules take for names, relations.")
    parser.add_argument("--unlabelled", type=Path, help="write what has no label yet to this file")
    arguments = parser.parse_args()
    labels = read_labels()
    open_items: list[Item] = []
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in CORPORA:
            found = list(items_of(corpus, chunks_of(corpus, Path(temporary))))
            for kind in KINDS:
                own = [item for item in found if item.kind == kind]
                sample = draw(own)
                right = sum(labels.get(item.digest) == "right" for item in sample)
                lacking = [item for item in sample if item.digest not in labels]
                open_items += lacking
                share = right / len(sample) if sample else 0.0
                total = len({item.digest for item in own})
                print(
                    f"{corpus:9} {kind:9} {right:3} of {len(sample):3} right, "
                    f"{total:6} in all, about {round(share * total):6} right; "
                    f"{len(lacking)} without a label"
                )
    if arguments.unlabelled:
        rows = (_row(item) for item in open_items)
        arguments.unlabelled.write_text("".join(rows), encoding="utf-8")
    return 0


def _row(item: Item) -> str:
    row = {
        "digest": item.digest,
        "corpus": item.corpus,
        "kind": item.kind,
        "doc_id": item.doc_id,
        "words": item.words,
        "sentence": item.sentence,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main())
