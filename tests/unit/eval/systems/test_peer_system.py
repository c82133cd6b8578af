"""Another system's file, and its output measured like our own.

`kb` holds five articles, wiki/0 to wiki/4.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.questions.question import Gold, Question
from hoptrail.eval.runs.worker import build_row
from hoptrail.eval.systems.peer_system import PassageName, PeerReply, PeerSystem, read_peer_file
from hoptrail.eval.systems.system import Response, SystemOutput
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTIONS = [
    Question("q1", "Which river flows through Paris?", (("Seine",),), line=1),
    Question("q2", "Which river flows through Rome?", (("Tiber",),), line=2),
]
PARIS, SEINE, ROME, TIBER = "wiki/1", "wiki/2", "wiki/3", "wiki/4"


def write_other(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "other.v2.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def read_one(tmp_path: Path, **fields: object) -> PeerReply:
    return read_peer_file(write_other(tmp_path, {"id": "q1", **fields})).replies["q1"]


def test_passages_are_named_by_id_or_by_what_they_say(tmp_path: Path) -> None:
    passages = ["a", 7, {"id": "b", "score": 0.5}, {"title": "T", "text": "said"}]
    assert read_one(tmp_path, passages=passages).passages == (
        PassageName("a"),
        PassageName("7"),
        PassageName("b", score=0.5),
        PassageName("", "T", "said"),
    )


def test_a_retriever_gives_no_response_and_a_reader_may_give_no_passages(tmp_path: Path) -> None:
    assert read_one(tmp_path, passages=[]).response is None
    assert read_one(tmp_path, answer="Ada").passages is None


@pytest.mark.parametrize(
    ("fields", "response"),
    [
        ({"answer": "Ada"}, Response("Ada", ("Ada",))),
        ({"answers": ["Ada", "Bo"]}, Response("Ada; Bo", ("Ada", "Bo"))),
        ({"answer": "Ada and Bo", "answers": ["Ada", "Bo"]}, Response("Ada and Bo", ("Ada", "Bo"))),
        ({"answer": ""}, Response("", (), abstained=True)),
        ({"answer": None}, Response("", (), abstained=True)),
        ({"answers": []}, Response("", (), abstained=True)),
        ({"answer": "I don't know."}, Response("I don't know.", (), abstained=True)),
        ({"answer": "Ada?", "abstained": True}, Response("Ada?", (), abstained=True)),
    ],
)
def test_answers_and_abstentions(
    tmp_path: Path, fields: dict[str, object], response: Response
) -> None:
    assert read_one(tmp_path, **fields).response == response


def test_the_first_line_names_the_system_else_the_file_does(tmp_path: Path) -> None:
    reply = {"id": "q1", "passages": []}
    assert read_peer_file(write_other(tmp_path, {"system": "Other 2"}, reply)).system == "Other 2"
    assert read_peer_file(write_other(tmp_path, reply)).system == "other"


def test_only_stated_costs_are_kept(tmp_path: Path) -> None:
    reply = read_one(tmp_path, passages=[], seconds=0.5, llm_calls=2)
    assert reply.usage == {"seconds": 0.5, "llm_calls": 2}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "b"}, "neither 'passages' nor an answer"),
        ({"id": "b", "pasages": []}, "'pasages' (is it meant to be 'passages'?)"),
        ({"id": "b", "anwser": "x", "passages": []}, "'anwser' (is it meant to be 'answer'?)"),
        ({"id": "b", "passages": [], "second": 2}, "'second' (is it meant to be 'seconds'?)"),
        ({"id": "b", "passages": [{"tittle": "T", "text": "x"}]}, "'tittle' (is it meant to be"),
        ({"passages": []}, "the field 'id' is missing"),
        ({"id": "a", "passages": []}, "the question 'a' stands on line 1 already"),
        ({"id": "b", "passages": "x"}, "the field 'passages' is no list"),
        ({"id": "b", "passages": [{"title": "T"}]}, "neither an id nor a text"),
        ({"id": "b", "passages": [None]}, "neither an id nor a text"),
        ({"id": "b", "passages": [{"id": "x", "score": "1"}]}, "the field 'score' is no number"),
        ({"id": "b", "passages": [], "seconds": True}, "the field 'seconds' is no number"),
        ({"id": "b", "passages": [], "llm_calls": -1}, "the field 'llm_calls' is below 0"),
        ({"system": "late"}, "the field 'id' is missing"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, message: str) -> None:
    path = write_other(tmp_path, {"id": "a", "passages": []}, row)
    with pytest.raises(InputError) as caught:
        read_peer_file(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)


def test_a_field_of_its_own_is_left_alone(tmp_path: Path) -> None:
    assert read_one(tmp_path, passages=[{"id": "a", "page": 2}], question="Who?", ids=[1])


def test_a_file_without_questions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question in it"):
        read_peer_file(write_other(tmp_path, {"system": "Other"}))


def write(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "peer.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def make(tmp_path: Path, kb: KnowledgeBase, *rows: object, **options: Any) -> PeerSystem:
    asked = QUESTIONS[: options.pop("asked", 1)]
    return PeerSystem(write(tmp_path, *rows), kb, asked, **{"budget": 1000, **options})


def run(system: PeerSystem, question: Question = QUESTIONS[0]) -> SystemOutput:
    return asyncio.run(system.run(question))


def doc_ids(outcome: SystemOutput) -> list[str]:
    return [passage["doc_id"] for passage in outcome.record["passages"]]


def test_a_passage_may_be_named_in_four_ways(tmp_path: Path, kb: KnowledgeBase) -> None:
    (chunk,) = [chunk for chunk in kb.iter_chunks() if chunk.doc_id == TIBER]
    said = {"title": "Rome", "text": "Rome lies on the  river Tiber."}
    names = [PARIS, "2", said, chunk.id]
    outcome = run(make(tmp_path, kb, {"id": "q1", "passages": names}))
    assert doc_ids(outcome) == [PARIS, SEINE, ROME, TIBER]


def test_a_passage_named_twice_counts_once(tmp_path: Path, kb: KnowledgeBase) -> None:
    outcome = run(make(tmp_path, kb, {"id": "q1", "passages": [SEINE, "1", "2"]}))
    assert doc_ids(outcome) == [SEINE, PARIS]


def test_scores_are_kept_else_ranks_make_them(tmp_path: Path, kb: KnowledgeBase) -> None:
    outcome = run(make(tmp_path, kb, {"id": "q1", "passages": [{"id": "1", "score": 9}, "2"]}))
    assert [passage["score"] for passage in outcome.record["passages"]] == [9, 0.5]


def test_the_evidence_is_rendered_at_the_budget(tmp_path: Path, kb: KnowledgeBase) -> None:
    reply = {"id": "q1", "passages": [PARIS, SEINE]}
    assert "Channel" in (run(make(tmp_path, kb, reply)).context or "")
    small = run(make(tmp_path, kb, reply, budget=30)).context or ""
    assert "Paris lies" in small
    assert "Channel" not in small


def test_a_retriever_is_scored_by_its_ranking(tmp_path: Path, kb: KnowledgeBase) -> None:
    system = make(tmp_path, kb, {"system": "Other"}, {"id": "q1", "passages": [ROME, SEINE]})
    row = build_row(QUESTIONS[0], Gold((PARIS, SEINE)), run(system))
    assert (system.name, system.headline) == ("peer:Other", "recall@5")
    assert row["scores"]["recall@2"] == 0.5
    assert row["scores"]["coverage"] == 1
    assert row["scores"]["accuracy"] is None


def test_an_answering_system_is_scored_by_its_answers(tmp_path: Path, kb: KnowledgeBase) -> None:
    system = make(
        tmp_path,
        kb,
        {"id": "q1", "answer": "the Seine", "seconds": 2, "llm_calls": 3, "prompt_tokens": 10},
        {"id": "q2", "passages": [ROME]},
        asked=2,
    )
    rows = [build_row(q, Gold(), run(system, q)) for q in QUESTIONS]
    figures = summarize(rows)
    assert system.headline == "accuracy"
    assert (figures["accuracy"], figures["abstain_rate"]) == (0.5, 0.5)
    assert (figures["llm_calls_mean"], figures["seconds_p50"]) == (3, 2)


def test_a_reader_without_passages_shows_no_evidence(tmp_path: Path, kb: KnowledgeBase) -> None:
    outcome = run(make(tmp_path, kb, {"id": "q1", "answer": "Seine"}))
    assert outcome.context is None
    scores = build_row(QUESTIONS[0], Gold((PARIS,)), outcome)["scores"]
    assert (scores["accuracy"], scores["coverage"], scores["recall@5"]) == (1, None, None)


def test_a_reader_that_lists_passages_elsewhere_is_scored_on_them(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    replies = [{"id": "q1", "answer": "Seine"}, {"id": "q2", "answer": "x", "passages": [ROME]}]
    outcome = run(make(tmp_path, kb, *replies, asked=2))
    assert build_row(QUESTIONS[0], Gold((PARIS,)), outcome)["scores"]["recall@5"] == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("9", "the passage '9' is not in the knowledge base"),
        ({"title": "Loire", "text": "A river."}, "the passage 'Loire' is not in"),
    ],
)
def test_an_unknown_passage_is_an_error_that_names_the_line(
    tmp_path: Path, kb: KnowledgeBase, name: object, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make(tmp_path, kb, {"id": "q2", "answer": "x"}, {"id": "q1", "passages": [name]})
    assert str(caught.value).startswith(f"{tmp_path / 'peer.jsonl'}:2: ")
    assert message in str(caught.value)


def test_a_reply_to_a_question_that_is_not_asked_does_not_matter(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    system = make(tmp_path, kb, {"id": "x", "passages": ["9"]}, {"id": "q1", "passages": ["1"]})
    assert doc_ids(run(system)) == [PARIS]


def test_a_missing_question_is_an_error_unless_it_may_count_as_a_failure(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    reply = {"id": "q1", "answer": "Seine"}
    with pytest.raises(InputError, match="no line for the question 'q2'"):
        make(tmp_path, kb, reply, asked=2)
    system = make(tmp_path, kb, reply, asked=2, allow_missing=True)
    with pytest.raises(InputError, match="no line for the question 'q2'"):
        run(system, QUESTIONS[1])
    row = build_row(QUESTIONS[1], Gold(), system.crashed(), crash=InputError("missing"))
    assert (row["scores"]["accuracy"], system.crashed().response) == (0, Response())


def test_a_file_for_other_questions_is_an_error(tmp_path: Path, kb: KnowledgeBase) -> None:
    with pytest.raises(InputError, match="no line for the question 'q1'"):
        make(tmp_path, kb, {"id": "x", "answer": "y"}, allow_missing=True)
