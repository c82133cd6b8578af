from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.set_beside import with_other_rows, with_those_beside
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft, HopClaim
from tests.tables import table_of


def extended(question: str, text: str, claim: HopClaim, *, answer: str) -> Draft:
    chunk = Chunk("c", "mill/about.md", "Blue Mill", text, 0, len(text))
    draft = Draft("graph_search", (answer,), hops=(claim,), reserve="")
    return with_those_beside(draft, question, EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),))))


def test_who_did_it_are_all_that_the_sentence_names() -> None:
    draft = extended(
        "Who founded Blue Mill?",
        "Blue Mill was founded in 1961 by Ann Holt, Bo Reed and Cy Dale.",
        HopClaim("Blue Mill", "was founded by", "Cy Dale", "c"),
        answer="Cy Dale",
    )

    assert draft.text == "Ann Holt; Bo Reed; Cy Dale"
    assert [hop.object for hop in draft.hops] == ["Ann Holt, Bo Reed and Cy Dale"]
    assert draft.reserve == ""


def test_names_of_equal_sentences_are_given_together_with_reserve() -> None:
    draft = extended(
        "Who won the Gull Cup?",
        "The Gull Cup was won by Ann Holt in 2021. The Gull Cup was won by Bo Reed in 2022.",
        HopClaim("The Gull Cup", "was won by", "Ann Holt", "c"),
        answer="Ann Holt",
    )

    assert draft.answers == ("Ann Holt", "Bo Reed")
    assert draft.reserve


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which man founded Blue Mill?", "Blue Mill was founded by Ann Holt and Bo Reed."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt, and Bo Reed joined her."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt and Bo Reed joined her."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt of Leeds and York."),
    ],
)
def test_an_answer_stays_alone(question: str, text: str) -> None:
    draft = extended(
        question, text, HopClaim("Blue Mill", "was founded by", "Ann Holt", "c"), answer="Ann Holt"
    )

    assert draft.answers == ("Ann Holt",)


ROTA = table_of(
    "Rota",
    ["Day", "Van", "Driver", "Remarks"],
    ["Thursday", "Norman", "Bo Reed", "salt on the way back, then the quay"],
    ["Friday", "Norman", "Ann Holt", "heaviest day of them all, take Leon"],
    ["Friday", "Truffle", "Cy Dale", "Wilma is on leave until Norman is back"],
)


def with_rows(question: str, claim: HopClaim, answer: str) -> Draft:
    draft = Draft("graph_search", (answer,), hops=(claim,), reserve="")
    return with_other_rows(draft, question, [ROTA])


def test_a_cell_is_given_with_those_of_all_rows_that_are_named() -> None:
    draft = with_rows(
        "Who drives on Friday?", HopClaim("Friday", "Driver", "Cy Dale", "Rota-2"), "Cy Dale"
    )

    assert draft.answers == ("Ann Holt", "Cy Dale")
    assert [(hop.object, hop.chunk_id) for hop in draft.hops] == [
        ("Ann Holt", "Rota-1"),
        ("Cy Dale", "Rota-2"),
    ]


def test_a_row_that_a_question_names_further_stands_alone() -> None:
    draft = with_rows(
        "Who drives Truffle on Friday?",
        HopClaim("Friday", "Driver", "Cy Dale", "Rota-2"),
        "Cy Dale",
    )

    assert draft.answers == ("Cy Dale",)


def test_a_remark_names_no_row_of_several() -> None:
    draft = with_rows(
        "Who is on leave for Norman?",
        HopClaim("Norman", "Driver", "Ann Holt", "Rota-1"),
        "Ann Holt",
    )

    assert draft.answers == ("Bo Reed", "Ann Holt")


def test_one_of_many_rows_is_given_with_reserve() -> None:
    days = table_of("Days", ["Hall", "Day"], *(["East", f"{day} May"] for day in range(1, 9)))
    draft = Draft("graph_search", ("3 May",), hops=(HopClaim("East", "Day", "3 May"),), reserve="")

    draft = with_other_rows(draft, "When is East open?", [days])

    assert draft.answers == ("3 May",)
    assert draft.reserve


def test_what_a_query_over_rows_gave_stays_as_it_is() -> None:
    claim = HopClaim("Friday", "Driver", "Cy Dale", "Rota-2")
    draft = Draft("tables", ("Cy Dale",), hops=(claim,), reserve="")
    assert with_other_rows(draft, "Who drives on Friday?", [ROTA]) is draft


def test_a_row_that_is_named_by_its_remark_alone_stands_alone() -> None:
    remark = "salt on the way back, then the quay"
    draft = with_rows("Who takes salt?", HopClaim(remark, "Driver", "Bo Reed", "Rota-0"), "Bo Reed")
    assert (draft.answers, draft.reserve) == (("Bo Reed",), "")
