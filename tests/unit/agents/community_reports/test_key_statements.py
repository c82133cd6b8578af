from __future__ import annotations

from hoptrail.agents.community_reports.key_statements import choose_statements
from hoptrail.agents.community_reports.report_statements import Statement

TEXT = "Ships sail from the old harbour to the island every week."


def test_of_statements_that_say_as_much_the_first_come_first() -> None:
    told = [Statement(TEXT, (f"a{n}", f"b{n}", f"c{n}")) for n in range(40)]
    worth = {"a": 0.1, "b": 0.2, "c": 0.3}  # their sum depends on the order of adding
    weights = {f"{unit}{n}": weight for n in range(40) for unit, weight in worth.items()}
    assert choose_statements(told, weights, len(told)) == told


def test_what_was_said_already_counts_for_nothing() -> None:
    told = [Statement(TEXT, ends) for ends in (("a", "b"), ("a",), ("c",), ("b",))]
    weights = {"a": 2.0, "b": 2.0, "c": 1.0}
    assert choose_statements(told, weights, 4) == [told[0], told[2]]


def test_one_statement_is_chosen_even_if_it_adds_nothing() -> None:
    told = [Statement(TEXT), Statement("It sank.")]
    assert choose_statements(told, {}, 3) == told[:1]
    assert choose_statements([], {}, 3) == []
