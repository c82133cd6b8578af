"""Whether a sentence states a claim: subject, predicate and object in one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.verification.claim_ends import ClaimEnd, EndInSentence
from hoptrail.agents.verification.predicate_sense import PredicateSense, read_predicate
from hoptrail.agents.verification.role_reader import RoleReader
from hoptrail.agents.verification.statement_features import StatementSigns
from hoptrail.core.types import SupportState
from hoptrail.core.types.draft import HopClaim

_SEPARATED = re.compile(r"\s[|•·»>]\s|\t|\s{5,}|\n\s*(?:={3,}|-{3,})\s*$|^\s*\|")


def is_statement(text: str) -> bool:
    """Return whether a text can state anything: no question, heading, menu or table line."""
    return not (
        text.rstrip("\"'”’) ").endswith("?") or text.startswith("#") or _SEPARATED.search(text)
    )


def support_in(claim: HopClaim, sentence: Sentence, index: EvidenceIndex) -> SupportState:
    """Return what of a claim a sentence states; `ClaimReader` does it for many sentences."""
    return ClaimReader(claim, index).support(sentence)


class ClaimReader:
    """Reads sentences for one claim."""

    def __init__(self, claim: HopClaim, index: EvidenceIndex) -> None:
        self._subject = ClaimEnd(claim.subject, claim.object, index)
        self._object = ClaimEnd(claim.object, claim.subject, index)
        self._senses = read_predicate(claim.predicate)

    def support(self, sentence: Sentence) -> SupportState:
        """Return what of the claim a sentence states.

        "stated": it has both ends, in the roles that the claim gives them, and says the predicate
        of them without denying it. "partly": it has both ends. "none": it lacks one.
        """
        subject, object_ = self._subject.find(sentence), self._object.find(sentence)
        if not (subject.is_present and object_.is_present and (subject.spans or object_.spans)):
            return "none"
        if not is_statement(sentence.text) or subject.is_value and not object_.is_value:
            return "partly"
        return "stated" if self.score(sentence, subject, object_) > 0 else "partly"

    def score(self, sentence, subject, object_) -> float:
        grammar = SentenceGrammar(sentence.text, (*subject.spans, *object_.spans))
        best = -9.0
        for sense in self._senses:
            reader = RoleReader(grammar, subject, object_, sense)
            if reader.is_life_date():
                return 9.0
            if not reader.has_predicate():
                continue
            for t in reader.triggers():
                if reader.is_denied(t) != sense.is_denial:
                    continue
                if reader.is_proven(t):
                    return 5.0
        return best

    def rows(self, sentence: Sentence) -> list[list[float]]:
        subject, object_ = self._subject.find(sentence), self._object.find(sentence)
        if not (subject.is_present and object_.is_present and (subject.spans or object_.spans)):
            return []
        if not is_statement(sentence.text) or subject.is_value and not object_.is_value:
            return []
        grammar = SentenceGrammar(sentence.text, (*subject.spans, *object_.spans))
        out = []
        for sense in self._senses:
            reader = RoleReader(grammar, subject, object_, sense)
            if not reader.has_predicate():
                continue
            signs = StatementSigns(grammar, subject, object_, sense)
            for t in reader.triggers():
                if reader.is_denied(t) != sense.is_denial:
                    continue
                out += signs.rows(t)
        return out
