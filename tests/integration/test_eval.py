"""Evaluation end to end: real articles and vectors, figures recomputed from the rows."""

from __future__ import annotations

import itertools
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail import Hoptrail
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import Chunk
from hoptrail.graphs.presets import PRESETS
from hoptrail.models.embedder import load_embedder
from tests.commands import Command, run
from tests.evaluating import QUESTIONS, index_articles, measure, rows_of
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

TIMES = {"seconds_p50", "seconds_p95"}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("eval") / "kb"
    index_articles(folder)
    return folder


def recomputed_recall(rows: list[dict[str, Any]], k: int) -> float:
    shares = []
    for row in rows:
        gold = row["gold"]["documents"]
        ranking = list(dict.fromkeys(passage["doc_id"] for passage in row["passages"]))
        if gold:
            shares.append(len([doc_id for doc_id in gold if doc_id in ranking[:k]]) / len(gold))
    return sum(shares) / len(shares)


def recomputed_coverage(rows: list[dict[str, Any]]) -> float:
    covered = []
    for row in rows:
        answers = [normalize_answer(answer) for answer in row["gold"]["answers"]]
        if not row["unanswerable"] and not set(answers) & {"yes", "no"}:
            context = f" {normalize_answer(row['context'])} "
            covered.append(any(f" {answer} " in context for answer in answers))
    return sum(covered) / len(covered)


@pytest.mark.parametrize("retriever", ["bm25", "vector", "ket"])
def test_figures_equal_a_recomputation_from_the_rows(
    kb: Path, tmp_path: Path, retriever: str
) -> None:
    summary = measure(QUESTIONS, kb, tmp_path, retriever=retriever, context={"budget": 1500})
    rows = rows_of(tmp_path)
    assert len(rows) == summary["n"] == len(QUESTIONS.read_text(encoding="utf-8").splitlines())
    for k in (2, 5, 10):
        assert summary[f"recall@{k}"] == pytest.approx(recomputed_recall(rows, k))
    assert summary["coverage"] == pytest.approx(recomputed_coverage(rows))
    assert summary["recall@10"] > 0.8
    assert summary["coverage_random"] < summary["coverage"]
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")).keys() == (
        summary.keys()
    )


def test_a_preset_is_measured_by_its_answers_and_the_evidence_behind_them(
    kb: Path, tmp_path: Path
) -> None:
    summary = measure(
        QUESTIONS,
        kb,
        tmp_path,
        preset="offline",
        context={"budget": 1500, "compress": True, "compressed_budget": 600},
        limit=5,
        concurrency=2,
    )
    rows = rows_of(tmp_path)
    assert summary["n_failed"] == 0
    assert summary["accuracy"] is not None
    assert summary["coverage"] == pytest.approx(recomputed_coverage(rows))
    assert summary["coverage_retrieved"] >= summary["coverage"]
    assert {"answer", "trail", "usage", "stop_reason", "passages"} <= rows[0].keys()


@pytest.mark.parametrize(
    ("kind", "chosen", "reader"), [("retriever", "ket", None), ("preset", "reasoning", "oracle")]
)
def test_a_killed_run_continues_to_the_same_summary(
    kb: Path, tmp_path: Path, kind: str, chosen: str, reader: str | None
) -> None:
    system: dict[str, Any] = {kind: chosen, "reader": reader}
    undisturbed = measure(QUESTIONS, kb, tmp_path / "whole", **system)
    out = tmp_path / "killed"
    command: list[str | Path] = ["eval", "--questions", QUESTIONS, "--kb", kb]
    command += [f"--{kind}", chosen]
    command += ["--reader", reader] if reader else []
    with Command(*command, "--out", out):
        wait_for_rows(out / "rows.jsonl", 3)
    kept = {row["id"]: duration(row) for row in rows_of(out)}
    resumed = measure(QUESTIONS, kb, out, **system)
    assert without_times(resumed) == without_times(undisturbed)
    assert kept.items() <= {row["id"]: duration(row) for row in rows_of(out)}.items()


def duration(row: dict[str, Any]) -> float:
    seconds: float = row["usage"]["seconds"] if "usage" in row else row["seconds"]
    return seconds


