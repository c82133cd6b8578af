"""Answer by how much something changed: as stated ("rose by 12"), or from two amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.quantities import value_of
from hoptrail.agents.language.value_patterns import DECIMAL_COMMA
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.text import flat
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\bby\show\s(?:much|many)\b|\bhow\s(?:much|many)\s(?:more|less|fewer)\b"
    r"|\bwhat\s(?:is|was)\sthe\s(?:difference|increase|decrease|rise)\b",
    re.IGNORECASE,
)
# Words for the change itself, which a text tells in its own way.
_CHANGE = everyday_groups(
    "go goes going gone went up down rise rises rose risen raise raised increase increases "
    "increased fall falls fell fallen drop drops dropped decrease decreased change changes changed "
    "grow grows grew difference reduce reduced lower lowered cut much many more less fewer"
)
_CHANGES = re.compile(
    r"\b(?:goes?|went|going|gone|rise[sn]?|rose|rising|raised?|increase[sd]?|falls?|fell|fallen"
    r"|drop(?:s|ped)?|decrease[sd]?|change[sd]?|gr[eo]ws?|reduced?|lowered|cut)\b",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\s(?:to|up to|down to)\s")
_DECIMALS = re.compile(r"[.,](\d{1,2})$")
_DECIMAL_COMMA = re.compile(DECIMAL_COMMA)


def find_difference(question: str, index: EvidenceIndex) -> Draft | None:
    """Return by how much something changed, for a question that asks that; else None.

    A sentence must tell the change itself: "rose by £12", or both amounts, "from £84 to £97". Where
    none does the draft abstains: any other amount would be no difference.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    if _ASKS.search(question) is None:
        return None
    wanted = everyday_groups(_ASKS.sub(" ", question)) - _CHANGE
    for chunk_id in index.chunks:
        for sentence in index.sentences[chunk_id]:
            if wanted and wanted <= everyday_groups(sentence.text) | groups_above(sentence):
                for draft in _differences(sentence):
                    return draft
    return Draft("graph_search", reason="no_evidence")


def _differences(sentence: Sentence) -> Iterator[Draft]:
    """Yield the change that a sentence tells."""
    text = sentence.text
    change = _CHANGES.search(text)
    if change is None:
        return
    amounts = [
        one for one in find_values(text) if one.kind == "number" and one.start > change.end()
    ]
    for place, one in enumerate(amounts):
        if not is_asserted(text, one.start, one.end):
            continue
        before = text[: one.start].split()[-1:]
        if before == ["by"]:
            yield Draft(
                "graph_search", (one.text,), hops=(_claim(sentence, change, one),), reserve=""
            )
        following = amounts[place + 1] if place + 1 < len(amounts) else None
        if before == ["from"] and following and _FROM_TO.fullmatch(text[one.end : following.start]):
            if (answer := difference_of(one, following)) is not None:
                hop = _claim(sentence, change, following)
                yield Draft("graph_search", (answer,), hops=(hop,), derived=True, reserve="")


def _claim(sentence: Sentence, change: re.Match[str], amount: Value) -> HopClaim:
    """Return the sentence's claim up to an amount: what changed, how, the amount."""
    text = sentence.text
    subject, predicate = text[: change.start()], text[change.start() : amount.start]
    return HopClaim(flat(subject), flat(predicate), amount.text, sentence.chunk.id)


def difference_of(one: Value, other: Value) -> str | None:
    """Return the difference of two amounts of one measure, written as the second is."""
    first, second = _amount(one), _amount(other)
    if first is None or second is None or one.measure not in {None, other.measure}:
        return None
    decimals = max(map(_decimals, (one.digits, other.digits)))
    told = f"{abs(second - first):.{decimals}f}"
    if _DECIMAL_COMMA.fullmatch(other.digits):
        told = told.replace(".", ",")
    return other.text.replace(other.digits, told, 1)


def _amount(value: Value) -> float | None:
    numbers = value_of(Mention("", value.text, 0, len(value.text), "number"))
    return numbers[0] if numbers else None


def _decimals(digits: str) -> int:
    behind = _DECIMALS.search(digits)
    return len(behind[1]) if behind else 0
