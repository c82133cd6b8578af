"""The sentences of a community report, for answers that no model writes."""

from __future__ import annotations

from hoptrail.agents.graphrag.report_references import without_references
from hoptrail.core.text import sentences
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
    text = " ".join(without_references(sentence).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
