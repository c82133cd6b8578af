import pytest

from hoptrail.agents.answering.abstention import explain_abstention
from hoptrail.agents.answering.missing_words import MissingWords
from hoptrail.core.types import AbstainReason, JsonDict, Strategy
from hoptrail.core.types.draft import Draft, Pattern

QUESTION = "Who is the head coach?"
READ: JsonDict = {"chunks": [["c1"], ["c2"]], "relations": [["r1"]], "entities": [["e1"]]}


@pytest.mark.parametrize(
    ("reason", "strategy", "words"),
    [
        (
            "no_evidence",
            "graph_search",
            '"Who is the head coach?" was looked for in 2 passages and 1 fact of the graph, and',
        ),
        (
            "no_evidence",
            "generic",
            "2 passages and 1 fact of the graph, and nothing there answers it.",
        ),
        ("unverified", "generic", "nothing in 2 passages and 1 fact of the graph supports it"),
        (
            "unresolved_variable",
            "sparql",
            "was looked for in 2 passages and 1 fact of the graph",
        ),
    ],
)
def test_an_abstention_says_what_was_read_and_what_was_not_found(
    reason: AbstainReason, strategy: Strategy, words: str
) -> None:
    assert words in explain_abstention(Draft(strategy, reason=reason), READ, QUESTION)


def test_the_step_that_is_missing_is_named_where_a_pattern_had_to_fit() -> None:
    missing = Pattern("Morning Tern", "insured", "?answer")
    draft = Draft("sparql", reason="unresolved_variable", missing=missing)
    told = explain_abstention(draft, READ, QUESTION)
    assert told.endswith(' Missing is a statement about Morning Tern ("insured").')


def test_the_only_step_is_what_the_question_says() -> None:
    missing = Pattern("Heron House", "head coach", "?answer")
    draft = Draft("graph_search", reason="unresolved_variable", missing=missing)
    assert explain_abstention(draft, READ, QUESTION).endswith("nothing there answers it.")


def test_that_a_yes_or_no_is_said_nowhere_is_no_claim_that_nothing_is() -> None:
    draft = Draft("graph_search", reason="no_evidence")
    told = explain_abstention(draft, READ, "Are dogs allowed?")
    assert '"Are dogs allowed?" asks for yes or no, and nothing in 2 passages' in told
    assert told.endswith("says it outright.")


def test_names_that_the_base_does_not_know_are_told() -> None:
    draft = Draft("graph_search", reason="not_in_knowledge_base")
    told = explain_abstention(draft, READ, "Where does Mara Lind work?")
    assert told.endswith("No thing of this name is known there: Mara Lind.")


def test_a_month_is_no_name_of_a_thing() -> None:
    draft = Draft("graph_search", reason="not_in_knowledge_base")
    told = explain_abstention(draft, READ, "What does a day in a small boat cost in July?")
    assert told.endswith("nothing there answers it.")


def test_nothing_is_missing_about_a_thing_that_shares_a_part_of_the_asked_name() -> None:
    missing = Pattern("Port Selwick", "many pupils", "?answer")
    draft = Draft("sparql", reason="unresolved_variable", missing=missing)
    told = explain_abstention(draft, READ, "How many pupils has the Selwick Conservatory?")
    assert told.endswith("nothing there answers it.")


def test_where_nothing_was_read_nothing_else_is_claimed() -> None:
    told = explain_abstention(Draft("graph_search", reason="no_evidence"), {"chunks": []}, QUESTION)
    assert "nothing to read" in told


def test_no_statement_about_a_mere_year_is_called_missing() -> None:
    missing = Pattern("?thing", "spare key", "1995")
    draft = Draft("sparql", reason="unresolved_variable", missing=missing)
    assert "1995" not in explain_abstention(draft, {}, "Who has the spare key?")


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (MissingWords(everywhere=("coach", "head")), ' Found nowhere there: "coach" and "head".'),
        (MissingWords(nearest=("coach",)), ' The nearest passage does not have: "coach".'),
    ],
)
def test_words_of_the_question_that_were_not_found_are_named(
    missing: MissingWords, told: str
) -> None:
    draft = Draft("graph_search", reason="no_evidence")
    assert explain_abstention(draft, READ, QUESTION, missing=missing).endswith(told)


def test_what_the_base_lacks_is_said_last() -> None:
    draft = Draft("generic", reason="no_evidence")
    told = explain_abstention(draft, READ, QUESTION, "no reports are there: run hoptrail reports")
    assert told.endswith("answers it. No reports are there: run hoptrail reports.")
