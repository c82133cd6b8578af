"""Whether a prompt holds a gold support, for the oracle reader of docs/evaluation.md.

A support is present when the evidence has a span of the gold passage that contains the step's
answer: in a shown passage of the gold title the sentence around an occurrence of the answer or,
where a chunk cuts the sentence, `WINDOW` words in a row around it. Outside of labelled passages, as
in the description of a relation, a whole sentence of some length is asked for; another passage
never counts, however much it reads like the gold one.

An answer that the passage has in its title alone is contained in any span of the text under that
title. Where the answer is not known, or the passage does not spell it, a gold supporting sentence
is asked for, else half of the passage's words. Where only a title is known, a passage of that title
is asked for, with the answer in it if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.dagr import usable_sub_questions
from hoptrail.core.errors import InputError
from hoptrail.core.text import content_words, normalize_answer, sentences
from hoptrail.eval.oracle.evidence_text import (
    NO_LABEL,
    EvidenceText,
    Walk,
    Words,
    answer_walks,
    spaced,
    spells,
    words_of,
)
from hoptrail.eval.questions.question import GoldStep, Question

Passage = tuple[str, str]

WINDOW = 12
"""Words of a span that is no whole sentence."""
_BEYOND_ANSWER = 3
_TELLING_SENTENCE = 5
_SHINGLE = 8


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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a support was found: a passage's label or `NO_LABEL`, and the gold title and text."""

    label: str
    title: str
    text: str


def find_gold_support(support: GoldSupport, evidence: EvidenceText) -> Place | None:
    """Return where the evidence holds a support, None where it does not."""
    found = (_find(passage, support, evidence) for passage in support.passages)
    return next((place for place in found if place is not None), None)


def _find(passage: Passage, support: GoldSupport, evidence: EvidenceText) -> Place | None:
    title, text = passage
    label = _label(title, text, support, evidence)
    return None if label is None else Place(label, title, text or " ".join(support.sentences))


def _label(title: str, text: str, support: GoldSupport, evidence: EvidenceText) -> str | None:
    """Return the label under which the passage is shown as far as the support asks for it."""
    spelled = next((form for form in support.answers if spells(text, form)), None)
    if spelled is not None:
        return _label_of_answer(title, text, spelled, evidence)
    if text and any(spells(title, form) for form in support.answers):
        return _label_of_share(title, text, 0.0, evidence)
    if support.sentences and not (support.answers and not text):
        return _label_of_sentence(title, map(words_of, support.sentences), evidence)
    if text:
        return _label_of_share(title, text, 0.5, evidence)
    return _label_of_title(title, support.answers, evidence)


def _label_of_answer(title: str, text: str, form: str, evidence: EvidenceText) -> str | None:
    label = _label_of_sentence(title, _answer_sentences(text, form), evidence)
    if label is not None:
        return label
    return _label_of_span(title, list(_answer_windows(text, form)), evidence)


def _answer_sentences(text: str, form: str) -> Iterator[Words]:
    return (words_of(sentence) for sentence in sentences(text) if spells(sentence, form))


def _answer_windows(text: str, form: str) -> Iterator[Words]:
    """Yield `WINDOW` words in a row, more for a long answer, at every place around an answer."""
    answer, whole = words_of(form), words_of(text)
    width = min(max(WINDOW, len(answer) + _BEYOND_ANSWER), len(whole))
    for start in range(len(whole) - len(answer) + 1):
        if whole[start : start + len(answer)] == answer:
            first = max(0, start + len(answer) - width)
            for left in range(first, min(start, len(whole) - width) + 1):
                yield whole[left : left + width]


def _label_of_sentence(title: str, told: Iterable[Words], evidence: EvidenceText) -> str | None:
    spans = list(told)
    label = _label_of_span(title, spans, evidence)
    if label is not None:
        return label
    telling = (span for span in spans if len(span) >= _TELLING_SENTENCE)
    return NO_LABEL if any(map(evidence.holds_unlabelled, telling)) else None


