from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.api.index_options import with_choices
from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.indexing.options import CommunityOptions, IndexOptions


def test_choices_change_single_fields() -> None:
    options = IndexOptions(source="wiki", concurrency=2)
    assert with_choices(options, {"concurrency": 3}) == IndexOptions(source="wiki", concurrency=3)


def test_lists_become_tuples_and_names_of_files_paths() -> None:
    chosen = with_choices(IndexOptions(), {"triples": ["a.jsonl"], "entity_types": ["Person"]})
    assert chosen.triples == (Path("a.jsonl"),)
    assert chosen.entity_types == ("Person",)


def test_an_unknown_option_is_named_with_the_kind() -> None:
    with pytest.raises(UnknownNameError, match="community option"):
        with_choices(CommunityOptions(), {"concurency": 3})


def test_a_value_out_of_range_is_refused() -> None:
    with pytest.raises(SettingsError, match="concurrency"):
        with_choices(CommunityOptions(), {"concurrency": 0})
