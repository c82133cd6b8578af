"""Token counting that never downloads anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from hoptrail.core.letter_triples import LETTER_TRIPLES

TokenCounter = Callable[[str], int]

_WORD = re.compile(r"[A-Za-z]+")
# Patterns begin with what is rare: a search goes from one such character to the next at once.
_CAPITALISED = re.compile(r"[A-Z](?<=\b[A-Z])[a-z]{3,}")
_BEYOND_ONE_CAPITAL = re.compile(r"[A-Z](?<=[A-Za-z][A-Z])")
_NUMBER = re.compile(r"\d+")
_MARKS_TOGETHER = re.compile(r"[^\sA-Za-z\d]+")
_MARKS = re.compile(
    r"""([!-/:-@\[-`{-~\u2010-\u2027]+)  # ASCII and typographic punctuation
    | ([^\sA-Za-z\d!-/:-@\[-`{-~]+)      # other scripts and symbols""",
    re.VERBOSE,
)
# Scripts whose letters the usual vocabularies know: Greek to Arabic, and Devanagari.
_RARE_SYMBOLS = re.compile(r"[^ -~\u0370-\u06ff\u0900-\u097f]+")
_WIDE_SPACE = re.compile(r"\s\s+")
_ODD_SPACE = re.compile(r"[^\S \n\r\t]+")

# Least-squares weights against cl100k counts of English prose (novel, encyclopedia, chat).
_PER_WORD = 1.015
_PER_LETTER_BEYOND_SIX = 0.038
_PER_THREE_DIGITS = 1.285
_PER_PUNCTUATION_RUN = 1.26
_PER_OTHER_BYTE = 0.595
_PER_CAPITALISED_WORD = 0.2

# Weights of the floor, by linear programming: at least 0.76 of what the larger of two tokenizers
# (WordPiece of 30,000 and byte-level BPE of 49,000 entries) counts in each of 250 texts that are no
# English prose, and as little as that allows where they are.
_FLOOR_PER_WORD = 0.3
_FLOOR_PER_ODD_TRIPLE = 0.95
_FLOOR_PER_CAPITAL = 0.25
_FLOOR_PER_CHARACTER = 0.8  # digits and punctuation
_FLOOR_PER_RUN = 0.8
_FLOOR_PER_RARE_BYTE = 0.8
_FLOOR_PER_SPACE = 0.2
_FLOOR_PER_LINE_END = 0.8

_LONGEST_REMEMBERED = 32


def estimate_tokens(text: str) -> int:
    """Estimate the cl100k token count; within 10 % on passages of English prose.

    On other text, be it another language, code, numbers or noise, it errs on the high side, so that
    it is not below three quarters of what a tokenizer of 30,000 entries or more counts.
    """
    words = _WORD.findall(text)
    numbers = [len(number) for number in _NUMBER.findall(text)]
    marks = [mark for run in _MARKS_TOGETHER.findall(text) for mark in _marks_of(run)]
    return round(max(_of_prose(text, words, numbers, marks), _floor(text, words, numbers, marks)))


def _of_prose(
    text: str, words: Sequence[str], numbers: Sequence[int], marks: Sequence[tuple[str, str]]
) -> float:
    long_words = [len(word) - 6 for word in words if len(word) > 6]
    others = [len(other.encode(errors="replace")) for _, other in marks if other]
    return (
        _PER_CAPITALISED_WORD * len(_CAPITALISED.findall(text))
        + _PER_WORD * len(words)
        + _PER_LETTER_BEYOND_SIX * sum(long_words)
        + _PER_THREE_DIGITS * sum((digits + 2) // 3 for digits in numbers)
        + _PER_PUNCTUATION_RUN * (len(marks) - len(others))
        + _PER_OTHER_BYTE * sum(others)
    )


def _floor(
    text: str, words: Sequence[str], numbers: Sequence[int], marks: Sequence[tuple[str, str]]
) -> float:
    total = (
        _FLOOR_PER_WORD * len(words)
        + _FLOOR_PER_ODD_TRIPLE * _odd_triples(words)
        + _FLOOR_PER_CAPITAL * len(_BEYOND_ONE_CAPITAL.findall(text))
        + _FLOOR_PER_RUN * len(numbers)
        + _FLOOR_PER_CHARACTER * sum(numbers)
    )
    for punctuation, other in marks:
        if punctuation:
            total += _FLOOR_PER_CHARACTER * len(punctuation)
        else:
            rare = "".join(_RARE_SYMBOLS.findall(other))
            common = len(other.encode(errors="replace")) - len(rare.encode(errors="replace"))
            total += _FLOOR_PER_RARE_BYTE * len(rare.encode(errors="replace"))
            total += _PER_OTHER_BYTE * common + _FLOOR_PER_RUN
    return total + _floor_of_space(text)


def _floor_of_space(text: str) -> float:
    """Return what white space adds; what stands between two words or paragraphs is free."""
    total = 0.0
    for run in _WIDE_SPACE.findall(text):
        spaces = run.count(" ")
        total += _FLOOR_PER_SPACE * spaces + _FLOOR_PER_LINE_END * max(0, len(run) - spaces - 2)
    odd = "".join(_ODD_SPACE.findall(text))
    return total + _FLOOR_PER_CHARACTER * len(odd.encode())


def _find_marks(run: str) -> tuple[tuple[str, str], ...]:
    return tuple(_MARKS.findall(run))


_find_marks_of_short = lru_cache(maxsize=1 << 12)(_find_marks)


def _marks_of(run: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a run of marks, each of punctuation or of what is neither it nor word."""
    return _find_marks_of_short(run) if len(run) <= _LONGEST_REMEMBERED else _find_marks(run)


def _odd_triples(words: Sequence[str]) -> int:
    """Return how many triples of these words' letters English has seldom or never."""
    are_short = max(map(len, words), default=0) <= _LONGEST_REMEMBERED
    return sum(map(_odd_triples_of_word if are_short else _count_odd, words))


def _count_odd(word: str) -> int:
    bounded = f" {word.lower()} "
    triples = (bounded[start : start + 3] for start in range(len(word)))
    return sum(triple not in LETTER_TRIPLES for triple in triples)


_odd_triples_of_word = lru_cache(maxsize=1 << 16)(_count_odd)
