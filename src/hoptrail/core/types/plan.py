"""Instructions of the agents to a retriever, beside the question."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types.record import Record


@dataclass(frozen=True, slots=True)
class Plan(Record):
    """How to look: every field may be empty, then the retriever's own fallbacks decide.

    `entities` are names to start from, `keywords` themes, `sub_questions` ordered steps.
    """

    sub_questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
