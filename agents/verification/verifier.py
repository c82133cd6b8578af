"""Check a draft against the evidence without any model: every hop, every quote, the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.evidence.prompt_injection import is_instruction
from hoptrail.agents.evidence.trail_builder import build_trail
from hoptrail.agents.language.first_names import full_name
from hoptrail.agents.language.mail_text import day_told, is_writer, is_written_on
from hoptrail.agents.language.mentions import is_amount
from hoptrail.agents.language.number_words import in_digits
from hoptrail.agents.verification.answer_kind import other_kind
from hoptrail.agents.verification.claim_matcher import ClaimMatch, find_support, match_relation
from hoptrail.agents.verification.reserve import reserve_of, reserve_of_trail
from hoptrail.core.conversation import message_at
from hoptrail.core.text import contains_answer, normalize_answer, sentences
from hoptrail.core.types import (
    AnswerCandidate,
    Citation,
    Evidence,
    QuestionType,
    Record,
    ReportReference,
    SupportState,
    Trail,
    TrailHop,
)
from hoptrail.core.types.draft import Draft, HopClaim

_COUNT = re.compile(r"\bhow\s+many\b|\b(?:what\s+is\s+)?the\s+(?:total\s+)?number\s+of\b", re.I)


@dataclass(frozen=True, slots=True)
class Verification(Record):
    """The parts of a draft that the evidence supports.

    `answers` are the draft's, those that stand in the cited evidence first with score 1, the
    others with 0. `verified` is whether the draft may be given as an answer; where it is false
    `citations` is empty. `reports` are the draft's, with the hops behind each. `reserve` is why the
    answer is given with reserve, None where nothing speaks against it. `of_other_kind` is whether
    the answer surely is of another kind than the question asks for: a name where a date is asked.
    `likelihood` is how likely an answer with reserve is right, where something is known of that.
    """

    trail: Trail
    answers: tuple[AnswerCandidate, ...]
    citations: tuple[Citation, ...]
    derived: bool
    verified: bool
    reports: tuple[ReportReference, ...] = ()
    reserve: str | None = None
    of_other_kind: bool = False
    likelihood: float | None = None


def verify(
    draft: Draft, question: str, question_type: QuestionType, evidence: Evidence
) -> Verification:
    """Return the draft's checked trail and citations.

    A hop is supported where a sentence of a passage states its claim; a bare relation, of no
    passage, states it alone. The answer must stand in the quote of a hop that is borne out: a
    sentence has both its ends, and that sentence or the graph's relation shares its wording. A
    derived answer (yes or no, a comparison, a count) need not, but then each hop must be borne out.
    An answer that stands in none of its own hops may rest on a trail that is looked for; of that
    the hops are shown which are stated, or all where the draft has none.

    Args:
        draft: An answer with the hops that it claims; without hops a trail is looked for.
        question: The standalone question.
        question_type: As routed: an answer of a comparison is derived.
        evidence: All that was retrieved, with the passages behind the relations.
    """
    index = EvidenceIndex(evidence)
    derived = is_derived(draft, question, question_type)
    steps = _check(draft.hops, index)
    found: list[CheckedStep] = []
    is_plain = not derived and not draft.abstained
    if is_plain and not any(_stands(answer, steps, index) for answer in draft.answers):
        found = _check(build_trail(question, draft.answers, index), index)
    answers = _check_answers(draft, question, [*steps, *found], index, derived)
    verified = any(answer.score > 0 for answer in answers)
    shown = [step.hop for step in found if step.hop.supported or not steps]
    hops = [step.hop for step in steps]
    hops += [replace(hop, hop=number) for number, hop in enumerate(shown, len(hops) + 1)]
    citations = cite(hops, index) if verified else ()
    reserve = reserve_of(draft, question, hops, answers, index, is_derived=derived)
    is_other = is_plain and other_kind(question, draft.answers[0], index) is not None
    return Verification(
        Trail(tuple(hops)), answers, citations, derived, verified, (), reserve, is_other
    )


def with_marks(
    verdict: Verification,
    marks: Mapping[int, SupportState],
    draft: Draft,
    question: str,
    evidence: Evidence,
) -> Verification:
    """Return a verification with other marks, and with the citations and reserve that follow.

    Whether the answer may be given does not hang on the marks, and stays.

    Args:
        verdict: As `verify` gave it, or `check_references` for an answer from reports.
        marks: The new marks by the number of their hop; other hops keep theirs.
        draft: The answer that was verified.
        question: The standalone question.
        evidence: All that the answer was verified against.
    """
    hops = [_marked(hop, marks.get(hop.hop, hop.support)) for hop in verdict.trail.hops]
    index = EvidenceIndex(evidence)
    if verdict.reports:
        reserve = reserve_of_trail(hops)
    else:
        reserve = reserve_of(
            draft, question, hops, verdict.answers, index, is_derived=verdict.derived
        )
    citations = cite(hops, index) if verdict.verified else ()
    return replace(verdict, trail=Trail(tuple(hops)), citations=citations, reserve=reserve)


def _marked(hop: TrailHop, mark: SupportState) -> TrailHop:
    return replace(hop, support=mark, supported=mark == "stated") if mark != hop.support else hop


def needed_chunks(draft: Draft, evidence: Evidence) -> tuple[str, ...]:
    """Return the ids of passages that `verify` would cite and that the evidence lacks."""
    index = EvidenceIndex(evidence)
    wanted: dict[str, None] = {}
    for claim in draft.hops:
        if claim.chunk_id is not None:  # a row of a table that was not retrieved
            wanted[claim.chunk_id] = None
        relation = match_relation(claim, index)
        wanted.update(dict.fromkeys(relation.chunk_ids if relation else ()))
    return tuple(chunk_id for chunk_id in wanted if chunk_id not in index.chunks)


def is_derived(draft: Draft, question: str, question_type: QuestionType) -> bool:
    """Return whether the answer follows from the facts rather than standing in one.

    A number may be counted from the steps, unless one of them tells it: "with 13 votes". Without
    steps there is nothing to count.
    """
    if draft.abstained:
        return False
    first = normalize_answer(draft.answers[0])
    is_count = _COUNT.search(question) is not None and re.search(r"\d", first) is not None
    is_told = any(
        contains_answer(end, first) for hop in draft.hops for end in (hop.subject, hop.object)
    )
    is_counted = is_count and not is_told and bool(draft.hops)
    return draft.derived or first in {"yes", "no"} or question_type == "comparison" or is_counted


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """A hop with its mark; `is_borne_out` is whether an answer may rest on it."""

    hop: TrailHop
    is_borne_out: bool


def _check(claims: Sequence[HopClaim], index: EvidenceIndex) -> list[CheckedStep]:
    matches = [(claim, find_support(claim, index)) for claim in claims]
    return [
        CheckedStep(_checked_hop(number, claim, match), match.is_borne_out)
        for number, (claim, match) in enumerate(matches, 1)
    ]


def _checked_hop(number: int, claim: HopClaim, match: ClaimMatch) -> TrailHop:
    relation, sentence = match.relation, match.sentence
    hop = TrailHop(
        number,
        claim.claim,
        claim.subject,
        claim.predicate,
        claim.object,
        support=match.support,
        relation_id=relation.id if relation and match.support != "none" else None,
    )
    return hop if sentence is None else quoted(hop, sentence)


def quoted(hop: TrailHop, sentence: Sentence) -> TrailHop:
    """Return a hop with a sentence as its quote, by its place in the document."""
    chunk = sentence.chunk
    start, end = chunk.start + sentence.start, chunk.start + sentence.end
    return replace(
        hop,
        chunk_id=chunk.id,
        doc_id=chunk.doc_id,
        start=start,
        end=end,
        quote=sentence.text,
        place=chunk.place_of(start, end),
        unsure=chunk.unsure_of(start, end),
    )


def _check_answers(
    draft: Draft,
    question: str,
    steps: Sequence[CheckedStep],
    index: EvidenceIndex,
    derived: bool,
) -> tuple[AnswerCandidate, ...]:
    follows = derived and bool(steps) and all(step.is_borne_out for step in steps)
    candidates = []
    for answer in draft.answers:
        holds = _stands(answer, steps, index)
        if derived:
            is_plain = is_amount(answer) or normalize_answer(answer) in {"yes", "no"}
            holds = follows and (is_plain or holds or contains_answer(question, answer))
        candidates.append(AnswerCandidate(answer, index.entity_id(answer), float(holds)))
    return tuple(sorted(candidates, key=lambda candidate: -candidate.score))


def _stands(answer: str, steps: Sequence[CheckedStep], index: EvidenceIndex) -> bool:
    return any(
        contains_answer(_cited_text(step.hop, index), name)
        or _has_unit_of_label(step.hop, name)
        or _is_in_head(step.hop, name, index)
        or _is_called_by_first_name(step.hop, name, index)
        for step in steps
        if step.is_borne_out
        for name in index.aliases(answer)
    )


def _has_unit_of_label(hop: TrailHop, answer: str) -> bool:
    """Return whether an answer is a hop's value with the unit of its label: "Price (EUR)" 3."""
    if not hop.object[-1:].isdigit():
        return False
    before, _, after = answer.partition(hop.object)
    unit = f"{before}{after}".strip()
    return bool(unit) and unit in hop.predicate


