"""Answer a yes/no question about one statement without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.assertion import has_doubt, is_asserted, is_denied
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import Mention, capitalised_mentions
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.reserves import other_text
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.agents.offline.refusal import words_of_opposites
from hoptrail.agents.offline.step_solver import StepSolver, claim_of
from hoptrail.core.text import contains_answer, content_words, flat, words
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

_STATED = 0.5
_CANDIDATES = 40
_FEWEST_WORDS = 2
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words of no content that decide what a statement says.
_DECISIVE = frozenset(
    "before after until till since during without except than over under above below within by "
    "from between only".split()
)
_VERB = re.compile(
    r"(?<!\w)(?:is|are|was|were|do|does|did|can|cannot|may|must|should|shall|will|has|have|had)"
    r"(?:n['’]t|\s(?:not|never|be|been))*(?!\w)",
    re.IGNORECASE,
)
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


def find_statement(question: str, index: EvidenceIndex) -> Draft | None:
    """Return yes or no by the sentence that says or denies all that a question asks.

    "Is paddling alone allowed?" is denied by "Paddling alone is not allowed" and by "Paddling alone
    is forbidden". Every word of the question stands in the sentence, or one of like or opposite
    meaning; of several sentences the one with the fewest other words counts, and what more it says
    is told with the answer. What is doubted or holds under a condition says neither.

    Args:
        question: The standalone question, which asks for yes or no.
        index: The evidence.
    """
    asked = question[focus_of(question).end :].strip(" ?")
    if len(everyday_groups(asked)) < _FEWEST_WORDS or has_doubt(asked):
        return None
    sentences = (one for sentences in index.sentences.values() for one in sentences)
    told = [found for one in sentences if (found := _read(asked, one)) is not None]
    if not told:
        return None
    others, answer, sentence = min(told, key=lambda found: found[0])
    reserve = other_text(f'"{flat(sentence.text)}"', "the passage") if others else ""
    claim = _claim(sentence)
    return Draft("graph_search", (answer,), hops=(claim,), derived=True, reserve=reserve)


def _read(asked: str, sentence: Sentence) -> tuple[int, str, Sentence] | None:
    """Return how many other words a sentence has, and yes or no, None where it tells neither."""
    text = sentence.text
    opposites = words_of_opposites(asked, text)
    wanted = everyday_groups(asked) - everyday_groups(" ".join(opposites))
    groups = everyday_groups(text)
    if not wanted <= groups or not _is_of_same_things(asked, text) or text.rstrip().endswith("?"):
        return None
    spans = [word.span() for word in _WORD.finditer(text) if everyday_group(word[0]) in wanted]
    if not spans:
        return None
    start, end = spans[0][0], spans[-1][1]
    if not is_asserted(text, start, end):
        # Twice denied is no yes: "not closed" says little.
        return (
            (len(groups - wanted), "no", sentence)
            if is_denied(text, start, end) and not opposites
            else None
        )
    return len(groups - wanted), "no" if opposites else "yes", sentence


def _is_of_same_things(asked: str, told: str) -> bool:
    """Return whether a sentence has the names of a question in its order, and what decides it."""
    places = [told.find(name) for name in proper_names(asked)]
    is_same = -1 not in places and places == sorted(places)
    return is_same and _DECISIVE & set(words(asked)) <= set(words(told))


def _claim(sentence: Sentence) -> HopClaim:
    """Return a sentence as a claim, cut before and behind its first verb."""
    text = flat(sentence.text).strip(" -*.!;")
    verb = _VERB.search(text) or _WORD.search(text)
    cut = verb.span() if verb else (len(text), len(text))
    subject = text[: cut[0]].strip() or sentence.topic_title
    return HopClaim(subject, text[slice(*cut)], text[cut[1] :].strip(), sentence.chunk.id)
