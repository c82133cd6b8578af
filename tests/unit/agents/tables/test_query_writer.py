from __future__ import annotations

import pytest

from hoptrail.agents.tables.query_writer import select_of

QUERY = """SELECT "Boat" FROM "hire"\nWHERE "Note" = 'a; b'"""


@pytest.mark.parametrize(
    "reply",
    [
        QUERY,
        f"{QUERY};",
        f"```sql\n{QUERY};\n```\nThis finds the boat.",
        f"Here is the query:\n\n{QUERY};\n\nIt names the boat.",
        f"{QUERY}; SELECT 2",
    ],
)
def test_the_first_query_of_a_reply_is_taken_without_the_text_around_it(reply: str) -> None:
    assert select_of(reply) == QUERY


@pytest.mark.parametrize("reply", ["NONE", "None of the tables tells it.", "", "```\nNONE\n```"])
def test_a_reply_may_say_that_no_table_tells_it(reply: str) -> None:
    assert select_of(reply) == ""


def test_what_is_no_query_is_left_to_be_refused() -> None:
    assert select_of("DROP TABLE hire") == "DROP TABLE hire"
