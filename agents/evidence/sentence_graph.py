"""The retrieved sentences and relations as one graph over names, for walking from name to name."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence, token_key, topic_of
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.first_names import is_first_name
from hoptrail.agents.language.line_layout import LabelledPart, labelled_parts, part_at
from hoptrail.agents.language.mentions import (
    KnownNames,
    Mention,
    find_mentions,
    kind_of,
    known_names,
)
from hoptrail.agents.language.table_rows import is_named_row, told_of, whole_cell
from hoptrail.agents.language.topics import defines_thing
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Relation
from hoptrail.core.types.graph import CO_OCCURS

_OF_PERSON = re.compile(r"(?:He|His|She|Her)\b")
_NEARNESS = 0.85
_PLACE_KINDS = "city|town|village|state|province|district|county|municipality|country|republic"


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence or a relation with the names that it connects.

    `topic` is the key of what a sentence's passage is about, empty for a relation and for a row
    that names what it tells of: one row of a list says nothing of another. `mentions` are
    what the sentence names, or the two ends of the relation. `spells_topic` is whether the passage
    has its topic's name in its text: a title that it lacks may be no more than a file's name.
    """

    text: str
    topic: str
    mentions: tuple[Mention, ...]
    sentence: Sentence | None = None
    relation: Relation | None = None
    spells_topic: bool = True

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all that the fact is about, its topic first."""
        own = (mention.key for mention in self.mentions)
        return tuple(dict.fromkeys(key for key in (self.topic, *own) if key))

    def asserts(self, origin: str, target: Mention) -> bool:
        """Return whether the fact says of both ends as a fact what it says of them.

        Args:
            origin: Key of the one end.
            target: The other.
        """
        origins = [mention for mention in self.mentions if mention.key == origin] or [target]
        text = self.text
        for mention in self.mentions:  # "The Never Land" denies nothing.
            size = mention.end - mention.start
            text = f"{text[: mention.start]}{'_' * size}{text[mention.end :]}"
        is_told = is_asserted(text, target.start, target.end) and any(
            is_asserted(text, one.start, one.end) for one in origins
        )
        return is_told and (self.relation is None or _is_told(self.relation))


class SentenceGraph:
    """Facts by the names in them. Keys are `name_key`s; an alias leads to its entity's key."""

    def __init__(self, index: EvidenceIndex) -> None:
        self.index = index
        self.names = _known_names(index)
        self._canonical = _canonical_keys(index)
        self._known = KnownNames(self.names)
        self._keys_by_plain = {fold_accents(key): key for key in self.names}
        self._titles = sorted({self._topic(chunk) for chunk in index.chunks.values()})
        self.facts: tuple[Fact, ...] = (*self._sentence_facts(), *self._relation_facts())
        self._spelled = {
            one.key: one.text
            for fact in self.facts
            for one in fact.mentions
            if name_key(one.text) == one.key
        }
        by_key: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            for key in fact.keys:
                by_key[key].append(fact)
        self._by_key = dict(by_key)

    def facts_about(self, key: str) -> list[Fact]:
        """Return the facts that a name stands in, in the order of the evidence.

        "Fredericton, New Brunswick" and "city of Fredericton" stand for Fredericton as well.
        """
        facts = self._by_key.get(key, [])
        shorter = shorter_name(self.name(key))
        if shorter is None:
            return facts
        return list(dict.fromkeys([*facts, *self._by_key.get(self.canonical(shorter), [])]))

    def name(self, key: str) -> str:
        """Return the spelling of a key, as the graph or else a sentence has it."""
        return self.names.get(key) or self._spelled.get(key, key)

    def canonical(self, key: str) -> str:
        """Return the key of the entity that a name or alias stands for."""
        return self._canonical.get(key, key)

    def link(self, question: str) -> list[Mention]:
        """Return the known names in a question, by their entity's key, in order of appearance.

        A name that the question spells a little differently leads to the title that it is nearest.
        """
        plain = fold_accents(question)
        known = KnownNames(self._keys_by_plain)
        linked = [self._resolve(mention) for mention in known_names(plain, known)]
        linked = [_widened(mention, question) for mention in linked]
        for name in proper_names(question):
            start = question.find(name)
            if not any(m.start < start + len(name) and start < m.end for m in linked):
                near = difflib.get_close_matches(name_key(name), self._titles, 1, _NEARNESS)
                linked += [Mention(key, name, start, start + len(name), "entity") for key in near]
        return sorted(linked, key=lambda mention: mention.start)

    def _resolve(self, mention: Mention) -> Mention:
        key = self._keys_by_plain.get(mention.key, mention.key)
        return replace(mention, key=self.canonical(key))

    def _topic(self, chunk: Chunk) -> str:
        return self.canonical(name_key(chunk.title))

    def _sentence_facts(self) -> list[Fact]:
        facts: list[Fact] = []
        for chunk_id, chunk in self.index.chunks.items():
            topic = self._topic(chunk)
            sentences = self.index.sentences[chunk_id]
            found = [
                [
                    self._resolve(mention)
                    for mention in _of_cells(
                        sentence.text, find_mentions(sentence.text, self._known)
                    )
                ]
                for sentence in sentences
            ]
            short = f" {name_key(topic_of(chunk.title))} "
            # The name of a column is no word on what the table is called by.
            spells_topic = any(short in token_key(told_of(one.text, (), "")) for one in sentences)
            mentioned = [mention for mentions in found for mention in mentions]
            whole_names = _by_last_word([topic, *(mention.key for mention in mentioned)])
            whole_names |= _by_first_name(mentioned, chunk.text)
            is_of_no_person = " " not in topic or defines_thing(chunk.text)
            opening = ""  # the name that the sentence before began with
            for sentence, mentions in zip(sentences, found, strict=True):
                full = tuple(self._in_full(mention, whole_names) for mention in mentions)
                # "He" in a text on a mill, or one called "Patrons", is who was just named.
                is_other = _OF_PERSON.match(sentence.text) and is_of_no_person
                if is_other and opening:
                    facts.append(Fact(sentence.text, opening, full, sentence))
                    continue
                opening = next((one.key for one in full if one.start == 0), "")
                # "It" is what was just named, or what the heading names, not the document's topic.
                if sentence.near_topic and sentence.leads_with_pronoun:
                    own = self.canonical(name_key(sentence.near_topic))
                    facts.append(Fact(sentence.text, own, full, sentence))
                    continue
                own = "" if is_named_row(sentence.text, chunk.text) else topic
                facts.append(Fact(sentence.text, own, full, sentence, spells_topic=spells_topic))
        return facts

    def _in_full(self, mention: Mention, whole_names: dict[str, str]) -> Mention:
        key = whole_names.get(mention.key)
        if key is None or mention.kind in {"date", "number"}:
            return mention
        return replace(mention, key=key)

    def _relation_facts(self) -> list[Fact]:
        """Return the relations as facts, those left out that only repeat a retrieved sentence."""
        told = {
            sentence.text for sentences in self.index.sentences.values() for sentence in sentences
        }
        facts: list[Fact] = []
        for relation in self.index.relations:
            if relation.predicate == CO_OCCURS and relation.description in told:
                continue
            text = f"{relation.subject} {relation.predicate} {relation.object}"
            start = len(text) - len(relation.object)
            ends = (self._end(relation.subject, 0), self._end(relation.object, start))
            facts.append(Fact(text, "", ends, None, relation))
        return facts

    def _end(self, name: str, start: int) -> Mention:
        key = self.canonical(name_key(name))
        return Mention(key, name, start, start + len(name), kind_of(name))


