"""Entities and relations of a chunk without any model: names, and what sentences say of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from hoptrail.agents.language.common_words import is_common
from hoptrail.agents.language.first_names import is_first_name
from hoptrail.agents.language.name_shapes import type_by_shape
from hoptrail.agents.language.topics import (
    PERSONAL_PRONOUN,
    ThingNamed,
    may_name_person,
    names_text,
)
from hoptrail.core.language.detection import is_english
from hoptrail.core.text import name_key, sentence_spans
from hoptrail.core.types import Chunk, ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.indexing.extraction.mention_patterns import (
    ABBREVIATION,
    LABEL,
    PLACE_PREFIXES,
    SELF,
    SPEAKER,
    TOPIC_REFERENCE,
    Topic,
)
from hoptrail.indexing.extraction.mentions import Mention, column_names, find_mentions
from hoptrail.indexing.extraction.rows import Conversation, Row, read_row
from hoptrail.indexing.extraction.sentence_facts import sentence_facts
from hoptrail.indexing.resolution.readings import BY_RULES

EXTRACTOR = BY_RULES
FORMER_EXTRACTORS = ("nlp", "nlp:2", "nlp:3")
"""Names under which earlier rules stored what they read; it is kept, and not read again."""

MAX_RELATIONS_PER_SENTENCE = 8
_HEADING = re.compile(r"#{1,6}\s")
_LONGEST_ARTICLE = 4
_LINES_OF_PARAGRAPHS = 2
_DESCRIPTION = re.compile(r"[\s*_•>-]{0,6}(?:Our|The|My|Their)(?: [a-z][\w-]*){1,4} ")
_LONGEST_DESCRIPTION = 40  # "Our junior ", before the person who opens a sentence
_GOES_ON = re.compile(r"['’]| [^\W\d_]| ?[-–/]")


def extract_phrases(chunk: Chunk) -> Extraction:
    """Return the names of a passage as entities, and what its sentences say of them.

    The document's title is an entity; a sentence that opens with a pronoun or "the film" is taken
    to speak of it. A relation's description is its sentence. Its predicate is made of the
    sentence's words where their order is plain (see `sentence_facts`); names of which no more is
    known than that they share a sentence have the predicate "co-occurs with". Dates, numbers and
    the like are only ever objects of a relation in words. Who speaks in a conversation is a name,
    and wrote on the day of the message. The cells of a row are facts of the thing that it is about.
    In other languages than English labels and rows alone give relations in words, for the order of
    words is read as English is.
    """
    # The title of a conversation names who speaks, and no "he" in it.
    conversation = Conversation.of(chunk.text)
    topic = Topic.of("" if conversation else chunk.title)
    spans = sentence_spans(chunk.text)
    sentences = find_mentions(chunk.text, spans, topic)
    if conversation:
        sentences = conversation.with_speakers(spans, sentences)
    rows = {} if conversation else _rows(chunk.text, spans, sentences)
    sentences = [
        list(rows[span].mentions) if span in rows else found
        for span, found in zip(spans, sentences, strict=True)
    ]
    names = _Names(chunk.text, sentences, topic)
    relations: list[ExtractedRelation] = []
    values: dict[str, ExtractedEntity] = {}
    references = _References(chunk.text, topic, is_beginning=chunk.start == 0)
    has_facts = is_english(chunk.text)
    for (start, end), raw in zip(spans, sentences, strict=True):
        mentions = list(map(names.resolve, raw))
        opener, is_sure = references.opener(start, end, mentions)
        sure = _with(opener if is_sure else None, mentions)
        facts = [
            (sure[fact.subject], fact.predicate, sure[fact.object])
            for fact in (sentence_facts(chunk.text, start, end, sure) if has_facts else ())
        ]
        row = rows.get((start, end))
        facts += row.facts(mentions) if row else _labelled(chunk.text, start, end, mentions, topic)
        pairs = _neighbours(_with(opener, mentions), topic.key)
        relations.extend(_relate(chunk.text[start:end], facts, pairs, values))
    if conversation:
        for said, fact in conversation.facts():
            relations.extend(_relate(said, [fact], [], values))
    return Extraction((*names.entities(chunk, spans), *values.values()), tuple(relations))


def _rows(
    text: str, spans: Sequence[tuple[int, int]], sentences: Sequence[Sequence[Mention]]
) -> dict[tuple[int, int], Row]:
    """Return the rows of a passage's tables by where they stand."""
    columns = {text[slice(*span)] for span in column_names(text, spans)}
    read = {
        span: read_row(text, span, found, columns)
        for span, found in zip(spans, sentences, strict=True)
    }
    return {span: row for span, row in read.items() if row is not None}


