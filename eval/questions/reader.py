"""Reads a file of questions with their gold; every error names the file and the line."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.eval.json_files import Fields, is_whole, read_json_lines
from hoptrail.eval.questions.question import GLOBAL, GoldStep, Question, SupportReference

_ANSWER_FIELDS = ("answer", "answers", "webquestions_answers")
_SUPPORT_ID_FIELDS = ("supporting_ids", "evidence_ids")
_TYPE_FIELDS = ("type", "question_type", "compositionality_type")
_TOPIC_FIELDS = ("topic_entity", "topic_entities")
_FIELDS = frozenset(
    {
        *_ANSWER_FIELDS,
        *_SUPPORT_ID_FIELDS,
        *_TYPE_FIELDS,
        *_TOPIC_FIELDS,
        "id",
        "question",
        "answer_aliases",
        "hops",
        "supporting_idx",
        "paragraphs",
        "supporting_titles",
        "decomposition",
        "supporting_facts",
        "evidence",
        "evidences",
        "ground_relation_paths",
        "qtype",
        "index",
    }
)
_ALMOST_EQUAL = 0.9

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


def load_questions(path: Path, limit: int | None = None) -> list[Question]:
    """Read the first `limit` questions (all of them if None) of a JSONL file, plain or gzip.

    Raises:
        InputError: If the file is missing or empty, or a line cannot be used; names the line.
    """
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for fields in islice(read_json_lines(path), limit):
        question = _question(fields)
        if question.id in lines:
            raise fields.error(
                f"the id {question.id!r} stands on line {lines[question.id]} already",
                "give every question its own id",
            )
        lines[question.id] = question.line
        questions.append(question)
    if not questions:
        raise InputError(
            "no question in it", path=str(path), hint="one JSON object a line: id, question, answer"
        )
    return questions


def _question(fields: Fields) -> Question:
    fields.refuse_misspelt(_FIELDS, _ALMOST_EQUAL)
    return Question(
        id=fields.text("id"),
        text=fields.text("question"),
        answers=_answers(fields),
        line=fields.line or 0,
        type=fields.first_text(_TYPE_FIELDS),
        hops=fields.whole_number("hops"),
        topic_entities=fields.first_texts(_TOPIC_FIELDS),
        support=SupportReference(
            fields.first_texts(_SUPPORT_ID_FIELDS),
            passages_at(fields, fields.whole_numbers("supporting_idx"), "supporting_idx"),
            fields.texts("supporting_titles"),
        ),
        steps=gold_steps(fields),
        sentences=gold_sentences(fields),
        relation_paths=gold_relation_paths(fields),
        facts=gold_triples(fields),
        graph=fields.optional_text("index"),
    )


def _answers(fields: Fields) -> tuple[tuple[str, ...], ...]:
    given = [name for name in _ANSWER_FIELDS if name in fields.row]
    if not given and fields.first_text(_TYPE_FIELDS) == GLOBAL:
        return ()
    if not given:
        raise fields.error("the answer is missing", fields.suggest("answer", known=_FIELDS))
    name = next((name for name in given if fields.texts(name)), None)
    if name is None:
        raise fields.error(f"the field {given[0]!r} is empty")
    answers = fields.texts(name)
    if name == "answer" and len(answers) == 1:
        return (tuple(dict.fromkeys((*answers, *fields.texts("answer_aliases")))),)
    return tuple((answer,) for answer in answers)


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
