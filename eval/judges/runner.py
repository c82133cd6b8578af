"""`judge_runs`: a pairwise comparison of the answers of two runs, kept in a folder.

Its figures are computed from the judgements alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import CostLimitError, HoptrailError, ModelUnavailableError
from hoptrail.core.text import dollars
from hoptrail.core.types import JsonDict, NodeUsage, Record
from hoptrail.eval.figures.statistics import Interval, bootstrap_ci95, mcnemar, mean
from hoptrail.eval.json_files import JsonlLog, read_object, require_same, write_object
from hoptrail.eval.judges.pairwise import (
    AnswerPair,
    CriterionVerdict,
    PairJudgement,
    PairwiseJudge,
    Winner,
    decide_by_rule,
    pair_rows,
)
from hoptrail.eval.runs.worker import RunProgress

JUDGEMENTS = "judgements.jsonl"
REPORT = "pairwise.json"
RECORD = "judged_with.json"

_FAILURES_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class PositionBias(Record):
    """Whether it mattered which answer the judge saw first.

    Attributes:
        inconsistency_rate: Share of verdicts on which the two orders differ.
        first_shown_share: Share of the votes for an answer that went to the one shown first; .5
            is none the better for its place.
    """

    inconsistency_rate: float | None
    first_shown_share: float | None


@dataclass(frozen=True, slots=True)
class CriterionResult(Record):
    """How often either system won by one criterion.

    Attributes:
        n: Pairs with a verdict, those decided by a rule included.
        first: Share of them that the first system won.
        second: Share that the second one won.
        tie: Share that neither won.
        ci95: Bootstrap intervals of these shares, by their names.
        p: Exact two-sided sign test over the pairs that are no tie; 1 where all are.
        position: Position bias among the verdicts of the judge.
    """

    n: int
    first: float | None
    second: float | None
    tie: float | None
    ci95: Mapping[str, Interval | None]
    p: float
    position: PositionBias


@dataclass(frozen=True, slots=True)
class PairwiseReport(Record):
    """A comparison of two runs.

    Attributes:
        first: Name of the first run.
        second: Name of the second run.
        judged_with: Model, prompt, criteria with their definitions, and length of answers.
        n: Pairs of answers.
        decided_by: Number of pairs by what decided them.
        criteria: Result by criterion.
        position: Position bias over all criteria.
        usage: What the judgements cost, those of earlier, stopped calls included.
    """

    first: str
    second: str
    judged_with: JsonDict
    n: int
    decided_by: Mapping[str, int]
    criteria: Mapping[str, CriterionResult]
    position: PositionBias
    usage: NodeUsage


def report_pairwise(
    names: tuple[str, str], judged_with: JsonDict, judgements: Sequence[PairJudgement]
) -> PairwiseReport:
    """Return the report on the judgements; unjudged pairs are counted and left out of shares.

    Args:
        names: Of the first and the second run.
        judged_with: `PairwiseJudge.settings`.
        judgements: One per pair.
    """
    verdicts = {
        name: [item.verdicts[name] for item in judgements if name in item.verdicts]
        for name in judged_with["criteria"]
    }
    first, second = names
    return PairwiseReport(
        first=first,
        second=second,
        judged_with=judged_with,
        n=len(judgements),
        decided_by=dict(sorted(Counter(item.decided_by for item in judgements).items())),
        criteria={name: _result(found) for name, found in verdicts.items()},
        position=position_bias([verdict for found in verdicts.values() for verdict in found]),
        usage=sum((item.usage for item in judgements), NodeUsage()),
    )


def position_bias(verdicts: Sequence[CriterionVerdict]) -> PositionBias:
    """Return the position bias among the verdicts that have votes."""
    voted = [verdict for verdict in verdicts if verdict.votes]
    places: tuple[Winner, Winner] = ("first", "second")
    for_first_shown = [
        vote.winner == shown_first
        for verdict in voted
        for vote, shown_first in zip(verdict.votes, places, strict=True)
        if vote.winner != "tie"
    ]
    return PositionBias(
        mean([not verdict.is_consistent for verdict in voted]), mean(for_first_shown)
    )


def _result(verdicts: Sequence[CriterionVerdict]) -> CriterionResult:
    outcomes: tuple[Winner, ...] = ("first", "second", "tie")
    hits = {
        outcome: [float(verdict.winner == outcome) for verdict in verdicts] for outcome in outcomes
    }
    differences = [
        second - first for first, second in zip(hits["first"], hits["second"], strict=True)
    ]
    return CriterionResult(
        n=len(verdicts),
        first=mean(hits["first"]),
        second=mean(hits["second"]),
        tie=mean(hits["tie"]),
        ci95={outcome: bootstrap_ci95(found) for outcome, found in hits.items()},
        # McNemar's exact test is the sign test of the pairs that disagree.
        p=mcnemar(differences).p,
        position=position_bias(verdicts),
    )


class JudgementFolder:
    """Judgements of two runs, kept so that no pair is paid for twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = JsonlLog(path / JUDGEMENTS)

    def resume(self, judged_with: JsonDict, pairs: Sequence[AnswerPair]) -> list[PairJudgement]:
        """Return the judgements of these very answers that an earlier call finished.

        Unjudged pairs and judgements of other answers are dropped: they are judged again.

        Args:
            judged_with: The names of the runs and all else that judgements depend on.
            pairs: The pairs to judge now.

        Raises:
            InputError: If the folder holds judgements made with other settings, or a damaged line.
        """
        record = self.path / RECORD
        if record.exists():
            require_same(read_object(record), judged_with, self.path, "judgements")
        known = [PairJudgement.from_json(row) for row in self._log.read()]
        wanted = {(pair.id, pair.fingerprint) for pair in pairs}
        kept = [
            item
            for item in known
            if item.decided_by != "unjudged" and (item.id, item.answers) in wanted
        ]
        write_object(record, judged_with)
        self._log.replace(item.to_json() for item in kept)
        return kept

    def append(self, judgement: PairJudgement) -> None:
        """Add a finished judgement."""
        self._log.append(judgement.to_json())

    def finish(self, report: PairwiseReport) -> None:
        """Write the report."""
        write_object(self.path / REPORT, report.to_json())


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


