"""True claims of the public question sets, each with the sentence that states it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.eval.files.json_lines import Fields, read_json_lines
from hoptrail.eval.planted.claims import PassageClaim, read_claims, sentences_of
from hoptrail.eval.planted.sentence_claims import (
    Passage,
    claim_id,
    literal_claims,
    worded_claims,
)
from hoptrail.eval.planted.texts import hints_at, plain_words, spells, telling_words
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped

_STEP = re.compile(r"^(?P<subject>.+?) >> (?P<predicate>.+)$")
_PRONOUN = re.compile(r"(?:he|she|it|his|her|its|the|this)\b", re.IGNORECASE)
_LONGEST_OBJECT = 6
_LONGEST_QUOTE = 350  # a longer one is a list or the run-on text of an infobox

JUDGED_OUT = frozenset(
    """64614fc8 b6640a18 c22255a7 51a35ca2 90ee6f37 5cb8fc61 51a15f78 2003f08b 93215aae 79d89124
    132dcbaf 3294ff43 1d0b3334 5cfab5e1""".split()
)
"""The last parts of claims' ids.

"His estates included Lathom House in Lancashire" does not state a place of death.
"""


def load_claims(path: Path, form: str) -> list[PassageClaim]:
    """Return the true claims of a file, each once, without those that a reader judged not stated.

    Args:
        path: A JSON Lines file, or the folder of documents.
        form: One of `FORMS`.

    Raises:
        InputError: If the form is unknown, or the file is not of that form.
    """
    if form not in FORMS:
        raise InputError(f"no form {form!r}", hint=f"one of {', '.join(FORMS)}")
    claims = {claim.id: claim for claim in FORMS[form](path)}
    return [claim for id_, claim in claims.items() if id_.rpartition(":")[2] not in JUDGED_OUT]


def _question_set(path: Path) -> Iterator[PassageClaim]:
    """Yield the gold facts of questions, and what their paragraphs' sentences state."""
    passages: dict[tuple[str, str], Passage] = {}
    for question in read_json_lines(path):
        own = {}
        for place, item in enumerate(question.objects("paragraphs")):
            passage = _passage(item, f"{question.text('id')}/{place}")
            if passage is None:
                continue
            passage = passages.setdefault((passage.title, passage.text), passage)
            own[item.row.get("idx", place)] = passage
        yield from _evidence_triples(question, list(own.values()))
        yield from _decomposition(question, own)
    for passage in passages.values():
        yield from stated_claims(passage)


def _documents(path: Path) -> Iterator[PassageClaim]:
    """Yield what the sentences of a folder's documents state, passage by passage."""
    for document in load_documents([path]):
        if isinstance(document, Skipped):
            continue
        for chunk in chunk_document(document):
            yield from stated_claims(
                Passage(f"{document.id}#{chunk.start}", chunk.title, chunk.text)
            )


def stated_claims(passage: Passage) -> Iterator[PassageClaim]:
    """Yield what a passage's sentences state in known wordings, then in their own words."""
    yield from worded_claims(passage)
    yield from literal_claims(passage, tuple(sentences_of(passage.text)))


def _passage(item: Fields, id_: str) -> Passage | None:
    text = item.optional_text("text")
    return Passage(id_, item.optional_text("title") or "", text) if text else None


def _evidence_triples(question: Fields, passages: list[Passage]) -> Iterator[PassageClaim]:
    """Yield the gold triples of 2WikiMultiHopQA that a supporting passage states of its title."""
    for triple in question.items("evidences"):
        if not (isinstance(triple, list) and len(triple) == 3):
            raise question.error("the field 'evidences' is no list of triples")
        subject, predicate, object_ = map(str, triple)
        support = set(question.texts("supporting_titles"))
        for passage in passages:
            if passage.title in support and telling_words(subject) <= telling_words(passage.title):
                yield from _quoted(passage, subject, predicate, object_)


def _decomposition(question: Fields, own: dict[object, Passage]) -> Iterator[PassageClaim]:
    """Yield MuSiQue's steps of the form "subject >> predicate"."""
    answers: list[str] = []
    for step in question.objects("decomposition"):
        answer = step.optional_text("answer") or ""
        asked = _STEP.match(step.optional_text("question") or "")
        passage = own.get(step.row.get("paragraph_support_idx"))
        if asked and passage and answer:
            subject = re.sub(r"#(\d)", lambda n: _answer(answers, int(n[1])), asked["subject"])
            yield from _quoted(passage, subject.strip(), asked["predicate"].strip(), answer)
        answers.append(answer)


def _answer(answers: list[str], number: int) -> str:
    return answers[number - 1] if number <= len(answers) else ""


def _openie(path: Path) -> Iterator[PassageClaim]:
    """Yield extracted triples whose ends and predicate a sentence of their passage spells."""
    for row in read_json_lines(path):
        passage = _passage(row, row.text("passage_id"))
        for triple in row.items("triples") if passage else ():
            if passage and isinstance(triple, list) and len(triple) == 3:
                subject, predicate, object_ = map(str, triple)
                is_long = len(object_.split()) > _LONGEST_OBJECT
                for claim in () if is_long else _quoted(passage, subject, predicate, object_):
                    is_short = len(claim.quote) <= _LONGEST_QUOTE
                    if is_short and _is_in_order(claim):
                        yield claim


def _quoted(passage: Passage, subject: str, predicate: str, object_: str) -> Iterator[PassageClaim]:
    """Yield the claim with the first sentence that spells its object and is about its subject."""
    for place, quote in enumerate(sentences_of(passage.text)):
        is_topic = telling_words(subject) <= telling_words(passage.title)
        speaks_of_topic = place == 0 or _PRONOUN.match(quote) or hints_at(quote, subject)
        names_subject = spells(quote, subject) or (is_topic and bool(speaks_of_topic))
        if names_subject and spells(quote, object_) and not hints_at(subject, object_):
            id_ = claim_id(passage.id, quote, f"{subject}\n{predicate}", object_)
            yield PassageClaim(
                id_, passage.id, passage.title, passage.text, quote, subject, predicate, object_
            )
            return


def _is_in_order(claim: PassageClaim) -> bool:
    """Return whether the quote has all words of the predicate, one of them between the ends.

    An extracted triple without may join what its sentence does not. Also in order is a passive:
    "the seats were retained by the Democrats".
    """
    wanted = telling_words(claim.predicate)
    if not wanted or not all(hints_at(claim.quote, word) for word in wanted):
        return False
    said, object_, subject = (
        " ".join(plain_words(text)) for text in (claim.quote, claim.object, claim.subject)
    )
    before = said.partition(object_)[0]
    if subject in said and subject not in before:
        passive = re.search(rf"(\w+) by (?:the )?{re.escape(subject)}\b", said)
        return passive is not None and hints_at(passive[1], claim.predicate)
    between = before.rpartition(subject)[2] if subject in before else before
    return any(hints_at(between, word) for word in wanted)


FORMS: dict[str, Callable[[Path], Iterable[PassageClaim]]] = {
    "claims": read_claims,
    "questions": _question_set,
    "triples": _openie,
    "documents": _documents,
}
"""How claims are read: a file of claims, of questions with paragraphs, of triples, or a folder."""
