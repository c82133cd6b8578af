"""Answer which row of a table has the most or least of something: "Which part is the cheapest?"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import LabelledPart, labelled_parts
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.language.table_rows import identifying_parts, row_name
from hoptrail.agents.offline.cell_lookup import look_up_cell
from hoptrail.agents.offline.listed_answer import is_cut_off
from hoptrail.agents.offline.measured_comparison import asked_amount
from hoptrail.agents.offline.quantities import quantity_of
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.core.types.draft import Draft

_EXTREME = r"(?:[a-z]{3,12}est|(?:most|least)\s(?:expensive|costly)|most|least|fewest)"
_NOUN = r"(?P<noun>[a-z][a-z -]{1,40}?)"
_ASKS = (
    re.compile(rf"(?:which|what)\s(?P<is>is|was)\sthe\s(?P<told>{_EXTREME})\s{_NOUN}\s?\?"),
    re.compile(
        rf"(?:which|what|who)(?:\s{_NOUN})?"
        rf"\s(?P<told>[a-z]{{2,20}}\sthe\s{_EXTREME}(?:\s[a-z][\w -]{{2,40}}?)?)\s?\?"
    ),
)
_COMPARATIVES = {"most": "more", "least": "less", "fewest": "fewer"}
_ATTACHED = re.compile(r"\s(?:at|in|of|on|from|by)\s")
_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class _Row:
    sentence: Sentence
    key: LabelledPart
    name: str


def find_extreme(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the row that has most or least of what a question asks about, None without one.

    All rows of one table tell the amount, in units of one kind, and one of them has the most. The
    trail has them all. A table that may go on in another passage is answered from with reserve.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asked = _read(question)
    if asked is None:
        return None
    noun, amount, sign = asked
    found = [
        draft
        for table in _tables(index)
        if (rows := _meant(noun, table, index))
        and (draft := _extreme(rows, amount, sign, index)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _read(question: str) -> tuple[str, str, int] | None:
    """Return the noun of what is sought, the question for one's amount, and which end."""
    text = question.strip().lower()
    match = next(filter(None, (pattern.fullmatch(text) for pattern in _ASKS)), None)
    if match is None:
        return None
    found, told = match.groupdict(), match["told"]
    told = f"{found['is']} {told}" if found.get("is") else told
    told = re.sub(r"(?:the\s)?\b(most|least|fewest)\b", lambda word: _COMPARATIVES[word[1]], told)
    asked = asked_amount(re.sub(r"\b([a-z]{3,10})est\b", r"\1er", told), None)
    return None if asked is None else (found["noun"] or "", *asked)


def _tables(index: EvidenceIndex) -> list[list[_Row]]:
    """Return the named rows of each table: those of one document that have the same labels."""
    tables: dict[tuple[str, ...], list[_Row]] = defaultdict(list)
    for sentences in index.sentences.values():
        for sentence in sentences:
            text, parts = sentence.text, labelled_parts(sentence.text)
            if len(parts) < 2:
                continue
            table = (sentence.chunk.doc_id, sentence.section, parts[0].label)
            for key in identifying_parts(parts, text, sentence.chunk.text)[:1]:
                tables[table].append(_Row(sentence, key, row_name(key, text)))
    return [rows for rows in tables.values() if 1 < len(rows) <= _MOST_ROWS]


def _meant(noun: str, rows: Sequence[_Row], index: EvidenceIndex) -> Sequence[_Row]:
    """Return the rows that a noun means: "pitch at Fernhollow", "pitch in the north field".

    The column that names the rows is called "Pitch", or what stands above the table is; a field is
    a cell of some rows, or what the passage tells of beside them. None are returned for other rows.
    """
    kind, _, place = _ATTACHED.sub("|", noun, count=1).partition("|")
    label = everyday_groups(rows[0].key.label.replace("_", " "))
    above = groups_above(rows[0].sentence)
    if not everyday_groups(kind) <= label | above:
        return ()
    where = everyday_groups(place)
    if where and (there := [row for row in rows if where <= everyday_groups(row.sentence.text)]):
        return there if len(there) > 1 else ()
    beside = (one.text for one in index.sentences[rows[0].sentence.chunk.id])
    told = " ".join(text for text in beside if len(labelled_parts(text)) < 2)
    return rows if where <= above | everyday_groups(told) else ()


def _extreme(rows: Sequence[_Row], amount: str, sign: int, index: EvidenceIndex) -> Draft | None:
    told = []
    for row in rows:
        draft = look_up_cell(amount.replace("{thing}", row.name), index)
        quantity = None if draft is None or len(draft.answers) != 1 else quantity_of(draft.text)
        if draft is None or quantity is None:
            return None
        told.append((quantity, row, draft))
    if not all(quantity.is_comparable(told[0][0]) for quantity, _, _ in told):
        return None
    told.sort(key=lambda one: -sign * one[0].amount)
    if told[0][0].amount == told[1][0].amount:
        return None
    hops = tuple(hop for _, _, draft in told for hop in draft.hops)
    is_part = any(is_cut_off(row.sentence.chunk, index) for _, row, _ in told)
    reserve = PART if is_part else next((one.reserve for *_, one in told if one.reserve), "")
    return Draft("graph_search", (told[0][1].name,), hops=hops, derived=True, reserve=reserve)
