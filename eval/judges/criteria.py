"""By what two answers are compared: each criterion with its one definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.errors import SettingsError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion as the judge is told it; `name` is also its key in replies and reports."""

    name: str
    definition: str


COMPREHENSIVENESS = Criterion(
    "comprehensiveness",
    "How fully does the answer deal with all that the question asks for, in aspects and in "
    "details that matter, without repeating itself?",
)
DIVERSITY = Criterion(
    "diversity",
    "How many different perspectives, dimensions or sources does the answer bring together?",
)
EMPOWERMENT = Criterion(
    "empowerment",
    "How well does the answer help its reader to understand the matter and to judge it on good "
    "grounds, without misleading claims or false conclusions?",
)
DIRECTNESS = Criterion(
    "directness",
    "How clearly and briefly does the answer come to the core of the question?",
)
LOGICALITY = Criterion(
    "logicality",
    "How consistent and well ordered is the reasoning: does each conclusion follow from what is "
    "said before it?",
)
RELEVANCE = Criterion(
    "relevance",
    "How closely does the answer stay with the question, without matter that it does not need?",
)
COHERENCE = Criterion(
    "coherence",
    "How smoothly do the parts of the answer connect to one readable whole?",
)
OVERALL = Criterion(
    "overall",
    "All in all, which answer would serve someone who asked this question better?",
)

CRITERIA = (
    COMPREHENSIVENESS,
    DIVERSITY,
    EMPOWERMENT,
    DIRECTNESS,
    LOGICALITY,
    RELEVANCE,
    COHERENCE,
    OVERALL,
)
"""All criteria, the sum of them last.

The first four are those of Edge et al., "From Local to Global", 2024; the next three those of
"DotRAG: Retrieval-Time Reasoning Along Paths", appendix A.
"""


def choose_criteria(names: Sequence[str]) -> tuple[Criterion, ...]:
    """Return the criteria of these names, in the order of `CRITERIA`; no names: all of them.

    Raises:
        UnknownNameError: If a name is none of them.
        SettingsError: If a name is empty.
    """
    if not names:
        return CRITERIA
    known = {criterion.name: criterion for criterion in CRITERIA}
    for name in names:
        if not name:
            raise SettingsError("--criteria holds an empty name", hint="separate names by commas")
        if name not in known:
            raise UnknownNameError("criterion", name, known)
    return tuple(criterion for name, criterion in known.items() if name in names)
