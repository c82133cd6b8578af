from __future__ import annotations

from hoptrail.agents.answering.missing_fact_query import query_for
from hoptrail.core.types.draft import Pattern

QUESTION = "Where was the designer of Maple Bridge born?"


def test_query_holds_what_is_known_and_what_is_missing() -> None:
    missing = Pattern("Ida Holm", "born in", "?birthTown")
    assert query_for(missing, QUESTION) == "Ida Holm born in birth town"


def test_variable_without_meaning_adds_no_word() -> None:
    assert query_for(Pattern("Ida Holm", "born in", "?x"), QUESTION) == "Ida Holm born in"


def test_pattern_without_any_name_takes_the_words_of_the_question() -> None:
    query = query_for(Pattern("?engineer", "designed", "?x"), QUESTION)
    assert query == "engineer designed designer maple bridge born"
