import pytest

from hoptrail.agents.answering.abstention import explain_abstention
from hoptrail.core.types import AbstainReason, JsonDict, Strategy
from hoptrail.core.types.draft import Draft, Pattern

READ: JsonDict = {"chunks": [["c1"], ["c2"]], "relations": [["r1"]], "entities": [["e1"]]}


@pytest.mark.parametrize(
    ("reason", "strategy", "words"),
    [
        ("no_evidence", "graph_search", "no chain of stated facts in 2 passages and 1 relation"),
        ("no_evidence", "generic", "no answer was found in 2 passages and 1 relation"),
        ("unverified", "generic", "nothing in 2 passages and 1 relation supports it"),
        ("not_in_knowledge_base", "graph_search", "no name of the question was recognised in 2"),
        ("unresolved_variable", "sparql", "one step was not found in 2 passages and 1 relation"),
    ],
)
def test_an_abstention_says_what_was_read_and_what_was_not_found(
    reason: AbstainReason, strategy: Strategy, words: str
) -> None:
    assert words in explain_abstention(Draft(strategy, reason=reason), READ)


def test_the_step_that_is_missing_is_named() -> None:
    draft = Draft(
        "graph_search",
        reason="unresolved_variable",
        missing=Pattern("Morning Tern", "insured", "?answer"),
    )
    assert explain_abstention(draft, READ).endswith(": Morning Tern - insured - ?.")


def test_where_nothing_was_read_nothing_else_is_claimed() -> None:
    told = explain_abstention(Draft("graph_search", reason="no_evidence"), {"chunks": []})
    assert "nothing to read" in told
