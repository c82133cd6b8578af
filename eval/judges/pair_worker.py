"""Works off pairs of answers; each judgement is written as soon as it is known."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from hoptrail.core.errors import CostLimitError, HoptrailError, ModelUnavailableError
from hoptrail.core.money import dollars
from hoptrail.eval.judges.judgement_folder import JudgementFolder
from hoptrail.eval.judges.pairs import AnswerPair, decide_by_rule
from hoptrail.eval.judges.pairwise import PairwiseJudge
from hoptrail.eval.judges.verdicts import PairJudgement
from hoptrail.eval.runs.worker import RunProgress

_FAILURES_IN_A_ROW = 4


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
            return PairJudgement(
                pair.id, pair.question, pair.fingerprint, "unjudged", failure=error.message
            )
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
