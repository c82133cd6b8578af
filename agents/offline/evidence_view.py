"""Evidence as those see it who answer from it without a model, laid out once for a question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.offline.name_types import NameTyper
from hoptrail.agents.offline.step_solver import StepSolver
from hoptrail.agents.tables.table_answer import answer_from_tables
from hoptrail.core.tables.table import Table
from hoptrail.core.types import Chunk, Evidence, QuestionType
from hoptrail.core.types.draft import Draft


class EvidenceView(ABC):
    """Evidence, its sentences, and the facts between what they name; made where asked for.

    Args:
        evidence: What was retrieved.
        question_type: As routed.
        similarity: Compares wordings by meaning; none without it.
        tables: Those that passages tell rows of, as wholes.
    """

    def __init__(
        self,
        evidence: Evidence,
        question_type: QuestionType,
        similarity: TextSimilarity | None = None,
        tables: Sequence[Table] = (),
    ) -> None:
        self.evidence = evidence
        self.question_type: QuestionType = question_type
        self.index = EvidenceIndex(evidence)
        self.similarity = similarity or TextSimilarity()
        self.tables = tuple(tables)
        self._from_tables: dict[str, Draft | None] = {}

    @property
    def passages(self) -> list[Chunk]:
        """The passages, best first."""
        return [hit.item for hit in self.evidence.chunks]

    @cached_property
    def graph(self) -> SentenceGraph:
        """The facts of sentences and relations, by what they name."""
        return SentenceGraph(self.index)

    @cached_property
    def solver(self) -> StepSolver:
        """Finds the facts of one step."""
        return StepSolver(self.graph, NameTyper(self.graph), self.similarity)

    def from_tables(self, question: str) -> Draft | None:
        """Return what a query over the tables answers, None where none fits the question."""
        if not self.tables:
            return None
        if question not in self._from_tables:
            draft = answer_from_tables(question, self.tables, self.similarity)
            self._from_tables[question] = None if _is_no_judgement(question, draft) else draft
        return self._from_tables[question]

    @abstractmethod
    def answer_part(self, question: str) -> Draft | None:
        """Return the answer to a part of the question with its reserve, None without one."""


def _is_no_judgement(question: str, draft: Draft | None) -> bool:
    """Return whether a draft gives something else where yes or no is asked for."""
    if draft is None or draft.abstained or focus_of(question).answer_type != "yes_no":
        return False
    return not {"yes", "no"}.issuperset(map(str.lower, draft.answers))
