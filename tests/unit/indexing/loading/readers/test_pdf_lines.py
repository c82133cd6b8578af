"""Forms that were filled in, as PDF files hold them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from hoptrail.indexing.loading.readers.pdf import read_pdf

Draw = Callable[[Canvas, Any], None]


def lines_of(draw: Draw, folder: Path) -> list[str]:
    """Return the lines that are read of a page on which a form is drawn."""
    canvas = Canvas(str(folder / "form.pdf"))
    draw(canvas, canvas.acroForm)
    canvas.save()
    return [
        line for block in read_pdf(folder / "form.pdf").blocks for line in block.text.split("\n")
    ]


def application(canvas: Canvas, form: Any) -> None:
    canvas.drawString(72, 780, "Application for a mooring")
    canvas.drawString(72, 740, "Name of the owner:")
    form.textfield(name="owner", x=220, y=732, width=200, height=18, value="Petra Lund")
    canvas.drawString(72, 722, "Length (m):")
    form.textfield(name="length", x=220, y=714, width=60, height=18, value="8.4")
    canvas.drawString(300, 722, "Draught (m):")
    form.textfield(name="draught", x=400, y=714, width=60, height=18, value="1.1")
    canvas.drawString(72, 704, "Remarks:")
    form.textfield(name="remarks", x=220, y=696, width=200, height=18)


def test_what_was_filled_in_stands_behind_its_label(tmp_path: Path) -> None:
    assert lines_of(application, tmp_path) == [
        "Application for a mooring",
        "Name of the owner: Petra Lund",
        "Length (m): 8.4 Draught (m): 1.1",
        "Remarks:",
    ]


def test_boxes_are_told_ticked_or_not_on_the_side_where_they_stand(tmp_path: Path) -> None:
    def draw(canvas: Canvas, form: Any) -> None:
        canvas.drawString(72, 700, "Shore power wanted")
        form.checkbox(name="power", x=220, y=696, checked=True)
        form.checkbox(name="crane", x=72, y=666, checked=False)
        canvas.drawString(100, 670, "Crane wanted")
        canvas.drawString(72, 640, "Pays by:")
        form.radio(name="pay", value="card", x=140, y=636, selected=True)
        canvas.drawString(165, 640, "card")
        form.radio(name="pay", value="cash", x=220, y=636, selected=False)
        canvas.drawString(245, 640, "cash")

    assert lines_of(draw, tmp_path) == [
        "Shore power wanted ☒",
        "☐ Crane wanted",
        "Pays by: ☒ card ☐ cash",
    ]


def test_a_field_without_a_text_beside_it_has_the_label_that_is_read_aloud(tmp_path: Path) -> None:
    def draw(canvas: Canvas, form: Any) -> None:
        canvas.drawString(72, 700, "Application")
        form.choice(
            name="a", x=72, y=640, options=["North", "South"], value="South", tooltip="Jetty"
        )
        form.checkbox(name="b", x=72, y=600, checked=True, tooltip="Insured")

    assert lines_of(draw, tmp_path) == ["Application", "Jetty: South", "☒ Insured"]


@pytest.mark.parametrize("flags", ["password", "hidden"])
def test_what_nobody_is_to_see_is_not_read(flags: str, tmp_path: Path) -> None:
    def draw(canvas: Canvas, form: Any) -> None:
        canvas.drawString(72, 700, "Code:")
        told = {"fieldFlags": flags} if flags == "password" else {"annotationFlags": flags}
        form.textfield(name="code", x=220, y=692, width=200, height=18, value="4711", **told)

    assert lines_of(draw, tmp_path) == ["Code:"]
