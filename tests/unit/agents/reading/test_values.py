from __future__ import annotations

import pytest

from hoptrail.agents.reading.values import find_values


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("It opened on 14 March 2023 at last.", "14 March 2023", "date"),
        ("It opened on March 14, 2023.", "March 14, 2023", "date"),
        ("The camp is held from 14 to 18 April.", "14 to 18 April", "date"),
        ("The camp runs from 28 July to 1 August.", "28 July to 1 August", "date"),
        ("Room 12 - 14 May", "14 May", "date"),
        ("Valid from 2024-04-01.", "2024-04-01", "date"),
        ("Sent: 17.01.2024", "17.01.2024", "date"),
        ("They met in 1921.", "1921", "date"),
        ("Date: 20260425", "20260425", "date"),
        ("Open from 9 am to 5 pm.", "9 am to 5 pm", "time"),
        ("On Wednesday from 7 to 9 pm.", "7 to 9 pm", "time"),
        ("It is 09:00-17:30 here.", "09:00-17:30", "time"),
        ("12 Mill Road, York YO10 4QB", "York", "name"),
        ("Music ends at 10.30 pm on Saturdays.", "10.30 pm", "time"),
        ("Doors open at 16:40 sharp.", "16:40", "time"),
        ("Bins are emptied on Thursdays.", "Thursdays", "date"),
        ("She comes every second Tuesday.", "every second Tuesday", "date"),
        ("We meet on the first Monday of the month.", "first Monday of the month", "date"),
        ("Open from Monday to Friday.", "Monday to Friday", "date"),
        ("On Thursday 12 May we met.", "12 May", "date"),
        ("We asked Mira Solberg.", "Mira Solberg", "name"),
        ("Dear Mr Nazari, thank you.", "Mr Nazari", "name"),
    ],
)
def test_value_is_found_with_its_kind(text: str, value: str, kind: str) -> None:
    assert (value, kind) in [(one.text, one.kind) for one in find_values(text)]


@pytest.mark.parametrize(
    ("text", "value", "measure"),
    [
        ("The fee is £31,750 in all.", "£31,750", "money"),
        ("It costs 4.2 pence per litre.", "4.2 pence per litre", "money"),
        ("A round of €2.4 million.", "€2.4 million", "money"),
        ("Rent is EUR 780 a month.", "EUR 780 a month", "money"),
        ("It costs £38 per person and night.", "£38 per person and night", "money"),
        ("It costs £38 per person and includes tea.", "£38 per person", "money"),
        ("We paid £40 a few days ago.", "£40", "money"),
        ("They are £39.00 each.", "£39.00 each", "money"),
        ("It bears 1.5 % a year.", "1.5 % a year", "share"),
        ("It throws at 130 km/h.", "130 km/h", "length"),
        ("A hall of 840 m² is let.", "840 m²", "area"),
        ("It has 52 square metres.", "52 square metres", "area"),
        ("Pay to GB33 BUKB 2020 1555 5555 55 now.", "GB33 BUKB 2020 1555 5555 55", "iban"),
        ("12 Mill Road, York YO10 4QB", "YO10 4QB", "postcode"),
        ("Call 07001182233.", "07001182233", "phone"),
        ("The outage took 3 h 42 min.", "3 h 42 min", "duration"),
        ("Allow us 48 hours.", "48 hours", "duration"),
        ("Stay up to 14 nights.", "14 nights", "duration"),
        ("A wheel has 6.5 kg.", "6.5 kg", "mass"),
        ("Keep it at 9 °C.", "9 °C", "temperature"),
        ("The county pays 60 per cent.", "60 per cent", "share"),
        ("Room for 18 cars.", "18", None),
        ("Price in GBP: 18,00; Remark: two beds", "18,00", None),
        ("Das kostet 1.234,50 € im Jahr.", "1.234,50", None),
        ("It costs EUR 0,80 each.", "EUR 0,80 each", "money"),
        ("A board of 12,5 cm.", "12,5 cm", "length"),
        ("It holds 1,250 litres.", "1,250 litres", "volume"),
        ("Ring 01632 960 417 after six.", "01632 960 417", "phone"),
        ("Ring +44 1632 960417 after six.", "+44 1632 960417", "phone"),
        ("From 2019-2024 she was away.", "2019", None),
    ],
)
def test_amount_is_found_with_its_unit(text: str, value: str, measure: str | None) -> None:
    assert (value, measure) in [(one.text, one.measure) for one in find_values(text)]


def test_number_of_a_list_item_is_no_value() -> None:
    assert [one.text for one in find_values("3. Seats: no more than 180.")][-1] == "180"
    assert "3" not in [one.text for one in find_values("3. Seats: no more than 180.")]


def test_number_within_a_date_is_no_value_of_its_own() -> None:
    assert [one.text for one in find_values("on 14 March 2023")] == ["14 March 2023"]


def test_word_broken_at_the_end_of_a_line_is_no_name() -> None:
    assert find_values("the Pro-\nducer may sell") == []


def test_value_runs_across_the_end_of_a_line() -> None:
    text = "led by Sunniva Holt of Threadbare\n> Puppets, at 4.2\n   pence per litre"
    found = find_values(text)
    assert [one.text for one in found] == [
        "Sunniva Holt of Threadbare Puppets",
        "4.2 pence per litre",
    ]
    assert text[found[0].start : found[0].end].endswith("Puppets")


def test_name_that_ends_with_a_number_stands_beside_that_number() -> None:
    assert {one.text for one in find_values("it is washed with Solvex 12 here")} == {
        "12",
        "Solvex 12",
    }


def test_mail_address_is_one_value() -> None:
    (found,) = find_values("write to ann.holt@mill.example at once")
    assert (found.text, found.kind) == ("ann.holt@mill.example", "mail")


def test_days_with_their_hours_are_one_value_and_each_hours_a_time() -> None:
    text = "Open Tuesdays 9 to 12 and Thursdays 14:00 - 18:00."
    found = {(one.kind, one.text) for one in find_values(text)}
    assert ("hours", "Tuesdays 9 to 12 and Thursdays 14:00 - 18:00") in found
    assert {("time", "9 to 12"), ("time", "14:00 - 18:00")} <= found


def test_a_day_alone_with_its_hours_stays_a_day_and_a_time() -> None:
    found = {(one.kind, one.text) for one in find_values("It is held on Saturdays from 8 to 13.")}
    assert ("date", "Saturdays") in found
    assert all(kind != "hours" for kind, _ in found)