class _References:
    """The meaning of the pronouns that open the sentences of a passage, read in order.

    "I" means who speaks in this line of a conversation. "He" and "the film" mean the document's
    topic: surely so only at its beginning, and where the passage has named it and no other name
    opened a sentence since. Below a title that names no person, "he" is who the sentence before
    is about; "it" is never a text such as minutes, unless the passage speaks of that.
    """

    def __init__(self, text: str, topic: Topic, is_beginning: bool) -> None:
        self._text = text
        self._topic = topic
        self._is_person = may_name_person(topic.short)
        self._is_topic_told = is_beginning
        self._is_first = True
        self._speaker: Mention | None = None
        self._line_end = 0
        self._told: tuple[int, Sequence[Mention]] = (0, ())  # where "he" was last named
        self._before = 0
        self._things = ThingNamed(text)

    def opener(
        self, start: int, end: int, mentions: Sequence[Mention]
    ) -> tuple[Mention | None, bool]:
        """Return what the sentence's first word stands for, and whether that is sure."""
        spoken = self._spoken(start, end, mentions)
        if spoken is not None:
            return spoken, True
        reference = TOPIC_REFERENCE.match(self._text, start, end) if self._topic.key else None
        if self._topic.key and self._things.about(start, end, self._topic.short):
            if self._things.begins_with_it(start):
                return None, False
            reference = None
        if reference is not None:
            return self._meant(reference, end, mentions)
        if mentions and mentions[0].start <= start + _LONGEST_ARTICLE:
            self._is_topic_told = mentions[0].key == self._topic.key
        elif self._is_first:
            self._is_topic_told = any(one.key == self._topic.key for one in mentions)
        self._is_first = False
        self._told, self._before = (start, mentions), end
        return None, False

    def _meant(
        self, reference: re.Match[str], end: int, mentions: Sequence[Mention]
    ) -> tuple[Mention | None, bool]:
        """Return what a pronoun at a sentence's beginning means."""
        start = reference.start()
        if not self._is_person and PERSONAL_PRONOUN.match(self._text, start):
            is_near = self._text.count("\n", self._before, start) < _LINES_OF_PARAGRAPHS
            self._told = self._told if is_near else (start, ())
            self._before = end
            person = self._person_of(*self._told)
            if person is None:
                return None, False
            return replace(person, start=start, end=reference.end()), True
        self._told, self._before = (start, mentions), end
        if names_text(self._topic.name) and not self._speaks_of_topic:
            return None, False
        key, name = self._topic.key, self._topic.name
        is_sure = self._is_topic_told and not self._text.startswith(("They", "This "), start)
        return Mention(start, reference.end(), key, name, "name"), is_sure

    @cached_property
    def _speaks_of_topic(self) -> bool:
        """Whether the passage has its topic's name within a line, and not only as a heading."""
        return any(
            self._text[place + len(self._topic.short) :].partition("\n")[0].strip(" *_#")
            for place in self._topic.occurrences(self._text, 0, len(self._text))
        )

    def _person_of(self, start: int, mentions: Sequence[Mention]) -> Mention | None:
        """Return whom a sentence is about: the person who opens it, else the only one in it."""
        persons = [one for one in mentions if _may_be_person(one)]
        if persons and persons[0].start <= start + _LONGEST_DESCRIPTION:
            before = self._text[start : persons[0].start]
            if not before.strip(" \t*_-•>") or _DESCRIPTION.fullmatch(before):
                return persons[0]
        whole = {one.key: one for one in persons if " " in one.name}
        return next(iter(whole.values())) if len(whole) == 1 else None

    def _spoken(self, start: int, end: int, mentions: Sequence[Mention]) -> Mention | None:
        label = SPEAKER.match(self._text, start, end)
        if label and mentions and mentions[0].span == label.span("name"):
            line_end = self._text.find("\n", start)
            self._speaker = mentions[0]
            self._line_end = line_end if line_end >= 0 else len(self._text)
            start = label.end()
        elif start >= self._line_end:
            return None
        own = SELF.match(self._text, start, end)
        if own is None or self._speaker is None or self._speaker.is_value:
            return None
        return replace(self._speaker, start=own.start(1), end=own.end(1))


def _may_be_person(mention: Mention) -> bool:
    last = mention.name.rpartition(" ")[2]
    is_name = mention.kind == "name" and "&" not in mention.name and may_name_person(mention.name)
    return is_name and type_by_shape(mention.name) is None and not is_common(last)


def _labelled(
    text: str, start: int, end: int, mentions: Sequence[Mention], topic: Topic
) -> list[tuple[Mention, str, Mention]]:
    """Return what a line such as "Chair: Ada Byron" states of the document."""
    label = LABEL.match(text, start, end) if topic.key else None
    if label is None or not all(map(is_common, label["label"].split())):
        return []
    stated = next((one for one in mentions if one.start == label.end()), None)
    if stated is None or stated.key == topic.key or _GOES_ON.match(text, stated.end, end):
        return []
    of = Mention(start, start, topic.key, topic.name, "name")
    return [(of, label["label"].lower(), stated)]


