from collections.abc import Sequence

from hoptrail.agents.growth.follow_up import Search
from hoptrail.agents.growth.new_passages import (
    AHEAD_TOKENS,
    NAMELESS_TOKENS,
    NEW_TOKENS,
    choose_passages,
)
from hoptrail.core.types import Chunk, Evidence, Hit

QUESTION = "When did the country of the band that made Izgoy invade Manchuria?"
SEARCH = Search("Alisa country", ("Alisa",))


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
