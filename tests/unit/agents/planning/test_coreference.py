from __future__ import annotations

import pytest

from hoptrail.agents.planning.coreference import Understood, resolve_follow_up
from hoptrail.agents.planning.turns import Turn
from tests.unit.agents.planning.sources import sources_with

FILM = [Turn("Who directed Red Fern?", "Ida Holm")]
ROOM = [Turn("How much does the guest room cost per night?", "18,00")]
KAYAK = [Turn("How much is a double kayak in 2025?", "24 pounds", trail=("24 pounds",))]
DESK = [Turn("Who is on the desk on 3 July?", "Colin Bright")]
SHOP = [Turn("Who opens on Thursday?", "Joss")]
CAMP = [Turn("When does the camp start?", "3 May")]
SHED = [Turn("Who stood beside Dilip Rao?", "Grace", perhaps=True)]
ROLE = [Turn("Who is the captain?", "Ann Reed")]
SHIP = [Turn("Where does the Morning Tern sail?", "Skagen")]
LISTED = [Turn("Who is the captain?", "Reed, Ann")]
BIRTHDAY = [*ROLE, Turn("When is her birthday?", "3 May")]
PARTY = [Turn("Where is the party?", "Town Hall")]
FOUNDERS = [
    Turn("Who founded Oak Mill?", "Ann Lee and Bo Reed"),
    Turn("Where was Ann Lee born?", "Varde"),
]
TOWN = [*FILM, Turn("Where was she born?", "Varde")]
BORN = [Turn("Where was the engineer of the Harl Railway born?", "Dellach")]
WALK = [Turn("When is the walk?", "3 May"), Turn("why?", "Brill", perhaps=True)]


@pytest.mark.parametrize(
    ("question", "history", "standalone"),
    [
        ("When was she born?", FILM, "When was Ida Holm born?"),
        ("Where was his wife born?", FILM, "Where was Ida Holm's wife born?"),
        ("What is her first book?", FILM, "What is Ida Holm's first book?"),
        ("When was she born?", LISTED, "When was Ann Reed born?"),
        ("Who met her in Paris?", FILM, "Who met Ida Holm in Paris?"),
        ("When was it released?", FILM, "When was Red Fern released?"),
        ("What is that film about?", FILM, "What is Red Fern about?"),
        ("What about Blue Moss?", FILM, "Who directed Blue Moss?"),
        ("And Blue Moss?", FILM, "Who directed Blue Moss?"),
        ("When did he marry?", TOWN, "When did Ida Holm marry?"),
        ("What is its population?", TOWN, "What is Varde's population?"),
        ("Who else lived there?", TOWN, "Who else lived in Varde?"),
        ("How many churches are there?", TOWN, "How many churches are in Varde?"),
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
        ("And on Saturday?", SHOP, "Who opens on Saturday?"),
        ("And On Saturday?", SHOP, "Who opens on Saturday?"),
        ("And a locker?", KAYAK, "How much is a locker in 2025?"),
        ("And in 2024?", KAYAK, "How much is a double kayak in 2024?"),
        ("And on 5 July?", DESK, "Who is on the desk on 5 July?"),
        ("What about on Saturdays?", DESK, "Who is on the desk on Saturdays?"),
        ("What was it in 2024?", KAYAK, "How much is a double kayak in 2024?"),
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
        (
            "In which year?",
            [Turn("Which school did Ida Holm found?", "Oak School")],
            "In which year did Ida Holm found Oak School?",
        ),
        ("By whom?", [Turn("When was Oak School opened?", "1912")], "Who opened Oak School?"),
        ("And when was that?", FILM, "When was Red Fern directed?"),
        (
            "And for juniors?",
            [Turn("How much is membership for adults?", "180 euros")],
            "How much is membership for juniors?",
        ),
        (
            "And the seniors?",
            [Turn("When does Ann Reed train the juniors?", "Tuesdays")],
            "When does Ann Reed train the seniors?",
        ),
        (
            "And of Oslo?",
            [Turn("What is Varde's population?", "5,000")],
            "What is Oslo's population?",
        ),
        (
            "What happened that year?",
            [Turn("When was Ida Holm born?", "1912")],
            "What happened in 1912?",
        ),
        ("what about the other one?", FOUNDERS, "Where was Bo Reed born?"),
        ("And the other?", FOUNDERS, "Where was Bo Reed born?"),
    ],
)
async def test_what_is_left_unsaid_is_filled_in(
    question: str, history: list[Turn], standalone: str
) -> None:
    assert (await resolve_follow_up(question, history)).question == standalone


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
async def test_complete_question_stays_as_it_is(question: str) -> None:
    assert (await resolve_follow_up(question, FILM)).question == question


