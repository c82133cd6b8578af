"""The last lines of a run: what was skipped, why, and what to install for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

_NAMED = "Skipped: "


def skip_lines(reports: Iterable[Any]) -> Iterator[str]:
    """Yield a line for each reason, the commonest first: how many tests it skipped.

    Args:
        reports: Pytest's reports of skipped tests, whose `longrepr` is file, line and reason.
    """
    counts: Counter[str] = Counter()
    for report in reports:
        told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        counts[told.removeprefix(_NAMED)] += 1
    for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:5} {'test' if count == 1 else 'tests'}: {reason}"
