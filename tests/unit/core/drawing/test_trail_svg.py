"""The SVG of a trail."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hoptrail.core.types import SupportState, Trail, TrailHop

SVG = "{http://www.w3.org/2000/svg}"
ANN = TrailHop(1, "Ann knows Bob", "Ann", "knows", "Bob", support="stated")
BOB = TrailHop(2, "Bob lives in Skarn", "Bob", "lives in", "Skarn", support="none")


def drawn(*hops: TrailHop, **choices: object) -> ElementTree.Element:
    return ElementTree.fromstring(Trail(hops).to_svg(**choices))  # type: ignore[arg-type]


def texts(svg: ElementTree.Element) -> list[str | None]:
    return [text.text for text in svg.iter(f"{SVG}text")]


def test_entities_and_claims_are_shown_with_their_marks_in_words() -> None:
    shown = texts(drawn(ANN, BOB))

    assert {"Ann", "Bob", "Skarn", "knows", "lives in"} <= set(shown)
    assert {"1 · stated", "2 · not found"} <= set(shown)


def test_its_own_words_are_in_the_language_that_is_asked_for() -> None:
    german = drawn(ANN, BOB, language="de", answers=("Skarn",))
    french = drawn(ANN, language="fr")

    assert {"1 · belegt", "2 · nicht gefunden", "Antwort", "knows"} <= set(texts(german))
    assert german.findtext(f"{SVG}title") == "Spur mit 2 Schritten"
    assert french.findtext(f"{SVG}desc") == "Étape 1, énoncé : Ann knows Bob."
    assert "1 · stated" in texts(drawn(ANN, language="xx"))


def test_it_names_itself_and_tells_its_steps_to_who_does_not_see_it() -> None:
    svg = drawn(ANN, BOB)

    assert svg.get("role") == "img"
    assert svg.findtext(f"{SVG}title") == "Trail of 2 steps"
    assert svg.findtext(f"{SVG}desc") == (
        "Step 1, stated: Ann knows Bob. Step 2, not found: Bob lives in Skarn."
    )


def test_each_mark_has_a_shape_of_its_own() -> None:
    states: tuple[SupportState, ...] = ("stated", "partly", "none")
    shapes = {
        mark.get("d")
        for state in states
        for mark in drawn(TrailHop(1, "c", support=state)).iter(f"{SVG}path")
        if mark.get("class") == "mark"
    }

    assert len(shapes) == 3


def test_the_answer_is_marked_in_words() -> None:
    answers = [
        group.findtext(f"{SVG}title")
        for group in drawn(ANN, BOB, answers=("skarn",)).iter(f"{SVG}g")
        if "answer" in (group.get("class") or "")
    ]

    assert answers == ["Skarn"]
    assert "answer" in texts(drawn(ANN, BOB, answers=("skarn",)))
    assert "answer" in texts(drawn(ANN, BOB, answers="Skarn"))
    assert "answer" not in texts(drawn(ANN, BOB))


def test_a_claim_bears_the_number_of_its_hop() -> None:
    numbers = [group.get("data-hop") for group in drawn(ANN, BOB).iter(f"{SVG}g")]

    assert [number for number in numbers if number] == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</text><svg onload=alert(1)>",
        '" onload="alert(1)',
        "]]><!ENTITY a 'b'>&a;",
        "\x00\x1b[31m\ud800\ufffe",
        "</style><script>alert(1)</script>",
    ],
)
def test_hostile_text_stays_text(text: str) -> None:
    svg = drawn(TrailHop(1, text, text, text, text), TrailHop(2, text), answers=(text,))

    known = {"svg", "title", "desc", "style", "rect", "g", "path", "text"}
    assert {element.tag.removeprefix(SVG) for element in svg.iter()} == known
    assert not any(name.startswith("on") for element in svg.iter() for name in element.keys())


def test_colours_follow_the_readers_screen_and_can_be_left_to_a_page() -> None:
    style = drawn(ANN).findtext(f"{SVG}style") or ""

    assert "prefers-color-scheme:dark" in style
    assert drawn(ANN, stylesheet=False).find(f"{SVG}style") is None


def test_an_empty_trail_says_so_and_shows_no_picture_in_a_notebook() -> None:
    assert texts(drawn()) == ["The trail has no step."]
    assert Trail()._repr_svg_() is None
    assert (Trail((ANN,))._repr_svg_() or "").startswith("<svg")
