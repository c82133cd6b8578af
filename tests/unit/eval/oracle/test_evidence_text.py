"""Walks over the triples of a prompt."""

from __future__ import annotations

from hoptrail.core.render import path_line, relation_line
from hoptrail.core.types import Path, Relation
from hoptrail.eval.oracle.evidence_text import Triple, answer_walks, parse_triples
from hoptrail.eval.questions.question import Question


def question(
    answers: tuple[tuple[str, ...], ...] = (("Ida",), ("Nils",)),
    paths: tuple[tuple[str, ...], ...] = (("starred_actors", "starred_actors"),),
    topics: tuple[str, ...] = ("Mara",),
) -> Question:
    return Question(
        "q", "who acted with mara", answers, 1, topic_entities=topics, relation_paths=paths
    )


GRAPH = """Relations:
- Tides | starred actors | Mara
- Tides | starred actors | Ida
- Tides | directed by | Nils
"""


def test_a_path_is_followed_in_both_directions_and_only_its_answers_are_given() -> None:
    walks = answer_walks(question(), parse_triples(GRAPH))
    assert list(walks) == ["Ida"]
    assert walks["Ida"] == (
        Triple("Tides", "starred actors", "Mara"),
        Triple("Tides", "starred actors", "Ida"),
    )


def test_without_one_triple_of_the_path_nothing_is_given() -> None:
    without = GRAPH.replace("- Tides | starred actors | Mara\n", "")
    assert answer_walks(question(), parse_triples(without)) == {}


def test_without_gold_paths_any_walk_of_four_triples_counts() -> None:
    triples = parse_triples("\n".join(f"- n{i} | leads to | n{i + 1}" for i in range(6)))
    asked = question((("n4",), ("n5",)), paths=(), topics=("n0",))
    assert list(answer_walks(asked, triples)) == ["n4"]


def test_the_names_in_the_question_stand_in_for_unknown_topics() -> None:
    assert list(answer_walks(question(topics=()), parse_triples(GRAPH))) == ["Ida"]


def test_an_answer_is_given_in_the_form_that_a_triple_spells() -> None:
    asked = question((("Ida of Tides", "IDA"),))
    assert list(answer_walks(asked, parse_triples(GRAPH))) == ["IDA"]


def test_lines_as_the_product_renders_them_are_read_whole() -> None:
    first = Relation("r1", "a", "made", "b", subject="Ada", object="Engine (1833)")
    second = Relation(
        "r2", "b", "kept in", "c", description="The engine is kept in Selwick.",
        subject="Engine (1833)", object="Selwick",
    )  # fmt: skip
    path = Path((first, second), verdict="complete")
    text = "\n".join([relation_line(second), path_line(path), f"[1] {path_line(path)[2:]}"])
    assert parse_triples(text) == (
        Triple("Engine (1833)", "kept in", "Selwick"),
        Triple("Ada", "made", "Engine (1833)"),
    )