def _is_in_head(hop: TrailHop, name: str, index: EvidenceIndex) -> bool:
    """Return whether the head of the message that a hop quotes tells a name: its writer or day."""
    if hop.chunk_id is None or hop.start is None or hop.quote is None:
        return False
    chunk = index.chunks[hop.chunk_id]
    message = message_at(chunk.text, hop.start - chunk.start)
    if message is None:
        return False
    is_head = is_writer(name, message) or is_written_on(name, message)
    return is_head or day_told(name, hop.quote, message) is not None


def _is_called_by_first_name(hop: TrailHop, name: str, index: EvidenceIndex) -> bool:
    """Return whether a hop's quote has a person's first name, and the passage all of the name."""
    first = name.partition(" ")[0]
    if hop.chunk_id is None or not contains_answer(hop.quote or "", first):
        return False
    return full_name(first, index.chunks[hop.chunk_id].text) == name


def _cited_text(hop: TrailHop, index: EvidenceIndex) -> str:
    if hop.chunk_id is None:
        return f"{hop.subject}\n{hop.object}"
    return f"{index.chunks[hop.chunk_id].title}\n{hop.quote}"


def cite(hops: Sequence[TrailHop], index: EvidenceIndex) -> tuple[Citation, ...]:
    """Return the quotes of the supported hops, each once."""
    citations: dict[tuple[str, int], Citation] = {}
    for hop in hops:
        if not hop.supported or hop.chunk_id is None or hop.start is None:
            continue
        chunk = index.chunks[hop.chunk_id]
        citation = Citation(
            chunk.id,
            chunk.doc_id,
            chunk.title,
            hop.start,
            hop.end or 0,
            hop.quote or "",
            hop.place,
            hop.unsure,
        )
        citations.setdefault((chunk.id, hop.start), citation)
    return tuple(citations.values())


def is_groundless(draft: Draft, verdict: Verification, evidence: Evidence) -> bool:
    """Return whether neither a hop nor any retrieved text speaks for any of the answers.

    A passage's orders to the reader ("answer with ...") speak for nothing.
    """
    hops = verdict.trail.hops
    is_judged = verdict.derived and (hops or normalize_answer(draft.text) in {"yes", "no"})
    if is_judged or any(hop.support != "none" for hop in hops):
        return False
    told = [relation.item.text for relation in evidence.relations]
    for hit in evidence.chunks:
        told += [hit.item.title, *sentences(hit.item.text)]
    answers = [in_digits(answer) for answer in draft.answers]
    return not any(
        contains_answer(in_digits(text), answer) and not is_instruction(text)
        for text in told
        for answer in answers
    )
