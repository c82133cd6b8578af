from __future__ import annotations

import pytest

from hoptrail.eval.questions.gold_facts import metaqa_path


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
