from __future__ import annotations

import pytest

from hoptrail.agents.planning.coreference import Turn, resolve_follow_up

FILM = [Turn("Who directed Red Fern?", "Ida Holm")]
ROOM = [Turn("How much does the guest room cost per night?", "18,00")]
CAMP = [Turn("When does the camp start?", "3 May")]
SHED = [Turn("Who stood beside Dilip Rao?", "Grace", perhaps=True)]
ROLE = [Turn("Who is the captain?", "Ann Reed")]
SHIP = [Turn("Where does the Morning Tern sail?", "Skagen")]
BIRTHDAY = [*ROLE, Turn("When is her birthday?", "3 May")]
PARTY = [Turn("Where is the party?", "Town Hall")]
FOUNDERS = [
    Turn("Who founded Oak Mill?", "Ann Lee and Bo Reed"),
    Turn("Where was Ann Lee born?", "Varde"),
]
TOWN = [*FILM, Turn("Where was she born?", "Varde")]


@pytest.mark.parametrize(
    ("question", "history", "standalone"),
    [
        ("When was she born?", FILM, "When was Ida Holm born?"),
        ("Where was his wife born?", FILM, "Where was Ida Holm's wife born?"),
        ("What is her first book?", FILM, "What is Ida Holm's first book?"),
        ("Who met her in Paris?", FILM, "Who met Ida Holm in Paris?"),
        ("When was it released?", FILM, "When was Red Fern released?"),
        ("What is that film about?", FILM, "What is Red Fern about?"),
        ("What about Blue Moss?", FILM, "Who directed Blue Moss?"),
        ("And Blue Moss?", FILM, "Who directed Blue Moss?"),
        ("When did he marry?", TOWN, "When did Ida Holm marry?"),
        ("What is its population?", TOWN, "What is Varde's population?"),
        ("Who else lived there?", TOWN, "Who else lived in Varde?"),
        ("And the budget?", FILM, "And the budget, regarding Ida Holm?"),
        ("What is the population?", TOWN, "What is the population of Varde?"),
        ("And the parking space?", ROOM, "How much does the parking space cost per night?"),
        (
            "And the dryer?",
            [*ROOM, Turn("and the parking space?", "35,00")],
            "How much does the dryer cost per night?",
        ),
        ("And the price?", CAMP, "And the price, regarding the camp?"),
        ("In which flat does he live?", SHED, "In which flat does Dilip Rao live?"),
        (
            "Where does she live?",
            [Turn("Who is the chair?", "Joan Abara", True)],
            "Where does Joan Abara live?",
        ),
        ("And when?", FILM, "When was Red Fern directed?"),
        ("In which year?", FILM, "In which year was Red Fern directed?"),
        ("Who is the producer?", FILM, "Who is the producer of Red Fern?"),
        ("Who is the bosun?", SHIP, "Who is the bosun of the Morning Tern?"),
        ("And the bosun?", ROLE, "Who is the bosun?"),
        (
            "and the mate?",
            [Turn("Who is the captain of the Tern?", "Ann Reed")],
            "Who is the mate of the Tern?",
        ),
        ("And the Blue Fin?", SHIP, "Where does the Blue Fin sail?"),
        ("who is that?", ROLE, "who is Ann Reed?"),
        ("Who's that?", ROLE, "Who's Ann Reed?"),
        ("When is that?", PARTY, "When is the party?"),
        ("Where is that?", SHIP, "Where is Skagen?"),
        ("and Colm's?", [Turn("When is Ann's birthday?", "3 May")], "When is Colm's birthday?"),
        ("and Colm's?", BIRTHDAY, "When is Colm's birthday?"),
        ("and Bo's?", [*BIRTHDAY, Turn("and Colm's?", "7 June")], "When is Bo's birthday?"),
        ("and Colm?", [*ROLE, Turn("Where does she live?", "Varde")], "Where does Colm live?"),
        ("what about the other one?", FOUNDERS, "Where was Bo Reed born?"),
        ("And the other?", FOUNDERS, "Where was Bo Reed born?"),
    ],
)
def test_what_is_left_unsaid_is_filled_in(
    question: str, history: list[Turn], standalone: str
) -> None:
    assert resolve_follow_up(question, history) == standalone


@pytest.mark.parametrize(
    "question",
    [
        "When was Per Krogh born and where did he die?",
        "Who wrote Blue Moss?",
        "Is it true that Varde lies in Denmark?",
        "Who is the head coach?",
        "What does a life jacket for a child cost?",
        "When is the concert?",
    ],
)
def test_complete_question_stays_as_it_is(question: str) -> None:
    assert resolve_follow_up(question, FILM) == question


@pytest.mark.parametrize("history", [ROLE, BIRTHDAY, PARTY, ROOM])
def test_question_for_a_role_is_not_about_a_person_or_thing_without_roles(
    history: list[Turn],
) -> None:
    assert resolve_follow_up("Who is the bosun?", history) == "Who is the bosun?"


@pytest.mark.parametrize("history", [ROLE, ROOM, FILM])
def test_other_one_of_things_that_were_not_listed_is_not_the_last_one(history: list[Turn]) -> None:
    question = "what about the other one?"
    assert resolve_follow_up(question, history) == question


def test_first_question_stays_as_it_is() -> None:
    assert resolve_follow_up("Where was she born?", []) == "Where was she born?"


@pytest.mark.parametrize("answer", ["I don't know", "yes", "1912", ""])
def test_answer_that_names_nothing_is_passed_over(answer: str) -> None:
    history = [Turn("Is Ida Holm a director?", answer)]
    assert resolve_follow_up("When was she born?", history) == "When was Ida Holm born?"


def test_nothing_to_refer_to_leaves_the_question() -> None:
    assert resolve_follow_up("Where was she born?", [Turn("hello", "hi")]) == "Where was she born?"


@pytest.mark.parametrize(
    ("before", "answer", "question", "resolved"),
    [
        ("What does the camp cost?", "£95 per child and week", "Who leads it?", "the camp"),
        ("When is the summer camp?", "28 July to 1 August", "Who leads it?", "the summer camp"),
        ("How large is the hall?", "840 m²", "Who leads it?", "the hall"),
    ],
)
def test_it_is_no_amount_but_what_the_last_question_was_about(
    before: str, answer: str, question: str, resolved: str
) -> None:
    told = resolve_follow_up(question, [Turn(before, answer)])
    assert told == f"Who leads {resolved}?"


PARTY = [Turn("Where is the Christmas party?", "Thai Orchid")]


def test_and_when_behind_where_asks_when_the_same_thing_is() -> None:
    assert resolve_follow_up("and when?", PARTY) == "When is the Christmas party?"


def test_it_is_what_was_asked_for_its_place_and_not_the_place() -> None:
    assert resolve_follow_up("Who organises it?", PARTY) == "Who organises the Christmas party?"


def test_and_when_behind_where_does_asks_when_it_does() -> None:
    history = [Turn("Where does the dinner take place?", "Customs House")]

    assert resolve_follow_up("and when?", history) == "When does the dinner take place?"
