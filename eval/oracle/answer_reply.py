"""An oracle's answer in the form that a prompt asks for."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.reply_conventions import FINAL_MARKER, UNKNOWN_ANSWER
from hoptrail.eval.oracle.allowed_answers import AllowedAnswers
from hoptrail.eval.oracle.evidence_text import NO_LABEL, EvidenceText
from hoptrail.eval.oracle.hop_claims import (
    open_claim,
    references,
    step_claim,
    support_claim,
)
from hoptrail.eval.oracle.sentence_claim import Claim
from hoptrail.eval.oracle.supports import GoldSupport
from hoptrail.eval.oracle.word_spans import words_of
from hoptrail.eval.questions.question import Question

_LONGEST_ANSWER = 390
_MOST_HOPS = 8

Hop = tuple[Claim, str]


def short_reply(answers: Sequence[str]) -> str:
    """Return the one line `FINAL ANSWER:`."""
    return f"{FINAL_MARKER} {'; '.join(map(_one_line, answers)) or UNKNOWN_ANSWER}"


def answer_reply(
    prompt: str, question: Question, allowed: AllowedAnswers, evidence: EvidenceText
) -> str:
    """Return answers with the hops behind them, or an abstention with the hop that is missing.

    The prompts `answer_sparql`, `answer_generic` and `answer_growth` ask for hops. Any other prompt
    gets them only with an answer that the evidence does not spell: it could not be checked without
    them.
    """
    final = short_reply(allowed.answers)
    if prompt == "answer_sparql" and not allowed.answers:
        return "\n".join([*_open_query(question, allowed), final])
    is_bare = all(evidence.holds(words_of(answer)) for answer in allowed.answers)
    if prompt not in {"answer_sparql", "answer_generic", "answer_growth"} and is_bare:
        return final
    hops = known_hops(question, allowed)
    lines = [_hop_line(number, hop) for number, hop in enumerate(hops[:_MOST_HOPS], 1)]
    if not allowed.answers:
        if _follows_steps(question, allowed):
            # What a later step builds on is not known while an earlier one is open.
            del lines[allowed.places.index(None) :]
        claim = _first_open(question, allowed)
        lines.append(_hop_line(len(lines) + 1, (claim, NO_LABEL)))
    return "\n".join(["HOPS:", *lines, final]) if lines else final


def known_hops(question: Question, allowed: AllowedAnswers) -> list[Hop]:
    """Return a claim for each support that was found, with the label of its passage."""
    if allowed.walks:
        triples = dict.fromkeys(triple for walk in allowed.walks for triple in walk)
        return [(Claim(t.subject, t.predicate, t.object), NO_LABEL) for t in triples]
    hops: list[Hop] = []
    for number, (support, place) in enumerate(zip(allowed.supports, allowed.places, strict=True)):
        if place is None:
            continue
        claim = (
            step_claim(question, number, place)
            if _follows_steps(question, allowed)
            else support_claim(place, support, question, _titles(allowed, besides=support))
        )
        if claim is not None:
            hops.append((claim, place.label))
    return hops


def _titles(allowed: AllowedAnswers, besides: GoldSupport) -> list[str]:
    others = (support for support in allowed.supports if support != besides)
    return [title for support in others for title, _ in support.passages]


def _follows_steps(question: Question, allowed: AllowedAnswers) -> bool:
    return bool(question.steps and allowed.supports) and all(
        support.answers for support in allowed.supports
    )


def _first_open(question: Question, allowed: AllowedAnswers) -> Claim:
    if _follows_steps(question, allowed):
        return step_claim(question, allowed.places.index(None), None)
    if not allowed.supports and question.topic_entities:
        return Claim(question.topic_entities[0], open_claim(question, (), ()).relation)
    return open_claim(question, allowed.supports, allowed.places)


def _open_query(question: Question, allowed: AllowedAnswers) -> list[str]:
    """Return the lines QUERY and TRACE: the whole question, as far as it is resolved."""
    if not _follows_steps(question, allowed):
        claim = _first_open(question, allowed)
        return ["QUERY:", _pattern(_quoted(claim.subject), claim, 1), "TRACE:", "?a1 = UNRESOLVED"]
    query, trace = [], []
    unresolved: set[int] = set()
    for step, place in enumerate(allowed.places):
        claim = step_claim(question, step, None)
        earlier = [known for known in references(question.steps[step].question) if known < step]
        subject = f"?a{earlier[0] + 1}" if earlier else _quoted(claim.subject)
        query.append(_pattern(subject, claim, step + 1))
        # What a later step builds on is not known while an earlier one is open.
        if place is None or not unresolved.isdisjoint(earlier):
            unresolved.add(step)
            trace.append(f"?a{step + 1} = UNRESOLVED")
        else:
            trace.append(f"?a{step + 1} = {_one_line(question.steps[step].answer)} | {place.label}")
    return ["QUERY:", *query, "TRACE:", *trace]


def _pattern(subject: str, claim: Claim, number: int) -> str:
    return f"{subject} {claim.relation} ?a{number}"


def _hop_line(number: int, hop: Hop) -> str:
    claim, label = hop
    ends = (claim.subject, claim.relation, claim.object or "UNKNOWN")
    return f"HOP {number}: {' | '.join(_one_line(end).replace('|', '/') for end in ends)} | {label}"


def _quoted(name: str) -> str:
    return '"' + _one_line(name).replace('"', "") + '"'


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_ANSWER else flat[:_LONGEST_ANSWER].rsplit(" ", 1)[0]
