"""The peers file: what a line may hold, and errors that name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.peers.reply import PassageName, PeerReply, read_peer_file
from hoptrail.eval.systems.observation import Response


def write(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "other.v2.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def read_one(tmp_path: Path, **fields: object) -> PeerReply:
    return read_peer_file(write(tmp_path, {"id": "q1", **fields})).replies["q1"]


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
    assert read_peer_file(write(tmp_path, {"system": "Other 2"}, reply)).system == "Other 2"
    assert read_peer_file(write(tmp_path, reply)).system == "other"


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
    path = write(tmp_path, {"id": "a", "passages": []}, row)
    with pytest.raises(InputError) as caught:
        read_peer_file(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)


def test_a_field_of_its_own_is_left_alone(tmp_path: Path) -> None:
    assert read_one(tmp_path, passages=[{"id": "a", "page": 2}], question="Who?", ids=[1])


def test_a_file_without_questions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question in it"):
        read_peer_file(write(tmp_path, {"system": "Other"}))
