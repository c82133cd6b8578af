from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.retrievers.setwise.candidates import Candidates, Sign
from hoptrail.retrievers.setwise.selection import Selection

_COMMON, _RARE = 0, 1


@pytest.fixture
def candidates() -> Candidates:
    """Passages 0 and 2 mention a rare entity, by which 2 is titled; 0 and 1 a common one."""
    has_word = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.float32)
    return Candidates(
        rows=np.array([7, 3, 9, 4], dtype=np.int32),
        chunks={},
        features=np.zeros((4, 6), dtype=np.float32),
        has_word=has_word,
        word_weights=np.array([0.5, 0.25, 0.25], dtype=np.float32),
        mention_of=np.array([0, 0, 1, 2], dtype=np.int32),
        mentioned=np.array([_COMMON, _RARE, _COMMON, _RARE], dtype=np.int32),
        entities=np.array([40, 50], dtype=np.int32),
        entity_passages=np.array([100, 4], dtype=np.int32),
        title_entity=np.array([-1, -1, _RARE, -1], dtype=np.int32),
    )


def column(selection: Selection, sign: Sign) -> FloatArray:
    values: FloatArray = selection.features()[:, sign]
    return values


def test_all_words_are_new_until_a_passage_is_chosen(candidates: Candidates) -> None:
    selection = Selection(candidates)
    assert column(selection, Sign.NEW_WORDS).tolist() == [0.75, 0.75, 0.25, 0.0]
    selection.add(0)
    assert column(selection, Sign.NEW_WORDS).tolist() == [0.0, 0.0, 0.25, 0.0]


def test_a_shared_entity_counts_the_more_the_rarer_it_is(candidates: Candidates) -> None:
    selection = Selection(candidates)
    assert not column(selection, Sign.SHARED_ENTITY).any()
    selection.add(0)
    assert column(selection, Sign.SHARED_ENTITY)[1:].tolist() == pytest.approx([0.1, 0.5, 0.0])


def test_a_passage_titled_by_what_a_chosen_one_mentions_is_told(candidates: Candidates) -> None:
    selection = Selection(candidates)
    selection.add(0)
    titled = column(selection, Sign.TITLED_BY_MENTIONED)
    assert titled.tolist() == pytest.approx([0.0, 0.0, np.sqrt(0.5), 0.0])


def test_the_passage_that_adds_words_and_is_linked_comes_before_its_like(
    candidates: Candidates,
) -> None:
    selection = Selection(candidates)
    selection.choose(2)
    assert selection.places == [0, 2]
    assert selection.links == [None, 50]
    assert selection.rest() == [1, 3]


def test_no_more_are_chosen_than_there_are(candidates: Candidates) -> None:
    selection = Selection(candidates)
    selection.choose(10)
    assert sorted(selection.places) == [0, 1, 2, 3]
    assert selection.rest() == []
