from __future__ import annotations

import pytest

from hoptrail.indexing.loading.readers.titles import first_heading, guess_title, meant_title


@pytest.mark.parametrize(
    "given",
    [
        "",
        "(anonymous)",
        "Untitled",
        "Microsoft Word - manual_v3.doc",
        "PowerPoint Presentation",
        "PowerPoint-Präsentation",
        "report_final2.docx",
        "Document1",
        "thesis.dvi",
    ],
)
def test_titles_that_programs_give_are_none(given: str) -> None:
    assert meant_title(given) == ""


@pytest.mark.parametrize("given", ["Yard handbook", "Title deeds of Hestvik", "Slides and sleighs"])
def test_titles_that_people_give_are_kept(given: str) -> None:
    assert meant_title(given) == given


def test_the_first_heading_is_found_among_the_first_blocks() -> None:
    assert first_heading(["Text.", "## Sheds", "# Lifts"]) == "Sheds"
    assert first_heading([*["Text."] * 30, "# Lifts"]) == ""


def test_a_file_without_a_heading_is_called_by_its_name() -> None:
    assert guess_title("It carries 40 tonnes.", "travel_lift-2") == "travel lift 2"


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("The city of Uppsala lies on the Fyris. It has a cathedral.", "uppsala", "Uppsala"),
        ("In uppsala once, in Uppsala now.", "uppsala", "Uppsala"),
        ("The van Gogh Museum shows it.", "van_gogh-museum", "van Gogh Museum"),
        ("It is told of uppsalaborg in Uppsalaborg.", "uppsala", "uppsala"),
        ("The city of UPPSALA.", "Uppsala", "Uppsala"),
    ],
)
def test_a_files_name_is_spelled_as_the_text_spells_it(text: str, name: str, title: str) -> None:
    assert guess_title(text, name) == title
