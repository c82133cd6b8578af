"""Questions over tables that templates answer: what is given, how surely, and what it rests on."""

from collections.abc import Sequence

import pytest

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.tables.table_answer import answer_from_tables, number_text
from hoptrail.core.tables.table import Table
from hoptrail.core.types.draft import Draft, HopClaim
from tests.tables import table_of

BOATS = table_of(
    "Boat hire at Tarn",
    ["Boat", "Seats", "£ / hour", "£ / day", "Licence?", "First sailed"],
    ["Rowing skiff", "3", "9.50", "42", "no", "3 May 2019"],
    ["Double kayak", "2", "12.00", "48", "no", "1 June 2021"],
    ["Motor launch Otter", "6", "38.00", "", "yes", "9 April 2024"],
    ["Day sailer Teal", "5", "31.00", "140", "yes", "17 April 2024"],
)
SHOPS = table_of(
    "Stockists",
    ["Region", "Shop", "Cases / month", "Card", "Discount"],
    ["North", "Abel & Pym", "14", "✓", "none"],
    ["North", "The Larder", "9", "", "5 %"],
    ["North", "Fell Stores", "22", "✓", "5 %"],
    ["East", "Vale Co-op", "31", "", "none"],
    ["Total", "", "76", "", ""],
    kinds={4: "total"},
)
HALLS = table_of(
    "Visitors to the halls in 2023",
    ["Hall", "Jan", "Feb", "Mar", "Apr", "Year"],
    ["Elm Hall", "412", "388", "455", "530", "1785"],
    ["Ferry Room", "88", "", "91", "102", "281"],
)
FEES = table_of(
    "Court fees",
    ["Court", "Members Half day", "Members Full day", "Guests Half day", "Guests Full day"],
    ["Squash court", "14", "24", "22", "39"],
    ["Main pitch", "40", "70", "65", "115"],
)
YARD = table_of(
    "Yard prices",
    ["Job", "to 6 m", "6 to 9 m", "over 9 m"],
    ["Rig check", "45", "70", "98"],
    ["Hull polish", "80", "120", ""],
)
LOAVES = table_of(
    "Recipes", ["Loaf", "Flour", "Water %"], ["Rye loaf", "R11", "78"], ["Ciabatta", "C00", "80"]
)
FLOURS = table_of(
    "Flours",
    ["Code", "Supplier", "Tel."],
    ["R11", "Northgate Grain", "01632 960350"],
    ["C00", "Maison Averil", "01632 960471"],
)
TOURS = table_of(
    "Coach tours",
    ["Tour", "Days", "Price pp (£)", "Single suppl. (£)"],
    ["Lantern Coast", "2", "189", "35"],
    ["Castles", "2", "205", "40"],
    ["Seven Lakes", "7", "845", "160"],
    ["Old Road", "7", "798", "145"],
    sections={0: "Two-day trips", 1: "Two-day trips", 2: "Week tours", 3: "Week tours"},
)


ORDERS = table_of(
    "Orders",
    ["Order", "Customer", "Piece", "Metres", "Due", "Total"],
    ["H-2601", "Mrs Quill", "Sofa", "9", "2026-11-06", "£1240"],
    ["H-2602", "Dr Amin", "Wingback chair", "6", "2026-10-30", "£720"],
)
PRICES = table_of(
    "Price list",
    ["Code", "Item", "Price", "Supplier"],
    ["A-10", "Hammer", "12.00", "Reed Tools"],
    ["A-11", "Pliers", "9.50", "Bo Hardware"],
)
FLATS = table_of("Flats", ["Flat", "Tenant"], ["2", "Ann Holt"], ["12", "Bo Reed"])
GARAGES = table_of(
    "Garages behind the mill",
    ["Garage", "Tenant", "Area (m²)", "Rent", "Let since"],
    ["2", "R. Vane", "14", "£60", "2012"],
    ["5", "empty", "18", "£75", ""],
    ["6", "S. Ode", "12", "£55", "2020"],
    ["9", "R. Vane", "21", "£90", "2003"],
)
DUCKS = table_of(
    "Ringed ducks",
    ["Ring", "Kind", "Ringed", "Weight g"],
    ["NL0412", "Teal", "2023-02-11", "320"],
    ["NL0415", "Teal", "2023-02-12", "355"],
    ["NL0420", "Pochard", "2022-11-30", "840"],
)
CARETAKERS = table_of(
    "Boat caretakers",
    ["Boat", "Caretaker", "Phone"],
    ["Grey Wagtail", "Nan Sparrow", "960611"],
    ["Pintail", "Col Barden", "960645"],
    ["Curlew", "Nan Sparrow", "960611"],
    ["Sea Thrift", "Nan Sparrow", "960611"],
)
GRANTS = table_of(
    "Small grants",
    ["Applicant", "For", "Asked (£)", "Granted (£)"],
    ["Food Bank", "Freezer", "1,100", "1,100"],
    ["Brass Band", "Music stands", "900", "-"],
)
LESSONS = table_of(
    "Timetable",
    ["Day", "Begins", "Class", "Subject", "Room"],
    ["Monday", "8:40", "5A", "English", "12"],
    ["Monday", "10:35", "5A", "Music", "Hall"],
    ["Tuesday", "8:40", "6B", "Science", "Lab 2"],
)


