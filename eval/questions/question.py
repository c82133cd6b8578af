"""Questions with gold answers and gold support, as docs/evaluation.md describes them."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.text import normalize_answer

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
