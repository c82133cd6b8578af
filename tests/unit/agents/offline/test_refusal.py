from __future__ import annotations

import pytest

from hoptrail.agents.offline.refusal import (
    identifiers,
    is_of_other_rank,
    is_refused,
    tells_opposite,
)
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import index_of


def refused(question: str, text: str, *claim: str, answer: str) -> bool:
    subject, predicate, object_ = claim
    draft = Draft("graph_search", (answer,), hops=(HopClaim(subject, predicate, object_, "c1"),))
    return is_refused(question, draft, index_of(text, title="The town", doc_id="town/about.md"))


@pytest.mark.parametrize(
    ("question", "subject", "predicate", "answer"),
    [
        ("When was Ann Lee born?", "Ann Lee", "died on", "9 May 1944"),  # the contrary
        ("When did Bo Reed die?", "Bo Reed", "Ann Lee died on", "9 May 1944"),  # of another person
        ("Who opened the mill?", "Ann Lee", "opened the mill at", "Larch Farm"),  # where it was
    ],
)
def test_what_is_not_asked_is_no_answer(
    question: str, subject: str, predicate: str, answer: str
) -> None:
    text = f"{subject} {predicate} {answer}."
    text = "Ann Lee died on 9 May 1944." if "Bo" in subject else text

    assert refused(question, text, subject, predicate, answer, answer=answer)


def test_what_is_asked_stays_an_answer() -> None:
    text = "Ann Lee died on 9 May 1944."

    assert not refused(
        "When did Ann Lee die?", text, "Ann Lee", "died on", "9 May 1944", answer="9 May 1944"
    )


def test_the_last_of_two_steps_is_about_what_the_first_leads_to() -> None:
    text = "Farrow Works was founded by Amos Tully. Amos Tully was born in 1871."
    hops = (
        HopClaim("Farrow Works", "was founded by", "Amos Tully", "c1"),
        HopClaim("Amos Tully", "was born in", "1871", "c1"),
    )
    draft = Draft("graph_search", ("1871",), hops=hops)
    index = index_of(text, title="The town", doc_id="town/about.md")

    assert not is_refused("When was the founder of Farrow Works born?", draft, index)


def test_what_does_not_spell_an_identifier_tells_nothing_of_it() -> None:
    text = "The server has a default of 2000."
    claim = ("The server", "has a default of", "2000")

    assert refused("What is the default of server.maxHeaders?", text, *claim, answer="2000")
    assert not refused(
        "What is the default of server.maxHeaders?",
        f"## server.maxHeaders\n\n{text}",
        *claim,
        answer="2000",
    )
    assert not refused("What default does about.md give?", text, *claim, answer="2000")


def test_what_tells_of_no_kin_names_no_relative() -> None:
    question = "What was Ann Lee's daughter called?"
    claim = ("Ann Lee", "was a", "Quarnish")

    assert refused(question, "Ann Lee was a Quarnish engineer.", *claim, answer="Quarnish")
    assert not refused(
        question,
        "Ann Lee was the mother of Ida Lee.",
        *("Ann Lee", "was the mother of", "Ida Lee"),
        answer="Ida Lee",
    )


def test_kin_may_be_told_of_by_the_heading() -> None:
    text = "## Mother and baby group\n\nWe meet on Tuesdays at ten in the hall."

    assert not refused(
        "When does the mother and baby group meet?", text, "We", "meet on", "Tuesdays", answer="x"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is path.sep on POSIX?", ["path.sep"]),
        ("What is os.EOL?", ["os.EOL"]),
        ("Does fs.promises.rm() remove it?", ["fs.promises.rm"]),
        ("What is the default keepAliveTimeout?", ["keepAliveTimeout"]),
        ("What is the order_id of the kettle?", ["order_id"]),
        ("What does --inspect do?", ["--inspect"]),
        ("Who is Ann McLeod of St.Ives, e.g. at ann.lee@mill.org?", []),
        ("Does Dr. Lee own an iPhone?", []),
    ],
)
def test_an_identifier_is_told_by_its_signs(text: str, found: list[str]) -> None:
    assert identifiers(text) == found


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When was Ann Holt born?", "Ann Holt died on 9 May 1944"),
        ("When does the ferry depart?", "The ferry arrives at 2.15 pm"),
        ("When did the bakery open?", "The bakery closed in 1998"),
        ("When does the lease end?", "The lease begins on 1 April"),
        ("When are bonfires forbidden?", "Bonfires are allowed after 6 pm"),
    ],
)
def test_the_contrary_of_what_is_asked_is_told(asked: str, told: str) -> None:
    assert tells_opposite(asked, told)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When was Ann Holt born?", "Ann Holt was born in 1871 and died in 1944"),
        ("When was Ann Holt born?", "Ann Holt (3 May 1871 – 9 May 1944) was a painter"),
        ("When does the lease end?", "The lease runs until 31 March"),
        ("Did it open before it closed?", "It closed in 1998"),
    ],
)
def test_what_is_asked_may_be_told_beside_the_contrary_or_in_other_words(
    asked: str, told: str
) -> None:
    assert not tells_opposite(asked, told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the vice-chair of the choir?", "The chair of the choir is Ann Holt."),
        ("Who was the former chair?", "The chair is Ann Holt."),
        ("Who is the conductor?", "Ann Holt is the deputy conductor."),
        ("Who is the president of the club?", "The honorary president is Lord Amble."),
        ("Who is the deputy treasurer?", "The assistant treasurer is Bo Reed."),
    ],
)
def test_a_role_of_another_rank_is_another_role(question: str, told: str) -> None:
    assert is_of_other_rank(question, told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the vice-chair?", "The vice chair is Ann Holt."),
        ("Who is the conductor?", "Ann Holt is the conductor, Bo Reed the deputy conductor."),
        ("What was the former name of the choir?", "The choir was called Holm Singers."),
        ("How many honorary members were there?", "Group: Honorary; 2023: 5"),
        ("Who leads the choir?", "The deputy conductor Ann Holt leads the choir."),
        ("Who is the chair of the former club?", "The chair of the former club is Ann Holt."),
    ],
)
def test_the_same_rank_is_the_same_role(question: str, told: str) -> None:
    assert not is_of_other_rank(question, told)
