"""Decisions by gold beside the answer: type, plan, words to search with, verdicts on paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.algorithms.path_verdicts import Verdict
from hoptrail.core.errors import SettingsError
from hoptrail.core.text import contains_answer, content_words, name_key
from hoptrail.core.types import QuestionType
from hoptrail.eval.oracle.evidence_text import (
    Triple,
    parse_path,
    shown_walks_along,
    spells,
    topics_in,
    words_of,
)
from hoptrail.eval.oracle.presence import is_decomposable, step_answers
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.dotrag import (
    Concepts,
    Constraints,
    NamedSpan,
    NextQuery,
    PathVerdict,
    PathVerdicts,
)
from hoptrail.prompts.forms.planning import Decomposition, Keywords

T = TypeVar("T")

# As the sets name them: HotpotQA, 2WikiMultiHopQA, MultiHop-RAG and ComplexWebQuestions.
_COMPARISONS = frozenset(
    {"comparison", "bridge_comparison", "comparison_query", "temporal_query", "comparative"}
)
# In 2WikiMultiHopQA "inference" asks for the grandfather by way of the father: two facts in a row.
_CHAINS = frozenset({"bridge", "compositional", "inference", "composition"})

ROUTES: tuple[QuestionType, ...] = ("bridge", "comparison", "inference")

_MOST_SPANS = 3
_MOST_TOPICS = 5

_NUMBERED = re.compile(r"^\[(\d+)\] (.+ \| .+ \| .+)$", re.MULTILINE)
_VERDICTS: tuple[Verdict, ...] = ("complete", "partial", "irrelevant")


@dataclass(frozen=True, slots=True)
class Noise:
    """Draws by seed and the name of a decision, so that neither order nor concurrency matters.

    Attributes:
        share: Share of decisions to flip, 0 to 1.
        seed: Another seed flips others.

    Raises:
        SettingsError: If the share is no number from 0 to 1.
    """

    share: float = 0.0
    seed: int = 42

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise SettingsError(
                f"noise is a share from 0 to 1, not {self.share:g}", hint="such as noise=0.1"
            )

    def flips(self, *decision: object) -> bool:
        """Return whether to flip the decision of this name."""
        return self._draw("flip", *decision) < self.share

    def choose(self, options: Sequence[T], *decision: object) -> T:
        """Return one of the options, at least one, by the decision's name."""
        return options[int(self._draw("choose", *decision) * len(options))]

    def _draw(self, *name: object) -> float:
        """Return a number in [0, 1) that is uniform over names."""
        text = "\x1f".join(map(str, (self.seed, *name)))
        digest = hashlib.sha256(text.encode()).digest()
        # 53 bits are what a float holds: more of them could round up to 1.
        return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def route_of(question: Question) -> QuestionType:
    """Return the question's type: as its data set names it, else a chain where it has steps.

    A chain has a gold decomposition or relation path of two steps or more, or says that it has so
    many hops.
    """
    kind = (question.type or "").casefold()
    if kind in _COMPARISONS:
        return "comparison"
    longest = max((len(path) for path in question.relation_paths), default=0)
    if kind in _CHAINS or max(len(question.steps), longest, question.hops or 0) > 1:
        return "bridge"
    return "inference"


def decompose(question: Question) -> Decomposition:
    """Return the gold steps, `#1` left for the answer that is found; none: the question itself."""
    if not is_decomposable(question):
        return Decomposition(sub_questions=[question.text])
    return Decomposition(sub_questions=[step.question for step in question.steps])


def write_keywords(text: str) -> Keywords:
    """Return the names in a question, and its other content words as its themes."""
    names = proper_names(text)
    named = {word for name in names for word in content_words(name)}
    themes = [word for word in content_words(text) if word not in named]
    return Keywords(entities=names, themes=list(dict.fromkeys(themes)))


def write_concepts(text: str) -> Concepts:
    """Return where to begin: the names in a question, its content words as topics."""
    names = proper_names(text)[:_MOST_SPANS]
    topics = list(dict.fromkeys(content_words(text)))[:_MOST_TOPICS]
    return Concepts(
        spans=[NamedSpan(text=name, guess="") for name in names],
        topics=topics,
        needs_topics=not names,
    )


def write_constraints(text: str) -> Constraints:
    """Return what a question demands of paths, in its own words; all types are worth keeping."""
    names = proper_names(text)
    about = ", ".join(names) or " ".join(content_words(text))
    return Constraints(
        query=text,
        intermediate=f"a fact about {about} that leads on",
        terminal=f"a fact that answers: {text}",
    )


