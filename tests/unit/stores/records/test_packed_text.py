from __future__ import annotations

import pytest

from hoptrail.stores.records.stored_text import packed_text, unpacked_text

LONG = "Die Überfahrt kostet 5 €. 渡し船 \U0001f6f6 " * 40


@pytest.mark.parametrize("text", ["", "short", LONG])
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert unpacked_text(packed_text(text)) == text


def test_a_long_text_takes_a_part_of_its_bytes_and_a_short_one_stays_readable() -> None:
    assert len(packed_text(LONG)) < len(LONG.encode()) / 5
    assert packed_text("short") == "short"


def test_damaged_bytes_are_told() -> None:
    stored = packed_text(LONG)
    assert isinstance(stored, bytes)
    with pytest.raises(ValueError, match="damaged"):
        unpacked_text(stored[:-5])
