"""Entities and relations of a chunk without any model: phrases and co-occurrence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from hoptrail.core.text import name_key, sentence_spans
from hoptrail.core.types import Chunk, ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.extraction.mention_patterns import (
    ABBREVIATION,
    MENTION,
    NOT_NAMES,
    PLACE_PREFIXES,
    TOPIC_REFERENCE,
)

EXTRACTOR = "nlp"
CO_OCCURS = "co-occurs with"
MAX_RELATIONS_PER_SENTENCE = 8
_LONGEST_PREDICATE = 6
_WORD = re.compile(r"[^\W_][\w'’-]*")
_EMPTY_PREDICATE_WORDS = frozenset({"and", "or", "the", "a", "an", "as", "s", "also"})
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class _Mention:
    """A phrase of one sentence; offsets in the chunk's text, `key` names the entity it means."""

    start: int
    end: int
    key: str
    name: str
    kind: str


def extract_phrases(chunk: Chunk) -> Extraction:
    """Return names, dates and numbers with units as entities, and their co-occurrence as relations.

    The document's title is an entity; a sentence that opens with a pronoun or "the film" is taken
    to speak of it. A capitalised word at the start of a sentence counts only if the passage
    writes it with a capital elsewhere too. A relation's description is its sentence, its predicate
    the words between both phrases where they are few, else "co-occurs with".
    """
    topic = _Topic.of(chunk.title)
    spans = sentence_spans(chunk.text)
    sentences = [_raw_mentions(chunk.text, start, end, topic) for start, end in spans]
    sentences = _drop_doubtful_openers(sentences, spans, topic)
    names = _Names(chunk.text, sentences, topic)
    relations: list[ExtractedRelation] = []
    for (start, end), raw in zip(spans, sentences, strict=True):
        mentions = [names.resolve(mention) for mention in raw]
        reference = TOPIC_REFERENCE.match(chunk.text, start, end) if topic.key else None
        if reference:
            opener = _Mention(start, reference.end(), topic.key, topic.name, topic.kind)
            mentions.insert(0, opener)
        relations.extend(_relate(chunk.text, (start, end), mentions, topic.key))
    return Extraction(tuple(names.entities(chunk, spans)), tuple(relations))


