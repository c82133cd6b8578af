"""Answer a question about the whole from the sentences of community reports, without any model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hoptrail.agents.graphrag.report_references import (
    reference_to,
    references_in,
    without_references,
)
from hoptrail.core.embedding import Embed
from hoptrail.core.question import particular_words
from hoptrail.core.text import clipped, sentences
from hoptrail.core.types import Community
from hoptrail.core.types.draft import Draft

MAX_REPORTS = 6
FEWEST_SENTENCES = 2
_SENTENCES = 8

_LONGEST = 300


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
        told = {number: summary_sentences(report) for number, report in shown.items()}
    text = "\n".join(
        f"- **{report.title}**: {' '.join(told[number])} {reference_to([number])}"
        for number, report in shown.items()
    )
    return Draft("extractive", answers=(text,), reports=references_in(text, reports))


def _nearest_sentences(
    question: str, reports: Mapping[int, Community], embed: Embed
) -> dict[int, list[str]]:
    """Return of each report the sentences nearest to the question, in their order."""
    openings = {number: opening_sentences(report) for number, report in reports.items()}
    vectors = embed([question, *(text for told in openings.values() for text in told)])
    scores = iter(np.round(vectors[1:] @ vectors[0], 5).tolist())
    most = max(FEWEST_SENTENCES, _SENTENCES // len(reports))
    nearest: dict[int, list[str]] = {}
    for number, told in openings.items():
        scored = [(-next(scores), place) for place in range(len(told))]
        nearest[number] = [told[place] for place in sorted(p for _, p in sorted(scored)[:most])]
    return nearest


def opening_sentences(report: Community) -> list[str]:
    """Return the sentence that opens each finding, without repetitions; else the summary's."""
    texts = [finding.explanation or finding.summary for finding in report.findings]
    opening = [told for text in texts for told in sentences(text)[:1]]
    return list(dict.fromkeys(map(_clean, opening))) or summary_sentences(report)


def summary_sentences(report: Community) -> list[str]:
    """Return the sentences of the summary."""
    return list(map(_clean, sentences(report.summary)))


def _clean(sentence: str) -> str:
    """Return a sentence as one line without references, cut where it is long."""
    return clipped(without_references(sentence), _LONGEST)
