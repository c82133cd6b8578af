"""Evidence laid out for looking up: sentences with what they mention, names, relations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hoptrail.agents.evidence.editions import Editions
from hoptrail.agents.evidence.prompt_injection import is_instruction
from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.first_names import full_name
from hoptrail.agents.language.topics import ThingNamed
from hoptrail.core.conversation import Message, is_conversation, messages
from hoptrail.core.tables.prose_tables import tables_of_prose
from hoptrail.core.tables.table import Table
from hoptrail.core.text import name_key, sentence_spans, words
from hoptrail.core.types import Chunk, Entity, Evidence, Relation

_WORD = re.compile(r"\w+")
_PARENTHESES = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")
_PRONOUN_LEAD = re.compile(r"^(?:he|she|it|they|his|her|its|their|this|these)\b", re.IGNORECASE)
_HEADING = re.compile(r"#+\s")
_UNDERLINE = re.compile(r"(?<![ \t])[ \t]*+\n[ \t]*+(?:={3,}+|-{3,}+)[ \t]*+(?:\n|\Z)")
_LINE = re.compile(r"[^\n]+")
_SHORTEST_SURNAME = 3

_NUMBERING = re.compile(r"^(?:\d{1,3}[.)]?(?:\d{1,3}[.)]?){0,3}\s{1,9})?")
_ARTICLE = re.compile(r"(?:the|an?)\s{1,3}", re.IGNORECASE)
# Headings of parts of a text, not of things.
_PARTS = frozenset(
    """history background overview introduction summary abstract contents career life biography
    education family works legacy reception plot cast production release awards personal early later
    death design construction architecture description location geography climate economy
    demographics culture government politics transport sports media notes references sources links
    reading gallery details information data facts contact contacts address prices price fees terms
    conditions scope purpose definitions parties payment duration liability annex appendix index
    questions answers faq news events services products members staff team people about usage
    installation requirements features specifications results discussion methods conclusion
    conclusions warranty support delivery safety maintenance operation opening hours agenda minutes
    decisions present absent changes status next steps""".split()
)


def token_key(text: str) -> str:
    """Return a text's words, folded, between single spaces with one at each end.

    A name occurs in the text as whole words where ` name_key ` occurs in this key.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return f" {' '.join(_WORD.findall(folded))} "


def topic_of(title: str) -> str:
    """Return a title without what tells it from others in parentheses."""
    return _PARENTHESES.sub("", title)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a retrieved chunk; `start` and `end` are offsets in the chunk's text.

    `key` is its `token_key`; `before` is that of the sentence before it, for pronouns. `is_lead`
    marks the first sentence of a document. `heading` is the name of the thing that its section is
    about, empty where that is what the whole document is about; `section` is the line itself above
    the section. `message` is the one of a conversation that it stands in.
    """

    chunk: Chunk
    start: int
    end: int
    text: str
    key: str
    before: str = ""
    is_lead: bool = False
    heading: str = ""
    section: str = ""
    message: Message | None = None
    other: str = ""

    @property
    def near_topic(self) -> str:
        """The thing that "it" means where that is not the document's topic, empty where it is."""
        return self.other or self.heading

    @property
    def topic_title(self) -> str:
        """The thing that "it" in the sentence means: named before, in the heading or the title."""
        return self.near_topic or self.chunk.title

    @property
    def leads_with_pronoun(self) -> bool:
        """Whether the sentence's subject was named before it."""
        return _PRONOUN_LEAD.match(self.text) is not None


