from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.told_circumstance import find_circumstance
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

RULES = """# House rules of the campsite

Bonfires are allowed after 6 pm. Cars are parked behind the barn. The pitch fee must be paid by
10 June. The quiz night takes place in the barn on 3 May and costs 2 pounds.
2. Hedges may be cut only after 31 August.
Bikes on the beach are allowed after 7 pm. Ann Lee was born in Lund on 3 March 1871.
Guests are not admitted before 9 am.
"""


def evidence() -> Evidence:
    chunk = Chunk("c", "camp/rules.md", "House rules of the campsite", RULES, 0, len(RULES))
    return Evidence(chunks=(Hit(chunk, 1.0),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When are bonfires allowed?", "after 6 pm"),
        ("When are bonfires permitted?", "after 6 pm"),
        ("Where are cars parked?", "behind the barn"),
        ("When must the pitch fee be paid?", "by 10 June"),
        ("Where does the quiz night take place?", "in the barn"),
        ("When does the quiz night take place?", "3 May"),
        ("When may hedges be cut?", "only after 31 August"),
        ("Where was Ann Lee born?", "Lund"),
        ("When was Ann Lee born?", "3 March 1871"),
    ],
)
def test_time_or_place_is_told_in_the_words_of_the_sentence(question: str, answer: str) -> None:
    draft = find_circumstance(question, EvidenceIndex(evidence()))

    assert draft is not None
    assert draft.answers == (answer,)
    verdict = verify(draft, question, "bridge", evidence())
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve is None


@pytest.mark.parametrize(
    "question",
    [
        "When are dogs allowed?",
        "When are bikes allowed?",  # those on the beach alone
        "When are bonfires lit?",
        "When are guests admitted?",  # denied
        "Where are bonfires allowed?",
    ],
)
def test_no_sentence_tells_it_of_the_thing(question: str) -> None:
    assert find_circumstance(question, EvidenceIndex(evidence())) is None
