"""Mentions in the sentences of a passage: names of things, and values such as dates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.language.common_words import is_common, is_opener
from hoptrail.core.text import STOP_WORDS, name_key
from hoptrail.core.types import VALUE_TYPES
from hoptrail.indexing.extraction.mention_patterns import (
    HONORIFICS,
    MENTION,
    PRICED,
    QUOTED,
    REVERSED,
    SIGNS,
    Topic,
    marked_titles,
)
from hoptrail.indexing.extraction.predicates import PREPOSITIONS, is_verb

_WORD = re.compile(r"[^\W_][\w'’&.-]*")
_LOWER_WORD = re.compile(r"(?<!\w)[^\W\d_A-Z][\w'’-]*")
_LOWER_BEHIND = re.compile(r" [^\W\d_A-Z]")
_IN_BRACKETS = re.compile(r"(?:\(|\b[Tt]he )([A-Z]{2,10})\b")
_NUMBERING = re.compile(r"\s{0,9}[\d.()]{1,6}\s{0,9}")
_BEFORE_OPENING = frozenset(" \"'“‘«([*_")
_OPENING = frozenset(":;|•#>\t–—!?….")
_OPENING_BEFORE_SPACE = frozenset(
    "/}]"
)  # "// Removes the listener", "callback {Function} Called when"
_MOST_SKIPPED = 6
_WRAPPED = 40  # characters of a line that ended for want of room
_LONGEST_TITLE = 10  # words in quotation marks
_NEXT_WORD = re.compile(r" ([a-z]{2,12})\b")
_NUMERALS_WITH_STOP = frozenset({"I.", "V.", "X."})  # "World War I." at the end of a sentence
_LEADING = frozenset("and but or i so if because as then".split())
_COLUMN = re.compile(r"(?:^|(?<=\n)|(?<=; ))(?P<name>[^:;\n]{1,60}):(?=\s)")
_LEAST_OF_TITLE_LINE = 3  # words


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase of a sentence; offsets in the passage's text, `key` names the entity it means.

    `kind` is "name", or the kind of value. `opens` is whether the place alone explains the capital.
    """

    start: int
    end: int
    key: str
    name: str
    kind: str
    opens: bool = False

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the passage's text."""
        return self.start, self.end

    @property
    def is_value(self) -> bool:
        """Whether it is a value of a fact, such as a date, rather than a thing."""
        return self.kind in VALUE_TYPES


