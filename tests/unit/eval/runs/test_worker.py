"""A run over questions: rows in order, crashes as rows, progress, continuing, the chance floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.core.tokens import estimate_tokens
from hoptrail.eval.json_files import JsonlLog
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudge
from hoptrail.eval.questions.question import Gold, Question
from hoptrail.eval.run_folder import RunFolder
from hoptrail.eval.runs.worker import RandomFloor, RunProgress, Worker
from hoptrail.eval.systems.own_systems import RetrieverSystem
from hoptrail.eval.systems.system import Response, SystemOutput
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder, ScriptedChatModel

QUESTIONS = [
    Question("q1", "Which river does Paris lie on?", (("Seine",),), line=1),
    Question("q2", "Which sea does the Tiber flow into?", (("Ostia",),), line=2),
    Question("q3", "Who wrote the first program?", (("Ada",),), line=3),
]
GOLD = {"q1": Gold(("wiki/1",)), "q2": Gold(("wiki/4",)), "q3": Gold((), ("Babbage",))}


class FailsOn(RetrieverSystem):
    """A retriever that breaks on one question."""

    def __init__(self, kb: KnowledgeBase, text: str) -> None:
        super().__init__(make_retriever("bm25", kb))
        self.text = text
        self.asked: list[str] = []

    async def run(self, question: Question) -> SystemOutput:
        self.asked.append(question.text)
        if question.text == self.text:
            raise ModelUnavailableError("the server is down")
        return await super().run(question)


class Answers:
    """A system that shows nothing and gives fixed answers; None abstains."""

    name = "answers"
    headline = "accuracy"

    def __init__(self, answers: Mapping[str, str | None]) -> None:
        self.answers = answers

    async def run(self, question: Question) -> SystemOutput:
        answer = self.answers[question.id]
        response = (
            Response("", (), abstained=True) if answer is None else Response(answer, (answer,))
        )
        return SystemOutput({"passages": []}, response=response)

    def crashed(self) -> SystemOutput:
        return SystemOutput({"passages": []}, response=Response())


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.resume({})
    return folder


def make_worker(
    kb: KnowledgeBase,
    folder: RunFolder,
    failing: str = "",
    report: Callable[[RunProgress], None] | None = None,
) -> tuple[Worker, FailsOn]:
    system = FailsOn(kb, failing)
    return Worker(system, RandomFloor(kb, 500, seed=42), GOLD, folder, report), system


async def test_a_row_is_a_retrieve_object_with_gold_and_scores(
    kb: KnowledgeBase, folder: RunFolder
) -> None:
    worker, _ = make_worker(kb, folder)
    row = (await worker.work_off(QUESTIONS, [], 1))[0]
    assert row["id"] == "q1"
    assert row["gold"] == {
        "answers": ["Seine"],
        "answer_sets": [["Seine"]],
        "documents": ["wiki/1"],
        "documents_of_last_hop": [],
    }
    assert row["passages"][0]["doc_id"] == "wiki/1"
    assert row["scores"]["recall@2"] == 1
    assert row["scores"]["coverage"] == 1
    assert row["failure"] is None
    assert {"retriever", "relations", "entities", "tokens", "seconds"} <= row.keys()


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_rows_come_in_the_order_of_the_questions_and_are_all_on_disk(
    kb: KnowledgeBase, folder: RunFolder, concurrency: int
) -> None:
    worker, _ = make_worker(kb, folder)
    rows = await worker.work_off(QUESTIONS, [], concurrency)
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    written = JsonlLog(folder.path / "rows.jsonl").read()
    assert sorted(written, key=lambda row: row["id"]) == rows


async def test_a_crash_is_a_row_that_scores_zero(kb: KnowledgeBase, folder: RunFolder) -> None:
    worker, _ = make_worker(kb, folder, failing=QUESTIONS[0].text)
    row = (await worker.work_off(QUESTIONS, [], 1))[0]
    assert row["failure"] == {"code": "model_unavailable", "message": "the server is down"}
    assert (row["scores"]["recall@10"], row["scores"]["coverage"]) == (0, 0)


async def test_a_model_that_cannot_be_opened_ends_the_run(folder: RunFolder) -> None:
    model = ChatModels(Settings(), {"judge_eval": "nobody"}).for_role("judge_eval")
    system = Answers({"q1": "the Tiber"})
    worker = Worker(system, None, GOLD, folder, judge=EquivalenceJudge(model))
    with pytest.raises(SettingsError, match="'nobody' names no provider"):
        await worker.work_off(QUESTIONS[:1], [], 1)


async def test_missing_gold_is_a_failure_without_document_scores(
    kb: KnowledgeBase, folder: RunFolder
) -> None:
    worker, _ = make_worker(kb, folder)
    row = (await worker.work_off(QUESTIONS, [], 1))[2]
    assert row["failure"]["code"] == "missing_gold"
    assert "Babbage" in row["failure"]["message"]
    assert row["scores"]["recall@10"] is None
    assert row["scores"]["coverage"] == 1


async def test_known_rows_are_not_measured_again(kb: KnowledgeBase, folder: RunFolder) -> None:
    known, _ = make_worker(kb, folder)
    first = await known.work_off(QUESTIONS[:2], [], 1)
    worker, system = make_worker(kb, folder)
    rows = await worker.work_off(QUESTIONS, first, 1)
    assert system.asked == [QUESTIONS[2].text]
    assert rows[:2] == first


async def test_progress_carries_the_running_score(kb: KnowledgeBase, folder: RunFolder) -> None:
    seen: list[RunProgress] = []
    worker, _ = make_worker(kb, folder, failing=QUESTIONS[1].text, report=seen.append)
    await worker.work_off(QUESTIONS, [], 1)
    assert [(state.done, state.score) for state in seen] == [(0, None), (1, 1), (2, 0.5), (3, 0.5)]
    assert seen[0].score_name == "recall@5"


async def test_only_an_unresolved_answer_is_judged(kb: KnowledgeBase, folder: RunFolder) -> None:
    script = ScriptedChatModel(replies=[{"equivalent": True, "reason": "the same river"}])
    register_chat_model("worker-judge", script)
    model = ChatModels(Settings(), {"judge_eval": "worker-judge"}).for_role("judge_eval")
    system = Answers({"q1": "the Seine", "q2": "the Tyrrhenian", "q3": None})
    worker = Worker(system, None, GOLD, folder, judge=EquivalenceJudge(model))
    rows = await worker.work_off(QUESTIONS, [], 1)
    assert [row["scores"]["accuracy"] for row in rows] == [1, 1, 0]
    assert [row["judged"] and row["judged"]["reason"] for row in rows] == [
        None,
        "the same river",
        None,
    ]
    assert len(script.calls) == 1


async def test_without_a_floor_there_is_no_coverage_by_chance(folder: RunFolder) -> None:
    worker = Worker(Answers({"q1": "the Seine"}), None, GOLD, folder)
    row = (await worker.work_off(QUESTIONS[:1], [], 1))[0]
    assert row["scores"]["coverage_random"] is None


def test_a_large_budget_draws_every_passage_once(kb: KnowledgeBase) -> None:
    text = RandomFloor(kb, 10_000, seed=1).context("q1") or ""
    assert all(text.count(f"{name}\n") == 1 for name in ("Ada", "Paris", "Seine", "Rome", "Tiber"))


def test_a_small_budget_is_kept(kb: KnowledgeBase) -> None:
    text = RandomFloor(kb, 60, seed=1).context("q1") or ""
    assert 0 < estimate_tokens(text) <= 60


def test_a_draw_repeats_and_differs_from_other_draws(kb: KnowledgeBase) -> None:
    floor = RandomFloor(kb, 60, seed=1)
    draws = {floor.context(f"q{i}") for i in range(8)}
    assert len(draws) > 1
    assert RandomFloor(kb, 60, seed=1).context("q3") == floor.context("q3")
    assert {RandomFloor(kb, 60, seed=2).context(f"q{i}") for i in range(8)} != draws


def test_a_bare_graph_has_no_floor(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "bare", embedder=HashingEmbedder(), create=True) as bare:
        assert RandomFloor(bare, 60, seed=1).context("q1") is None
