"""The form of a question that HotpotQA introduced and 2WikiMultiHopQA shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.example import Example
from hoptrail.eval.files.fields import Fields, is_whole


def hotpot_example(fields: Fields, *, joiner: str, extra: Sequence[str] = ()) -> Example | None:
    """Return a question with its `context` and `supporting_facts`; None if it has no answer.

    Args:
        fields: The question, with lists as in the authors' files or with the columns that the
            hub makes of them.
        joiner: What stands between the sentences of a paragraph.
        extra: Further fields to keep as they are.

    Raises:
        InputError: If a field is missing or has another form; names the place.
    """
    if fields.row.get("answer") == "":
        return None
    paragraphs: list[JsonDict] = [
        {
            "idx": place,
            "title": title,
            "sentences": sentences,
            "text": joiner.join(sentences).strip(),
        }
        for place, (title, sentences) in enumerate(_context(fields))
    ]
    facts = _supporting_facts(fields)
    question: JsonDict = {
        "id": fields.first_text(("_id", "id")) or fields.text("_id"),
        "question": fields.text("question"),
        "answer": fields.text("answer"),
        **{name: fields.row[name] for name in ("type", "level", *extra) if fields.row.get(name)},
        "supporting_facts": facts,
        **_support([title for title, _ in facts], paragraphs),
        "paragraphs": paragraphs,
    }
    return Example(question, tuple((item["title"], item["text"]) for item in paragraphs))


def _support(titles: Iterable[str], paragraphs: Sequence[JsonDict]) -> JsonDict:
    """Return the places of the supporting paragraphs, unless the context lacks some of them."""
    wanted = list(dict.fromkeys(titles))
    support: JsonDict = {"supporting_titles": wanted}
    if set(wanted) <= {item["title"] for item in paragraphs}:
        support["supporting_idx"] = [item["idx"] for item in paragraphs if item["title"] in wanted]
    return support


def _context(fields: Fields) -> Iterator[tuple[str, list[str]]]:
    for title, sentences in _pairs(fields, "context", "title", ("sentences", "content")):
        if not isinstance(sentences, list):
            raise fields.error("the field 'context' is no list of [title, sentences]")
        yield str(title).strip(), [str(sentence) for sentence in sentences]


def _supporting_facts(fields: Fields) -> list[tuple[str, int]]:
    pairs = list(_pairs(fields, "supporting_facts", "title", ("sent_id",)))
    if not all(is_whole(place) for _, place in pairs):
        raise fields.error("the field 'supporting_facts' is no list of [title, sentence]")
    return [(str(title).strip(), place) for title, place in pairs]


def _pairs(fields: Fields, name: str, left: str, right: Sequence[str]) -> list[tuple[Any, Any]]:
    """Return pairs from a list of pairs, or from two columns."""
    value = fields.row.get(name)
    if isinstance(value, dict):
        column = next((key for key in right if key in value), right[0])
        value = list(zip(value.get(left) or [], value.get(column) or [], strict=False))
    if not isinstance(value, list):
        raise fields.error(f"the field {name!r} is missing or no list", fields.suggest(name))
    if not all(isinstance(item, list | tuple) and len(item) == 2 for item in value):
        raise fields.error(f"the field {name!r} is no list of pairs")
    return [(item[0], item[1]) for item in value]
