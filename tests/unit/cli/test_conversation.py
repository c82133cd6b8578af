"""The words that can be typed in a conversation, without a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.conversation import Conversation, WarmUp
from hoptrail.core.errors import InputError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.testing import HashingEmbedder
from tests.ships import hashing_settings, index_ships


@pytest.fixture
def hoptrail(tmp_path: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=HashingEmbedder()) as opened:
        texts = {"1871": "Edda Thorn founded the Tar Guild.", "1950": "Ida Holm moved to Alba."}
        opened.index(
            [Document(f"t/{year}", year, text, "t", metadata={"year": year})
             for year, text in texts.items()],
            extractor="nlp",
        )  # fmt: skip
        yield opened


def said(conversation: Conversation, capsys: pytest.CaptureFixture[str], *lines: str) -> str:
    conversation.hold(iter([*lines, None]).__next__)
    return capsys.readouterr().err


def test_a_filter_is_shown_as_it_could_be_typed(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    start = {"field": "year", "lt": 1900}
    conversation = Conversation(hoptrail, "a", as_json=False, filter=start)

    assert "filter: year < 1900\n" in said(conversation, capsys, "/filter")
    assert "filter: year >= 1900\n" in said(conversation, capsys, "/filter  year>=1900")
    assert "filter: none, all documents\n" in said(conversation, capsys, "/filter off")
    assert "filter: none, all documents\n" in said(conversation, capsys, "/filter")


def test_a_filter_that_allows_nothing_is_told_and_the_one_before_stays(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = Conversation(hoptrail, "a", as_json=False)
    told = said(conversation, capsys, "/filter year < 1900", "/filter year > 2000", "/filter")
    assert "no document matches the filter" in told
    assert told.endswith("filter: year < 1900\n")


@pytest.mark.parametrize("name", ["my/../x y", ".hidden", "-v", "a\tb", "x" * 65])
def test_a_new_conversation_has_a_plain_name(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    conversation = Conversation(hoptrail, "a", as_json=False)

    assert "a conversation cannot be called" in said(conversation, capsys, f"/new {name}")

    assert conversation.thread == "a"
    with pytest.raises(InputError, match="up to 64 letters"):
        Conversation(hoptrail, name, as_json=False)


def test_a_conversation_that_is_not_there_has_one_name_for_all_commands(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(Conversation(hoptrail, "a", as_json=False), capsys, "/threads x", "/delete x")
    assert told.count("unknown conversation 'x'") == 2


def test_the_trail_is_that_of_the_last_answer_where_a_later_question_was_stopped(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    hoptrail.ask("Who founded the Tar Guild?", thread_id="a", preset="offline")
    stopped: Any = hoptrail.stream("Where did Ida Holm move?", thread_id="a", preset="offline")
    list(islice(stopped, 2))  # what the first node of the run writes is stored then
    stopped.close()
    kept = hoptrail.thread("a")
    assert kept is not None
    assert kept.answer is None

    told = said(Conversation(hoptrail, "a", as_json=False), capsys, "/trail")

    assert "1 question so far" in told
    assert "Edda Thorn founded the Tar Guild." in told


@pytest.mark.parametrize("line", ["why?", "show the source", "Where does it say that?"])
def test_why_shows_the_trail_of_the_last_answer_and_is_no_turn(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    hoptrail.ask("Who founded the Tar Guild?", thread_id="a", preset="offline")

    told = said(Conversation(hoptrail, "a", as_json=False), capsys, line)

    assert "Edda Thorn founded the Tar Guild." in told
    assert len(hoptrail.turns("a")) == 1


def test_thanks_get_one_line_and_are_no_turn(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(Conversation(hoptrail, "a", as_json=False), capsys, "Thank you!")

    assert told.endswith("\nGlad to help.\n")
    assert hoptrail.thread("a") is None


def test_programs_get_an_answer_for_thanks_too(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    Conversation(hoptrail, "a", as_json=True).hold(iter(["thanks", None]).__next__)

    assert json.loads(capsys.readouterr().out)["answer"] == "Glad to help."


def test_the_trail_tells_that_a_document_was_deleted_since(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    hoptrail.ask("Who founded the Tar Guild?", thread_id="a", preset="offline")
    conversation = Conversation(hoptrail, "a", as_json=False)
    said(conversation, capsys, "/trail")
    hoptrail.delete(["t/1871"])

    told = said(conversation, capsys, "/trail")

    assert "the passage is gone: t/1871 was deleted" in told
    assert "✓" not in told


def test_what_is_said_of_the_last_answer_is_kept(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = Conversation(hoptrail, "a", as_json=False)
    asked = "Who founded the Tar Guild?"

    assert "no question was answered yet" in said(conversation, capsys, "/good")
    told = said(conversation, capsys, asked, "/good", "/comment see \x1b[31mbook", "/bad Ida Holm")

    assert "the right answer is Ida Holm" in told
    assert "\x1b" not in told
    [entry] = hoptrail.feedback_entries()
    assert (entry.verdict, entry.correction, entry.thread) == ("bad", "Ida Holm", "a")
    assert entry.comment == "see \x1b[31mbook"


def test_a_correction_is_saved_and_taken_back(
    hoptrail: Hoptrail, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = Conversation(hoptrail, "a", as_json=False)
    asked = "Who founded the Tar Guild?"

    said(conversation, capsys, asked, "/bad Ida Holm", "/save")
    conversation.hold(iter([asked, None]).__next__)
    told = capsys.readouterr().out
    assert told.startswith("Ida Holm\nSaved on ")

    assert "answered from the documents again" in said(conversation, capsys, "/unsave")
    assert hoptrail.ask(asked).text == "Edda Thorn"


@pytest.fixture
def ships(tmp_path: Path) -> Iterator[Hoptrail]:
    index_ships(tmp_path, hashing_settings())
    with Hoptrail.open(tmp_path, settings=hashing_settings()) as opened:
        yield opened


def test_the_embedder_is_loaded_meanwhile(ships: Hoptrail) -> None:
    WarmUp(ships).wait()

    assert ships.stored.embedder.name == ships.knowledge_base.embedder.name


def test_no_thread_is_kept_of_it(ships: Hoptrail) -> None:
    WarmUp(ships).wait()

    assert ships.threads() == []


def test_a_failure_is_left_to_the_question(ships: Hoptrail, tmp_path: Path) -> None:
    unknown = Settings(embedder="no-such-embedder")
    with Hoptrail.open(tmp_path, settings=unknown) as opened:
        WarmUp(opened).wait()

        with pytest.raises(Exception, match="no-such-embedder"):
            opened.ask("Who founded the Alder Yard?")


def test_closing_ends_it(ships: Hoptrail) -> None:
    warm_up = WarmUp(ships)
    ships.close()

    warm_up.wait()
