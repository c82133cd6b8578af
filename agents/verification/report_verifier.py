"""Resolve an answer's references to reports into relations and passages, without any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.graphrag.report_references import cited_numbers, without_references
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.verification.reserve import reserve_of_trail
from hoptrail.agents.verification.statement import is_statement, support_in
from hoptrail.agents.verification.verifier import CheckedStep, Verification, cite, quoted
from hoptrail.core.text import name_key
from hoptrail.core.types import (
    AnswerCandidate,
    Community,
    Evidence,
    Finding,
    Relation,
    ReportReference,
    SupportState,
    Trail,
    TrailHop,
)
from hoptrail.core.types.draft import Draft, HopClaim

MAX_HOPS_PER_REPORT = 3
_STATED = 0.5
_REPEATED = 0.8
_WORDS_FOR_FREE = 8


@dataclass(frozen=True, slots=True)
class _Source:
    """The source of a finding: a relation, the sentence of a passage, or both."""

    relation: Relation | None = None
    sentence: Sentence | None = None
    support: SupportState = "none"
    is_borne_out: bool = False


def check_references(draft: Draft, evidence: Evidence) -> Verification:
    """Return the trail behind an answer that cites reports: a hop for each finding it draws on.

    For each passage of the answer that cites a report, the report's finding that shares most of its
    wording is looked up, then the relation and the passage that this finding rests on. A hop is
    supported where its quote states the relation and has half of the finding's wording; of a
    finding without relations, where it has all of that wording; of a bare relation, always. The
    answer may be given where a passage names both ends of a relation, or has half of the wording.

    Args:
        draft: An answer with its references.
        evidence: The cited reports with the relations and passages behind their findings.
    """
    index = EvidenceIndex(evidence)
    reports = {hit.item.id: hit.item for hit in evidence.reports}
    said = list(_cited_claims(draft.text))
    steps: list[CheckedStep] = []
    references: list[ReportReference] = []
    for reference in draft.reports:
        claims = [claim for claim, numbers in said if reference.number in numbers]
        report = reports.get(reference.id)
        found = _steps(reference, report, claims, index) if report else []
        numbers = range(len(steps) + 1, len(steps) + len(found) + 1)
        references.append(replace(reference, hops=tuple(numbers)))
        steps += found
    hops = [replace(step.hop, hop=number) for number, step in enumerate(steps, start=1)]
    verified = any(step.is_borne_out for step in steps)
    answers = tuple(AnswerCandidate(answer, None, float(verified)) for answer in draft.answers)
    citations = cite(hops, index) if verified else ()
    return Verification(
        Trail(tuple(hops)),
        answers,
        citations,
        False,
        verified,
        tuple(references),
        reserve_of_trail(hops),
    )


def _cited_claims(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each line of an answer without its references, and the numbers that it refers to.

    A line of nothing but references speaks for the whole answer.
    """
    for line in text.splitlines():
        numbers = cited_numbers(line)
        if numbers:
            yield without_references(line).strip() or text, numbers


def _steps(
    reference: ReportReference, report: Community, claims: Sequence[str], index: EvidenceIndex
) -> list[CheckedStep]:
    steps: dict[Finding, CheckedStep] = {}
    for claim in claims:
        for finding, source in _drawn_on(report, word_groups(claim), index):
            told = f"report {reference.number}, {report.title}: {finding.summary}"
            steps.setdefault(finding, CheckedStep(_hop(told, source), source.is_borne_out))
    return list(steps.values())[:MAX_HOPS_PER_REPORT]


def _drawn_on(
    report: Community, claimed: frozenset[str], index: EvidenceIndex
) -> list[tuple[Finding, _Source]]:
    """Return the findings that a claim draws on: the nearest one, and those that it has whole."""
    told = {
        finding: word_groups(f"{finding.summary} {finding.explanation}")
        for finding in report.findings
    }
    ranked = sorted(told, key=lambda finding: len(claimed & told[finding]), reverse=True)
    sources = ((finding, _source(finding, claimed, index)) for finding in ranked)
    nearest = next(((finding, source) for finding, source in sources if source.is_borne_out), None)
    if nearest is None:
        return [(finding, _source(finding, claimed, index)) for finding in ranked[:1]]
    repeated = (
        (finding, source)
        for finding, source in sources
        if source.is_borne_out and len(claimed & told[finding]) >= _REPEATED * len(told[finding])
    )
    return [nearest, *repeated]


