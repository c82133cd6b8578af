"""Answer a yes/no question about one statement without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.mentions import Mention, capitalised_mentions
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.reserves import other_text
from hoptrail.agents.offline.step_solver import StepSolver, claim_of
from hoptrail.core.text import contains_answer, content_words
from hoptrail.core.types.draft import Draft, Pattern

_STATED = 0.5
_CANDIDATES = 40
# A question in which {} stands for the one who is or did something, and how to ask for him.
_ASKED_BACK = tuple(
    (re.compile(rf"(?P<is>is|was|are|were)\s{form}", re.IGNORECASE), back)
    for form, back in (
        (r"{}\s(?P<rest>(?:the|our|your|its|their)\s[^?]{2,120})", "Who {is} {rest}?"),
        (r"(?P<rest>[^?{]{2,120}?)\sby\s{}", "Who {is} {rest} by?"),
    )
)


def check_statement(
    question: str, anchors: Sequence[Mention], graph: SentenceGraph, solver: StepSolver
) -> Draft:
    """Return "yes" where a fact about two of the named things has the question's wording.

    Silence is no denial: a statement that is not found is an abstention, never a "no".
    """
    wording = question
    for mention in sorted(anchors, key=lambda mention: -mention.start):
        wording = f"{wording[: mention.start]} {wording[mention.end :]}"
    step = QuestionStep(f"{{}} {wording}", "", "other")
    others = {mention.key for mention in anchors}
    for anchor in anchors:
        for link in solver.candidates(step, anchor.key, frozenset(), _CANDIDATES):
            if link.mention.key in others and link.wording >= _STATED:
                claim = claim_of(anchor.key, link, graph)
                return Draft("graph_search", ("yes",), hops=(claim,), derived=True)
    subject = graph.name(anchors[0].key) if anchors else "?value"
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        unresolved="?value",
        missing=Pattern(subject, " ".join(content_words(wording)), "?value"),
    )


def confirm(question: str, answer: Callable[[str], Draft | None]) -> Draft | None:
    """Return "yes" where the name in a question answers the question for it, else "no" or None.

    "Is Ann Holt the treasurer?" asks for the treasurer: where that is another one, the answer is
    no, with reserve, for there may be two.

    Args:
        question: The standalone question.
        answer: Returns what is found for another question, with its reserve; None without any.
    """
    for name, asked in _asked_back(question):
        found = answer(asked)
        if found is None:
            continue
        if any(contains_answer(name, one) or contains_answer(one, name) for one in found.answers):
            return replace(found, answers=("yes",), derived=True)
        if not found.reserve and len(found.answers) == 1:
            other = other_text(f'"{found.text}"', "the passage")
            return replace(found, answers=("no",), derived=True, reserve=other)
    return None


def _asked_back(question: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a yes/no question is about, and how to ask for each."""
    text = question.strip(" ?")
    for name in capitalised_mentions(text):
        blank = f"{text[: name.start]}{{}}{text[name.end :]}"
        for form, back in _ASKED_BACK:
            if match := form.fullmatch(blank):
                yield name.text, back.format(**{**match.groupdict(), "is": match["is"].lower()})
