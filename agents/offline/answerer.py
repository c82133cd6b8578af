"""Answer from the graph alone, without any language model (preset `offline`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from hoptrail.agents.evidence.claims import answer_text
from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.contractions import spelled_out
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import labelled_parts
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import open_steps, steps_from
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.time_range import is_other_end
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.cell_lookup import look_up_cell
from hoptrail.agents.offline.chain_search import Chain, follow
from hoptrail.agents.offline.column_lookup import look_up_line
from hoptrail.agents.offline.comparison import compare
from hoptrail.agents.offline.definition import define
from hoptrail.agents.offline.difference import find_difference
from hoptrail.agents.offline.extreme_row import find_extreme
from hoptrail.agents.offline.full_names import answer_for_full_name, with_full_names
from hoptrail.agents.offline.listed_answer import find_list
from hoptrail.agents.offline.measured_comparison import compare_measures
from hoptrail.agents.offline.message_date import read_message_date
from hoptrail.agents.offline.message_order import compare_moments
from hoptrail.agents.offline.name_types import NameTyper
from hoptrail.agents.offline.newer_word import find_newer_word
from hoptrail.agents.offline.newest_text import answer_from_newest
from hoptrail.agents.offline.refusal import is_refused
from hoptrail.agents.offline.role_holder import answer_for_holder, find_role_holder
from hoptrail.agents.offline.row_judgement import judge_by_row
from hoptrail.agents.offline.set_beside import with_those_beside
from hoptrail.agents.offline.stated_age import find_stated_age
from hoptrail.agents.offline.stated_value import find_stated_value
from hoptrail.agents.offline.step_solver import Candidate, StepSolver, claim_of
from hoptrail.agents.offline.told_circumstance import find_circumstance
from hoptrail.agents.offline.told_label import KIND_LABELS
from hoptrail.agents.offline.told_reason import asks_for_reason, find_reason
from hoptrail.agents.offline.told_subject import find_told_subject
from hoptrail.agents.offline.year_column import look_up_year
from hoptrail.agents.offline.yes_no_statement import check_statement
from hoptrail.agents.reading.asked_value import AskedValue, asked_value
from hoptrail.agents.reading.reader import NOT_WHOLE_NAME, read_answer
from hoptrail.agents.verification.asked_role import no_doer
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.embedding import Embed
from hoptrail.core.handles import part_handles
from hoptrail.core.text import content_words
from hoptrail.core.types import AbstainReason, Evidence, QuestionType
from hoptrail.core.types.draft import Draft, Pattern

MAX_ANCHORS = 4
MIN_WORDING = 0.2
MIN_SIMILARITY = 0.75
COVERAGE_WEIGHT = 2.0
OPEN_PENALTY = 0.5
# On 263 development questions no chain below this was right, and one in five above it.
MIN_WORTH = 2.0
_MOST_CHAINS = 6
_MOST_BEHIND = 0.3


@dataclass(frozen=True, slots=True)
class _Found:
    chain: Chain
    anchor: Mention
    score: float


def search_answer(
    question: str,
    question_type: QuestionType,
    evidence: Evidence,
    embed: Embed | None = None,
) -> Draft:
    """Return the end of the chain of facts that fits the question's wording best.

    Comparisons look up the compared property of both sides. Where no chain fits, or the evidence
    does not know what the question names, the draft abstains and says why. Of texts that take each
    other's place, the newest that tells is the one that answers.

    Args:
        question: The standalone question.
        question_type: As routed.
        evidence: What was retrieved; relations with the passages behind them.
        embed: Unit vectors of texts, shape (n, dim), to compare wordings by meaning as well.
    """
    if evidence.is_empty:
        return _abstain("no_evidence")
    return answer_from_newest(
        question, evidence, lambda texts: _answer(question, question_type, texts, embed)
    )


def _answer(
    question: str, question_type: QuestionType, evidence: Evidence, embed: Embed | None
) -> Draft:
    search = _Search(question_type, evidence, embed)
    question = part_handles(spelled_out(question), search.index.entity_id)
    draft = search.answer(question)
    if draft.abstained:
        draft = (
            answer_for_full_name(question, search.index, search.answer)
            or answer_for_holder(question, search.index, search.answer)
            or draft
        )
    draft = with_those_beside(draft, question, search.index)
    return with_full_names(draft, search.index)


class _Search:
    """Looks answers up in some evidence, which is laid out once for several wordings."""

    def __init__(
        self, question_type: QuestionType, evidence: Evidence, embed: Embed | None
    ) -> None:
        self._question_type: QuestionType = question_type
        self._evidence = evidence
        self.index = EvidenceIndex(evidence)
        self._similarity = TextSimilarity(embed)

    @cached_property
    def _graph(self) -> SentenceGraph:
        return SentenceGraph(self.index)

    @cached_property
    def _solver(self) -> StepSolver:
        return StepSolver(self._graph, NameTyper(self._graph), self._similarity)

    def answer(self, question: str) -> Draft:
        """Return the first answer that is plain, else the first one, else an abstention.

        An answer is none of which no passage states any step.
        """
        passages = [hit.item for hit in self._evidence.chunks]
        dated = compare_moments(question, passages) or read_message_date(question, passages)
        if dated is not None:
            return dated
        if asks_for_reason(question):
            return find_reason(question, self.index)
        if (measured := compare_measures(question, self._part_answer)) is not None:
            return measured
        graph, solver = self._graph, self._solver
        anchors = graph.link(question)
        if self._question_type == "comparison":
            compared = compare(question, anchors, graph, solver)
            if compared is not None:
                return compared
        told = _told_outright(question, graph)
        if told is not None and not is_refused(question, told, self.index):
            return told
        if focus_of(question).answer_type == "yes_no":
            judged = judge_by_row(question, self.index)
            return judged or check_statement(question, anchors, graph, solver)
        likely, abstention = _follow_chains(question, anchors, graph, solver)
        given: Draft | None = None
        for draft in chain(likely, _readings(question, graph, self._similarity)):
            if is_refused(question, draft, self.index):
                continue
            verdict = verify(draft, question, self._question_type, self._evidence)
            if verdict.verified and verdict.reserve is None:
                return draft
            hops = verdict.trail.hops
            if not hops or any(hop.support != "none" for hop in hops):
                given = given or draft
        return given or abstention

    def _part_answer(self, question: str) -> Draft | None:
        """Return the answer to a part of the question with its reserve, None without one.

        What may be about another thing is no part of a comparison.
        """
        draft = self.answer(question)
        if draft.abstained:
            return None
        verdict = verify(draft, question, "bridge", self._evidence)
        is_fit = verdict.verified and verdict.reserve != NOT_WHOLE_NAME
        return replace(draft, reserve=verdict.reserve or "") if is_fit else None


def _told_outright(question: str, graph: SentenceGraph) -> Draft | None:
    """Return what one row, line or sentence tells in the form in which it is asked for."""
    return (
        find_newer_word(question, graph.index)
        or find_extreme(question, graph.index)
        or find_list(question, graph.index)
        or look_up_cell(question, graph.index)
        or look_up_line(question, graph.index)
        or look_up_year(question, graph.index)
        or find_stated_value(question, graph.index)
        or find_stated_age(question, graph.index)
        or find_circumstance(question, graph.index)
        or define(question, graph)
        or find_difference(question, graph.index)
        or find_role_holder(question, graph.index)
        or find_told_subject(question, graph.index)
    )


def _readings(question: str, graph: SentenceGraph, similarity: TextSimilarity) -> Iterator[Draft]:
    """Yield what sentences word as the answer; looked for only where it is asked for."""
    if (draft := read_answer(question, graph.index, similarity)) is not None:
        yield draft


def _follow_chains(
    question: str, anchors: Sequence[Mention], graph: SentenceGraph, solver: StepSolver
) -> tuple[list[Draft], Draft]:
    """Return the answers of the best chains that are of the asked kind, and the abstention.

    One much worse than the best is none. The abstention tells where the best chain came to an end.
    """
    if not anchors and proper_names(question):
        return [], _abstain("not_in_knowledge_base")
    asked = asked_value(question)
    ranked = _ranked_chains(question, anchors, solver)
    likely: dict[str, Draft] = {}
    for found in ranked[:_MOST_CHAINS]:
        draft = _draft(question, found, graph)
        if draft.abstained:
            return list(likely.values()), draft
        last = found.chain.links[-1]
        start, end = last.mention.start, last.mention.end
        is_fit = asked.admits(draft.text) and not asked.excludes(start, end, last.fact.text)
        is_fit = is_fit and not is_other_end(question, last.fact.text, start, end)
        is_fit = is_fit and _tells_by_lines(question, found.chain, asked)
        is_fit = is_fit and no_doer(question, draft.text, draft.hops) is None
        if is_fit and found.score >= ranked[0].score - _MOST_BEHIND:
            likely.setdefault(draft.text, draft)
    return list(likely.values()), _abstain("no_evidence")


def _tells_by_lines(question: str, found: Chain, asked: AskedValue) -> bool:
    """Return whether the lines and rows of a chain say what is asked of them.

    No step goes from a row to another cell of itself, and the column of an answer is asked for.
    """
    texts = [_source(link.fact) for link in found.links]
    if any(asked.excludes_line(text) for text in texts):
        return False
    rows = [text for text in texts if len(labelled_parts(text)) > 1]
    if len(set(rows)) < len(rows):
        return False
    relation = found.links[-1].fact.relation
    if relation is None or len(labelled_parts(texts[-1])) < 2:
        return True
    column = everyday_groups(relation.predicate.replace("_", " "))
    return bool(column & (everyday_groups(question) | KIND_LABELS))


def _source(fact: Fact) -> str:
    """Return the text that a fact was read from."""
    return fact.relation.description if fact.relation else fact.text


def _ranked_chains(question: str, anchors: Sequence[Mention], solver: StepSolver) -> list[_Found]:
    excluded = frozenset(mention.key for mention in anchors)
    asked = word_groups(question)
    found: list[_Found] = []
    for anchor in sorted(anchors, key=lambda mention: -len(mention.key))[:MAX_ANCHORS]:
        others = [mention for mention in anchors if mention is not anchor]
        steps = steps_from(question, anchor, others)
        plans = [steps] if len(steps) > 1 else [steps, open_steps(question, anchor, others)]
        for plan in plans:
            chains = follow(plan, anchor, excluded, solver)
            found += [_Found(chain, anchor, _worth(chain, asked, solver)) for chain in chains]
    return sorted(found, key=lambda one: -round(one.score, 5))


def _worth(chain: Chain, asked: frozenset[str], solver: StepSolver) -> float:
    """Return how well a whole chain fits the question; one that ends too early is worth less."""
    if not chain.links:
        return -1.0
    told = " ".join(link.told for link in chain.links)
    worth = chain.mean + COVERAGE_WEIGHT * solver.text_coverage(asked, told)
    return worth - OPEN_PENALTY if chain.open else worth


def _draft(question: str, found: _Found, graph: SentenceGraph) -> Draft:
    links = found.chain.links
    origins = [found.anchor.key, *(link.mention.key for link in links)]
    hops = tuple(
        claim_of(origin, link, graph) for origin, link in zip(origins, links, strict=False)
    )
    weak = next((place for place, link in enumerate(links) if not _is_supported(link)), None)
    if weak is None and found.chain.open is None and _is_assured(found):
        answer = answer_text(question, links[-1].mention, graph)
        return Draft("graph_search", answers=(answer,), hops=hops, score=round(found.score, 5))
    place = len(links) - (found.chain.open is None) if weak is None else weak
    step = found.chain.open if place == len(links) else links[place].step
    words = [word for word in content_words(step.wording) if len(word) > 1] if step else []
    missing = Pattern(graph.name(origins[place]), " ".join(words), "?answer")
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        hops=hops[:place],
        unresolved="?answer",
        missing=missing,
    )


def _is_assured(found: _Found) -> bool:
    """Return whether a chain says enough of what is asked, likeness of meaning not counted."""
    similarities = [link.similarity for link in found.chain.links]
    return found.score - sum(similarities) / max(1, len(similarities)) >= MIN_WORTH


def _is_supported(link: Candidate) -> bool:
    return link.wording >= MIN_WORDING or link.similarity >= MIN_SIMILARITY


def _abstain(reason: AbstainReason) -> Draft:
    return Draft("graph_search", reason=reason)