def find_mentions(text: str, spans: Sequence[tuple[int, int]], topic: Topic) -> list[list[Mention]]:
    """Return the mentions of each sentence in order; the topic's name is one wherever it stands.

    A name ends at the end of a line, unless the passage has it on one line elsewhere. A capital at
    the beginning of a sentence, label, cell or list item proves nothing: there a common word is a
    name only if the passage writes it with a capital elsewhere too.
    """
    reversed_ = _reversed_names(text)
    columns = column_names(text, spans)
    raw = [
        [
            one
            for one in _sentence(text, start, end, topic, reversed_)
            if not any(left <= one.start and one.end <= right for left, right in columns)
        ]
        for start, end in spans
    ]
    evidence = _Evidence.of(text, raw, topic)
    return [_across_lines(text, filter(evidence.admits, found), evidence) for found in raw]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Signs that a passage gives about its words, lower-cased.

    `inside` are words with a capital that their place does not explain, `keys` whole names that are
    so written, `lower` words without a capital, and `short_forms` capitals in brackets or
    behind "the".
    """

    inside: frozenset[str]
    keys: frozenset[str]
    lower: frozenset[str]
    short_forms: frozenset[str]

    @classmethod
    def of(cls, text: str, sentences: Sequence[Sequence[Mention]], topic: Topic) -> _Evidence:
        inside = set(name_key(topic.name).split())
        keys = {topic.key, name_key(topic.short)}
        for mention in (mention for mentions in sentences for mention in mentions):
            words = mention.key.split()
            inside.update(words[1:] if mention.opens else words)
            if not (mention.opens or _touches_line_end(text, mention)):
                keys.add(mention.key)
        lower = frozenset(_LOWER_WORD.findall(text))
        short_forms = frozenset(form.lower() for form in _IN_BRACKETS.findall(text))
        return cls(frozenset(inside), frozenset(keys), lower, short_forms)

    def admits(self, mention: Mention) -> bool:
        """Return whether a mention is a value or surely a name."""
        if mention.is_value:
            return True
        words = [word.rstrip(".") for word in mention.name.split()]
        if mention.name.isupper() and any(map(is_common, words)):
            return mention.key in self.short_forms
        if not mention.opens or mention.key in self.keys:
            return True
        if len(words) > 1:
            return not all(word.isdigit() or is_common(word) for word in words)
        word = words[0]
        if word[1:] != word[1:].lower() or any(map(str.isdigit, word)):
            return True
        if mention.key in self.inside:
            return True
        return not (is_common(word) or word.lower() in self.lower)


def _sentence(
    text: str, start: int, end: int, topic: Topic, reversed_: Sequence[Mention]
) -> Iterator[Mention]:
    """Yield the mentions of a sentence in order, doubtful ones too."""
    is_title = _is_title_line(text[start:end])
    whole = [
        Mention(found, found + len(topic.short), topic.key, topic.short, "name")
        for found in topic.occurrences(text, start, end)
    ]
    whole += [one for one in reversed_ if start <= one.start and one.end <= end]
    whole += _quoted(text, start, end)
    whole += [
        Mention(left, right, name_key(text[left:right]), text[left:right], "name")
        for left, right in marked_titles(text, start, end)
    ]
    position = start
    for mention in sorted(whole, key=lambda one: (one.start, -one.end)):
        if mention.start < position:
            continue
        yield from _phrases(text, position, mention.start, start, is_title)
        yield mention
        position = mention.end
    yield from _phrases(text, position, end, start, is_title)


def _phrases(text: str, position: int, end: int, start: int, is_title: bool) -> Iterator[Mention]:
    """Yield the phrases between two places of a sentence that begins at `start`."""
    before = position
    while match := MENTION.search(text, position, end):
        position = match.end()
        kind = match.lastgroup or ""
        phrase = match.group()
        if text[match.start() - 1 : match.start()] == "/" and not (
            kind == "name" and match.start() - 1 == before and not phrase.isupper()
        ):
            position = match.start() + len(phrase.split(" ")[0])
            continue  # a part of a path, or of a short form such as AC/DC
        before = position
        if (
            kind == "time"
            and "." in phrase
            and PRICED.search(text, max(start, match.start() - 80), match.start())
        ):
            kind = "money"  # "Price: 4.20"
        if kind in VALUE_TYPES:
            yield Mention(*match.span(), name_key(phrase), " ".join(phrase.split()), kind)
            continue
        opens = is_title or _opens(text, start, match.start())
        first = _WORD.match(phrase)
        words = _WORD.findall(phrase)
        is_nothing = _names_nothing(words, opens) or (
            opens and len(words) == 1 and _is_participle(words[0], text, match.end())
        )
        if first and kind == "name" and is_nothing:
            position = match.start() + first.end()
            continue
        span = _without_tail(*match.span(), text) if kind == "name" else match.span()
        name = text[slice(*span)]
        if not name:
            continue
        if " " in name and not is_title and _LOWER_BEHIND.match(text, span[1], end):
            opens = False  # its further words have no cause for a capital
        if name == "May":
            yield Mention(*span, "may", name, "date")
        else:
            yield Mention(*span, name_key(name), name, "name", opens)


def _without_tail(start: int, end: int, text: str) -> tuple[int, int]:
    """Return the span without words at its end that are no part of a name."""
    words = list(_WORD.finditer(text, start, end))
    while len(words) > 1 and _ends_nothing(words[-1].group(), words[-2].group(), len(words) - 1):
        words.pop()
        end = words[-1].end()
    if len(words) > 1 and words[-1].group() in _NUMERALS_WITH_STOP:
        end = words[-1].end() - 1
    head, hyphen, tail = words[-1].group().rpartition("-")
    if hyphen and head and tail.islower() and is_common(tail):
        end = words[-1].start() + len(head)
        if len(words) == 1 and (is_common(head) or len(head) == 1):
            end = start
    return start, end


def _names_nothing(words: Sequence[str], opens: bool) -> bool:
    """Return whether the first of these words is no part of a name."""
    first = words[0].rstrip(".")
    low = first.lower()
    if len(words) == 1:
        if len(first) == 1 or low in HONORIFICS or low in SIGNS and not first.islower():
            return True
        is_short_form = first.isupper() and len(first) > 1 and low not in _LEADING
        return is_opener(first) and not is_short_form
    if low == "will" or first.isupper() and len(first) > 1:
        return False
    if opens:
        return is_opener(first)
    return low in _LEADING


def _is_participle(word: str, text: str, end: int) -> bool:
    """Return whether a word that ends here opens a clause such as "Born in Rome, she ..."."""
    after = _NEXT_WORD.match(text, end)
    return after is not None and after.group(1) in PREPOSITIONS and is_verb(word.lower())


def _ends_nothing(last: str, before: str, place: int) -> bool:
    """Return whether the word at a place of a name is no part of it; `before` precedes it."""
    if last == "I":
        return place == 1 and is_common(before)  # "World War I" is a name, "Hey I" is none
    if before[-1:] == "." and before.lower().rstrip(".") not in HONORIFICS and is_opener(last):
        return True  # the next sentence's first word: "World War I. She"
    return last.isupper() and last.lower() in SIGNS


def _opens(text: str, start: int, place: int) -> bool:
    """Return whether a word stands where any word has a capital."""
    if text[place - 2 : place] == "  ":
        return True
    at = place
    while at > max(start, place - _MOST_SKIPPED) and text[at - 1] in _BEFORE_OPENING:
        at -= 1
    if at <= start or at - start < 10 and _NUMBERING.fullmatch(text, start, at):
        return True
    before = text[at - 1]
    if before == "\n":
        line = at - 1 - max(text.rfind("\n", max(start, at - 1 - _WRAPPED), at - 1), start)
        return line < _WRAPPED
    if before == ",":
        return at == place
    if before == "-":
        return at < place and (at - 1 == start or text[at - 2].isspace())
    return before in _OPENING or (before in _OPENING_BEFORE_SPACE and at < place)


def _is_title_line(line: str) -> bool:
    """Return whether a heading or a menu has all its words with a capital."""
    if line.rstrip()[-1:] in {".", "!", "?", ",", ";"} or len(line) > 200:
        return False
    words = [word for word in _WORD.findall(line) if word.lower() not in STOP_WORDS]
    return len(words) >= _LEAST_OF_TITLE_LINE and all(
        word[0].isupper() or word[0].isdigit() for word in words
    )


def _quoted(text: str, start: int, end: int) -> Iterator[Mention]:
    """Yield the words in quotation marks that are written as a title is."""
    for match in QUOTED.finditer(text, start, end):
        inner = match.group(match.lastindex or 0)
        first = match.start(match.lastindex or 0)
        title = inner.strip().rstrip(",").rstrip()
        first += len(inner) - len(inner.lstrip())
        if _is_title(title):
            name = " ".join(title.split())
            yield Mention(first, first + len(title), name_key(name), name, "name")


def _is_title(words: str) -> bool:
    found = words.split()
    if not 0 < len(found) <= _LONGEST_TITLE or words[-1] in ".!?…;:-":
        return False
    if not (words[0].isupper() and (found[-1][0].isupper() or found[-1][0].isdigit())):
        return False
    if len(found) == 1:
        return not is_opener(words) and len(words) > 1
    capitals = sum(word[0].isupper() or word[0].isdigit() for word in found)
    small = [word for word in found if word[0].islower()]
    return capitals >= len(small) and all(word in STOP_WORDS or word == "de" for word in small)


def _reversed_names(text: str) -> list[Mention]:
    """Return the persons of a table's cells by their names in common order."""
    if "," not in text:
        return []
    found = []
    for match in REVERSED.finditer(text):
        name = f"{match['first']} {match['last']}"
        if not is_common(match["last"]) and not is_common(match["first"].split()[-1]):
            found.append(Mention(*match.span(), name_key(name), name, "name"))
    return found


