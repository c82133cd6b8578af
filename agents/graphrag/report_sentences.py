"""The sentences of a community report, for answers that no model writes."""

from __future__ import annotations

from hoptrail.agents.graphrag.report_references import without_references
from hoptrail.core.text import clipped, sentences
from hoptrail.core.types import Community

_LONGEST = 300


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
