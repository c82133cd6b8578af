"""The line that tells how to have reports, for questions about a whole that none tells of."""

from __future__ import annotations

from hoptrail.agents.planning.global_question import asks_about_whole

_HOW_TO_HAVE_REPORTS = (
    "no community reports tell of the whole yet: hoptrail communities, or Hoptrail.communities(), "
    "writes them, also without a model"
)


def missing_reports(question: str) -> str | None:
    """Return a line that names the command which writes reports, for a base that has none.

    Args:
        question: As it was searched for; None is returned for one that looks something up.
    """
    return _HOW_TO_HAVE_REPORTS if asks_about_whole(question) else None
