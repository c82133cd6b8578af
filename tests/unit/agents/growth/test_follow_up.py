from hoptrail.agents.growth.follow_up import Search, next_searches
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
