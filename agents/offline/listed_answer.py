"""Answer what asks for several with all that one list has: "Who is on the committee?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import asks_for_several
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.clauses import items_of
from hoptrail.agents.language.line_layout import ListedLines, labelled_parts, lists_in
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.agents.reading.query import Query, read_query
from hoptrail.agents.reading.values import find_values
from hoptrail.core.text import flat
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import LISTS, Draft, HopClaim

_ASKS_WHAT_IT_HOLDS = re.compile(
    r"\W{0,3}what\s(?:(?:do|does|did)\s(?:[^?\s]{1,30}\s){1,8}?(?P<verb>contain|include|comprise|hold|carry"
    r"|sell|serve|offer|stock|need|require|bring|provide|consist)(?:\sof)?"
    r"|(?:is|are|was)\s(?:there\s)?in(?:side)?\s(?:[^?\s]{1,30}\s?){1,8})\W{0,3}",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\s(?P<verb>(?:contain|include|comprise|hold|carrie|carry|sell|serve|offer|stock|need|require|bring"
    r"|provide|consist)s?(?:\sof)?|contained|included|comprised|held|carried|sold|served|offered|consisted\sof"
    r"|brought|provided|needed|required):?\s(?P<all>[^.;:!?]{3,300})(?:[.;!?]|$)"
)
_LIST_WORDS = everyday_groups("list lists member members name names people person item items all")
_NAME_FIT = 0.3
_LINE_ASIDE = re.compile(r"\s?\(|,\s|\s[-–—]\s|:\s")

_LARGE = 200  # tokens: a shorter passage that opens a document is all of it


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list that may be the answer: what it is a list of, its items, and the claims that say so.

    `is_whole` is whether nothing speaks for more items than these.
    """

    items: tuple[str, ...]
    hops: tuple[HopClaim, ...]
    is_whole: bool = True

    @property
    def draft(self) -> Draft:
        """The list as an answer."""
        reserve = "" if self.is_whole else PART
        return Draft("graph_search", self.items, hops=self.hops, reserve=reserve)


def find_list(question: str, index: EvidenceIndex) -> Draft | None:
    """Return all items of the one list that a question asks for, None without one.

    Every word of the question must be told by the line above the list, its label or its sentence,
    or by title and file name; and a list "Former members" is none of the members.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful:
        return None
    holds = _ASKS_WHAT_IT_HOLDS.fullmatch(question)
    if holds is None and not asks_for_several(question):
        return None
    found = list(_held(query, holds, index) if holds else _under_leads(query, index))
    if len({one.items for one in found}) != 1:
        return None
    return found[0].draft


def _held(query: Query, asked: re.Match[str], index: EvidenceIndex) -> Iterator[_Listed]:
    """Yield what sentences tell that a thing contains, sells or needs: two things or more."""
    verb = everyday_group(asked["verb"] or "contain")
    wanted = query.wanted - {verb}
    for sentences in index.sentences.values():
        for sentence in sentences:
            text = sentence.text
            said = _HOLDS.search(text)
            if said is None or verb not in everyday_groups(said["verb"]):
                continue
            holder = text[: said.start()]
            told = everyday_groups(holder)
            is_about = bool(wanted & told) and wanted <= told | groups_above(sentence)
            things = [said["all"][start:end] for start, end in items_of(said["all"])]
            if is_about and things and is_asserted(text, *said.span("all")):
                claim = HopClaim(flat(holder), said["verb"], flat(said["all"]), sentence.chunk.id)
                yield _Listed(tuple(map(flat, things)), (claim,))


def _under_leads(query: Query, index: EvidenceIndex) -> Iterator[_Listed]:
    """Yield the lists whose heading or label says what is asked for."""
    for chunk in index.chunks.values():
        sentences = index.sentences[chunk.id]
        if not sentences:
            continue
        above = groups_above(sentences[0]) - everyday_groups(sentences[0].heading)
        for listed in lists_in(chunk.text):
            if _is_asked(query, listed.lead, above):
                yield from _of_lines(query, listed, chunk, index)
        for sentence in sentences:
            yield from _of_line(query, sentence)


def _is_asked(query: Query, lead: str, above: frozenset[str]) -> bool:
    """Return whether a list below some words is what a question asks for, no more and no less."""
    told = everyday_groups(lead)
    return (
        bool(told & query.wanted)
        and query.wanted <= told | above | _LIST_WORDS
        and told <= query.wanted | above | _LIST_WORDS
    )


def _of_lines(
    query: Query, listed: ListedLines, chunk: Chunk, index: EvidenceIndex
) -> Iterator[_Listed]:
    lines = [chunk.text[slice(*span)] for span in listed.items]
    items = [_item(query, line) for line in lines]
    if not all(items):
        return
    is_cut = not listed.is_whole and is_cut_off(chunk, index)
    hops = tuple(HopClaim(listed.lead, LISTS, item, chunk.id) for item in items)
    yield _Listed(tuple(items), hops, not is_cut)


def _of_line(query: Query, sentence: Sentence) -> Iterator[_Listed]:
    """Yield the list of a line that labels it: "Races this summer: Spring Dash, Island Round"."""
    parts = labelled_parts(sentence.text)
    if len(parts) != 1 or not _is_asked(query, parts[0].label, groups_above(sentence)):
        return
    value = sentence.text[parts[0].start : parts[0].end].rstrip(" .;*_")
    items = [_item(query, value[start:end]) for start, end in items_of(value)]
    if items and all(items):
        claim = HopClaim(sentence.topic_title, parts[0].label, flat(value), sentence.chunk.id)
        yield _Listed(tuple(items), (claim,))


def _item(query: Query, line: str) -> str:
    """Return what an item names: of "Ann Holt (chair)" the person; "" where it cannot be asked."""
    if query.asked.answer_type != "person":
        return flat(line)
    name = _LINE_ASIDE.split(line, maxsplit=1)[0]
    fits = (query.asked.fit(one, name, "") for one in find_values(name) if one.text == flat(name))
    return flat(name) if max(fits, default=-1.0) >= _NAME_FIT else ""


def is_cut_off(chunk: Chunk, index: EvidenceIndex) -> bool:
    """Return whether a passage may be a part of a longer list: its document has other passages."""
    is_part = chunk.start > 0 or chunk.tokens >= _LARGE
    return is_part or any(
        one.doc_id == chunk.doc_id and one.id != chunk.id for one in index.chunks.values()
    )
