"""Whether a trail is about the property that the question names: who designed what, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.answer_types import asks_which_several, type_of_noun
from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep, steps_from
from hoptrail.agents.language.reserves import ASKED, other_thing, silent, unstated
from hoptrail.agents.language.sentence_grammar import BRACKETED_YEAR
from hoptrail.agents.language.table_rows import told_of
from hoptrail.agents.language.word_groups import everyday_group, stem, word_group, word_groups
from hoptrail.agents.verification.predicate_sense import read_predicate
from hoptrail.core.text import content_words, name_key, words
from hoptrail.core.types import TrailHop
from hoptrail.core.types.draft import BESIDE, LISTS

_LIGHT = word_groups(
    """name names named called kind type sort number amount date day year time place located
    location lie lies situated person people thing full exact ever currently now
    actually finally originally first last s take takes took come comes came go went get got give
    gave gives make many much long old often big"""
)
_ATTRIBUTES = word_groups("nationality country citizenship occupation profession job genre species")
"""Properties that an adjective or a noun states alone: "a Norwegian brewer"."""
_LIFE = word_groups("born died")
_OPENING_ARTICLE = re.compile(r"\b(?:The|An?)\s$")
_BRACKETS_BEHIND = re.compile(r"\s?\([^()]{1,60}\)")
# What a step says by its place in the text, below or beside what the question names.
_BY_PLACE = frozenset({LISTS, BESIDE})
_BETWEEN_WORDS = re.compile(r"[._/]")
_DESCRIBED = re.compile(
    r"\b(?:the|our|a)\s[\w-]{2,30}\s(?:who|whom|whose|that|which)\s(?P<clause>[^?,]{3,80}?)"
    r"(?=\s(?:is|was|are|were|do|does|did|has|had|have|move|live|come|go|leave|join|retire|die|work|start|begin)\b"
    r"|[?,]|$)",
    re.IGNORECASE,
)
_SHORTEST_STEM = 4
_MANY_DOCUMENTS = 5
_LARGE_SHARE = 1 / 3


def unsaid(question: str, hops: Sequence[TrailHop], index: EvidenceIndex) -> str | None:
    """Return what a question names and its trail does not tell, None where it tells all.

    The last step must have the words of what is asked last, and the whole trail those of what leads
    there: who designed the pumps of a station did not thereby design the station. Words count by
    their group of like meaning; a noun that only says of what kind the answer is does not. A trail
    shorter than the question's steps tells of something on the way, unless a step is two in one.

    Args:
        question: The standalone question.
        hops: The checked trail, in order.
        index: The evidence that the trail quotes.
    """
    names = _names(question)
    *before, asked = _steps(question, names, hops[0])
    if _is_short(before, asked, hops):
        return unstated(f"each of the {len(before) + 1} steps that are asked")
    last = hops[-1]
    missing = _missing(asked, _said(question, [last] if before else hops, index))
    if missing is not None:
        return _says_nothing_of(missing, hops)
    if (aside := _not_claimed(asked, last)) is not None:
        return silent(aside, f"step {last.hop}")
    whole = _said(question, hops, index)
    missing = next(filter(None, (_missing(step, whole) for step in before)), None)
    if missing is None:
        missing = _unnamed(names, hops, index)
    return None if missing is None else silent(missing, "the trail")


def untold(question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return that no relation of a bare graph tells what a question asks for, None where one does.

    A graph words its relations in its own way, so one word of what is asked is enough.
    """
    named = word_groups(" ".join(f"{hop.subject} {hop.object}" for hop in hops))
    told = word_groups(" ".join(_BETWEEN_WORDS.sub(" ", hop.predicate) for hop in hops))
    told |= {
        group for hop in hops for sense in read_predicate(hop.predicate) for group in sense.groups
    }
    step = QuestionStep(question, "", "other")
    asked = [word for word in _telling(step) if word_group(word) not in _LIGHT | named]
    if not asked or any(_is_said(word_group(word), told) for word in asked):
        return None
    return silent(asked[0], "the trail")


