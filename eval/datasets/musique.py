"""MuSiQue (Trivedi et al., 2022): questions composed of single hops, with their decomposition."""

from __future__ import annotations

from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.example import Example, PublicSet
from hoptrail.eval.datasets.origin import Origin, Part
from hoptrail.eval.files.fields import Fields

QUESTIONS = Part(
    files=("musique_ans_*{split}.jsonl", "data/musique_ans_*{split}.jsonl"),
    hub=("dgslibisey/MuSiQue", None),
)
_STEP_FIELDS = ("question", "answer", "paragraph_support_idx")


def read_musique(origin: Origin) -> PublicSet:
    """Read the questions of a split with the twenty paragraphs of each.

    Those of MuSiQue-Full that their own paragraphs cannot answer are left out: in a pooled corpus
    the paragraphs of their answerable twins stand beside them.
    """
    return PublicSet(_example(item) for item in origin.records(QUESTIONS))


def _example(fields: Fields) -> Example | None:
    if fields.row.get("answerable") is False:
        return None
    paragraphs = [_paragraph(item) for item in fields.objects("paragraphs")]
    steps = [
        {name: item.row[name] for name in _STEP_FIELDS if item.row.get(name) is not None}
        for item in fields.objects("question_decomposition")
    ]
    name = fields.text("id")
    question: JsonDict = {
        "id": name,
        "question": fields.text("question"),
        "answer": fields.text("answer"),
        "answer_aliases": list(fields.texts("answer_aliases")),
        "hops": len(steps),
        "hop_type": name.partition("__")[0],
        "decomposition": steps,
        "supporting_idx": [item["idx"] for item in paragraphs if item["is_supporting"]],
        "paragraphs": paragraphs,
    }
    return Example(question, tuple((item["title"], item["text"]) for item in paragraphs))


def _paragraph(fields: Fields) -> JsonDict:
    place = fields.whole_number("idx")
    if place is None:
        raise fields.error("the field 'idx' of a paragraph is missing")
    return {
        "idx": place,
        "title": fields.optional_text("title") or "",
        "text": fields.text("paragraph_text"),
        "is_supporting": fields.row.get("is_supporting") is True,
    }
