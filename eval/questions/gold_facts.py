"""Gold facts of a question beside its answer: steps, sentences, triples and relation paths."""

from __future__ import annotations

from collections import defaultdict

from hoptrail.eval.files.fields import Fields, is_whole
from hoptrail.eval.questions.question import GoldStep

Passage = tuple[str, str]
Triple = tuple[str, str, str]

_METAQA_PREDICATES = {
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


def passages_at(fields: Fields, places: list[int], name: str) -> tuple[Passage, ...]:
    """Return the (title, text) of these `paragraphs`, by their `idx`, else by their place.

    Args:
        fields: The question.
        places: Numbers of paragraphs.
        name: The field that the places stand in, for the error.

    Raises:
        InputError: If a place names no paragraph; without paragraphs there is none to name.
    """
    paragraphs = fields.objects("paragraphs")
    if not paragraphs:
        return ()
    by_place = {item.row.get("idx", place): item for place, item in enumerate(paragraphs)}
    missing = next((place for place in places if place not in by_place), None)
    if missing is not None:
        raise fields.error(f"{name} names paragraph {missing}, which is not there")
    return tuple(_passage(by_place[place]) for place in places)


def gold_steps(fields: Fields) -> tuple[GoldStep, ...]:
    """Return the `decomposition`, each step with the passage of its `paragraph_support_idx`."""
    steps = []
    for step in fields.objects("decomposition"):
        place = step.whole_number("paragraph_support_idx")
        places = [] if place is None else [place]
        steps.append(
            GoldStep(
                step.optional_text("question") or "",
                step.optional_text("answer") or "",
                passages_at(fields, places, "paragraph_support_idx"),
            )
        )
    return tuple(steps)


def gold_sentences(fields: Fields) -> tuple[tuple[str, str], ...]:
    """Return the (title, sentence) pairs of `supporting_facts`, else of `evidence`.

    A supporting fact is `[title, place of the sentence]`. One whose sentence is not among the
    `paragraphs` is left out: the published sets hold some.
    """
    if not fields.items("supporting_facts"):
        return tuple(
            (title, fact)
            for item in fields.objects("evidence")
            if (title := item.optional_text("title")) and (fact := item.optional_text("fact"))
        )
    by_title: dict[str, list[list[str]]] = defaultdict(list)
    for paragraph in fields.objects("paragraphs"):
        sentences = [str(sentence).strip() for sentence in paragraph.items("sentences")]
        by_title[paragraph.optional_text("title") or ""].append(sentences)
    found = (
        (title, sentences[place])
        for title, place in _supporting_facts(fields)
        for sentences in by_title.get(title, ())
        if 0 <= place < len(sentences) and sentences[place]
    )
    return tuple(dict.fromkeys(found))


def gold_relation_paths(fields: Fields) -> tuple[tuple[str, ...], ...]:
    """Return the `ground_relation_paths`, else the predicates that MetaQA's `qtype` stands for."""
    paths = fields.items("ground_relation_paths")
    if not paths:
        path = metaqa_path(fields.optional_text("qtype") or "")
        return (path,) if path else ()
    if not all(isinstance(path, list) and _are_texts(path) for path in paths):
        raise fields.error("the field 'ground_relation_paths' is no list of lists of texts")
    return tuple(dict.fromkeys(tuple(path) for path in paths if path))


def gold_triples(fields: Fields) -> tuple[Triple, ...]:
    """Return the `evidences` of 2WikiMultiHopQA; what is no (subject, predicate, object) is not."""
    triples = (item for item in fields.items("evidences") if isinstance(item, list))
    return tuple(
        (item[0], item[1], item[2]) for item in triples if _are_texts(item) and len(item) == 3
    )


def _passage(paragraph: Fields) -> Passage:
    # Gold is matched by its text, so an empty one must not be an error here.
    return paragraph.optional_text("title") or "", paragraph.optional_text("text") or ""


def _supporting_facts(fields: Fields) -> list[tuple[str, int]]:
    facts = []
    for fact in fields.items("supporting_facts"):
        if not (isinstance(fact, list) and len(fact) == 2 and is_whole(fact[1])):
            raise fields.error("the field 'supporting_facts' is no list of [title, sentence]")
        facts.append((str(fact[0]).strip(), fact[1]))
    return facts


def _are_texts(items: list[object]) -> bool:
    return all(isinstance(item, str) and item for item in items)


def metaqa_path(question_type: str) -> tuple[str, ...]:
    """Return the predicates of a MetaQA type from the topic to the answers, in either direction.

    Every predicate joins a movie to something else, so the type's other parts name them:
    `actor_to_movie_to_year` is `starred_actors`, `release_year`. Empty for any other text.
    """
    parts = question_type.split("_to_")
    if len(parts) < 2:
        return ()
    ends = [_end(left, right) for left, right in zip(parts, parts[1:], strict=False)]
    if any(end not in _METAQA_PREDICATES for end in ends):
        return ()
    return tuple(_METAQA_PREDICATES[end] for end in ends)


def _end(left: str, right: str) -> str:
    if left == "movie":
        return right
    return left if right == "movie" else ""