STAFF = table_of(
    "Who is in",
    ["Name", "Days", "Ext."],
    ["Ida Holm", "Mon-Fri", "12"],
    ["Tom Berg", "Wed-Sun", "14"],
    ["Una Pole", "Mon", "15"],
)
WASH = table_of(
    "Car wash prices",
    ["Job", "small", "medium", "large"],
    ["Wax", "40", "55", "70"],
    ["Tyre check", "9", "", ""],
)
WEATHER = table_of(
    "Log of the pier",
    ["Date", "Time", "Temp °C"],
    ["1 March 2024", "08:00", "2.5"],
    ["2 March 2024", "08:00", "4"],
    ["3 March 2024", "08:00", "1"],
    ["4 March 2024", "08:00", "7"],
)
MOORINGS = table_of(
    "Moorings",
    ["Berth", "Boat", "Length m"],
    ["A1", "Curlew", "7.2"],
    ["B3", "Otter", "9.1"],
    ["B4", "Heron", "8.4"],
)
ROOMS = table_of("Rooms", ["Room", "Class"], ["B3", "Yoga"], ["C1", "Chess"])
SKIPS = table_of(
    "Skips", ["Skip", "Peak", "Off-peak"], ["Small", "44", "31"], ["Large", "79", "60"]
)
TANK = table_of(
    "Log of the tank",
    ["Day", "Level cm", "Checked"],
    ["1 May 2024", "140", "HV"],
    ["2 May 2024", "118", "JW"],
)
FERRIES = table_of("Ferries", ["", "takes cases"], ["Otter", "40"], ["Heron", "65"])
STALLS = table_of("Stalls", ["Stall", "Discount %"], ["Abel", "0"], ["Fell", "5"], ["Vale", "0"])
FLEET = table_of(
    "Fleet",
    ["Boat", "Built", "Guests", "Price"],
    ["Otter", "1931", "1200", "1500"],
    ["Heron", "1950", "2500", "1900"],
    ["Swan", "1962", "2000", "2100"],
    ["Teal", "1988", "900", "3000"],
)
TRAINS = table_of(
    "Trains",
    ["Train", "Hour", "Departs"],
    ["Kite", "8", "8:10"],
    ["Lark", "10", "10:15"],
    ["Dove", "12", "12:05"],
    ["Swift", "14", "14:40"],
)
GUESTS = table_of(
    "Log of guests",
    ["Day", "Boat", "Guests"],
    ["2024-05-03", "Otter", "12"],
    ["2024-05-03", "Heron", "19"],
    ["2024-05-04", "Otter", "30"],
)
DUES = table_of(
    "Dues", ["Member", "Paid"], ["Ann Moor", "paid"], ["Bo Lee", "due"], ["Cy Hart", "paid"]
)
BERTHS = table_of(
    "Berths Hull Leeds", ["Town", "Fee"], ["Hull", "30"], ["Leeds", "45"], ["York", "12"]
)
PARK = table_of(
    "Ellery Park", ["What", "Price"], ["Parking", "3"], ["Picnic", "8"], ["Ellery Park Tour", "12"]
)


ROTA = table_of(
    "Van rota",
    ["Day", "Van", "Driver", "Km", "Remarks"],
    ["Monday", "Truffle", "Wilma Skuse", "82", "see the mail about the new stop"],
    ["Tuesday", "Truffle", "Wilma Skuse", "78", ""],
    ["Wednesday", "Bluebell", "Bo Reed", "96", "before ten at the hotel"],
    ["Friday", "Truffle", "Bo Reed", "85", "Wilma on leave"],
)


