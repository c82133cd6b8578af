from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.offline.cell_lookup import look_up_cell
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

ORDERS = (
    "Order: H-2601; Customer: Mrs Quill; Piece: Sofa; Metres: 9; Due: 2026-11-06; Total: £1240\n"
    "Order: H-2602; Customer: Dr Amin; Piece: Wingback chair; Metres: 6; Due: 2026-10-30; "
    "Total: £720\n"
    "Order: H-2603; Customer: The Crown Inn; Piece: Bench; Metres: 3; Due: 2026-12-04; Total: £2150"
)
PRICES = (
    "Code: A-10; Item: Hammer; Price: 12.00; Supplier: Reed Tools\n"
    "Code: A-11; Item: Pliers; Price: 9.50; Supplier: Bo Hardware\n"
    "Code: A-12; Item: Saw; Price: 18.20; Supplier: Reed Tools"
)
SUPPLIERS = "Supplier: Reed Tools; Town: Wigan\nSupplier: Bo Hardware; Town: Leeds"
FLATS = "Flat: 2; Tenant: Ann Holt; Since: 2019\nFlat: 12; Tenant: Bo Reed; Since: 2021"
ROSTER = (
    "No: E01; Name: Lucy Hallam; Role: Manager; Phone: 0161 555 001\n"
    "No: E02; Name: Ben Stokes; Role: Driver; Phone: 0161 555 002"
)
TASKS = (
    "Task: Book the hall; Who: Ann Holt; By when: 1 November\n"
    "Task: Buy lights; Who: Bo Reed; By when: 3 May"
)
TOOLS = (
    "Tool no: T1; Tool: Rotavator; Deposit EUR: 50,00; Per day EUR: 12,50; Kept in: Shed A\n\n"
    "Tool no: T2; Tool: Hedge trimmer; Deposit EUR: 30,00; Per day EUR: 6,00; Kept in: Shed B"
)
DUTIES = (
    "Ext.: 21; Person: Ann Holt; Responsible for: plots\n\n"
    "Ext.: 22; Person: Bo Reed; Responsible for: keys and tools"
)
BOATS = "Code: D1; Boat: Wren; Berth: B12\nCode: D2; Boat: Robin; Berth: B13"


def evidence_of(**texts: str) -> Evidence:
    chunks = [
        Chunk(title, f"folder/{title}.csv", title.replace("_", " "), text, 0, len(text))
        for title, text in texts.items()
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


EVIDENCE = evidence_of(
    orders=ORDERS, price_list=PRICES, suppliers=SUPPLIERS, flats=FLATS, roster=ROSTER, tasks=TASKS
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the price of A-11?", "9.50"),  # "price" names the file, too
        ("What does the saw cost?", "18.20"),
        ("When is Mrs Quill's order due?", "2026-11-06"),
        ("What is the total of H-2602?", "£720"),
        ("What piece did Dr Amin order?", "Wingback chair"),
        ("Who lives in flat 12?", "Bo Reed"),
        ("Who is E02?", "Ben Stokes"),
        ("What is A-10?", "Hammer"),
        ("What is the phone number of Ben Stokes?", "0161 555 002"),
    ],
)
def test_cell_where_the_named_row_and_column_meet_is_a_plain_answer(
    question: str, answer: str
) -> None:
    draft = look_up_cell(question, EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.answers == (answer,)
    verdict = verify(draft, question, "bridge", EVIDENCE)
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the deposit for the rotavator?", "50,00"),
        ("What does the hedge trimmer cost per day?", "6,00"),
        ("Where is the hedge trimmer kept?", "Shed B"),
        ("Which tool is T2?", "Hedge trimmer"),
        ("Who is responsible for keys and tools?", "Bo Reed"),
        ("Where is the Wren berthed?", "B12"),
        ("What is the deposit for the chainsaw?", None),
        ("What is the deposit for the rotavator for members?", None),
        ("Who repaired the rotavator?", None),
    ],
)
def test_cell_of_a_list_is_found_by_its_name(question: str, answer: str | None) -> None:
    draft = look_up_cell(
        question, EvidenceIndex(evidence_of(tools=TOOLS, duties=DUTIES, boats=BOATS))
    )

    assert (draft and draft.text) == answer


def test_list_with_a_later_edition_is_passed_over() -> None:
    evidence = evidence_of(prices_2024=PRICES, prices_2025=PRICES.replace("9.50", "9.90"))

    draft = look_up_cell("What is the price of A-11?", EvidenceIndex(evidence))

    assert draft is not None
    assert draft.text == "9.90"


