"""The plan for a retriever and the draft of an answer, as agents hand them on."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types.answer import AbstainReason, ReportReference, Strategy
from hoptrail.core.types.record import Record

LISTS = "lists"
"""The predicate between the line above a list and one of its items."""
BESIDE = "has beside it"
"""The predicate between the first cell of a line in columns and another one."""
ANSWERS = "is answered by"
"""The predicate between a question that a text asks and the paragraph below it."""
STANDS_FOR = "stands for"
"""The predicate between an abbreviation and its long form."""


@dataclass(frozen=True, slots=True)
class Plan(Record):
    """How to look: every field may be empty, then the retriever's own fallbacks decide.

    `entities` are names to start from, `keywords` themes, `sub_questions` ordered steps.
    """

    sub_questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern(Record):
    """A triple pattern; terms that start with `?` are variables."""

    subject: str
    predicate: str
    object: str

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables among the two ends, in order."""
        return tuple(term for term in (self.subject, self.object) if term.startswith("?"))

    def bind(self, bindings: dict[str, str]) -> Pattern:
        """Return the pattern with known variables replaced by their values."""
        return Pattern(
            bindings.get(self.subject, self.subject),
            self.predicate,
            bindings.get(self.object, self.object),
        )


@dataclass(frozen=True, slots=True)
class HopClaim(Record):
    """One fact that a draft rests on.

    `chunk_id`, `relation_id` and `row_start`, the offset in its document of a row of a table, are
    what the draft points to, to be checked, never proof.
    """

    subject: str
    predicate: str
    object: str
    chunk_id: str | None = None
    relation_id: str | None = None
    row_start: int | None = None

    @property
    def claim(self) -> str:
        """The fact as a line of text."""
        return " ".join(part for part in (self.subject, self.predicate, self.object) if part)


@dataclass(frozen=True, slots=True)
class Draft(Record):
    """An answer that nobody has checked yet; plain JSON in graph state.

    `answers` is best first; `text` joins them. An abstention has no answers and a `reason`.
    `still_open` are the patterns that could not be resolved, known bindings filled in, in order,
    `missing` is the first of them and `unresolved` its variable: what further retrieval looks for.
    `reports` are the community reports that the text cites. `raw` is the reply. `reserve` is what
    the strategy itself holds against its answer: empty where it has compared the wording with the
    question's and holds nothing against it, None where it has not. `is_confirmed` is whether
    another query has found the same, which settles a doubt about the wording.
    """

    strategy: Strategy
    answers: tuple[str, ...] = ()
    reason: AbstainReason | None = None
    hops: tuple[HopClaim, ...] = ()
    unresolved: str | None = None
    missing: Pattern | None = None
    still_open: tuple[Pattern, ...] = ()
    derived: bool = False
    score: float = 0.0
    reports: tuple[ReportReference, ...] = ()
    raw: str = ""
    reserve: str | None = None
    is_confirmed: bool = False

    @property
    def text(self) -> str:
        """The answers in one string."""
        return "; ".join(self.answers)

    @property
    def abstained(self) -> bool:
        """Whether no answer is given."""
        return not self.answers
