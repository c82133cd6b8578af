"""`--filter` and `/filter` on the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.typed import run

ROWS = [
    {"id": "1", "title": "Alder Yard", "text": "Edda Thorn founded the Alder Yard.", "year": 1871},
    {"id": "2", "title": "Quay", "text": "Per Krogh founded the Quay Guild.", "year": 1950},
]
QUESTION = "Who founded the Quay Guild?"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filter")
    corpus = folder / "town.jsonl"
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    assert run("index", corpus, "--kb", folder / "kb", "--extractor", "nlp") == 0
    return folder / "kb"


def titles(printed: str) -> list[str]:
    return [passage["title"] for passage in json.loads(printed)["passages"]]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (["year = 1950"], ["Quay"]),
        (["year>=1900", "doc_id like town/*"], ["Quay"]),
        (["year < 1900 or title = Quay"], ["Quay", "Alder Yard"]),
        (['{"not": {"field": "year", "eq": 1871}}'], ["Quay"]),
    ],
)
def test_retrieve_searches_the_allowed_documents(
    kb: Path, capsys: pytest.CaptureFixture[str], filters: list[str], found: list[str]
) -> None:
    options = [part for text in filters for part in ("--filter", text)]
    assert run("retrieve", QUESTION, "--kb", kb, "--retriever", "vector", "--json", *options) == 0
    assert titles(capsys.readouterr().out) == found


def test_ask_answers_from_the_allowed_documents(
    kb: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("ask", QUESTION, "--kb", kb, "--preset", "offline", "--json")
    assert run(*arguments, "--filter", "year=1950") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["answer"], answer["filter"]) == ("Per Krogh", {"field": "year", "eq": 1950})
    assert run(*arguments, "--filter", "year=1871") == 0
    assert "Per Krogh" not in capsys.readouterr().out
    assert run(*arguments[:-1], "--filter", "year=1950") == 0
    assert "From the documents of this filter alone" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("yaer = 1950", "unknown field 'yaer' (did you mean 'year'?)"),
        ("year = 1", "no document matches the filter"),
        ("year =", "the filter cannot be read at the end: expected a value"),
    ],
)
def test_a_filter_that_cannot_be_used_is_one_line(
    kb: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert run("ask", QUESTION, "--kb", kb, "--filter", text) == 1
    assert message in " ".join(capsys.readouterr().err.split())


def test_chat_changes_the_filter_on_the_way(
    kb: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [QUESTION, "/filter yaer = 1", QUESTION, "/filter year=1871", QUESTION]
    lines += ["/filter off", QUESTION]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert run("chat", "--kb", kb, "--preset", "offline", "--filter", "year=1950", "--json") == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    answers = [one for one in printed if "answer" in one]
    assert [one["filter"] and one["filter"]["eq"] for one in answers] == [
        1950,
        1950,
        1871,
        None,
    ]
    assert ["Per Krogh" in one["answer"] for one in answers] == [True, True, False, True]
    assert "unknown field" in json.dumps(printed)


def test_info_lists_the_fields(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", "--kb", kb, "--fields") == 0
    assert "1871, 1950" in capsys.readouterr().out
