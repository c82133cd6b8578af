"""MetaQA's question types as the predicates of its knowledge base."""

from __future__ import annotations

_PREDICATES = {
    "actor": "starred_actors",
    "director": "directed_by",
    "writer": "written_by",
    "genre": "has_genre",
    "year": "release_year",
    "language": "in_language",
    "tag": "has_tags",
    "tags": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}


def relation_path(question_type: str) -> tuple[str, ...]:
    """Return the predicates from the topic to the answers, in either direction.

    Every predicate joins a movie to something else, so the type's other parts name them:
    `actor_to_movie_to_year` is `starred_actors`, `release_year`. Empty for any other text.
    """
    parts = question_type.split("_to_")
    if len(parts) < 2:
        return ()
    ends = [_end(left, right) for left, right in zip(parts, parts[1:], strict=False)]
    return (
        tuple(_PREDICATES[end] for end in ends) if all(end in _PREDICATES for end in ends) else ()
    )


def _end(left: str, right: str) -> str:
    if left == "movie":
        return right
    return left if right == "movie" else ""
