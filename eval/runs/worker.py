"""Works off questions; each one's row is written as soon as it is known."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hoptrail.core.errors import CheckpointError, HoptrailError, MissingExtraError, SettingsError
from hoptrail.core.render import render
from hoptrail.core.types import Evidence, Hit, JsonDict
from hoptrail.eval.figures.statistics import mean
from hoptrail.eval.figures.summary import COSTS
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudge, EquivalenceJudgement
from hoptrail.eval.metrics.registry import Observation, is_unresolved, measure
from hoptrail.eval.questions.question import Gold, Question
from hoptrail.eval.run_folder import MISSING_GOLD, RunFolder
from hoptrail.eval.systems.system import Response, System, SystemOutput, ranked_documents
from hoptrail.stores.knowledge_base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is; `score` is the mean of the metric `score_name` so far, if any."""

    done: int
    total: int
    score_name: str
    score: float | None
    usd: float


class Worker:
    """Runs one system over questions and keeps their rows."""

    def __init__(
        self,
        system: System,
        floor: RandomFloor | None,
        gold: Mapping[str, Gold],
        folder: RunFolder,
        report: Callable[[RunProgress], None] | None = None,
        judge: EquivalenceJudge | None = None,
    ) -> None:
        self._system = system
        self._floor = floor
        self._gold = gold
        self._folder = folder
        self._report = report
        self._judge = judge
        self._rows: dict[str, JsonDict] = {}
        self._total = 0

    async def work_off(
        self, questions: Sequence[Question], known: Sequence[JsonDict], concurrency: int
    ) -> list[JsonDict]:
        """Return the rows of the questions in their order, measuring those that are not known.

        Args:
            questions: All questions of the run.
            known: Rows that an earlier, interrupted call finished.
            concurrency: Questions in flight at once.

        Raises:
            SettingsError: If the system or a model cannot work with its settings.
            MissingExtraError: If it needs a package that is not installed.
            CheckpointError: If the graph LLM cannot be loaded.
        """
        self._total = len(questions)
        self._rows = {row["id"]: row for row in known}
        self._tell()
        free = asyncio.Semaphore(max(1, concurrency))
        try:
            async with asyncio.TaskGroup() as tasks:
                for question in questions:
                    if question.id not in self._rows:
                        tasks.create_task(self._work(question, free))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [self._rows[question.id] for question in questions]

    async def _work(self, question: Question, free: asyncio.Semaphore) -> None:
        async with free:
            row = await self._measure(question)
        self._folder.append(row)
        self._rows[question.id] = row
        self._tell()

    async def _measure(self, question: Question) -> JsonDict:
        gold = self._gold[question.id]
        chance = None
        if self._floor is not None:
            chance = await asyncio.to_thread(self._floor.context, question.id)
        try:
            outcome = await self._system.run(question)
            judged = await self._judge_answer(question, outcome.response)
        except (SettingsError, MissingExtraError, CheckpointError):
            raise  # every question would break on it
        # Whatever else breaks on one question is a result of the run, not its end.
        except Exception as error:
            failed = self._system.crashed()
            return build_row(question, gold, failed, context_random=chance, crash=error)
        return build_row(question, gold, outcome, context_random=chance, judged=judged)

    async def _judge_answer(
        self, question: Question, response: Response | None
    ) -> EquivalenceJudgement | None:
        if self._judge is None or response is None or not is_unresolved(response, question):
            return None
        return await self._judge.is_equivalent(question.text, question.accepted, response.answer)

    def _tell(self) -> None:
        if self._report is None:
            return
        name = self._system.headline
        rows = self._rows.values()
        scores = [score for row in rows if (score := row["scores"][name]) is not None]
        self._report(
            RunProgress(
                done=len(self._rows),
                total=self._total,
                score_name=name,
                score=mean(scores),
                usd=sum(map(_usd, rows)),
            )
        )


def _usd(row: JsonDict) -> float:
    """Return what a row cost, its judge included."""
    judged = row.get("judged")
    return (COSTS["usd"](row) or 0.0) + (judged["usage"]["usd"] if judged else 0.0)


def build_row(
    question: Question,
    gold: Gold,
    outcome: SystemOutput,
    *,
    context_random: str | None = None,
    judged: EquivalenceJudgement | None = None,
    crash: Exception | None = None,
) -> JsonDict:
    """Return the row of a question, from which every figure can be computed again.

    Where gold is missing, no document scores count, and the row is a failure. `context_retrieved`
    is None where nothing was compressed: `context` is the same then.
    """
    documents = () if gold.missing else gold.documents
    observation = Observation(
        question=question,
        gold=documents,
        gold_of_last_hop=() if gold.missing else gold.of_last_hop,
        ranking=ranked_documents(outcome.record.get("passages")),
        context=outcome.context,
        context_retrieved=outcome.context_retrieved,
        context_random=context_random,
        response=outcome.response,
        judged=None if judged is None else judged.equivalent,
        graph=outcome.graph,
        node_similarity=outcome.node_similarity,
    )
    is_compressed = outcome.context_retrieved != outcome.context
    return {
        "id": question.id,
        "question": question.text,
        **outcome.record,
        "type": question.type,
        "hops": question.hops,
        "unanswerable": question.is_unanswerable,
        "gold": {
            "answers": list(question.accepted),
            "answer_sets": [list(forms) for forms in question.answers],
            "documents": list(documents),
            "documents_of_last_hop": [] if gold.missing else list(gold.of_last_hop),
        },
        "context": outcome.context,
        "context_retrieved": outcome.context_retrieved if is_compressed else None,
        "graph": None if outcome.graph is None else outcome.graph.to_json(),
        "node_similarity": outcome.node_similarity,
        "judged": None if judged is None else judged.to_json(),
        "scores": measure(observation),
        "failure": _failure(gold, crash),
    }


def _failure(gold: Gold, crash: Exception | None) -> JsonDict | None:
    if crash is not None:
        code = crash.code if isinstance(crash, HoptrailError) else type(crash).__name__
        return {"code": code, "message": str(crash)}
    if gold.missing:
        names = ", ".join(repr(name) for name in gold.missing)
        return {"code": MISSING_GOLD, "message": f"not in the knowledge base: {names}"}
    return None


class RandomFloor:
    """Random passages of a knowledge base, the same for the same seed."""

    def __init__(self, knowledge_base: KnowledgeBase, budget: int, seed: int) -> None:
        self._kb = knowledge_base
        self._budget = budget
        self._seed = seed

    def context(self, draw: str) -> str | None:
        """Return passages drawn without replacement, rendered at the budget; None without any.

        Args:
            draw: Names the draw; one per question makes them independent and repeatable.
        """
        if not len(self._kb.index.chunk_ids):
            return None
        evidence = Evidence(
            chunks=tuple(Hit(chunk) for chunk in self._kb.store.chunks(self._draw_ids(draw)))
        )
        return render(evidence, self._budget).text

    def _draw_ids(self, draw: str) -> list[str]:
        index = self._kb.index
        rows = list(range(len(index.chunk_ids)))
        random.Random(f"{self._seed}/{draw}").shuffle(rows)
        drawn: list[str] = []
        tokens = 0
        for row in rows:
            if tokens >= self._budget:
                break
            drawn.append(str(index.chunk_ids[row]))
            tokens += int(index.chunk_tokens[row])
        return drawn