class PairWorker:
    """Judges pairs, several at the same time, until done or stopped.

    Args:
        judge: Compares two answers.
        folder: Where judgements go.
        max_usd: Dollars after which no further pair is begun.
        report: Called at the start and after each pair.
    """

    def __init__(
        self,
        judge: PairwiseJudge,
        folder: JudgementFolder,
        *,
        max_usd: float | None = None,
        report: Callable[[RunProgress], None] | None = None,
    ) -> None:
        self._judge = judge
        self._folder = folder
        self._max_usd = max_usd
        self._report = report
        self._judgements: dict[str, PairJudgement] = {}
        self._total = 0
        self._unavailable_in_a_row = 0
        self._stopped_by: HoptrailError | None = None

    async def work_off(
        self, pairs: Sequence[AnswerPair], known: Sequence[PairJudgement], concurrency: int
    ) -> list[PairJudgement]:
        """Return the judgements of the pairs in their order, making those that are not known.

        Args:
            pairs: All pairs to judge.
            known: Judgements of earlier calls.
            concurrency: Pairs in flight at once.

        Raises:
            CostLimitError: At `max_usd`.
            ModelUnavailableError: If the model fails several times in a row.
            SettingsError: If the model cannot be opened.
        """
        found = {judgement.id: judgement for judgement in known}
        self._judgements = {pair.id: found[pair.id] for pair in pairs if pair.id in found}
        self._total = len(pairs)
        self._tell()
        queue = deque(pair for pair in pairs if pair.id not in found)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(queue))):
                group.create_task(self._work(queue))
        if self._stopped_by is not None:
            raise self._stopped_by
        return [self._judgements[pair.id] for pair in pairs]

    async def _work(self, queue: deque[AnswerPair]) -> None:
        while queue and self._stopped_by is None:
            pair = queue.popleft()
            judgement = decide_by_rule(pair, self._judge.criteria)
            if judgement is None and self._reached_limit():
                return
            try:
                judgement = judgement or await self._ask(pair)
            except HoptrailError as error:
                self._stopped_by = error
                return
            self._folder.append(judgement)
            self._judgements[pair.id] = judgement
            self._tell()

    async def _ask(self, pair: AnswerPair) -> PairJudgement:
        try:
            judgement = await self._judge.judge(pair)
        except ModelUnavailableError as error:
            self._note_unavailable(error)
            return pair.judged("unjudged", failure=error.message)
        self._unavailable_in_a_row = 0
        return judgement

    def _note_unavailable(self, error: ModelUnavailableError) -> None:
        self._unavailable_in_a_row += 1
        if self._unavailable_in_a_row >= _FAILURES_IN_A_ROW:
            self._stopped_by = ModelUnavailableError(
                f"stopped after {self._unavailable_in_a_row} failures in a row: {error.message}",
                hint=f"{error.hint}; what is judged is stored, the same command goes on",
            )

    def _reached_limit(self) -> bool:
        usd = self._usd()
        if self._max_usd is None or usd < self._max_usd:
            return False
        self._stopped_by = CostLimitError(
            f"stopped at {dollars(usd)} of {dollars(self._max_usd)}",
            hint="what is judged is stored; run again with a higher limit to go on",
        )
        return True

    def _tell(self) -> None:
        if self._report is not None:
            done = len(self._judgements)
            self._report(RunProgress(done, self._total, score_name="", score=None, usd=self._usd()))

    def _usd(self) -> float:
        return sum(item.usage.usd for item in self._judgements.values())
