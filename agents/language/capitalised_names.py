"""Find the proper names that a question or sentence spells with a capital letter."""

from __future__ import annotations

import re
from functools import lru_cache

from hoptrail.agents.language.common_words import is_common, names_nothing_alone
from hoptrail.agents.language.name_shapes import POSSESSED
from hoptrail.core.text import STOP_WORDS

_QUOTED = re.compile(r"[\"“«]([^\"“”«»]{2,80})[\"”»]")
_WORD = re.compile(r"[^\W_][\w.&'’-]*[\w.]|[^\W_]")
_ENDS_NAME = re.compile(r"['’]s$|^\d.*\.$")
_POSSESSED = re.compile(POSSESSED)
_CONNECTORS = frozenset("of the and de la le du der van von da di del el al bin ibn for &".split())
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:m|ve|ll|d|re))$", re.IGNORECASE)
_TALK = frozenset(
    """absolutely awesome congrats cool definitely great haha hello hey hi keep lol nice nope oh ok
    okay sorry sure thanks totally welcome wow yeah yep yes yup""".split()
)
_BEFORE_NUMBERS = frozenset({"of", "&"})  # "Act of 1834"
_QUESTION_OPENERS = frozenset(
    """who whom whose what which when where why how name list tell give find identify is are was
    were do does did has have had can could will would should in on at of from to by for with the
    a an and or but if as during after before between among both either since until about not
    also so then now please""".split()
)
_ASKS_LEAVE = re.compile(r"May (?:I|we|you|he|she|it|they|one|the|an?|my|our|your)\b")
"""The verb that a question begins with, which is no month: "May I bring a dog?"."""


def proper_names(text: str) -> list[str]:
    """Return quoted titles and capitalised names in order of appearance, each once.

    "University of Paris" is one name; the capital of a sentence's first word counts only where the
    word is no ordinary opener of a question.
    """
    found: list[tuple[int, str]] = [
        (match.start(1), match.group(1)) for match in _QUOTED.finditer(text)
    ]
    quoted = [(match.start(), match.end()) for match in _QUOTED.finditer(text)]
    for start, end in capitalised_spans(text):
        if not any(left <= start < right for left, right in quoted):
            found.append((start, text[start:end]))
    return list(dict.fromkeys(name for _, name in sorted(found)))


@lru_cache(maxsize=16384)
def capitalised_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return `(start, end)` of each capitalised name in a text."""
    spans: list[tuple[int, int]] = []
    tokens = list(_WORD.finditer(text))
    place = 0
    while place < len(tokens):
        if not _opens_name(text, tokens[place]):
            place += 1
            continue
        last = _extend(text, tokens, place)
        if last == place and _opens_sentence_alone(text, tokens[place]):
            place += 1
            continue
        spans.append((tokens[place].start(), _without_possessive(text, tokens[last])))
        place = last + 1
    return tuple(spans)


def _extend(text: str, tokens: list[re.Match[str]], first: int) -> int:
    last = first
    place = first + 1
    while place < len(tokens):
        between = text[tokens[place - 1].end() : tokens[place].start()]
        if not _joined(between, tokens[place - 1].group()):
            break
        word = tokens[place].group()
        if _ENDS_NAME.search(tokens[place - 1].group()) and not _POSSESSED.fullmatch(
            word.rstrip(".")
        ):
            break  # "a Corbel 24. Radio microphones are ..."
        if _is_name_word(word):
            if word[0].isdigit() and tokens[place - 1].group() in _CONNECTORS - _BEFORE_NUMBERS:
                break  # "Hallam & Sons for 412 pounds"
            last = place
        elif word not in _CONNECTORS or place - last > 2:
            break
        place += 1
    return last


def _joined(between: str, before: str) -> bool:
    """Return whether two words may be of one name: "Farmers' Market", but "Dickens' London"."""
    if between in {"' ", "’ "}:
        return before.endswith("s") and is_common(before)
    return between in {" ", " - ", "-", " & ", ""}


def _opens_name(text: str, token: re.Match[str]) -> bool:
    word = token.group()
    if not text[: token.start()].strip() and _ASKS_LEAVE.match(text, token.start()):
        return False
    if not _is_name_word(word) or not word[0].isupper() or _CONTRACTION.search(word):
        return False
    if not _starts_sentence(text, token.start()):
        return word.lower() not in STOP_WORDS
    bare = re.sub(r"['’]s$", "", word.lower())
    return bare not in _QUESTION_OPENERS and bare not in STOP_WORDS and bare not in _TALK


def _opens_sentence_alone(text: str, token: re.Match[str]) -> bool:
    """Return whether a single word has its capital for its place alone: "Similar to that, ..."."""
    word = token.group()
    is_plain = word[1:].islower()
    return is_plain and _starts_sentence(text, token.start()) and names_nothing_alone(word)


def _is_name_word(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit() or bool(re.match(r"[a-z]['’]?[A-Z]", word))


def _starts_sentence(text: str, start: int) -> bool:
    place = start
    while place > 0 and text[place - 1] in " \"'“”‘’(":
        place -= 1
    return place == 0 or text[place - 1] in ".!?:…"


def _without_possessive(text: str, token: re.Match[str]) -> int:
    trimmed = re.sub(r"['’]s?$|\.$", "", token.group())
    if re.search(r"\b[A-Z]\.$|\b(?:Jr|Sr|St)\.$", text[token.start() : token.end()]):
        return token.end()
    return token.start() + len(trimmed)