def _with(opener: Mention | None, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions in order with the opener, in place of any that it covers."""
    if opener is None:
        return list(mentions)
    before = [one for one in mentions if one.end <= opener.start]
    return [*before, opener, *(one for one in mentions if one.start >= opener.end)]


class _Names:
    """Which entity each phrase of the passage means."""

    def __init__(self, text: str, sentences: Sequence[Sequence[Mention]], topic: Topic) -> None:
        self._text = text
        self._topic = topic
        self._all = [one for mentions in sentences for one in mentions if not one.is_value]
        self._abbreviations = _abbreviations(text, self._all)
        self._targets = self._local_targets()

    def resolve(self, mention: Mention) -> Mention:
        """Return the mention under the key and name of its entity."""
        target = None if mention.is_value else self._targets.get(mention.key)
        if target is None:
            return mention
        key, name = target
        return replace(mention, key=key, name=name)

    def entities(self, chunk: Chunk, spans: list[tuple[int, int]]) -> Iterator[ExtractedEntity]:
        """Yield each named entity of the passage once, the topic first."""
        topic = self._topic
        if topic.key:
            is_short_used = any(mention.name == topic.short for mention in self._all)
            aliases = {topic.short} if is_short_used and topic.short != topic.name else set()
            aliases.update(self._abbreviations.get(topic.key, ()))
            opening = _opening(chunk, spans) if chunk.start == 0 else ""
            described = opening if name_key(topic.short) in name_key(opening) else ""
            yield ExtractedEntity(topic.name, topic.kind, described, tuple(sorted(aliases)))
        seen = {topic.key}
        for mention in map(self.resolve, self._all):
            if mention.key not in seen:
                seen.add(mention.key)
                aliases = self._abbreviations.get(mention.key, set())
                yield ExtractedEntity(mention.name, "", "", tuple(sorted(aliases)))

    def _local_targets(self) -> dict[str, tuple[str, str]]:
        """Map short forms to what they stand for in this passage, where only one thing fits."""
        topic = self._topic
        targets = self._first_names() | self._surnames()
        names = {mention.key: mention.name for mention in self._all}
        for key, shorts in self._abbreviations.items():
            targets.update((name_key(short), (key, names[key])) for short in shorts)
        if topic.key:
            targets[name_key(topic.short)] = targets[topic.key] = (topic.key, topic.name)
        return targets

    def _first_names(self) -> dict[str, tuple[str, str]]:
        """Map a first name that stands alone to the one person before it who has it."""
        persons: dict[str, set[tuple[str, str]]] = {}
        topic = self._topic
        if _can_be_shortened(topic.short):
            persons[topic.short.split()[0]] = {(topic.key, topic.name)}
        targets: dict[str, tuple[str, str]] = {}
        for mention in self._all:
            fitting = persons.get(mention.name, set())
            if len(fitting) == 1:
                key, name = next(iter(fitting))
                if is_first_name(mention.name, name, self._text):
                    targets.setdefault(mention.key, (key, name))
            elif _can_be_shortened(mention.name):
                persons.setdefault(mention.name.split()[0], set()).add((mention.key, mention.name))
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


def _abbreviations(text: str, mentions: Iterable[Mention]) -> dict[str, set[str]]:
    """Return the short forms in brackets behind names whose initials they are, by name key."""
    found: dict[str, set[str]] = {}
    for mention in mentions:
        match = ABBREVIATION.match(text, mention.end)
        if match is None:
            continue
        letters = match.group(1).replace(".", "").replace("&", "").lower()
        initials = "".join(word[0] for word in mention.key.split())
        capitals = "".join(char for char in mention.name if char.isupper()).lower()
        if letters in (initials, capitals):
            found.setdefault(mention.key, set()).add(match.group(1))
    return found


def _relate(
    sentence: str,
    facts: Sequence[tuple[Mention, str, Mention]],
    pairs: Sequence[tuple[Mention, Mention]],
    values: dict[str, ExtractedEntity],
) -> Iterator[ExtractedRelation]:
    """Yield a sentence's relations: those in words first, then the pairs that only share it.

    The values that they state are added to `values`.
    """
    said = [*facts, *((one, CO_OCCURS, other) for one, other in pairs)]
    related: set[frozenset[str]] = set()
    for one, predicate, other in said:
        pair = frozenset((one.key, other.key))
        if pair in related or len(related) == MAX_RELATIONS_PER_SENTENCE:
            continue
        related.add(pair)
        if other.is_value:
            values.setdefault(other.key, ExtractedEntity(other.name, other.kind))
        yield ExtractedRelation(one.name, predicate, other.name, sentence)


def _neighbours(mentions: Sequence[Mention], topic_key: str) -> list[tuple[Mention, Mention]]:
    """Return the topic with each name of a sentence, then names that follow each other."""
    firsts: dict[str, Mention] = {}
    for mention in mentions:
        if not mention.is_value:
            firsts.setdefault(mention.key, mention)
    ordered = list(firsts.values())
    topic = firsts.get(topic_key)
    pairs = [_in_order(topic, other) for other in ordered if topic and other is not topic]
    return pairs + [pair for pair in pairwise(ordered) if topic not in pair]


def _in_order(one: Mention, other: Mention) -> tuple[Mention, Mention]:
    return (one, other) if one.start <= other.start else (other, one)


def _opening(chunk: Chunk, spans: Sequence[tuple[int, int]]) -> str:
    """Return the first sentence of a passage: a heading says nothing of its topic."""
    sentences = (chunk.text[start:end] for start, end in spans)
    return next((one for one in sentences if _HEADING.match(one) is None), "")
