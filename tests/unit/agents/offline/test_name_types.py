from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.mentions import Mention, MentionKind
from hoptrail.agents.offline.name_types import NameTyper, known_kinds
from hoptrail.core.types import Evidence
from tests.unit.agents.conftest import index_of


def mention(name: str, kind: MentionKind = "entity") -> Mention:
    return Mention(name.lower(), name, 0, len(name), kind)


@pytest.mark.parametrize(
    ("name", "answer_type"),
    [
        ("Ida Holm", "person"),
        ("Varde", "place"),
        ("Sydland", "place"),
        ("College of Ribe", "organization"),
        ("Denmark", "place"),
        ("Krogh Ltd", "organization"),
        ("Zyx", None),
    ],
)
def test_evidence_and_spelling_tell_the_type(
    name: str, answer_type: str | None, articles: Evidence
) -> None:
    kinds = NameTyper(SentenceGraph(EvidenceIndex(articles)))
    assert kinds.type_of(mention(name)) == answer_type


def test_the_very_noun_fits_best_and_another_kind_worst(articles: Evidence) -> None:
    kinds = NameTyper(SentenceGraph(EvidenceIndex(articles)))
    assert kinds.fit(mention("Sydland"), "province", "place") == 1.0
    assert kinds.fit(mention("Varde"), "province", "place") == 0.7
    assert kinds.fit(mention("Ida Holm"), "province", "place") == -1.0
    assert kinds.fit(mention("1921", "date"), "", "person") == -1.0


def test_the_brother_of_someone_is_another_one() -> None:
    text = "He is the brother of Petra Vance. The town of Varde is old."
    kinds = NameTyper(SentenceGraph(index_of(text, title="Colin Marsh")))
    assert "brother" not in kinds.nouns("petra vance")
    assert "town" in kinds.nouns("varde")


def test_states_and_countries_need_no_evidence() -> None:
    assert known_kinds("georgia") == {"country", "state"}
    assert known_kinds("varde") == frozenset()