def answered(question: str, *tables: Table) -> Draft | None:
    return answer_from_tables(question, tables, TextSimilarity())


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("How many seats does the rowing skiff have?", BOATS, "3"),
        ("What does the double kayak cost per day?", BOATS, "£48"),
        ("When did the double kayak first sail?", BOATS, "1 June 2021"),
        ("How many boats need a licence?", BOATS, "2"),
        ("How many boats do not need a licence?", BOATS, "2"),
        ("Which boat has the most seats?", BOATS, "Motor launch Otter"),
        ("How many boats cost less than £20 an hour?", BOATS, "2"),
        ("How many boats first sailed in April 2024?", BOATS, "2"),
        ("How many boats sailed first before 2020?", BOATS, "1"),
        (
            "Which boat has more seats, the rowing skiff or the day sailer?",
            BOATS,
            "Day sailer Teal",
        ),
        ("How many more seats does Otter have than the rowing skiff?", BOATS, "3"),
        ("How many cases a month go to the North in total?", SHOPS, "45"),
        ("How many cases a month go out altogether?", SHOPS, "76"),
        ("How many cases does a shop in the North take on average?", SHOPS, "15"),
        ("How many shops in the North take a card?", SHOPS, "2"),
        ("Which shops have no discount?", SHOPS, "Abel & Pym; Vale Co-op"),
        ("How many visitors had Elm Hall in February?", HALLS, "388"),
        ("How many visitors came to Elm Hall in the first three months?", HALLS, "1,255"),
        ("In which month did Elm Hall have the most visitors?", HALLS, "Apr"),
        ("What is the average of visitors to Elm Hall per month?", HALLS, "446.25"),
        ("What do guests pay for a full day on the squash court?", FEES, "39"),
        ("What does a rig check cost for a boat of 10 metres?", YARD, "98"),
        ("What is the cheapest of the week tours?", TOURS, "Old Road"),
        (
            "Which boats have the two highest prices per hour?",
            BOATS,
            "Motor launch Otter; Day sailer Teal",
        ),
        ("Which boat has the second most seats?", BOATS, "Day sailer Teal"),
        ("How many boats have 5 seats or more?", BOATS, "2"),
        ("Which caretaker looks after the most boats?", CARETAKERS, "Nan Sparrow"),
        ("What was the Food Bank's grant for?", GRANTS, "Freezer"),
        ("What is the total of H-2602?", ORDERS, "£720"),
        ("What piece did Dr Amin order?", ORDERS, "Wingback chair"),
        ("What is A-10?", PRICES, "Hammer"),
        ("Who lives in flat 12?", FLATS, "Bo Reed"),
        ("Where does class 5A have music?", LESSONS, "Hall"),
        ("Who is in on Saturdays?", STAFF, "Tom Berg"),
        ("How much is a tyre check?", WASH, "9"),
        ("On how many mornings was it colder than 3 °C?", WEATHER, "2"),
        ("What was the mean temperature from 2 to 4 March 2024?", WEATHER, "4 °C"),
        ("How much warmer was it on 4 March than on 3 March 2024?", WEATHER, "6 °C"),
        ("Leaving out the North, how many shops take over 15 cases a month?", SHOPS, "1"),
        ("What's the second longest boat on the moorings?", MOORINGS, "Heron"),
        ("Which two boats are the cheapest per hour?", BOATS, "Rowing skiff; Double kayak"),
        ("How many stalls give no discount?", STALLS, "2"),
        ("Which takes more cases?", FERRIES, "Heron"),
        ("Which ferry takes fewer cases?", FERRIES, "Otter"),
        ("What does a large skip cost off-peak?", SKIPS, "60"),
        ("Who checked the tank on 2 May 2024?", TANK, "JW"),
        ("What is the total fee in Hull and Leeds?", BERTHS, "75"),
        ("What is the price of Parking at Ellery Park?", PARK, "3"),
        ("How many boats were built earlier than 1962?", FLEET, "2"),
        ("How many boats are newer than 1950?", FLEET, "2"),
        ("Which trains have an hour later than 10?", TRAINS, "Dove; Swift"),
        ("How many trains depart later than 10:15?", TRAINS, "2"),
        ("How many boats had at least 2000 guests?", FLEET, "2"),
        ("Which had more guests on 3 May 2024, the Otter or the Heron?", GUESTS, "Heron"),
        ("Which boat takes most cases?", FERRIES, "Heron"),
        ("Which members have paid?", DUES, "Ann Moor; Cy Hart"),
        ("How many boats have a price of less than 2000?", FLEET, "2"),
        ("Does the motor launch Otter need a licence?", BOATS, "yes"),
        ("Do I need a licence for the double kayak?", BOATS, "no"),
        ("Does Fell Stores take a card?", SHOPS, "yes"),
    ],
)
def test_each_form_of_question_is_one_query(question: str, table: Table, answer: str) -> None:
    draft = answered(question, table)
    assert draft is not None
    assert draft.text == answer


