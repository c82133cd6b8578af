"""Gold documents: which documents of a knowledge base support each question (CONTRACT 4)."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.eval.questions import Question


@dataclass(frozen=True, slots=True)
class Gold:
    """The documents that support a question; `missing` describes support that was not found."""

    documents: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class GoldResolver:
    """Finds gold support among the documents of one knowledge base."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_id: dict[str, list[str]] = defaultdict(list)
        self._by_passage: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._by_title: dict[str, list[str]] = defaultdict(list)
        for document in sorted(documents, key=lambda document: document.id):
            for name in {document.id, document.id.removeprefix(f"{document.source}/")}:
                self._by_id[name].append(document.id)
            title = _key(document.title)
            self._by_passage[title, _key(document.text)].append(document.id)
            self._by_title[title].append(document.id)

    def resolve(self, question: Question) -> Gold:
        """Resolve the first form of support that the question carries.

        The order is ids, then (title, text), then titles, where every document of a title is
        gold. Support of an unanswerable question may be missing.
        """
        support = question.support
        if support.ids:
            found = [(name, self._only_one(name)) for name in support.ids]
        elif support.passages:
            found = [
                (title, self._by_passage.get((_key(title), _key(text)), []))
                for title, text in support.passages
            ]
        else:
            found = [(title, self._by_title.get(_key(title), [])) for title in support.titles]
        documents = dict.fromkeys(document for _, ids in found for document in ids)
        missing = () if question.is_unanswerable else tuple(name for name, ids in found if not ids)
        return Gold(tuple(documents), missing)

    def _only_one(self, name: str) -> list[str]:
        """Return the document of an id, none if several sources have a document of that id."""
        ids = self._by_id.get(name, [])
        return ids if len(ids) == 1 else []


def resolve_gold(
    questions: Sequence[Question],
    documents: Iterable[Document],
    path: Path,
    *,
    allow_missing: bool = False,
) -> dict[str, Gold]:
    """Return the gold of each question by question id.

    Args:
        questions: The questions of the file at `path`.
        documents: All documents of the knowledge base.
        path: Named in errors.
        allow_missing: Keep gold with `missing` entries instead of raising.

    Raises:
        InputError: If support of a question is not in the knowledge base; names the line.
    """
    resolver = GoldResolver(documents)
    gold = {question.id: resolver.resolve(question) for question in questions}
    if allow_missing:
        return gold
    incomplete = [question for question in questions if gold[question.id].missing]
    if incomplete and not any(found.documents for found in gold.values()):
        raise InputError(
            "the knowledge base holds none of the gold documents of these questions",
            path=str(path),
            line=incomplete[0].line,
            hint="index the corpus that belongs to them, or choose its knowledge base",
        )
    if incomplete:
        first = incomplete[0]
        raise InputError(
            f"gold document {gold[first.id].missing[0]!r} is not in the knowledge base, or several "
            f"have its id ({len(incomplete)} of {len(questions)} questions lack some)",
            path=str(path),
            line=first.line,
            hint="index the missing documents, or pass --allow-missing-gold",
        )
    return gold


def _key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
