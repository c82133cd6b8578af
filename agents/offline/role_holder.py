"""Answer who holds a role by the name that a text sets beside it: "Ruth Feldman (treasurer)"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.roles_beside import RoleBeside, roles_beside
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}who(?:\sis|['’]s)\s(?:now\s|currently\s)?(?:the|our|your|their)\s"
    r"(?P<role>[a-z][a-z-]{1,30}(?: (?!of |for |at )[a-z][a-z-]{1,30}){0,3})"
    r"(?:\s(?:of|for|at)\s(?P<body>[^?]{2,80}))?\s?\?{0,3}",
    re.IGNORECASE,
)


def find_role_holder(question: str, index: EvidenceIndex) -> Draft | None:
    """Return who holds the role that a question asks for, where the evidence names one such person.

    "Deputy treasurer" is another role than "treasurer". None for any other question, and where
    different persons hold the role in different passages.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asks = _ASKS.fullmatch(question.strip())
    if asks is None:
        return None
    found = list(_holders(word_groups(asks["role"]), word_groups(asks["body"] or ""), index))
    if len({name_key(beside.name) for beside, _ in found}) != 1:
        return None
    beside, sentence = found[0]
    role = asks["role"].lower()
    claim = HopClaim(beside.name, "is", role, sentence.chunk.id)
    return Draft("graph_search", (beside.name,), hops=(claim,), reserve="")


def _holders(
    role: frozenset[str], body: frozenset[str], index: EvidenceIndex
) -> Iterator[tuple[RoleBeside, Sentence]]:
    """Yield the names with the role in the passages that speak of the body it is a role in."""
    for chunk_id, chunk in index.chunks.items():
        if not body <= word_groups(f"{chunk.title} {chunk.text}"):
            continue
        for sentence in index.sentences[chunk_id]:
            for beside in roles_beside(sentence.text):
                is_told = is_asserted(sentence.text, beside.start, beside.end)
                if is_told and word_groups(beside.role) == role:
                    yield beside, sentence
