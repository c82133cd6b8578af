"""Answers by whether they are right, and by whether they are given plainly or with reserve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import has_crashed

Verdict = Literal["right plain", "right perhaps", "wrong plain", "wrong perhaps", "abstained"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def verdict_of(row: JsonDict) -> Verdict | None:
    """Return the verdict on a row, None where nothing was answered to, or the run broke.

    An answer with reserve is right or wrong by its text. An abstention is none of the two, not even
    from a question that has no answer: `accuracy` counts that one as right.
    """
    scores = row["scores"]
    if scores["accuracy"] is None or has_crashed(row):
        return None
    if scores["abstain_rate"] == 1:
        return "abstained"
    if row.get("perhaps"):
        return "right perhaps" if scores["accuracy"] == 1 else "wrong perhaps"
    return "right plain" if scores["accuracy"] == 1 else "wrong plain"


def verdict_shares(rows: Iterable[JsonDict]) -> dict[str, float] | None:
    """Return the share of each verdict over the rows that have one; they add up to 1."""
    counts = Counter(verdict for row in rows if (verdict := verdict_of(row)) is not None)
    total = counts.total()
    return {name: counts[name] / total for name in VERDICTS} if total else None