def test_how_many_one_may_have_is_a_rule_that_rows_do_not_tell() -> None:
    draft = answered("How many boats can I hire?", BOATS)
    assert draft is None or draft.reserve


TOOLS = table_of(
    "Loan prices",
    ["No.", "Tool", "Category", "Number owned", "Induction"],
    ["T01", "Hammer drill", "Power tools", "3", "no"],
    ["T02", "Circular saw", "Power tools", "2", "yes"],
    ["T03", "Tile cutter", "Building", "1", "yes"],
    ["T04", "Step ladder", "Access", "4", "no"],
)


@pytest.mark.parametrize(
    ("question", "answer", "is_plain"),
    [
        ("How many tools need an induction?", "2", True),
        ("How many categories need an induction?", "2", False),
        ("How many step ladders do we own?", "4", True),
    ],
)
def test_rows_are_what_a_column_calls_them_that_tells_them_apart(
    question: str, answer: str, is_plain: bool
) -> None:
    draft = answered(question, TOOLS)
    assert draft is not None
    assert (draft.text, not draft.reserve) == (answer, is_plain)


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("How many garages are empty?", GARAGES, "1"),
        ("How many garages does R. Vane have?", GARAGES, "2"),
        ("Which garage has the lowest rent?", GARAGES, "6"),
        ("Who has the largest garage?", GARAGES, "R. Vane"),
        ("What is the rent of garage 5?", GARAGES, "£75"),
        ("Which duck is the heaviest?", DUCKS, "NL0420"),
        ("How many ducks are Teal?", DUCKS, "2"),
    ],
)
def test_numbers_that_name_rows_are_no_amounts(question: str, table: Table, answer: str) -> None:
    draft = answered(question, table)

    assert draft is not None
    assert "; ".join(draft.answers) == answer


@pytest.mark.parametrize(
    "question", ["Which garage was let after S. Ode?", "Who had a garage before S. Ode?"]
)
def test_what_comes_after_a_row_is_not_what_stands_in_it(question: str) -> None:
    assert answered(question, GARAGES) is None


def test_a_person_is_no_place() -> None:
    tutors = table_of("Courses", ["Course", "Tutor"], ["Plastering", "Mara Lind"], ["Sewing", "Bo"])
    draft = answered("Where does the plastering course take place?", tutors)
    assert draft is None


