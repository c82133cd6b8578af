"""The language of each document, which those that say too little have from the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hoptrail.core.language.detection import ENGLISH, UNKNOWN, shown_language
from hoptrail.core.types import Document
from hoptrail.stores.knowledge_base import KnowledgeBase

LANGUAGE = "language"
"""The field of a document's language."""

_READ = 2000  # characters
_LEAST_PROSE = 8  # words
_WORD = re.compile(r"[^\W\d_]+")


class DocumentLanguages:
    """Tells the languages of the documents of a run.

    Tables, and texts of a few names, show none: they have that of most other documents of the base,
    else English. The base's languages are counted when the first of them comes.

    Args:
        kb: The base that they go into; it has what was told of before.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._counts: Counter[str] | None = None
        self._assumed: dict[str, str] = {}

    def told(self, documents: Sequence[Document]) -> list[Document]:
        """Return documents with the field of their language, unless they came with one."""
        shown = [_shown(document) for document in documents]
        self._count(shown)
        usual = self._usual() if None in shown else ENGLISH
        found = []
        for document, language in zip(documents, shown, strict=True):
            if LANGUAGE in document.metadata or language == UNKNOWN:
                found.append(document)
                continue
            if language is None:
                self._assumed[document.id] = usual
            metadata = {LANGUAGE: language or usual, **document.metadata}
            found.append(replace(document, metadata=metadata))
        return found

    def settle(self) -> None:
        """Give the documents that show no language that of most that the run has read since."""
        usual = self._usual() if self._assumed else ENGLISH
        late = [doc_id for doc_id, assumed in self._assumed.items() if assumed != usual]
        self._kb.put_field(late, LANGUAGE, usual)

    def _count(self, shown: Sequence[str | None]) -> None:
        """Count what documents show from the first one that shows nothing."""
        if self._counts is None and None in shown:
            self._counts = Counter(self._kb.document_languages())
        if self._counts is not None:
            self._counts.update(one for one in shown if one is not None and one != UNKNOWN)

    def _usual(self) -> str:
        """Return the commonest language, English among equals."""
        counts = self._counts or Counter[str]()
        most = max(counts.values(), default=0)
        common = {language for language, count in counts.items() if count == most}
        return ENGLISH if ENGLISH in common or not common else min(common)


def _shown(document: Document) -> str | None:
    """Return the language that the sentences of a document show, or its rows where it has none."""
    if LANGUAGE in document.metadata:
        return UNKNOWN
    prose = _prose(document)
    is_prose = len(_WORD.findall(prose)) >= _LEAST_PROSE
    return shown_language(prose if is_prose else document.text, is_prose=is_prose)


def _prose(document: Document) -> str:
    """Return the beginning of a document's text without the rows of its tables."""
    rows = sorted((row.start, row.end) for part in document.tables for row in part.rows)
    parts: list[str] = []
    at = told = 0
    for start, end in [*rows, (len(document.text), len(document.text))]:
        part = document.text[at:start]
        parts.append(part)
        told += len(part.strip())
        if told > _READ:
            break
        at = end
    return " ".join(" ".join(parts).split())