def test_an_interrupted_run_says_that_it_can_be_continued(kb: Path, tmp_path: Path) -> None:
    out, printed = tmp_path / "run", tmp_path / "printed.json"
    command = ("eval", "--questions", QUESTIONS, "--kb", kb, "--retriever", "ket", "--json")
    with printed.open("wb") as screen, Command(*command, "--out", out, stdout=screen) as process:
        wait_for_rows(out / "rows.jsonl", 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert json.loads(printed.read_text(encoding="utf-8"))["resumable"] is True
    assert measure(QUESTIONS, kb, out, retriever="ket")["n_failed"] == 0


def test_questions_of_stdin_are_kept_with_the_run(kb: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = ("eval", "--questions", "-", "--kb", kb, "--retriever", "bm25", "--out", out)
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines(keepends=True)
    first, again = run(*command, stdin=lines[0]), run(*command, stdin=lines[0])
    other = run(*command, stdin=lines[1])
    assert [done.code for done in (first, again, other)] == [0, 0, 1]
    assert "holds a run over other questions" in other.err
    assert (out / "questions.jsonl").read_text(encoding="utf-8") == lines[0]


def presets_of_questions() -> list[tuple[str, str | None]]:
    return [(name, "oracle" if preset.needs_model else None) for name, preset in PRESETS.items()]


@pytest.mark.parametrize(("preset", "reader"), presets_of_questions())
def test_every_preset_answers_five_questions(
    kb: Path, tmp_path: Path, preset: str, reader: str | None
) -> None:
    summary = measure(QUESTIONS, kb, tmp_path, preset=preset, reader=reader, limit=5)
    assert (summary["n"], summary["n_failed"]) == (5, 0)
    assert sum(summary["errors"].values()) == pytest.approx(1)


def test_the_oracle_answers_all_that_the_evidence_holds(kb: Path, tmp_path: Path) -> None:
    summary = measure(QUESTIONS, kb, tmp_path, preset="reasoning", reader="oracle")
    assert summary["accuracy"] == summary["coverage"] == 1
    assert summary["unanswerable_f1"] == 1
    assert summary["llm_calls_mean"] > 1
    assert summary["tokens_mean"] > 1000


def test_a_second_run_over_the_same_evidence_gives_the_same_figures(
    kb: Path, tmp_path: Path
) -> None:
    choices: dict[str, Any] = {"preset": "reasoning", "reader": "oracle", "limit": 5}
    summaries = [
        measure(QUESTIONS, kb, tmp_path / name, cache=cache, **choices)
        for name, cache in (("none", None), ("first", tmp_path / "c"), ("second", tmp_path / "c"))
    ]
    assert without_times(summaries[0]) == without_times(summaries[1]) == without_times(summaries[2])
    served = rows_of(tmp_path / "second")
    assert all(row["cached"] and row["seconds_cached"] > 0 for row in served)
    assert not any(row["cached"] for row in rows_of(tmp_path / "first"))


def test_the_run_record_tells_how_it_was_made(kb: Path, tmp_path: Path) -> None:
    measure(QUESTIONS, kb, tmp_path, preset="reasoning", reader="oracle", limit=1)
    record = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert record["roles"]["answerer"] == record["reader"] == "oracle"
    assert record["prompts"].keys() >= {"route", "answer_sparql"}
    assert {"hoptrail", "git", "date", "seed", "generation", "command", "n"} <= record.keys()
    assert "--preset reasoning --reader oracle --limit 1" in record["command"]


def test_a_question_is_asked_of_its_own_graph(tmp_path: Path) -> None:
    graph = [["Marra Vell", "born in", "Tarn Hollow"], ["Tarn Hollow", "capital of", "Oster Reach"]]
    write_rows(tmp_path / "graphs.jsonl", [{"index": "1", "graph": graph}])
    asked = {"index": "1", "topic_entity": ["Marra Vell"], "answers": ["Oster Reach"]}
    question = "Of which region is the birthplace of Marra Vell the capital?"
    write_rows(tmp_path / "questions.jsonl", [{"id": "q", "question": question, **asked}])
    summary = measure(
        tmp_path / "questions.jsonl",
        tmp_path / "bases",
        tmp_path / "run",
        graphs=tmp_path / "graphs.jsonl",
        preset="reasoning",
        reader="oracle",
    )
    assert (summary["accuracy"], summary["node_recall"], summary["n_failed"]) == (1, 1, 0)
    assert summary["recall@5"] is None


def wait_for_rows(path: Path, count: int) -> None:
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") >= count, f"no {count} rows")


def without_times(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: without_times(value) if isinstance(value, dict) else value
        for name, value in figures.items()
        if name not in TIMES
    }


@pytest.mark.data
def test_dense_recall_on_musique_equals_a_plain_matrix_product(
    data_dir: Path, tmp_path: Path
) -> None:
    with (data_dir / "musique" / "train100.jsonl").open(encoding="utf-8") as lines:
        asked = [json.loads(line) for line in itertools.islice(lines, 8)]
    passages = {(p["title"], p["text"]): None for row in asked for p in row["paragraphs"]}
    write_rows(tmp_path / "questions.jsonl", asked)
    write_rows(
        tmp_path / "corpus.jsonl",
        [{"id": i, "title": t, "text": x} for i, (t, x) in enumerate(passages)],
    )
    with Hoptrail.open(tmp_path / "kb", create=True, writable=True) as hoptrail:
        hoptrail.index([tmp_path / "corpus.jsonl"], extractor="none")
        chunks = list(hoptrail.knowledge_base.iter_chunks())
    summary = measure(
        tmp_path / "questions.jsonl", tmp_path / "kb", tmp_path / "run", retriever="vector"
    )
    assert summary["recall@5"] == pytest.approx(plain_dense_recall(asked, chunks, 5))


def plain_dense_recall(asked: list[dict[str, Any]], chunks: list[Chunk], k: int) -> float:
    """Return the recall of titles and texts; a long passage is several chunks."""
    embedder = load_embedder("all-MiniLM-L6-v2")
    vectors = embedder.embed([f"{chunk.title}\n{chunk.text}" for chunk in chunks])
    nearest = np.argsort(-(embedder.embed([row["question"] for row in asked]) @ vectors.T), axis=1)
    shares = []
    for row, places in zip(asked, nearest, strict=True):
        documents = list(dict.fromkeys(chunks[place].doc_id for place in places))[:k]
        found = [chunk for chunk in chunks if chunk.doc_id in documents]
        gold = [row["paragraphs"][place] for place in row["supporting_idx"]]
        hits = [
            any(p["title"] == c.title and p["text"].startswith(c.text[:99]) for c in found)
            for p in gold
        ]
        shares.append(sum(hits) / len(hits))
    return sum(shares) / len(shares)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
