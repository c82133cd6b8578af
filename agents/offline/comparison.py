"""Compare two named things without a model: a date or number of each, or one property of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import AnswerType, singular, type_of_noun
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.quantities import value_of
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.step_solver import Candidate, StepSolver, claim_of, life_event
from hoptrail.core.text import content_words
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

TRUE_WORDING = 0.5
"""Share of the asked words that a fact must have to count as saying so."""

_MAKERS = (
    r"director|author|writer|performer|composer|producer|singer|founder|creator|publisher|"
    r"designer|architect|owner|screenwriter|editor"
)
_VIA = re.compile(
    rf"\bwhose\s+(?:the\s+)?(?P<a>{_MAKERS})s?\b|\b(?:has|have|had|with)\s+(?:an?|the)\s+"
    rf"(?P<b>{_MAKERS})s?\b|\b(?P<c>{_MAKERS})s?\s+of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared, or what was reached from it, with the links that led there."""

    thing: Mention
    key: str
    links: tuple[tuple[str, Candidate], ...] = ()


def reach(question: str, thing: Mention, solver: StepSolver) -> Side | QuestionStep:
    """Return the thing that has the property; the step to it where the evidence lacks it."""
    match = _VIA.search(question)
    if match is None:
        return Side(thing, thing.key)
    noun = next(filter(None, match.groups())).lower()
    step = QuestionStep(f"the {noun} of {{}}", noun, "person")
    found = solver.candidates(step, thing.key, frozenset(), 1, strict=True)
    if not found or found[0].wording < TRUE_WORDING:
        return step
    return Side(thing, found[0].mention.key, ((thing.key, found[0]),))


def best_fact(
    key: str, wanted: frozenset[str], graph: SentenceGraph, solver: StepSolver
) -> tuple[float, HopClaim | None]:
    """Return the sentence about a thing that has most of the wanted word groups, and how many."""
    best: tuple[float, HopClaim | None] = (0.0, None)
    for fact in graph.facts_about(key):
        score = solver.coverage(wanted, fact)
        if score <= best[0] + 1e-5 or fact.sentence is None:
            continue
        told = next(
            (
                match
                for match in re.finditer(r"\w+", fact.text)
                if word_groups(match.group()) & wanted and is_asserted(fact.text, *match.span())
            ),
            None,
        )
        if told:
            best = (score, HopClaim(graph.name(key), "", told.group(), fact.sentence.chunk.id))
    return best


def wording_besides(
    question: str, sides: Sequence[Side], drop: re.Pattern[str] | None = None
) -> str:
    """Return the words of a comparison without the things compared and the way to them."""
    text = question
    for side in sorted(sides, key=lambda side: -side.thing.start):
        text = text[: side.thing.start] + " " + text[side.thing.end :]
    if any(side.links for side in sides):
        text = _VIA.sub(" ", text)
    text = re.sub(r"\b(?:same|both|also|either|films?)\b", " ", text)
    text = drop.sub(" ", text) if drop else text
    return " ".join(text.strip(" ?").split())


def claims_of(links: Sequence[tuple[str, Candidate]], graph: SentenceGraph) -> list[HopClaim]:
    """Return links with the keys that they start from as claims."""
    return [claim_of(origin, link, graph) for origin, link in links]


def draft_of(
    answer: str, sides: Sequence[Side], links: Sequence[Candidate], graph: SentenceGraph
) -> Draft:
    """Return an answer that rests on one link of each side."""
    hops: list[HopClaim] = []
    for side, link in zip(sides, links, strict=True):
        hops += claims_of([*side.links, (side.key, link)], graph)
    return Draft("graph_search", answers=(answer,), hops=tuple(hops), derived=True)


def missing_property(key: str, wording: str, graph: SentenceGraph) -> Draft:
    """Return an abstention for want of a property of one side."""
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        unresolved="?value",
        missing=Pattern(graph.name(key), " ".join(dict.fromkeys(content_words(wording))), "?value"),
    )


