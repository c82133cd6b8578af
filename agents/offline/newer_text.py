"""Answer from the newest of several texts, and by what a reply says to have changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from hoptrail.agents.evidence.editions import Editions, without_texts
from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.mail_text import has_quotation, heads_quotation, is_quoted
from hoptrail.agents.language.reserves import is_about_wording, other_text, unstated
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.told_label import GENERIC
from hoptrail.agents.reading.claims import worded_claim
from hoptrail.agents.reading.query import Query, read_query
from hoptrail.agents.reading.statements import Statement, statements_of
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft

Answer = Callable[[Evidence], Draft]
"""Answers the question from some evidence."""


def answer_from_newest(question: str, evidence: Evidence, answer: Answer) -> Draft:
    """Return the answer of the newest text that tells, with reserve where an older one differs.

    A question that names a time is answered from the texts of that time.

    Args:
        question: The standalone question.
        evidence: What was retrieved.
        answer: Answers the question from evidence.
    """
    editions = Editions(evidence)
    if not editions:
        return answer(evidence)

    @cache
    def answer_without(texts: frozenset[str]) -> Draft:
        return answer(without_texts(evidence, texts))

    if others := editions.not_asked(question):
        draft = answer_without(others)
        if not (draft.abstained and editions.asks_by_month(question)):
            return draft
    texts = {hit.item.doc_id for hit in evidence.chunks}
    replaced = frozenset(filter(editions.is_replaced, texts))
    draft = answer_without(replaced)
    if draft.abstained or draft.reserve:  # two texts may leave open which of them is right
        newest = answer_without(frozenset(filter(editions.newer, texts)))
        draft = newest if draft.abstained or not (newest.abstained or newest.reserve) else draft
    if draft.abstained or draft.reserve and replaced:
        # Only the older text may tell of the thing that is asked about.
        whole = answer_without(frozenset())
        if draft.abstained or _source(whole, evidence) in replaced and not whole.reserve:
            return _from_replaced(whole, replaced, evidence, editions)
    draft = _read_alone(draft, answer_without, evidence, editions)
    source = _source(draft, evidence)
    if source is None:
        return draft
    if newer := editions.newer(source):
        other = answer_without(replaced | {source})
        if _is_another(other, draft, newer, evidence):
            return _with_reserve(other, _told(draft, editions.title(source)))
    older = editions.older(source)
    if not older:
        return draft
    other = answer_without(frozenset({source, *editions.newer(source)}))
    if not _is_another(other, draft, older, evidence):
        return draft
    return _with_reserve(draft, _told(other, editions.title(_source(other, evidence) or source)))


def _read_alone(
    draft: Draft,
    answer_without: Callable[[frozenset[str]], Draft],
    evidence: Evidence,
    editions: Editions,
) -> Draft:
    """Return what the newest text answers where none beside it confuses the matter."""
    source = _source(draft, evidence)
    if source is None or editions.newer(source) or not (older := editions.older(source)):
        return draft
    alone = answer_without(older)
    is_told = not alone.abstained and not alone.reserve and _source(alone, evidence) == source
    return alone if is_told else draft


def _from_replaced(
    draft: Draft, replaced: frozenset[str], evidence: Evidence, editions: Editions
) -> Draft:
    """Return an answer with reserve where a text tells it that a newer one stands for."""
    source = _source(draft, evidence)
    if source not in replaced:
        return draft
    return _with_reserve(draft, unstated(f'it after "{editions.title(source)}"'))


def _is_another(other: Draft, draft: Draft, texts: frozenset[str], evidence: Evidence) -> bool:
    """Return whether a draft from some of the texts answers otherwise."""
    if other.abstained or _source(other, evidence) not in texts:
        return False
    return _keys(other.answers) != _keys(draft.answers)


def _keys(answers: Sequence[str]) -> set[str]:
    return {name_key(answer) for answer in answers}


def _told(draft: Draft, title: str) -> str:
    return other_text("; ".join(draft.answers), f'the older text "{title}"')


def _with_reserve(draft: Draft, reserve: str) -> Draft:
    """Return an answer with a reserve; a doubt of its own stays, unless it is about the wording."""
    is_mere = not draft.reserve or is_about_wording(draft.reserve)
    return replace(draft, reserve=reserve if is_mere else draft.reserve)


def _source(draft: Draft, evidence: Evidence) -> str | None:
    """Return the document that the last step of an answer rests on."""
    if draft.abstained or not draft.hops:
        return None
    last = draft.hops[-1]
    by_chunk = {hit.item.id: hit.item.doc_id for hit in evidence.chunks}
    behind = {hit.item.id: hit.item.chunk_ids for hit in evidence.relations}
    passages = [last.chunk_id, *behind.get(last.relation_id or "", ())]
    return next((by_chunk[one] for one in passages if one in by_chunk), None)


_CHANGED = re.compile(
    r"\b(?:now|instead|moved|changed|postponed|rescheduled|shifted|delayed|put\soff|put\sback"
    r"|brought\sforward|raised|lowered|reduced|increased|gone\s(?:up|down)|new)\b",
    re.IGNORECASE,
)
_OUTRIGHT = re.compile(
    r"\b(?:is|are|has|have|will)\s(?:(?:now|since|be|been|gone)\s){0,2}(?:moved|changed"
    r"|postponed|rescheduled|shifted|delayed|put\s(?:off|back)|brought\sforward|raised|lowered|reduced"
    r"|increased|up|down)\b[^.;?!]{0,60}?\b(?:to|until)\s(?:the\s|about\s)?"
)
"""Says on its own that something is otherwise now, whatever is quoted: "has been moved to"."""
_TAKES_PLACE = everyday_groups("take takes taking place happen happens held hold occur occurs")
_CALENDAR = everyday_groups(f"{MONTHS}|{WEEKDAYS}".replace("|", " "))
_MOST_NAMED = 3
_SURE = 0.5


def find_newer_word(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the day or amount that a text states anew, where an earlier one has another.

    A reply says so above the mail that it quotes; a text that says outright that a thing "has been
    moved to" a day says so of what other passages tell. The other value is told in the reserve.
    None where nothing says of the asked thing that it has changed, and to what.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful or not query.asked.is_exact:
        return None
    return _in_reply(query, index) or _in_other_passage(query, index)


def _in_reply(query: Query, index: EvidenceIndex) -> Draft | None:
    found = [
        (statement, value, old)
        for statements in _by_mail(index)
        for statement, value in _changes(query, statements)
        for old in _earlier(query, statements, value)
    ]
    if len({name_key(value.text) for _, value, _ in found}) != 1:
        return None
    statement, value, old = found[0]
    claim = worded_claim(statement, value, index)
    return Draft(
        "graph_search", (value.text,), hops=(claim,), reserve=other_text(old, "an older text")
    )


def _in_other_passage(query: Query, index: EvidenceIndex) -> Draft | None:
    texts = (one.text for sentences in index.sentences.values() for one in sentences)
    if not any(map(_OUTRIGHT.search, texts)):
        return None
    statements = statements_of(index)
    found = list(_outright_changes(query, statements))
    if len({name_key(value.text) for _, value in found}) != 1:
        return None
    statement, new = found[0]
    others = dict.fromkeys(
        value.text
        for other in statements
        if _OUTRIGHT.search(other.text) is None
        for value in _values(query, other)
        if value.kind == new.kind and name_key(value.text) != name_key(new.text)
    )
    if not others:
        return None
    claim = worded_claim(statement, new, index)
    reserve = other_text(", ".join(list(others)[:_MOST_NAMED]), "another text")
    return Draft("graph_search", (new.text,), hops=(claim,), reserve=reserve)


def _outright_changes(
    query: Query, statements: Sequence[Statement]
) -> Iterator[tuple[Statement, Value]]:
    """Yield the sentences that say outright to what the asked thing is changed."""
    for statement in statements:
        if (match := _OUTRIGHT.search(statement.text)) is not None:
            for value in _values(query, statement):
                is_told = value.start == match.end()
                if is_told and is_asserted(statement.text, value.start, value.end):
                    yield statement, value


def _by_mail(index: EvidenceIndex) -> Iterator[list[Statement]]:
    """Yield the statements of each passage that quotes an earlier mail."""
    for chunk in index.chunks.values():
        if has_quotation(chunk.text):
            evidence = Evidence(
                chunks=tuple(hit for hit in index.evidence.chunks if hit.item.id == chunk.id)
            )
            yield statements_of(EvidenceIndex(evidence))


def _changes(query: Query, statements: Sequence[Statement]) -> Iterator[tuple[Statement, Value]]:
    """Yield the sentences of a reply that say of the asked thing what it is changed to."""
    for statement in statements:
        text, place = statement.text, statement.sentence
        if is_quoted(place.chunk.text, place.start) or text.endswith("?"):
            continue
        values = _values(query, statement)
        is_outright = _CHANGED.search(text) is not None and len(values) == 1
        if is_outright and is_asserted(text, values[0].start, values[0].end):
            yield statement, values[0]


def _earlier(query: Query, statements: Sequence[Statement], new: Value) -> Iterator[str]:
    """Yield what the quoted mail says of the same thing, where that is another value."""
    for statement in statements:
        if is_quoted(statement.sentence.chunk.text, statement.sentence.start):
            for value in _values(query, statement):
                place = statement.sentence.start + value.start
                is_other = name_key(value.text) != name_key(new.text) and value.kind == new.kind
                if is_other and not heads_quotation(statement.sentence.chunk.text, place):
                    yield value.text


def _values(query: Query, statement: Statement) -> list[Value]:
    """Return the values of the asked kind of a sentence about what is asked."""
    told = statement.own
    is_reply = not is_quoted(statement.sentence.chunk.text, statement.sentence.start)
    if is_reply and (told & query.wanted or _names_nothing(statement)):
        told |= statement.place  # the subject line names the rest, or the thing itself
    if statement.sentence.leads_with_pronoun:
        told |= statement.before
    if query.wanted - GENERIC - _TAKES_PLACE - told:
        return []
    return [
        value
        for value in find_values(statement.text)
        if query.asked.fit(value, statement.text, "") >= _SURE
    ]


def _names_nothing(statement: Statement) -> bool:
    """Return whether a statement has no word but days, numbers, and that something has changed."""
    changed = everyday_groups(" ".join(_CHANGED.findall(statement.text)))
    rest = statement.own - changed - GENERIC - _TAKES_PLACE - _CALENDAR
    return not any(word.isalpha() for word in rest)