@pytest.mark.parametrize("history", [ROLE, BIRTHDAY, PARTY, ROOM])
async def test_question_for_a_role_is_not_about_a_person_or_thing_without_roles(
    history: list[Turn],
) -> None:
    assert (await resolve_follow_up("Who is the bosun?", history)).question == "Who is the bosun?"


@pytest.mark.parametrize("history", [ROLE, ROOM, FILM])
async def test_other_one_of_things_that_were_not_listed_is_not_the_last_one(
    history: list[Turn],
) -> None:
    question = "what about the other one?"
    assert (await resolve_follow_up(question, history)).question == question


async def test_first_question_stays_as_it_is() -> None:
    assert (await resolve_follow_up("Where was she born?", [])).question == "Where was she born?"


@pytest.mark.parametrize("answer", ["I don't know", "yes", "1912", ""])
async def test_answer_that_names_nothing_is_passed_over(answer: str) -> None:
    history = [Turn("Is Ida Holm a director?", answer)]
    assert (
        await resolve_follow_up("When was she born?", history)
    ).question == "When was Ida Holm born?"


async def test_nothing_to_refer_to_leaves_the_question() -> None:
    assert (
        await resolve_follow_up("Where was she born?", [Turn("hello", "hi")])
    ).question == "Where was she born?"


@pytest.mark.parametrize(
    ("before", "answer", "question", "resolved"),
    [
        ("What does the camp cost?", "£95 per child and week", "Who leads it?", "the camp"),
        ("When is the summer camp?", "28 July to 1 August", "Who leads it?", "the summer camp"),
        ("How large is the hall?", "840 m²", "Who leads it?", "the hall"),
        ("When was the hall last rebuilt?", "1997", "Who leads it?", "the hall"),
        ("Where does the hall stand?", "Varde", "Who leads it?", "the hall"),
        ("Where does Oak Hall stand?", "Varde", "Who leads it?", "Oak Hall"),
        ("Who painted the hall?", "Ann Reed", "Who leads it?", "the hall"),
        ("How much is the entry fee of the race?", "35 euros", "Who leads it?", "the race"),
    ],
)
async def test_it_is_no_amount_but_what_the_last_question_was_about(
    before: str, answer: str, question: str, resolved: str
) -> None:
    told = (await resolve_follow_up(question, [Turn(before, answer)])).question
    assert told == f"Who leads {resolved}?"


PARTY = [Turn("Where is the Christmas party?", "Thai Orchid")]


async def test_it_is_no_fee_but_what_was_spoken_of_before() -> None:
    history = [Turn("When is the race?", "3 May"), Turn("What is the entry fee?", "35 euros")]

    assert (await resolve_follow_up("Who founded it?", history)).question == "Who founded the race?"


async def test_and_when_behind_where_asks_when_the_same_thing_is() -> None:
    assert (await resolve_follow_up("and when?", PARTY)).question == "When is the Christmas party?"


async def test_it_is_what_was_asked_for_its_place_and_not_the_place() -> None:
    assert (
        await resolve_follow_up("Who organises it?", PARTY)
    ).question == "Who organises the Christmas party?"


async def test_and_when_behind_where_does_asks_when_it_does() -> None:
    history = [Turn("Where does the dinner take place?", "Customs House")]

    assert (
        await resolve_follow_up("and when?", history)
    ).question == "When does the dinner take place?"


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("Who chose her as surveyor?", "Who chose Ida Holm as surveyor?"),
        ("Who paid her the wage?", "Who paid Ida Holm the wage?"),
        ("Who met her?", "Who met Ida Holm?"),
        ("Who sold her own house?", "Who sold Ida Holm's own house?"),
        ("Who is her sister?", "Who is Ida Holm's sister?"),
    ],
)
async def test_her_is_possessive_before_a_noun_alone(question: str, standalone: str) -> None:
    assert (await resolve_follow_up(question, FILM)).question == standalone


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("On which river does it lie?", "On which river does Dellach lie?"),
        ("When was it built?", "When was Dellach built?"),
    ],
)
async def test_it_is_no_person_but_the_place_that_was_asked_for(
    question: str, standalone: str
) -> None:
    assert (await resolve_follow_up(question, BORN)).question == standalone


async def test_it_is_the_work_and_not_its_engineer_where_no_place_was_found() -> None:
    history = [Turn(BORN[0].question, "I don't know")]

    assert (
        await resolve_follow_up("When was it built?", history)
    ).question == "When was Harl Railway built?"