class EvidenceIndex:
    """Retrieved evidence by chunk, by entity and by name.

    Sentences that give orders and headings are left out: they are no evidence for anything.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.relations: tuple[Relation, ...] = tuple(
            {relation.id: relation for relation in _relations(evidence)}.values()
        )
        self.entities: dict[str, Entity] = {hit.item.id: hit.item for hit in evidence.entities}
        self.chunks: dict[str, Chunk] = {hit.item.id: hit.item for hit in evidence.chunks}
        self._tables: dict[str, tuple[Table, ...]] = {}

    @cached_property
    def editions(self) -> Editions:
        """Which texts take the place of which."""
        return Editions(self.evidence)

    @cached_property
    def sentences(self) -> dict[str, tuple[Sentence, ...]]:
        """The sentences of each chunk, by chunk id."""
        return {chunk.id: _sentences(chunk) for chunk in self.chunks.values()}

    @cached_property
    def chunk_keys(self) -> dict[str, str]:
        """The `token_key` of each chunk's title and text, by chunk id."""
        return {
            chunk.id: token_key(f"{chunk.title} {chunk.text}") for chunk in self.chunks.values()
        }

    def tables_in(self, chunk: Chunk) -> tuple[Table, ...]:
        """Return the tables that lists and sentences of a chunk amount to."""
        if chunk.id not in self._tables:
            self._tables[chunk.id] = tables_of_prose([chunk])
        return self._tables[chunk.id]

    def names(self, entity_id: str, fallback: str) -> tuple[str, ...]:
        """Return an entity's name and aliases, or the fallback where it was not retrieved."""
        entity = self.entities.get(entity_id)
        return (entity.name, *entity.aliases) if entity else (fallback,)

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the name and all names of the retrieved entities that it names."""
        key = name_key(name)
        return tuple(dict.fromkeys((name, *self._names_by_key.get(key, ()))))

    def entity_id(self, name: str) -> str | None:
        """Return the entity that a name stands for, the first by id where several do."""
        return self._id_by_key.get(name_key(name))

    def is_topic(self, sentence: Sentence, name: str) -> bool:
        """Return whether a sentence's heading or title names a thing, qualified or not."""
        title = sentence.topic_title
        topic, key = name_key(topic_of(title)), name_key(name)
        return bool(key) and (topic == key or name_key(title) == key)

    def mentions(self, sentence: Sentence, name: str, beside: str = "") -> bool:
        """Return whether a sentence names a thing outright.

        The last word of a longer name is enough where the chunk has the whole name, and where it
        is no part of the name `beside` ("Thornvale Yard" does not name Edda Thornvale). So is the
        first one, where the chunk tells that it is a person's.
        """
        key = name_key(name)
        if not key:
            return False
        if f" {key} " in sentence.key:
            return True
        rest = sentence.key.replace(f" {name_key(beside)} ", "  ") if beside else sentence.key
        first, _, last = key.rpartition(" ")
        if not first or f" {key} " not in self.chunk_keys[sentence.chunk.id]:
            return False
        if len(last) >= _SHORTEST_SURNAME and not last.isdigit() and f" {last} " in rest:
            return True
        given = name.partition(" ")[0]
        is_given = f" {name_key(given)} " in rest
        return is_given and full_name(given, sentence.chunk.text) == name

    def implies(self, sentence: Sentence, name: str) -> bool:
        """Return whether a sentence is about a thing: as its passage's topic or by a pronoun."""
        if self.is_topic(sentence, name):
            return True
        return sentence.leads_with_pronoun and f" {name_key(name)} " in sentence.before

    @cached_property
    def _names_by_key(self) -> dict[str, tuple[str, ...]]:
        names: dict[str, tuple[str, ...]] = {}
        for entity in self.entities.values():
            for name in (entity.name, *entity.aliases):
                known = names.get(name_key(name), ())
                names[name_key(name)] = (*known, entity.name, *entity.aliases)
        return names

    @cached_property
    def _id_by_key(self) -> dict[str, str]:
        pairs = [
            (name_key(name), entity.id)
            for entity in self.entities.values()
            for name in (entity.name, *entity.aliases)
        ]
        for relation in self.relations:
            pairs.append((name_key(relation.subject), relation.source))
            pairs.append((name_key(relation.object), relation.target))
        return dict(sorted(pairs, reverse=True))


def _relations(evidence: Evidence) -> Iterable[Relation]:
    for hit in evidence.relations:
        yield hit.item
    for path in evidence.paths:
        yield from path.item.relations


@lru_cache(maxsize=2048)
def _sentences(chunk: Chunk) -> tuple[Sentence, ...]:
    """Return a chunk's sentences: a question's passages are read by several deciders."""
    return tuple(_split(chunk))


def _level_of(underline: re.Match[str] | None) -> int:
    """Return the level of a heading by the line below it: 1 for "===", 2 for "---"."""
    return 1 if underline is not None and "=" in underline.group() else 2


def _spans(text: str) -> Iterator[tuple[int, int, Message | None]]:
    """Yield where the sentences of a passage stand, in a conversation those of each message.

    The time before a message tells when it was written, and is no word of what it says.
    """
    if not is_conversation(text):
        yield from ((start, end, None) for start, end in sentence_spans(text))
        return
    known = {one.start: one for one in messages(text)}
    for line in _LINE.finditer(text):
        message = known.get(line.start())
        begin = message.opens if message else line.start()
        for start, end in sentence_spans(text[begin : line.end()]):
            yield begin + start, begin + end, message


def _split(chunk: Chunk) -> Iterator[Sentence]:
    before, heading, section, level = "", "", "", 0
    things = ThingNamed(chunk.text)
    for start, end, message in _spans(chunk.text):
        text = chunk.text[start:end]
        hashes, underline = _HEADING.match(text), _UNDERLINE.match(chunk.text, end)
        if hashes or underline:
            own = len(hashes.group().strip()) if hashes else _level_of(underline)
            section = text
            named = section_topic(text, chunk.title)
            if named or own <= level:  # "History" within the section keeps what that is about.
                heading, level = named, own
            continue
        if is_instruction(text):
            continue
        key = token_key(text)
        is_lead = not before and chunk.start == 0
        thing = things.about(start, end, heading or topic_of(chunk.title))
        other = thing if things.begins_with_it(start) else ""
        yield Sentence(
            chunk, start, end, text, key, before, is_lead, heading, section, message, other
        )
        before = key


def section_topic(heading: str, title: str) -> str:
    """Return the thing that a heading names, empty where it names a part of the text or the title.

    "2. The Old Granary" is about the Old Granary, "Opening hours" about what the title names.

    Args:
        heading: The line, its signs and number included.
        title: The document's title.
    """
    bare = heading.strip(" \t\r\n#*_=-")
    bare = _NUMBERING.sub("", bare, count=1)
    article = _ARTICLE.match(bare)
    name = bare[article.end() :] if article else bare
    if not name or _PARTS & set(words(name)) or name_key(name) == name_key(title):
        return ""
    return name if capitalised_spans(f"of {name}") == ((3, 3 + len(name)),) else ""
