"""Compare two named things without a model: a date or number of each, or one property of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.answer_types import AnswerType, singular, type_of_noun
from hoptrail.agents.claims import claim_of
from hoptrail.agents.draft import Draft, HopClaim
from hoptrail.agents.kinds import KindGuesser
from hoptrail.agents.mentions import Mention
from hoptrail.agents.question_steps import Step
from hoptrail.agents.sentence_graph import SentenceGraph
from hoptrail.agents.step_solver import Candidate, StepSolver
from hoptrail.agents.wording import concepts

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_CANDIDATES = 8
_YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can)\b", re.IGNORECASE)
_SAME = re.compile(r"\bthe\s+same\s+(?P<noun>[\w-]+(?:\s+[\w-]+)?)", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|also)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Degree:
    """A comparative: what is measured, which words of a text tell it, and which end wins."""

    pattern: re.Pattern[str]
    kind: AnswerType
    wording: str
    prefers_least: bool


def _degree(pattern: str, kind: AnswerType, wording: str, prefers_least: bool) -> _Degree:
    return _Degree(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), kind, wording, prefers_least)


_DEGREES = (
    _degree("older|oldest", "date", "born founded built opened established", True),
    _degree("younger|youngest", "date", "born", False),
    _degree("first|earlier|earliest|before", "date", "", True),
    _degree("later|latest|last|more\\s+recent(?:ly)?|most\\s+recent(?:ly)?|newer|newest|after",
            "date", "", False),
    _degree("longer|longest", "number", "long length", False),
    _degree("shorter|shortest", "number", "long length tall", True),
    _degree("taller|tallest|higher|highest", "number", "high height tall", False),
    _degree("lower|lowest", "number", "high height", True),
    _degree("deeper|deepest", "number", "deep depth", False),
    _degree("larger|largest|bigger|biggest|more|most|greater|greatest|heavier", "number",
            "inhabitants area size large", False),
    _degree("smaller|smallest|fewer|fewest|less|least", "number", "inhabitants area size", True),
)  # fmt: skip


def compare(
    question: str,
    anchors: Sequence[Mention],
    graph: SentenceGraph,
    kinds: KindGuesser,
    solver: StepSolver,
) -> Draft | None:
    """Return the outcome of a comparison of two things that the question names.

    None where the question has no such form or the evidence lacks the property of either: then
    other ways to an answer are left open.
    """
    pair = compared_pair(question, anchors)
    if pair is None:
        return None
    if _YES_NO.match(question) and " or " not in question:
        return _same_or_both(question, pair, graph, kinds, solver)
    for degree in _DEGREES:
        if degree.pattern.search(question):
            return _by_degree(question, degree, pair, graph, solver)
    return _by_property(question, pair, graph, solver)


def compared_pair(question: str, anchors: Sequence[Mention]) -> tuple[Mention, Mention] | None:
    """Return the two names on both sides of "or" or "and", the last such pair, else None."""
    for left, right in reversed(list(zip(anchors, anchors[1:], strict=False))):
        between = question[left.end : right.start].lower()
        if re.search(r"\b(?:or|and)\b", between) and len(between.split()) <= 5:
            return left, right
    return None


def _by_degree(
    question: str,
    degree: _Degree,
    pair: tuple[Mention, Mention],
    graph: SentenceGraph,
    solver: StepSolver,
) -> Draft | None:
    wording = f"{_without(question, pair, degree)} {degree.wording}".strip()
    links = [_value_link(thing, wording, degree.kind, solver) for thing in pair]
    if links[0] is None or links[1] is None:
        return None
    values = [value_of(link.mention) for link in links if link is not None]
    if None in values or values[0] == values[1]:
        return None
    first_wins = (values[0] < values[1]) == degree.prefers_least  # type: ignore[operator]
    winner = pair[0] if first_wins else pair[1]
    return _draft(winner.text, pair, [link for link in links if link], graph)


def _value_link(
    thing: Mention, wording: str, kind: AnswerType, solver: StepSolver
) -> Candidate | None:
    step = Step(f"{{}} {wording}", "", kind)
    found = solver.candidates(step, thing.key, frozenset(), _CANDIDATES)
    fitting = [link for link in found if link.mention.kind == kind and value_of(link.mention)]
    about = [link for link in fitting if link.fact.topic in {thing.key, ""}]
    return next(iter(about or fitting), None)


def _by_property(
    question: str, pair: tuple[Mention, Mention], graph: SentenceGraph, solver: StepSolver
) -> Draft | None:
    wanted = concepts(_without(question, pair, None))
    scored = [(_best_fact(thing, wanted, graph, solver), thing) for thing in pair]
    (left, right) = (score for (score, _), _ in scored)
    if abs(left - right) < 0.05:
        return None
    (score, claim), winner = max(scored, key=lambda entry: entry[0][0])
    if score < 0.3 or claim is None:
        return None
    return Draft("graph_search", answers=(winner.text,), hops=(claim,), derived=True, score=score)


def _best_fact(
    thing: Mention, wanted: frozenset[str], graph: SentenceGraph, solver: StepSolver
) -> tuple[float, HopClaim | None]:
    best: tuple[float, HopClaim | None] = (0.0, None)
    for fact in graph.facts_about(thing.key):
        score = solver.coverage(wanted, fact)
        if score > best[0] + 1e-5 and fact.sentence is not None:
            hit = sorted(wanted & concepts(fact.text))
            word = next((w for w in re.findall(r"\w+", fact.text) if concepts(w) & set(hit)), "")
            best = (score, HopClaim(graph.name(thing.key), "", word, fact.sentence.chunk.id))
    return best


def _same_or_both(
    question: str,
    pair: tuple[Mention, Mention],
    graph: SentenceGraph,
    kinds: KindGuesser,
    solver: StepSolver,
) -> Draft | None:
    same = _SAME.search(question)
    if same:
        return _same(question, same["noun"], pair, graph, solver)
    if _BOTH.search(question):
        return _both(question, pair, graph, kinds, solver)
    return None


def _same(
    question: str,
    noun: str,
    pair: tuple[Mention, Mention],
    graph: SentenceGraph,
    solver: StepSolver,
) -> Draft | None:
    head = singular(noun.split()[-1].lower())
    step = Step(f"{{}} {_without(question, pair, None)}", head, type_of_noun(head) or "other")
    excluded = frozenset(thing.key for thing in pair)
    links = [next(iter(solver.candidates(step, t.key, excluded, 1)), None) for t in pair]
    if links[0] is None or links[1] is None:
        return None
    answer = "yes" if links[0].mention.key == links[1].mention.key else "no"
    return _draft(answer, pair, [link for link in links if link], graph)


def _both(
    question: str,
    pair: tuple[Mention, Mention],
    graph: SentenceGraph,
    kinds: KindGuesser,
    solver: StepSolver,
) -> Draft | None:
    wanted = concepts(_without(question, pair, None))
    if not wanted:
        return None
    found = [_best_fact(thing, wanted, graph, solver) for thing in pair]
    if any(claim is None for _, claim in found):
        return None
    answer = "yes" if all(score >= 0.5 for score, _ in found) else "no"
    hops = tuple(claim for _, claim in found if claim is not None)
    return Draft("graph_search", answers=(answer,), hops=hops, derived=True)


def _without(question: str, pair: tuple[Mention, Mention], degree: _Degree | None) -> str:
    text = question
    for thing in sorted(pair, key=lambda mention: -mention.start):
        text = text[: thing.start] + " " + text[thing.end :]
    text = re.sub(r"\b(?:same|both|also|either)\b", " ", text)
    return degree.pattern.sub(" ", text) if degree else text


def _draft(
    answer: str, pair: tuple[Mention, Mention], links: Sequence[Candidate], graph: SentenceGraph
) -> Draft:
    hops = tuple(claim_of(thing.key, link, graph) for thing, link in zip(pair, links, strict=True))
    return Draft("graph_search", answers=(answer,), hops=hops, derived=True)


def value_of(mention: Mention) -> tuple[float, ...] | None:
    """Return a date as (year, month, day) with 0 for what is missing, a number as (number,)."""
    if mention.kind == "number":
        digits = re.sub(r"[,$€£%\s]", "", mention.text.split()[0])
        scale = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
        factor = next((scale[word] for word in mention.text.split() if word in scale), 1.0)
        return (float(digits) * factor,) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else None
    year = re.search(r"\b\d{3,4}\b", mention.text)
    if year is None:
        return None
    month = next((n for n, name in enumerate(_MONTHS, 1) if name in mention.text.lower()), 0)
    day = re.search(r"\b\d{1,2}\b", mention.text)
    return (float(year.group()), float(month), float(day.group()) if day else 0.0)
