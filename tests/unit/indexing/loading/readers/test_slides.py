from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoptrail.indexing.loading.readers.slides import read_slides

pptx = pytest.importorskip("pptx")

CM = 360_000  # EMU
NILS, INES, LEA = "Nils Oberg\nHead Gardener", "Ines Cole\nKitchen Gardener", "Lea Moor\nApprentice"


def slide_with(*texts: str, across: bool = False) -> tuple[Any, Any, list[Any]]:
    """Return a presentation, its slide, and a box for each text below or beside the one before."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "The garden"
    boxes = []
    for at, text in enumerate(texts):
        left, top = (1 + 6 * at, 5) if across else (5, 3 + 4 * at)
        boxes.append(slide.shapes.add_shape(1, left * CM, top * CM, 4 * CM, 2 * CM))
        boxes[-1].text_frame.text = text
    return presentation, slide, boxes


def join(slide: Any, begin: Any, end: Any, arrow: str = "") -> None:
    """Glue a line to two boxes, with an arrow at "headEnd" or "tailEnd"."""
    line = slide.shapes.add_connector(1, 0, 0, 1, 1)
    line.begin_connect(begin, 2)
    line.end_connect(end, 0)
    if arrow:
        properties = line.line._get_or_add_ln()
        made = pptx.oxml.parse_xml(
            f'<a:{arrow} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
            ' type="triangle"/>'
        )
        properties.append(made)


def texts_of(presentation: Any, folder: Path) -> list[str]:
    presentation.save(str(folder / "garden.pptx"))
    blocks = read_slides(folder / "garden.pptx").blocks
    assert {block.place for block in blocks} == {"slide 1"}
    return [block.text for block in blocks[1:]]


def test_a_box_is_one_thing_and_a_line_below_a_person_is_who_reports(tmp_path: Path) -> None:
    presentation, slide, (nils, ines) = slide_with(NILS, INES)
    join(slide, nils, ines)
    assert texts_of(presentation, tmp_path) == [
        "Nils Oberg, Head Gardener",
        "Ines Cole, Kitchen Gardener",
        "Ines Cole reports to Nils Oberg.",
    ]


@pytest.mark.parametrize(
    "box",
    [
        "Ines Cole – Gardener",
        "Ines Cole (Gardener)",
        "Ines Cole, Gardener",
        "Gardener – Ines Cole",
    ],
)
def test_a_role_may_stand_behind_the_name_or_before_it(box: str, tmp_path: Path) -> None:
    presentation, slide, boxes = slide_with(NILS, box)
    join(slide, *boxes)
    assert texts_of(presentation, tmp_path)[1:] == [box, "Ines Cole reports to Nils Oberg."]


def test_a_line_that_is_drawn_upwards_says_the_same(tmp_path: Path) -> None:
    presentation, slide, (nils, ines) = slide_with(NILS, INES)
    join(slide, ines, nils)
    assert texts_of(presentation, tmp_path)[-1] == "Ines Cole reports to Nils Oberg."


def test_a_line_that_is_not_glued_joins_the_boxes_it_touches(tmp_path: Path) -> None:
    presentation, slide, (nils, *_) = slide_with(NILS, INES, LEA)
    slide.shapes.add_connector(1, 7 * CM, 9 * CM, 7 * CM, 11 * CM)
    texts = texts_of(presentation, tmp_path)
    assert texts[-1] == "Lea Moor reports to Ines Cole."
    assert len(texts) == 4
    assert nils.text_frame.text == NILS


@pytest.mark.parametrize(
    ("arrow", "said"),
    [
        ("tailEnd", "Order leads to Invoice."),
        ("headEnd", "Invoice leads to Order."),
        ("", "Order is joined to Invoice."),
    ],
)
def test_a_line_between_boxes_beside_each_other_says_what_its_arrow_says(
    arrow: str, said: str, tmp_path: Path
) -> None:
    presentation, slide, (order, invoice) = slide_with("Order", "Invoice", across=True)
    join(slide, order, invoice, arrow)
    assert texts_of(presentation, tmp_path)[-1] == said


def test_a_unit_below_another_one_is_said_to_be_below(tmp_path: Path) -> None:
    presentation, slide, (sales, field) = slide_with("Sales", "Field team")
    join(slide, sales, field)
    assert texts_of(presentation, tmp_path)[-1] == "Field team is below Sales."


def test_a_line_with_a_loose_end_says_nothing(tmp_path: Path) -> None:
    presentation, slide, _ = slide_with(NILS)
    slide.shapes.add_connector(1, 7 * CM, 5 * CM, 20 * CM, 15 * CM)
    assert texts_of(presentation, tmp_path) == ["Nils Oberg, Head Gardener"]


def test_boxes_and_lines_in_a_group_are_read(tmp_path: Path) -> None:
    presentation, slide, boxes = slide_with(NILS, INES)
    join(slide, *boxes)
    slide.shapes.add_group_shape([*boxes, slide.shapes[-1]])
    assert texts_of(presentation, tmp_path)[-1] == "Ines Cole reports to Nils Oberg."


def test_long_text_in_a_box_stays_as_its_paragraphs(tmp_path: Path) -> None:
    long = "The garden is open on all days from April to October.\nDogs stay outside."
    presentation, _, _ = slide_with(long)
    assert texts_of(presentation, tmp_path) == long.split("\n")
