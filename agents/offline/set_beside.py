"""Give with an answer all that its sentence or its passage gives in the same place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import asks_which_several
from hoptrail.agents.language.clauses import Span, coordinated
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.reading.asked_value import AskedValue, asked_value
from hoptrail.agents.reading.values import find_values
from hoptrail.agents.verification.claim_ends import spans_of
from hoptrail.agents.verification.claim_matcher import find_support
from hoptrail.core.text import flat, name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS_WHO = re.compile(r"\W{0,3}(?:by\s|with\s|for\s)?whom?\s", re.IGNORECASE)
_AND = re.compile(r"\sand\s(?=[A-Z])")
_NUMBER = re.compile(r"\d+")
_FEWEST = 2
_FEWEST_WORDS = 3
_PERSON_FIT = 0.3
_THING_FIT = -0.4
# "By Ann Holt and Bo Reed built it": what follows begins another statement.
_VERB_BEHIND = re.compile(r"\s(?:is|are|was|were|has|have|had|[a-z]{2,20}ed)\b")


def with_those_beside(draft: Draft, question: str, index: EvidenceIndex) -> Draft:
    """Return an answer with all names that the text gives with it, where these are asked for.

    Those that its sentence lists with it, else those of which other sentences of its passage say
    the same. That is so for "who" and for "which films"; "which film" asks for one.

    Args:
        draft: An answer.
        question: The standalone question.
        index: The evidence.
    """
    is_asked = _ASKS_WHO.match(question) or asks_which_several(question)
    if not is_asked or len(draft.answers) != 1 or draft.derived or not draft.hops:
        return draft
    answer, last = draft.answers[0], draft.hops[-1]
    support = find_support(last, index)
    is_end = name_key(answer) in {name_key(last.subject), name_key(last.object)}
    if support.sentence is None or support.support != "stated" or not is_end:
        return draft
    members = _Members(answer, last, asked_value(question))
    if run := members.listed_in(support.sentence):
        text = support.sentence.text
        names = tuple(flat(text[start:end]) for start, end in run)
        claim = members.claim_of(flat(text[run[0][0] : run[-1][1]]))
        return replace(draft, answers=names, hops=(*draft.hops[:-1], claim))
    names = () if _NUMBER.search(question) else members.told_alike(support.sentence, index)
    if len(names) < _FEWEST:
        return draft
    hops = (*draft.hops[:-1], *map(members.claim_of, names))
    reserve = draft.reserve or PART
    return replace(draft, answers=names, hops=hops, reserve=reserve)


@dataclass(frozen=True, slots=True)
class _Members:
    """Looks for the names that a text gives with an answer, the end of a claim."""

    answer: str
    claim: HopClaim
    asked: AskedValue

    @property
    def _is_object(self) -> bool:
        return name_key(self.claim.object) == name_key(self.answer)

    def claim_of(self, name: str) -> HopClaim:
        """Return the claim with a name in place of the answer."""
        if self._is_object:
            return replace(self.claim, object=name)
        return replace(self.claim, subject=name)

    def listed_in(self, sentence: Sentence) -> list[Span]:
        """Return where a sentence has the names that it lists with the answer, none without."""
        text = sentence.text
        members = sorted(self._names_in(text))
        other = name_key(self.claim.subject if self._is_object else self.claim.object)
        for span in spans_of(self.answer, text):
            run = coordinated(text, span, members)
            is_other = any(name_key(text[start:end]) == other for start, end in run)
            goes_on = self._is_object and _VERB_BEHIND.match(text, run[-1][1])
            if len(run) >= _FEWEST and not is_other and not goes_on:
                return run
        return []

    def told_alike(self, sentence: Sentence, index: EvidenceIndex) -> tuple[str, ...]:
        """Return of whom the sentences of a passage say the same, word by word."""
        span = next(spans_of(self.answer, sentence.text), None)
        told = span and _around(sentence.text, span)
        if not told:
            return ()
        found = {
            flat(other.text[start:end]): None
            for other in index.sentences[sentence.chunk.id]
            for start, end in self._names_in(other.text)
            if _around(other.text, (start, end)) == told
        }
        return tuple(found)

    def _names_in(self, text: str) -> Iterator[Span]:
        """Yield the names that may be of the asked kind, those that "and" joins apart."""
        least = _PERSON_FIT if self.asked.answer_type == "person" else _THING_FIT
        for value in find_values(text):
            if value.kind != "name":
                continue
            start = value.start
            bounds = [match.span() for match in _AND.finditer(text, value.start, value.end)]
            for end, following in [*bounds, (value.end, value.end)]:
                part = replace(value, text=flat(text[start:end]), start=start, end=end)
                if self.asked.fit(part, text, "") > least - 1e-5:
                    yield start, end
                start = following


def _around(text: str, span: Span) -> str:
    """Return what a sentence says of a name, as words: before it, else behind it where it opens.

    Empty where that are too few words.
    """
    told = _NUMBER.sub("", text[: span[0]]) or _NUMBER.sub("", text[span[1] :])
    place = "before" if span[0] else "behind"
    return f"{place} {name_key(told)}" if len(told.split()) >= _FEWEST_WORDS else ""