def _across_lines(text: str, mentions: Iterator[Mention], evidence: _Evidence) -> list[Mention]:
    """Join two halves of a name that a line's end parts, and drop halves of unknown names."""
    kept: list[Mention] = []
    for mention in mentions:
        before = kept[-1] if kept else None
        if (
            before is None
            or before.is_value
            or mention.is_value
            or not _parted(text, before, mention)
        ):
            kept.append(mention)
            continue
        name = f"{before.name} {mention.name}"
        if name_key(name) in evidence.keys:
            kept[-1] = Mention(before.start, mention.end, name_key(name), name, "name")
            continue
        halves = [one for one in (before, mention) if " " in one.name or one.key in evidence.keys]
        kept[-1:] = halves
    return kept


def column_names(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where rows such as "Article: Megaphone; Price GBP: 79.00" have their columns' names.

    "Ann Holt: 400 euros; Bo Reed: 300 euros" has none: each stands once, and is no common word.
    """
    if "; " not in text:
        return []
    rows = [list(_COLUMN.finditer(text, start, end)) for start, end in spans]
    found = [match for row in rows if len(row) > 1 for match in row]
    uses = Counter(match["name"] for match in found)
    return [
        match.span("name")
        for match in found
        if uses[match["name"]] > 1 or any(map(is_common, match["name"].split()))
    ]


def _touches_line_end(text: str, mention: Mention) -> bool:
    return text[mention.end : mention.end + 1] == "\n" or text[mention.start - 1] == "\n"


def _parted(text: str, one: Mention, other: Mention) -> bool:
    """Return whether nothing but a line's end stands between two mentions."""
    between = text[one.end : other.start]
    return between.count("\n") == 1 and not between.strip()
