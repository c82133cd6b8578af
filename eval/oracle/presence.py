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

from hoptrail.core.text import sentences
from hoptrail.eval.oracle.evidence_text import NO_LABEL, EvidenceText
from hoptrail.eval.oracle.supports import GoldSupport, Passage
from hoptrail.eval.oracle.word_spans import Words, spaced, spells, words_of

WINDOW = 12
"""Words of a span that is no whole sentence."""
_BEYOND_ANSWER = 3
_TELLING_SENTENCE = 5
_SHINGLE = 8


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
