"""The drill-down of a page: each question with what was found and answered in each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.types import JsonDict
from hoptrail.eval.report.outcomes import outcome_class
from hoptrail.eval.report.template import render_template

if TYPE_CHECKING:
    from markupsafe import Markup

_PAGE_CHARACTERS = 1_500_000
_LONGEST_PASSAGE = 500
_LONGEST_EVIDENCE = 3000
_SHOWN_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class Room:
    """How many characters of a passage, and of the rendered evidence, fit on the page."""

    passage: int
    evidence: int

    @classmethod
    def for_rows(cls, rows: int) -> Room:
        """Return the room of one of so many rows: a page of any run stays small."""
        room = _PAGE_CHARACTERS // max(1, rows)
        passage = min(_LONGEST_PASSAGE, room // 2 // _SHOWN_PASSAGES)
        return cls(passage, min(_LONGEST_EVIDENCE, room // 2))


def question_list(names: Sequence[str], rows: Sequence[Sequence[JsonDict]]) -> Iterator[Markup]:
    """Yield one `details` element per question.

    Args:
        names: The runs' names.
        rows: Per question its row in each run.
    """
    room = Room.for_rows(len(rows) * len(names))
    for of_question in rows:
        outcomes = [outcome_class(row) for row in of_question]
        yield render_template(
            "question.html",
            rows=of_question,
            names=names,
            outcomes=outcomes,
            is_flip=len({its_outcome.is_good for its_outcome in outcomes}) > 1,
            room=room,
        )
