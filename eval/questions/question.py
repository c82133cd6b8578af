"""Questions with gold answers and gold support, and the documents of a base that support each."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import Document
from hoptrail.stores.protocols import GraphStore

_UNANSWERABLE_TYPES = frozenset({"null", "null_query"})
_UNANSWERABLE_ANSWERS = frozenset({"insufficient information", "insufficient information.", "n/a"})
_YES_NO = frozenset({"yes", "no"})

GLOBAL = "global"
"""Type of the questions about a corpus as a whole, which have no gold answer."""


@dataclass(frozen=True, slots=True)
class SupportReference:
    """Gold support as a file names it; `passages` are (title, text) pairs."""

    ids: tuple[str, ...] = ()
    passages: tuple[tuple[str, str], ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldStep:
    """One step of a gold decomposition; `#1` in a question stands for the first step's answer.

    `passages` are the (title, text) pairs that state the answer, where the file tells.
    """

    question: str
    answer: str
    passages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is known about its answer.

    `answers` is a set of gold answers, each with its accepted forms, the main one first. `line` is
    its line in the file. `sentences` are the gold (title, sentence) pairs, `relation_paths` the
    gold predicates from a topic entity to an answer, `facts` the gold (subject, predicate, object)
    triples, `graph` the key of the question's own graph.
    """

    id: str
    text: str
    answers: tuple[tuple[str, ...], ...]
    line: int
    type: str | None = None
    hops: int | None = None
    topic_entities: tuple[str, ...] = ()
    support: SupportReference = SupportReference()
    steps: tuple[GoldStep, ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()
    relation_paths: tuple[tuple[str, ...], ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    graph: str | None = None

    @property
    def graph_key(self) -> str:
        """The key of the question's graph in a file of graphs: its own, else its id."""
        return self.graph or self.id

    @property
    def accepted(self) -> tuple[str, ...]:
        """Every form of every gold answer."""
        return tuple(form for forms in self.answers for form in forms)

    @property
    def is_open(self) -> bool:
        """Whether there is no gold answer to compare with: two systems' answers are judged."""
        return not self.answers

    @property
    def is_unanswerable(self) -> bool:
        """Whether the right reaction is to abstain."""
        return (self.type or "").casefold() in _UNANSWERABLE_TYPES or any(
            form.strip().casefold() in _UNANSWERABLE_ANSWERS for form in self.accepted
        )

    @property
    def is_yes_no(self) -> bool:
        """Whether the gold answer is yes or no, which any text contains by chance."""
        return bool(self.answers) and all(
            normalize_answer(form) in _YES_NO for form in self.accepted
        )


@dataclass(frozen=True, slots=True)
class Gold:
    """The documents that support a question; `missing` describes support that was not found.

    `of_last_hop` are those of the last step, empty where the question's steps name no passage.
    """

    documents: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    of_last_hop: tuple[str, ...] = ()


class DocumentFinder:
    """Finds documents of one knowledge base by what a file calls them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_id: dict[str, list[str]] = defaultdict(list)
        self._by_passage: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._by_title: dict[str, list[str]] = defaultdict(list)
        for document in sorted(documents, key=lambda document: document.id):
            for name in {document.id, document.id.removeprefix(f"{document.source}/")}:
                self._by_id[name].append(document.id)
            title, text = passage_key(document.title, document.text)
            self._by_passage[title, text].append(document.id)
            self._by_title[title].append(document.id)

    def by_id(self, name: str) -> list[str]:
        """Return the documents of a full id or of an id within a source."""
        return self._by_id.get(name, [])

    def by_passage(self, title: str, text: str) -> list[str]:
        """Return the documents of this title and text, up to white space."""
        return self._by_passage.get(passage_key(title, text), [])

    def by_title(self, title: str) -> list[str]:
        """Return the documents of a title."""
        return self._by_title.get(_key(title), [])


class GoldResolver:
    """Finds gold support among the documents of one knowledge base."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = DocumentFinder(documents)

    def resolve(self, question: Question) -> Gold:
        """Resolve the first form of support that the question carries.

        The order is ids, then (title, text), then titles, where every document of a title is
        gold. Support of an unanswerable question may be missing.
        """
        support, documents = question.support, self._documents
        if support.ids:
            found = [(name, _only_one(documents.by_id(name))) for name in support.ids]
        elif support.passages:
            found = [(title, documents.by_passage(title, text)) for title, text in support.passages]
        else:
            found = [(title, documents.by_title(title)) for title in support.titles]
        gold = dict.fromkeys(document for _, ids in found for document in ids)
        missing = () if question.is_unanswerable else tuple(name for name, ids in found if not ids)
        return Gold(tuple(gold), missing, self._of_last_hop(question, gold))

    def _of_last_hop(self, question: Question, gold: Collection[str]) -> tuple[str, ...]:
        if len(question.steps) < 2:
            return ()
        passages = question.steps[-1].passages
        found = (id_ for passage in passages for id_ in self._documents.by_passage(*passage))
        return tuple(dict.fromkeys(id_ for id_ in found if id_ in gold))


def _only_one(documents: list[str]) -> list[str]:
    """Return the document of an id, none if several sources have a document of that id."""
    return documents if len(documents) == 1 else []


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


def passage_key(title: str, text: str) -> tuple[str, str]:
    """Return what two copies of a passage share: title and text in NFKC with single spaces."""
    return _key(title), _key(text)


def _key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def with_gold_passages(
    questions: Sequence[Question], gold: Mapping[str, Gold], store: GraphStore
) -> list[Question]:
    """Return the questions, those whose support is only ids with the (title, text) behind them.

    Args:
        questions: All of a run.
        gold: Their gold documents, by question id.
        store: Holds the documents.
    """
    return [_complete(question, gold[question.id], store) for question in questions]


def _complete(question: Question, gold: Gold, store: GraphStore) -> Question:
    support = question.support
    if not support.ids or support.passages:
        return question
    documents = store.documents(gold.documents)
    passages = tuple((document.title, document.text) for document in documents)
    return replace(question, support=replace(support, passages=passages))