SHELF = (
    table_of(
        "sales",
        ["Sale", "Customer", "Item", "Quantity", "Unit price", "Line total"],
        ["S1", "Aster", "chair", "3", "12.50", "37.50"],
        ["S2", "Cedar", "lamp", "2", "20", "40"],
        ["S3", "Birch", "desk", "10", "4", "40"],
        ["S4", "Aster", "sofa", "1", "135.25", "135.25"],
        ["S5", "Dahl", "bench", "1", "140", "140"],
    ),
    table_of(
        "cities",
        ["City", "Population", "Area km²", "Founded"],
        ["Alva", "12500", "22", "1310"],
        ["Brin", "48200", "95", "1150"],
        ["Corrie", "8100", "17", "1702"],
    ),
    table_of(
        "depots",
        ["Depot", "Town", "Opened", "Capacity"],
        ["Halden", "Moss", "2014", "120"],
        ["Kirn", "Brin", "2019", "80"],
        ["Lowe", "Alva", "2021", "45"],
    ),
    table_of(
        "players",
        ["Player", "Goals", "Born", "Age"],
        ["Ines Roth", "12", "1999", "25"],
        ["Mo Adan", "7", "2004", "20"],
        ["Kit Rao", "2", "2006", "18"],
    ),
    table_of(
        "trips",
        ["Trip", "Date", "Boat", "Guests"],
        ["Seal watch", "2024-05-04", "K1", "12"],
        ["Oyster tour", "2024-05-11", "K2", "8"],
        ["Sunset sail", "2024-06-01", "K1", "20"],
    ),
    table_of(
        "boats",
        ["Code", "Boat", "Length m", "Skipper"],
        ["K1", "Petrel", "9.5", "Ona Lind"],
        ["K2", "Curlew", "7.2", "Per Falk"],
    ),
    table_of(
        "weather",
        ["Date", "max_C", "Rain mm"],
        ["2024-03-01", "11.5", "0"],
        ["2024-03-02", "14.2", "3"],
        ["2024-03-03", "9.8", "12"],
    ),
    table_of(
        "routes",
        ["Route", "From", "Fare €"],
        ["R1", "Halden", "7.50"],
        ["R2", "Skye", "9.00"],
        ["R3", "Orsay", "free"],
    ),
    table_of(
        "shop stock",
        ["Product", "Number"],
        ["Apple", "10"],
        ["Pear", "15"],
        ["Leek", "9"],
        sections={0: "Fruit", 1: "Fruit", 2: "Vegetables"},
    ),
)
"""Tables of one base whose columns stand for unlike things."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # What a row has in total is its own total, no sum of unlike columns.
        ("How much did Birch pay in total?", "40"),
        ("How much did Aster spend altogether?", "172.75"),
        ("How much do the chairs cost in total?", "37.50"),
        ("How many lamps in total?", "2"),
        ("How much did Birch pay for the desks?", "40"),
        ("How much is Alva in total?", None),
        # The rows themselves are counted.
        ("How many trips are there?", "3"),
        ("How many cities are there?", "3"),
        ("How many depots are in Moss?", "1"),
        ("How many boats do we have?", "2"),
        ("How many depots opened after 2018?", "2"),
        # All rows that have a quality.
        ("Which depots opened after 2018?", "Kirn; Lowe"),
        ("Which players are under 21?", "Mo Adan; Kit Rao"),
        ("Which cities have more than 10,000 people?", "Alva; Brin"),
        # The table whose rows are the thing, and the column that the superlative speaks of.
        ("Which is the largest depot?", "Halden"),
        ("What depot has the largest capacity?", "Halden"),
        ("In what town is the largest capacity?", "Moss"),
        ("What is the largest capacity of a depot?", "120"),
        ("Which is the oldest city?", "Brin"),
        ("Which city is the smallest?", "Corrie"),
        ("Who is the oldest?", "Ines Roth"),
        ("Who is the youngest player?", "Kit Rao"),
        ("Who is older, Mo Adan or Ines Roth?", "Ines Roth"),
        ("Who is younger, Mo Adan or Ines Roth?", "Mo Adan"),
        ("How many years older is Ines Roth than Mo Adan?", "5"),
        ("Who spent more, Aster or Cedar?", "Aster"),
        ("Which route is the cheapest?", "R3"),
        ("What was the highest temperature?", "14.2"),
        ("What was the highest max_C?", "14.2"),
        ("On which day was it coldest?", "2024-03-03"),
        ("Which customer spent the most?", "Aster"),
        # Codes lead from table to table.
        ("How many guests went on the Petrel in total?", "32"),
        ("Which boat does the Oyster tour use?", "Curlew"),
        ("How many fruit are there in total?", "25"),
        ("Which trips were after 7 May?", "Oyster tour; Sunset sail"),
        ("Which trips were before 11 May 2024?", "Seal watch"),
    ],
)
def test_of_many_tables_the_one_whose_rows_are_asked_about_answers(
    question: str, answer: str | None
) -> None:
    draft = answered(question, *SHELF)
    assert (None if draft is None or draft.abstained else draft.text) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much did Customer 17 spend in total?", "57.50"),
        ("What did Customer 3 buy on 5 May 2024?", "Oar"),
    ],
)
def test_the_number_of_a_name_is_no_amount_and_no_part_of_another_name(
    question: str, answer: str
) -> None:
    sales = table_of(
        "Sales",
        ["Date", "Customer", "Item", "Price"],
        ["2024-05-04", "Customer 17", "Rope", "40.50"],
        ["2024-05-05", "Customer 3", "Oar", "21.00"],
        ["2024-05-05", "Customer 5", "Sail", "90.00"],
        ["2024-05-06", "Customer 17", "Cleat", "17.00"],
    )
    draft = answered(question, sales)
    assert draft is not None
    assert draft.text == answer


def test_an_answer_that_is_not_one_of_several_is_told_with_reserve() -> None:
    draft = answered(
        "Who skippered the Gannet?",
        table_of(
            "Log", ["Boat", "Skipper"], ["Gannet", "Joss"], ["Tern", "Ida"], ["Gannet", "Una"]
        ),
    )
    assert draft is not None
    assert draft.text == "Joss; Una"
    assert draft.reserve


def test_a_sum_that_is_not_the_tables_own_total_is_told_with_that() -> None:
    rows = [["Ice", "300"], ["Cones", "50"], ["Total", "410"]]
    draft = answered(
        "How many kilos in total?", table_of("Stock", ["What", "Kilos"], *rows, kinds={2: "total"})
    )
    assert draft is not None
    assert (draft.text, draft.reserve) == ("350", "the table's own total says 410")


def test_an_answer_that_accounts_for_every_word_is_sure_and_shows_its_query() -> None:
    draft = answered("What does the double kayak cost per day?", BOATS)
    assert draft is not None
    assert draft.reserve == ""
    assert (
        draft.raw == 'SELECT "£ / day" FROM "boat_hire_at_tarn" WHERE "Boat" IN (\'Double kayak\')'
    )
    row = BOATS.rows[1].row.start
    assert draft.hops == (
        HopClaim("Double kayak", "£ / day", "48", "Boat hire at Tarn-1", row_start=row),
    )
    assert not draft.derived


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("Who is on the desk on 17 July?", ["17 July Desk Colin Bright"]),
        (
            "How many times is Colin Bright on the desk?",
            ["3 July Desk Colin Bright", "17 July Desk Colin Bright"],
        ),
    ],
)
def test_rows_are_named_by_what_tells_them_apart(question: str, steps: list[str]) -> None:
    rota = table_of(
        "Desk rota",
        ["Date", "Day", "Desk"],
        ["3 July", "Thursday", "Colin Bright"],
        ["5 July", "Saturday", "Hannah Liddell"],
        ["17 July", "Thursday", "Colin Bright"],
        ["19 July", "Saturday", "Hannah Liddell"],
    )
    draft = answered(question, rota)
    assert draft is not None
    assert [hop.claim for hop in draft.hops] == steps


def test_the_most_itself_is_asked_for_by_a_word_for_amounts() -> None:
    loans = table_of("Loans in 2024", ["Month", "Loans"], ["May", "322"], ["June", "301"])
    for question, answer in (
        ("What was the highest number of loans in a month?", "322"),
        ("Which month had the highest number of loans?", "May"),
    ):
        draft = answered(question, loans)
        assert draft is not None
        assert draft.text == answer


def test_a_price_is_no_answer_to_how_long_something_takes() -> None:
    prices = table_of("Prices", ["Item", "Price (£)"], ["Induction", "5"], ["Workshop", "4"])
    assert answered("How long does the induction take?", prices) is None


@pytest.mark.parametrize(
    ("question", "reserve"),
    [
        ("When do you open on Saturdays?", ""),
        ("What are the opening hours on Saturday?", ""),
        ("When does the library close on Saturday?", 'the passage says nothing of "close"'),
    ],
)
def test_two_times_in_order_are_one_answer(question: str, reserve: str) -> None:
    hours = table_of(
        "Opening hours of the library",
        ["Day", "From", "To"],
        ["Thursday", "17:00", "20:00"],
        ["Saturday", "9:30", "13:00"],
    )
    draft = answered(question, hours)
    assert draft is not None
    assert (draft.text, draft.reserve) == ("9:30 to 13:00", reserve)
    assert [hop.claim for hop in draft.hops] == ["Saturday From 9:30", "Saturday To 13:00"]


def test_two_times_of_which_either_may_be_later_are_no_span() -> None:
    sailings = table_of(
        "Sailings",
        ["Day", "Outward", "Return"],
        ["Monday", "8:00", "17:00"],
        ["Tuesday", "19:00", "7:00"],
    )
    draft = answered("When is the sailing on Monday?", sailings)
    assert draft is None or " to " not in draft.text


def test_a_sum_names_its_parts() -> None:
    draft = answered("How many cases a month go to the North in total?", SHOPS)
    assert draft is not None
    assert draft.derived
    assert [hop.claim for hop in draft.hops] == [
        "Abel & Pym Cases / month 14",
        "The Larder Cases / month 9",
        "Fell Stores Cases / month 22",
    ]


def test_a_word_that_nothing_tells_is_a_reserve() -> None:
    draft = answered("How many purple seats does the rowing skiff have?", BOATS)
    assert draft is not None
    assert draft.reserve == 'the passage says nothing of "purple"'


@pytest.mark.parametrize(
    "question",
    [
        "How many seats does the rowing skiff at Wexham have?",
        "Who painted the rowing skiff?",
        "How many seats does the pedalo have?",
        "How many cabins has the rowing skiff?",
        "What is the weather?",
    ],
)
def test_what_a_table_does_not_tell_is_not_answered(question: str) -> None:
    draft = answered(question, BOATS)
    assert draft is None or draft.abstained or draft.reserve


def test_who_is_asked_for_stands_in_the_column_of_full_names() -> None:
    rows = ["A-1", "Ida Holm", "Aby", "3 May 2024"], ["A-2", "Tom Berg", "Varde", "9 May 2024"]
    orders = table_of("Orders", ["Order", "Customer", "Goes to", "Date"], *rows)
    draft = answer_from_tables("Who ordered on 9 May 2024?", [orders], TextSimilarity())
    assert draft is not None
    assert draft.answers == ("Tom Berg",)


def test_an_empty_cell_is_an_abstention() -> None:
    draft = answered("What does the motor launch Otter cost per day?", BOATS)
    assert draft is not None
    assert draft.abstained


def test_the_row_of_one_table_leads_to_that_of_another() -> None:
    draft = answered("Which supplier sends the flour for the rye loaf?", LOAVES, FLOURS)
    assert draft is not None
    assert draft.text == "Northgate Grain"
    assert [hop.claim for hop in draft.hops] == [
        "Rye loaf Flour R11",
        "R11 Supplier Northgate Grain",
    ]


def test_rows_that_share_the_most_are_all_named() -> None:
    table = table_of("Clubs", ["Club", "Members"], ["Choir", "30"], ["Chess", "30"], ["Darts", "4"])
    draft = answered("Which club has the most members?", table)
    assert draft is not None
    assert draft.answers == ("Choir", "Chess")


def test_where_two_tables_answer_otherwise_the_reserve_tells_the_other_answer() -> None:
    tables: Sequence[Table] = [
        table_of("List A", ["Boat", "Length m"], ["Otter", "9"]),
        table_of("List B", ["Boat", "Length m"], ["Otter", "11"]),
    ]
    draft = answered("How long is the Otter?", *tables)
    assert draft is not None
    assert (draft.text, draft.reserve) == ("9 m", '"List B" says 11 m')


def test_a_sum_of_prices_keeps_its_cents() -> None:
    table = table_of("Bread", ["Bread", "Price"], ["Rye", "4.20"], ["Plum", "8.70"])
    draft = answered("What is the sum of the prices?", table)
    assert draft is not None
    assert draft.answers == ("12.90",)


def test_numbers_are_told_with_their_unit() -> None:
    assert number_text(5990, "£") == "£5,990"
    assert number_text(13.428, "kn") == "13.43 kn"
    assert number_text(12.5, "%") == "12.5%"
    assert number_text(0.1 + 0.2) == "0.3"


def test_a_bare_number_takes_the_unit_of_its_head_alone() -> None:
    table = table_of("Hut", ["Item", "Price (EUR)", "Fee (2024)"], ["Bed", "30", "4"])
    priced, charged = (
        answered(f"What is the {word} of a bed?", table) for word in ("price", "fee")
    )
    assert priced is not None and priced.answers == ("30 EUR",)
    assert charged is not None and charged.answers == ("4",)


@pytest.mark.parametrize("question", ["1,2.3,4", "What costs 1,250,000.50 pounds?"])
def test_a_number_of_several_marks_is_no_error_beside_ranges(question: str) -> None:
    table = table_of("Fees", ["Weight", "Fee"], ["0-5 kg", "3"], ["5-10 kg", "4"])
    assert answered(question, table) is None


def test_a_range_is_found_by_a_number_with_a_comma() -> None:
    table = table_of("Fees", ["Weight", "Fee"], ["0-5 kg", "3"], ["5-2000 kg", "4"])
    draft = answered("What is the fee for a weight of 1,250 kg?", table)
    assert draft is not None
    assert draft.answers == ("4",)


def test_a_code_names_what_stands_below_its_head_alone() -> None:
    draft = answered("Which boat is at berth B3?", MOORINGS, ROOMS)
    assert draft is not None
    assert (draft.text, draft.reserve) == ("Otter", "")


def test_whose_table_it_is_names_no_row_of_it() -> None:
    box = table_of(
        "Fern Farm box",
        ["Item", "Grower", "km"],
        ["Leeks", "Fern Farm", "2"],
        ["Plums", "Hill End", "40"],
    )
    draft = answered("Which item of Fern Farm's box came furthest?", box)
    assert draft is not None
    assert draft.text == "Plums"


def test_a_question_that_tells_of_no_table_is_answered_with_reserve() -> None:
    draft = answered("Which was dearest?", TOURS)
    assert draft is not None
    assert draft.reserve


@pytest.mark.parametrize("name", ["x'); DROP TABLE hire; --", 'Otter" OR 1=1; SELECT "Boat'])
def test_sql_that_a_document_dictates_is_text(name: str) -> None:
    table = table_of(f"Hire {name}", [name, "Seats"], [name, "4"], ["Curlew", "2"])
    draft = answered("How many seats has Curlew?", table)
    assert draft is not None
    assert draft.text == "2"
    draft = answered(f"How many seats has {name}?", table)
    assert draft is None or draft.text == "4"


def test_a_remark_about_a_person_names_no_row_of_hers() -> None:
    draft = answered("How many kilometres was Wilma down for?", ROTA)
    assert draft is not None
    assert draft.answers != ("85",)
    assert all(hop.object != "85" for hop in draft.hops)


def test_where_several_amounts_may_be_meant_all_are_told_with_reserve() -> None:
    linen = table_of(
        "Linen",
        ["Item", "Hire (GBP)", "Replacement charge (GBP)", "Pack"],
        ["Bath towel", "0.47", "4.60", "40"],
        ["Bath mat", "0.38", "3.20", "30"],
    )

    draft = answered("How much is a bath towel?", linen)
    assert draft is not None
    assert draft.answers == ("0.47 GBP", "4.60 GBP")
    assert draft.reserve
    draft = answered("What is the replacement charge for a bath towel?", linen)
    assert draft is not None
    assert (draft.answers, draft.reserve) == (("4.60 GBP",), "")


WEEK = table_of(
    "First week",
    ["When", "What", "Where", "With whom", "initials"],
    ["Day 1", "Saw test", "Yard", "Examiner", "RK"],
    ["Day 3", "Review talk", "Office", "Tutor", "TB"],
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("On which day is the review talk?", "Day 3"),
        ("When is the review talk?", "Day 3"),
        ("Where is the saw test?", "Yard"),
    ],
)
def test_a_question_word_heads_a_column(question: str, answer: str) -> None:
    draft = answered(question, WEEK)
    assert draft is not None
    assert (draft.text, draft.reserve) == (answer, "")


COACHES = table_of(
    "Coaches",
    ["Coach – per day", "Weekday", "Weekend"],
    ["16-seater", "240", "295"],
    ["33-seater", "365", "430"],
)


INVOICE = table_of(
    "Invoice",
    ["Thing", "Number", "£ each", "£"],
    ["Napkin set", "15", "12.40", "186.00"],
    ["Candle jar", "40", "4.15", "166.00"],
)


def test_what_a_thing_costs_is_the_price_of_one() -> None:
    draft = answered("How much is a candle jar?", INVOICE)
    assert draft is not None
    assert draft.text == "£4.15"


def test_a_number_within_a_compound_names_the_row() -> None:
    draft = answered("How much is the 33-seater at the weekend?", COACHES)
    assert draft is not None
    assert draft.text == "430"


def test_who_did_it_does_not_stand_below_where_it_was_done() -> None:
    finds = table_of(
        "Finds",
        ["Animal", "Found at", "Finder"],
        ["Tawny owl", "Marl Wood", "Lena Fisk"],
        ["Swift", "Market Hill", "Bo Reed"],
    )
    draft = answered("Who found the tawny owl?", finds)
    assert draft is not None
    assert draft.text == "Lena Fisk"


def test_what_two_tables_name_is_looked_up_in_the_one_that_tells() -> None:
    finds = table_of("Finds", ["Case", "Animal", "Finder"], ["A1", "Tawny owl", "Lena Fisk"])
    rules = table_of("Rules", ["Animal", "Weight (g)"], ["Tawny owl", "400"], ["Swift", "30"])
    draft = answered("Who found the tawny owl?", finds, rules)
    assert draft is not None
    assert [hop.claim for hop in draft.hops] == ["A1 Finder Lena Fisk"]


def test_a_price_is_what_a_thing_costs_beside_its_deposit() -> None:
    boats = table_of(
        "Boats",
        ["Boat", "Deposit (GBP)", "Price (GBP)"],
        ["Canoe", "30", "12"],
        ["Kayak", "40", "9"],
    )
    draft = answered("How much is a canoe?", boats)
    assert draft is not None
    assert (draft.answers, draft.reserve) == (("12 GBP",), "")
