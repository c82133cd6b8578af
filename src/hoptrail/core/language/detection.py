"""Which language a text is written in."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, Protocol

from hoptrail.core.language.scripts import is_latin
from hoptrail.core.language.stop_words import english_name, stop_words
from hoptrail.core.text import STOP_WORDS

ENGLISH = "en"
UNKNOWN = "und"
"""The code of ISO 639-2 for a language that cannot be told."""

# Their common words are told apart; other languages by CLD3 alone.
_BY_COMMON_WORDS = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "da", "sv", "nb")
_BY_COMMON_WORDS_OF_OTHER_SCRIPTS = ("ru", "uk", "bg", "sr", "el", "ar", "fa", "he", "ur")
# A short text is taken to be in no rarer language of the Latin script than these.
_OF_SHORT_TEXTS = frozenset((*_BY_COMMON_WORDS, "cs", "sk", "hu", "ro", "tr", "fi", "hr"))
_LONG = 200  # characters from which CLD3 is right alone
_READ = 2000
_ENOUGH_WORDS = 8
_FEWEST_SHOWN = 2  # different ones, longer than a unit such as "m"
_COMPARED = 300  # of each list, for a longer one would have more of any text
_WORD = re.compile(r"[^\W\d_]+")
_ONE_AT_A_TIME = Lock()  # CLD3 lets other threads run meanwhile, and does not promise to bear them


class _Guess(NamedTuple):
    language: str
    is_reliable: bool


class _Found(Protocol):
    language: str
    is_reliable: bool


class _Identifier(Protocol):
    def FindLanguage(self, text: str) -> _Found:  # noqa: N802 - CLD3's name
        ...


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language of a text, read to 2,000 characters.

    A long text, and one in other than Latin letters, is told by CLD3. A short one, such as a
    question, is English where no other language has more of its common words; else CLD3 decides
    where it is sure, and where it is not, the language with most of them.

    Source: Google's CLD3, a small neural network over the letters of a text.

    Returns:
        The code, `UNKNOWN` for a text without words or of other letters that CLD3 does not know.
    """
    return _language(text[:_READ])


@lru_cache(maxsize=512)
def _language(read: str) -> str:
    if not _WORD.search(read):
        return UNKNOWN
    if not is_latin(read):
        return _of_other_script(read)
    if _is_told_by_function_words(read):
        return ENGLISH
    if len(read) < _LONG:
        return _of_short_text(read)
    guess = _guess(read)
    return guess.language if guess.is_reliable else _of_short_text(read)


@lru_cache(maxsize=1)
def load_detector() -> None:
    """Read the lists that languages are told by, so that telling one reads no file later."""
    _common_words()
    _identifier()
    for code in (*_OF_SHORT_TEXTS, *_BY_COMMON_WORDS_OF_OTHER_SCRIPTS):
        stop_words(code)
        english_name(code)


def question_language(question: str) -> str:
    """Return the code of the language that a question is in: English where it cannot be told."""
    language = language_of(question)
    return ENGLISH if language == UNKNOWN else language


def shown_language(text: str, *, is_prose: bool = True) -> str | None:
    """Return the language of a text whose words show it, None where they are names and labels.

    How sure CLD3 is tells little of these: it is sure, by .93, that an English table of depots is
    Danish. Two common words of a language or more show it, more than of English. A sentence has
    three of them, each of the 60 documents in the Latin script of `benchmarks/languages` ten or
    more, English tables that were taken for another language one at most.

    Args:
        text: The text, of which 2,000 characters are read.
        is_prose: Whether it is made of sentences: then CLD3 alone decides where a language has no
            list of common words.

    Returns:
        The ISO 639-1 code, `UNKNOWN` for a text without words.
    """
    language = language_of(text)
    read = text[:_READ]
    if language == UNKNOWN or not is_latin(read):
        return language
    words = {word for word in _without_names(read).split() if len(word) > 1}
    lists, _ = _common_words()
    known = lists.get(language) or stop_words(language, _COMPARED)
    own, english = len(words & known), len(words & STOP_WORDS)
    is_shown = own >= _FEWEST_SHOWN and (language == ENGLISH or own > english)
    return language if is_shown or (is_prose and not known) else None


def is_english(text: str) -> bool:
    """Return whether a text is read by the rules for English: no other language is told for it."""
    return question_language(text) == ENGLISH