_CANDIDATES = 8
_DECISIVE = 0.05
_BIRTH, _DEATH = word_groups("born"), word_groups("died")
_LEAST_WORDING = 0.3
_YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can)\b", re.IGNORECASE)
_SAME = re.compile(r"\bthe\s+same\s+(?P<noun>[\w-]+)", re.IGNORECASE)
_NATIONALITY = re.compile(r"\b(?:is|was)\s+an?\s+((?:[A-Z][\w-]+[\s-]*)+)(?=\s*[a-z])")


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
    question: str, anchors: Sequence[Mention], graph: SentenceGraph, solver: StepSolver
) -> Draft | None:
    """Return the outcome of a comparison of two things that the question names.

    "Which film has the older director, A or B?" first finds each director. Where the evidence
    lacks the property of either, the draft abstains and says which; None where the question
    compares no two things, and where it asks for yes or no but not whether they have the same.
    """
    pair = compared_pair(question, anchors)
    if pair is None:
        return None
    sides: list[Side] = []
    for thing in pair:
        side = reach(question, thing, solver)
        if isinstance(side, QuestionStep):
            return missing_property(thing.key, side.wording, graph)
        sides.append(side)
    if _YES_NO.match(question) and " or " not in question:
        return compare_sameness(question, sides, graph, solver)
    for degree in _DEGREES:
        if degree.pattern.search(question):
            return _by_degree(question, degree, sides, graph, solver)
    return _by_property(question, sides, graph, solver)


def compared_pair(question: str, anchors: Sequence[Mention]) -> tuple[Mention, Mention] | None:
    """Return the last two names with "or" or "and" between them, else None."""
    for left, right in reversed(list(zip(anchors, anchors[1:], strict=False))):
        between = question[left.end : right.start].lower()
        if re.search(r"\b(?:or|and)\b", between) and len(between.split()) <= 8:
            return left, right
    return None


def _by_degree(
    question: str,
    degree: _Degree,
    sides: Sequence[Side],
    graph: SentenceGraph,
    solver: StepSolver,
) -> Draft:
    asked = wording_besides(question, sides, degree.pattern)
    wording = f"{asked} {degree.wording}".strip()
    links: list[Candidate] = []
    for side in sides:
        link = _value_link(side.key, asked, degree, solver)
        if link is None:
            return missing_property(side.key, wording, graph)
        links.append(link)
    left, right = (value_of(link.mention) or () for link in links)
    if left == right:
        return Draft("graph_search", reason="no_evidence")
    winner = sides[0] if (left < right) == degree.prefers_least else sides[1]
    return draft_of(winner.thing.text, sides, links, graph)


def _value_link(key: str, asked: str, degree: _Degree, solver: StepSolver) -> Candidate | None:
    """Return the best date or number whose fact says what is asked, or what the degree means."""
    step = QuestionStep(f"{{}} {asked} {degree.wording}", "", degree.kind)
    asked_of = word_groups(asked)
    found = solver.candidates(step, key, frozenset(), _CANDIDATES, strict=True)
    fitting = [
        link
        for link in found
        if link.mention.kind == degree.kind
        and value_of(link.mention) is not None
        and (link.wording >= _LEAST_WORDING or _tells(link, asked, degree))
        and not (_is_death(link) and not asked_of & _DEATH)
        and not _is_own_deed(link, key, word_groups(degree.wording) - _BIRTH)
    ]
    is_born = bool(_BIRTH & word_groups(f"{asked} {degree.wording}"))
    born = [link for link in fitting if is_born and _is_birth(link)]
    about = [link for link in born or fitting if link.fact.topic in {key, ""}]
    return next(iter(about or born or fitting), None)


def _is_birth(link: Candidate) -> bool:
    """Return whether a date is that of a birth by its place in brackets: "(1880 – 1951)"."""
    return life_event(link.fact, link.mention) == _BIRTH