@dataclass(frozen=True, slots=True)
class _Topic:
    """The subject of the document, read from its title."""

    key: str
    name: str
    short: str
    kind: str

    @classmethod
    def of(cls, title: str) -> _Topic:
        name = title.strip()
        short, qualifier = _without_qualifier(name)
        kind = _WORD.findall(qualifier.lower())[-1:]
        is_word = bool(kind) and kind[0].isalpha()
        return cls(name_key(name) if name else "", name, short, kind[0] if is_word else "")

    def occurrences(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where the short name stands as whole words between two places of a text."""
        position = start
        while self.short and (found := text.find(self.short, position, end)) >= 0:
            position = found + len(self.short)
            before, after = text[found - 1 : found], text[position : position + 1]
            if not (before.isalnum() or after.isalnum()):
                yield found


def _without_qualifier(name: str) -> tuple[str, str]:
    """Return "Delft" and "city" for "Delft (city)", and any other name with an empty qualifier."""
    short, bracket, qualifier = name.removesuffix(")").rpartition("(")
    if not (bracket and short.strip() and name.endswith(")")) or not qualifier or ")" in qualifier:
        return name, ""
    return short.rstrip(), qualifier


def _raw_mentions(text: str, start: int, end: int, topic: _Topic) -> list[_Mention]:
    """Return the phrases of a sentence in order; the topic's name is one phrase wherever it is."""
    mentions: list[_Mention] = []
    position = start
    for found in topic.occurrences(text, start, end):
        mentions.extend(_phrases(text, position, found, start))
        position = found + len(topic.short)
        mentions.append(_Mention(found, position, topic.key, topic.short, "name"))
    mentions.extend(_phrases(text, position, end, start))
    return mentions


def _phrases(text: str, position: int, end: int, start: int) -> Iterator[_Mention]:
    """Yield the phrases between two places of a sentence that begins at `start`.

    A leading word that names nothing is left out.
    """
    while match := MENTION.search(text, position, end):
        kind = match.lastgroup or ""
        phrase = match.group()
        first = _WORD.match(phrase)
        is_inside = match.start() > start
        if kind == "name" and first and _names_nothing(first.group(), phrase, is_inside):
            position = match.start() + first.end()
            continue
        position = match.end()
        yield _Mention(match.start(), match.end(), name_key(phrase), phrase, kind)


def _names_nothing(word: str, phrase: str, is_inside: bool) -> bool:
    """Return whether the phrase's first word is a function word written with a capital.

    Inside a sentence an article or the like may begin a name ("The Beatles").
    """
    if word.lower() not in NOT_NAMES or word.isupper() and len(word) > 1:
        return False
    return not is_inside or len(word) == len(phrase)


def _drop_doubtful_openers(
    sentences: list[list[_Mention]], spans: list[tuple[int, int]], topic: _Topic
) -> list[list[_Mention]]:
    """Leave out single capitalised first words that the passage never writes so elsewhere."""
    inside = set(name_key(topic.name).split())
    for mentions, (start, _) in zip(sentences, spans, strict=True):
        for mention in mentions:
            words = mention.key.split()
            inside.update(words if mention.start > start else words[1:])
    return [
        [
            mention
            for mention in mentions
            if mention.kind != "name"
            or mention.start > start
            or " " in mention.key
            or mention.key in inside
            or mention.name[1:].upper() == mention.name[1:]
            and len(mention.name) > 1
        ]
        for mentions, (start, _) in zip(sentences, spans, strict=True)
    ]


class _Names:
    """Which entity each phrase of the passage means."""

    def __init__(self, text: str, sentences: list[list[_Mention]], topic: _Topic) -> None:
        self._topic = topic
        self._all = [mention for mentions in sentences for mention in mentions]
        self._abbreviations = _abbreviations(text, self._all)
        self._targets = self._local_targets()

    def resolve(self, mention: _Mention) -> _Mention:
        """Return the mention under the key and name of its entity."""
        key, name = self._targets.get(mention.key, (mention.key, mention.name))
        kind = self._topic.kind if key == self._topic.key else mention.kind
        return _Mention(mention.start, mention.end, key, name, "" if kind == "name" else kind)

    def entities(self, chunk: Chunk, spans: list[tuple[int, int]]) -> Iterator[ExtractedEntity]:
        """Yield each entity of the passage once, the topic first."""
        topic = self._topic
        if topic.key:
            is_short_used = any(mention.name == topic.short for mention in self._all)
            aliases = {topic.short} if is_short_used and topic.short != topic.name else set()
            aliases.update(self._abbreviations.get(topic.key, ()))
            opening = chunk.text[slice(*spans[0])] if chunk.start == 0 and spans else ""
            described = opening if name_key(topic.short) in name_key(opening) else ""
            yield ExtractedEntity(topic.name, topic.kind, described, tuple(sorted(aliases)))
        seen = {topic.key}
        for mention in map(self.resolve, self._all):
            if mention.key not in seen:
                seen.add(mention.key)
                aliases = self._abbreviations.get(mention.key, set())
                yield ExtractedEntity(mention.name, mention.kind, "", tuple(sorted(aliases)))

    def _local_targets(self) -> dict[str, tuple[str, str]]:
        """Map short forms to what they stand for in this passage, where only one thing fits."""
        topic = self._topic
        targets = self._surnames()
        names = {mention.key: mention.name for mention in self._all}
        for key, shorts in self._abbreviations.items():
            targets.update((name_key(short), (key, names[key])) for short in shorts)
        if topic.key:
            targets[name_key(topic.short)] = targets[topic.key] = (topic.key, topic.name)
        return targets

    def _surnames(self) -> dict[str, tuple[str, str]]:
        """Map a last word that stands alone to the one longer name that came before it."""
        full: dict[str, set[tuple[str, str]]] = {}
        if _can_be_shortened(self._topic.short):
            full[name_key(self._topic.short).rpartition(" ")[2]] = {
                (self._topic.key, self._topic.name)
            }
        targets: dict[str, tuple[str, str]] = {}
        for mention in self._all:
            if mention.kind != "name":
                continue
            fitting = full.get(mention.key, set())
            if len(fitting) == 1:
                targets.setdefault(mention.key, next(iter(fitting)))
            elif _can_be_shortened(mention.name) and mention.key != self._topic.key:
                last = mention.key.rpartition(" ")[2]
                full.setdefault(last, set()).add((mention.key, mention.name))
        return targets


def _can_be_shortened(name: str) -> bool:
    """Return whether the last word of a name may stand for it, as a surname does."""
    words = name.split()
    return (
        1 < len(words) <= 4
        and words[0].lower().rstrip(".") not in PLACE_PREFIXES
        and all(word[0].isupper() for word in words)
        and words[-1].isalpha()
    )


def _abbreviations(text: str, mentions: Iterable[_Mention]) -> dict[str, set[str]]:
    """Return the short forms in brackets behind names whose initials they are, by name key."""
    found: dict[str, set[str]] = {}
    for mention in mentions:
        match = ABBREVIATION.match(text, mention.end)
        if match is None or mention.kind != "name":
            continue
        letters = match.group(1).replace(".", "").replace("&", "").lower()
        initials = "".join(word[0] for word in mention.key.split())
        capitals = "".join(char for char in mention.name if char.isupper()).lower()
        if letters in (initials, capitals):
            found.setdefault(mention.key, set()).add(match.group(1))
    return found


def _relate(
    text: str, span: tuple[int, int], mentions: list[_Mention], topic_key: str
) -> Iterator[ExtractedRelation]:
    """Yield the sentence's relations: the topic with each phrase first, then neighbours."""
    firsts: dict[str, _Mention] = {}
    for mention in mentions:
        firsts.setdefault(mention.key, mention)
    ordered = list(firsts.values())
    topic = firsts.get(topic_key)
    pairs = [_in_order(topic, other) for other in ordered if topic and other is not topic]
    pairs += [pair for pair in pairwise(ordered) if topic not in pair]
    sentence = text[slice(*span)]
    for left, right in pairs[:MAX_RELATIONS_PER_SENTENCE]:
        is_direct = not any(left.end <= other.start < right.start for other in mentions)
        predicate = _predicate(text[left.end : right.start]) if is_direct else CO_OCCURS
        yield ExtractedRelation(left.name, predicate, right.name, sentence)


def _in_order(one: _Mention, other: _Mention) -> tuple[_Mention, _Mention]:
    return (one, other) if one.start <= other.start else (other, one)


def _predicate(between: str) -> str:
    """Return the words between two phrases if they are few and say something."""
    words = _WORD.findall(between)
    while words and words[-1].lower() in _ARTICLES:
        words.pop()
    if not 0 < len(words) <= _LONGEST_PREDICATE or ";" in between:
        return CO_OCCURS
    if all(word.lower() in _EMPTY_PREDICATE_WORDS for word in words):
        return CO_OCCURS
    return " ".join(words)
