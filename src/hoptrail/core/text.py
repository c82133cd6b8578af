"""Text helpers as pure functions: normal forms, words, sentences with offsets."""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from hoptrail.core.language.scripts import folded_arabic, has_other_words, script_words
from hoptrail.core.language.stop_words import without_accents

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been
    before being below between both but by can cannot could couldn't did didn't do does doesn't
    doing don't down during each else ever few for from further had hadn't has hasn't have haven't
    having he her here hers herself him himself his how i if in into is isn't it its itself just
    me might more most much must my myself no nor not now of off on once one only or other our ours
    ourselves out over own same shall she should shouldn't so some such than that the their theirs
    them themselves then there these they this those through to too under until up upon us very
    was wasn't we were weren't what when where whether which while who whom whose why will with
    within without won't would wouldn't yet you your yours yourself yourselves""".split()
)
_STOP_WORDS_AND_MAY = STOP_WORDS | {"may"}

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WORD = re.compile(r"\w+(?:['’]\w+)*", re.UNICODE)
_PUNCTUATION = str.maketrans("", "", string.punctuation + "’‘“”–—…")
# A run of stops is tried once, from its beginning: each of them again would be quadratic.
_SENTENCE_END = re.compile(
    r"(?<![.!?…。！？؟۔।])[.!?…。！？؟۔।]++[\"'”“’»)\]]*+(?:[ \u00a0\u202f]»)?(?=\s|$)"
    r"|[。！？]++[”’」』）】]*+|\n\s*\n"
)
# "- item", "3. Item", "2.1 Clause", "(b) item", "# Heading", "Label: value".
_LIST_ITEM = re.compile(
    r"\s*+(?:[-*•–+]\s|\(?\d{1,3}[.)]\s|\d{1,2}(?:\.\d{1,2})+\.?\s(?=\W*[A-Z])|\([a-z]\)\s|#{1,6}\s"
    r"|[A-Z][\w/-]*+(?: [\w/-]++){0,2}:\s)"
)
# A label of up to six words, with what stands in brackets behind it: "Length of the boat (m): 8.4".
_LABELLED = re.compile(r"\s*+[^\W\d_][\w/'’-]*+(?: [\w/'’-]++){0,5}+(?: \([^()\n]{1,20}\))?:\s++\S")
_TABLE_ROW = re.compile(
    r"\s\|\s|^\s*\||\t|\S {3,}\S| \.{4,60} | \.{3} (?=[\d£$€])|(?:,(?=\S)[^,\n]*+){3}"
)
_QUOTED_MAIL = re.compile(r"(?:[ \t]?>)+[ \t]*")
_NEVER_LAST = frozenset(
    """a an the of to and or for by with in at from as than that which who whose is are was
    were""".split()
)
# "Adult ..... 6.50": dots that lead on to the next column.
_LEADER = re.compile(r"[ \t]\.{3,60}[ \t]{1,40}(?=[\d£$€])|[ \t]\.{4,60}[ \t]{1,40}(?=\S)")
_LEADER_DOTS = 3
_NUMBERED = re.compile(r"^[\s(>#]*+\d{1,3}(?:\.\d{1,3}){0,3}$")
_ABBREVIATIONS = frozenset(
    """lit mr mrs ms dr prof st sr jr vs etc inc ltd co corp no vol fig al eg ie ca approx gen col
    lt sgt capt rev hon pres gov sen rep mt ft dept est jan feb mar apr jun jul aug sep sept oct
    nov dec ext tel""".split()
)
_VOWELS = frozenset("aeiouyаеиоуыэюяєії")
_DAY_LENGTH = 2  # digits
_SHORT = 4  # letters of "Abs. 3", "tél. 04", "núm. 5"


def normalize_answer(text: str) -> str:
    """Return the SQuAD normal form: NFKC, casefold, no punctuation, no articles, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", folded).split())


def contains_answer(text: str, answer: str) -> bool:
    """Return whether the answer's normal form is a whole-token subsequence of the text's.

    Of an answer in a script without spaces each character is a token, and an Arabic one may follow
    an article.
    """
    needle = normalize_answer(answer)
    if has_other_words(needle):
        return folded_arabic(needle) in folded_arabic(normalize_answer(text))
    return bool(needle) and f" {needle} " in f" {normalize_answer(text)} "


@lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """Return the key under which equal names meet: NFKC, casefold, no outer punctuation or article.

    Inner punctuation turns to spaces, a possessive `'s` at the end is dropped.
    """
    folded = unicodedata.normalize("NFKC", name).casefold().strip()
    folded = re.sub(r"['’]s$", "", folded)
    words = re.findall(r"\w+", folded, re.UNICODE)
    if len(words) > 1 and words[0] in {"a", "an", "the"}:
        words = words[1:]
    return " ".join(words) or folded


def words(text: str) -> list[str]:
    """Return the lower-cased words of a text in order.

    Of scripts that put no spaces between words these are pairs of characters, of the Arabic script
    stems (see `script_words`).
    """
    if has_other_words(text):
        found = _WORD.findall(folded_arabic(text).lower())
        return list(chain.from_iterable(map(script_words, found)))
    return [word.lower() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Return the words that are not stop words, in order, with repetitions.

    "May" is a month, "may" a stop word, as other verbs like it are.
    """
    light = STOP_WORDS if "May" in text else _STOP_WORDS_AND_MAY
    return [word for word in words(text) if word not in light]


def counted(number: float, noun: str) -> str:
    """Return a number, rounded, with what it counts: `1 page`, `2,000 files or folders`."""
    whole = round(number)
    several = noun if whole == 1 else " or ".join(map(_plural, noun.split(" or ")))
    return f"{whole:,} {several}"


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return f"{noun}es"
    is_shortened = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{noun[:-1]}ies" if is_shortened else f"{noun}s"


def flat(text: str) -> str:
    """Return a text as one line with single spaces."""
    return " ".join(text.split())


def clipped(text: str, longest: int) -> str:
    """Return a text as one line; a long one ends after a word, with " …".

    Args:
        text: Any text.
        longest: Most characters before the mark.
    """
    line = flat(text)
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0] + " …"


def longest_apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans that neither lie in a longer one nor cross it, in order.

    Args:
        spans: `(start, end)` offsets; of equally long ones that overlap, the first one stays.
    """
    taken: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= left or start >= right for left, right in taken):
            taken.append((start, end))
    return sorted(taken)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return `(start, end)` character offsets of the sentences, without outer white space.

    A full stop after an initial or a common abbreviation, or before a lower-case word, ends none.
    A line ends a sentence where it was ended on purpose: before a list item, a label or a table
    row, and where the next line's first word would still have found room on it.
    """
    spans: list[tuple[int, int]] = []
    for first, last in _passages_of_lines(text):
        start = first
        for match in _SENTENCE_END.finditer(text, first, last):
            if not _is_sentence_end(text, start, match):
                continue
            _append_trimmed(spans, text, start, match.end())
            start = match.end()
        _append_trimmed(spans, text, start, last)
    return spans


def _passages_of_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield `(start, end)` of the runs of lines that a writer broke for want of room alone."""
    if "\n" not in text:
        yield 0, len(text)
        return
    bounds = [match.start() for match in re.finditer("\n", text)]
    starts = [0, *(bound + 1 for bound in bounds)]
    lines = [text[start:end] for start, end in zip(starts, [*bounds, len(text)], strict=True)]
    width = max(map(len, (line.rstrip() for line in lines)))
    begun = 0
    for start, line, following in zip(starts[1:], lines[:-1], lines[1:], strict=True):
        if ends_on_purpose(line.rstrip(), following, width):
            yield begun, start
            begun = start
    yield begun, len(text)


def ends_on_purpose(line: str, following: str, width: int) -> bool:
    """Return whether a line ends where its writer wanted and not for want of room.

    Args:
        line: Without white space at its end.
        following: The next line.
        width: Of the longest line, in characters.
    """
    quoted, going_on = _QUOTED_MAIL.match(line), _QUOTED_MAIL.match(following)
    if quoted and going_on and quoted.group().split() == going_on.group().split():
        line, following = line[quoted.end() :], following[going_on.end() :]
        width -= quoted.end()
    if not line or not following.strip():
        return True
    if _LIST_ITEM.match(following) or _TABLE_ROW.search(line) or _TABLE_ROW.search(following):
        return True
    if line.lstrip().startswith("#") or _LABELLED.match(line) and _LABELLED.match(following):
        return True
    word = following.split(maxsplit=1)[0]
    has_room = len(line) + 1 + len(word) <= width
    goes_on = (
        word[0].islower()
        or line.endswith((",", "-", "("))
        or line.rpartition(" ")[2].lower() in _NEVER_LAST
    )
    return has_room and not goes_on


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))