def test_list_of_another_year_gives_no_answer() -> None:
    evidence = evidence_of(prices_2025=PRICES)

    assert look_up_cell("What was the price of A-11 in 2023?", EvidenceIndex(evidence)) is None


def test_cell_that_stands_for_the_row_is_found_by_any_other() -> None:
    draft = look_up_cell("Who is the driver?", EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.answers == ("Ben Stokes",)
    assert [str(hop) for hop in draft.hops] == [str(draft.hops[0])]
    assert (draft.hops[0].subject, draft.hops[0].object) == ("Ben Stokes", "Driver")


def test_second_row_is_looked_up_by_a_cell_of_the_first() -> None:
    draft = look_up_cell("In which town is the supplier of A-11?", EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.answers == ("Leeds",)
    assert [(hop.subject, hop.object) for hop in draft.hops] == [
        ("A-11", "Bo Hardware"),
        ("Bo Hardware", "Leeds"),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of A-13?",  # no such row
        "What is the weight of A-11?",  # no such column
        "What is the price of A-11 for members?",  # more than the table tells
        "Who placed order H-2603 by phone?",
        "Who is the supplier of tools?",
        "When was Ben Stokes born?",
    ],
)
def test_question_that_no_cell_answers_is_left_to_others(question: str) -> None:
    assert look_up_cell(question, EvidenceIndex(EVIDENCE)) is None


def test_rows_that_disagree_give_no_answer() -> None:
    evidence = evidence_of(old=PRICES, new=PRICES.replace("9.50", "9.90"))

    assert look_up_cell("What is the price of A-11?", EvidenceIndex(evidence)) is None


def test_cell_whose_column_is_not_named_is_given_with_reserve() -> None:
    draft = look_up_cell("When is Book the hall?", EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.answers == ("1 November",)
    assert draft.reserve == 'the passage says it of "By when"'


@pytest.mark.parametrize("column", ["Place", "Location", "Venue"])
def test_column_of_places_is_a_plain_answer_to_where(column: str) -> None:
    concerts = (
        f"Concert: Brass night; {column}: Town Hall; Fee: 4\n"
        f"Concert: Folk night; {column}: The Green; Fee: 3"
    )
    index = EvidenceIndex(evidence_of(concerts=concerts))
    draft = look_up_cell("Where is the folk night?", index)
    assert draft is not None
    assert draft.answers == ("The Green",)
    assert not draft.reserve


EVENTS = (
    "Event: Workshop weekend with Ann Lowe; Start: Saturday, 13 February 2027; "
    "End: Sunday, 14 February 2027; Location: Farnley Manor; Fee paid: yes\n"
    "Event: Spring fair; Start: Friday, 7 May 2027; End: Sunday, 9 May 2027; Location: Quay"
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the workshop weekend?", "Farnley Manor"),
        ("When is the workshop weekend?", "Saturday, 13 February 2027"),
        ("When does the spring fair end?", "Sunday, 9 May 2027"),
    ],
)
def test_a_row_is_found_by_its_name_without_what_is_added_to_it(question: str, answer: str) -> None:
    draft = look_up_cell(question, EvidenceIndex(evidence_of(events=EVENTS)))

    assert draft is not None
    assert draft.text == answer


def test_yes_answers_no_question_for_a_thing() -> None:
    question = "What fee does the workshop weekend have?"

    assert look_up_cell(question, EvidenceIndex(evidence_of(events=EVENTS))) is None


def test_question_for_several_is_answered_by_all_rows_that_tell_it() -> None:
    draft = look_up_cell("Which items does Reed Tools supply?", EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.text == "Hammer; Saw"
    assert [hop.subject for hop in draft.hops] == ["Hammer", "Saw"]


def test_rows_of_one_passage_among_several_are_given_with_reserve() -> None:
    chunks = [
        Chunk(f"c{start}", "folder/prices.csv", "prices", PRICES, start, start + len(PRICES))
        for start in (0, 500)
    ]
    index = EvidenceIndex(Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks)))
    draft = look_up_cell("Which items does Reed Tools supply?", index)

    assert draft is not None
    assert draft.reserve == PART


def test_adjective_names_the_column_of_its_measure() -> None:
    rows = "Member: Ann Holt; Age: 44; Height: 1.7 m\nMember: Bo Reed; Age: 61; Height: 1.8 m"
    index = EvidenceIndex(evidence_of(members=rows))

    for question, answer in (("How old is Ann Holt?", "44"), ("How tall is Bo Reed?", "1.8 m")):
        draft = look_up_cell(question, index)
        assert draft is not None
        assert (draft.text, draft.reserve) == (answer, "")
