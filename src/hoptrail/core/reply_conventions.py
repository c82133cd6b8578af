"""How replies mark their answer, and the ways in which they say that there is none."""

from __future__ import annotations

import re

from hoptrail.core.language.detection import ENGLISH, question_language
from hoptrail.core.language.messages import worded

FINAL_MARKER = "FINAL ANSWER:"
"""The words that prompts ask models to write before the answer."""

FINAL_PATTERN = re.compile(r"final\s++answer[*_`\"“”\s]*+[:：]", re.IGNORECASE)
"""The marker as models spell it."""

UNKNOWN_ANSWER = "I don't know"
"""The words that prompts ask models to answer with where the evidence lacks the answer."""

UNKNOWN_IN_WORDS = "I don't know."
"""The message with which abstentions begin in other languages."""

PERHAPS_MARK = "hoptrail_perhaps"
"""Field of a conversation's message that tells that its answer was given with reserve."""

STANDALONE_MARK = "hoptrail_standalone"
"""Field of a conversation's message that tells how the question of its answer was understood."""

TRAIL_MARK = "hoptrail_trail"
"""Field of a conversation's message with what the steps of its answer name, the last step first."""

UNLIKELY_WORDS = 'The likeliest words there, "{words}", are more likely wrong than right.'
"""The sentence of an abstention that tells the words that were found and are not given."""

LONGEST_ANSWER = 400
"""Characters of one answer; a longer one is none. An abstention shows in as many."""

_UNKNOWN = re.compile(r"\W*(?:i|we)\s+(?:do\s+not|don[’']?t)\s+know\b", re.IGNORECASE)
_UNKNOWN_ALONE = re.compile(rf"{_UNKNOWN.pattern}\W*", re.IGNORECASE)
_ABSTENTION = re.compile(
    r"""^\W*+(?:
    (?:sorry\W+)?(?:i|we)\s+(?:really\s+|simply\s+)?(?:do\s+not|don[’']?t|can\s*not|can[’']?t|
        could\s+not|couldn[’']?t|am\s+not|[’']m\s+not|am\s+unable|have\s+no)\b.*
    |(?:it|this|that|the\s+answer|the\s+information|there)\s+(?:is|are|was|does|can|could)\s*
        (?:not|n[’']t|no)\b.*
    |(?:unknown|unresolved|none|null|n/?a|no\s+answer|undetermined|unanswerable|idk)\W*
    |(?:not|cannot\s+be|can[’']t\s+be|could\s+not\s+be)\s+(?:enough|found|known|given|in|stated|
        mentioned|specified|provided|available|determined|answered|possible)\b.*
    |(?:insufficient|no\s++(?:relevant\s++|sufficient\s++)?)\s*+(?:information|evidence|context|data)\b.*
    |the\s+(?:evidence|context|passages?|text|documents?)\s+(?:does|do|did|is|has)\s*
        (?:not|n[’']t|no)\b.*
    |je\s+ne\s+sais\s+pas.*|ich\s+weiß\s+(?:es\s+)?nicht.*|no\s+(?:lo\s+)?sé.*|não\s+sei.*
    |non\s+lo\s+so.*|(?:我)?不知道.*|わかりません.*|分かりません.*|не\s+знаю.*|я\s+не\s+знаю.*
    )$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_UNBOUND = re.compile(
    r"^[^\w?]*+(?:unresolved|unknown|unbound|none|null|n/?a|missing|undefined|"
    r"(?:is\s+)?not\s+(?:found|known|in|given|stated|mentioned|specified|provided|available)\b.*|"
    r"no\s+(?:binding|match|value|information)\b.*|\?++\w*|"
    # As prompts spell it, with what a model adds: "UNKNOWN (no passage names him)".
    r"(?-i:UNKNOWN|UNRESOLVED)\s{0,3}[(\[|,;:–—-].*)\W*$",
    re.IGNORECASE,
)


def is_abstention(answer: str) -> bool:
    """Return whether an answer, or its beginning, says in a common way that there is none."""
    shown = answer.strip()[:LONGEST_ANSWER]
    if not re.search(r"\w", answer) or _ABSTENTION.match(shown):
        return True
    language = question_language(shown)
    return language != ENGLISH and shown.startswith(
        worded(UNKNOWN_IN_WORDS, language).rstrip(".。")
    )


def unlikely_words(abstention: str) -> str:
    """Return the words that an abstention tells and does not give, nothing where it has none."""
    begins, ends = UNLIKELY_WORDS.split("{words}")
    _, is_told, rest = abstention.partition(begins)
    return rest.partition(ends)[0] if is_told else ""


def opens_with_unknown(text: str) -> bool:
    """Return whether a text opens as prompts ask for where the answer is lacking."""
    return _UNKNOWN.match(text) is not None


def is_unknown_alone(text: str) -> bool:
    """Return whether a text says that the answer is not known, and nothing else."""
    return _UNKNOWN_ALONE.fullmatch(text) is not None


def is_unbound(value: str) -> bool:
    """Return whether the value of a variable in a trace says that there is none."""
    return not re.search(r"\w", value) or _UNBOUND.match(value) is not None