def _source(finding: Finding, wanted: frozenset[str], index: EvidenceIndex) -> _Source:
    """Return the relation and the sentence of its passages that say most of a finding."""
    told = word_groups(finding.summary) | wanted
    known = {relation.id: relation for relation in index.relations}
    relations = [known[id_] for id_ in finding.relation_ids if id_ in known]
    naming = [
        (_fit(sentence, relation, told, index), sentence, relation)
        for relation in relations
        for chunk_id in relation.chunk_ids
        if _named(index.chunk_keys.get(chunk_id, ""), relation, index) == 2
        for sentence in index.sentences[chunk_id]
    ]
    if naming:
        _, sentence, relation = max(naming, key=lambda one: one[0])
        return _Source(relation, sentence, _support(finding, relation, sentence, index), True)
    bare = next((relation for relation in relations if not relation.chunk_ids), None)
    if bare is not None:
        return _Source(bare, None, "stated", True)
    return _passage(finding, index)


def _support(
    finding: Finding, relation: Relation, sentence: Sentence, index: EvidenceIndex
) -> SupportState:
    """Return what of a finding a quote states: its relation, and half of its own wording."""
    claim = HopClaim(relation.subject, relation.predicate, relation.object)
    state = support_in(claim, sentence, index)
    is_said = _share_of(finding, sentence, relation.text) >= _STATED
    return "stated" if state == "stated" and is_said else "partly"


def _share_of(finding: Finding, sentence: Sentence, relation: str = "") -> float:
    """Return the share of a finding's wording that a sentence has, its title and relation too."""
    told = word_groups(finding.summary)
    said = word_groups(f"{sentence.chunk.title} {sentence.text} {relation}")
    return len(told & said) / len(told) if told else 0.0


def _fit(
    sentence: Sentence, relation: Relation, told: frozenset[str], index: EvidenceIndex
) -> tuple[int, float]:
    """Return how many ends of a relation a sentence names, and how much of the wording it has."""
    said = word_groups(sentence.text)
    shared = len(said & (told | word_groups(relation.text)))
    return _named(sentence.key, relation, index), shared / (_WORDS_FOR_FREE + len(said))


def _named(text: str, relation: Relation, index: EvidenceIndex) -> int:
    """Return how many ends of a relation a text names, 0 to 2."""
    ends = (
        index.names(relation.source, relation.subject),
        index.names(relation.target, relation.object),
    )
    return sum(any(f" {name_key(name)} " in text for name in names) for names in ends)


def _passage(finding: Finding, index: EvidenceIndex) -> _Source:
    """Return the sentence of a finding's own passages that says most of it."""
    told = word_groups(finding.summary)
    sentences = [one for id_ in finding.chunk_ids for one in index.sentences.get(id_, ())]
    if not sentences:
        return _Source()
    best = max(sentences, key=lambda one: len(told & word_groups(one.text)))
    is_borne_out = len(told & word_groups(best.text)) >= _STATED * len(told)
    if not is_borne_out:
        return _Source(None, best)
    is_whole = _share_of(finding, best) == 1 and is_statement(best.text)
    return _Source(None, best, "stated" if is_whole else "partly", True)


def _hop(claim: str, source: _Source) -> TrailHop:
    relation, sentence = source.relation, source.sentence
    hop = TrailHop(0, claim, support=source.support)
    if relation is not None:
        hop = replace(
            hop,
            subject=relation.subject,
            predicate=relation.predicate,
            object=relation.object,
            relation_id=relation.id,
        )
    return hop if sentence is None else quoted(hop, sentence)
