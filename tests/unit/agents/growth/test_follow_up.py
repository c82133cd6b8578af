from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.growth.follow_up import (
    AHEAD_TOKENS,
    NAMELESS_TOKENS,
    NEW_TOKENS,
    Search,
    choose_passages,
    look_ahead,
    next_searches,
    query_for,
)
from hoptrail.agents.growth.progress import Progress
from hoptrail.core.types import Chunk, Evidence, Hit, TrailHop
from hoptrail.core.types.draft import Pattern

BORN = "Where was the designer of Maple Bridge born?"
MOTHER = "Who is the mother of the emperor under whom Rome was largest?"
QUESTION = "When did the country of the band that made Izgoy invade Manchuria?"
SEARCH = Search("Alisa country", ("Alisa",))


def test_query_holds_what_is_known_and_what_is_missing() -> None:
    missing = Pattern("Ida Holm", "born in", "?birthTown")
    assert query_for(missing, BORN) == "Ida Holm born in birth town"


def test_variable_without_meaning_adds_no_word() -> None:
    assert query_for(Pattern("Ida Holm", "born in", "?x"), BORN) == "Ida Holm born in"


def test_pattern_without_any_name_takes_the_words_of_the_question() -> None:
    query = query_for(Pattern("?engineer", "designed", "?x"), BORN)
    assert query == "engineer designed designer maple bridge born"


def test_an_open_fact_is_looked_up_from_its_known_end_and_the_names_in_it() -> None:
    searches = next_searches(
        MOTHER, Progress(still_open=(Pattern("under Trajan", "mother", "?mother"),))
    )

    assert searches == (Search("under Trajan mother mother", ("under Trajan", "Trajan")),)


def test_a_fact_without_any_known_end_waits_for_the_others() -> None:
    still_open = (Pattern("Rome", "largest under", "?emperor"), Pattern("?emperor", "mother", "?m"))
    searches = next_searches(MOTHER, Progress(still_open=still_open))

    assert [search.names for search in searches] == [("Rome",)]


def test_two_facts_at_most_are_looked_up_at_once() -> None:
    still_open = tuple(Pattern(f"Town {n}", "lies in", "?land") for n in "ABC")

    assert len(next_searches(MOTHER, Progress(still_open=still_open))) == 2


def test_without_an_open_fact_the_question_is_searched_from_what_was_reached() -> None:
    fact = TrailHop(1, "", "Rome", "largest under", "Trajan")

    assert next_searches(MOTHER, Progress((fact,))) == (Search(f"{MOTHER} Trajan", ("Trajan",)),)


def test_an_answer_that_nothing_bears_out_is_searched_from() -> None:
    (search,) = next_searches(MOTHER, Progress(proposed=("Marcia",)))

    assert search == Search(f"{MOTHER} Marcia", ("Marcia",))


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


def passage(title: str, text: str) -> Hit[Chunk]:
    return Hit(Chunk(title, title, title, text, 0, len(text)))


BAND = passage("Red Wave", "Red Wave holds songs of Alisa, a band from the Soviet Union.")
WAR = passage("Pacific War", "The Soviet Union began to invade Manchuria in August 1945.")
ALBUM = passage("Izgoy", "Izgoy was made by the band Alisa.")
TOWN = passage("Varde", "Varde is a town with a river.")


def chosen(
    found: list[Hit[Chunk]],
    known: list[Hit[Chunk]],
    shown: list[Hit[Chunk]],
    told: Sequence[Hit[Chunk]] = (),
    ahead: Sequence[Hit[Chunk]] = (),
) -> list[str]:
    passages = choose_passages(
        QUESTION,
        [SEARCH],
        [Evidence(chunks=tuple(found))],
        Evidence(chunks=tuple(known)),
        [hit.item.id for hit in shown],
        [hit.item.id for hit in told],
        Evidence(chunks=tuple(ahead)),
    )
    return [hit.item.id for hit in passages]


def test_what_names_the_start_of_the_search_comes_first() -> None:
    assert chosen([TOWN, BAND], [], []) == ["Red Wave", "Varde"]


def test_nothing_is_read_where_nothing_is_new() -> None:
    assert chosen([ALBUM], [WAR], [ALBUM, WAR]) == []


def test_the_earlier_passages_that_fit_best_come_back() -> None:
    towns = [passage(f"Varde {n}", "Varde is a town with a river. " * 40) for n in range(3)]

    assert chosen([BAND], [WAR, *towns], [WAR, *towns])[:2] == ["Red Wave", "Pacific War"]
    assert len(chosen([BAND], [WAR, *towns], [WAR, *towns])) < 5


def test_one_that_a_reply_has_named_comes_back_where_it_names_what_is_looked_for() -> None:
    assert chosen([BAND], [ALBUM, WAR], [ALBUM, WAR], [ALBUM, WAR]) == ["Red Wave", "Izgoy"]


def test_passages_that_do_not_name_the_start_get_little_room() -> None:
    others = [passage(f"Song {n}", "A song of the country. " * 50) for n in range(20)]

    assert len(chosen([BAND, *others], [], [])) <= 1 + NAMELESS_TOKENS / 200


def test_what_the_first_retrieval_found_and_no_call_has_read_is_new() -> None:
    assert "Red Wave" in chosen([ALBUM], [BAND], [ALBUM])


def test_new_passages_stay_within_their_tokens() -> None:
    many = [passage(f"Alisa {n}", "Alisa is a band. " * 50) for n in range(20)]

    assert 0 < len(chosen(many, [], [])) * 200 <= NEW_TOKENS


def test_what_a_look_ahead_found_stands_last_each_once() -> None:
    assert chosen([BAND], [ALBUM], [ALBUM], ahead=[ALBUM, BAND, TOWN]) == [
        "Red Wave",
        "Izgoy",
        "Varde",
    ]


def test_what_a_look_ahead_found_is_enough_to_go_on() -> None:
    assert chosen([ALBUM], [], [ALBUM], ahead=[TOWN]) == ["Izgoy", "Varde"]


def test_a_look_ahead_has_little_room() -> None:
    others = [passage(f"Song {n}", "A song of the country. " * 50) for n in range(20)]

    assert 1 < len(chosen([BAND], [], [], ahead=others)) <= 1 + AHEAD_TOKENS / 200
