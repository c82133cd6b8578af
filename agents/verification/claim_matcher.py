"""Find what supports one claim: a relation of the graph and a sentence of a passage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence, token_key
from hoptrail.agents.language.abbreviations import abbreviations_in
from hoptrail.agents.language.answered_questions import answered_questions
from hoptrail.agents.language.word_groups import shared_wording
from hoptrail.agents.verification.statement import ClaimReader
from hoptrail.core.text import name_key
from hoptrail.core.types import Relation, SupportState
from hoptrail.core.types.draft import ANSWERS, STANDS_FOR, HopClaim

_EXPLICIT = 0.5
_CITED = 0.25


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """The relation and the sentence that match a claim; either may be missing.

    `support` is what of the claim the sentence states; a relation of no passage, where it exists,
    states the claim that it words. `is_borne_out` is the wider test by which an answer may be
    given: both ends stand together, and the relation's or the sentence's wording shares words with
    the claim's.
    """

    relation: Relation | None = None
    sentence: Sentence | None = None
    support: SupportState = "none"
    is_borne_out: bool = False


def find_support(claim: HopClaim, index: EvidenceIndex) -> ClaimMatch:
    """Return the best support for a claim: a sentence that states it, else one that has its ends.

    Among equals the wording decides, then what the draft cited, then the order of the evidence.
    """
    relation = match_relation(claim, index)
    place = match_row(claim, index) or match_told(claim, index)
    if place is not None:
        return ClaimMatch(relation, place, "stated", is_borne_out=True)
    support, sentence = _best_sentence(claim, relation, index)
    shares_wording = _wording(claim, relation, sentence) > 0
    if sentence is not None:
        return ClaimMatch(relation, sentence, support, shares_wording or support == "stated")
    is_bare = relation is not None and not relation.chunk_ids and shares_wording
    return ClaimMatch(relation, None, "stated" if is_bare else "none", is_bare)


def match_row(claim: HopClaim, index: EvidenceIndex) -> Sentence | None:
    """Return the row of a table, or of a list in prose, whose cells the claim names.

    It names one cell, and another below its head. The row must be of the passage that the claim
    cites, and of several such rows it is the one that the claim points to.
    """
    chunk = index.chunks.get(claim.chunk_id or "")
    if chunk is None:
        return None
    told_as_tables = [(part.columns, part.rows) for part in chunk.tables]
    told_as_tables += [
        (table.labels, tuple(one.row for one in table.rows)) for table in index.tables_in(chunk)
    ]
    fitting = []
    for columns, rows in told_as_tables:
        heads = [at for at, head in enumerate(columns) if head == claim.predicate]
        for row in rows if heads else ():
            told = any(at < len(row.cells) and row.cells[at] == claim.object for at in heads)
            if told and claim.subject in row.cells:
                fitting.append(row)
    if not fitting:
        return None
    row = next((one for one in fitting if one.start == claim.row_start), fitting[0])
    start, end = row.start - chunk.start, row.end - chunk.start
    return Sentence(chunk, start, end, text := chunk.text[start:end], token_key(text))


def match_told(claim: HopClaim, index: EvidenceIndex) -> Sentence | None:
    """Return the paragraph below a question, or the words that explain an abbreviation.

    They must be of the passage that the claim cites, and be found there as they were for the draft.
    """
    chunk = index.chunks.get(claim.chunk_id or "")
    if chunk is None:
        return None
    ends = (claim.subject, claim.object)
    spans: list[tuple[int, int]] = []
    if claim.predicate == ANSWERS:
        told = answered_questions(chunk.text)
        spans = [(one.start, one.end) for one in told if (one.question, one.answer) == ends]
    if claim.predicate == STANDS_FOR:
        explained = abbreviations_in(chunk.text)
        spans = [(one.start, one.end) for one in explained if (one.short, one.long) == ends]
    for start, end in spans:
        text = chunk.text[start:end]
        return Sentence(chunk, start, end, text, token_key(text))
    return None


def match_relation(claim: HopClaim, index: EvidenceIndex) -> Relation | None:
    """Return the relation between the claim's ends, in either direction, closest in wording."""
    best: tuple[float, Relation] | None = None
    for relation in index.relations:
        fit = _ends_fit(claim, relation, index)
        if fit == 0:
            continue
        said = f"{relation.predicate} {relation.description}"
        score = fit + shared_wording(claim.predicate, said) + (relation.id == claim.relation_id)
        if best is None or score > best[0] + 1e-5:
            best = (score, relation)
    return best[1] if best else None


