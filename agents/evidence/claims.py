"""Facts in words: the spelling of an answer, and the claim that a sentence or relation makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.line_layout import LabelledPart, labelled_parts, part_at
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.sentence_grammar import (
    BRACKETED_YEAR,
    HELPERS,
    Complement,
    NounPhrase,
    SentenceGrammar,
)
from hoptrail.agents.language.table_rows import identifying_parts, row_name
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import HopClaim

_LONGEST_PREDICATE_WORDS = 7
# "The mayor of Alding is Ann Holt" says who its mayor is.
_OFFICE = re.compile(r"\b[Tt]he\s(?P<office>(?:[a-z][\w-]{1,30}\s){1,3})of\s(?:the\s)?$")
_APPOSITION = re.compile(r"^,\s[^,]{1,80},\s(?=\w)")

_DASH = re.compile(r"\s[–—-]\s|\d[–—-](?=\d{4})")
_LONGEST_OBJECT_WORDS = 5

Span = tuple[int, int]


def answer_text(question: str, mention: Mention, graph: SentenceGraph) -> str:
    """Return the spelling of an answer: a name in full, only the year where a year is asked."""
    if mention.kind == "date" and focus_of(question).noun == "year":
        year = re.search(r"\b\d{4}\b", mention.text)
        return year.group() if year else mention.text
    if mention.kind in {"date", "number"}:
        return mention.text
    name = graph.name(mention.key)
    if code := _code_of_column(question, name, graph):
        return code
    return name if name_key(name) == mention.key and mention.key in graph.names else mention.text


def _code_of_column(question: str, name: str, graph: SentenceGraph) -> str:
    """Return "12" of "Flat 12" where the question asks "in which flat", and a table has it so."""
    column, _, code = name.partition(" ")
    if not code or column.lower() != focus_of(question).noun:
        return ""
    cell = f"{column}: {code};"
    return code if any(cell in chunk.text for chunk in graph.index.chunks.values()) else ""


def claim_in(
    fact: Fact, origin: str, target: Mention, spelling: str, graph: SentenceGraph
) -> HopClaim:
    """Return what a fact says about a name and another one that it mentions.

    Args:
        fact: A relation, or a sentence: then its verb that has both names around it is the
            predicate, else the words between them.
        origin: Key of the one name.
        target: The other, as it stands in the fact's text.
        spelling: How to write the other in the claim.
        graph: Where keys are spelled.
    """
    relation, sentence = fact.relation, fact.sentence
    if relation is not None:
        return HopClaim(relation.subject, relation.predicate, relation.object, None, relation.id)
    chunk_id = sentence.chunk.id if sentence else None
    spelled = [mention for mention in fact.mentions if mention.key == origin]
    here = min(spelled, key=lambda one: abs(one.start - target.start), default=None)
    name = here.text if here and origin not in graph.names else graph.name(origin)
    parts = labelled_parts(fact.text)
    if len(parts) > 1 and (cell := part_at(parts, target.start)):
        own = part_at(parts, here.end - 1) if here else None
        return _claim_of_row(fact, (name, own), (spelling, cell), parts)
    span = (here.start, here.end) if here is not None else None
    worded = worded_between(fact.text, span, (target.start, target.end))
    if worded is not None:
        first, predicate, second = (
            (name, worded.predicate, spelling)
            if worded.is_forward
            else (spelling, worded.predicate, name)
        )
        return HopClaim(first, predicate, second, chunk_id)
    if here is not None and target.end <= here.start:
        return HopClaim(spelling, _predicate(fact.text[target.end : here.start]), name, chunk_id)
    held = _OFFICE.search(fact.text[: here.start]) if here is not None else None
    if here is not None and held and fact.text[here.end : target.start].strip() in {"is", "was"}:
        return HopClaim(name, held["office"].strip(), spelling, chunk_id)
    start = here.end if here is not None else 0
    return HopClaim(name, _predicate(fact.text[start : target.start]), spelling, chunk_id)


def _claim_of_row(
    fact: Fact,
    origin: tuple[str, LabelledPart | None],
    target: tuple[str, LabelledPart],
    parts: tuple[LabelledPart, ...],
) -> HopClaim:
    """Return what a row says of two names with their cells: it tells about what stands for it."""
    (name, own), (spelling, cell) = origin, target
    chunk = fact.sentence.chunk if fact.sentence else None
    keys = identifying_parts(parts, fact.text, chunk.text if chunk else fact.text)
    chunk_id = chunk.id if chunk else None
    if own and cell in keys and own not in keys:
        is_code = not any(map(str.isalpha, spelling))
        called = row_name(cell, fact.text) if is_code else spelling
        return HopClaim(called, own.label, name, chunk_id)
    return HopClaim(name, cell.label, spelling, chunk_id)


def _predicate(between: str) -> str:
    plain = re.sub(r"\([^()]*\)|^.*[.;(]\s", " ", between)
    plain = _APPOSITION.sub(" ", plain)
    plain = re.sub(r"^\W*(?:He|She|It|They|His|Her|Its|Their|(?:The|This)\s+[a-z]+)\b", "", plain)
    kept = re.findall(r"[\w'’-]+", re.sub(r"\bThe\s*$", "", plain))
    return " ".join(kept[-_LONGEST_PREDICATE_WORDS:])


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
                yield Wording(_verb_phrase(grammar, verb, complements, complement), True)
            is_first = first is not None and _is_in(first, complement.phrase)
            if is_first and any(_is_in(second, one) for one in subjects):
                yield Wording(_verb_phrase(grammar, verb, complements, complement), False)


def _has(grammar: SentenceGrammar, phrases: list[NounPhrase], end: range | None) -> bool:
    if end is None:
        return any(grammar.is_pronoun(phrase) for phrase in phrases)
    return any(_is_in(end, phrase) for phrase in phrases)


def _is_in(end: range, phrase: NounPhrase) -> bool:
    return bool(end) and phrase.start <= end.start and end.stop == phrase.head_end


def _verb_phrase(
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
