from hoptrail.agents.growth.follow_up import Search, look_ahead, next_searches
from hoptrail.agents.growth.progress import Progress
from hoptrail.core.types import TrailHop
from hoptrail.core.types.draft import Pattern

QUESTION = "Who is the mother of the emperor under whom Rome was largest?"


def test_an_open_fact_is_looked_up_from_its_known_end_and_the_names_in_it() -> None:
    searches = next_searches(
        QUESTION, Progress(still_open=(Pattern("under Trajan", "mother", "?mother"),))
    )

    assert searches == (Search("under Trajan mother mother", ("under Trajan", "Trajan")),)


def test_a_fact_without_any_known_end_waits_for_the_others() -> None:
    still_open = (Pattern("Rome", "largest under", "?emperor"), Pattern("?emperor", "mother", "?m"))
    searches = next_searches(QUESTION, Progress(still_open=still_open))

    assert [search.names for search in searches] == [("Rome",)]


def test_two_facts_at_most_are_looked_up_at_once() -> None:
    still_open = tuple(Pattern(f"Town {n}", "lies in", "?land") for n in "ABC")

    assert len(next_searches(QUESTION, Progress(still_open=still_open))) == 2


def test_without_an_open_fact_the_question_is_searched_from_what_was_reached() -> None:
    fact = TrailHop(1, "", "Rome", "largest under", "Trajan")

    assert next_searches(QUESTION, Progress((fact,))) == (
        Search(f"{QUESTION} Trajan", ("Trajan",)),
    )


def test_an_answer_that_nothing_bears_out_is_searched_from() -> None:
    (search,) = next_searches(QUESTION, Progress(proposed=("Marcia",)))

    assert search == Search(f"{QUESTION} Marcia", ("Marcia",))


def test_all_that_is_open_is_searched_at_once_too() -> None:
    still_open = (Pattern("Kane", "died in", "?city"), Pattern("?castle", "lies in", "?city"))

    assert look_ahead(Progress(still_open=still_open)) == Search(
        "Kane died in city castle lies in city", ("Kane",)
    )


def test_one_open_fact_leaves_nothing_to_look_ahead_for() -> None:
    assert look_ahead(Progress(still_open=(Pattern("Kane", "died in", "?city"),))) is None


def test_a_name_of_one_word_is_searched_with_what_is_known_of_it() -> None:
    capital = TrailHop(1, "", "South Carolina", "has the capital", "Columbia")
    still_open = (Pattern("?town", "borders", "Columbia"), Pattern("?town", "lies in", "?county"))

    ahead = look_ahead(Progress((capital,), still_open=still_open))

    assert ahead is not None
    assert ahead.query == "town borders Columbia town lies in county South Carolina"
