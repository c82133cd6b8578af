from __future__ import annotations

import pytest

from hoptrail.agents.language.reserves import ASKED, silent, unstated
from hoptrail.agents.verification.likelihood import LEAST, likelihood_of
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.types import AnswerCandidate, Trail, TrailHop
from hoptrail.core.types.draft import Draft
from hoptrail.models.passage_reader import PassageReader
from tests.unit.agents.conftest import evidence_of

FERRY = "The ferry to Skerrow was built by Mallin Dockyard. Anders Quist is its captain."
OTHERS = [f"On day {day} the library lent {day} books to its members." for day in range(20)]
QUESTION = "Who built the ferry to Skerrow?"


def likely(
    answer: str,
    reader: PassageReader | None,
    *,
    question: str = QUESTION,
    reserve: str | None = unstated(ASKED),
    before: int = 0,
    strategy: str = "graph_search",
) -> float | None:
    evidence = evidence_of(*OTHERS[:before], FERRY, *OTHERS[before:])
    hop = TrailHop(1, "", "", "", "", chunk_id=f"c{before + 1}", supported=True, support="stated")
    verdict = Verification(
        Trail((hop,)), (AnswerCandidate(answer, None, 1.0),), (), False, True, reserve=reserve
    )
    draft = Draft(strategy, answers=(answer,), reserve=reserve)  # type: ignore[arg-type]
    return likelihood_of(draft, verdict, question, evidence, reader)


def sure(answer: str, reader: PassageReader, **given: object) -> float:
    found = likely(answer, reader, **given)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_words_that_the_reader_takes_for_the_answer_are_likelier(reader: PassageReader) -> None:
    assert sure("Mallin Dockyard", reader) > sure("Anders Quist", reader)


def test_an_answer_of_a_passage_far_behind_is_less_likely(reader: PassageReader) -> None:
    assert sure("Anders Quist", reader) > LEAST > sure("Anders Quist", reader, before=20)


def test_one_word_that_the_passage_lacks_is_a_small_doubt(reader: PassageReader) -> None:
    one_word = sure("Mallin Dockyard", reader, reserve=silent("built"))
    assert one_word > sure("Mallin Dockyard", reader, reserve=unstated(ASKED))


@pytest.mark.parametrize(
    "given",
    [
        {"reserve": None},  # a plain answer
        {"strategy": "short"},  # a model's
        {"strategy": "tables"},
        {"question": "Wer hat die Fähre nach Skerrow gebaut?"},
    ],
)
def test_nothing_is_known_of_other_answers(reader: PassageReader, given: dict[str, str]) -> None:
    assert likely("Mallin Dockyard", reader, **given) is None  # type: ignore[arg-type]


def test_without_a_reader_nothing_is_known() -> None:
    assert likely("Mallin Dockyard", None) is None
