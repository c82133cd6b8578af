"""The thing that a text is about: what its title names, and the nouns that take it up again."""

from __future__ import annotations

import re
from functools import lru_cache

from hoptrail.core.text import words

PERSONAL_PRONOUN = re.compile(r"\W{0,3}(?:he|she|his|her)\b", re.IGNORECASE)
"""The beginning of a sentence about a person who was named before."""

_TEXT_NOUNS = (
    "minutes|agenda|news|newsletter|bulletin|circular|memo|memorandum|handbook|manual|guide|guidelines"
    "|instructions|rules|regulations|statutes|byelaws|bylaws|policy|report|summary|overview|notes"
    "|agreement|contract|lease|licence|terms|conditions|letter|mail|e-?mail|reply|invitation"
    "|announcement|notice|invoice|receipt|quotation|quote|offer|order confirmation|confirmation"
    "|list|inventory|catalogue|catalog|directory|timetable|calendar|prices|price list|recipes"
    "|faq|questions|answers|contacts|release notes|changelog|programme of events|information"
)
# "Minutes of the meeting", "Rental agreement (draft)", "Re: The camp", "About us".
_NAMES_TEXT = re.compile(
    rf"(?:(?:re|fwd?|aw|wg)\s?:|about\s|who\sdoes\swhat\b|(?:{_TEXT_NOUNS})(?:\s(?:of|for|to|on|from|about|in)\b|\W|$)"
    rf"|[^:]{{0,80}}\s(?:{_TEXT_NOUNS})(?:\s(?:of|for|to|on|from|about)\b|\s?[-–—|:,(\d]|$))",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(r"[A-Z][A-Z ]{4,40}\s[-–—|]\s")
# "THE OAR - Spring 2025", "News: the new hall" and "Route 66" are no names of persons.
_HEADLINE = re.compile(r"\s[-–—|]\s|:\s|[A-Z]{4}\s[A-Z]{3}|\d{4}|\s\d+$")
_WORD = re.compile(r"[^\W\d_][\w.'’-]*")
_PARTICLES = frozenset("della delle dello bint ferch unter".split())
_LONGEST_PARTICLE = 3


@lru_cache(maxsize=4096)
def names_text(title: str) -> bool:
    """Return whether a title names the text itself, as that of minutes or of a mail does."""
    return bool(_NAMES_TEXT.match(title) or _MASTHEAD.match(title))


@lru_cache(maxsize=4096)
def may_name_person(title: str) -> bool:
    """Return whether "she" below a title may be what the title names.

    A ship or a queen may be; "Ball machine", "Spring 2025" and "Minutes of the meeting" are not.
    """
    words = _WORD.findall(title.partition(",")[0])
    is_name = bool(words) and all(map(_is_of_name, words))
    return is_name and not _HEADLINE.search(title) and not names_text(title)


def _is_of_name(word: str) -> bool:
    is_particle = len(word) <= _LONGEST_PARTICLE or word in _PARTICLES or word.startswith("al-")
    return is_particle or any(map(str.isupper, word))


# Nouns by which a text takes up its topic again: "The film was directed by ...".
REPEATING_NOUNS = frozenset(
    """film movie picture series show programme program episode song single track album record book
    novel story poem play opera musical painting work magazine newspaper journal game company firm
    business brand airline band group duo trio team club organisation organization party school
    college university museum church cathedral building house bridge castle hotel station airport
    stadium park town city village settlement community municipality district county province
    region state country area island river lake mountain road line ship vessel battle war treaty
    event festival award species genus family order man woman actor actress singer couple
    engine aircraft car software site monument school hospital library theatre theater brewery
    mill factory plant farm mine port harbour ferry project agreement contract act law""".split()
)
_THINGS = REPEATING_NOUNS - frozenset("man woman actor actress singer couple".split())
_BEFORE_ATTACHMENT = re.compile(
    r"(?:(?!(?:in|of|at|on|by|from|for|to|near|who|which|that|with|and|or|based|located|founded|built)\b)"
    r"[\w'’-]{1,30}\s{0,2}){1,10}"
)
_IT = re.compile(r"\W{0,6}(?:It|Its|This)\s")
_GOES_ON = (
    r"(?=,|\s(?:in|on|of|at|by|for|from|with|near|behind|was|were|is|are|has|had|will|can|must|costs?"
    r"|stands?|lies|holds?|needs?|weighs|came|comes|went|[a-z]{3,20}(?<!e)ed)\b)"
)
_SUBJECT = re.compile(
    r"\W{0,6}(?P<thing>(?:The|An?|Our|My|Their)\s"
    rf"(?:[a-z][\w-]{{1,30}}\s){{0,2}}?(?P<noun>[a-z][\w-]{{1,30}})){_GOES_ON}"
)
_NAMED_SUBJECT = re.compile(
    rf"\W{{0,6}}(?P<thing>The\s(?P<name>[A-Z][\w'’-]{{1,30}}(?:\s[A-Z][\w'’-]{{1,30}}){{1,3}})){_GOES_ON}"
)
_DEFINITION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one\s+of)\s+([^,.;()]{3,120})")
_DEFINED_WITHIN = 300
_LINES_BETWEEN_PARAGRAPHS = 2


