"""The lines that tell that no community report answered, and how to have reports."""

from __future__ import annotations

from hoptrail.agents.planning.global_question import asks_about_whole

NOT_FROM_REPORTS = "the community reports do not answer it; the answer was read from passages"
"""Of a preset that answers from reports, and had some."""

_HOW_TO_HAVE_REPORTS = (
    "no community reports tell of the whole yet: hoptrail communities, or Hoptrail.communities(), "
    "writes them, also without a model"
)


def missing_reports(question: str, *, reads_reports: bool) -> str | None:
    """Return a line that names the command which writes reports, for a base that has none.

    Args:
        question: As it was searched for.
        reads_reports: Whether the preset answers from reports; else None is returned for a question
            that looks something up.
    """
    return _HOW_TO_HAVE_REPORTS if reads_reports or asks_about_whole(question) else None