def _is_own_deed(link: Candidate, key: str, told: frozenset[str]) -> bool:
    """Return whether a date is that of what a thing did to another: "In 1881 she founded it".

    That tells no more of when she was born than of when the other thing ended.

    Args:
        link: The date with its fact.
        key: Key of the thing whose date is looked for.
        told: The word groups of verbs by which a thing comes to be.
    """
    fact = link.fact
    own = [(one.start, one.end) for one in fact.mentions if one.key == key]
    grammar = SentenceGrammar(fact.text, own)
    deeds = [
        verb
        for verb, token in enumerate(grammar.tokens)
        if word_groups(token.text) & told
        and grammar.is_verb(verb)
        and not grammar.has_passive_helper(verb)
    ]
    made = [
        one.phrase for verb in deeds for one in grammar.complements(verb) if not one.preposition
    ]
    is_made = any(
        set(grammar.tokens_in(*span)) & set(range(phrase.start, phrase.end))
        for phrase in made
        for span in own
    )
    return bool(made) and not is_made


def _is_death(link: Candidate) -> bool:
    """Return whether a date is that of a death by its place in brackets: "(1880 – 9 June 1951)"."""
    return life_event(link.fact, link.mention) == _DEATH


def _tells(link: Candidate, asked: str, degree: _Degree) -> bool:
    """Return whether a fact tells the degree in other words than asked.

    "is a 1978 film" dates the film, but neither its director's birth nor a death.
    """
    told = word_groups(link.told) | life_event(link.fact, link.mention)
    if told & word_groups(degree.wording):
        return True
    sentence = link.fact.sentence
    is_life = word_groups(f"{asked} {degree.wording}") & word_groups("born died")
    return degree.kind == "date" and not is_life and sentence is not None and sentence.is_lead


def _by_property(
    question: str, sides: Sequence[Side], graph: SentenceGraph, solver: StepSolver
) -> Draft:
    wanted = word_groups(wording_besides(question, sides))
    scored = [(*best_fact(side.key, wanted, graph, solver), side) for side in sides]
    score, claim, winner = max(scored, key=lambda entry: entry[0])
    if abs(scored[0][0] - scored[1][0]) < _DECISIVE or score < _LEAST_WORDING or claim is None:
        return Draft("graph_search", reason="no_evidence")
    hops = (*claims_of(winner.links, graph), claim)
    return Draft("graph_search", (winner.thing.text,), hops=hops, derived=True, score=score)


def compare_sameness(
    question: str, sides: Sequence[Side], graph: SentenceGraph, solver: StepSolver
) -> Draft | None:
    """Return yes or no to "the same ...", None to another wording."""
    same = _SAME.search(question)
    if same is None:
        return None
    if singular(same["noun"].lower()) == "nationality":
        return _same_nationality(sides, graph)
    return _same(question, same["noun"], sides, graph, solver)


def _same(
    question: str,
    noun: str,
    sides: Sequence[Side],
    graph: SentenceGraph,
    solver: StepSolver,
) -> Draft:
    head = singular(noun.lower())
    wording = wording_besides(question, sides)
    step = QuestionStep(f"{{}} {wording}", head, type_of_noun(head) or "other")
    excluded = frozenset(side.key for side in sides)
    links: list[Candidate] = []
    for side in sides:
        found = solver.candidates(step, side.key, excluded, 1, strict=True)
        if not found or found[0].wording < _LEAST_WORDING:
            return missing_property(side.key, wording, graph)
        links += found
    answer = "yes" if links[0].mention.key == links[1].mention.key else "no"
    return draft_of(answer, sides, links, graph)


def _same_nationality(sides: Sequence[Side], graph: SentenceGraph) -> Draft:
    claims: list[HopClaim] = []
    for side in sides:
        found = _nationality(side.key, graph)
        if found is None:
            return missing_property(side.key, "nationality", graph)
        claims += [*claims_of(side.links, graph), found]
    nationalities = [claim.object.split() for claim in claims if claim.predicate == "is"]
    answer = "yes" if set(nationalities[0]) & set(nationalities[1]) else "no"
    return Draft("graph_search", (answer,), hops=tuple(claims), derived=True)


def _nationality(key: str, graph: SentenceGraph) -> HopClaim | None:
    for fact in graph.facts_about(key):
        match = _NATIONALITY.search(fact.text) if fact.topic == key else None
        if match and fact.sentence is not None:
            return HopClaim(
                graph.name(key), "is", match.group(1).strip(" -"), fact.sentence.chunk.id
            )
    return None