def write_query(question: Question, prompt: str) -> NextQuery:
    """Return the first gold step that was not searched for, else the question.

    Args:
        question: With its gold.
        prompt: Names the searches made and what they found; an earlier step's answer stands in
            the query where the prompt has it.
    """
    searched = {words_of(line) for line in prompt.splitlines()}
    steps = range(len(question.steps))
    known = {
        place: question.steps[place].answer
        for place in steps
        if spells(prompt, question.steps[place].answer)
    }
    queries = (step_text(question, place, known) for place in steps)
    unasked = (query for query in queries if query and words_of(query) not in searched)
    return NextQuery(query=next(unasked, question.text))


def step_text(question: Question, step: int, known: dict[int, str]) -> str:
    """Return a step's question with its references replaced by known answers, by place from 0."""

    def fill(match: re.Match[str]) -> str:
        return known.get(int(match.group(1)) - 1, match.group())

    return re.sub(r"#(\d+)", fill, question.steps[step].question)


def judge_paths(question: Question, prompt: str, noise: Noise) -> PathVerdicts:
    """Return a verdict on each line `[3] subject | predicate | object -> ...` that helps."""
    paths = {int(number): parse_path(line) for number, line in _NUMBERED.findall(prompt)}
    judged = (
        _as_reply(number, _judge(question, path, noise), question, path)
        for number, path in paths.items()
        if path
    )
    return PathVerdicts(verdicts=[one for one in judged if one.verdict != "irrelevant"])


def verdict_on(question: Question, path: Sequence[Triple]) -> Verdict:
    """Return `complete` for a path that reaches a gold answer, along a gold path if one is known.

    `partial` is a proper prefix of a gold path, or a path that holds an intermediate gold answer.
    """
    if question.is_unanswerable:
        return "irrelevant"
    if _is_complete(question, path):
        return "complete"
    holds_intermediate = any(_held_steps(question, path))
    return "partial" if _is_prefix(question, path) or holds_intermediate else "irrelevant"


def _judge(question: Question, path: Sequence[Triple], noise: Noise) -> Verdict:
    verdict = verdict_on(question, path)
    decision = ("judge", question.id, *path)
    if not noise.flips(*decision):
        return verdict
    return noise.choose([other for other in _VERDICTS if other != verdict], *decision)


def _is_complete(question: Question, path: Sequence[Triple]) -> bool:
    if question.relation_paths:
        starts = topics_in(question, path)
        walks = (
            shown_walks_along(relations, starts, path) for relations in question.relation_paths
        )
        accepted = [f" {name_key(form)} " for form in question.accepted]
        keys = (f" {key} " for reached in walks for key in reached)
        return any(form in key for key in keys for form in accepted)
    # What the question names itself is where a path starts, not what it reaches.
    return not question.is_yes_no and any(
        _names(end, question.accepted) and not contains_answer(question.text, end)
        for triple in path
        for end in _ends(triple)
    )


def _is_prefix(question: Question, path: Sequence[Triple]) -> bool:
    starts = topics_in(question, path)
    return any(
        len(path) < len(relations)
        and any(
            len(set(walk)) == len(path)
            for walk in shown_walks_along(relations[: len(path)], starts, path).values()
        )
        for relations in question.relation_paths
    )


def _held_steps(question: Question, path: Sequence[Triple]) -> Iterable[bool]:
    """Return for each step but the last whether the path names its answer."""
    return [
        any(_names(end, step_answers(question, step)) for triple in path for end in _ends(triple))
        for step in range(len(question.steps) - 1)
    ]


def _ends(triple: Triple) -> tuple[str, str]:
    return triple.subject, triple.object


def _names(name: str, forms: Sequence[str]) -> bool:
    return any(contains_answer(name, form) for form in forms)


def _as_reply(
    number: int, verdict: Verdict, question: Question, path: Sequence[Triple]
) -> PathVerdict:
    return PathVerdict(
        path=number,
        verdict=verdict,
        confidence=1.0,
        next_question=_next_question(question, path) if verdict == "partial" else "",
    )


def _next_question(question: Question, path: Sequence[Triple]) -> str:
    """Return the step after the last one that the path answers, else the question."""
    if not question.steps:
        return question.text
    held = {
        step: question.steps[step].answer
        for step, is_held in enumerate(_held_steps(question, path))
        if is_held
    }
    return step_text(question, max(held, default=-1) + 1, held)