def _is_sentence_end(text: str, start: int, match: re.Match[str]) -> bool:
    if match.group()[0] != ".":
        return True
    if _LEADER.match(text, match.start() - 1) and match.end() - match.start() >= _LEADER_DOTS:
        return False
    following = text[match.end() : match.end() + 2].lstrip()
    if following and following[0].islower():
        return False
    if _NUMBERED.match(text[max(start, match.start() - 12) : match.start()]):
        return False
    word = _last_word(text, start, match.start())
    if not word or match.end() >= len(text):
        return True
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    if is_initial or word.lower() in _ABBREVIATIONS:
        return False
    return not _goes_on_in_its_language(text, word, match.end())


def _goes_on_in_its_language(text: str, word: str, end: int) -> bool:
    """Return whether a word has its full stop for another reason, in a text that is not English.

    Args:
        text: The whole text, which tells the language.
        word: Before the full stop.
        end: Offset behind the full stop.
    """
    if not _may_go_on(word, text[end : end + 2].lstrip()):
        return False
    # Here, because it reads words itself.
    from hoptrail.core.language.detection import ENGLISH, language_of

    language = language_of(text)
    if language == ENGLISH:
        return False
    following = _WORD.search(text, end)
    return following is not None and _goes_on(word, following.group(), language)


def _last_word(text: str, start: int, end: int) -> str:
    """Return the word characters right before `end` (or a line break there), from `start` on."""
    if end > start and text[end - 1] == "\n":
        end -= 1
    first = end
    while first > start and (text[first - 1].isalnum() or text[first - 1] == "_"):
        first -= 1
    return text[first:end]


def _may_go_on(word: str, following: str) -> bool:
    """Return whether a word with a full stop may be short for another, or the number of a day.

    Whether it is depends on the language and on what follows (`_goes_on`).

    Args:
        word: Before the full stop.
        following: What comes next, from its first letter or digit on.
    """
    if word.isdecimal():
        return len(word) <= _DAY_LENGTH
    if not word.isalpha():
        return False
    is_short = len(word) <= _SHORT and following[:1].isdecimal()
    return len(word) == 1 or is_short or not _VOWELS & set(word.lower())


def _goes_on(word: str, following: str, language: str) -> bool:
    """Return whether a full stop ends no sentence, where `_may_go_on` leaves it open.

    It ends none behind a single letter ("z. B."), behind letters that are no syllable ("Nr.",
    "bzw."), between a short word and a number ("tél. 04"), and between a number and a month where
    CLDR says that the language writes a day so ("3. Mai").

    Args:
        word: Before the full stop.
        following: The next word.
        language: ISO 639 code.
    """
    if word.isdecimal():
        return following.lower() in _months_behind_a_stop(language)
    if len(word) == 1 or following.isdecimal():
        return True
    return not _VOWELS & set(without_accents(word.lower()))


@lru_cache(maxsize=64)
def _months_behind_a_stop(language: str) -> frozenset[str]:
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(language)
    except (ValueError, UnknownLocaleError):
        return frozenset()
    if not str(locale.date_formats["long"].pattern).startswith("d."):
        return frozenset()
    return frozenset(
        str(name).lower().rstrip(".")
        for width in ("wide", "abbreviated")
        for name in locale.months["format"][width].values()
    )


def dollars(usd: float) -> str:
    """Return an amount with two significant digits at least: $0, $0.00026, $0.26, $26.43."""
    if usd <= 0:
        return "$0"
    decimals = max(2, 1 - math.floor(math.log10(usd)))
    return f"${usd:,.{decimals}f}"


def cost(usd: float, unpriced_calls: int) -> str:
    """Return what calls cost; those whose price is not known never count as free."""
    if not unpriced_calls:
        return dollars(usd)
    return f"{dollars(usd)} and calls of unknown price" if usd else "price unknown"
