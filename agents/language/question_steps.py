"""Take a question apart into steps, from the entity that it names outward, by its wording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.language.answer_types import AnswerType, focus_of, singular, type_of_noun
from hoptrail.agents.language.mentions import Mention
from hoptrail.core.text import STOP_WORDS

MAX_STEPS = 4

_E = r"⟦\d⟧"
_WORD = r"[^\W\d_][\w'’-]*"
_NOT_NOUN = (
    r"(?!(?:the|a|an|is|are|was|were|be|been|do|does|did|has|have|had|of|in|on|at|by|for|from|to|"
    r"with|that|who|whom|which|what|where|when|whose|and|or|how|as|than|into|during|after|"
    r"before)\b)"
)
_NP = rf"(?<!\w)(?:{_NOT_NOUN}{_WORD}\s+){{0,4}}{_NOT_NOUN}{_WORD}"
_OWNED = (
    rf"(?:{_NOT_NOUN}{_WORD}\s+){{0,3}}?{_NOT_NOUN}{_WORD}"
    r"(?=\s+(?:\w+ed|is|are|was|were|do|does|did|has|have|had|of|in|on|at|by|for|from|to|with|that|"
    r"who|whom|which|where|when|and|or|born|won|wrote|made|began|led|held|play|live|attend|die|"
    r"come|join|win|study|work|lie)\b|['’]s|\s*[,?.;]|\s*$)"
)
_DET = r"(?:the|an?|its|one\s+of\s+the)\s+"
_LABEL = rf"(?:(?:the|an?)\s+)?(?:{_NOT_NOUN}[a-z][\w'-]*\s+){{0,2}}"
_VERBS = rf"(?:{_WORD}\s+){{1,4}}?(?:the\s+)?(?:{_NOT_NOUN}[a-z][\w'-]*\s+){{0,2}}"
_AUX = r"(?:is|are|was|were|has|have|had|did|does|do)\s+"
_TAIL = (
    rf"(?:\s+{_AUX}(?:also\s+|first\s+|located\s+)?(?:{_NOT_NOUN}{_WORD})?"
    rf"|\s+{_NOT_NOUN}{_WORD})(?:\s+(?:in|at|from|to|by|with|of|on|for|into)(?=[\s,?.]|$)(?!\s+(?:the|an?|⟦)))?"
)

# "of" inside these would be taken for a relation to the thing after the next "of".
_FIXED_PHRASES = (
    (re.compile(r"\b(?:places?|city|town)\s+of\s+birth\b", re.IGNORECASE), "birthplace"),
    (re.compile(r"\b(?:places?|city|town)\s+of\s+death\b", re.IGNORECASE), "deathplace"),
    (re.compile(r"\bdates?\s+of\s+birth\b", re.IGNORECASE), "birthdate"),
    (re.compile(r"\bdates?\s+of\s+death\b", re.IGNORECASE), "deathdate"),
    (re.compile(r"\bcauses?\s+of\s+death\b", re.IGNORECASE), "cause"),
    (re.compile(r"\bcountry\s+of\s+(?:origin|citizenship)\b", re.IGNORECASE), "country"),
)
_EMPTY_NOUNS = frozenset({"name", "names", "title", "kind", "type", "sort", "instance"})

_REDUCTIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_E}['’]s?\s+(?P<np>{_OWNED})",
        rf"(?:{_DET})?(?P<np>{_NP})\s+of\s+{_LABEL}{_E}",
        rf"(?:{_DET})(?P<np>{_NP})\s+(?:that|which|who)\s+(?P<verb>{_VERBS}){_LABEL}{_E}",
        rf"(?:{_DET})(?P<np>{_NP}),?\s+(?:(?:in|at|on|from|to|for|by|with)\s+)?"
        rf"(?:where|that|which|whom|when)\s+(?:the\s+)?{_LABEL}{_E}(?P<verb>{_TAIL})",
        rf"(?:{_DET})(?P<np>{_NP})\s+{_LABEL}{_E}(?P<verb>\s+(?:is|was|are|were)\s+{_WORD}"
        r"(?:\s+(?:in|at|from|to|by|with|of|on))?(?=[\s,?.]|$))",
        rf"(?:{_DET})(?P<np>{_NP})\s+(?P<verb>[a-z]+(?:ed|ing|wn|nt|en)\s+"
        rf"(?:by|in|at|for|from|to|after|with|on|as)?\s*){_LABEL}{_E}",
        rf"(?:{_DET})(?P<np>{_NP})\s+(?P<verb>(?:in|at|on|from|for|by|with|near|behind)\s+)"
        rf"{_LABEL}{_E}",
    )
)


@dataclass(frozen=True, slots=True)
class QuestionStep:
    """One hop: what relates the thing known so far to the thing that this step finds.

    `text` is the piece of the question, with `{}` for the thing known; `noun` names the kind of
    thing sought.
    """

    text: str
    noun: str
    answer_type: AnswerType

    def phrase(self, known: str) -> str:
        """Return the step in words about a known thing."""
        return " ".join(self.text.replace("{}", known).split())

    @property
    def wording(self) -> str:
        """The step's words without the thing known."""
        return self.text.replace("{}", " ")

    @property
    def kind_noun(self) -> str:
        """The noun where it says what the thing sought is, else nothing."""
        return self.noun if self.asks_for_kind else ""

    @property
    def asks_for_kind(self) -> bool:
        """Whether the noun says what the thing sought is ("which river"), not how it is related.

        "The capital of {}" and "{}'s capital" relate, "the river that crosses {}" does not.
        """
        relates = rf"\b{re.escape(self.noun)}\w*\s+of\b|['’]s?\s+(?:\w+\s+)*{re.escape(self.noun)}"
        return bool(self.noun) and re.search(relates, self.text, re.IGNORECASE) is None


