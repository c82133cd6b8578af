"""Gold supports of a question: what must be shown before the oracle answers."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.agents.dagr import usable_sub_questions
from hoptrail.core.text import content_words, normalize_answer
from hoptrail.eval.questions.question import GoldStep, Question

Passage = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GoldSupport:
    """One thing to be shown.

    Attributes:
        passages: (title, text) pairs, any of which will do; the text is empty where only the title
            is known. None at all: the gold names a document by an id that says nothing.
        answers: Accepted forms of what the passage must be seen to say, of which the first one that
            it spells counts; empty where unknown.
        sentences: Gold supporting sentences of the passage.
    """

    passages: tuple[Passage, ...]
    answers: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


def supports_of(question: Question) -> tuple[GoldSupport, ...]:
    """Return all supports of a question; none where its gold names neither passage nor document.

    Steps that know their passages come first, then passages, then titles. An id without a text
    is a support that no prompt can be seen to hold.
    """
    if question.steps and all(step.passages for step in question.steps):
        return tuple(step_support(question, place) for place in range(len(question.steps)))
    return _document_supports(question)


def is_decomposable(question: Question) -> bool:
    """Return whether the gold steps can be asked as they are, so that their places stay.

    A step without a text, or one that refers to an answer which does not come before it, is left
    out by whoever asks.
    """
    asked = tuple(" ".join(step.question.split()) for step in question.steps)
    return bool(asked) and usable_sub_questions(asked) == asked


def step_support(question: Question, place: int) -> GoldSupport:
    """Return the support of one gold step, the question's passages where it has none of its own."""
    step = question.steps[place]
    passages = step.passages or tuple(
        passage for support in _document_supports(question) for passage in support.passages
    )
    sentences = tuple(s for title, _ in passages for s in _sentences_of(title, question))
    return GoldSupport(passages, step_answers(question, place), tuple(dict.fromkeys(sentences)))


def step_answers(question: Question, place: int) -> tuple[str, ...]:
    """Return the accepted forms of a step's answer, its own first, then the longer ones.

    The last step has those of the question, but for forms such as "IT" that any text contains.
    """
    step = question.steps[place]
    is_last = place == len(question.steps) - 1
    aliases = question.accepted if is_last and _agrees(step, question) else ()
    telling = [form for form in aliases if content_words(form)]
    forms = (step.answer, *sorted(telling, key=len, reverse=True))
    return tuple(dict.fromkeys(form for form in forms if form))


def _document_supports(question: Question) -> tuple[GoldSupport, ...]:
    titles = (*question.support.titles, *(title for title, _ in question.sentences))
    passages = question.support.passages or tuple((title, "") for title in dict.fromkeys(titles))
    if not passages:
        return tuple(GoldSupport(()) for _ in question.support.ids)
    return tuple(
        GoldSupport((passage,), sentences=_sentences_of(passage[0], question))
        for passage in passages
    )


def _agrees(step: GoldStep, question: Question) -> bool:
    known = {normalize_answer(form) for form in question.accepted}
    return not step.answer or normalize_answer(step.answer) in known


def _sentences_of(title: str, question: Question) -> tuple[str, ...]:
    key = normalize_answer(title)
    return tuple(text for name, text in question.sentences if normalize_answer(name) == key)
