from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from hoptrail.agents.language.reserves import ASKED, OTHER_READING, other_text, silent, unstated
from hoptrail.agents.tables.query_writer import draft_from_result, joined, schema_of, select_of
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.types.draft import Draft
from tests.tables import table_of

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


TOOLS = table_of(
    "tools",
    ["Tool", "Price", "Deposit", "Shelf"],
    ["Spade", "£4.00", "£10.00", "A1"],
    ["Rake", "£3.50", "£12.00", "tbc"],
    ["Tea urn", "£9.00", "£5.00", "B2"],
    sections={0: "Garden", 1: "Garden", 2: "Parties"},
)


def drafted(question: str, query: str) -> Draft:
    with closing(TableDatabase([TOOLS])) as database:
        return draft_from_result(question, database.run(query), database)


@pytest.mark.parametrize(
    ("question", "shown", "answer"),
    [
        ("What do all tools cost together?", 'sum("Price")', "£16.50"),
        ("What do two of each cost?", 'sum("Price") * 2', "£33"),
        ("How many tools are there?", "count(*)", "3"),
        ("What share of the deposit is the price?", 'sum("Price") / sum("Deposit")', "0.61"),
        ("How much more is the price than the deposit?", 'sum("Price" - "Deposit")', "£10.50"),
        ("What is left?", 'sum("Price" - "Deposit")', "£-10.50"),
        ("What is the tea urn under?", "section", "Garden"),
    ],
)
def test_a_number_is_told_with_the_unit_of_what_it_is_made_of(
    question: str, shown: str, answer: str
) -> None:
    assert drafted(question, f"SELECT {shown} FROM tools").answers[0] == answer


@pytest.mark.parametrize(
    "query",
    [
        'SELECT "Shelf" FROM tools WHERE "Tool" = \'Rake\'',
        'SELECT "Tool" FROM tools WHERE "Tool" = \'Rake\'',
        "SELECT count(*) FROM tools WHERE \"Tool\" = 'Hoe'",
        'SELECT sum("Price") FROM tools WHERE "Tool" = \'Hoe\'',
        'SELECT sum("Price" - "Price") FROM tools',
    ],
)
def test_no_value_and_a_value_that_was_looked_for_are_no_answer(query: str) -> None:
    assert drafted("Where is the rake?", query).abstained


def test_one_of_several_that_the_question_names_is_an_answer() -> None:
    query = (
        """SELECT "Tool" FROM tools WHERE "Tool" IN ('Rake', 'Spade') ORDER BY "Price" LIMIT 1"""
    )
    assert drafted("Which is cheaper, the rake or the spade?", query).answers == ("Rake",)


@pytest.mark.parametrize(
    ("cheaper", "dearer", "answer"), [("Rake", "Spade", "yes"), ("Spade", "Rake", "no")]
)
def test_a_comparison_says_yes_or_no_where_that_is_asked(
    cheaper: str, dearer: str, answer: str
) -> None:
    price = '(SELECT "Price" FROM tools WHERE "Tool" = \'{}\')'
    query = f"SELECT {price.format(cheaper)} < {price.format(dearer)}"
    question = f"Is the {cheaper.lower()} cheaper than the {dearer.lower()}?"
    assert drafted(question, query).answers == (answer,)
    assert drafted(question, query.replace("Rake", "Hoe")).abstained


def given(answer: str, reserve: str = "") -> Draft:
    return Draft("tables", (answer,) if answer else (), reserve=reserve)


def confirmed(answer: str, reserve: str) -> Draft:
    return replace(given(answer, reserve), is_confirmed=True)


DOUBT = silent("routes")
OTHER = other_text('"8"', OTHER_READING)


@pytest.mark.parametrize(
    ("by_template", "written", "together", "is_enough"),
    [
        pytest.param(None, given("7"), given("7", unstated(ASKED)), True, id="alone"),
        pytest.param(None, given("7", DOUBT), given("7", DOUBT), False, id="alone, in other words"),
        pytest.param(None, given(""), given("", unstated(ASKED)), False, id="nothing"),
        pytest.param(given("7", DOUBT), given("7"), confirmed("7", DOUBT), True, id="the same"),
        pytest.param(
            given("7", DOUBT), given("7", DOUBT), given("7", DOUBT), True, id="both doubt"
        ),
        pytest.param(given("8", DOUBT), given("7"), given("7", OTHER), True, id="says it all"),
        pytest.param(given("8", DOUBT), given("7", DOUBT), given("8", DOUBT), True, id="neither"),
        pytest.param(given("8", DOUBT), given(""), given("8", DOUBT), True, id="found nothing"),
    ],
)
def test_two_queries_of_which_one_is_a_small_models(
    by_template: Draft | None, written: Draft, together: Draft, is_enough: bool
) -> None:
    told, ends = joined(by_template, written)
    assert (told.answers, ends) == (together.answers, is_enough)
    assert told.is_confirmed is together.is_confirmed
    assert told.abstained or told.reserve == together.reserve


@pytest.mark.parametrize(("reserve", "is_enough"), [("", True), (DOUBT, False)])
def test_a_small_models_query_takes_the_place_of_an_answer_where_it_has_all_words(
    reserve: str, is_enough: bool
) -> None:
    assert joined(None, given("7", reserve), found=("8",))[1] is is_enough


def test_a_small_models_query_that_has_all_words_confirms_what_was_found() -> None:
    assert joined(None, given("7"), found=("7",)) == (confirmed("7", unstated(ASKED)), True)
    assert joined(None, given("7", DOUBT), found=("7",)) == (given("7", DOUBT), True)


def test_a_model_is_shown_what_lines_rows_stand_below() -> None:
    with closing(TableDatabase([TOOLS])) as database:
        assert "  \"section\" TEXT, -- 'Garden', 'Parties'" in schema_of("x", [TOOLS], database)