@pytest.mark.parametrize(
    "history",
    [
        WALK,
        [Turn("Who bought the Red Lion?", "I don't know")],
        [Turn("Who directed Red Fern?", "I don't know")],
        [Turn("Which river is long?", "Brill")],
    ],
)
async def test_she_is_no_thing_and_no_guess_of_another_kind(history: list[Turn]) -> None:
    assert (
        await resolve_follow_up("Where does she live?", history)
    ).question == "Where does she live?"


@pytest.mark.parametrize(
    ("history", "person"),
    [
        ([Turn("Who bought the Red Lion?", "Berta Holt", perhaps=True)], "Berta Holt"),
        ([*TOWN, Turn("What is the size of Varde?", "3 km")], "Ida Holm"),
        ([Turn("What did Per Krogh write?", "Blue Moss")], "Per Krogh"),
        ([Turn("When was the Duke of Alba born?", "1912")], "Duke of Alba"),
    ],
)
async def test_she_or_he_is_who_was_last_named_as_a_person(
    history: list[Turn], person: str
) -> None:
    assert (
        await resolve_follow_up("Where did he live?", history)
    ).question == f"Where did {person} live?"


@pytest.mark.parametrize("question", ["why?", "Why is that?", "show the source"])
async def test_why_asks_the_last_question_once_more(question: str) -> None:
    assert (await resolve_follow_up(question, TOWN)).question == "Where was Ida Holm born?"


async def test_thanks_and_why_are_no_turns_that_a_question_refers_to() -> None:
    history = [*WALK, Turn("thanks", "Glad to help")]

    assert (await resolve_follow_up("Who leads it?", history)).question == "Who leads the walk?"


TELESCOPE = Turn(
    "On which river lies the birthplace of the man who built the great telescope?",
    "River Oskel",
    trail=("River Oskel", "Brackenholm", "Oren Pascoe", "Averil Observatory"),
)
YARD = Turn(
    "Who founded the yard that built the Morning Tern?",
    "Edda Thorn",
    trail=("Edda Thorn", "Alder Yard", "Morning Tern", "3 May 1843"),
)
CHOICE = Turn("Which is longer, the River Oskel or the River Tamber?", "River Oskel")
BASE = sources_with(
    {
        "Brackenholm": "Brackenholm is a town on the River Oskel.",
        "River Oskel": "The River Oskel is a river.",
        "Oren Pascoe": "Oren Pascoe was a lens maker. He was born in Brackenholm.",
        "Edda Thorn": "Edda Thorn was an engineer. She was born in Brackenholm.",
        "Alder Yard": "The Alder Yard was a shipyard.",
        "Morning Tern": "The Morning Tern was a steamer.",
    }
)


@pytest.mark.parametrize(
    ("question", "history", "standalone"),
    [
        ("And who founded that town?", [TELESCOPE], "And who founded Brackenholm?"),
        ("How long is that river?", [TELESCOPE], "How long is River Oskel?"),
        ("When was he born?", [TELESCOPE], "When was Oren Pascoe born?"),
        ("When was he born?", [TELESCOPE, YARD], "When was Oren Pascoe born?"),
        ("When was she born?", [YARD, TELESCOPE], "When was Edda Thorn born?"),
        ("When did the ship sink?", [YARD], "When did Morning Tern sink?"),
        ("How many ships did the yard build?", [YARD], "How many ships did Alder Yard build?"),
        ("Which actor played her?", [YARD], "Which actor played Edda Thorn?"),
        ("Who else was born in that year?", [YARD], "Who else was born in 1843?"),
        ("How long is the other one?", [CHOICE], "How long is River Tamber?"),
        (
            "And how deep is the other?",
            [CHOICE, Turn("How long is the River Tamber?", "412 km")],
            "And how deep is River Oskel?",
        ),
    ],
)
async def test_reference_is_the_newest_thing_of_its_kind(
    question: str, history: list[Turn], standalone: str
) -> None:
    assert await resolve_follow_up(question, history, BASE) == Understood(standalone)


CLUB = sources_with(
    {
        "Aldbury": "Aldbury is a village. It lies on the River Teme and has 900 inhabitants.",
        "Varde": "Varde is a town. Fern Inn is a pub. It was opened in 1712.",
        "Oskel": "The Oskel is a river. It ends in Lake Hollin.",
        "Lake Hollin": "Lake Hollin is a lake.",
        "Grey Petrel": "The Grey Petrel was a ship.",
        "Lind Marine": "Lind Marine makes hulls. The firm was founded in 1983.",
        "Training": "The coach is Bo Reed. He trains her. His aide is Leni Brock. She rows.",
        "Ann Reed": "Ann Reed is a singer.",
        "Race": "It was founded by the brewer Gil Stowe.",
    }
)
AIDE = [
    Turn("Who is the coach?", "Bo Reed"),
    Turn("Who is his aide?", "Leni Brock", True, "Who is Bo Reed's aide?"),
]


