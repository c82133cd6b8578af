from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.replies import answers_in_graph, reply_answers, target_text


def test_a_reply_is_split_at_semicolons_and_lines() -> None:
    assert reply_answers(" Oslo;Bergen ;\nVoss ") == ("Oslo", "Bergen", "Voss")


def test_an_answer_counts_once_whatever_its_case() -> None:
    assert reply_answers("Oslo; OSLO; Bergen") == ("Oslo", "Bergen")


def test_an_empty_reply_has_no_answer() -> None:
    assert reply_answers(" ; \n") == ()


def test_answers_that_the_graph_holds_are_the_target() -> None:
    graph = GraphInput(("norway", "oslo"), ((0, "capital", 1),))
    assert target_text(("Bergen", "Oslo"), graph, len) == "Oslo"


def test_all_answers_are_the_target_where_the_graph_holds_none() -> None:
    assert target_text(("Bergen", "Oslo"), GraphInput(("Voss",)), len) == "Bergen; Oslo"


def test_a_target_keeps_to_the_budget_but_never_loses_its_first_answer() -> None:
    assert target_text(("Kristiansand", "Oslo"), None, len, budget=5) == "Kristiansand"


def test_a_long_answer_is_passed_over_for_a_short_one() -> None:
    assert target_text(("Oslo", "Kristiansand", "Voss"), None, len, budget=10) == "Oslo; Voss"


def test_nodes_without_a_name_hold_no_answer() -> None:
    assert answers_in_graph(("", "Oslo"), GraphInput(("", "Oslo"))) == ["Oslo"]
