from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.eval.judges.criteria import CRITERIA, DIRECTNESS, OVERALL, choose_criteria


def test_no_names_mean_all_criteria() -> None:
    assert choose_criteria([]) == CRITERIA


def test_chosen_criteria_keep_their_order() -> None:
    assert choose_criteria(["overall", "directness", "overall"]) == (DIRECTNESS, OVERALL)


def test_an_unknown_criterion_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'directness'"):
        choose_criteria(["direct"])


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="empty name"):
        choose_criteria(["overall", ""])


def test_names_are_distinct_and_can_be_fields_of_a_reply() -> None:
    names = [criterion.name for criterion in CRITERIA]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)
