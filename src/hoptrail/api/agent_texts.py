"""The texts of an agent's tools: short, with ids and file names that the other tools take."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.text import clipped, content_words, flat
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Answer, JsonDict
from hoptrail.core.types.answer import NearestPassage, TrailHop
from hoptrail.core.types.feedback import saved_words
from hoptrail.core.types.graph import CO_OCCURS

LONGEST_RESULT = 1_500
"""Tokens of one result, at most."""
PAGE_CHARACTERS = 5_000
"""Characters of a document that one call reads, at most."""

_SUPPORT = {
    "stated": "stated",
    "partly": "stated in part: read the quote",
    "none": "not found in the documents",
}
_LONGEST_NAME = 160
_LONGEST_CLAIM = 300
_LONGEST_QUOTE = 400
_LONGEST_DESCRIPTION = 600
_LEAST_OF_PASSAGE = 300
_LONGEST_ANSWER = 1_000  # tokens; the others count characters
_ROOM_FOR_NOTE = 40  # tokens


def answer_text(answer: Answer) -> str:
    """Return an answer with its steps and their quotes, or what stands nearest to the question."""
    head = [_cut(answer.text, _LONGEST_ANSWER)]
    if answer.perhaps:
        head.append(f"Given with reserve: {answer.perhaps_reason}")
    if answer.saved is not None:
        head.append(saved_words(answer.saved))
    head += [f"Made do with: {clipped(line, _LONGEST_CLAIM)}" for line in answer.degraded[:3]]
    if answer.trail.hops and not answer.abstained:
        steps = [
            _quoted(f"Step {hop.hop}, {_SUPPORT[hop.support]}: {hop.claim}", hop.quote, hop)
            for hop in answer.trail.hops
        ]
        return _within(head, steps, "{} more steps")
    near = [_quoted(f"Near: {one.title}", one.in_context, one) for one in answer.nearest]
    return _within(head, near, "{} more passages are near")


def passages_text(passages: Sequence[JsonDict]) -> str:
    """Return passages of `Hoptrail.retrieve`, the long ones cut where there are many.

    Args:
        passages: Best first.
    """
    if not passages:
        return "Nothing was found."
    longest = max(len(passage["text"]) for passage in passages)
    items = [_passage(passage, longest) for passage in passages]
    while _tokens(items) > LONGEST_RESULT - _ROOM_FOR_NOTE and longest > _LEAST_OF_PASSAGE:
        longest = max(_LEAST_OF_PASSAGE, longest * 4 // 5)
        items = [_passage(passage, longest) for passage in passages]
    return _within([], items, "{} more passages: ask for fewer")


def entity_text(entity: JsonDict, about: str) -> str:
    """Return what is told of an entity of `Hoptrail.entity`.

    Args:
        entity: The entity with its relations and passages.
        about: What is looked for; relations with more of its words come first.
    """
    head = [_entity(entity)]
    if entity["aliases"]:
        head.append(f"Also: {clipped(', '.join(entity['aliases'][:8]), _LONGEST_CLAIM)}")
    if entity["description"]:
        head.append(clipped(entity["description"], _LONGEST_DESCRIPTION))
    wanted = set(content_words(about))
    relations = sorted(
        entity["relations"], key=lambda one: (-_shared(one, wanted), one["predicate"] == CO_OCCURS)
    )
    if not relations:
        mentions = [_passage(one, _LEAST_OF_PASSAGE) for one in entity["passages"]]
        return _within([*head, "No relation is known. Passages:"], mentions, "{} more passages")
    left_out = entity["relations_total"] - len(relations)
    lines = [_relation(one, entity["id"]) for one in relations]
    return _within(head, lines, "{} more relations: say in `about` what you look for", left_out)


def choices_text(name: str, entities: Sequence[JsonDict]) -> str:
    """Return the entities that a name may mean, for an agent to choose one."""
    head = [f"{clipped(name, _LONGEST_NAME)!r} may mean several; explore the id of one:"]
    items = [
        f"- {_entity(one)}, {one['relations']} relations. {clipped(one['description'], 160)}"
        for one in entities
    ]
    return _within(head, items, "{} more: give more of the name")


def document_text(document: JsonDict) -> str:
    """Return a part of a document of `Hoptrail.document`, and how to read on."""
    start, total = document["offset"], document["total"]
    text = document["text"]
    while True:
        end = start + len(text)
        title = clipped(document["title"], _LONGEST_NAME)
        head = f"{title}, {document['doc_id']}, characters {start} to {end} of {total}"
        rest = f"\n\nIt goes on: read it again with start={end}." if end < total else ""
        whole = f"{head}\n\n{text}{rest}"
        if estimate_tokens(whole) <= LONGEST_RESULT or not text:
            return whole
        text = text[: len(text) * 9 // 10]


def _quoted(claim: str, quote: str | None, place: TrailHop | NearestPassage) -> str:
    head = clipped(claim, _LONGEST_CLAIM)
    if not quote or place.doc_id is None:
        return head
    said = clipped(quote, _LONGEST_QUOTE)
    page = f", {place.place}" if place.place else ""
    spot = f"{place.doc_id} {place.start}-{place.end}{page}, passage {place.chunk_id}"
    return f'{head}\n  "{said}" ({spot})'


def _passage(passage: JsonDict, longest: int) -> str:
    text = passage["text"].strip()
    cut = " ... (read the passage for the rest)" if len(text) > longest else ""
    page = f", {passage['place']}" if passage["place"] else ""
    title = clipped(passage["title"], _LONGEST_NAME)
    head = f"{title} ({passage['doc_id']}{page}, passage {passage['chunk_id']})"
    return f"{head}\n{text[:longest]}{cut}\n"


def _entity(entity: JsonDict) -> str:
    type_ = f", {flat(entity['type'])}" if entity["type"] else ""
    return f"{clipped(entity['name'], _LONGEST_NAME)} (entity {entity['id']}{type_})"


def _relation(relation: JsonDict, here: str) -> str:
    """Return a relation as a line; the other end bears its id."""
    subject, target = (
        clipped(relation[name], _LONGEST_NAME)
        + ("" if relation[end] == here else f" (entity {relation[end]})")
        for name, end in (("subject", "source"), ("object", "target"))
    )
    plain = f"{relation['subject']} {relation['predicate']} {relation['object']}"
    is_plain = flat(relation["text"]) == flat(plain)
    said = "" if is_plain else f': "{clipped(relation["text"], _LONGEST_QUOTE)}"'
    passage = f" (passage {relation['chunk_ids'][0]})" if relation["chunk_ids"] else ""
    return f"- {subject} | {flat(relation['predicate'])} | {target}{said}{passage}"


def _shared(relation: JsonDict, wanted: set[str]) -> int:
    said = f"{relation['subject']} {relation['predicate']} {relation['object']} {relation['text']}"
    return len(wanted.intersection(content_words(said)))


def _within(head: Sequence[str], items: Sequence[str], note: str, left_out: int = 0) -> str:
    """Return as many items as there is room for, and how many are left out."""
    room = LONGEST_RESULT - _ROOM_FOR_NOTE - _tokens(head)
    kept: list[str] = []
    for item in items:
        room -= _tokens([item])
        if room < 0:
            break
        kept.append(item)
    left_out += len(items) - len(kept)
    last = [f"({note.format(left_out)})"] if left_out else []
    return "\n".join([*head, *kept, *last])


def _tokens(texts: Sequence[str]) -> int:
    return sum(estimate_tokens(text) + 1 for text in texts)


def _cut(text: str, tokens: int) -> str:
    kept = text
    while estimate_tokens(kept) > tokens:
        kept = kept[: len(kept) * 9 // 10]
    return kept if len(kept) == len(text) else f"{kept} ... (cut)"
