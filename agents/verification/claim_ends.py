"""Where a sentence has the ends of a claim, and whether an end is one whole name and one value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence, topic_of
from hoptrail.agents.language.clauses import CALLED_ALSO
from hoptrail.agents.language.common_words import is_common
from hoptrail.agents.language.mail_text import day_told, is_writer, is_written_on
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.language.topics import (
    PERSONAL_PRONOUN,
    REPEATING_NOUNS,
    defines_thing,
    may_name_person,
    topic_nouns,
)
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.core.text import name_key, words
from hoptrail.core.types.draft import HopClaim

_NUMBER = r"[£€$¥]?(?>\d{1,3}(?:\s\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d[\d.,]*)(?:\s?[£€$¥%])?"
# "80 31.00 2,480.00" is a row; "18 400" and "01234 567 890" are one number.
_ROW = re.compile(rf"(?<![\w.,]){_NUMBER}(?:\s{{1,9}}{_NUMBER})+(?![\w.,])")
_AMOUNT = re.compile(r"[£€$¥%]|\d[.,]\d{1,2}(?!\d)")
# "is in Corbel County, which has the": what follows tells of the county.
_CLAUSE_OF_NAME = re.compile(r"\b[A-Z][\w'’.-]{0,30},?\s(?:which|where)\b")
_NAME_WORD = re.compile(r"[^\W\d_][\w'’.-]*")


def holds_several_values(text: str) -> bool:
    """Return whether a text has a row of numbers, as a line of a table without its lines has."""
    return any(_AMOUNT.search(found.group()) for found in _ROW.finditer(text))


def tells_of_name_between(predicate: str) -> bool:
    """Return whether a predicate ends in a clause about a name that stands in it."""
    return _CLAUSE_OF_NAME.search(predicate) is not None


def splits_name(claim: HopClaim, text: str) -> bool:
    """Return whether a claim takes a name apart: "Sabine | Ferraro" of "Sabine Ferraro".

    A label before a name is a common word, and not one half of a line of two words: "Chair Ann
    Holt", but "River Cam".

    Args:
        claim: The claim.
        text: The sentence that is to state it.
    """
    labels, values = claim.predicate.split(), claim.object.split()
    if not labels or not all(map(_is_name_word, [*labels, *values])):
        return False
    told = r"\s{1,9}".join(map(re.escape, [*labels, *values]))
    found = re.search(rf"(?<!\w){told}(?!\w)", text)
    is_line = len(labels) == len(values) == 1 and found and found.group() == text.strip()
    return found is not None and bool(is_line or not all(map(is_common, labels)))


def _is_name_word(word: str) -> bool:
    return word[0].isupper() and _NAME_WORD.fullmatch(word) is not None


_WORD = re.compile(r"\w+(?:['’]\w+)*")
_PLACE_BEHIND_COMMA = re.compile(r",\s.*$")
_FIRST_NAMES = re.compile(r"(?<!\S)(?:[A-Z][\w.'’-]{0,40}\s){1,4}$")
_CALLED_ALSO = re.compile(
    rf"(?P<name>[^,;:.()]{{2,80}}), {CALLED_ALSO} (?:the |[\"“])?$", re.IGNORECASE
)
_TITLES = frozenset(
    """mr mrs ms dr prof professor sir lady lord king queen prince princess duke count president
    captain general colonel father sister brother saint st mayor judge senator""".split()
)
_LOOSE_WORDS = 4
_LONGEST_LEAD_WORDS = 6

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EndInSentence:
    """Where a sentence has one end of a claim; `spans` are character offsets in its text.

    `is_implied` is whether a pronoun of the sentence may stand for the end, or the head of its
    message tells it; `is_topic` whether the passage's title names it; `topic_nouns` are what the
    passage calls its topic, `is_thing` whether it defines it as no person: "is a mill in Alding".
    `is_speaker` is whether "I" stands for it: "Ann Holt: I moved to Alding."
    """

    name: str
    spans: tuple[Span, ...]
    is_implied: bool
    is_topic: bool
    topic_nouns: frozenset[str] = frozenset()
    is_thing: bool = False
    is_speaker: bool = False

    def may_be(self, noun: str) -> bool:
        """Return whether "the" with a noun may stand for the end."""
        return noun in REPEATING_NOUNS or noun in self.topic_nouns

    @property
    def is_present(self) -> bool:
        """Whether the sentence has the end at all."""
        return bool(self.spans) or self.is_implied

    @property
    def is_value(self) -> bool:
        """Whether the end is a date or a number, and not what the passage is about ("88:88")."""
        return not self.is_topic and kind_of(self.name) in {"date", "number"}


class ClaimEnd:
    """One end of a claim, with all names that it may be spelled by.

    Args:
        name: As the claim spells it.
        beside: The claim's other end: a word of that is no short form of this one.
        index: The evidence, which knows other names.
    """

    def __init__(self, name: str, beside: str, index: EvidenceIndex) -> None:
        self._name = name
        self._beside = beside
        self._index = index
        self._aliases = tuple(dict.fromkeys((*index.aliases(name), topic_of(name))))
        self._keys = tuple(f" {name_key(alias)} " for alias in self._aliases)
        self._is_topic: dict[str, bool] = {}

    def find(self, sentence: Sentence) -> EndInSentence:
        """Return where a sentence has this end."""
        is_topic = self._names_topic(sentence) and not _speaks_of_person(sentence)
        spans = self._spelled(sentence) or self._shortened(sentence, is_topic)
        spans = spans or _day_told(sentence, self._name)
        implied = is_topic or any(_is_taken_up(sentence, one) for one in self._aliases)
        nouns: frozenset[str] = frozenset()
        if is_topic:
            heading = sentence.near_topic
            nouns = (
                frozenset(words(heading))
                if heading
                else topic_nouns(topic_of(sentence.chunk.title), sentence.chunk.text)
            )
        is_thing = is_topic and defines_thing(sentence.chunk.text)
        writes = sentence.message is not None and is_writer(self._name, sentence.message)
        speaks = writes or any(_speaks(sentence.text, span) for span in spans)
        implied = implied or writes or _is_written_on(sentence, self._name)
        return EndInSentence(self._name, spans, implied, is_topic, nouns, is_thing, speaks)

    def _names_topic(self, sentence: Sentence) -> bool:
        title = sentence.topic_title
        if title not in self._is_topic:
            known = any(_is_topic(sentence, alias, self._index) for alias in self._aliases)
            self._is_topic[title] = known
        return self._is_topic[title]

    def _spelled(self, sentence: Sentence) -> tuple[Span, ...]:
        pairs = zip(self._aliases, self._keys, strict=True)
        present = (alias for alias, key in pairs if key in sentence.key)
        spans = dict.fromkeys(span for one in present for span in spans_of(one, sentence.text))
        return tuple(_renamed(span, sentence) for span in spans)

    def _shortened(self, sentence: Sentence, is_topic: bool) -> tuple[Span, ...]:
        """Return where the sentence has the name: its lead, one word of it, or all its words apart.

        One word is the last, or a person's first. The last word alone is no whole name in "Joseph
        Walton Losey III was".
        """
        lead = _lead_name(sentence) if is_topic and sentence.is_lead else None
        if lead:
            return (lead,)
        for alias in self._aliases:
            if self._index.mentions(sentence, alias, self._beside):
                last = name_key(alias).rpartition(" ")[2]
                spans = list(spans_of(last, sentence.text))
                if not spans:
                    return tuple(spans_of(alias.partition(" ")[0], sentence.text))
                return tuple(one for one in spans if not _is_other_name(alias, one, sentence.text))
        for alias in self._aliases:
            apart = _words_apart(alias, sentence.text)
            if apart:
                return (apart,)
        return ()


def _speaks_of_person(sentence: Sentence) -> bool:
    """Return whether a sentence begins with "she" below a title that names no person.

    That of a newsletter, "THE OAR - Spring 2025", is nobody whom it writes about.
    """
    topic = topic_of(sentence.topic_title)
    return bool(PERSONAL_PRONOUN.match(sentence.text)) and not may_name_person(topic)


def _renamed(span: Span, sentence: Sentence) -> Span:
    """Return the name that a document begins with, where it is also called by what a span spells.

    "Speriamo che sia femmina, released as Let's Hope It's a Girl, is": the first name.
    """
    before = _CALLED_ALSO.match(sentence.text[: span[0]]) if sentence.is_lead else None
    return before.span("name") if before else span


def _is_written_on(sentence: Sentence, name: str) -> bool:
    return sentence.message is not None and is_written_on(name, sentence.message)


def _day_told(sentence: Sentence, name: str) -> tuple[Span, ...]:
    """Return where a sentence of a message has "yesterday" for the day that a name spells."""
    told = day_told(name, sentence.text, sentence.message) if sentence.message else None
    return ((told.start, told.end),) if told else ()


def _speaks(text: str, name: Span) -> bool:
    return name[0] == 0 and text[name[1] : name[1] + 2] == ": "


def spans_of(name: str, text: str) -> Iterator[Span]:
    """Yield where a text spells a name as whole words."""
    pattern = _pattern(name)
    if pattern is not None:
        yield from (match.span() for match in pattern.finditer(text))


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str] | None:
    parts = re.findall(r"\w+", name)
    if not parts:
        return None
    joined = r"\W{1,3}".join(map(re.escape, parts))
    return re.compile(rf"(?<!\w){joined}(?!\w)", re.IGNORECASE)


def _is_topic(sentence: Sentence, name: str, index: EvidenceIndex) -> bool:
    """Return whether the heading or title names a thing, a place behind a comma not counted."""
    if index.is_topic(sentence, name):
        return True
    bare = _PLACE_BEHIND_COMMA.sub("", topic_of(sentence.topic_title))
    return bool(bare) and name_key(bare) == name_key(_PLACE_BEHIND_COMMA.sub("", name))


def _is_taken_up(sentence: Sentence, name: str) -> bool:
    """Return whether the sentence begins with a pronoun for what the one before it begins with."""
    key = name_key(name)
    return bool(key) and sentence.leads_with_pronoun and sentence.before.startswith(f" {key} ")


def _words_apart(name: str, text: str) -> Span | None:
    """Return the shortest stretch of a text with all telling words of a name, few between."""
    wanted = word_groups(name)
    if len(wanted) < 2 or not wanted <= word_groups(text):
        return None
    last: dict[str, Span] = {}
    best: Span | None = None
    limit = len(wanted) + _LOOSE_WORDS
    for place, match in enumerate(_WORD.finditer(text)):
        group = word_group(match.group())
        if group not in wanted:
            continue
        last[group] = (place, match.start())
        first, start = min(last.values())
        if len(last) == len(wanted) and place - first < limit:
            if best is None or match.end() - start < best[1] - best[0]:
                best = (start, match.end())
    return best


def _is_other_name(name: str, span: Span, text: str) -> bool:
    """Return whether a name's last word stands behind another first name: "her son Paul Holt"."""
    before = _FIRST_NAMES.search(text[: span[0]])
    if before is None or before.start() == 0:
        return False
    return not {*words(name), *_TITLES} & set(words(before.group()))


def _lead_name(sentence: Sentence) -> Span | None:
    """Return the name that a document's first sentence begins with, if the title shares a word.

    "Francis Michael Magalona was ..." in the passage "Francis Magalona".
    """
    match = re.match(r"[\"“']?(?:The\s+)?((?:[A-Z0-9][\w.'’-]*\s*)+)", sentence.text)
    if match is None or len(match.group(1).split()) > _LONGEST_LEAD_WORDS:
        return None
    shared = word_groups(match.group(1)) & word_groups(sentence.chunk.title)
    return (match.start(1), match.start(1) + len(match.group(1).rstrip())) if shared else None