def lacks_steps(question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return that a trail ends on the way to what a question asks for, None where it does not."""
    *before, asked = _steps(question, _names(question), hops[0])
    if hops[-1].predicate in _BY_PLACE or not _is_short(before, asked, hops):
        return None
    return unstated(f"each of the {len(before) + 1} steps that are asked")


def strays(question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return that a trail has walked to another thing than the question is about, else None.

    It has more steps than the question, and one on the way has, with its ends, no word of it but
    names: how high the observatory lies does not tell how tall its builder was.
    """
    names = _names(question)
    if len(hops) <= len(_steps(question, names, hops[0])):
        return None
    named = word_groups(" ".join(name.text for name in names))
    asked = frozenset(map(word_group, content_words(question))) - named
    if all(asked & word_groups(hop.claim) for hop in hops[:-1]):
        return None
    if word_groups(hops[-1].subject) & named:  # it ends at what is asked about, by a way around
        return unstated(ASKED)
    return other_thing(f'"{hops[-1].subject}"')


def _says_nothing_of(word: str, hops: Sequence[TrailHop]) -> str:
    return silent(word, f"step {hops[-1].hop}" if len(hops) > 1 else "the passage")


def is_one_of_several(question: str, answers: Sequence[str], hops: Sequence[TrailHop]) -> bool:
    """Return whether a text gave one answer where a question asks for more: "which ships were"."""
    return len(answers) == 1 and bool(hops[-1].quote) and asks_which_several(question)


def _is_short(
    before: Sequence[QuestionStep], asked: QuestionStep, hops: Sequence[TrailHop]
) -> bool:
    """Return whether a trail ends on the way: it lacks more than one step that another has told.

    One hop is enough for two steps where it spells the words of both: "He built the telescope of
    the observatory" tells who built the telescope, but "a daughter of" does not date the father.
    """
    lacking = len(before) + 1 - len(hops)
    if lacking != 1 or len(hops) > 1:
        return lacking > 1
    spelled = {stem(word) for hop in hops for word in words(f"{hop.claim} {hop.quote or ''}")}
    wanted = [word for step in before for word in _telling(step)]
    is_told = all(stem(word) in spelled for word in wanted)
    return not is_told or _not_claimed(asked, hops[-1]) is not None or not _tells(asked)


def _tells(step: QuestionStep) -> bool:
    return any(word_group(word) not in _free(step) for word in _telling(step))


def _names(question: str) -> list[Mention]:
    """Return the question's names, with an article that opens one and what follows in brackets."""
    names = []
    for start, end in capitalised_spans(question):
        if article := _OPENING_ARTICLE.search(question[:start]):
            start = article.start()
        if brackets := _BRACKETS_BEHIND.match(question[end:]):
            end += brackets.end()
        text = question[start:end]
        names.append(Mention(name_key(text), text, start, end, "name"))
    return names


def _steps(question: str, names: Sequence[Mention], first: TrailHop) -> tuple[QuestionStep, ...]:
    """Return the question's steps from the name that the trail begins with, else the whole."""
    ends = word_groups(f"{first.subject} {first.object}")
    anchor = next((name for name in names if word_groups(name.text) & ends), None)
    if anchor is None:
        anchor = names[0] if names else Mention("", "", 0, 0, "name")
    if not anchor.key:
        return _nameless_steps(question)
    return steps_from(question, anchor, [name for name in names if name is not anchor])


def _nameless_steps(question: str) -> tuple[QuestionStep, ...]:
    """Return the steps of a question without a name: the man who did this, and what is asked."""
    described = _DESCRIBED.search(question)
    texts = [question]
    if described is not None:
        texts = [described["clause"], question[: described.start()] + question[described.end() :]]
    return tuple(QuestionStep(text, "", "other") for text in texts)


def _missing(step: QuestionStep, said: frozenset[str]) -> str | None:
    """Return the first word of a step that is not said."""
    free = _free(step)
    for word in _telling(step):
        group = word_group(word)
        if group not in free and not _is_said(group, said):
            return word
    return None


def _not_claimed(step: QuestionStep, hop: TrailHop) -> str | None:
    """Return the first word that tells what is asked, if the claim itself has none of them.

    A long sentence may say it of something else.
    """
    telling = [word for word in _telling(step) if word_group(word) not in _free(step)]
    claimed = word_groups(hop.claim)
    if not telling or any(_is_said(word_group(word), claimed) for word in telling):
        return None
    is_life = not word_groups(hop.predicate) and _is_life_date(hop)
    return None if is_life else telling[0]


def _is_life_date(hop: TrailHop) -> bool:
    """Return whether the step is about a date in brackets behind a name: of birth or death."""
    inside = " ".join(match.group(1) for match in BRACKETED_YEAR.finditer(hop.quote or ""))
    return bool(inside) and any(
        name_key(end) in name_key(inside) for end in (hop.subject, hop.object)
    )


def _free(step: QuestionStep) -> frozenset[str]:
    """Return what need not be said: words that tell little, and the kind of thing sought."""
    kind = word_groups(step.noun) if step.asks_for_kind else frozenset()
    return _LIGHT | _ATTRIBUTES | kind


def _is_said(group: str, said: frozenset[str]) -> bool:
    """Return whether a group is said, be it by a stem that another ending left a little longer."""
    if group in said or everyday_group(group) in {everyday_group(other) for other in said}:
        return True
    return any(
        min(len(group), len(other)) >= _SHORTEST_STEM
        and abs(len(group) - len(other)) <= 1
        and (group.startswith(other) or other.startswith(group))
        for other in said
    )


def _telling(step: QuestionStep) -> Iterator[str]:
    """Yield the words that say what is asked, without names and nouns that only label one."""
    spans = capitalised_spans(step.text)
    text = step.text
    for start, end in reversed(spans):
        text = f"{text[:start]}{{}}{text[end:]}"
    labels = set(re.findall(r"(\w+)\s{1,3}\{\}", text))
    for word in content_words(text.replace("{}", " ")):
        is_label = word in labels and type_of_noun(word) is not None
        if len(word) > 1 and not is_label:
            yield word


def _said(question: str, hops: Sequence[TrailHop], index: EvidenceIndex) -> frozenset[str]:
    """Return the word groups of some steps: their claims, quotes and titles of passages.

    The name of what is asked about tells nothing of it: who won "the Aldermoor Prize".
    """
    names = [re.escape(name.text) for name in _names(question)]
    said: frozenset[str] = frozenset()
    for hop in hops:
        chunk = index.chunks.get(hop.chunk_id or "")
        title = chunk.title if chunk else ""
        told = f"{hop.claim} ; {told_of(hop.quote or '', (), question)} ; {title}"
        for name in names:
            told = re.sub(rf"(?<!\w){name}(?!\w)", ";", told, flags=re.IGNORECASE)
        said |= word_groups(told)
        if _is_life_date(hop):
            said |= _LIFE
    return said


def _unnamed(
    names: Sequence[Mention], hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return the first name of the question that no quoted passage has a word of."""
    told = " ".join(hop.claim for hop in hops)
    chunks = [index.chunks[hop.chunk_id] for hop in hops if hop.chunk_id in index.chunks]
    texts = [f"{chunk.title} {chunk.text}" for chunk in chunks]
    said = word_groups(" ".join([told, *texts]))
    unnamed = (name.text for name in names if not word_groups(name.text) & said)
    return next((name for name in unnamed if not _is_everywhere(name, index)), None)


def _is_everywhere(name: str, index: EvidenceIndex) -> bool:
    """Return whether so many documents spell a name that a passage need not: the firm's own."""
    spelling = {
        index.chunks[id_].doc_id
        for id_, text in index.chunk_keys.items()
        if f" {name_key(name)} " in text
    }
    documents = len({chunk.doc_id for chunk in index.chunks.values()})
    return len(spelling) >= _MANY_DOCUMENTS and len(spelling) > _LARGE_SHARE * documents
