"""Answer a yes/no question about one statement without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.assertion import has_doubt, is_asserted, is_denied
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.clauses import opening_clause_end
from hoptrail.agents.language.mentions import capitalised_mentions
from hoptrail.agents.language.reserves import other_text
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.agents.offline.refusal import words_of_opposites
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.core.text import contains_answer, content_words, flat, words
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

_FEWEST_WORDS = 2
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words of no content that decide what a statement says.
_DECISIVE = frozenset(
    "before after until till since during without except than over under above below within by "
    "from between only".split()
)
_APART = re.compile(r";\s|\b(?:but|while|whereas|although|though|because)\b", re.IGNORECASE)
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


def left_open(question: str, graph: SentenceGraph) -> Draft:
    """Return an abstention that says what would have to be stated of the first named thing.

    Silence is no denial: a statement that is not found is never a "no".

    Args:
        question: The standalone question.
        graph: Knows the things that it names.
    """
    anchors = graph.link(question)
    subject = graph.name(anchors[0].key) if anchors else "?value"
    wording = question
    for mention in sorted(anchors, key=lambda one: -one.start):
        wording = f"{wording[: mention.start]} {wording[mention.end :]}"
    missing = Pattern(subject, " ".join(content_words(wording)), "?value")
    return Draft("graph_search", reason="unresolved_variable", unresolved="?value", missing=missing)


def find_statement(question: str, index: EvidenceIndex) -> Draft | None:
    """Return yes or no by the sentence that says or denies all that a question asks.

    "Is paddling alone allowed?" is denied by "Paddling alone is not allowed" and by "Paddling alone
    is forbidden". Every other word of the question stands in the sentence or above it, or one of
    like meaning; of several sentences the one with the fewest other words counts, and what more it
    says is told with the answer. What is doubted or holds under a condition says neither.

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
    found = min(told, key=lambda one: one.others)
    more = other_text(f'"{flat(found.sentence.text)}"', "the passage")
    return Draft(
        "graph_search",
        (found.answer,),
        hops=(found.claim,),
        derived=True,
        reserve=more if found.others else "",
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """The yes or no of a sentence to a question.

    Attributes:
        sentence: The sentence.
        claim: It, cut into subject, predicate and object.
        answer: "yes" or "no".
        others: How many words it has that were not asked, or does not have that stand above it.
    """

    sentence: Sentence
    claim: HopClaim
    answer: str
    others: int


def _read(asked: str, sentence: Sentence) -> _Said | None:
    """Return what a sentence says to a question, None where that is neither yes nor no."""
    text, groups = sentence.text, everyday_groups(sentence.text)
    opposites = words_of_opposites(asked, text)
    wanted = everyday_groups(asked) - everyday_groups(" ".join(opposites))
    lacking = wanted - groups
    here = wanted & groups
    if len(here) + len(opposites) < _FEWEST_WORDS:
        return None
    if lacking - groups_above(sentence):
        return None
    if text.rstrip().endswith("?") or not _is_of_same_things(asked, text, lacking):
        return None
    spans = [word.span() for word in _WORD.finditer(text) if everyday_group(word[0]) in here]
    if not spans:
        return None
    start, end = spans[0][0], spans[-1][1]
    if not _is_one_clause(text, start, end, _in_order(text, here) == _in_order(asked, here)):
        return None
    is_said = is_asserted(text, start, end)
    if not is_said and (opposites or not is_denied(text, start, end)):
        return None  # "not closed" says little, and so does a doubt
    answer = "yes" if is_said and not opposites else "no"
    return _Said(sentence, _claim(sentence, spans), answer, len(groups ^ wanted))


def _is_one_clause(text: str, start: int, end: int, is_in_order: bool) -> bool:
    """Return whether a part of a sentence is of one clause, by its commas and the order of words.

    "The desk takes cash; the shop takes cards" says nothing of cash in the shop.
    """
    part = text[max(start, min(opening_clause_end(text), end)) : end]
    return _APART.search(part) is None and (is_in_order or "," not in part)


def _in_order(text: str, groups: frozenset[str]) -> list[str]:
    """Return some word groups as a text has them first."""
    found = (everyday_group(word) for word in _WORD.findall(text))
    return list(dict.fromkeys(group for group in found if group in groups))


def _is_of_same_things(asked: str, told: str, lacking: frozenset[str]) -> bool:
    """Return whether a sentence has the names of a question in its order, and what decides it.

    Who did something stands behind "by" in one of them alone where the order is the other one.
    """
    names = [name for name in proper_names(asked) if not everyday_groups(name) & lacking]
    places = [told.find(name) for name in names]
    order = sorted(places)
    if names and places == order[::-1] != order:
        order = order[::-1] if f" by {names[0]}" in told.replace(" by the ", " by ") else order
    is_same = -1 not in places and places == order
    return is_same and _DECISIVE & set(words(asked)) <= set(words(told))


def _claim(sentence: Sentence, spans: Sequence[tuple[int, int]]) -> HopClaim:
    """Return a sentence as a claim, cut around its helping verb, else behind its first told word.

    Args:
        sentence: A sentence.
        spans: Where the words of the question stand in it.
    """
    text = sentence.text
    helper = _VERB.search(text)
    start, end = helper.span() if helper else (spans[0][1], spans[min(1, len(spans) - 1)][0])
    parts = (text[:start], text[start:end], text[end:])
    subject, predicate, rest = (flat(part).strip(" -*.!;") for part in parts)
    return HopClaim(subject or sentence.topic_title, predicate, rest, sentence.chunk.id)