def _of_short_text(text: str) -> str:
    shares = _shares_of_common_words(text)
    best = max(shares, key=lambda code: (round(shares[code], 6), code == ENGLISH))
    guess = _guess(text)
    if best == ENGLISH and shares[best]:
        is_level = guess.is_reliable and shares.get(guess.language) == shares[best]
        is_other = is_level and "?" in text and not _reads_as_english(text)
        return guess.language if is_other else ENGLISH
    if guess.language == ENGLISH and shares[ENGLISH]:
        return ENGLISH
    is_likely = guess.is_reliable or shares.get(guess.language, 0.0) == shares[best]
    is_shown = shares.get(guess.language, 0.0) > 0 or _shows(text, guess.language, best)
    if guess.language in _OF_SHORT_TEXTS and is_likely and is_shown:
        return guess.language
    return best if shares[best] else ENGLISH


def _is_told_by_function_words(text: str) -> bool:
    """Return whether more than a quarter of eight words or more are English function words.

    So an English text full of foreign names stays English.
    """
    words = _without_names(text).split()
    return len(words) >= _ENOUGH_WORDS and 4 * sum(map(STOP_WORDS.__contains__, words)) > len(words)


def _reads_as_english(text: str) -> bool:
    """Return whether more than half of the words, bar names, are English function words."""
    words = _without_names(text).split()
    return 2 * sum(word in STOP_WORDS for word in words) > len(words)


def _shows(text: str, language: str, other: str) -> bool:
    """Return whether more than the letters of names tells of a language, rather than of another.

    "Zanzibar Steelworks" has no common word of any, and is no question either.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    own, others = (sum(word in stop_words(code) for word in words) for code in (language, other))
    return own >= others and (own > 0 or not text.isascii() or "?" in text)


def _of_other_script(text: str) -> str:
    """Return what CLD3 says; of a few letters the common words of their script tell more."""
    guess = _guess(text).language
    is_latin_one = guess in _OF_SHORT_TEXTS
    is_doubtful = is_latin_one or guess in _BY_COMMON_WORDS_OF_OTHER_SCRIPTS
    if len(text) >= _LONG or not is_doubtful:
        return guess
    words = [word.lower() for word in _WORD.findall(text)]
    counts = {
        code: sum(word in stop_words(code) for word in words)
        for code in _BY_COMMON_WORDS_OF_OTHER_SCRIPTS
    }
    best = max(counts, key=lambda code: (counts[code], code == guess))
    if counts[best]:
        return best
    return UNKNOWN if is_latin_one else guess


def _shares_of_common_words(text: str) -> dict[str, float]:
    """Return by language how many of the words are common in it; shared ones count in parts."""
    words = _without_names(text).split()
    lists, shared_by = _common_words()
    return {
        code: sum(1 / shared_by[word] for word in words if word in common)
        for code, common in lists.items()
    }


def _without_names(text: str) -> str:
    """Return the words, lower-cased, but for those with a capital inside the text.

    They may be names in another language.
    """
    found = _WORD.findall(text)
    return " ".join(word.lower() for at, word in enumerate(found) if at == 0 or word[0].islower())


@lru_cache(maxsize=1)
def _common_words() -> tuple[dict[str, frozenset[str]], Counter[str]]:
    lists = {code: stop_words(code, _COMPARED) for code in _BY_COMMON_WORDS}
    lists[ENGLISH] |= STOP_WORDS  # jusText's lists come from web pages, which ask few questions
    return lists, Counter(word for common in lists.values() for word in common)


def _guess(text: str) -> _Guess:
    """Return what CLD3 takes a text for; where it is not installed, nothing is sure."""
    identifier = _identifier()
    if identifier is None:
        return _Guess(UNKNOWN, False)
    whole = text.encode(errors="replace").decode()  # halves of characters are no text for it
    with _ONE_AT_A_TIME:
        found = identifier.FindLanguage(text=whole)
    code = found.language.partition("-")[0]
    return _Guess({"no": "nb", "iw": "he"}.get(code, code), found.is_reliable)


@lru_cache(maxsize=1)
def _identifier() -> _Identifier | None:
    try:
        from gcld3 import NNetLanguageIdentifier
    except ImportError:  # no wheel for this machine: the common words decide
        return None
    identifier: _Identifier = NNetLanguageIdentifier(0, _READ)
    return identifier
