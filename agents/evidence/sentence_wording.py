"""The predicate by which a sentence joins two of its names: the verb that has both around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.sentence_grammar import (
    BRACKETED_YEAR,
    HELPERS,
    Complement,
    NounPhrase,
    SentenceGrammar,
)

_DASH = re.compile(r"\s[–—-]\s|\d[–—-](?=\d{4})")
_LONGEST_OBJECT_WORDS = 5

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wording:
    """A predicate; `is_forward` is whether the first of two names is its subject."""

    predicate: str
    is_forward: bool


def worded_between(text: str, first: Span | None, second: Span) -> Wording | None:
    """Return the predicate that a sentence gives two names, or None where it is not sure.

    Args:
        text: The sentence.
        first: Where it has the one name; None where a pronoun stands for it.
        second: Where it has the other.
    """
    life = _life_wording(text, first, second)
    if life is not None:
        return Wording(life, True)
    grammar = SentenceGrammar(text, [span for span in (first, second) if span is not None])
    ends = (grammar.tokens_in(*first) if first is not None else None, grammar.tokens_in(*second))
    found = list(_wordings(grammar, *ends))
    # "Ann, who had not studied, built it": the clause within tells nothing of what she built.
    told = [one for one in found if not has_doubt(one.predicate)]
    return next(iter(told or found), None)


def _wordings(grammar: SentenceGrammar, first: range | None, second: range) -> Iterator[Wording]:
    for verb in range(len(grammar.tokens)):
        if not grammar.is_verb(verb) or grammar.low(verb + 1) in HELPERS - {"not"}:
            continue
        subjects, complements = grammar.subjects(verb), grammar.complements(verb)
        for complement in complements:
            if _is_in(second, complement.phrase) and _has(grammar, subjects, first):
                yield Wording(_predicate(grammar, verb, complements, complement), True)
            is_first = first is not None and _is_in(first, complement.phrase)
            if is_first and any(_is_in(second, one) for one in subjects):
                yield Wording(_predicate(grammar, verb, complements, complement), False)


def _has(grammar: SentenceGrammar, phrases: list[NounPhrase], end: range | None) -> bool:
    if end is None:
        return any(grammar.is_pronoun(phrase) for phrase in phrases)
    return any(_is_in(end, phrase) for phrase in phrases)


def _is_in(end: range, phrase: NounPhrase) -> bool:
    return bool(end) and phrase.start <= end.start and end.stop == phrase.head_end


def _predicate(
    grammar: SentenceGrammar, verb: int, complements: list[Complement], target: Complement
) -> str:
    """Return the verb with its helpers, a short direct object and the target's preposition."""
    start = verb
    while grammar.low(start - 1) in HELPERS:
        start -= 1
    words = [grammar.tokens[place].text for place in range(start, verb + 1)]
    direct = next((one.phrase for one in complements if not one.preposition), None)
    if target.preposition and direct is not None and direct.end <= target.phrase.start:
        told = [grammar.tokens[place].text for place in range(direct.start, direct.end)]
        words += told[:_LONGEST_OBJECT_WORDS]
    if target.preposition:
        words.append(target.preposition)
    return " ".join(words)


def _life_wording(text: str, first: Span | None, second: Span) -> str | None:
    """Return "was born on" or "died on" for a date in the brackets behind a name."""
    for bracket in BRACKETED_YEAR.finditer(text):
        inside = bracket.start() < second[0] and second[1] < bracket.end()
        follows = first is None or text[first[1] : bracket.start()].strip() == ""
        if not inside or not follows or not text[second[0] : second[1]][-1:].isdigit():
            continue
        preposition = "in" if second[1] - second[0] == 4 else "on"
        before = text[bracket.start() : second[0]]
        dash = _DASH.search(text, bracket.start(), bracket.end())
        if re.search(r"\b(?:died|d\.)", before) or (dash and dash.end() <= second[0]):
            return f"died {preposition}"
        if dash or re.search(r"\b(?:born|b\.)", before):
            return f"was born {preposition}"
    return None
