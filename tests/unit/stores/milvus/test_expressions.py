from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.stores.milvus import expressions

# What Milvus and Milvus Lite both read as one string literal, and the escapes that both know.
_LITERAL = re.compile(r'"(?:[^"\\\n\r]|\\["\\nrt])*"')
_MEANT = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
TEXTS = st.text(st.characters(codec=None), max_size=60)
HOSTILE = ('"', '" or "" == "', "\\", '\\" or 1 == 1 or kb == "', "x\n] or kb in [", "{kb}", "'")


def meaning(literal: str) -> str:
    """Read a literal as the parsers do."""
    assert _LITERAL.fullmatch(literal), literal
    return re.sub(r"\\.", lambda found: _MEANT[found[0]], literal[1:-1])


@given(TEXTS)
def test_a_literal_means_its_text_and_nothing_else(text: str) -> None:
    assert meaning(expressions.literal(text)) == expressions.storable(text)


@given(st.lists(TEXTS | st.sampled_from(HOSTILE), min_size=1, max_size=5))
def test_a_list_holds_as_many_literals_as_values(values: list[str]) -> None:
    condition = expressions.is_one_of("item_id", values)
    inside = condition.removeprefix("item_id in [").removesuffix("]")
    found = _LITERAL.findall(inside)
    assert ", ".join(found) == inside
    assert [meaning(one) for one in found] == [expressions.storable(one) for one in values]


@given(TEXTS | st.sampled_from(HOSTILE))
def test_the_name_of_a_base_opens_no_other(kb: str) -> None:
    condition = expressions.shown_in(kb, 7, 3)
    literal = expressions.literal(kb)
    assert condition == f"kb == {literal} and born >= 3 and born <= 7 and died > 7"


@given(TEXTS)
def test_what_is_stored_can_be_sent(text: str) -> None:
    stored = expressions.storable(text)
    assert stored.encode().decode() == stored
    assert "\x00" not in stored