def _ends_fit(claim: HopClaim, relation: Relation, index: EvidenceIndex) -> float:
    subjects = index.names(relation.source, relation.subject)
    objects = index.names(relation.target, relation.object)
    forward = min(_name_fit(claim.subject, subjects), _name_fit(claim.object, objects))
    backward = min(_name_fit(claim.subject, objects), _name_fit(claim.object, subjects))
    return max(forward, 0.9 * backward)


def _name_fit(name: str, names: tuple[str, ...]) -> float:
    key = name_key(name)
    best = 0.0
    for other in (name_key(candidate) for candidate in names):
        if not key or not other:
            continue
        if key == other:
            return 1.0
        if f" {key} " in f" {other} " or f" {other} " in f" {key} ":
            shorter, longer = sorted((key, other), key=len)
            best = max(best, 0.2 + 0.6 * len(shorter) / len(longer))
    return best


def _best_sentence(
    claim: HopClaim, relation: Relation | None, index: EvidenceIndex
) -> tuple[SupportState, Sentence | None]:
    reader = ClaimReader(claim, index)
    best: tuple[bool, float, Sentence] | None = None
    for sentence in _candidates(claim, relation, index):
        state = reader.support(sentence)
        fit = _sentence_fit(claim, sentence, index)
        if state == "none" and fit == 0:
            continue
        score = fit + shared_wording(claim.predicate, sentence.text)
        score += _CITED * (sentence.chunk.id == claim.chunk_id)
        score += _CITED * (relation is not None and sentence.chunk.id in relation.chunk_ids)
        is_stated = state == "stated"
        if best is None or (is_stated, score) > (best[0], best[1] + 1e-5):
            best = (is_stated, score, sentence)
    if best is None:
        return "none", None
    return "stated" if best[0] else "partly", best[2]


def _candidates(
    claim: HopClaim, relation: Relation | None, index: EvidenceIndex
) -> Iterator[Sentence]:
    first = [claim.chunk_id] if claim.chunk_id else []
    first += relation.chunk_ids if relation else ()
    for chunk_id in dict.fromkeys([*first, *index.chunks]):
        yield from index.sentences.get(chunk_id, ())


def _sentence_fit(claim: HopClaim, sentence: Sentence, index: EvidenceIndex) -> float:
    """Return 0 unless the sentence has both ends, more the more explicitly it has them."""
    subject = _presence(claim.subject, claim.object, sentence, index)
    object_ = _presence(claim.object, claim.subject, sentence, index)
    if not subject or not object_ or (subject < 1 and object_ < 1):
        return 0.0
    return 1.0 + _EXPLICIT * min(subject, object_)


def _presence(name: str, beside: str, sentence: Sentence, index: EvidenceIndex) -> float:
    names = index.aliases(name)
    if any(index.mentions(sentence, alias, beside) for alias in names):
        return 1.0
    return 0.6 if any(index.implies(sentence, alias) for alias in names) else 0.0


def _wording(claim: HopClaim, relation: Relation | None, sentence: Sentence | None) -> float:
    said = " ".join(
        part
        for part in (
            f"{relation.predicate} {relation.description}" if relation else "",
            sentence.text if sentence else "",
        )
        if part
    )
    return shared_wording(claim.predicate, said) if said else 0.0
