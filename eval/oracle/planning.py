"""Plans: the type and decomposition by gold, and the words of the question to search with."""

from __future__ import annotations

import re

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.text import content_words
from hoptrail.core.types import QuestionType
from hoptrail.eval.oracle.supports import is_decomposable
from hoptrail.eval.oracle.word_spans import spells, words_of
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.dotrag import Concepts, Constraints, NamedSpan, NextQuery
from hoptrail.prompts.forms.planning import Decomposition, Keywords

# As the sets name them: HotpotQA, 2WikiMultiHopQA, MultiHop-RAG and ComplexWebQuestions.
_COMPARISONS = frozenset(
    {"comparison", "bridge_comparison", "comparison_query", "temporal_query", "comparative"}
)
# In 2WikiMultiHopQA "inference" asks for the grandfather by way of the father: two facts in a row.
_CHAINS = frozenset({"bridge", "compositional", "inference", "composition"})

ROUTES: tuple[QuestionType, ...] = ("bridge", "comparison", "inference")

_MOST_SPANS = 3
_MOST_TOPICS = 5


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