def _label_of_span(title: str, spans: Sequence[Words], evidence: EvidenceText) -> str | None:
    for passage in evidence.titled(title):
        if any(span and passage.holds(span) for span in spans):
            return passage.label
    return None


def _label_of_share(title: str, text: str, least: float, evidence: EvidenceText) -> str | None:
    """Return where more than nothing and at least this share of the text's words is shown.

    Several chunks of a passage count together, under the label of the first one.
    """
    words = words_of(text)
    shown = [passage for passage in evidence.titled(title) if _shown(words, passage.key)]
    places = set().union(*(_shown(words, passage.key) for passage in shown))
    return shown[0].label if shown and len(places) >= least * len(words) else None


def _shown(words: Words, key: str) -> set[int]:
    """Return the places of the words that stand in a text in rows of `_SHINGLE`."""
    size = min(_SHINGLE, len(words))
    starts = range(len(words) - size + 1) if words else ()
    rows = (start for start in starts if spaced(words[start : start + size]) in key)
    return {place for start in rows for place in range(start, start + size)}


def _label_of_title(title: str, answers: Sequence[str], evidence: EvidenceText) -> str | None:
    if not evidence.holds(words_of(title)):
        return None
    for passage in evidence.titled(title):
        if not answers or any(spells(passage.text, form) for form in answers):
            return passage.label
    return None


@dataclass(frozen=True, slots=True)
class AllowedAnswers:
    """Answers that the evidence of one prompt allows, and why.

    Attributes:
        answers: Gold answers that may be given, each in a form that the evidence spells if it
            spells one; empty where support is absent.
        supports: What the question or sub-question needs.
        places: Where each support was found, None where it was not.
        walks: On a bare graph, one walk to each answer.
    """

    answers: tuple[str, ...]
    supports: tuple[GoldSupport, ...] = ()
    places: tuple[Place | None, ...] = ()
    walks: tuple[Walk, ...] = ()


def find_answers(question: Question, step: int | None, evidence: EvidenceText) -> AllowedAnswers:
    """Return what the evidence allows to answer.

    A sub-question needs its own support, the question all of them. Where the gold names no
    passages, triples must lead to the answer.

    Args:
        question: With its gold.
        step: Place of a sub-question in the decomposition that the oracle issued; None for the
            question. Without a usable gold decomposition the only one is the question itself.
        evidence: What the prompt shows.

    Raises:
        InputError: If the decomposition has no such step.
    """
    if step is not None and (is_decomposable(question) or step != 0):
        return _find_step(question, step, evidence)
    if question.is_unanswerable:
        return AllowedAnswers(())
    supports = supports_of(question)
    if not supports:
        walks = answer_walks(question, evidence.triples)
        return AllowedAnswers(tuple(walks), walks=tuple(walks.values()))
    places = tuple(find_gold_support(support, evidence) for support in supports)
    if None in places:
        return AllowedAnswers((), supports, places)
    return AllowedAnswers(
        tuple(spelled_form(forms, evidence) for forms in question.answers), supports, places
    )


def spelled_form(forms: Sequence[str], evidence: EvidenceText) -> str:
    """Return the main form if the evidence spells it, else the longest one that it does spell."""
    by_length = [forms[0], *sorted(forms[1:], key=len, reverse=True)]
    return next((form for form in by_length if evidence.holds(words_of(form))), forms[0])


def _find_step(question: Question, step: int, evidence: EvidenceText) -> AllowedAnswers:
    if not (is_decomposable(question) and 0 <= step < len(question.steps)):
        raise InputError(
            f"question {question.id} has no sub-question {step}",
            hint="the step of a prompt counts the decomposition that the oracle gave",
        )
    support = step_support(question, step)
    place = find_gold_support(support, evidence)
    forms = step_answers(question, step)
    answers = (spelled_form(forms, evidence),) if place is not None and forms else ()
    return AllowedAnswers(answers, (support,), (place,))
