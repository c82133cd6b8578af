"""The claims that readings rest on: what a statement says, in its own words or by its label."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from hoptrail.agents.evidence.claims import claim_in
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.answer_types import focus_of, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.labelled_text import LabelledPart
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.agents.reading.sentence_reader import Reading
from hoptrail.agents.reading.statements import Statement
from hoptrail.core.text import STOP_WORDS, content_words, name_key
from hoptrail.core.types.draft import HopClaim

_PART_OF = re.compile(
    r"(?<!\w)(?:(?!the\s|an?\s)[a-z][\w-]{0,30}\s){0,2}(?P<head>[a-z][\w-]{1,30})\sof\s"
    r"(?:the\s|an?\s)?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,40}")


def claims_of(
    question: str, readings: Sequence[Reading], graph: SentenceGraph
) -> Iterator[HopClaim]:
    """Yield what each reading's statement says of its value, to be checked like any claim.

    Args:
        question: The standalone question.
        readings: One a step, in order; the value of each is what the next one tells about.
        graph: The evidence.
    """
    known = {name_key(name): name for name in proper_names(question)}
    # A noun of the answer's kind tells nothing of the rest: "the architect" is who is asked for.
    kind = focus_of(question).answer_type
    told = [word for word in content_words(question) if type_of_noun(word) != kind]
    asked = word_groups(" ".join(told))
    for reading in readings:
        yield _claim(reading, known, asked, graph)
        known = {name_key(reading.value.text): reading.value.text}


def _claim(
    reading: Reading, known: Mapping[str, str], asked: frozenset[str], graph: SentenceGraph
) -> HopClaim:
    """Return the claim; `known` are the names it may be about, by their keys."""
    statement, value = reading.statement, reading.value
    chunk = statement.sentence.chunk
    part = statement.part_at(value.start)
    if part is not None:
        subject = _row_subject(statement, part, known.keys(), asked)
        subject = subject or statement.sentence.topic_title
        return HopClaim(subject, part.label, value.text, chunk.id)
    fact = next(one for one in graph.facts if one.sentence == statement.sentence)
    target = Mention(name_key(value.text), value.text, value.start, value.end, "name")
    told = _with_subject(fact, target, known.keys(), asked)
    claim = claim_in(told[0], told[1], target, value.text, graph)
    return replace(claim, subject=known.get(claim.subject, claim.subject))


def _row_subject(
    statement: Statement, answer: LabelledPart, known: Collection[str], asked: frozenset[str]
) -> str:
    """Return the cell that the question names, else the first one; a number with its label."""
    cells = [
        (part.label, statement.text[part.start : part.end].strip(" ;"))
        for part in statement.parts
        if part != answer
    ]
    named = [cell for cell in cells if _is_named(name_key(cell[1]), known)]
    shared = [cell for cell in cells if word_groups(cell[1]) & asked]
    worded = [cell for cell in cells if _has_letters(cell[1])]
    label, cell = next(iter([*named, *shared, *worded, *cells]), ("", ""))
    return cell if _has_letters(cell) or not cell else f"{label} {cell}"


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _is_named(key: str, known: Collection[str]) -> bool:
    """Return whether a name is one of the known, or a short form: "Carla Dusin" is C. Dusin."""
    return any(
        key == other or (key[:1] == other[:1] and key.split()[-1:] == other.split()[-1:])
        for other in known
    )


def _with_subject(
    fact: Fact, target: Mention, known: Collection[str], asked: frozenset[str]
) -> tuple[Fact, str]:
    """Return a fact and the key of what it tells about.

    That is a name of the question, the passage's topic where a pronoun stands for it, else a word
    of the question next to the value.
    """
    names = [
        mention.key
        for mention in fact.mentions
        if mention.kind in {"entity", "name"} and _is_apart(mention.start, mention.end, target)
    ]
    last_words = {key.split()[-1] for key in known if key}
    named = [key for key in names if key in known or key.split()[-1] in last_words]
    if named:
        return _as_part_of(fact, max(named, key=len), asked)
    if fact.sentence is not None and fact.sentence.leads_with_pronoun:
        taken_up = [key for key in known if key and fact.sentence.before.startswith(f" {key} ")]
        if taken_up:
            return fact, max(taken_up, key=len)
        if fact.spells_topic:
            return fact, fact.topic
    word = _asked_word(fact.text, target, asked)
    if word is None:
        return fact, fact.topic or next(iter(names), "")
    return replace(fact, mentions=(*fact.mentions, word)), word.key


def _as_part_of(fact: Fact, key: str, asked: frozenset[str]) -> tuple[Fact, str]:
    """Return a fact about a name, or about what the question asks for of it.

    "The repair of the Quay Crane cost 4,300 euros" tells the cost of the repair, not of the crane.
    """
    for mention in fact.mentions:
        before = _PART_OF.search(fact.text, 0, mention.start)
        if mention.key != key or before is None or word_group(before["head"]) not in asked:
            continue
        start, text = before.start(), fact.text[before.start() : mention.end]
        part = Mention(name_key(text), text, start, mention.end, "name")
        others = (one for one in fact.mentions if one is not mention)
        return replace(fact, mentions=(*others, part)), part.key
    return fact, key


def _asked_word(text: str, target: Mention, asked: frozenset[str]) -> Mention | None:
    """Return the question's words that stand first before the value, else after it: its subject."""
    words = [
        match
        for match in _WORD.finditer(text)
        if match.group().lower() not in STOP_WORDS
        and word_group(match.group().lower()) in asked
        and _is_apart(match.start(), match.end(), target)
    ]
    if not words:
        return None
    start, end = words[0].span()
    for word in words[1:]:  # "water pump" is one thing
        if text[end : word.start()] != " ":
            break
        end = word.end()
    return Mention(name_key(text[start:end]), text[start:end], start, end, "name")


def _is_apart(start: int, end: int, target: Mention) -> bool:
    return end <= target.start or start >= target.end
