from __future__ import annotations

import pytest

from hoptrail.eval.files.fields import Fields
from hoptrail.eval.questions.gold_facts import gold_triples, metaqa_path


@pytest.mark.parametrize(
    ("question_type", "path"),
    [
        ("movie_to_tags", ("has_tags",)),
        ("tag_to_movie", ("has_tags",)),
        ("actor_to_movie_to_actor", ("starred_actors", "starred_actors")),
        (
            "movie_to_director_to_movie_to_genre",
            ("directed_by", "directed_by", "has_genre"),
        ),
        ("movie", ()),
        ("actor_to_genre", ()),
        ("movie_to_budget", ()),
        ("", ()),
    ],
)
def test_a_type_names_its_predicates(question_type: str, path: tuple[str, ...]) -> None:
    assert metaqa_path(question_type) == path


def test_triples_are_those_of_2wiki_and_nothing_else() -> None:
    row = {"evidences": [["Alder Yard", "founder", "Edda Thorn"], "a text", ["two", "parts"]]}
    assert gold_triples(Fields("q.jsonl", 1, row)) == (("Alder Yard", "founder", "Edda Thorn"),)
