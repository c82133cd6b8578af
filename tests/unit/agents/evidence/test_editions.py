"""Which texts take the place of which."""

from __future__ import annotations

import pytest

from hoptrail.agents.evidence.editions import Editions, without_texts
from hoptrail.core.types import Chunk, Evidence, Hit, Relation


def evidence(*texts: tuple[str, str, str]) -> Evidence:
    """Return evidence of texts, each an id, a title and what it says."""
    chunks = [Chunk(f"c{id_}", id_, title, said, 0, len(said)) for id_, title, said in texts]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


@pytest.mark.parametrize(
    ("older", "newer", "is_whole"),
    [
        ("f/policy_2023.md", "f/policy_2025.md", True),
        ("f/notice_2021.docx", "f/notice_2023.html", True),
        ("f/contract v1.2.txt", "f/contract v1.10.txt", True),
        ("f/agreement rev A.txt", "f/agreement rev B.txt", True),
        ("2023/prices.csv", "2024/prices.csv", True),
        ("f/minutes-2024-01-15.md", "f/minutes-2024-02-12.md", False),
        ("f/Board, 2 March 2023.txt", "f/Board, 11 May 2023.txt", False),
    ],
)
def test_names_that_differ_in_time_or_version_alone_belong_together(
    older: str, newer: str, is_whole: bool
) -> None:
    editions = Editions(evidence((newer, "T", "x"), (older, "T", "x")))
    assert editions.newer(older) == {newer}
    assert editions.older(newer) == {older}
    assert editions.is_replaced(older) is is_whole


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("d/1", "1998 Winter Olympics", "x"), ("d/2", "2002 Winter Olympics", "x")),
        (("f/policy_2023.md", "T", "x"), ("f/prices_2025.md", "T", "x")),
        (("chat/2026-01-02.txt", "T", "[2026-01-02 10:00] Ann: Hi"),) * 2,
        (("d/1", "Ada Koss", "x"), ("d/2", "Ole Brandt", "He replaces Ada Koss.")),
    ],
)
def test_other_texts_do_not(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert not Editions(evidence(one, other))


@pytest.mark.parametrize(
    ("older", "newer", "is_whole"),
    [
        ("version: 1\nowner: Ada Koss", "version: 2\nowner: Ada Koss", True),
        ("Valid from: 2023-05\nowner: Ada Koss", "Valid from: 2024-01\nowner: Ada Koss", True),
        ("date: 2024-01-15", "date: 2024-02-12", False),
    ],
)
def test_texts_of_one_name_are_told_apart_by_what_stands_above_them(
    older: str, newer: str, is_whole: bool
) -> None:
    old = ("f/a.md", "Travel policy", f"{older}\nA night costs 80.")
    new = ("f/b.md", "Travel policy", f"{newer}\nA night costs 90.")
    editions = Editions(evidence(old, new))
    assert editions.newer("f/a.md") == {"f/b.md"}
    assert editions.is_replaced("f/a.md") is is_whole


@pytest.mark.parametrize(
    ("question", "asked"),
    [("What was the fee in 2024?", "d/1"), ("What was the fee under version 2?", "d/2")],
)
def test_a_text_with_a_version_and_a_day_is_known_by_either(question: str, asked: str) -> None:
    one = ("d/1", "Fees", "version: 1\n\ndate: 2024-03-01\n\n# Fees\n\nThe fee is 40 euros.")
    other = ("d/2", "Fees", "version: 2\n\ndate: 2025-03-01\n\n# Fees\n\nThe fee is 55 euros.")
    editions = Editions(evidence(one, other))
    assert editions.newer("d/1") == {"d/2"}
    assert editions.is_replaced("d/1")
    assert editions.not_asked(question) == {"d/1", "d/2"} - {asked}


def test_a_text_of_another_owner_is_no_newer_one() -> None:
    one = ("f/a.md", "Plan", "date: 2024-01-15\nowner: Ada Koss\nIt is short.")
    other = ("f/b.md", "Plan", "date: 2024-02-12\nowner: Ole Brandt\nIt is long.")
    assert not Editions(evidence(one, other))


def test_a_text_may_say_that_it_replaces_one_of_its_title() -> None:
    old = ("f/dogs.md", "Dogs in the house", "Dogs pay.")
    new = ("f/dogs-new.md", "Dogs in the house", "This text supersedes the older rules.")
    assert Editions(evidence(old, new)).is_replaced("f/dogs.md")


def test_an_amendment_stands_for_what_it_speaks_of_alone() -> None:
    lease = ("f/lease.txt", "Lease of 4 Mill Lane", "The rent is 82.")
    amendment = ("f/a.txt", "Amendment to the lease of 4 Mill Lane", "This amends the lease.")
    editions = Editions(evidence(lease, amendment))
    assert editions.newer("f/lease.txt") == {"f/a.txt"}
    assert not editions.is_replaced("f/lease.txt")


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What was the fee in 2023?", {"f/fees_2025.md"}),
        ("What is the fee in 2025?", {"f/fees_2023.md"}),
        ("What is the fee?", set()),
        ("What was the fee in 1999?", set()),
    ],
)
def test_a_question_of_a_time_is_about_the_text_of_that_time(
    question: str, left_out: set[str]
) -> None:
    fees = evidence(("f/fees_2023.md", "Fees", "x"), ("f/fees_2025.md", "Fees", "x"))
    assert Editions(fees).not_asked(question) == left_out


def test_a_question_of_a_day_is_about_the_text_of_that_day_not_of_its_year() -> None:
    minutes = evidence(("m/2025-03-12.txt", "Minutes", "x"), ("m/2025-05-14.txt", "Minutes", "x"))
    left_out = Editions(minutes).not_asked("Who was there on 14 May 2025?")
    assert left_out == {"m/2025-03-12.txt"}


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Who was there in March?", {"m/2025-05-14.txt"}),
        ("Who was there on 14 May?", {"m/2025-03-12.txt"}),
        ("Who was there on 15 May?", set()),
        ("Who was there in March 2024?", set()),
        ("May children be there?", set()),
    ],
)
def test_a_question_may_name_the_month_of_a_text_alone(question: str, left_out: set[str]) -> None:
    minutes = evidence(("m/2025-03-12.txt", "Minutes", "x"), ("m/2025-05-14.txt", "Minutes", "x"))
    assert Editions(minutes).not_asked(question) == left_out


def test_what_rests_on_a_text_goes_with_it() -> None:
    both = evidence(("a", "T", "x"), ("b", "T", "x"))
    relations = [
        Relation("r1", "e1", "has", "e2", chunk_ids=("ca",)),
        Relation("r2", "e1", "has", "e3", chunk_ids=("ca", "cb")),
    ]
    whole = Evidence(chunks=both.chunks, relations=tuple(Hit(one, 1.0) for one in relations))
    kept = without_texts(whole, {"a"})
    assert [hit.item.doc_id for hit in kept.chunks] == ["b"]
    assert [hit.item.id for hit in kept.relations] == ["r2"]