@lru_cache(maxsize=1024)
def topic_nouns(title: str, text: str) -> frozenset[str]:
    """Return the words of a passage's title and those by which it first says what that is."""
    return frozenset(words(f"{title} {_definition(text)}"))


@lru_cache(maxsize=1024)
def defines_thing(text: str) -> bool:
    """Return whether a text's first definition ends in a noun of things: "is a flour mill in"."""
    return not _THINGS.isdisjoint(defining_words(text)[-1:])


def defining_words(text: str) -> list[str]:
    """Return the words by which a text first says what its topic is, without "of" and "in"."""
    head = _BEFORE_ATTACHMENT.match(_definition(text))
    return head.group().lower().split() if head is not None else []


def other_thing(sentence: str, title: str, text: str) -> str:
    """Return what a sentence begins with where that is another thing than the passage's topic.

    "The bridge was built in 1802" in notes on a village: "it" behind that is the bridge. In a text
    on Red Fern "the film" may be Red Fern itself, as long as nothing tells what Red Fern is.

    Args:
        sentence: With the thing at its beginning, if any.
        title: The passage's topic.
        text: The passage, which may define its topic.
    """
    match = _SUBJECT.match(sentence)
    if match is None:
        return _other_named_thing(sentence, title)
    known, noun = topic_nouns(title, text), match["noun"].lower()
    is_unclear = noun in REPEATING_NOUNS and known.isdisjoint(REPEATING_NOUNS)
    return "" if noun in known or is_unclear else match["thing"]


def _other_named_thing(sentence: str, title: str) -> str:
    """Return the thing that a sentence begins with by a name of its kind: "The Hotel Edelgrat"."""
    match = _NAMED_SUBJECT.match(sentence)
    if match is None:
        return ""
    named = frozenset(words(match["name"]))
    is_thing = not named.isdisjoint(_THINGS)
    return match["thing"] if is_thing and named.isdisjoint(words(title)) else ""


class ThingNamed:
    """The thing that sentences are about, read in order, where it is not the passage's topic.

    Args:
        text: The passage.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._thing = ""
        self._end = 0

    def begins_with_it(self, start: int) -> bool:
        """Return whether a sentence begins with "it" or "this", which means what was just named."""
        return _IT.match(self._text, start) is not None

    def about(self, start: int, end: int, title: str) -> str:
        """Return what the next sentence is about: what it names itself, or by "it", else "".

        "It" means no thing of another paragraph.

        Args:
            start: Where the sentence begins.
            end: Where it ends.
            title: The topic of its section or document.
        """
        if not self.begins_with_it(start):
            self._thing = other_thing(self._text[start:end], title, self._text)
        elif self._text.count("\n", self._end, start) >= _LINES_BETWEEN_PARAGRAPHS:
            self._thing = ""
        self._end = end
        return self._thing


def _definition(text: str) -> str:
    found = _DEFINITION.search(text[:_DEFINED_WITHIN])
    return found.group(1) if found else ""