def steps_from(
    question: str, anchor: Mention, others: Sequence[Mention] = ()
) -> tuple[QuestionStep, ...]:
    """Return the steps from one entity of the question to what is asked for, at most `MAX_STEPS`.

    "Where was the director of Red Fern born?" from Red Fern: the director of {}; where was {} born.
    Other entities keep their place as words. A wording that fits no pattern is one step.
    """
    text, names = _mask(question, anchor, others)
    steps: list[QuestionStep] = []
    current = 0
    while len(steps) < MAX_STEPS - 1:
        match = _innermost(text, current)
        if match is None:
            break
        noun = singular(match["np"].split()[-1].lower())
        steps.append(
            QuestionStep(
                _unmask(match.group(), current, names), noun, type_of_noun(noun) or "other"
            )
        )
        current += 1
        text = f"{text[: match.start()]}⟦{current}⟧{text[match.end() :]}"
    final = _unmask(text, current, names)
    focus = focus_of(re.sub(r"\{\}(?:['’]s?\b)?", "", final))
    return (*steps, QuestionStep(final, singular(focus.noun), focus.answer_type))


def open_steps(
    question: str, anchor: Mention, others: Sequence[Mention] = ()
) -> tuple[QuestionStep, ...]:
    """Return two steps that both carry all words: for wordings that no pattern takes apart."""
    text, names = _mask(question, anchor, others)
    whole = _unmask(text, 0, names)
    focus = focus_of(re.sub(r"\{\}(?:['’]s?\b)?", "", whole))
    return (
        QuestionStep(whole, "", "other"),
        QuestionStep(whole, singular(focus.noun), focus.answer_type),
    )


def _mask(question: str, anchor: Mention, others: Sequence[Mention]) -> tuple[str, dict[str, str]]:
    names: dict[str, str] = {}
    spans = sorted([anchor, *others], key=lambda mention: -mention.start)
    text = question
    for number, mention in enumerate(spans):
        mark = "⟦0⟧" if mention is anchor else f"⟪{chr(97 + number)}⟫"
        names[mark] = mention.text
        text = text[: mention.start] + mark + text[mention.end :]
    for pattern, word in _FIXED_PHRASES:
        text = pattern.sub(word, text)
    return text, names


def _unmask(text: str, current: int, names: dict[str, str]) -> str:
    text = text.replace(f"⟦{current}⟧", "{}")
    for mark, name in names.items():
        text = text.replace(mark, name)
    return text.strip(" ,")


def _innermost(text: str, current: int) -> re.Match[str] | None:
    for pattern in _REDUCTIONS:
        for match in pattern.finditer(text):
            if f"⟦{current}⟧" in match.group() and _is_reducible(text, match):
                return match
    return None


def _is_reducible(text: str, match: re.Match[str]) -> bool:
    """Return whether something is left to ask once the matched part is known."""
    rest = text[: match.start()] + text[match.end() :]
    before = text[: match.start()].rstrip().lower()
    if before.endswith(("which", "what", "how many", "how much")):
        return False
    if match["np"].split()[-1].lower() in _EMPTY_NOUNS:
        return False
    words = [word.lower() for word in re.findall(_WORD, rest)]
    return any(word not in STOP_WORDS and word not in {"name"} for word in words)
