from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.values import Value


def test_the_choir_is_a_choir_of_any_name() -> None:
    query = read_query("Who founded the choir?")
    choir, founder = "Stonebridge Community Choir", "Harriet Lowe"

    assert query.is_named(Value(choir, 0, len(choir), "name"))
    assert not query.is_named(Value(founder, 0, len(founder), "name"))