def _is_told(relation: Relation) -> bool:
    """Return whether what a relation was read from says it as a fact."""
    said = relation.description
    places = ((said.find(name), name) for name in (relation.subject, relation.object))
    return all(is_asserted(said, at, at + len(name)) for at, name in places if at >= 0)


def _widened(mention: Mention, text: str) -> Mention:
    """Return a mention with a capital article before it and the bracket that closes it."""
    article = re.search(r"\b(?:The|An?)\s+$", text[: mention.start])
    start = article.start() if article and article.start() > 0 else mention.start
    is_open = text[start : mention.end].count("(") > text[start : mention.end].count(")")
    end = mention.end + (is_open and text[mention.end : mention.end + 1] == ")")
    return replace(mention, text=text[start:end], start=start, end=end)


def _of_cells(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return the mentions in the cells of a row, none in the names of its columns.

    Of a text that is no row these are all.
    """
    parts = labelled_parts(text)
    if len(parts) < 2:
        return mentions
    return [_in_cell(one, text, parts) for one in mentions if part_at(parts, one.end - 1)]


def _in_cell(mention: Mention, text: str, parts: tuple[LabelledPart, ...]) -> Mention:
    if mention.kind in {"date", "number"}:
        return mention
    start, end = whole_cell(parts, text, (mention.start, mention.end))
    if end == mention.end:
        return mention
    return Mention(name_key(text[start:end]), text[start:end], start, end, "name")


def _by_last_word(keys: Iterable[str]) -> dict[str, str]:
    """Return the keys of several words by their last word, the first where several share it."""
    whole: dict[str, str] = {}
    for key in keys:
        head, _, last = key.rpartition(" ")
        if head and not last.isdigit():
            whole.setdefault(last, key)
    return whole


def _by_first_name(mentions: Sequence[Mention], text: str) -> dict[str, str]:
    """Return the keys of persons by their first name, where it stands alone and one has it."""
    persons: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for mention in mentions:
        first, _, rest = mention.text.partition(" ")
        if rest:
            persons[first].add((mention.text, mention.key))
    known: dict[str, str] = {}
    for mention in mentions:
        having = persons.get(mention.text, set())
        if len({key for _, key in having}) == 1 and mention.key not in known:
            name, key = min(having)
            if is_first_name(mention.text, name, text):
                known[mention.key] = key
    return known


def _known_names(index: EvidenceIndex) -> dict[str, str]:
    names: dict[str, str] = {}
    for entity in index.entities.values():
        for name in (entity.name, *entity.aliases):
            names.setdefault(name_key(name), name)
    for relation in index.relations:
        names.setdefault(name_key(relation.subject), relation.subject)
        names.setdefault(name_key(relation.object), relation.object)
    for chunk in index.chunks.values():
        for title in (chunk.title, topic_of(chunk.title)):
            names.setdefault(name_key(title), title)
        for sentence in index.sentences[chunk.id]:
            if sentence.heading:
                names.setdefault(name_key(sentence.heading), sentence.heading)
    return {key: name for key, name in names.items() if token_key(key).strip()}


def _canonical_keys(index: EvidenceIndex) -> dict[str, str]:
    canonical: dict[str, str] = {}
    for entity in index.entities.values():
        for alias in entity.aliases:
            canonical.setdefault(name_key(alias), name_key(entity.name))
    for entity in index.entities.values():
        canonical[name_key(entity.name)] = name_key(entity.name)
    qualified: dict[str, set[str]] = defaultdict(set)
    for chunk in index.chunks.values():
        qualified[name_key(topic_of(chunk.title))].add(name_key(chunk.title))
    for short, titles in qualified.items():
        if len(titles) == 1:
            canonical[next(iter(titles))] = canonical.get(short, short)
    return canonical


def shorter_name(name: str) -> str | None:
    """Return the key of a place's name without what contains it or says its kind, else None."""
    bare = name.partition(",")[0]
    bare = re.sub(rf"^(?:the\s+)?(?:{_PLACE_KINDS})\s+of\s+|\s+(?:{_PLACE_KINDS})$", "", bare)
    return name_key(bare) if bare and bare != name else None


def fold_accents(text: str) -> str:
    """Return a text of the same length with accented Latin letters as plain ones."""
    return "".join(unicodedata.normalize("NFD", character)[0] for character in text)
