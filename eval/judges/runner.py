"""`judge_runs`: a pairwise comparison of the answers of two runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from hoptrail.core.types import JsonDict
from hoptrail.eval.judges.judgement_folder import JudgementFolder
from hoptrail.eval.judges.pair_worker import PairWorker
from hoptrail.eval.judges.pairs import pair_rows
from hoptrail.eval.judges.pairwise import PairwiseJudge
from hoptrail.eval.judges.pairwise_report import PairwiseReport, report_pairwise
from hoptrail.eval.runs.worker import RunProgress


def judge_runs(
    first: Sequence[JsonDict],
    second: Sequence[JsonDict],
    judge: PairwiseJudge,
    out: Path,
    *,
    names: tuple[str, str] = ("first", "second"),
    limit: int | None = None,
    concurrency: int = 1,
    max_usd: float | None = None,
    report: Callable[[RunProgress], None] | None = None,
) -> PairwiseReport:
    """Judge the answers of two runs to the same questions; `out` gets judgements and report.

    Judgements are written as they finish. Called again with the same arguments, it judges only
    what is not judged yet.

    Args:
        first: Rows of a run of `hoptrail eval`.
        second: Rows of another run.
        judge: Compares two answers.
        out: Folder for `judgements.jsonl` and `pairwise.json`.
        names: What to call the runs; the judge never sees them.
        limit: Only the first so many pairs.
        concurrency: Pairs in flight at once.
        max_usd: Dollars after which no further pair is begun, those of earlier calls included.
        report: Called at the start and after each pair.

    Raises:
        InputError: If the runs cannot be paired, or `out` holds other judgements.
        CostLimitError: At `max_usd`; what is judged is stored.
        ModelUnavailableError: If the model fails several times in a row; what is judged is stored.
    """
    pairs = pair_rows(first, second)
    folder = JudgementFolder(out)
    known = folder.resume({"first": names[0], "second": names[1], **judge.settings}, pairs)
    pairs = pairs[:limit]
    worker = PairWorker(judge, folder, max_usd=max_usd, report=report)
    judgements = asyncio.run(worker.work_off(pairs, known, concurrency))
    found = report_pairwise(names, judge.settings, judgements)
    folder.finish(found)
    return found
