"""Answer a question about the whole from community reports, without any language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hoptrail.agents.community_reducer import references_in
from hoptrail.agents.draft import Draft
from hoptrail.agents.report_references import reference_to, without_references
from hoptrail.core.embedding import FloatArray
from hoptrail.core.question import particular_words
from hoptrail.core.text import sentences
from hoptrail.core.types import Community

MAX_REPORTS = 6
FEWEST_SENTENCES = 2
_SENTENCES = 8
_LONGEST = 300

Embed = Callable[[Sequence[str]], FloatArray]


def answer_from_reports(question: str, reports: Mapping[int, Community], embed: Embed) -> Draft:
    """Return a list of the most relevant reports: their titles, and what they say of the question.

    That is the sentences nearest to it, one from each finding; to a question of no particular
    subject it is the summary.

    Args:
        question: The standalone question.
        reports: Selected reports by number, the most relevant first; none is an abstention.
        embed: Unit vectors of texts, shape (n, dim).
    """
    if not reports:
        return Draft("extractive", reason="no_evidence")
    shown = dict(list(reports.items())[:MAX_REPORTS])
    if particular_words(question):
        told = _nearest_sentences(question, shown, embed)
    else:
        told = {number: sentences(report.summary) for number, report in shown.items()}
    text = "\n".join(
        f"- **{report.title}**: {_joined(told[number])} {reference_to([number])}"
        for number, report in shown.items()
    )
    return Draft("extractive", answers=(text,), reports=references_in(text, reports))


def _nearest_sentences(
    question: str, reports: Mapping[int, Community], embed: Embed
) -> dict[int, list[str]]:
    """Return of each report the sentences nearest to the question, in their order."""
    openings = {number: _openings(report) for number, report in reports.items()}
    vectors = embed([question, *(text for told in openings.values() for text in told)])
    scores = iter(np.round(vectors[1:] @ vectors[0], 5).tolist())
    most = max(FEWEST_SENTENCES, _SENTENCES // len(reports))
    nearest: dict[int, list[str]] = {}
    for number, told in openings.items():
        scored = [(-next(scores), place) for place in range(len(told))]
        nearest[number] = [told[place] for place in sorted(p for _, p in sorted(scored)[:most])]
    return nearest


def _openings(report: Community) -> list[str]:
    """Return the sentence that opens each finding, without repetitions; else the summary's."""
    texts = [finding.explanation or finding.summary for finding in report.findings]
    opening = [told for text in texts for told in sentences(text)[:1]]
    return list(dict.fromkeys(opening)) or sentences(report.summary)


def _joined(told: Sequence[str]) -> str:
    """Return sentences as one line, long ones cut."""
    flat = (" ".join(without_references(sentence).split()) for sentence in told[:_SENTENCES])
    return " ".join(
        text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …" for text in flat
    )
