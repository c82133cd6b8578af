"""One read-only query over tables, and what is refused."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from hoptrail.core.errors import QueryError
from hoptrail.core.tables import table_database
from hoptrail.core.tables.table import Table
from hoptrail.core.tables.table_database import TableDatabase
from tests.tables import table_of


@pytest.fixture
def tables() -> list[Table]:
    flours = table_of(
        "Flours", ["Code", "Flour", "Price €"], ["R11", "Rye", "2,50"], ["W55", "White", "1,80"]
    )
    loaves = table_of(
        "Loaves",
        ["Loaf", "Flour", "From", "Opens"],
        ["Dark", "R11", "3 May 2024", "9:30"],
        ["Tin", "W55", "4 May 2024", "10:00"],
        ["Total", "", "", ""],
        kinds={2: "total"},
    )
    return [flours, loaves]


@pytest.fixture
def database(tables: list[Table]) -> Iterator[TableDatabase]:
    with closing(TableDatabase(tables)) as opened:
        yield opened


def test_values_are_typed_and_rows_that_sum_up_are_left_out(database: TableDatabase) -> None:
    assert database.run('SELECT sum("Price €") FROM flours').rows == ((4.3,),)
    assert database.run("SELECT * FROM loaves").rows == (
        (1, "Dark", "R11", "2024-05-03", "09:30"),
        (2, "Tin", "W55", "2024-05-04", "10:00"),
    )


def test_lines_that_rows_stand_below_are_a_column(tables: list[Table]) -> None:
    tools = table_of(
        "Tools",
        ["Tool", "Section"],
        ["Spade", "a"],
        ["Tea urn", "b"],
        sections={0: "Garden", 1: "Parties"},
    )
    with closing(TableDatabase([*tables, tools])) as database:
        query = "SELECT Tool FROM tools WHERE \"section (2)\" = 'Parties'"
        assert database.section_name(tools) == '"section (2)"'
        assert database.run(query).rows == (("Tea urn",),)
        database.check_names(query)
        assert database.section_name(tables[0]) is None


def test_tables_are_joined(database: TableDatabase) -> None:
    query = (
        "SELECT f.\"Price €\" FROM loaves l JOIN flours f ON f.Code = l.Flour WHERE l.Loaf = 'Dark'"
    )
    assert database.run(query).rows == ((2.5,),)
    assert database.rows_behind(query) == {"d/Loaves#1": (0,), "d/Flours#1": (0,)}


def test_a_name_in_double_quotes_that_is_no_column_is_no_text(database: TableDatabase) -> None:
    with pytest.raises(QueryError, match="no such column: price"):
        database.check_names('SELECT "Price" FROM flours')
    database.check_names('SELECT max("Price €") AS dearest FROM flours ORDER BY dearest')
    database.check_names("WITH rye AS (SELECT * FROM flours) SELECT Code, _row FROM rye")


def test_the_rows_behind_an_aggregate_are_told(database: TableDatabase) -> None:
    query = "SELECT count(*) FROM loaves WHERE \"From\" > '2024-05-03'"
    assert database.rows_behind(query) == {"d/Loaves#1": (1,)}


def test_the_rows_behind_an_order_are_those_that_are_shown(database: TableDatabase) -> None:
    query = 'SELECT Flour FROM flours ORDER BY "Price €" DESC LIMIT 1'
    assert database.rows_behind(query) == {"d/Flours#1": (0,)}


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM flours",
        "INSERT INTO flours VALUES (9, 1, 2, 3)",
        "DROP TABLE flours",
        "CREATE TABLE t (a)",
        "ATTACH '/tmp/other.sqlite' AS other",
        "PRAGMA database_list",
        "VACUUM INTO '/tmp/copy.sqlite'",
        "SELECT load_extension('evil')",
        "SELECT readfile('/etc/passwd')",
        "SELECT sql FROM sqlite_master",
        "SELECT randomblob(100)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "SELECT 1; SELECT 2",
        "SELECT nothing FROM flours",
        "",
        "not a query",
    ],
)
def test_all_but_reading_is_refused(database: TableDatabase, query: str) -> None:
    with pytest.raises(QueryError):
        database.run(query)
    assert len(database.run("SELECT * FROM flours").rows) == 2


def test_a_query_that_joins_everything_with_everything_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_database, "MAX_SECONDS", 0.2)
    rows = [[f"n{number}", str(number)] for number in range(300)]
    with (
        closing(TableDatabase([table_of("Many", ["Name", "Size"], *rows)])) as database,
        pytest.raises(QueryError, match="took longer"),
    ):
        database.run("SELECT count(*) FROM many a, many b, many c, many d")


def test_rows_are_limited_and_it_is_told() -> None:
    rows = [[f"n{number}"] for number in range(300)]
    with closing(TableDatabase([table_of("Many", ["Name"], *rows)])) as database:
        result = database.run("SELECT Name FROM many")
    assert (len(result.rows), result.has_more) == (table_database.MOST_ROWS, True)


def test_heads_that_sql_does_not_tell_apart_get_a_number() -> None:
    table = table_of("Odd", ["Price", "price", 'a "b"'], ["1", "2", "3"])
    with closing(TableDatabase([table])) as database:
        result = database.run('SELECT "Price", "price (2)", "a ""b""" FROM odd')
    assert result.rows == ((1, 2, 3),)
