"""The texts of gold passages that a question file names by id alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hoptrail.eval.questions.gold import Gold
from hoptrail.eval.questions.question import Question
from hoptrail.stores.protocols import GraphStore


def with_gold_passages(
    questions: Sequence[Question], gold: Mapping[str, Gold], store: GraphStore
) -> list[Question]:
    """Return the questions, those whose support is only ids with the (title, text) behind them.

    Args:
        questions: All of a run.
        gold: Their gold documents, by question id.
        store: Holds the documents.
    """
    return [_complete(question, gold[question.id], store) for question in questions]


def _complete(question: Question, gold: Gold, store: GraphStore) -> Question:
    support = question.support
    if not support.ids or support.passages:
        return question
    documents = store.documents(gold.documents)
    passages = tuple((document.title, document.text) for document in documents)
    return replace(question, support=replace(support, passages=passages))