@pytest.mark.parametrize(
    ("question", "history", "standalone"),
    [
        (
            "How many inhabitants does it have?",
            [Turn("On which river does Aldbury lie?", "River Teme")],
            "How many inhabitants does Aldbury have?",
        ),
        (
            "When was it opened?",
            [Turn("Which pub is in Varde?", "Fern Inn")],
            "When was Fern Inn opened?",
        ),
        (
            "How deep is it?",
            [Turn("Where does the Oskel end?", "Lake Hollin")],
            "How deep is Lake Hollin?",
        ),
        (
            "Where was it built?",
            [Turn("Which ship carried the Ice Expedition?", "Grey Petrel", perhaps=True)],
            "Where was Grey Petrel built?",
        ),
        (
            "Who owns the company?",
            [Turn("Who built the Heron?", "Lind Marine")],
            "Who owns Lind Marine?",
        ),
        (
            "Where was the brewer born?",
            [Turn("Who founded the race?", "Gil Stowe")],
            "Where was Gil Stowe born?",
        ),
        (
            "How high is the ship?",
            [Turn("Which ship carried the Ice Expedition?", "Grey Petrel")],
            "How high is Grey Petrel?",
        ),
        ("Since when has she rowed?", AIDE, "Since when has Leni Brock rowed?"),
        ("Since when has he rowed?", AIDE, "Since when has Bo Reed rowed?"),
        (
            "Who climbed those mountains?",
            [Turn("What did Ann Reed map?", "Cairn Mountains")],
            "Who climbed Cairn Mountains?",
        ),
    ],
)
async def test_reference_is_what_the_base_tells_of(
    question: str, history: list[Turn], standalone: str
) -> None:
    assert await resolve_follow_up(question, history, CLUB) == Understood(standalone)


async def test_she_is_another_than_whom_the_asker_called_he() -> None:
    history = [
        Turn("Who is the coach?", "Kim Reed"),
        Turn("Who is his aide?", "Sasha Brock", True, "Who is Kim Reed's aide?"),
    ]
    told = await resolve_follow_up("Since when has she rowed?", history, CLUB)
    assert told == Understood("Since when has Sasha Brock rowed?")


async def test_answer_that_says_more_than_a_name_is_no_town() -> None:
    history = [Turn("Where was the singer born?", "Ann Reed in 1971", perhaps=True)]
    told = await resolve_follow_up("Which province does that town lie in?", history, CLUB)
    assert told == Understood("Which province does that town lie in?", "that town")


async def test_types_of_the_graph_tell_kinds() -> None:
    sources = sources_with({}, types={"Halmond": "COMPANY", "Peel": "PERSON"})
    history = [Turn("Who signed for Halmond?", "Peel")]
    told = await resolve_follow_up("Where is that firm?", history, sources)
    assert told == Understood("Where is Halmond?")


@pytest.mark.parametrize(
    ("question", "unclear"),
    [
        ("How many people live in that town?", "that town"),
        ("When did he retire?", "he"),
        ("When did that comet return?", "that comet"),
        ("How long is the other one?", "the other one"),
    ],
)
async def test_reference_to_no_known_thing_is_asked_as_typed_and_told(
    question: str, unclear: str
) -> None:
    assert await resolve_follow_up(question, [YARD], BASE) == Understood(question, unclear)


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of the yard that delivers boats?",
        "Who runs the yard this year?",
        "Who is the engineer of the Alder Yard?",
        "And who built the Grey Petrel?",
        "Were Ann Lee and Bo Reed born in the same town?",
        "Who put their name to the contract?",
        "How long was the Kittiwake laid up after her accident?",
        "In which town does the designer have his office?",
        "When did the nurse's predecessor hand over to her manager?",
        "Which yard built the ship that Captain Reed commands?",
        "Whom do owners reach when they ring at midnight?",
        "When did the person retire who paints the yard?",
        "What does it cost now to have a boat painted?",
    ],
)
async def test_what_a_question_names_itself_is_no_reference(question: str) -> None:
    history = [Turn("Where does the Morning Tern sail?", "Skagen")]
    assert await resolve_follow_up(question, history, BASE) == Understood(question)


@pytest.mark.parametrize("question", ["who bakes the red fern?", "Who filmed the red fern first?"])
async def test_a_name_in_small_letters_is_no_reference(question: str) -> None:
    assert (await resolve_follow_up(question, FILM)).question == question
